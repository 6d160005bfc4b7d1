"""Audits: the exact theorem of a run, with the largest margin or the proof that there is none."""

import math
import re
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from traces import RUNS, seeds, some_rows

from rosenblatt import audit, certify, textbook, toys
from rosenblatt.proofs import audit as proofs_audit


def separates_nothing(X, y):
    if y.min() == y.max():
        X, y = np.vstack([X, -X[:1]]), np.append(y, -y[0])
    return certify(X, y, fit_intercept=False).status != "separable"


@thorough(25)
@given(seed=seeds, name=st.sampled_from(["origin", "perceptron", "augmented", "batch"]))
def test_L0_4_the_failure_is_the_first_step_whose_rows_are_not_separable(seed, name):
    run = RUNS[name](*some_rows(seed), 1.0)
    found = audit(run)
    if not separates_nothing(run.X, run.y):
        assert found.u is not None
        return
    assert (found.u, found.gamma, found.bound) == (None, 0.0, math.inf)
    assert (found.projection, found.least, found.distance, found.farthest) == (None,) * 4
    assert found.sqnorm.tolist() == pytest.approx((run.weights**2).sum(axis=1).tolist())
    assert (found.failure.kind, found.holds) == ("margin", False)
    for t in range(len(run)):
        rows = np.unique(run.order[: t + 1])
        if separates_nothing(run.X[rows], run.y[rows]):
            assert found.failure.step == t
            assert found.failure.why.startswith("the rows so far prove it: no u separates rows ")
            break
    else:
        assert found.failure.step == max(len(run) - 1, 0)
        assert found.failure.why.endswith(", although the rows so far are separable")


def test_the_rows_that_prove_inseparability_are_named():
    square = toys.xor()
    run = textbook.perceptron(square.X, square.y, max_epochs=2)
    assert audit(run).failure == (
        3,
        "margin",
        "the rows so far prove it: no u separates rows 0, 1, 2, 3",
    )
    many = [[math.cos(a), math.sin(a)] for a in np.linspace(0, 2 * math.pi, 31)[:-1]]
    why = audit(textbook.origin_perceptron(many, [1] * 30)).failure.why
    assert why.startswith("the rows so far prove it: no u separates rows 0, ")


@pytest.mark.parametrize("sign", [1, -1])
def test_one_class_is_enough(sign):
    X = sign * np.array([[1.0, 2.0], [3.0, -1.0]])
    found = audit(textbook.origin_perceptron(X, [sign, sign], tie=0))
    assert found.holds
    assert found.gamma == pytest.approx(
        certify([[1, 2], [-3, 1]], [1, 0], fit_intercept=False).margin[0]
    )
    run = textbook.origin_perceptron([[1.0], [2.0], [-1.0], [1.0]], [sign] * 4)
    assert audit(run).failure[:2] == (2, "margin")


def test_an_undecided_certificate_is_reported(monkeypatch):
    monkeypatch.setattr(proofs_audit, "certify", partial(certify, time_limit=0.0))
    toy = toys.separable(2000, 20, margin=1e-7)
    found = audit(textbook.origin_perceptron(toy.X, toy.y))
    assert found.failure.why == "undecided: a separator of the rows may or may not exist"
    assert not found.holds
    assert "no u is known to separate the rows" in str(found)
    assert "Not decided: at step 0 a separator of the rows may or may not exist." in str(found)
    assert "γ = 0" not in str(found)


def test_two_integer_points_that_rounding_refuted():
    result = audit(textbook.perceptron([[39998], [40000]], [-1, 1], max_epochs=1))
    assert result.holds
    assert result.verify()
    assert result.deviation == 0.0
    assert result.gamma2 == nearest_squared([[-39998, -1], [40000, 1]])


def nearest_squared(Z):
    """‖p‖² of the point p of the segment of two rows that is nearest to 0."""
    (a, b), (c, d) = Z
    along = Fraction(a * (a - c) + b * (b - d), (a - c) ** 2 + (b - d) ** 2)
    share = min(max(along, Fraction(0)), Fraction(1))
    p = a + share * (c - a), b + share * (d - b)
    return p[0] ** 2 + p[1] ** 2


def test_milliseconds_since_1970_are_separable():
    X, y = 1.7e12 + np.array([[0], [4], [7], [11]]), [0, 0, 1, 1]
    result = audit(textbook.perceptron(X, y, max_epochs=200))
    assert certify(X, y).status == "separable"
    low, high = int(X[1, 0]), int(X[2, 0])
    assert (result.holds, result.maximal) == (True, True)
    assert result.gamma2 == nearest_squared([[-low, -1], [high, 1]]) > 0
    assert result.radius2 == (low + 7) ** 2 + 1
    assert result.allowed == math.floor(result.radius2 / result.gamma2)
    assert "γ ≥ 8.82352e-13, the largest of any u" in str(result)
    assert result.verify()


