"""Numbers that are not floats: decimals, fractions and integers of any length."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from search_certificates import exact_rows, largest_sqmargin

from rosenblatt import Certificate, certify

TEXTS = [["0.1", "0.2"], ["0.3", "0.4"], ["0.2", "0.3"]]
LABELS = ["n", "n", "y"]


def decimals(texts=TEXTS):
    return [[Decimal(text) for text in row] for row in texts]


def objects(rows):
    """Return rows as an array, of any numbers."""
    return np.array([[*row, None] for row in rows], object)[:, :-1]


def test_decimals_are_what_is_written():
    proof = certify(decimals(), LABELS)
    assert (proof.status, proof.numbers) == ("inseparable", "decimal")
    assert (proof.rows.tolist(), proof.weights) == ([0, 1, 2], (1, 1, 2))
    floats = certify(np.array(TEXTS, float), LABELS)
    assert (floats.status, floats.numbers) == ("separable", "binary64")


def test_a_proof_says_which_numbers_it_wants(tmp_path):
    proof = certify(decimals(), LABELS)
    proof.save(tmp_path / "proof.json")
    loaded = Certificate.load(tmp_path / "proof.json")
    assert loaded.numbers == "decimal"
    assert loaded.verify(decimals(), LABELS)
    assert loaded.verify(objects(decimals()), LABELS)
    assert loaded.verify([[Fraction(text) for text in row] for row in TEXTS], LABELS)
    failed = loaded.verify(np.array(TEXTS, float), LABELS).failed
    assert "it is about decimal numbers, the data has binary64 numbers" in failed
    assert "pass the file, or Decimal" in failed
    forged = replace(loaded, numbers="binary64")
    assert not forged.verify(np.array(TEXTS, float), LABELS)
    assert not forged.verify(decimals(), LABELS)


def test_decimals_that_are_floats_are_floats():
    halves = [[Decimal("0.5")], [Decimal("1.25")], [3]]
    proof = certify(halves, [0, 0, 1])
    assert proof.numbers == "binary64"
    assert proof.verify([[0.5], [1.25], [3.0]], [0, 0, 1])


@pytest.mark.parametrize("made", [np.array, list, sp.csr_array, lambda rows: objects(rows)])
def test_integers_beyond_53_bits(made):
    big = 2**60
    rows = made([[big + 1], [big + 3], [big + 2]])
    proof = certify(rows, [0, 0, 1])
    assert (proof.status, proof.weights, proof.numbers) == ("inseparable", (1, 1, 2), "decimal")
    assert certify(made([[big + 1], [big + 2], [big + 3]]), [0, 0, 1]).status == "separable"


def test_a_list_of_long_integers_and_floats_is_not_rounded():
    assert certify([[2**60 + 1, 0.5], [2**60 + 3, 0.5], [2**60 + 2, 0.5]], [0, 0, 1]).rows.size == 3


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    "made", [list, pd.DataFrame, lambda rows: pl.DataFrame(rows, ["id", "v"], orient="row")]
)
def test_the_first_integer_that_no_float_holds_is_not_rounded_beside_floats(made, sign):
    rows = [[sign * (2**53 + 1), 0.5], [sign * 2**53, 0.5]]
    proof = certify(made(rows), [0, 1])
    assert (proof.status, proof.numbers) == ("separable", "decimal")
    assert proof.verify(objects(rows), [0, 1])
    assert certify(made([rows[0], rows[0]]), [0, 1]).status == "inseparable"


def test_a_determined_margin_of_decimals_is_rounded_up_once():
    """In the unit of the search it is rounded, too: no smaller float may be a bound after both."""
    texts = [["0.78", "-84", "3.1"], ["34", "-0.72", "-57"], ["-3.8", "-8.4", "-0.29"]]
    proof = certify(decimals(texts), [0, 0, 1])
    assert (proof.status, proof.determined) == ("separable", True)
    assert proof.verify(decimals(texts), [0, 0, 1])


def test_fractions():
    rows = [[Fraction(1, 3)], [Fraction(2, 3)], [Fraction(5, 7)]]
    proof = certify(rows, [0, 1, 1])
    assert (proof.status, proof.numbers) == ("separable", "rational")
    low, high = proof.margin
    assert low <= Fraction(1, 6) <= high <= low * (1 + 1e-6)
    assert Fraction(proof.radius) >= Fraction(5, 7)
    assert proof.verify(rows, [0, 1, 1])


number = st.one_of(
    st.builds(Fraction, st.integers(-9, 9), st.sampled_from([1, 2, 3, 7, 10, 100])),
    st.builds(lambda m: Fraction(m, 10**20) + 10**6, st.integers(-3, 3)),
    st.builds(lambda m, k: Fraction(m) * Fraction(10) ** k, st.integers(-99, 99), st.just(-30)),
)
tables = st.integers(1, 3).flatmap(
    lambda d: st.lists(
        st.tuples(st.lists(number, min_size=d, max_size=d), st.booleans()), min_size=2, max_size=8
    ).filter(lambda rows: len({label for _, label in rows}) == 2)
)


@given(tables, st.booleans())
def test_any_numbers_have_the_verdict_of_their_multiples(table, intercept):
    rows, labels = [row for row, _ in table], [label for _, label in table]
    proof = certify(objects(rows), labels, fit_intercept=intercept)
    assert proof.verification
    scale = math.lcm(*(value.denominator for row in rows for value in row))
    whole = [[int(value * scale) for value in row] for row in rows]
    other = certify(objects(whole), labels, fit_intercept=intercept)
    assert proof.status == other.status
    if proof.margin[0] > 0.0 and other.margin[0] > 0.0:
        assert Fraction(proof.margin[0]) <= Fraction(other.margin[1]) / scale
        assert Fraction(other.margin[0]) / scale <= Fraction(proof.margin[1])
    elif proof.direction is not None:
        for row, label in zip(rows, labels, strict=True):
            product = sum(w * x for w, x in zip(proof.direction, [*row, 1], strict=True))
            assert (product if label else -product) >= 0


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_first_line_says_where_decimals_differ(kind):
    proof = certify(np.array(TEXTS, kind), LABELS)
    assert proof.status != "inseparable"
    first = str(proof).splitlines()[0]
    assert first == (
        f"{proof.status.capitalize()} as the binary numbers they are; as the decimals they were "
        "written as (0.1, 0.2, …) inseparable: pass Decimals, or a file of text."
    )


def test_the_first_line_of_several_classes_says_where_decimals_differ():
    proofs = certify([*np.array(TEXTS, float), [9.0, 9.0]], [*LABELS, "z"])
    assert "as the decimals they were written as, n is quasi-separable" in str(proofs)


@pytest.mark.parametrize("rows", [[[0.1], [0.7], [0.2]], [[1.0], [3.0], [2.0]], [[0.5], [0.25]]])
def test_equal_verdicts_are_not_mentioned(rows):
    assert "decimals" not in str(certify(rows, [*[0] * (len(rows) - 1), 1]))


small_decimals = st.integers(-9, 9).map(lambda m: Decimal(m) / 10)


@given(st.lists(st.tuples(small_decimals, small_decimals, st.booleans()), min_size=2, max_size=7))
def test_the_verdict_of_decimals_is_said(table):
    labels = [label for *_, label in table]
    if len(set(labels)) < 2:
        return
    exact = certify([row[:2] for row in table], labels)
    floats = certify([[float(x) for x in row[:2]] for row in table], labels)
    first = str(floats).splitlines()[0]
    if exact.status != floats.status:
        assert f"…) {exact.status}: pass Decimals" in first
    else:
        assert "decimals" not in first


# --- numbers far from 0, of more digits than a float ---------------------------------------------


@st.composite
def far_columns(draw):
    """Numbers of up to 24 digits that differ in the last of them, with labels by their order."""
    offset = Decimal(10) ** draw(st.sampled_from([7, 9, 12, 15, 18]))
    unit = Decimal(10) ** -draw(st.sampled_from([0, 1, 2, 3, 6]))
    steps = draw(st.lists(st.integers(0, 40), min_size=2, max_size=8, unique=True))
    numbers = [offset + step * unit for step in steps]
    if draw(st.booleans()):
        numbers = [Fraction(number) + Fraction(1, 3) for number in numbers]
    edge = sorted(numbers)[len(numbers) // 2]
    return numbers, [-1 if number < edge else 1 for number in numbers]


@thorough(40)
@given(far_columns())
def test_the_margin_of_far_numbers_is_exact_to_the_tolerance(column):
    numbers, y = column
    proof = certify(np.array([[number] for number in numbers], object), y)
    below = max(Fraction(x) for x, label in zip(numbers, y, strict=True) if label < 0)
    above = min(Fraction(x) for x, label in zip(numbers, y, strict=True) if label > 0)
    low, high = map(Fraction, proof.margin)
    assert proof.status == "separable"
    assert proof.determined
    assert low <= (above - below) / 2 <= high
    assert high - low <= high / 10**6


@pytest.mark.parametrize(
    ("texts", "margin"),
    [
        (["0.1", "0.3", "0.30000000000000001"], Fraction(5, 10**18)),
        (
            ["1700000000000.1", "1700000000000.2", "1700000000000.3", "900719925474099312345"],
            Fraction(1, 20),
        ),
        (["-1e-30", "0", "1e-40", "1e15"], Fraction(5, 10**41)),
    ],
)
def test_numbers_that_no_float_tells_apart_have_their_margin(texts, margin):
    """The first two are of one class."""
    X, y = [[Decimal(text)] for text in texts], [0, 0, *[1] * (len(texts) - 2)]
    proof = certify(X, y)
    low, high = map(Fraction, proof.margin)
    assert (proof.status, proof.determined) == ("separable", True)
    assert low <= margin <= high <= low * (1 + Fraction(1, 10**9))
    assert proof.verify(X, y)


@pytest.mark.parametrize(
    ("texts", "labels", "intercept", "margin"),
    [
        ([["2e216", "-1e19"], ["-5e-85", "-7e-90"], ["4e10", "1e49"]], [1, 0, 0], False, None),
        ([["1e15", "1e-30"], ["1e15", "-1e-30"]], [1, 0], True, Fraction(1, 10**30)),
        ([["1e200", "0"], ["1e200", "1e-30"], ["-1e200", "1e-90"]], [1, 0, 1], True, None),
        ([["1000000000000000.1"], ["1000000000000000.2"]], [0, 1], True, Fraction(1, 20)),
        ([["1000000000000000.1"], ["-1e-30"]], [0, 1], False, Fraction(1, 10**30)),
        (
            [
                ["-5e-12", "-37586988"],
                ["-3e-13", "5e-12"],
                ["-9e13", "896137003997723001"],
                ["36211305.5", "-746824"],
                ["6e-84", "6e219"],
                ["5276361701314011.8", "-6e-235"],
                ["-4e38", "2e30"],
            ],
            [0, 1, 0, 1, 1, 1, 0],
            True,
            None,
        ),
        (
            [
                ["-6e28", "2e219"],
                ["2.7e118", "-9.9e117"],
                ["-6e-231", "-13339176654434946"],
                ["-3e217", "6e-50"],
                ["-2e36", "1e208"],
                ["3e264", "-8e49"],
            ],
            [1, 0, 0, 1, 1, 0],
            True,
            None,
        ),
    ],
)
def test_far_decimals_of_any_size_have_their_margin(texts, labels, intercept, margin):
    """Compared with the largest margin of all sets of support rows, in fractions."""
    X, y = decimals(texts), np.array(labels)
    signs = np.where(y == 1, 1, -1)
    square = largest_sqmargin(exact_rows(objects(X), signs, intercept), signs, intercept)
    exact = Fraction(int(square.p), int(square.q))
    assert margin is None or margin**2 == exact
    proof = certify(X, y, fit_intercept=intercept)
    low, high = map(Fraction, proof.margin)
    assert (proof.status, proof.determined) == ("separable", True)
    assert low**2 <= exact <= high**2
    assert high - low <= high / 10**6
    assert proof.verify(X, y)


def test_support_rows_that_differ_in_digits_beyond_floats_are_found_among_many():
    """Too many rows to be solved together: floats with a bound of their error rank them."""
    rng = np.random.default_rng(0)
    sides = rng.integers(0, 2, 900)
    x = (2 * sides - 1) * (10**22 + rng.integers(1, 10**12, 900).astype(object))
    proof = certify([[Decimal(v) / 10**16, Decimal(1)] for v in x], sides)
    margin = Fraction(int(x[sides == 1].min() - x[sides == 0].max()), 2 * 10**16)
    assert proof.determined
    assert set(proof.rows) == {
        int(np.argmax(np.where(sides == s, -abs(x), -np.inf))) for s in (0, 1)
    }
    assert proof.margin[0] <= margin <= proof.margin[1]


@pytest.mark.parametrize("zero", [0.0, Decimal("0.00"), np.float32(0)])
def test_rows_of_zeros_have_the_radius_zero(zero):
    proof = certify([[zero, zero], [zero, zero]], [0, 1])
    assert proof.radius == 0.0
    assert proof.verify([[zero, zero], [zero, zero]], [0, 1])
    assert "R = 0, at least the largest norm of a row" in str(proof)
    longer = certify([[0.0, 1e-300], [0.0, 0.0]], [0, 1])
    failed = replace(longer, radius=0.0).verify([[0.0, 1e-300], [0.0, 0.0]], [0, 1]).failed
    assert "row 0 is longer than 0.0" in failed
