"""Rows of exact numbers: floats as they are, and decimals and fractions as sums of floats.

A rational x is held as a multiple of itself: the x of one matrix are whole numbers over a common
denominator s, and s x / 2^p, p = ⌊log₂ s⌋, is a number of base 2 of about the size of x. It is one
float where 53 bits suffice, else the sum of several, the largest first, each the rounded rest of
those before. So matrices of floats hold any numbers exactly, and s is the same for all of them:
the geometry of the rows does not change.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from rosenblatt.utils.arrays import Array, Matrix
from rosenblatt.utils.long_numbers import MOST_DIGITS, NONE, LongNumbers

NUMBERS = ("binary64", "decimal", "rational")
"""What the numbers of a proof are: all float64; else all with finitely many decimals; or not."""

MAX_EXPONENT = 1000
"""Numbers and the common denominator are below 2^1000."""

_SHORT = 10.0**MOST_DIGITS  # decimals of up to 15 digits differ where their nearest float64 do
_MAX_POWER = 22  # 10**22 is the largest power of ten that is a float64
_MAX_BITS = 104  # of numbers that are split without Python's integers: two floats have 106
_SAMPLE = 1000  # numbers whose decimals tell those of all, in most cases
_HALF = 30  # bits of half a number of 18 digits


@dataclass(frozen=True, eq=False)
class ExactRows:
    """Rows x = (X + Σ tail) / unit, exactly, unit = scale / 2^⌊log₂ scale⌋, 1 ≤ unit < 2.

    Attributes
    ----------
    X : ndarray (C-ordered) or csr_array (canonical, no zeros stored), float32 or float64, (n, d)
    tail : tuple of matrices like X
        Empty where 53 bits suffice for each number.
    scale : int
        The least common denominator of all numbers; 1 where all are sums of floats of base 2.
    """

    X: Matrix
    tail: tuple[Matrix, ...] = ()
    scale: int = 1

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""
        return self.X.shape  # type: ignore[no-any-return]

    @property
    def numbers(self) -> str:
        """What the numbers are: one of ``NUMBERS``."""
        if self.scale == 1 and not self.tail:
            return NUMBERS[0]
        rest = self.scale
        while rest % 5 == 0:
            rest //= 5
        return NUMBERS[1] if rest & (rest - 1) == 0 else NUMBERS[2]

    @property
    def floats(self) -> Matrix:
        """The rows in floats, rounded where they are not floats."""
        unit = math.ldexp(float(self.scale), 1 - self.scale.bit_length())
        return self.X if unit == 1.0 else _with_values(self.X, _values(self.X) / unit)

    def fractions(self) -> list[list[Fraction]]:
        """Return the numbers of few rows."""
        unit = Fraction(self.scale, 1 << self.scale.bit_length() - 1)
        dense = [part.toarray() if sp.issparse(part) else part for part in (self.X, *self.tail)]
        parts = [np.vectorize(Fraction, [object])(part) for part in dense]
        numbers: list[list[Fraction]] = (np.add.reduce(parts) / unit).tolist()
        return numbers


def _values(X: Matrix) -> Array:
    """Return the numbers of a matrix, of a sparse one those that are stored."""
    values: Array = X.data if sp.issparse(X) else X.reshape(-1)
    return values


def _with_values(X: Matrix, values: Array) -> Matrix:
    """Return a matrix like X with other numbers, of a sparse one without the zeros."""
    if not sp.issparse(X):
        return np.ascontiguousarray(values.reshape(X.shape))
    matrix = sp.csr_array((values, X.indices, X.indptr), X.shape)
    if not values.all():
        matrix = matrix.copy()
        matrix.eliminate_zeros()
    return matrix


# --- from fractions and decimals -----------------------------------------------------------------


def rows_of_ratios(X: Matrix, numerators: Sequence[int], denominators: Sequence[int]) -> ExactRows:
    """Return the rows with these numbers, row by row; X has the shape or the places in sparse rows.

    Raises
    ------
    ValueError
        A number, or the common denominator, is 2^1000 or more.

    Examples
    --------
    >>> rows = rows_of_ratios(np.zeros((1, 2)), [1, 1], [3, 2])
    >>> rows.X.tolist(), rows.scale, rows.numbers
    ([[0.5, 0.75]], 6, 'rational')
    """
    scale = _common_denominator(denominators)
    values = [n * (scale // d) for n, d in zip(numerators, denominators, strict=True)]
    return _assembled(X, _split(values, scale.bit_length() - 1), scale)


def _common_denominator(denominators: Iterable[int]) -> int:
    scale = 1
    for denominator in set(denominators):
        scale = math.lcm(scale, denominator)
        if scale.bit_length() > MAX_EXPONENT:
            raise ValueError(
                f"X holds numbers whose common denominator has more than {MAX_EXPONENT} bits: "
                "use other units, or floats."
            )
    return scale


def _assembled(X: Matrix, parts: list[Array], scale: int) -> ExactRows:
    """Return the rows whose numbers are the sums of the parts."""
    if scale & (scale - 1) == 0:
        scale = 1
    head, *tail = parts
    return ExactRows(
        _with_values(X, head), tuple(_with_values(X, part) for part in tail if part.any()), scale
    )


def _split(values: list[int], power: int) -> list[Array]:
    """Return integers, divided by 2**power, as sums of floats.

    Examples
    --------
    >>> [part.tolist() for part in _split([2**60 + 1, 3], 0)]
    [[1.152921504606847e+18, 3.0], [1.0, 0.0]]
    """
    if max((value.bit_length() for value in values), default=0) - power > MAX_EXPONENT:
        raise ValueError(f"X holds a number of 2^{MAX_EXPONENT} or more: use other units.")
    parts: list[Array] = []
    while any(values) or not parts:
        part = [float(Fraction(value, 1 << power)) if value else 0.0 for value in values]
        values = [
            value - _numerator(f, power) if value else 0
            for value, f in zip(values, part, strict=True)
        ]
        parts.append(np.array(part))
    return parts


def _numerator(value: float, power: int) -> int:
    """Return value · 2**power, an integer."""
    numerator, denominator = value.as_integer_ratio()
    return (numerator << power) // denominator


def ratio(value: object) -> tuple[int, int] | None:
    """Return the numerator and the denominator of a finite number; None for anything else.

    Examples
    --------
    >>> ratio(Decimal("0.10")), ratio(0.5), ratio(True), ratio("1")
    ((1, 10), (1, 2), (1, 1), None)
    """
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, int):
        return int(value), 1
    if isinstance(value, Fraction):
        return value.numerator, value.denominator
    if isinstance(value, float):
        return value.as_integer_ratio() if math.isfinite(value) else None
    if isinstance(value, Decimal) and value.is_finite():
        if value and abs(value.adjusted()) + len(value.as_tuple().digits) > MAX_EXPONENT:
            raise ValueError(f"X holds {value:.3e}, with too many digits: use other units.")
        return value.as_integer_ratio()
    return None


# --- from the floats that text was read as -------------------------------------------------------


def decimal_rows(X: Matrix, long: LongNumbers = NONE) -> ExactRows:
    """Return the decimals that were read as the floats X.

    Parameters
    ----------
    X : ndarray or csr_array, float64 or float32
        A float of a text of at most 15 digits tells this text: it is the shortest decimal of which
        the float is the nearest. Any other float stands for its shortest decimal, too.
    long : LongNumbers
        What other texts are.

    Raises
    ------
    ValueError
        A number is out of range, or the common denominator is 2^1000 or more.

    Examples
    --------
    >>> rows = decimal_rows(np.array([[0.1, 0.25]]))
    >>> rows.scale, [Fraction(x) / Fraction(20, 16) for x in rows.X[0].tolist()]
    (20, [Fraction(1, 10), Fraction(1, 4)])
    """
    if (np.abs(long.powers[long.digits != 0]) > MAX_EXPONENT).any():
        raise ValueError("X holds a number that is out of range: use other units.")
    X, places = _with_places(X, long) if long else (X, np.zeros(0, np.int64))
    values = _values(X)
    mantissas, powers = _short_decimals(values, places)
    others: dict[int, Fraction] = {}
    if long.digits.dtype == np.int64:
        mantissas[places], powers[places] = long.digits, -long.powers
    else:
        triples = zip(places.tolist(), long.digits.tolist(), long.powers.tolist(), strict=True)
        others = {position: m * Fraction(10) ** (q if m else 0) for position, m, q in triples}
    unknown = np.flatnonzero(powers == _UNKNOWN)
    unknown = unknown[~np.isin(unknown, places)]
    distinct, which = np.unique(values[unknown], return_inverse=True)
    shortest = [Fraction(str(value)) for value in distinct]
    others |= {
        position: shortest[k] for position, k in zip(unknown.tolist(), which.tolist(), strict=True)
    }
    return _sum_of_parts(X, mantissas, powers, others)


_UNKNOWN = 10_000  # in place of a power


def _short_decimals(values: Array, skipped: Array) -> tuple[Array, Array]:
    """Return integers m and k with m / 10**k the decimal of at most 15 digits of each float.

    m / 10**k, of two exact floats, is rounded once, so that equality proves that the float is the
    nearest to this decimal.
    """
    mantissas = np.zeros(len(values), np.int64)
    powers = np.full(len(values), _UNKNOWN)
    is_left = np.abs(values) <= _SHORT
    is_left[skipped] = False
    left = np.flatnonzero(is_left)
    guess = []
    if len(left) > _SAMPLE:  # all have the decimals of the first ones, in most cases
        _, sample = _short_decimals(values[left[:_SAMPLE]], np.zeros(0, np.int64))
        guess = [int(sample[sample != _UNKNOWN].max(initial=0))]
    for k in (*guess, *range(_MAX_POWER + 1)):
        if not len(left):
            break
        chosen = values if len(left) == len(values) else values[left]
        rounded = np.rint(chosen.astype(np.float64) * 10.0**k)
        back = (rounded / 10.0**k).astype(values.dtype, copy=False)
        matches = (back == chosen) & (np.abs(rounded) <= _SHORT)
        if len(left) == len(values) and matches.all():
            return rounded.astype(np.int64), np.full(len(values), k)
        at = left[matches]
        mantissas[at], powers[at] = rounded[matches], k
        left = left[~matches]
    return mantissas, powers


def _sum_of_parts(
    X: Matrix, mantissas: Array, powers: Array, others: dict[int, Fraction]
) -> ExactRows:
    """Return the rows of the numbers m / 10**k, and of others by place."""
    resolved = powers != _UNKNOWN
    if int(np.abs(powers[resolved]).max(initial=0)) > MAX_EXPONENT:
        raise ValueError("X holds a number that is out of range: use other units.")
    moved = powers[resolved & (mantissas != 0)]  # a zero needs no unit
    kinds = np.flatnonzero(np.bincount(moved + MAX_EXPONENT)) - MAX_EXPONENT
    groups: list[tuple[int, Array | slice]] = [
        (k, slice(None) if len(kinds) == 1 and resolved.all() else np.flatnonzero(powers == k))
        for k in kinds.tolist()
    ]
    denominators = [value.denominator for value in others.values()]
    for k, at in groups:
        if k > 0:
            divisor = math.gcd(10**k, int(np.gcd.reduce(mantissas[at])))
            denominators.append(10**k // divisor)
    scale = _common_denominator(denominators)
    power = scale.bit_length() - 1
    parts = [np.zeros(len(powers)), np.zeros(len(powers))]
    exact: dict[int, int] = {i: int(value * scale) for i, value in others.items()}
    for k, at in groups:
        times = Fraction(scale) / Fraction(10) ** k
        m = mantissas[at] // times.denominator
        odd = times.numerator >> (times.numerator & -times.numerator).bit_length() - 1
        most = int(np.abs(m).max(initial=0))
        if odd.bit_length() > 53 or (most * times.numerator).bit_length() > _MAX_BITS:
            exact |= {
                i: value * times.numerator
                for i, value in zip(np.arange(len(powers))[at].tolist(), m.tolist(), strict=True)
            }
        else:
            factor = float(Fraction(times.numerator, 1 << power))
            if (most * times.numerator).bit_length() <= 53:
                parts[0][at] = m * factor
                continue
            parts[0][at], parts[1][at] = _product(m, most, factor)
    if exact:
        at = np.array(list(exact), np.int64)
        for k, part in enumerate(_split(list(exact.values()), power)):
            if k == len(parts):
                parts.append(np.zeros(len(powers)))
            parts[k][at] = part
    return _assembled(X, parts, scale)


def _product(m: Array, most: int, factor: float) -> tuple[Array, Array]:
    """Return m · factor as a rounded number and its rest, exactly, for |m| < 2**60.

    Both halves of m have products of less than 107 bits, each two floats (Dekker 1971); their sum
    is the rounded sum and a rest of less than 53 bits (Knuth, TAOCP 2, 4.2.2).
    """
    if most < 2**53:
        return _two_product(m.astype(np.float64), factor)
    low = m & (1 << _HALF) - 1
    high, high_rest = _two_product((m - low).astype(np.float64), factor)
    less, less_rest = _two_product(low.astype(np.float64), factor)
    total, rest = two_sum(high, less)
    return two_sum(total, (rest + high_rest) + less_rest)


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the rounded sum and its error, exactly (Knuth, TAOCP 2, 4.2.2)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _two_product(a: Array, b: float) -> tuple[Array, Array]:
    product = a * b
    a_high, b_high = _leading(a), float(_leading(np.array(b)))
    a_low, b_low = a - a_high, b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _leading(a: Array) -> Array:
    """Return the leading 26 bits (Veltkamp)."""
    scaled = a * 134217729.0  # 2**27 + 1
    return np.asarray(scaled - (scaled - a))


def _with_places(X: Matrix, long: LongNumbers) -> tuple[Matrix, Array]:
    """Return X with an entry for each long number, and the places of these among its numbers."""
    n, d = X.shape
    if not sp.issparse(X):
        return X, long.rows * d + long.columns
    marks = sp.csr_array((np.ones(len(long.rows)), (long.rows, long.columns)), (n, d))
    kept = sp.csr_array((np.ones(X.nnz), X.indices, X.indptr), (n, d))
    wide = sp.csr_array(kept + marks)
    wide.sort_indices()
    row = np.repeat(np.arange(n), np.diff(wide.indptr))
    keys = row * np.int64(d) + wide.indices
    old = np.repeat(np.arange(n), np.diff(X.indptr)) * np.int64(d) + X.indices
    data = np.zeros(wide.nnz, X.dtype)
    data[np.searchsorted(keys, old)] = X.data
    places = np.searchsorted(keys, long.rows * np.int64(d) + long.columns)
    return sp.csr_array((data, wide.indices, wide.indptr), (n, d)), places
