"""TODO."""

from __future__ import annotations

from typing import Any, NamedTuple

from rosenblatt.cli.display.errors import BadData


class LoadedModel(NamedTuple):
    """A model and what was noted when it was trained.

    Attributes
    ----------
    model : estimator
        What takes rows, its columns without names.
    notes : dict
    names : list of str, or None
        Of the columns.
    saved : estimator
        The model as it was saved: an OnlinePerceptron is more than the learner inside.
    """

    model: Any
    notes: dict[str, Any]
    names: list[str] | None
    saved: Any

    @property
    def accepts_any_names(self) -> bool:
        """Whether a row may have any names: those it lacks are absent, and no error."""
        return self.names is not None and self.saved is not self.model


def load_model(path: str) -> tuple[Any, dict[str, Any]]:
    """A model, and what its file says of itself.

    Raises
    ------
    BadData
        There is no such file, or it cannot be read.
    ModelError
        It is no model.
    """
    from rosenblatt.learning.models import files

    try:
        return files.load(path), files.describe(path)
    except OSError as error:
        raise BadData(f"{path}: cannot be read: {error.strerror}.") from error


def open_model(path: str) -> LoadedModel:
    """A model, ready for rows whose columns are in its order.

    Raises
    ------
    BadData, ModelError
        As in :func:`load_model`.
    """
    from rosenblatt.learning.models.online_names import learner_and_names

    saved, about = load_model(path)
    model, names = learner_and_names(saved)
    vars(model).pop("feature_names_in_", None)  # rows come with columns in order
    return LoadedModel(model, about["notes"], names, saved)


def feature_name_array(names: list[str]) -> Any:
    """Feature names as estimators keep them."""
    import numpy as np

    return np.array(names, dtype=object)
