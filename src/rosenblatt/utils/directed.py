"""Exact numbers, and roots of them, rounded to a few digits in a stated direction."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

ROOT_BITS = 160
"""A root that is no fraction is enclosed to 2**-160 of itself: finer than any digit shown."""
MOST_BITS = 512
"""Longer integers are enclosed in their first 512 bits, so that work on them stays cheap."""


class Enclosure(NamedTuple):
    """A real number between two fractions, which are equal if the number is one.

    Examples
    --------
    >>> two = Enclosure.of(2)
    >>> two
    Enclosure(low=Fraction(2, 1), high=Fraction(2, 1))
    >>> two.at_least(), root(two).at_least(), root(two).at_most(3)
    ('= 2', '≥ 1.41421', '≤ 1.42')
    """

    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, value: Fraction | int | float) -> Enclosure:
        """Return the enclosure of one exact number."""
        exact = Fraction(value)
        return cls(exact, exact)

    @classmethod
    def scaled(cls, value: int, power: int) -> Enclosure:
        """Return the enclosure of an integer of any length, times 2**power."""
        spare = value.bit_length() - MOST_BITS
        if spare <= 0:
            return cls.of(times_power(value, power))
        top = value >> spare
        return cls(times_power(top, power + spare), times_power(top + 1, power + spare))

    @classmethod
    def rounded(cls, value: Fraction) -> Enclosure:
        """Return the enclosure of a fraction of any length."""
        top, bottom = cls.scaled(value.numerator, 0), cls.scaled(value.denominator, 0)
        return top.over(bottom)

    def plus(self, other: Enclosure) -> Enclosure:
        """Return the sum."""
        return Enclosure(self.low + other.low, self.high + other.high)

    def times(self, factor: Fraction) -> Enclosure:
        """Return the product with an exact number."""
        low, high = self.low * factor, self.high * factor
        return Enclosure(low, high) if factor >= 0 else Enclosure(high, low)

    def by(self, other: Enclosure) -> Enclosure:
        """Return the product with a number >= 0."""
        ends = [a * b for a in self for b in other]
        return Enclosure(min(ends), max(ends))

    def over(self, other: Enclosure) -> Enclosure:
        """Return the quotient by a number > 0."""
        return self.by(Enclosure(1 / other.high, 1 / other.low))

    def nearest(self) -> float:
        """Return the nearest float; infinity beyond the largest."""
        return to_float((self.low + self.high) / 2)

    def digits_down(self, digits: int) -> str:
        """Return the number with so many digits, rounded down; with fewer, if they are exact."""
        return _digits(self.low, digits, up=False)

    def digits_up(self, digits: int) -> str:
        """Return the number with so many digits, rounded up; with fewer, if they are exact."""
        return _digits(self.high, digits, up=True)

    def is_shown(self, digits: int) -> bool:
        """Return True if so many digits are the number itself."""
        return self.low == self.high and _rounded(self.low, digits, up=False)[2]

    def at_least(self, digits: int = 6) -> str:
        """Return "= 2", or "≥ 1.41421" where the digits are rounded down."""
        return f"{'=' if self.is_shown(digits) else '≥'} {self.digits_down(digits)}"

    def at_most(self, digits: int = 6) -> str:
        """Return "= 2", or "≤ 1.41422" where the digits are rounded up."""
        return f"{'=' if self.is_shown(digits) else '≤'} {self.digits_up(digits)}"


def over_root(value: Enclosure, square: Enclosure) -> Enclosure:
    """Return value/√square for a square > 0: exactly, where that is a fraction.

    Examples
    --------
    >>> over_root(Enclosure.of(3), Enclosure.of(4))
    Enclosure(low=Fraction(3, 2), high=Fraction(3, 2))
    """
    low = _over_root(value.low, square.high if value.low >= 0 else square.low)
    if value.low == value.high and square.low == square.high:
        return low
    high = _over_root(value.high, square.low if value.high >= 0 else square.high)
    return Enclosure(low.low, high.high)


def root(square: Enclosure) -> Enclosure:
    """Return √square, for a square >= 0."""
    return over_root(square, square) if square.low > 0 else Enclosure.of(0)


def _over_root(value: Fraction, square: Fraction) -> Enclosure:
    ratio = value * value / square
    a, b = ratio.numerator, ratio.denominator
    top, bottom = math.isqrt(a), math.isqrt(b)
    if top * top == a and bottom * bottom == b:
        root = Enclosure.of(Fraction(top, bottom))
    else:
        shift = max(0, 2 * ROOT_BITS + b.bit_length() - a.bit_length())
        shift += shift % 2
        lower = math.isqrt((a << shift) // b)  # ⌊√⌊z⌋⌋ = ⌊√z⌋
        root = Enclosure(Fraction(lower, 1 << shift // 2), Fraction(lower + 1, 1 << shift // 2))
    return root if value >= 0 else root.times(Fraction(-1))


def times_power(value: int, power: int) -> Fraction:
    """Return value · 2**power."""
    return Fraction(value << power) if power >= 0 else Fraction(value, 1 << -power)


def to_float(value: Fraction) -> float:
    """Return the nearest float; infinity beyond the largest."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _rounded(value: Fraction, digits: int, *, up: bool) -> tuple[int, int, bool]:
    """Return an integer of so many digits, a power of ten, and whether their product is value."""
    if value == 0:
        return 0, 0, True
    size = abs(value)
    bits = size.numerator.bit_length() - size.denominator.bit_length()
    power = math.floor(bits * math.log10(2.0)) - digits  # one or two too small
    while size >= _ten_to(power + digits):
        power += 1
    scaled = value / _ten_to(power)
    integer = math.floor(scaled)
    if up and integer != scaled:
        integer += 1
    return integer, power, integer == scaled


def _ten_to(power: int) -> Fraction:
    return Fraction(10**power) if power >= 0 else Fraction(1, 10**-power)


def _digits(value: Fraction, digits: int, *, up: bool) -> str:
    """Format as ``f"{value:.{digits}g}"`` does; what is rounded keeps all digits, zeros as well."""
    integer, power, is_exact = _rounded(value, digits, up=up)
    exponent = power + len(str(abs(integer))) - 1
    kind = f".{digits}g" if is_exact else f"#.{digits}g"
    if -300 < exponent < 300:
        return f"{float(f'{integer}e{power}') + 0.0:{kind}}".removesuffix(".")
    mantissa = float(f"{integer}e{power - exponent}")
    return f"{mantissa:{kind}}e{exponent:+03d}"
