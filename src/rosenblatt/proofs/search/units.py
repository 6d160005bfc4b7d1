"""Results of the search in the units of the rows, which it searches in another unit."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.search import integers
from rosenblatt.proofs.search.determined import root_above
from rosenblatt.proofs.search.finder import as_floats
from rosenblatt.proofs.search.separators import SearchResult

_EXTRA = 128  # bits of a direction beyond its own and those of the margin
_MOST_LOST = 2.0**-34  # of a margin: far less than a tolerance
_LENGTH_ERROR = Fraction(1, 10**11)  # relative; of a separator of length 1, rounded


def in_units(result: SearchResult, data: LabelledData) -> SearchResult:
    """Return the statements about x of a result about unit · x, the sums of ``data.parts``.

    w is the same, b becomes b/unit, and a direction (w, b) with whole numbers the same direction
    times a whole number. A separator that loses a part of its margin by the rounding of b becomes a
    direction.
    """
    if data.scale == 1:
        return result
    unit = Fraction(data.scale) / (1 << data.scale.bit_length() - 1)
    low, high = result.margin
    exact = result.sqmargin  # its root is rounded once, so that no smaller float is a bound
    high = _up(high, unit) if exact is None else root_above(exact / unit**2)
    result = replace(result, radius=_up(result.radius, unit), margin=(low, high))
    direction = result.direction
    if direction is not None and low > 0.0:
        if separated := _with_margin(result, direction, low, unit):
            return separated
        result = replace(result, margin=(0.0, result.margin[1]))
    elif direction is None and result.coef is not None:
        b = Fraction(result.intercept) / unit
        moved = abs(b - Fraction(float(b))) * (1 + _LENGTH_ERROR)
        if moved <= _MOST_LOST * (less := Fraction(low) / unit - moved):
            margin = min(_down(less), result.margin[1]), result.margin[1]
            if margin[0] > 0.0:
                return replace(result, margin=margin, intercept=float(b))
        direction = _as_integers([*result.coef.tolist(), result.intercept])
        if low > 0.0 and (separated := _with_margin(result, direction, low, unit)):
            return separated
        result = replace(result, margin=(0.0, result.margin[1]))
    if direction is None:
        return result
    *w, b_integer = direction
    power = 1 << data.scale.bit_length() - 1
    direction = tuple(integers.primitive([*(v * data.scale for v in w), b_integer * power]))
    coef, intercept = as_floats(direction)
    return replace(result, coef=coef, intercept=intercept, direction=direction)


def _with_margin(
    result: SearchResult, direction: tuple[int, ...], low: float, unit: Fraction
) -> SearchResult | None:
    """Return a separator that is a direction, with its margin; None if rounding takes it below 0.

    The coefficients are w times a power of two, so b/unit is rounded to a multiple of 2^-more of
    the direction's own whole numbers: that takes at most half of such a multiple, over ‖w‖ >= 1. It
    is less than 2^-_EXTRA of a margin of any size.
    """
    assert result.coef is not None
    *w, b = direction
    more = _EXTRA + max(0, -math.frexp(low)[1])
    w = [value << more for value in w]
    b = round((b << more) / unit)
    less = Fraction(low) / unit - Fraction(1, max(1, math.isqrt(sum(v * v for v in w))))
    if not less > 0 or not (margin := _down(less)) > 0.0:
        return None
    largest = max(range(len(w)), key=lambda j: abs(w[j]))
    bits = abs(w[largest]).bit_length()
    rounded = float(Fraction(w[largest], 1 << bits))
    power = math.frexp(result.coef[largest])[1] - math.frexp(rounded)[1] - bits
    try:
        intercept = float(b * Fraction(2) ** power)
    except OverflowError:
        return None
    high = max(margin, result.margin[1])
    return replace(result, margin=(margin, high), intercept=intercept, direction=(*w, b))


def _as_integers(values: list[float]) -> tuple[int, ...]:
    """Return floats times their common denominator."""
    ratios = [value.as_integer_ratio() for value in values]
    most = max(denominator for _, denominator in ratios)
    return tuple(numerator * (most // denominator) for numerator, denominator in ratios)


def _up(value: float, unit: Fraction) -> float:
    """Return value / unit, rounded up."""
    return value if value in (0.0, math.inf) else -_down(-Fraction(value) / unit)


def _down(value: Fraction | float) -> float:
    """Return a float that is at most the value."""
    rounded = float(value)
    return rounded if Fraction(rounded) <= value else math.nextafter(rounded, -math.inf)
