"""Runs in exact arithmetic: integers, products, the exact run, and intervals of long ones."""

import random
from fractions import Fraction

import corpus
import numpy as np
import pytest
from displays import drawn, words
from profiles import scaled, share
from search_audits import Theorem, case_of, check, run_of, search

from rosenblatt import audit, claims, textbook, toys
from rosenblatt.plots import ClaimsDisplay
from rosenblatt.theory.textbook import exact


def test_a_seeded_slice_of_the_random_search():
    counts, faults = search(most=scaled(80), seed=3)
    assert faults == []
    assert counts["holds"] > 15
    assert counts["no u"] > 2
    assert counts["a rounded mistake"] > 1


def test_runs_that_the_search_has_kept():
    """One has a table of exactly 12 rows."""
    cases = corpus.read("audits")
    assert len(cases) > 20
    for i, case in share(enumerate(cases), 3, 0):
        try:
            run = run_of(case)
        except ValueError as error:
            assert "left the range of floats" in str(error)  # noqa: PT017
            continue
        check(random.Random(i), run)


def test_integers_of_floats():
    values = np.array([[5e-324, 1.7e308], [-0.1, 0.0]])
    integers, power = exact.to_integers(values)
    for integer, value in zip(integers.ravel(), values.ravel(), strict=True):
        assert Fraction(int(integer)) * Fraction(2) ** power == Fraction(value)
    assert exact.to_integers(np.zeros(2))[0].tolist() == [0, 0]


def test_numbers_of_the_rows():
    X, y = np.array([[3.0, 4.0], [0.1, 0.0]]), np.array([1, -1])
    squares, products = exact.row_squares(X), exact.signed_products(X, y, [1, -2])
    assert [squares.value(i) for i in (0, 1)] == [25, Fraction(0.1) ** 2]
    assert [products.value(i) for i in (0, 1)] == [-5, -Fraction(0.1)]
    assert (squares.largest(), products.smallest()) == (25, -5)
    assert squares.above(Fraction(0.1) ** 2).tolist() == [True, False]


# Runs too long to be exact.


@pytest.fixture
def short(monkeypatch):
    """Every run is too long."""
    monkeypatch.setattr(exact, "MOST_WORK", 0)


def test_intervals_contain_the_exact_run(short):
    decided = 0
    for seed in range(50):
        r = random.Random(seed)
        try:
            run = run_of(case_of(r))
            theorem = Theorem(run)
            z = [r.randint(-5, 5) or 1 for _ in theorem.Z[0]]
            result = claims.check_direction(run, z)
        except ValueError as error:
            assert "range of floats" in str(error)  # noqa: PT017
            continue
        assert not result.exact or not run.mistakes
        for t, v in enumerate(theorem.vectors):
            square, product = (sum(a * b for a, b in zip(v, w, strict=True)) for w in (v, z))
            for ends, value in (
                (result.sides.walk.squares[t], square),
                (result.sides.walk.products[t], product),
            ):
                assert ends.low <= value <= ends.high
        wrong = [score > 0 for score in theorem.scores]
        if result.sides.walk.right is None:
            assert not any(wrong)
            decided += 1
        else:
            assert not any(wrong[: result.sides.walk.right[0]])
    assert decided > 16


def test_intervals_are_named_and_cannot_be_saved(short, tmp_path):
    toy = toys.separable(100, 2, margin=0.1, seed=0)
    result = audit(textbook.perceptron(toy.X, toy.y))
    lines = str(result).splitlines()
    assert lines[4] == "(in intervals, ends that cannot be worse: the run is too long to be exact)"
    assert (result.exact, result.holds, result.maximal) == (False, True, True)
    assert 0.0 < result.deviation < 1e-12
    assert result.verify().failed.endswith("the run is too long for exact arithmetic")
    with pytest.raises(ValueError, match=r"cannot be saved: the run is too long"):
        result.save(tmp_path / "a.json")


def test_a_mistake_that_intervals_cannot_decide(short):
    run = textbook.online_perceptron([[1.0, 0.0], [0.0, 1.0]], [1, 1], tie=0)
    result = claims.check(run, [1.0, 1.0])
    assert not result.failure.decided
    assert result.failure.why.startswith("undecided: row 1 may be right, y (w·x) is at most ")
    last = str(result).splitlines()[-1]
    assert last.startswith(
        "2 corrections. Not decided: at step 1 row 1 may be right, y (w·x) is at"
    )
    failed = audit(run).verify().failed
    assert failed.startswith("the theorem applies to the run: not decided: at step 1 row 1 may be")
    said = words(drawn(ClaimsDisplay.from_claims(result)).figure_)
    assert "At step 1 an assumption may fail" in said
    assert "The bound may not apply" in said


def test_an_assumption_that_fails_comes_before_one_that_is_undecided(short):
    run = textbook.online_perceptron([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]], [1, 1, 1], tie=0)
    failure = claims.check(run, [1.0, 1.0]).failure
    assert failure[:2] == (2, "margin")
    assert failure.decided


@pytest.mark.parametrize("start", [3e-323, 1e-170])
def test_a_start_whose_square_is_no_float_is_not_the_start_0(start, short):
    """Its row is right in exact arithmetic, and wrong in floats where the product is 0."""
    run = textbook.sample_correction([[start], [-start]], [1, 0], start=[0.0, start], max_epochs=1)
    assert run.mistake[0]
    result = claims.check(run, [1.0])
    assert not result.holds
    assert result.failure.step == 0


def test_the_work_is_of_the_bits():
    X, y = np.array([[1.0, 2.0]]), np.array([1])
    run = exact.Corrections.of(textbook.origin_perceptron(X, y))
    wide = run._replace(X=np.array([[1e-300, 1e300]]))
    assert run.work() == 2 * (107 + 1)
    assert wide.work() > 2 * 2000
