"""Model files of estimators: save, load, describe and compare."""

from __future__ import annotations

from typing import Any

from rosenblatt import estimators
from rosenblatt.learning.models import files
from rosenblatt.learning.models.comparison import Comparison, compare
from rosenblatt.learning.models.files import ModelError, Path, describe, save

__all__ = ["Comparison", "ModelError", "compare", "describe", "load", "save"]


def load(path: Path) -> Any:
    """Load the model saved at ``path``, with the same class, parameters, attributes and bits.

    Further training (``partial_fit``, or ``fit`` with ``warm_start``) continues exactly as without
    the interruption. A model of the command matches columns by name: order those of new rows by its
    ``feature_names_in_`` (``DataFrame.reindex(columns=...)``), since
    :func:`rosenblatt.streams.open_stream` numbers categories as they appear in each file. Rows that
    it has read know their columns, and the model refuses others than its own.

    Parameters
    ----------
    path : str or path

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
    return files.load(path, lambda name: getattr(estimators, name))
