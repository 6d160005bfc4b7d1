"""The fit of a model of two classes, repeated for a recorded run: what all learners share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from rosenblatt.learning import interface
from rosenblatt.utils.arrays import Array

OTHER_ROWS = (
    "X and y are not the rows of the model's only fit: fit(X, y) with the same parameters, "
    "and random_state an integer, gives other weights."
)
"""The message about a repeated fit that ends elsewhere."""


def unfitted(model: Any, needs: Mapping[str, tuple[object, ...]]) -> Any:
    """Return an untrained model with the parameters of a fitted one.

    Parameters
    ----------
    model : fitted classifier
    needs : mapping of str to tuple
        Values of parameters with which a fit is a run of w alone, row after row.

    Raises
    ------
    ValueError
        The model is not fitted, is of more than two classes, or has a parameter with another value.
    """
    interface.require_fitted(model)
    if len(model.classes_) != 2:
        raise ValueError(f"trace needs a model of two classes; this one has {len(model.classes_)}.")
    for name, values in needs.items():
        if getattr(model, name) not in values:
            either = " or ".join(map(repr, values))
            raise ValueError(f"trace needs {name}={either}, for a run of w, row after row.")
    params = {field.name: getattr(model, field.name) for field in fields(model) if field.init}
    return type(model)(**params | {"warm_start": False})


def signs(model: Any, y: Array) -> Array:
    """Return labels as −1 and +1, the second of the model's classes as +1."""
    return np.where(y == model.classes_[1], 1, -1)
