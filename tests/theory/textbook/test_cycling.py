"""Cycles, against a twin that stores every w at every row as fractions."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from traces import seeds

from rosenblatt import certify, textbook, toys
from rosenblatt.cycling import find_cycle

examples = thorough(80)
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
        assert found.mistakes == sum(t < begin + period for t, _, _ in moves)
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
    found = find_cycle(X.astype(dtype), y, tie=tie, fit_intercept=False, max_epochs=100)
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
        assert found.mistakes == run.mistakes >= len(found.rows) > 0
    elif found.status == "converged":
        assert run.converged
        assert found.weights.tolist() == [run.w.tolist()]
        assert found.mistakes == run.mistakes
        assert run.mistake[: -len(X)].any() or epochs == 1
        assert not run.mistake[-len(X) :].any()


@examples
@given(seed=seeds, fit_intercept=st.booleans(), unit=st.sampled_from([1, 1.0, 0.5, 0.25]))
def test_L0_4_small_numbers_either_separate_or_cycle(seed, fit_intercept, unit):
    X, y = drawn(seed)
    X = X * unit
    if y.min() == y.max():
        X, y = np.vstack([X, -X[:1]]), np.append(y, -y[0])
    found = find_cycle(X, y, tie=0, fit_intercept=fit_intercept, max_epochs=10_000)
    separable = certify(X, y, fit_intercept=fit_intercept).status == "separable"
    assert found.status == ("converged" if separable else "cycles")


@pytest.mark.parametrize(
    ("tie", "fit_intercept", "first", "period", "mistakes"),
    [(-1, False, 0, 4, 2), (0, False, 0, 4, 4), (1, False, 0, 4, 2), (-1, True, 4, 4, 7)],
)
def test_L0_4_xor_by_hand(tie, fit_intercept, first, period, mistakes):
    found = find_cycle(XOR, SIGNS, tie=tie, fit_intercept=fit_intercept)
    assert (found.status, found.first, found.period) == ("cycles", first, period)
    assert found.mistakes == mistakes
    through = "" if fit_intercept else " through the origin"
    assert found.why == (
        f"w before step {first + period} equals w before step {first}, at the same row:"
        f" the {period} steps between repeat forever, so no hyperplane{through} separates the rows"
    )


def test_L0_4_the_mistakes_are_those_of_the_run_and_the_rows_those_of_one_period():
    X, y = [[1, 1], [3, 3], [2, 2], [0, 4], [4, 0], [1, 3]], [1, 1, -1, -1, 1, -1]
    found = find_cycle(X, y)
    assert (found.epochs, found.mistakes, len(found.rows)) == (4, 10, 4)
    assert found.mistakes == textbook.perceptron(X, y, max_epochs=4).mistakes
    said = "<Cycle: cycles, 10 mistakes in 4 epochs, 4 in each period of 12 steps; w before step 24"
    assert repr(found).startswith(said)


def test_a_cycle_longer_than_an_epoch():
    X, y = [[1, 0], [0, 1], [-1, -1], [3, 1]], [1, 1, 1, 1]
    found, told = find_cycle(X, y, fit_intercept=False), twin(X, y, -1, 100)
    assert found.status == told[0] == "cycles"
    assert found.period == told[2] > len(X)


def test_a_cycle_is_found_in_the_epoch_that_closes_it():
    assert find_cycle(XOR, SIGNS, fit_intercept=False, max_epochs=1).status == "cycles"
    found = find_cycle(XOR, SIGNS, fit_intercept=True, max_epochs=1)
    assert (found.status, found.epochs) == ("not converged", 1)
    assert repr(found).startswith(f"<Cycle: not converged, {found.mistakes} mistakes in 1 epoch; ")
    assert found.why == (
        "no convergence and no repeated w in 1 epoch: whether a hyperplane separates the rows is "
        "open, and certify decides it"
    )
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
    assert early.why.startswith("no convergence and no repeated w in 1 epoch")


# Floats are rational numbers.


def test_L0_4_xor_of_halves_cycles():
    found = find_cycle(0.5 * np.array(XOR), SIGNS, fit_intercept=False)
    assert (found.status, found.first, found.period, found.mistakes) == ("cycles", 0, 4, 2)
    whole = find_cycle(XOR, SIGNS, fit_intercept=False)
    assert found.weights.tolist() == (0.5 * whole.weights).tolist()
    assert find_cycle(0.5 * np.array(XOR), SIGNS).status == "cycles"


def test_L0_4_one_coordinate_that_is_not_whole():
    X, y = [[0.0, 2.5], [2.0, 1.0], [1.0, 2.0], [2.0, -1.0]], [1, -1, -1, 1]
    status, _, period, _ = twin(X, y, -1, 100)
    found = find_cycle(X, y, fit_intercept=False)
    assert (found.status, found.period) == (status, period) == ("cycles", 24)


def test_L0_4_floats_are_not_rounded():
    X = 0.1 * np.array(XOR)
    found = find_cycle(X, SIGNS, fit_intercept=False, max_epochs=50)
    exact = find_cycle(
        [[Fraction(a) for a in row] for row in X.tolist()], SIGNS, fit_intercept=False
    )
    assert found.status == "cycles"
    assert str(found) == str(exact)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint8", "bool", object])
def test_whole_numbers_of_any_type_are_exact(dtype):
    X = np.array([[0, 1], [1, 0], [1, 1]]).astype(dtype)
    found = find_cycle(X, [-1, -1, 1], fit_intercept=False)
    assert found.status == "cycles"
    assert str(found) == str(find_cycle(X.tolist(), [-1, -1, 1], fit_intercept=False))


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="no longer than a float64")
def test_long_doubles_are_not_rounded():
    X, y = np.array([[1 + np.longdouble(2) ** -60], [-1]]), [1, 1]
    exact = [[1 + Fraction(1, 2**60)], [Fraction(-1)]]
    found = find_cycle(X, y, fit_intercept=False, max_epochs=50)
    assert str(found) == str(find_cycle(exact, y, fit_intercept=False, max_epochs=50))
    assert str(found) != str(find_cycle(X.astype(float), y, fit_intercept=False, max_epochs=50))


def test_floats_that_separate_converge_as_the_textbook_does():
    toy = toys.separable(40, 3, margin=0.1, seed=2)
    found, run = find_cycle(toy.X, toy.y), textbook.perceptron(toy.X, toy.y)
    assert found.status == "converged"
    assert found.why == "an epoch without a mistake: w and b are right about all rows"
    np.testing.assert_allclose(found.weights[0], [*run.w, run.b], rtol=1e-12)
    assert (found.mistakes, found.epochs) == (run.mistakes, run.epochs + 1)
    exact = [[Fraction(a) for a in row] for row in toy.X.tolist()]
    assert str(find_cycle(exact, toy.y)) == str(found)


def test_the_verdict_names_the_hyperplanes_that_it_is_about():
    X, y = [[1.5], [2.5]], [-1, 1]
    assert find_cycle(X, y).status == certify(X, y).status.replace("separable", "converged")
    origin = find_cycle(X, y, fit_intercept=False)
    assert (origin.status, origin.fit_intercept) == ("cycles", False)
    assert origin.why.endswith("so no hyperplane through the origin separates the rows")
    early = find_cycle(X, y, fit_intercept=False, max_epochs=1)
    assert early.why.endswith(
        "through the origin separates the rows is open, and certify decides it"
    )


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
    found = find_cycle(X, [1, -1], fit_intercept=False, max_epochs=5)
    assert found.status == "not converged"
    # w: L, 1; 2 - L; 2, 3 - L; 3, 4 - L; 4, 5 - L
    assert (found.mistakes, found.weights.tolist()) == (9, [[float(5 - LARGE)]])


def test_fractions_with_large_denominators():
    X = [[Fraction(5e-324), Fraction(1)], [Fraction(1), Fraction(1, 3)]]
    found = find_cycle(X, [1, -1], fit_intercept=False)
    status, _, _, moves = twin(X, [1, -1], -1, 1000)
    assert (found.status, found.mistakes) == (status, len(moves))
    assert np.isfinite(found.weights).all()


def test_the_range_of_floats_is_in_reach_and_more_is_refused():
    X = [[5e-324, 1.7e308], [1.7e308, 5e-324], [-1.7e308, 3.0]]
    found = find_cycle(X, [1, -1, 1], max_epochs=20)
    rows = [[*map(Fraction, row), 1] for row in X]
    assert (found.status == "cycles") == (twin(rows, [1, -1, 1], -1, 20)[0] == "cycles")
    long = find_cycle([[1.7e308], [1.6e308], [-1.0]], [1, 1, 1], max_epochs=2)
    assert long.status == "not converged"
    assert not np.isnan(long.weights).any()
    primes = [p for p in range(2, 6000) if all(p % q for q in range(2, int(p**0.5) + 1))]
    with pytest.raises(ValueError, match="X must have a common denominator of at most 4096 bits"):
        find_cycle([[Fraction(1, p)] for p in primes], [1] * len(primes))


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


def test_decimals_are_taken_exactly():
    texts = [["0.1", "0.3"], ["0.2", "0.6"], ["0.3", "0.9"]]
    exact = find_cycle([[Decimal(x) for x in row] for row in texts], [1, -1, 1])
    whole = find_cycle([[1, 3], [2, 6], [3, 9]], [1, -1, 1])
    assert (exact.status, whole.status) == ("cycles", "cycles")
