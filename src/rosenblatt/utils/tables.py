"""Tables of names and numbers, aligned as text and as HTML."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rosenblatt.utils.arrays import Array, ArrayLike
from rosenblatt.utils.shown import Text, html_table

MAX_ROWS = 12  # of a longer table the middle is left out


def text_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Text:
    """Format rows of names and numbers in columns: the first left-aligned, others right-aligned.

    Parameters
    ----------
    heads : sequence of str
        Names of the columns.
    rows : iterable of sequences
        The cells of a row, one a column: text unchanged, a number as :func:`format_cell` writes
        it. A row with another number of cells is a ValueError.

    Examples
    --------
    >>> print(text_table(["rule", "margin"], [["perceptron", 0.25], ["widest", float("nan")]]))
    rule        margin
    perceptron    0.25
    widest           –
    """
    cells = [[format_cell(value) for value in row] for row in rows]
    lines = [heads, *cells]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return Text("\n".join(_line(line, widths) for line in lines), html_table(heads, cells))


def abridged(rows: Sequence[Sequence[object]], most: int = MAX_ROWS) -> list[Sequence[object]]:
    """Return the rows of a table, of a longer one without its middle.

    Examples
    --------
    >>> abridged([[1], [2], [3], [4], [5]], most=4)
    [[1], [2], ['…'], [5]]
    """
    if len(rows) <= most:
        return list(rows)
    return [*rows[: most - 2], ["…"] * len(rows[0]), rows[-1]]


def format_cell(value: object) -> str:
    """Format a number with three digits, as an integer from 100 on, and NaN as –; else as text.

    Examples
    --------
    >>> [format_cell(value) for value in (-0.12345, 1234.5, 10**400, float("inf"), float("nan"))]
    ['−0.123', '1,234', '10^400', '∞', '–']
    """
    if not isinstance(value, int | float | np.integer | np.floating):
        return str(value)
    try:
        number = float(value)
    except OverflowError:
        return f"{'−' if value < 0 else ''}10^{math.log10(abs(int(value))):.0f}"
    if math.isnan(number):
        return "–"
    digits = f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"
    return digits.replace("inf", "∞").replace("-", "−")


def median_and_range(values: ArrayLike, low: float = 0.0, high: float = 1.0) -> str:
    """Format the median of the numbers, and in brackets two quantiles, by default the extremes.

    NaN is ignored; without any other number the result is –.

    Examples
    --------
    >>> median_and_range([3, 1, 2])
    '2 (1–3)'
    """
    numbers = np.asarray(values, np.float64)
    numbers = numbers[~np.isnan(numbers)]
    if not numbers.size:
        return format_cell(math.nan)
    lowest, median, highest = map(format_cell, np.quantile(numbers, [low, 0.5, high]).tolist())
    return f"{median} ({lowest}–{highest})"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (
        text.rjust(width) if column else text.ljust(width)
        for column, (text, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join([first, *others]).rstrip()


def cells_of(array: Array) -> tuple[list[str], list[tuple[object, ...]]]:
    """Return the names of the columns of a structured array, and its rows."""
    return list(array.dtype.names or ()), array.tolist()


class Columns(np.ndarray[Any, Any]):
    """Structured array that is shown as a table, as the history of a fit.

    Examples
    --------
    >>> columns = [("epoch", int), ("error", float)]
    >>> table = np.array([(1, 0.25), (2, 0.5)], columns).view(Columns)
    >>> table
    epoch  error
    1       0.25
    2        0.5
    >>> table["error"]
    array([0.25, 0.5 ])
    """

    def __repr__(self) -> str:
        table = self._table()
        return repr(self.view(np.ndarray)) if table is None else str(table)

    def _repr_html_(self) -> str | None:
        table = self._table()
        return None if table is None else table.html

    def _table(self) -> Text | None:
        """Return the table, or None for a single column or row."""
        if self.dtype.names is None or self.ndim != 1:
            return None
        names, rows = cells_of(self)
        return text_table(names, abridged(rows))
