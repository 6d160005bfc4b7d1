"""Decimals of which the float does not tell the text, read digit by digit."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt._core.text import tells_written
from rosenblatt.engine.text import delimited, svmlight
from rosenblatt.utils.long_numbers import split_decimal, tells

decimals = st.from_regex(
    r"[+-]?([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})(e[+-]?[0-9]{1,2})?", fullmatch=True
)


def exact(digits, power):
    return int(digits) * Fraction(10) ** int(power)


@given(st.lists(decimals, min_size=1, max_size=4))
def test_digits_are_those_of_the_text(tokens):
    expected = [None if tells(t, float(t)) else Fraction(t) for t in tokens]
    header = [f"x{j}" for j in range(len(tokens))]
    layout = delimited.make_layout(header, header, [], None)._replace(written=True)
    long = delimited.parse(",".join(tokens).encode(), layout).long
    assert values(long, len(tokens)) == expected
    text = "1 " + " ".join(f"{j}:{token}" for j, token in reversed([*enumerate(tokens)]))
    long = svmlight.parse(text.encode(), written=True).long
    assert values(long, len(tokens)) == expected


def values(long, count):
    found = [None] * count
    for row, column, digits, power in zip(*(array.tolist() for array in long), strict=True):
        assert row == 0
        found[column] = exact(digits, power)
    return found


@pytest.mark.parametrize("token", ["1e-320", "1e-400", "-3.0e-310", "0.10000000000000001"])
def test_small_and_long_numbers_are_not_told(token):
    assert not tells(token, float(token))
    text = np.frombuffer(f"{token}\n".encode(), np.uint8)
    assert not tells_written(text, 0, len(token), float(token))
    assert exact(*split_decimal(token)) == Fraction(token)


@pytest.mark.parametrize("digits", ["1", "1234567890123456789"])
def test_powers_beyond_64_bits_are_cut(digits):
    long = svmlight.parse(f"1 2:{digits}e-99999999999999999999".encode(), written=True).long
    assert long.digits.tolist() == [int(digits)]
    assert long.powers.tolist() == [-9 * 10**17]


def test_nothing_is_returned_unasked():
    assert not svmlight.parse(b"1 1:0.10000000000000001\n").long
