"""Model files of estimators: save, load, describe and compare."""

from __future__ import annotations

import os
from typing import Any

from rosenblatt import estimators
from rosenblatt.estimators.base import Classifier
from rosenblatt.estimators.row_model import RowModel
from rosenblatt.learning.models import files
from rosenblatt.learning.models.comparison import Comparison, compare
from rosenblatt.learning.models.files import ModelError, Path, describe, save
from rosenblatt.learning.models.header import error_text
from rosenblatt.streams.frames.notes import describes_rows

__all__ = ["Comparison", "ModelError", "compare", "describe", "load", "load_estimator", "save"]


def load(path: Path) -> Any:
    """Load the model saved at ``path``, with the same class, parameters, attributes and bits.

    A model of the command, or of a pipeline of :class:`rosenblatt.RowEncoder` and a classifier, is
    a :class:`rosenblatt.RowModel`: it takes raw rows, such as a DataFrame, reads them as its
    training data were read, and learns more of them. Its parts are ``encoder`` and ``classifier``.
    Models of numbered columns, as of svmlight text and NumPy's files, and of Vowpal Wabbit text are
    estimators that take matrices. Further training (``partial_fit``, or ``fit`` with
    ``warm_start``) continues exactly as without the interruption.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    RowModel, estimator, OnlinePerceptron or RowEncoder

    Raises
    ------
    ModelError
        The file is damaged, inconsistent, from another program or from a newer version.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt import Perceptron
    >>> model = Perceptron().partial_fit([[0.0], [1.0]], [0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/model.safetensors")
    ...     load(f"{folder}/model.safetensors").partial_fit([[2.0]], [2]).classes_.tolist()
    [0, 1, 2]
    """
    model, notes = files.load_with_notes(path, _class_of)
    if not (isinstance(model, Classifier) and describes_rows(notes)):
        return model
    try:
        return RowModel.of_file(model, notes)
    except ValueError as error:
        raise ModelError(
            f"{os.fspath(path)}: {error_text(error)}. The file is damaged, or of another program "
            "or version: restore it from a backup; rosenblatt.models.load_estimator gives its "
            "classifier."
        ) from error


def load_estimator(path: Path) -> Any:
    """Load the estimator saved at ``path``, without the encoder of its rows.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    estimator

    Raises
    ------
    ModelError, OSError
        As :func:`load`.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt import Perceptron
    >>> model = Perceptron().partial_fit([[0.0], [1.0]], [0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/model")
    ...     load_estimator(f"{folder}/model").classes_.tolist()
    [0, 1]
    """
    return files.load(path, _class_of)


def _class_of(name: str) -> Any:
    return getattr(estimators, name)
