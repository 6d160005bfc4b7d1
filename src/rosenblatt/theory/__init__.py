"""Radius, margins, mistake bounds, and the fewest mistakes, as the theorems define them.

All functions take arrays and numbers, not models, so they apply to any linear model. Each docstring
states the assumptions of its bound. A bound is a float (infinite on overflow); the number of
mistakes is at most its floor, `most_mistakes`. Bounds require a margin > 0.

Rows are an array of shape (n, d), or CSR: an object with ``data``, ``indices``, ``indptr``,
``shape`` and ``@``, such as ``scipy.sparse.csr_array``. Labels are -1 and +1. An argument with
another shape, or with a number that is not finite or out of range, is a ValueError that names the
argument.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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


def __getattr__(name: str) -> Any:
    """Import a function when it is asked for: rules and kernels need none of NumPy's checks."""
    if name not in __all__:
        raise AttributeError(f"module 'rosenblatt.theory' has no attribute {name!r}")
    module = "mistakes" if name in ("FewestMistakes", "fewest_mistakes") else "bounds"
    value = globals()[name] = getattr(import_module(f"rosenblatt.theory.{module}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
