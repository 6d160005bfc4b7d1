"""The separator of a certificate: floats where they attain the margin, else an exact direction."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from rosenblatt.engine import hulls
from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.check.record import Overlap
from rosenblatt.proofs.check.rows import two_sum
from rosenblatt.proofs.search import integers
from rosenblatt.proofs.search.determined import Determined
from rosenblatt.utils.arrays import Array

MIN_FLOAT_MARGIN = 1e-290
"""Smaller margins are subnormal floats, or close to them."""
_MAX_BITS = 1 << 13  # of the numbers of a separator
_FEW_ULPS = 2.0**-50  # relative; rounding may take so much of a margin that is proved exactly


@dataclass(frozen=True)
class SearchResult:
    """Result of the search: the statements of a certificate.

    ``sqmargin`` is the square of the maximal margin, where rows and weights determine it.
    """

    status: str
    margin: tuple[float, float]
    radius: float
    run: hulls.PerceptronRun
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


_LEAST_SHARE = 0.875
"""Smallest over largest size from which on a column moves: it gains three bits or more. Above 1/2
the difference of two numbers of one sign is exact (Sterbenz 1974)."""


def translated(data: LabelledData) -> tuple[LabelledData, Array | None]:
    """Return the rows less the floats of their first, in columns far from 0, and these floats.

    Every difference is exact. A sparse column moves only if it has no zeros, and no number that
    is 0 changes; without a column that gains, the data is returned as it is.

    Returns
    -------
    data : LabelledData
    origin : ndarray of shape (d,), float64, or None
        What was subtracted from every row; None if nothing.

    Examples
    --------
    >>> dates = np.array([[20260101.0, 1.0], [20260105.0, 0.0]])
    >>> moved, origin = translated(LabelledData(dates, np.array([-1.0, 1.0])))
    >>> moved.X.tolist(), origin.tolist()
    ([[0.0, 1.0], [4.0, 0.0]], [20260101.0, 0.0])
    """
    X = data.X
    if sp.issparse(X):
        if data.tail:  # its parts have their numbers in different places
            return data, None
        columns = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0])
        if not len(columns):
            return data, None
        part = X[:, columns].toarray()
    else:
        columns, part = np.arange(X.shape[1]), X
    lowest, highest = part.min(axis=0), part.max(axis=0)
    sizes = np.sort(np.abs([lowest, highest]), axis=0)
    far = ((lowest > 0.0) | (highest < 0.0)) & (sizes[0] >= _LEAST_SHARE * sizes[1])
    if not far.any():
        return data, None
    origin = np.zeros(X.shape[1], X.dtype)
    origin[columns[far]] = part[0, far]
    if sp.issparse(X):
        moved = X.copy()
        moved.data -= origin[moved.indices]
        moved.eliminate_zeros()
        return replace(data, X=moved), origin.astype(np.float64)
    moved, tail = X - origin, data.tail
    if tail:  # closer to 0 a float may hold what took two
        moved, rest = two_sum(moved, tail[0])
        tail = tuple(part for part in (rest, *tail[1:]) if part.any())
    return replace(data, X=moved, tail=tail), origin.astype(np.float64)


def moved_back(w: list[Fraction], b: Fraction, origin: Array) -> Fraction:
    """Return the offset, for the rows as they were, of the hyperplane w·x + b of the moved rows.

    Examples
    --------
    >>> moved_back([Fraction(1, 2)], Fraction(3), np.array([10.0]))
    Fraction(-2, 1)
    """
    used = np.flatnonzero(origin).tolist()
    return b - sum((w[j] * Fraction(float(origin[j])) for j in used), Fraction(0))


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
        w = [Fraction(value) for value in result.coef.tolist()]
        direction = as_integers(w, Fraction(result.intercept))
        if low > 0.0 and (separated := _with_margin(result, direction, low, unit)):
            return separated
        result = replace(result, margin=(0.0, result.margin[1]))
    if direction is None:
        return result
    scaled = [v * data.scale for v in direction[:-1]]
    power = data.scale.bit_length() - 1
    direction = tuple(integers.primitive([*scaled, direction[-1] << power]))
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
    intercept = _as_float(b * Fraction(2) ** power)
    if math.isinf(intercept):
        return None
    high = max(margin, result.margin[1])
    return replace(result, margin=(margin, high), intercept=intercept, direction=(*w, b))


def _up(value: float, unit: Fraction) -> float:
    """Return value / unit, rounded up."""
    return value if value in (0.0, math.inf) else -_down(-Fraction(value) / unit)


def _down(value: Fraction | float) -> float:
    """Return a float that is at most the value."""
    rounded = float(value)
    return rounded if Fraction(rounded) <= value else math.nextafter(rounded, -math.inf)


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


def as_floats(direction: tuple[int, ...]) -> tuple[Array, float]:
    """Return an integer direction as floats, divided by a power of two against overflow."""
    shift = max(0, max(map(abs, direction)).bit_length() - 900)
    floats = np.array([value / (1 << shift) for value in direction])  # rounded once
    return floats[:-1], float(floats[-1])


def float_direction(exact: Determined) -> Array:
    """Return the best w, of length 1, rounded to floats."""
    bits = 128
    length = math.isqrt(sum(value * value for value in exact.direction) << 2 * bits)
    return np.array([(value << bits) / length for value in exact.direction])


def precise_direction(exact: Determined, least: float) -> tuple[list[int], int] | None:
    """Return the best w, of length 1 and rounded to multiples of 2**-bits, and the bits.

    So many that its margin is at least ``least``; None if too many are needed.
    """
    bits, square = 64, sum(value * value for value in exact.direction)
    while bits <= _MAX_BITS:
        length = math.isqrt(square << 2 * bits)
        w = [(value << 2 * bits) // length for value in exact.direction]
        low = exact.near.least(w, bits, exact.near.offset(w, bits))
        if low > 0 and (low * 2**bits) ** 2 >= Fraction(least) ** 2 * sum(v * v for v in w):
            return w, bits
        bits *= 2
    return None


def root_below(square: Fraction) -> float:
    """Return the largest float that is at most √square; 0.0 below the floats.

    Examples
    --------
    >>> root_below(Fraction(9, 4)), root_below(Fraction(2)) ** 2 < 2
    (1.5, True)
    """
    value = _root(square)
    return value if Fraction(value) ** 2 <= square else math.nextafter(value, 0.0)


def root_above(square: Fraction) -> float:
    """Return the smallest float that is at least √square; infinity beyond the floats.

    Examples
    --------
    >>> root_above(Fraction(9, 4)), root_above(Fraction(2)) ** 2 > 2
    (1.5, True)
    """
    value = _root(square)
    return value if Fraction(value) ** 2 >= square else math.nextafter(value, math.inf)


def _root(square: Fraction) -> float:
    """Return a float that neighbours √square, the largest float at most."""
    shift = max(0, 64 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2)
    shift = min(shift, 1200)  # beyond, the root is below the smallest float
    root = Fraction(math.isqrt((square.numerator << 2 * shift) // square.denominator), 1 << shift)
    try:
        return float(root)
    except OverflowError:
        return math.nextafter(math.inf, 0.0)
