"""Exact sums, products and signs agree with fractions, for any floats."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from certificates import NONE, certificate, scaled, small, xor
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.check.exact import (
    column_sums,
    exact_dots,
    exact_signs,
    round_scaled,
    to_integers,
    weighted_row_sum,
    weighted_sum,
)
from rosenblatt.proofs.check.verify import verify

wild = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, 1.0, 5e-324, 1e300, -1e300, 1.7e308, -1.7e308, 0.1, 255.0, 2.0**-1022]),
    st.integers(-255, 255).map(float),
)


def matrices(rows, columns, numbers=wild):
    return st.lists(
        st.lists(numbers, min_size=columns, max_size=columns), min_size=rows, max_size=rows
    ).map(np.array)


def exactly(values):
    return [Fraction(value) for value in values]


def powers(numbers, exponents):
    return [number * Fraction(2) ** e for number, e in zip(numbers, exponents, strict=True)]


@given(matrices(5, 3), st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=5, max_size=5))
def test_sums_are_those_of_fractions(X, signs):
    expected = [
        sum(Fraction(s) * Fraction(x) for s, x in zip(signs, column, strict=True)) for column in X.T
    ]
    with np.errstate(all="raise", under="ignore"):
        for form in (X, sp.csr_array(X)):
            assert powers(*column_sums((form,), np.array(signs))) == expected
    whole, exponents = to_integers(X)
    for row, floats in zip(whole.tolist(), X.tolist(), strict=True):
        assert powers(row, exponents.tolist()) == exactly(floats)
    weights = [int(s) * 10**50 for s in signs]
    assert powers(*weighted_sum(X, weights)) == [value * 10**50 for value in expected]
    columns, *found = weighted_row_sum((sp.csr_array(X),), np.arange(5), weights)
    assert dict.fromkeys(range(3), 0) | dict(zip(columns, powers(*found), strict=True)) == {
        j: value * 10**50 for j, value in enumerate(expected)
    }


@given(matrices(4, 3), st.lists(st.integers(-(10**400), 10**400), min_size=3, max_size=3))
def test_products_are_those_of_fractions(A, numbers):
    found, power = exact_dots(A, numbers, [0, 3, -7])
    v = powers(numbers, [0, 3, -7])
    expected = [sum(a * b for a, b in zip(exactly(row), v, strict=True)) for row in A.tolist()]
    assert powers(found, [power] * 4) == expected


directions = st.one_of(
    st.tuples(small, small, small, small),
    st.tuples(*[st.integers(-(2**53), 2**53)] * 4),
    st.tuples(*[st.one_of(small, st.integers(-(10**400), 10**400))] * 4),
    st.tuples(wild, wild, wild, wild).map(np.array),
)


@given(matrices(6, 3), directions, st.booleans())
def test_floats_never_contradict_fractions(X, v, near_plane):
    if near_plane:  # the last feature nearly cancels the others
        *w, divisor, b = scaled([int(a) for a in v]) if isinstance(v, tuple) else v.tolist()
        with np.errstate(all="ignore"):
            last = -(X[:, :2] @ np.array(w) + b) / (divisor or 1.0)
        X[:, 2] = np.where(np.isfinite(last), last, 1.0)
    exact = [Fraction(value) for value in (v.tolist() if isinstance(v, np.ndarray) else v)]
    y = np.array([1.0, -1.0] * 3)
    products = [
        int(sign) * sum(a * b for a, b in zip(exactly([*row, 1.0]), exact, strict=True))
        for sign, row in zip(y, X.tolist(), strict=True)
    ]
    for level in (Fraction(0), abs(products[0]), max(map(abs, products))):
        expected = [(value > level) - (value < level) for value in products]
        square = level.numerator**2, 2 - 2 * level.denominator.bit_length()
        with np.errstate(all="ignore"):
            for form in (X, sp.csr_array(X)):
                assert exact_signs(LabelledData(form, y), v, square).tolist() == expected


def test_one_column_may_hold_all_magnitudes():
    column = np.array([1e300, 5e-324, 1.0, 0.1])
    X = np.r_[np.c_[column, np.full(4, 1e308)], np.c_[column, np.full(4, 1e308)]]
    y = np.repeat([1, 0], 4)
    proof = certificate(
        X, y, rows=np.array([1, 5]), weights=(1, 1), overlap=NONE, radius=float("inf")
    )
    for form in (X, sp.csr_array(X)):
        assert verify(proof, form, y)
        off = X.copy()
        off[5, 0] = 0.0
        signs = np.where(y == 1, 1.0, -1.0)
        moved = replace(proof, digest=LabelledData(off, signs).digest())
        assert "the sum of feature 0 is not 0" in verify(moved, off, y).failed
        still = replace(moved, rows=np.array([0, 4]))
        failed = verify(still, off, y).failed
        assert failed.startswith("the weighted sum of all rows on the plane is exactly 0, so no ")
        assert failed.endswith(": the sum of feature 0 is not 0")


def test_the_radius_is_exact():
    _, X, y = xor()
    X = X * 3.0 + [[4.0, 5.0]]
    proof = certificate(X, y, overlap=NONE)
    largest = float(np.sqrt(49.0 + 64.0))
    above = largest if Fraction(largest) ** 2 >= 113 else float(np.nextafter(largest, np.inf))
    assert verify(replace(proof, radius=above), X, y)
    below = float(np.nextafter(above, 0.0))
    assert "row 1 is longer" in verify(replace(proof, radius=below), X, y).failed
    for scale in (1e-300, 1e200):
        longer = certificate(X * scale, y, overlap=NONE, radius=above * scale * (1 + 1e-15))
        assert "radius" not in str(verify(longer, X * scale, y).failed)
        short = replace(longer, radius=below * scale * (1 - 1e-15))
        assert "row 1 is longer" in verify(short, X * scale, y).failed


def test_long_integers_are_rounded_to_even():
    for spare in (10, 20, 200):
        for odd, even in ((2**53 + 1, 2**53), (2**53 + 3, 2**53 + 4)):
            value = odd << spare
            assert round_scaled(value, 0) == even << spare
            assert round_scaled(value + 1, 0) == float(value + 1)
            assert round_scaled(-value, 0) == -even << spare


def test_rows_of_many_chunks():
    """More numbers than are looked at in one go, one of them wrong, far down."""
    X = np.tile(np.arange(1.0, 1025.0), (600, 1))
    y = np.repeat([1, 0], 300)
    proof = certificate(X, y, rows=np.array([0, 300]), weights=(1, 1), overlap=NONE)
    assert verify(proof, X, y)
    assert verify(proof, X.astype(np.float32), y)
    X[599, 1000] += 2.0**-40
    moved = replace(proof, digest=LabelledData(X, np.where(y == 1, 1.0, -1.0)).digest(), radius=1e6)
    assert "the sum of feature 1000 is not 0" in verify(moved, X, y).failed
    direction = [0] * 1025
    direction[1000] = 1
    found = exact_signs(LabelledData(X, np.ones(600)), (*direction[:-1], -1001))
    assert np.flatnonzero(found).tolist() == [599]
