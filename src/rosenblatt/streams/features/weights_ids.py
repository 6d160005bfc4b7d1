"""Sample weights and row ids."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.utils.arrays import NDArray

EXPECTED_WEIGHT = "expected a weight: a finite number of 0 or more."


def schema_column(options: ReadOptions, kind: str) -> str | None:
    """Return the column to which the schema gives a kind, or None.

    Parameters
    ----------
    options : ReadOptions
    kind : {"label", "weight", "id"}

    Examples
    --------
    >>> schema_column(ReadOptions(schema={"mail": "id"}), "id")
    'mail'
    """
    schema = options.schema or {}
    return next((name for name in schema if schema[name] == kind), None)


def is_weight(value: Any) -> bool:
    """Return whether a value is a finite number of 0 or more.

    Examples
    --------
    >>> [is_weight(value) for value in (0, 2.5, -1, float("nan"), 10**400, "1", True)]
    [True, True, False, False, False, False, False]
    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= value <= sys.float_info.max


def weights_or_none(weights: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the weights of a batch; None if all are 1.

    Examples
    --------
    >>> weights_or_none(np.array([1.0, 2.0])), weights_or_none(np.array([1.0, 1.0]))
    (array([1., 2.]), None)
    """
    return None if np.all(weights == 1.0) else weights


def ids_or_none(ids: Sequence[str | int]) -> NDArray[np.object_] | None:
    """Return the ids of a batch; None if no row has one.

    Examples
    --------
    >>> ids_or_none(["a", "", 7]), ids_or_none(["", ""])
    (array(['a', '', 7], dtype=object), None)
    """
    return np.array(ids, dtype=object) if any(id != "" for id in ids) else None
