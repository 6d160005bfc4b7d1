"""Numbers rounded in a direction: never the wrong side, and exact where they say so."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.utils.directed import Enclosure, over_root, root, times_power, to_float

fractions = st.one_of(
    st.fractions(),
    st.builds(
        lambda a, p: Fraction(a) * Fraction(10) ** p,
        st.integers(-(10**7), 10**7),
        st.integers(-700, 700),
    ),
)


@given(fractions, st.integers(1, 8))
def test_digits_are_on_the_right_side_and_tight(value, digits):
    number = Enclosure.of(value)
    down, up = Fraction(number.digits_down(digits)), Fraction(number.digits_up(digits))
    assert down <= value <= up
    assert up - down <= abs(value) * Fraction(1, 10 ** (digits - 1)) * 2
    assert (down == value) == (up == value) == number.is_shown(digits)
    assert number.at_least(digits).startswith("= " if down == value else "≥ ")
    assert number.at_most(digits).startswith("= " if down == value else "≤ ")


@pytest.mark.parametrize(
    ("value", "down", "up"),
    [
        (Fraction(1, 2), "0.5", "0.5"),
        (Fraction(2, 3), "0.66666", "0.66667"),
        (Fraction(-2, 3), "-0.66667", "-0.66666"),
        (Fraction(99999999), "9.9999e+07", "1.0000e+08"),
        (Fraction(707101, 10**6), "0.70710", "0.70711"),  # all digits, since it is rounded
        (Fraction(12345678, 1000), "12345", "12346"),
        (Fraction(10) ** 400, "1e+400", "1e+400"),
        (Fraction(1, 3 * 10**400), "3.3333e-401", "3.3334e-401"),
        (Fraction(0), "0", "0"),
    ],
)
def test_texts(value, down, up):
    assert (Enclosure.of(value).digits_down(5), Enclosure.of(value).digits_up(5)) == (down, up)


@given(fractions, fractions.filter(bool))
def test_a_root_is_enclosed_and_exact_where_it_is_a_fraction(value, number):
    square = abs(number)
    ends = over_root(Enclosure.of(value), Enclosure.of(square))
    target = value * abs(value) / square
    assert ends.low * abs(ends.low) <= target <= ends.high * abs(ends.high)
    assert ends.high - ends.low <= abs(ends.high) * Fraction(1, 2**150)
    assert over_root(Enclosure.of(value), Enclosure.of(number**2)) == Enclosure.of(value / square)
    assert root(Enclosure.of(number**2)) == Enclosure.of(square)


@given(st.integers(-(2**2000), 2**2000), st.integers(-600, 600), fractions.filter(bool))
def test_long_numbers_are_enclosed(value, power, other):
    exact = times_power(value, power)
    for ends in (Enclosure.scaled(value, power), Enclosure.rounded(exact)):
        assert ends.low <= exact <= ends.high
        assert ends.high - ends.low <= abs(exact) * Fraction(1, 2**500)
    ends = Enclosure.scaled(value, power)
    for name, combined in (
        ("plus", exact + other),
        ("by", exact * abs(other)),
        ("over", exact / abs(other)),
    ):
        number = Enclosure.of(other if name == "plus" else abs(other))
        low, high = getattr(ends, name)(number)
        assert low <= combined <= high
    low, high = ends.times(other)
    assert low <= exact * other <= high


def test_floats():
    assert Enclosure.of(Fraction(1, 3)).nearest() == 1 / 3
    assert to_float(Fraction(10) ** 400) == -to_float(-(Fraction(10) ** 400)) == float("inf")
    assert to_float(Fraction(1, 10**400)) == 0.0
