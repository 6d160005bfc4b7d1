"""Tables as rows of shards: their columns must be numbers, and their indexes must agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rosenblatt.utils.arrays import Matrix
from rosenblatt.utils.matrices import as_matrix
from rosenblatt.utils.table_faults import date_fault, table_fault
from rosenblatt.utils.words import listing


def is_table(X: object) -> bool:
    """Return True for a table or a column of pandas."""
    return hasattr(X, "iloc")


def check_columns(X: Matrix) -> None:
    """Refuse a table with a column that is no number by its type; an object may be a number.

    Examples
    --------
    >>> import pandas as pd
    >>> check_columns(pd.DataFrame({"code": pd.Categorical([3, 1])}))
    Traceback (most recent call last):
        ...
    ValueError: column 'code' of X is of type category: make it columns of 0 and 1, \
dask.dataframe.get_dummies(X.categorize(['code']), columns=['code']), or drop it.
    """
    if fault := date_fault(X):
        raise ValueError(fault)
    for name, dtype in zip(X.columns, X.dtypes, strict=True):
        if dtype.kind not in "biuf" and dtype.name != "object":
            raise ValueError(
                f"column {name!r} of X is of type {dtype.name}: make it columns of 0 and 1, "
                f"dask.dataframe.get_dummies(X.categorize([{name!r}]), columns=[{name!r}]), or "
                "drop it."
            )


def table_rows(X: Matrix) -> Matrix:
    """Return the rows of a table as an array.

    Raises
    ------
    ValueError
        A column has texts, dates, categories or missing cells; the message names it.
    """
    check_columns(X)
    try:
        return as_matrix(X)
    except ValueError as error:
        if fault := table_fault(X):
            raise ValueError(fault) from error
        raise


def column_names(X: Matrix) -> tuple[str, ...] | None:
    """Return the names of the columns of a table; None of other rows."""
    return tuple(map(str, X.columns)) if is_table(X) else None


def joint_names(names: Iterable[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    """Return the names that all tables share; None where there is no table.

    Examples
    --------
    >>> joint_names([("a", "b"), ("b", "a")])
    Traceback (most recent call last):
        ...
    ValueError: tables have other columns, or another order: a, b, …, but b, a, ….
    """
    first: tuple[str, ...] | None = None
    for one in names:
        if first is not None and one not in (None, first):
            raise ValueError(
                "tables have other columns, or another order: "
                f"{', '.join(first[:5])}, …, but {', '.join((one or ())[:5])}, …."
            )
        first = first or one
    return first


def check_names(names: Sequence[str] | None, expected: Sequence[str] | None) -> None:
    """Refuse columns of a table that are not those of the fit, where both have names.

    Examples
    --------
    >>> check_names(["b", "a"], ["a", "b"])
    Traceback (most recent call last):
        ...
    ValueError: The columns must be those of the fit, in their order: a, b.
    >>> check_names(["a", "c"], ["a", "b"])
    Traceback (most recent call last):
        ...
    ValueError: The columns must be those of the fit, in their order: a, b. New here: c. \
Not here: b.
    """
    if names is None or expected is None or [*names] == [*expected]:
        return
    here, of_fit = {*names}, {*expected}
    new = [name for name in names if name not in of_fit]
    lacks = [name for name in expected if name not in here]
    raise ValueError(
        f"The columns must be those of the fit, in their order: {listing(expected, 5)}."
        + (f" New here: {listing(new, 5)}." if new else "")
        + (f" Not here: {listing(lacks, 5)}." if lacks else "")
    )


def check_index(X: Matrix, columns: list[Any]) -> None:
    """Refuse labels or weights with another index than that of their rows.

    Examples
    --------
    >>> import pandas as pd
    >>> check_index(pd.DataFrame({"a": [1, 2]}), [pd.Series([1, 0], index=[1, 0])])
    Traceback (most recent call last):
        ...
    ValueError: the indexes of X and y differ, so labels would go to other rows: take X, y and \
sample_weight from one DataFrame.
    """
    for name, column in zip(("y", "sample_weight"), columns, strict=False):
        if is_table(X) and is_table(column) and not X.index.equals(column.index):
            kind = "labels" if name == "y" else "weights"
            raise ValueError(
                f"the indexes of X and {name} differ, so {kind} would go to other rows: take X, y "
                "and sample_weight from one DataFrame."
            )
