"""Numbers as aligned text: what every study prints."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike


def table(heads: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    """Lay out rows of names and numbers in columns, the first to the left, the others to the right.

    Parameters
    ----------
    heads : sequence of str
        Names of the columns.
    rows : iterable of sequences
        As many cells in each: text as it is, a number as :func:`cell` writes it.

    Raises
    ------
    ValueError
        If a row has another number of cells.

    Examples
    --------
    >>> print(table(["rule", "margin"], [["perceptron", 0.25], ["widest", float("nan")]]))
    rule        margin
    perceptron    0.25
    widest           –
    """
    lines = [heads, *([cell(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_line(line, widths) for line in lines)


def cell(value: str | float) -> str:
    """Write three digits of a number, whole numbers from 100 on; – where there is none.

    Examples
    --------
    >>> cell(-0.12345), cell(1234.5), cell(float("inf")), cell(float("nan"))
    ('−0.123', '1,234', '∞', '–')
    """
    if isinstance(value, str):
        return value
    if math.isnan(value):
        return "–"
    digits = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return digits.replace("inf", "∞").replace("-", "−")


def spread(values: ArrayLike, low: float = 0.0, high: float = 1.0) -> str:
    """Write the median of the numbers, and in brackets two quantiles: the least and the largest.

    NaN is no number; where there is nothing else the cell is –.

    Examples
    --------
    >>> spread([3, 1, 2])
    '2 (1–3)'
    """
    numbers = np.asarray(values, np.float64)
    numbers = numbers[~np.isnan(numbers)]
    if not numbers.size:
        return cell(math.nan)
    least, middle, most = map(cell, np.quantile(numbers, [low, 0.5, high]).tolist())
    return f"{middle} ({least}–{most})"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (
        text.rjust(width) if place else text.ljust(width)
        for place, (text, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join([first, *others]).rstrip()
