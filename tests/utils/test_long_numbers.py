"""Decimals of any length, split into digits and a power of ten."""

import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.utils.long_numbers import MOST_SPLIT, split_decimal

numbers = st.builds(
    "{}{}.{}e{}".format,
    st.sampled_from(["", "-", "+"]),
    st.text("0123456789", min_size=1, max_size=40),
    st.text("0123456789", max_size=40),
    st.integers(-500, 500),
)


@given(numbers)
def test_digits_and_power_are_the_number(text):
    digits, power = split_decimal(text)
    assert digits * Fraction(10) ** power == Fraction(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0." + "0" * 5000 + "1", (1, -5001)),
        ("-1." + "0" * 5000, (-1, 0)),
        ("0" * 5000 + "7", (7, 0)),
        ("0e-" + "9" * 5000, (0, 0)),
        ("1e-" + "0" * 5000 + "3", (1, -3)),
        ("1." + "0" * 1500 + "e2", (1, 2)),
    ],
)
def test_zeros_count_no_digits(text, expected):
    assert split_decimal(text) == expected


@pytest.mark.parametrize("digits", ["3" * 5000, "1" + "0" * 4998 + "5", "1" + "0" * 1300 + "25"])
def test_a_number_of_too_many_digits_keeps_a_denominator_that_nothing_cancels(digits):
    value, power = split_decimal(f"{digits[0]}.{digits[1:]}")
    assert str(value) == digits[: MOST_SPLIT - 1] + "1"
    assert power == 1 - MOST_SPLIT


def test_an_exponent_of_any_length_is_out_of_range():
    started = time.perf_counter()
    digits, power = split_decimal("-25e-" + "9" * 5000)
    assert (digits, power) == (-25, -(10**18))
    assert time.perf_counter() - started < 1.0
