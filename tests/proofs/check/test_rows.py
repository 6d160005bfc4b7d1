"""Decimals and fractions as sums of floats, and the decimals that floats stand for."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.proofs.check.rows import ExactRows, decimal_rows, rows_of_ratios
from rosenblatt.utils.long_numbers import LongNumbers

sizes = st.floats(-1e200, 1e200).filter(lambda x: x == 0 or abs(x) > 1e-200)


@given(st.lists(sizes, min_size=2, max_size=6))
def test_decimals_of_floats_are_their_shortest(values):
    rows = decimal_rows(np.array([values]))
    assert total(rows) == [Fraction(str(value)) for value in values]


def total(rows: ExactRows) -> list[Fraction]:
    """Return the numbers of the first row."""
    unit = Fraction(rows.scale, 1 << rows.scale.bit_length() - 1)
    parts = zip(*((part[0].tolist()) for part in (rows.X, *rows.tail)), strict=True)
    return [sum(map(Fraction, floats), Fraction(0)) / unit for floats in parts]


def test_many_decimals_of_one_length():
    values = np.random.default_rng(0).integers(-(10**6), 10**6, (1, 3000)) / 1000
    assert total(decimal_rows(values)) == [Fraction(str(value)) for value in values[0].tolist()]


mantissas = st.one_of(st.integers(-(10**18), 10**18), st.integers(-(10**30), 10**30))
texts = st.lists(
    st.one_of(
        st.tuples(st.just(False), st.integers(-(10**15), 10**15), st.integers(-30, 10)),
        st.tuples(st.just(True), mantissas, st.integers(-30, 10)),
    ),
    min_size=1,
    max_size=5,
)


@given(texts, st.booleans())
@example([(True, 0, -19)], False)  # a divisor beyond 64 bits
def test_long_numbers_are_those_of_the_text(entries, sparse):
    numbers = [m * Fraction(10) ** q for _, m, q in entries]
    floats = np.array([[float(value) for value in numbers]])
    long = [(j, m, q) for j, (is_long, m, q) in enumerate(entries) if is_long]
    fits = all(abs(m) < 2**60 for _, m, _ in long)
    arrays = [np.array([entry[k] for entry in long], np.int64) for k in (0, 2)]
    digits = np.array([entry[1] for entry in long], np.int64 if fits else object)
    form = sp.csr_array(floats) if sparse else floats
    rows = decimal_rows(form, LongNumbers(0 * arrays[0], arrays[0], digits, arrays[1]))
    assert rows.fractions() == [numbers]
    ratios = [value.as_integer_ratio() for value in numbers]
    same = rows_of_ratios(floats, *zip(*ratios, strict=True))
    assert (rows.scale, len(rows.tail)) == (same.scale, len(same.tail))
    for one, other in zip((rows.X, *rows.tail), (same.X, *same.tail), strict=True):
        np.testing.assert_array_equal(one.toarray() if sparse else one, other)


@pytest.mark.parametrize("kind", [object, np.int64])
@pytest.mark.parametrize("power", [-400, 400, -1001, 1001, -10_000, 10_000, -(10**9)])
def test_numbers_out_of_range_are_refused(power, kind):
    with pytest.raises(ValueError, match="units"):
        decimal_rows(np.zeros((1, 1)), one_number(1, power, kind))


def test_a_long_number_out_of_range_is_refused():
    with pytest.raises(ValueError, match="units"):
        decimal_rows(np.zeros((1, 1)), one_number(10**40, 999, object))


def one_number(digits, power, kind):
    place = np.zeros(1, np.int64)
    return LongNumbers(place, place, np.array([digits], kind), np.array([power]))


def test_kinds_of_numbers():
    kinds = {
        text: rows_of_ratios(np.zeros((1, 1)), *zip(Fraction(text).as_integer_ratio())).numbers
        for text in ("0.5", "0.1", "1/3", str(2**53 + 1), str(2**60))
    }
    assert list(kinds.values()) == ["binary64", "decimal", "rational", "decimal", "binary64"]
