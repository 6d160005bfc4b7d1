"""Aligned text tables of names and numbers, as the studies print them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike


def text_table(heads: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
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
    lines = [heads, *([format_cell(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_line(line, widths) for line in lines)


def format_cell(value: str | float) -> str:
    """Format a number with three digits, as an integer from 100 on, and NaN as –.

    Examples
    --------
    >>> [format_cell(value) for value in (-0.12345, 1234.5, float("inf"), float("nan"))]
    ['−0.123', '1,234', '∞', '–']
    """
    if isinstance(value, str):
        return value
    if math.isnan(value):
        return "–"
    digits = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
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