@pytest.mark.parametrize("scale", [1e-150, 1e-100, 1.0, 1e140, 1e150])
def test_any_scale_has_the_same_theorem(scale):
    """Rows times a power of two, and start and all: only the units change."""
    power = 2.0 ** math.frexp(scale)[1]
    rows = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 1.0]])
    one, other = (
        audit(textbook.origin_perceptron(rows * s, [1, -1, -1], tie=0)) for s in (1.0, power)
    )
    assert (other.holds, other.allowed, other.maximal) == (True, one.allowed, True)
    assert other.gamma2 == one.gamma2 * Fraction(power) ** 2
    assert other.bound == one.bound
    np.testing.assert_array_equal(other.cosine, one.cosine)
    assert other.verify()
    lines = [line.split() for line in str(other).splitlines()[1:3]]
    assert [cells[0] for cells in lines] == ["0", "1"]


def test_subnormal_rows():
    X = np.array([[5e-324, 1e-323], [-5e-324, 5e-324]])
    result = audit(textbook.origin_perceptron(X, [1, -1], tie=0))
    assert result.holds
    assert result.radius2 == 5 * Fraction(5e-324) ** 2
    assert result.verify()
    assert re.search(r"e-64\d", str(result))  # ‖w‖², which is no float
    assert "e-324" in str(result)


def test_a_score_that_underflows_is_named():
    run = textbook.origin_perceptron([[1e-200, 2e-200], [-2e-200, -1e-200]], [1, -1], tie=0)
    assert (run.score[1], run.mistakes) == (0.0, 2)
    why = audit(run).failure.why
    assert "although row 1 is right, y (w·x) ≥ 4.00000e-400" in why or "3.99999e-400" in why
    assert why.endswith("; its recorded score, 0 times y, is rounded")


def test_the_bound_from_a_start_is_exact():
    toy = toys.two_points()
    run = textbook.augmented_perceptron(toy.X, toy.y, 0.5, start=[1.0, 3.0, 1.0])
    result = audit(run)
    # α u = (R²/γ) u = 12 (0, −1, 1)/2; w_0/η = (2, 6, 2): the distance² is 4 + 144 + 16
    assert result.sides.bound == (Fraction(164, 6), Fraction(164, 6))
    assert result.allowed == 27
    assert str(result).splitlines()[-1].endswith("the theorem allows 27 from this start.")
    assert not result.starts_at_zero
    tiny = textbook.augmented_perceptron(toy.X, toy.y, start=[0.0, 1e-200, 0.0])
    assert not audit(tiny).starts_at_zero


def test_rounding_is_reported_and_is_no_failure():
    toy = toys.separable(100, 2, margin=0.1, seed=0)
    run = textbook.perceptron(toy.X, toy.y, 0.1)
    result = audit(run)
    assert result.holds
    assert 0.0 < result.deviation < 1e-15
    line = "(of the exact run; the recorded weights are rounded, by ≤ "
    assert any(text.startswith(line) for text in str(result).splitlines())


def test_a_correction_that_only_rounding_makes_a_mistake_is_named():
    X = np.array([[1.0, 1e16, -1e16]])
    run = textbook.online_perceptron(X, [1], start=[1.0, 1.0, 1.0], tie=0)
    assert run.mistakes == 1
    result = audit(run)
    assert result.failure == (
        0,
        "mistake",
        "w changes although row 0 is right, y (w·x) = 1; its recorded score, 0 times y, is rounded",
    )
    assert not result.verify()


def test_a_margin_that_is_not_proved_to_be_the_largest_says_so(monkeypatch):
    monkeypatch.setattr(proofs_audit, "exact_nearest", lambda *given, **options: None)
    toy = toys.separable(20, 2, margin=0.1)
    result = audit(textbook.origin_perceptron(toy.X, toy.y))
    assert (result.holds, result.maximal) == (True, False)
    assert ", of the best u found" in str(result)
    assert result.verify()


def test_of_many_rows_the_largest_margin_is_proved_on_all(monkeypatch):
    monkeypatch.setattr(proofs_audit, "MAX_NUMBERS", 30)
    toy = toys.separable(200, 2, margin=0.1, seed=4)
    run = textbook.origin_perceptron(toy.X, toy.y)
    result = audit(run)
    assert result.maximal
    monkeypatch.undo()
    assert result.gamma2 == audit(run).gamma2


def test_a_long_bound_is_rounded_up():
    X, y = 1.7e12 + np.array([[0], [4], [7], [11]]), [0, 0, 1, 1]
    result = audit(textbook.perceptron(X, y, max_epochs=2))
    assert result.allowed_text == "3.71205e+48"
    assert int(float(result.allowed_text)) >= result.allowed
