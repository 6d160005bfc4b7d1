"""Cycles, against a twin that stores every w at every row as fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from traces import seeds

from rosenblatt import certify, textbook, toys
from rosenblatt.cycling import find_cycle

examples = settings(max_examples=80, deadline=None)
ties = st.sampled_from([-1, 0, 1])
XOR = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
SIGNS = [-1, 1, 1, -1]


def twin(X, y, tie, epochs):
    """Every (w, row) that there was: how it ends, the first to come again, and all moves."""
    rows, signs = [tuple(map(Fraction, x)) for x in X], [int(label) for label in y]
    w, met, moves, ends = (Fraction(0),) * len(rows[0]), {}, [], ("not converged", None, None)
    for t in range(len(rows) * epochs + 1):
        i = t % len(rows)
        first = met.setdefault((w, i), t)
        if first < t and ends[0] == "not converged":
            moved = bool(moves) and moves[-1][0] >= first
            ends = ("cycles", first, t - first) if moved else ("converged", None, None)
        score = sum(a * b for a, b in zip(w, rows[i], strict=True))
        if (1 if score > 0 else -1 if score < 0 else tie) != signs[i]:
            moves.append((t, i, w))
            w = tuple(a + signs[i] * b for a, b in zip(w, rows[i], strict=True))
    return *ends, moves


def drawn(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 6)), int(rng.integers(1, 3))
    return rng.integers(-2, 3, (n, d)), rng.choice([-1, 1], n)


@examples
@given(seed=seeds, tie=ties, fit_intercept=st.booleans(), parts=st.integers(1, 6))
def test_L0_4_the_cycle_is_that_of_the_twin(seed, tie, fit_intercept, parts):
    X, y = drawn(seed)
    exact = [[Fraction(int(a), parts) for a in row] for row in X]
    rows = [[*row, 1] for row in exact] if fit_intercept else exact
    status, first, period, moves = twin(rows, y, tie, 100)
    found = find_cycle(exact, y, fit_intercept=fit_intercept, tie=tie, max_epochs=50)
    if status == "cycles":
        begin = -(-first // len(X)) * len(X)  # the epoch that begins there, or the next
        if begin + period > 50 * len(X):
            assert found.status == "not converged"
            return
        assert (found.status, found.first, found.period) == ("cycles", begin, period)
        assert found.epochs * len(X) == begin + period
        again = [(i, w) for t, i, w in moves if begin <= t < begin + period]
        assert found.rows.tolist() == [i for i, _ in again]
        vectors = [[float(a) for a in w] for _, w in again]
        assert found.weights.tolist() == [*vectors, vectors[0]]
    else:
        clean = 1 + max((t // len(X) + 1 for t, _, _ in moves), default=0)  # the epoch without any
        assert found.status == (status if clean <= 50 else "not converged")
        assert (found.first, found.period, found.rows.tolist()) == (None, None, [])
        assert found.mistakes == sum(t < 50 * len(X) for t, _, _ in moves)


@examples
@given(seed=seeds, tie=ties, dtype=st.sampled_from(["int8", "int64", "float32", "float64", object]))
def test_L0_4_the_cycle_closes_and_is_what_the_textbook_does(seed, tie, dtype):
    X, y = drawn(seed)
    found = find_cycle(X.astype(dtype), y, tie=tie, max_epochs=100)
    epochs = found.epochs
    run = textbook.online_perceptron(np.tile(X, (epochs, 1)), np.tile(y, epochs), tie=tie)
    if found.status == "cycles":
        begin, end = run.used[found.first], len(run.weights)
        np.testing.assert_array_equal(found.weights, run.weights[begin:end])
        np.testing.assert_array_equal(found.weights[0], found.weights[-1])
        np.testing.assert_array_equal(found.rows, run.corrected[begin:] % len(X))
        steps = np.diff(found.weights, axis=0)
        np.testing.assert_array_equal(steps, y[found.rows, np.newaxis] * X[found.rows])
        np.testing.assert_array_equal(steps.sum(axis=0), 0.0)
        assert found.mistakes == len(found.rows) > 0
    elif found.status == "converged":
        assert run.converged
        assert found.weights.tolist() == [run.w.tolist()]
        assert found.mistakes == run.mistakes
        assert run.mistake[: -len(X)].any() or epochs == 1
        assert not run.mistake[-len(X) :].any()


@examples
@given(seed=seeds)
def test_L0_4_whole_numbers_either_separate_or_cycle(seed):
    X, y = drawn(seed)
    if y.min() == y.max():
        X, y = np.vstack([X, -X[:1]]), np.append(y, -y[0])
    found = find_cycle(X, y, tie=0, max_epochs=10_000)
    separable = certify(X, y, fit_intercept=False).status == "separable"
    assert found.status == ("converged" if separable else "cycles")


@pytest.mark.parametrize(
    ("tie", "fit_intercept", "first", "period", "mistakes"),
    [(-1, False, 0, 4, 2), (0, False, 0, 4, 4), (1, False, 0, 4, 2), (-1, True, 4, 4, 4)],
)
def test_L0_4_xor_by_hand(tie, fit_intercept, first, period, mistakes):
    found = find_cycle(XOR, SIGNS, tie=tie, fit_intercept=fit_intercept)
    assert (found.status, found.first, found.period) == ("cycles", first, period)
    assert found.mistakes == mistakes
    assert found.why == (
        f"w before step {first + period} equals w before step {first}, at the same row:"
        f" the {period} steps between repeat forever"
    )


def test_a_cycle_longer_than_an_epoch():
    X, y = [[1, 0], [0, 1], [-1, -1], [3, 1]], [1, 1, 1, 1]
    found, told = find_cycle(X, y), twin(X, y, -1, 100)
    assert found.status == told[0] == "cycles"
    assert found.period == told[2] > len(X)


def test_a_cycle_is_found_in_the_epoch_that_closes_it():
    assert find_cycle(XOR, SIGNS, max_epochs=1).status == "cycles"
    found = find_cycle(XOR, SIGNS, fit_intercept=True, max_epochs=1)
    assert (found.status, found.epochs) == ("not converged", 1)
    assert found.why == "no convergence and no repeated w in 1 epochs"
    assert find_cycle(XOR, SIGNS, fit_intercept=True, max_epochs=2).status == "cycles"


def test_L0_4_a_run_may_be_too_short_for_a_decision():
    toy = toys.two_points()
    done = find_cycle(toy.X, toy.y, fit_intercept=True, tie=1)
    run = textbook.perceptron(toy.X, toy.y, tie=1)
    assert (done.status, done.epochs, done.mistakes) == ("converged", run.epochs + 1, run.mistakes)
    assert done.weights.tolist() == [[*run.w, run.b]]
    early = find_cycle(toy.X, toy.y, fit_intercept=True, tie=1, max_epochs=1)
    assert early.status == "not converged"
    assert early.weights.tolist() == [run.weights[1].tolist()]
    assert early.why == "no convergence and no repeated w in 1 epochs"


# Floats prove nothing.


def test_L0_4_floats_do_not_converge_and_prove_no_cycle():
    X = 0.1 * np.array(XOR)
    found = find_cycle(X, SIGNS, max_epochs=50)
    assert (found.status, found.first, found.period) == ("not converged", None, None)
    assert found.why == (
        "no convergence in 50 epochs; sums of floats are rounded, so nothing is proved: use "
        "integers or fractions.Fraction for an exact answer"
    )
    exact = [[Fraction(a, 10) for a in row] for row in XOR]
    assert find_cycle(exact, SIGNS, max_epochs=50).status == "cycles"
    one_float = [[0.5, *XOR[0][1:]], *XOR[1:]]
    assert find_cycle(one_float, SIGNS, max_epochs=50).status == "not converged"
    mixed = [[Fraction(-1), -1.5], *XOR[1:]]
    assert find_cycle(mixed, SIGNS, max_epochs=50).status == "not converged"


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint8", "bool", object])
def test_whole_numbers_of_any_type_are_exact(dtype):
    X = np.array([[0, 1], [1, 0], [1, 1]]).astype(dtype)
    found = find_cycle(X, [-1, -1, 1])
    assert found.status == "cycles"
    assert found.period == find_cycle(X.tolist(), [-1, -1, 1]).period


def test_floats_that_separate_converge_as_the_textbook_does():
    toy = toys.separable(40, 3, margin=0.1, seed=2)
    found, run = find_cycle(toy.X, toy.y, fit_intercept=True), textbook.perceptron(toy.X, toy.y)
    assert found.status == "converged"
    assert found.weights.tobytes() == np.append(run.w, run.b).tobytes()
    assert (found.mistakes, found.epochs) == (run.mistakes, run.epochs + 1)


# Numbers that no float64 can hold.

LARGE = 2**53 + 1


@pytest.mark.parametrize(
    "X",
    [
        [[LARGE], [LARGE - 1]],
        np.array([[LARGE], [LARGE - 1]], np.int64),
        np.array([[LARGE], [LARGE - 1]], np.uint64),
        np.array([[LARGE], [LARGE - 1]], object),
        [[Fraction(LARGE)], [np.int64(LARGE - 1)]],
    ],
    ids=["list", "int64", "uint64", "object", "mixed"],
)
def test_whole_numbers_beyond_2_53_are_not_rounded(X):
    # As floats both rows are the same, with two labels, and w would be back at 0 after each epoch.
    assert float(LARGE) == float(LARGE - 1)
    found = find_cycle(X, [1, -1], max_epochs=5)
    assert found.status == "not converged"
    # w: L, 1; 2 - L; 2, 3 - L; 3, 4 - L; 4, 5 - L
    assert (found.mistakes, found.weights.tolist()) == (9, [[float(5 - LARGE)]])


def test_fractions_with_large_denominators():
    X = [[Fraction(5e-324), Fraction(1)], [Fraction(1), Fraction(1, 3)]]
    found = find_cycle(X, [1, -1])
    status, _, _, moves = twin(X, [1, -1], -1, 1000)
    assert (found.status, found.mistakes) == (status, len(moves))
    assert np.isfinite(found.weights).all()


# Bad input.


@pytest.mark.parametrize(
    ("X", "y", "options", "says"),
    [
        ([], [], {}, r"X must have shape \(n, d\)"),
        ([[1], [2, 3]], [1, -1], {}, "X must be an array of real numbers"),
        ([[10**400]], [1], {}, "X must be an array of real numbers"),
        ([["a"]], [1], {}, "X must be an array of real numbers"),
        ([[float("nan")]], [1], {}, "X must be finite"),
        ([[1]], [1, 1], {}, r"y must have shape \(1,\)"),
        ([[1]], [2], {}, "y must hold the labels -1 and 1, or 0 and 1, got 2"),
        ([[1]], [1], {"tie": 2}, "tie must be one of"),
        ([[1]], [1], {"max_epochs": 0}, "max_epochs must be a whole number >= 1"),
    ],
    ids=str,
)
def test_bad_input(X, y, options, says):
    with pytest.raises(ValueError, match=says):
        find_cycle(X, y, **options)


def test_zeros_and_ones_are_labels_too():
    assert str(find_cycle(XOR, [0, 1, 1, 0])) == str(find_cycle(XOR, SIGNS))
