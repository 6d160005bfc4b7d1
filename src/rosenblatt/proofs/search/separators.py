"""The separator of a certificate: floats where they attain the margin, else an exact direction."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from rosenblatt.engine.hulls import min_norm
from rosenblatt.proofs.check.record import Overlap
from rosenblatt.proofs.search.determined import (
    Determined,
    float_direction,
    precise_direction,
    root_above,
    root_below,
)
from rosenblatt.proofs.search.translation import moved_back
from rosenblatt.utils.arrays import Array

MIN_FLOAT_MARGIN = 1e-290
"""Smaller margins are subnormal floats, or close to them."""
_FEW_ULPS = 2.0**-50  # relative; rounding may take so much of a margin that is proved exactly


@dataclass(frozen=True)
class SearchResult:
    """Result of the search: the statements of a certificate.

    ``sqmargin`` is the square of the maximal margin, where rows and weights determine it.
    """

    status: str
    margin: tuple[float, float]
    radius: float
    run: min_norm.PerceptronRun
    rows: Array
    weights: list[int]
    coef: Array | None = None
    intercept: float = 0.0
    direction: tuple[int, ...] | None = None
    overlap: Overlap | None = None
    sqmargin: Fraction | None = None


def with_separator(
    bounding: SearchResult, low: float, w: Array, b: float, origin: Array | None, tol: float
) -> SearchResult | None:
    """Return the result with a separator of length 1 of the moved rows and its margin ``low``.

    If the offset for the rows as given, rounded, costs too much of the margin, the result has the
    exact direction, too. None if floats have no such offset.
    """
    result = replace(bounding, status="separable", coef=w, intercept=b)
    if origin is not None:
        exact = [Fraction(value) for value in w.tolist()]
        offset = moved_back(exact, Fraction(b), origin)
        rounded = _as_float(offset)
        if not math.isfinite(rounded):
            return None
        lost = (1.0 + 2.0**-40) * abs(float(offset - Fraction(rounded)))
        result = replace(result, intercept=rounded)
        if lost <= tol / 16 * low:
            low -= lost
        else:
            result = replace(result, direction=as_integers(exact, offset))
    if not low > 0.0:
        return None
    return replace(result, margin=(low, max(bounding.margin[1], low)))


def determined_result(
    bounding: SearchResult, exact: Determined, d: int, origin: Array | None, tol: float
) -> SearchResult | None:
    """Return the result with the maximal margin ``exact``, to rounding; None beyond the floats.

    Without a direction if a separator in floats attains the margin to within the tolerance.
    """
    high = root_above(exact.sqmargin)
    if not MIN_FLOAT_MARGIN < high < math.inf:
        return None
    result = replace(
        bounding,
        status="separable",
        rows=exact.rows,
        weights=exact.weights,
        direction=None,
        sqmargin=exact.sqmargin,
    )
    columns, near = exact.near.columns, exact.near
    moved = np.zeros(len(columns)) if origin is None else origin[columns]
    coef = np.zeros(d)
    coef[columns] = rounded = float_direction(exact)
    w = [Fraction(value) for value in rounded.tolist()]
    unit = max(value.denominator for value in w)  # a power of two
    numbers, bits = [int(value * unit) for value in w], unit.bit_length() - 1
    b = _as_float(moved_back(w, near.offset(numbers, bits), moved))
    if math.isfinite(b):
        least = near.least(numbers, bits, moved_back(w, Fraction(b), -moved))
        square = sum(value * value for value in numbers)
        low = root_below(max(least * unit, Fraction(0)) ** 2 / square)
        if low >= (1.0 - tol) * high:
            return replace(result, margin=(low, high), coef=coef, intercept=b)
    low = root_below(exact.sqmargin) * (1.0 - _FEW_ULPS)
    precise = precise_direction(exact, low)
    if precise is None:
        return None
    numbers, bits = precise
    w = [Fraction(value, 1 << bits) for value in numbers]
    offset = moved_back(w, near.offset(numbers, bits), moved)
    if not math.isfinite(b := _as_float(offset)):
        return None
    full = [Fraction(0)] * d
    for j, value in zip(columns.tolist(), w, strict=True):
        full[j] = value
    coef = np.array([float(value) for value in full])
    direction = as_integers(full, offset)
    return replace(result, margin=(low, high), coef=coef, intercept=b, direction=direction)


def as_integers(w: list[Fraction], b: Fraction) -> tuple[int, ...]:
    """Return a hyperplane in integers, multiplied by the least common denominator."""
    unit = math.lcm(*(value.denominator for value in (*w, b)))
    return tuple(int(value * unit) for value in (*w, b))


def _as_float(value: Fraction) -> float:
    """Return the nearest float, or infinity."""
    try:
        return float(value)
    except OverflowError:
        return math.inf
