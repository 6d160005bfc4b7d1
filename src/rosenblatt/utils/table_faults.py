"""Columns of a table that are no numbers: the fault, its row, and the remedy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from rosenblatt.utils.arrays import Matrix
from rosenblatt.utils.checks import as_float


class _Remedies(NamedTuple):
    """What to write with a table's library; ``{}`` is the name of the column."""

    days: str
    columns_of_0_and_1: str
    filled: str
    without_rows: str


_PANDAS = _Remedies(
    "(X[{0}] - X[{0}].min()).dt.days",
    "pandas.get_dummies(X, columns=[{0}])",
    "X.fillna(X.mean())",
    "X.dropna()",
)
_POLARS = _Remedies(  # whose null is no NaN
    "(X[{0}] - X[{0}].min()).dt.total_days()",
    "X.to_dummies({0})",
    "X.fill_nan(None).fill_null(strategy='mean')",
    "X.fill_nan(None).drop_nulls()",
)


def date_fault(X: Matrix) -> str:
    """Return the fault of the first column of dates in a table or an array; "" if there is none.

    As numbers they would silently be nanoseconds since 1970.

    Examples
    --------
    >>> import numpy as np
    >>> date_fault(np.array([["2024-01-31"]], "datetime64[D]"))
    'X holds dates: take numbers, such as the days since the first of them.'
    """
    for name, dtype in _columns(X):
        if getattr(dtype, "kind", "") in ("M", "m") or "Date" in type(dtype).__name__:
            since = _remedies(X).days.format(repr(name))
            return f"column {name!r} of X holds dates: take numbers, such as {since}, or drop it."
    if getattr(getattr(X, "dtype", None), "kind", "") in ("M", "m"):
        return "X holds dates: take numbers, such as the days since the first of them."
    return ""


def table_fault(X: Matrix) -> str:
    """Return the first column of a table with dates, texts or missing cells; "" if there is none.

    Examples
    --------
    >>> import pandas as pd
    >>> table_fault(pd.DataFrame({"age": [31.0, None]}))[:48]
    "Input X contains NaN: column 'age' has no number"
    """
    if fault := date_fault(X):
        return fault
    for j, (name, _) in enumerate(_columns(X)):
        column = X.iloc[:, j] if hasattr(X, "iloc") else X[:, j]
        for row, value in enumerate(column.to_list() if hasattr(column, "to_list") else ()):
            if fault := _cell_fault(X, str(name), value, row):
                return fault
    return ""


def _columns(X: Matrix) -> Iterator[tuple[Any, Any]]:
    """Yield names and types of the columns of a table; none of another object."""
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        yield from zip(list(X.columns), list(X.dtypes), strict=True)


def _remedies(X: Matrix) -> _Remedies:
    return _PANDAS if hasattr(X, "iloc") else _POLARS


def _row_name(X: Matrix, row: int) -> str:
    """Return the position of a row, and its label where they differ."""
    label = X.index[row] if hasattr(X, "index") else row
    return f"row {row:,}" if str(label) == str(row) else f"row {row:,} ({label})"


def _cell_fault(X: Matrix, name: str, value: Any, row: int) -> str:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        number = math.nan
    else:
        try:
            number = as_float(value)
        except (TypeError, ValueError):
            ways = _remedies(X).columns_of_0_and_1.format(repr(name))
            return (
                f"column {name!r} of X has {value!r:.40} in {_row_name(X, row)}: make categories "
                f"columns of 0 and 1, {ways}, or drop the column."
            )
    if math.isnan(number):
        return (
            f"Input X contains NaN: column {name!r} has no number in {_row_name(X, row)}: fill it "
            f"in, {_remedies(X).filled}, or leave the row out, {_remedies(X).without_rows}."
        )
    return ""
