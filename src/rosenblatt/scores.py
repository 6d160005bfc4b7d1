"""A score and its sign: the same to the bit on every machine."""

import numpy as np

from rosenblatt.inputs import Floats, Ints


def dot(X: Floats, w: Floats | Ints) -> Floats:
    """Return w·x for one row or several, added from left to right; out of range, inf or nan."""
    with np.errstate(over="ignore", invalid="ignore"):
        total: Floats = np.add.accumulate(X * w, axis=-1)[..., -1]
    return total


def sgn(score: float | Floats | Ints, tie: int) -> Ints:
    """Return +1 above 0, -1 below 0, and `tie` at 0."""
    return np.where(np.greater(score, 0.0), 1, np.where(np.less(score, 0.0), -1, tie))
