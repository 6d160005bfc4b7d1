"""Conversion of a model's scaling (``scale=True``) to the arrays of a model file and back."""

from __future__ import annotations

import numpy as np

from rosenblatt.engine.scaling import Moments, empty_moments
from rosenblatt.learning.scaling import Scaling
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.checks import LARGEST_VALUE

_PREFIX = "moments."
_MOST_VALUES = 2**62


def encode_scaling(scaling: Scaling | None) -> dict[str, Array]:
    """Arrays of a scaling, by name in the file."""
    if scaling is None:
        return {}
    return {f"{_PREFIX}{name}": array for name, array in scaling.moments._asdict().items()}


def scaling_specs(d: int) -> dict[str, tuple[str, set[tuple[int, ...]]]]:
    """Types and shapes required of the arrays of a scaling, by name.

    Examples
    --------
    >>> scaling_specs(3)["moments.mean"]
    ('float64', {(3,)})
    """
    shapes = {"dense": (1,)}
    return {
        f"{_PREFIX}{name}": (array.dtype.name, {shapes.get(name, (d,))})
        for name, array in empty_moments(0, dense=True)._asdict().items()
    }


def decode_scaling(tensors: dict[str, Array]) -> Scaling | None:
    """Build a scaling from its arrays; None if there are none.

    Raises
    ------
    ValueError
        Values that training cannot produce.
    """
    if f"{_PREFIX}n_seen" not in tensors:
        return None
    moments = Moments(**{name: tensors[f"{_PREFIX}{name}"] for name in Moments._fields})
    n_seen, mean, squares, centred, dense = moments
    empty = n_seen == 0
    valid = {
        "n_seen": (n_seen >= 0).all() and (n_seen < _MOST_VALUES).all(),
        "mean": (np.abs(mean) <= LARGEST_VALUE).all() and not mean[empty | ~centred].any(),
        "squares": np.isfinite(squares).all()
        and (squares >= 0.0).all()
        and not squares[empty].any(),
        "dense": centred.all() or not dense[0],
    }
    for name, ok in valid.items():
        if not ok:
            raise ValueError(f"its array {_PREFIX}{name} has invalid values")
    return Scaling(moments)
