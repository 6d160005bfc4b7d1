"""What stands beside a row's features and its label: how much it counts, and what it is called."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.streams.core.options import ReadOptions

EXPECTED_WEIGHT = "expected a weight: a finite number of 0 or more."


def schema_column(options: ReadOptions, kind: str) -> str | None:
    """The column that is said to hold the weights or the ids.

    Parameters
    ----------
    options : Settings
    kind : {"weight", "id"}

    Examples
    --------
    >>> schema_column(Settings(schema={"mail": "id"}), "id")
    'mail'
    """
    return next(
        (name for name, column_kind in (options.schema or {}).items() if column_kind == kind), None
    )


def is_weight(value: Any) -> bool:
    """Whether it is a finite number of 0 or more.

    Examples
    --------
    >>> [is_weight(value) for value in (0, 2.5, -1, float("nan"), 10**400, "1", True)]
    [True, True, False, False, False, False, False]
    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= value <= sys.float_info.max


def weights_or_none(weights: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The weights of a batch; None where all rows count the same, once.

    Examples
    --------
    >>> weights_or_none(np.array([1.0, 2.0])), weights_or_none(np.array([1.0, 1.0]))
    (array([1., 2.]), None)
    """
    return None if np.all(weights == 1.0) else weights


def ids_or_none(ids: Sequence[str | int]) -> NDArray[np.object_] | None:
    """The ids of a batch; None where no row has one.

    Examples
    --------
    >>> ids_or_none(["a", "", 7]), ids_or_none(["", ""])
    (array(['a', '', 7], dtype=object), None)
    """
    return np.array(ids, dtype=object) if any(one != "" for one in ids) else None
