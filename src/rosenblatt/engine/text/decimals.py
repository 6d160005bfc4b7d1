"""Decimal numbers in text, parsed to the nearest float64, as Python's ``float`` does.

Eight digits are read at a time: they are the bytes of one 64-bit word, which three multiplications
turn into a number. The float64 nearest to w · 10^q, mantissa times power of ten, then follows from
one product of 64 and 128 bits. Both methods are Lemire's (2021, "Number parsing at a gigabyte per
second"); Mushtak and Lemire (2023, "Fast number parsing without fallback") prove that 128 bits of
the power of five always suffice.

Integers are the signed 64 bits of compiled code, masked where Python's unbounded integers would
differ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import (
    at,
    float_from_bits,
    leading_zeros,
    load_int64,
    multiply_high,
    trailing_zeros,
)
from rosenblatt.engine.jit import called, inlined

Bytes = NDArray[np.uint8]

_PLUS, _MINUS, _POINT, _ZERO, _NINE, _CAPITAL_E, _E = (ord(c) for c in "+-.09Ee")

# --- digits --------------------------------------------------------------------------------------

_ZERO_BYTES = 0x3030303030303030
_TO_HIGH = 0x4646464646464646  # 0x80 less what comes after "9"
_HIGH_BITS = -0x7F7F7F7F7F7F7F80
_WORD = 8  # bytes
_TENS = np.array([10**n for n in range(_WORD + 1)])
_MAX_INT = 9 * 10**17  # a digit more still fits 64 bits


@inlined
def word_at(text: Bytes, i: int) -> int:
    r"""Return the eight bytes from i on, the first lowest; bytes past the end are zero.

    Examples
    --------
    >>> hex(word_at(np.frombuffer(b"0123456789\n", np.uint8), 9))
    '0xa39'
    """
    return load_int64(text, i) if i + _WORD <= len(text) else _last_word(text, i)


@called
def _last_word(text: Bytes, i: int) -> int:
    """Return the bytes from i on, the first lowest, for fewer than eight."""
    word = 0
    for k in range(len(text) - 1, i - 1, -1):
        word = word << 8 | int(at(text, k))
    return word


@inlined
def _count_digits(word: int) -> int:
    """Return the number of digits at the start of the word, 0 to 8.

    The sum has the high bit of each byte above "9", the difference that of each byte below "0".
    Carries reach only bytes after the first that is no digit.
    """
    others = (word + _TO_HIGH | word - _ZERO_BYTES) & _HIGH_BITS
    return trailing_zeros(others) >> 3


@inlined
def _parse_digits(word: int, digits: int) -> int:
    """Return the number of the first digits of the word."""
    half = 4 * (_WORD - digits)
    ones = (word ^ _ZERO_BYTES) << half << half  # in two steps: a shift by all 64 bits is undefined
    pairs = 10 * ones + (ones >> 8)
    first, second = pairs & 0xFF000000FF, pairs >> 16 & 0xFF000000FF
    # The upper halves of the products are 10⁶ p₀ + 10² p₂ and 10⁴ p₁ + p₃ of the pairs p.
    return first * (100 + (10**6 << 32)) + second * (1 + (10**4 << 32)) >> 32 & 0xFFFFFFFF


@inlined
def _parse_more_digits(text: Bytes, i: int, number: int) -> tuple[int, int]:
    """Return the end of the digits at i, and ``number`` continued by them, modulo 2⁶⁴."""
    word = word_at(text, i)
    digits = _count_digits(word)
    while digits == _WORD:
        number = int(_TENS[_WORD]) * number + _parse_digits(word, _WORD)
        i += _WORD
        word = word_at(text, i)
        digits = _count_digits(word)
    return i + digits, int(_TENS[digits]) * number + _parse_digits(word, digits)


@inlined
def parse_int(text: Bytes, begin: int) -> tuple[int, int]:
    r"""Return the end of the integer at ``begin``, and the integer, at most 9 · 10¹⁷.

    The end is ``begin`` if there is none.

    Parameters
    ----------
    text : uint8 array
        Its last byte is not a digit.
    begin : int

    Examples
    --------
    >>> parse_int(np.frombuffer(b"8 4096:1\n", np.uint8), 2)
    (6, 4096)
    """
    word = word_at(text, begin)
    digits = _count_digits(word)
    i, number = begin + digits, _parse_digits(word, digits)
    if digits == _WORD:
        while _ZERO <= at(text, i) <= _NINE:
            number = min(10 * number + (int(at(text, i)) - _ZERO), _MAX_INT)
            i += 1
    return i, number


# --- from mantissa and power of ten to the nearest float64 ---------------------------------------

_MIN_POWER, _MAX_POWER = -342, 308  # below, w · 10^q rounds to 0; above, to infinity


def _power_of_five(q: int) -> int:
    """Return the 128 leading bits of 5^q, rounded up for −27 ≤ q < 0: w · 5^q can be an integer."""
    if q >= 0:
        power: int = 5**q
        return power << 128 >> power.bit_length()
    inverse: int = 5**-q
    return (1 << inverse.bit_length() + 127) // inverse + (q >= -27)


_POWERS_OF_FIVE = np.array(
    [divmod(_power_of_five(q), 1 << 64) for q in range(_MIN_POWER, _MAX_POWER + 1)], np.uint64
)


@called
def nearest_float(w: int, q: int) -> float:
    """Return the float64 nearest to w · 10^q, ties to even; infinite if it is too large.

    Parameters
    ----------
    w : int
        0 ≤ w < 2⁶⁴; in compiled code an int64 of the same bits.
    q : int

    Examples
    --------
    >>> nearest_float(1, -1), nearest_float(2**53 + 1, 0)
    (0.1, 9007199254740992.0)
    >>> nearest_float(5, -324), nearest_float(2, 308)
    (5e-324, inf)
    """
    if w == 0 or q < _MIN_POWER:
        return 0.0
    if q > _MAX_POWER:
        return np.inf
    zeros = leading_zeros(w)
    five = _POWERS_OF_FIVE[q - _MIN_POWER]
    high, low = multiply_high(w << zeros, five[0], five[1])
    carry = high >> 63 & 1
    dropped = 9 + carry
    m = high >> dropped & (1 << 54) - 1  # the 53 bits of a float64, and one that rounds
    if m & 3 == 1 and low == 0 and -4 <= q <= 23 and high & (1 << dropped) - 1 == 0:
        m -= 1  # a tie, which only these powers allow, after an even number
    exponent = (217706 * q >> 16) + carry - zeros + 1086  # 217706 / 2¹⁶ = log₂ 10
    if exponent > 2046:
        return np.inf
    m >>= min(max(1 - exponent, 0), 63)  # subnormal numbers have fewer bits
    # A mantissa that rounds up to 2⁵³ carries into the exponent, as intended.
    return float_from_bits((m + 1 >> 1) + (max(exponent - 1, 0) << 52))


# --- decimals ------------------------------------------------------------------------------------

_MAX_DIGITS = 19  # they fit 64 bits
_EXACT_DIGITS, _EXACT_POWER = 15, 22  # 10¹⁵ and 10²² are float64 numbers
_POWERS = np.array([float(10**k) for k in range(_EXACT_POWER + 1)])


class Decimal(NamedTuple):
    """A decimal number in the text.

    Parameters
    ----------
    stop : int
        The position after it; its first position if it is malformed.
    value : float
        The nearest float64, if ``exact``.
    exact : bool
        False if more than 19 digits leave the value undecided, or it is infinite.

    Examples
    --------
    >>> Decimal(stop=3, value=0.5, exact=True).value
    0.5
    """

    stop: int
    value: float
    exact: bool


@inlined
def parse_decimal(text: Bytes, begin: int) -> Decimal:
    r"""Parse the decimal at ``begin``: digits with an optional sign, point and power of ten.

    Up to 15 digits w with a power of ten −22 ≤ q ≤ 0 need one correctly rounded operation,
    w / 10^|q| (Clinger 1990, "How to read floating point numbers accurately", the fast path), up
    to 19 digits :func:`nearest_float`. More are cut after the 19th: if w and w + 1 have the same
    nearest float64, so has every number between them.

    Parameters
    ----------
    text : uint8 array
        Its last byte belongs to no decimal.
    begin : int

    Examples
    --------
    >>> parse_decimal(np.frombuffer(b"-12.5e-1 \n", np.uint8), 0)
    Decimal(stop=8, value=-1.25, exact=True)
    """
    sign = at(text, begin)
    first = begin + 1 if sign in (_MINUS, _PLUS) else begin
    if _ZERO <= at(text, first) <= _NINE and not _ZERO <= at(text, first + 1) <= _NINE:
        i, mantissa = first + 1, int(at(text, first)) - _ZERO  # one digit is the most common case
    else:
        i, mantissa = _parse_more_digits(text, first, 0)
    digits, power = i - first, 0
    if at(text, i) == _POINT:
        fraction = i + 1
        i, mantissa = _parse_more_digits(text, fraction, mantissa)
        power = fraction - i
        digits -= power
    if digits == 0:
        return Decimal(begin, 0.0, False)
    last = i
    if at(text, i) == _E or at(text, i) == _CAPITAL_E:
        negative = at(text, i + 1) == _MINUS
        start = i + 2 if negative or at(text, i + 1) == _PLUS else i + 1
        i, exponent = parse_int(text, start)
        if i == start:
            return Decimal(begin, 0.0, False)
        power += -exponent if negative else exponent
    if digits > _MAX_DIGITS:
        digits -= _count_leading_zeros(text, first)
    if digits <= _EXACT_DIGITS and -_EXACT_POWER <= power <= 0:
        value, exact = mantissa / float(_POWERS[-power]), True
    elif digits <= _MAX_DIGITS:
        value, exact = nearest_float(mantissa, power), True
    else:
        value, exact = _parse_truncated(text, first, last, power)
    return Decimal(i, -value if sign == _MINUS else value, exact and value < np.inf)


@called
def _count_leading_zeros(text: Bytes, i: int) -> int:
    """Return the number of leading zeros of the digits at i."""
    zeros = 0
    while at(text, i) == _ZERO or at(text, i) == _POINT:
        zeros += at(text, i) == _ZERO
        i += 1
    return zeros


@called
def _parse_truncated(text: Bytes, first: int, last: int, power: int) -> tuple[float, bool]:
    """Return the value of the first 19 significant digits, and whether all digits have it.

    ``power`` is that of the last digit.
    """
    mantissa = digits = 0
    for i in range(first, last):
        if at(text, i) != _POINT and (digits or at(text, i) != _ZERO):
            if digits < _MAX_DIGITS:
                mantissa = 10 * mantissa + (int(at(text, i)) - _ZERO)
            digits += 1
    power += digits - _MAX_DIGITS
    value = nearest_float(mantissa, power)
    return value, value == nearest_float(mantissa + 1, power)
