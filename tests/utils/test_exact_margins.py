"""Margins of rows of any size have the exact sign."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough

from rosenblatt import theory

numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, 0.1, -0.3, 5e-324, 1e-200, 1e200, -1e300, 1.7e308, 1.0, 3.0]),
    st.integers(-3, 3).map(float),
)


@pytest.mark.parametrize("sparse", [False, True])
@thorough(400)
@given(data=st.data())
def test_signs_are_exact(sparse, data):
    d = data.draw(st.integers(1, 4))
    rows = st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=1, max_size=3)
    X, w = np.array(data.draw(rows)), np.array(data.draw(st.lists(numbers, min_size=d, max_size=d)))
    b = data.draw(numbers)
    if not w.any():
        return
    margins = theory.margins(sp.csr_array(X) if sparse else X, [1] * len(X), w, b)
    square = sum(Fraction(v) ** 2 for v in w)
    for x, margin in zip(X, margins.tolist(), strict=True):
        score = sum(Fraction(a) * Fraction(c) for a, c in zip(x, w, strict=True)) + Fraction(b)
        assert (margin > 0.0, margin < 0.0) == (score > 0, score < 0)
        exact = score**2 / square
        if Fraction(10) ** -600 < exact < Fraction(10) ** 600:
            assert math.isclose(Fraction(margin) ** 2 / exact, 1.0, rel_tol=1e-6)


def test_w_of_any_length_has_the_same_margins():
    X, y = [[1e200, 0.0], [0.0, 1e-200]], [1, -1]
    for scale in (1e-300, 1e-200, 1.0, 1e200, 1e300):
        assert theory.margins(X, y, [scale, -scale]) == pytest.approx(
            [1e200 / math.sqrt(2), 1e-200 / math.sqrt(2)]
        )


def test_a_sum_that_cancels_is_not_0():
    assert theory.margin([[0.1, 0.2]], [1], [1.0, 1.0], -0.3) > 0.0  # of the floats
    assert theory.margin([[1e16, 1.0, -1e16]], [1], [1.0, 1.0, 1.0]) == pytest.approx(
        1.0 / math.sqrt(3.0)
    )
    assert theory.margin([[5e-324]], [-1], [1e-300]) == -5e-324
