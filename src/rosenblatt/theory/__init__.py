"""Radius, margins, mistake bounds, and the fewest mistakes, as the theorems define them.

All functions take arrays and numbers, not models, so they apply to any linear model. Each docstring
states the assumptions of its bound. A bound is a float (infinite on overflow); the number of
mistakes is at most its floor, `most_mistakes`. Bounds require a margin > 0.

Rows are an array of shape (n, d), or CSR: an object with ``data``, ``indices``, ``indptr``,
``shape`` and ``@``, such as ``scipy.sparse.csr_array``. Labels are -1 and +1. An argument with
another shape, or with a number that is not finite or out of range, is a ValueError that names the
argument.
"""

from rosenblatt.theory.bounds import (
    epochs_bound,
    expected_error_bound,
    experts_bound,
    margin,
    margins,
    mistake_bound,
    most_mistakes,
    offset_bound,
    radius,
    running_bound,
    shards_bound,
    slack,
    slack_bound,
    start_bound,
)
from rosenblatt.theory.mistakes import FewestMistakes, fewest_mistakes

__all__ = [
    "FewestMistakes",
    "epochs_bound",
    "expected_error_bound",
    "experts_bound",
    "fewest_mistakes",
    "margin",
    "margins",
    "mistake_bound",
    "most_mistakes",
    "offset_bound",
    "radius",
    "running_bound",
    "shards_bound",
    "slack",
    "slack_bound",
    "start_bound",
]
