"""MODEL, the model file that a command line names."""

from __future__ import annotations

from typing import Any, NamedTuple

from rosenblatt.cli.display.errors import unreadable
from rosenblatt.learning.models import files
from rosenblatt.learning.models.header import Description
from rosenblatt.learning.models.online_names import learner_and_names
from rosenblatt.streams.core.notes import Notes, notes_of_runs


class LoadedModel(NamedTuple):
    """A model with the notes of its training.

    Attributes
    ----------
    model : estimator
        The learner, which takes rows without column names.
    notes : dict
        The options of the training data.
    names : list of str, or None
        Names of the columns.
    saved : estimator
        The model as saved; an OnlinePerceptron contains the learner, and takes rows with any
        names, whose absent features are zero.
    """

    model: Any
    notes: Notes
    names: list[str] | None
    saved: Any


def load_model(path: str) -> tuple[Any, Description]:
    """Load a model and the description of its file.

    Raises
    ------
    BadData
        The file does not exist, or cannot be read.
    ModelError
        The file is no model.
    """
    try:
        return files.load(path), describe_model(path)
    except OSError as error:
        raise unreadable(path, error) from error


def describe_model(path: str) -> Description:
    """Read the description of a file, with the notes of its runs.

    Raises
    ------
    BadData, ModelError
        As :func:`load_model`.
    """
    try:
        about = files.describe(path)
    except OSError as error:
        raise unreadable(path, error) from error
    about["notes"] = notes_of_runs(about["notes"])
    return about


def open_model(path: str) -> LoadedModel:
    """Load a model that takes rows with its columns in order.

    Raises
    ------
    BadData, ModelError
        As :func:`load_model`.
    """
    saved, about = load_model(path)
    model, names = learner_and_names(saved)
    vars(model).pop("feature_names_in_", None)  # rows come without names, with columns in order
    return LoadedModel(model, about["notes"], names, saved)
