"""What the theorems need and what they promise: radius, margins, mistake bounds.

Everything here takes arrays and numbers, never a model, so it can audit any model. A bound is as
good as its assumptions: each docstring states them, and only they make it true. A bound is a float
(infinite if too large for one); the number of mistakes is at most its whole part. A margin of zero
promises nothing, so every bound asks for a margin > 0.

Rows are an array of shape (n, d), or CSR: an object with ``data``, ``indices``, ``indptr``,
``shape`` and ``@``, such as ``scipy.sparse.csr_array``. Labels are -1 and +1.
"""

from rosenblatt.theory.bounds import (
    experts_bound,
    margin,
    margins,
    mistake_bound,
    offset_bound,
    radius,
    running_bound,
    slack,
    slack_bound,
    start_bound,
)

__all__ = [
    "experts_bound",
    "margin",
    "margins",
    "mistake_bound",
    "offset_bound",
    "radius",
    "running_bound",
    "slack",
    "slack_bound",
    "start_bound",
]
