"""The report of a certificate in words."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from rosenblatt import certify
from rosenblatt.proofs import report

X, Y = np.arange(40.0).reshape(-1, 1), np.arange(40) % 2


def test_facts_with_and_without_the_data():
    proof = certify(X, Y)
    with_rows, without = dict(report.facts(proof, X, Y)), dict(report.facts(proof))
    assert with_rows["classes"] == "1 (positive, 20 rows), 0 (negative, 20 rows)"
    assert without["classes"] == "1 (positive), 0 (negative)"
    assert {name for name in with_rows if with_rows[name] != without.get(name)} == {"classes"}


def test_rows_on_the_hyperplane_are_counted_with_the_data_only():
    rows = np.array([[0.0], [1.0], [1.0], [2.0]])
    proof = certify(rows, [0, 0, 1, 1])
    assert proof.status == "quasi-separable"
    counted = dict(report.facts(proof, rows, np.array([0, 0, 1, 1])))["hyperplane"]
    assert counted == "2 rows strictly on the right side, 2 rows on it, none on the wrong side"
    assert "hyperplane" not in dict(report.facts(proof))


def test_heavy_weights_are_shares():
    proof = replace(certify(X, Y), rows=np.arange(2), weights=(10**20, 3 * 10**20))
    assert [report.format_weight(proof, q) for q in (0, 1)] == ["25.00 %", "75.00 %"]
    assert report.omitted_rows(proof, "there") == "exact weights there"


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (1.5, 1.5, "1.5"),
        (0.70710678, 0.70710679, "0.7071"),
        (0.00019999, 0.11, "at least 0.0001999"),
        (0.25, 1e9, "at least 0.25"),
        (0.0, 6.7e-16, "more than 0"),
    ],
)
def test_a_margin_in_a_sentence_is_never_more_than_is_proved(low, high, words):
    proof = replace(certify(X, X[:, 0] > 20), margin=(low, high))
    assert report.rounded_margin(low, high) == words
    assert f"a margin of {words}." in str(proof).splitlines()[0]


def test_a_large_bound_is_rounded_up():
    proof = certify(1.7e12 + np.array([[0], [4], [7], [11]]), [0, 0, 1, 1])
    assert 3.71e48 < proof.mistake_bound < 3.715e48
    assert "at most 3.72e+48 mistakes" in str(proof)


@pytest.mark.parametrize("high", [0.123449, 0.0999949, 0.5, 1e-320, 1.7e308])
def test_a_bound_of_the_margin_is_rounded_up(high):
    words = report.format_margin(0.0, high)
    assert words.startswith("at most ")
    shown = Fraction(words.removeprefix("at most "))
    assert Fraction(high) <= shown <= Fraction(high) * Fraction(1002, 1000)


@pytest.mark.parametrize("seed", range(10))
def test_the_margin_of_rows_with_the_constant_1_is_rounded_down(seed):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((8, 2))
    proof = certify(rows, rows[:, 0] > 0)
    ((_, words),) = [fact for fact in report.facts(proof) if "Novikoff" in fact[1]]
    shown = Fraction(words.split("γ ≥ ")[1].split(" of (x, 1)")[0])
    exact = Fraction(proof.margin[0]) ** 2 / (1 + Fraction(proof.intercept) ** 2)
    assert shown**2 <= exact < (shown * Fraction(1002, 1000)) ** 2


def test_a_margin_of_few_digits_is_shown_as_it_is():
    assert "γ ≥ 0.5 of (x, 1)" in str(certify([[-0.5], [0.5]], [0, 1]))


TOO_FINE = {
    "one number of 5e-324": (
        [
            [-2.0000000000000004, 0, -1],
            [-2.0000000000000004, -5e-324, -2],
            [-3, 0.9999999999999999, 2],
            [-2.0000000000000004, 0, -1.9999999999999998],
            [-2, 0, 3.0000000000000004],
        ],
        [1, 1, 0, 0, 0],
        True,
    ),
    "rows": ([[0.0, 1.0], [-5e-324, 1.0]], [1, 0], True),
    "one column": ([[-5e-324], [0.0]], [0, 1], True),
    "without an intercept": (
        [[-2e-150, 0, 0], [1, -1, -1e150], [3e150, -1, 0]],
        [1, 0, 1],
        False,
    ),
}


@pytest.mark.parametrize("name", TOO_FINE)
def test_a_plane_that_floats_cannot_hold_is_called_one(name):
    """Either floats of length 1 separate, or the report says that the direction alone does."""
    rows, labels, intercept = TOO_FINE[name]
    proof = certify(rows, labels, fit_intercept=intercept)
    text = str(proof)
    assert proof.status == "separable"
    if proof.margin[0] > 0.0:
        assert abs(np.linalg.norm(proof.coef) - 1.0) < 1e-12
        return
    assert proof.direction is not None
    assert "no plane was found in floats that separates: the whole numbers of" in text
    assert "decided by" not in text


def test_a_coefficient_that_the_rows_leave_open_is_not_called_finite():
    """x1 = x0 + 1 in every row: any multiple may move from one to the other."""
    text = str(certify([[1, 2], [1, 2], [1, 2], [3, 4]], [0, 0, 1, 1]))
    assert "all other coefficients that the rows determine stay finite" in text


def test_the_radius_is_called_a_bound_and_rounded_up():
    proof = certify([[1.00001], [-1.0]], [0, 1])
    assert "R = 1.001, at least the largest norm of a row" in str(proof)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_columns_of_extreme_sizes_are_named_with_finite_effects_or_not(scale):
    text = str(certify([[scale], [-scale]], [0, 1]))
    assert "x0 alone separates" in text
    assert not any(line.strip().startswith(":") for line in text.splitlines())
    assert "inf:" not in text


def test_a_notebook_shows_a_certificate_as_prose_on_the_left():
    page = certify([[0.0], [1.0], [2.0]], [0, 1, 1])._repr_html_()
    prose, _, table = page.partition("<table")
    assert "<br><b>margin:</b> 0.5 exactly<br>" in prose
    assert "none in the last; at most " in prose  # two lines of the text, one fact
    assert "right" not in prose.split("<p", 2)[2].split(">", 1)[0]
    assert table.startswith(' style="margin-left: 0"')
    classes = certify(np.eye(3), [0, 1, 2])._repr_html_()
    cells = [part.split('"')[1] for part in classes.split("<td")[1:5]]
    assert [("left" in style) for style in cells] == [True, True, True, False]
