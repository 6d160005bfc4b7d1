"""Criterion functions and descent on them: by hand, by differences, by twins, by least squares."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from traces import seeds, some_rows

from rosenblatt import textbook, toys
from rosenblatt.criteria import LeastSquares, Misclassified, PerceptronCriterion, Residual, values

examples = thorough(60)
HUBER = Residual(
    lambda r: np.where(np.abs(r) <= 1, r**2 / 2, np.abs(r) - 0.5), lambda r: np.clip(r, -1, 1)
)
FOURTH = Residual(lambda r: np.abs(r) ** 4, lambda r: 4 * np.abs(r) ** 3 * np.sign(r))
SMOOTH = {"squares": LeastSquares(), "Huber": HUBER, "fourth": FOURTH}
LIMITS = {textbook.batch_descent: "max_updates", textbook.sample_descent: "max_epochs"}
JUMPS = {"J_p": PerceptronCriterion(), "E_w": PerceptronCriterion(strict=True)}


# Values and slopes.


@pytest.mark.parametrize("name", [*SMOOTH, *JUMPS])
def test_L4_5_the_slope_is_the_derivative(name):
    J = {**SMOOTH, **JUMPS}[name]
    rng = np.random.default_rng(0)
    s, y, h = rng.uniform(-3, 3, 50), rng.choice([-1, 1], 50), 1e-6
    s[np.abs(s) < 0.01] = 0.5  # off the kinks
    pairs = list(zip(s, y, strict=True))
    numerical = [(J.value(a + h, b) - J.value(a - h, b)) / (2 * h) for a, b in pairs]
    np.testing.assert_allclose(J.slope(s, y), numerical, rtol=1e-5, atol=1e-5)
    assert J.value(s, y) == pytest.approx(sum(J.value(a, b) for a, b in pairs))


@pytest.mark.parametrize("name", [*SMOOTH, *JUMPS])
def test_L4_5_the_gradient_is_that_of_the_weights(name):
    J, toy, h = {**SMOOTH, **JUMPS}[name], toys.separable(30, 3, margin=0.1), 1e-6
    w = np.array([0.3, -0.2, 0.5])
    gradient = toy.X.T @ J.slope(toy.X @ w, toy.y)
    for i in range(3):
        up, down = w + h * np.eye(3)[i], w - h * np.eye(3)[i]
        difference = J.value(toy.X @ up, toy.y) - J.value(toy.X @ down, toy.y)
        assert gradient[i] == pytest.approx(difference / (2 * h), rel=1e-5, abs=1e-6)


def test_L4_5_by_hand():
    s, y = np.array([2.0, -3.0, 0.0, 1.0, -0.5]), np.array([1, 1, 1, -1, -1])
    assert Misclassified().value(s, y) == 3.0
    assert Misclassified().slope(s, y).tolist() == [0.0] * 5
    assert PerceptronCriterion().value(s, y) == 4.0 == PerceptronCriterion(strict=True).value(s, y)
    assert PerceptronCriterion().slope(s, y).tolist() == [0, -1, -1, 1, 0]
    assert PerceptronCriterion(strict=True).slope(s, y).tolist() == [0, -1, 0, 1, 0]
    assert LeastSquares().value(s, y) == 1 + 16 + 1 + 4 + 0.25
    assert LeastSquares().slope(s, y).tolist() == [2, -8, -2, 4, 1]


@examples
@given(seed=seeds)
def test_L4_5_both_criteria_are_0_exactly_where_all_is_right(seed):
    X, y = some_rows(seed)
    s = X @ np.random.default_rng(seed).integers(-2, 3, X.shape[1]).astype(float)
    right = (y * s > 0).all()
    assert (Misclassified().value(s, y) == 0) == right
    assert (PerceptronCriterion().value(s, y) == 0) == (y * s >= 0).all()


# Batch.


def test_L4_5_batch_descent_by_hand():
    # Rows (1, 0), (1, 1), (1, 3), signs -, -, +. At 0 all are wrong: their sum, (-1, 2).
    # Scores -1, 1, 5: the second is wrong: (-2, 1). Scores -2, -1, 1: done.
    run = textbook.batch_descent([[0.0], [1.0], [3.0]], [0, 0, 1])
    assert run.weights.tolist() == [[0, 0], [-1, 2], [-2, 1]]
    assert run.order.tolist() == [0, 1, 2] * 3
    assert run.used.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert run.score.tolist() == [0, 0, 0, -1, 1, 5, -2, -1, 1]
    assert run.prediction.tolist() == [0, 0, 0, -1, 1, 1, -1, -1, 1]
    assert run.label.tolist() == [-1, -1, 1] * 3
    assert run.mistake.tolist() == [True] * 3 + [False, True, False] + [False] * 3
    assert (run.epochs, run.converged, run.offset, run.tie) == (3, True, 0, 0)
    assert values(PerceptronCriterion(), run).tolist() == [0, 1, 0]
    assert values(Misclassified(), run).tolist() == [3, 1, 0]
    short = textbook.batch_descent([[0.0], [1.0], [3.0]], [0, 0, 1], max_updates=1)
    assert (short.weights.tolist(), short.converged) == ([[0, 0], [-1, 2]], False)
    assert (len(short), short.epochs) == (6, 2)


@examples
@given(seed=seeds, eta=st.sampled_from([1.0, 0.5]), strict=st.booleans())
def test_L4_5_batch_descent_is_its_twin(seed, eta, strict):
    X, y = some_rows(seed)
    rows = np.column_stack([np.ones(len(X)), X])
    w = np.random.default_rng(seed).integers(-2, 3, rows.shape[1]).astype(float)
    run = textbook.batch_descent(X, y, PerceptronCriterion(strict), eta, start=w, max_updates=15)
    steps = [w]
    for _ in range(15):
        margins = y * (rows @ w)
        wrong = margins < 0 if strict else margins <= 0
        move = eta * (y[wrong] @ rows[wrong])
        if not move.any():
            break
        w = w + move
        steps.append(w)
    np.testing.assert_array_equal(run.weights, steps)
    assert run.converged == (y * (rows @ w) > 0).all()


@examples
@given(seed=seeds)
def test_L4_5_batch_descent_separates_what_can_be_separated(seed):
    toy = toys.separable(20, 2, margin=0.2, seed=seed)
    run = textbook.batch_descent(toy.X, toy.y, max_updates=2000)
    assert run.converged
    assert (toy.y * (toy.X @ run.w + run.b) > 0).all()


@pytest.mark.parametrize("descent", LIMITS)
def test_L4_5_descent_on_the_count_of_mistakes_changes_nothing(descent):
    toy = toys.xor()
    for start in (None, [0.3, -1.0, 2.0]):
        run = descent(toy.X, toy.y, Misclassified(), start=start)
        assert len(run.weights) == 1
        assert (run.epochs, run.converged) == (1, False)
        assert run.mistakes == values(Misclassified(), run)[0] > 0


@pytest.mark.parametrize("descent", LIMITS)
def test_L4_5_the_strict_criterion_cannot_begin_at_0(descent):
    toy = toys.separable(20, 2, margin=0.2)
    run = descent(toy.X, toy.y, PerceptronCriterion(strict=True))
    assert (len(run.weights), run.converged) == (1, False)
    run = descent(toy.X, toy.y, PerceptronCriterion(strict=True), 0.1, start=[0.1, 0.1, -0.2])
    assert run.converged


# One row at a time.


@examples
@given(seed=seeds, eta=st.sampled_from([1.0, 0.5, 0.3, 0.1]), start=st.booleans())
def test_L2_7_and_L4_5_stochastic_descent_is_single_sample_correction(seed, eta, start):
    X, y = some_rows(seed)
    X = X + np.random.default_rng(seed).standard_normal(X.shape) * start
    a = np.random.default_rng(seed).random(X.shape[1] + 1) * start
    one = textbook.sample_descent(X, y, PerceptronCriterion(), eta, start=a, max_epochs=20)
    other = textbook.sample_correction(X, y, eta, start=a, max_epochs=20)
    for name in ("X", "y", "order", "used", "score", "mistake"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.weights.tobytes() == other.weights.tobytes()
    assert one.epochs == other.epochs
    if one.epochs < 20:
        assert one.converged
        assert other.converged


@examples
@given(seed=seeds, eta=st.sampled_from([1.0, 0.5, 0.25]))
def test_L2_7_the_perceptron_is_stochastic_descent_on_the_sum_of_hinges(seed, eta):
    """w ← w − λ ∂/∂w max(0, −y f(x)), and b alike: the perceptron whose score of 0 is wrong."""
    X, y = some_rows(seed)
    run = textbook.sample_descent(X, y, eta=eta, max_epochs=5)
    w, b = np.zeros(X.shape[1]), 0.0
    for step in run:
        x, sign = X[step.row], y[step.row]
        if sign * (w @ x + b) <= 0:
            w, b = w + eta * sign * x, b + eta * sign
        np.testing.assert_allclose(step.after, [b, *w], rtol=0, atol=1e-9)
    rows = textbook.prepend_one(X)
    online = textbook.online_perceptron(
        np.tile(rows, (run.epochs, 1)), np.tile(y, run.epochs), eta, tie=0
    )
    assert online.weights.tobytes() == run.weights.tobytes()


def test_L4_7_least_squares_one_row_at_a_time_halves_a_single_error():
    run = textbook.sample_descent([[0.0], [2.0]], [0, 1], LeastSquares(), 0.25, max_epochs=1)
    # Row (1, 0): error 0 - (-1), w = -0.25·2·(1, 0). Row (1, 2): error -0.5 - 1, w += 0.75 (1, 2).
    assert run.weights.tolist() == [[0, 0], [-0.5, 0], [0.25, 1.5]]
    assert run.mistake.tolist() == [True, True]
    assert not run.converged


# Least squares, and other f.


@pytest.mark.parametrize("seed", range(4))
def test_L4_7_least_squares_converges_to_the_solution(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((40, 2)), rng.choice([-1, 1], 40)
    run = textbook.batch_descent(X, y, LeastSquares(), 0.01, max_updates=400)
    rows = textbook.prepend_one(X)
    best = np.linalg.lstsq(rows, y.astype(float), rcond=None)[0]
    np.testing.assert_allclose(run.weights[-1], best, rtol=0, atol=1e-9)
    # The classes 0 and 1 give the same line, read off at the score 1/2.
    zero_one = np.linalg.lstsq(rows, (y + 1) / 2, rcond=None)[0]
    np.testing.assert_allclose(run.weights[-1], 2 * zero_one - [1, 0, 0], rtol=0, atol=1e-9)
    assert (np.diff(values(LeastSquares(), run)) <= 1e-9).all()


@pytest.mark.parametrize(("name", "eta"), [("Huber", 0.02), ("fourth", 2e-4)])
def test_L4_7_another_f_descends_to_where_its_gradient_is_0(name, eta):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((30, 2)), rng.choice([-1, 1], 30)
    J = SMOOTH[name]
    run = textbook.batch_descent(X, y, J, eta, max_updates=700)
    falling = values(J, run)
    assert (np.diff(falling) <= 1e-9).all()
    rows, w = run.X, run.weights[-1]
    np.testing.assert_allclose(rows.T @ J.slope(rows @ w, y), 0.0, atol=1e-5)
    for nearby in w + 0.05 * rng.standard_normal((20, 3)):
        assert J.value(rows @ nearby, y) > falling[-1]


def test_L4_7_a_residual_of_squares_is_least_squares():
    toy = toys.xor(3, noise=0.5)
    squares = Residual(lambda r: r**2, lambda r: 2.0 * r)
    for descent in (textbook.batch_descent, textbook.sample_descent):
        one = descent(toy.X, toy.y, squares, 0.01)
        other = descent(toy.X, toy.y, LeastSquares(), 0.01)
        assert one.weights.tobytes() == other.weights.tobytes()


@pytest.mark.parametrize("descent", LIMITS)
@pytest.mark.parametrize("criterion", [LeastSquares(), FOURTH], ids=["squares", "fourth"])
def test_an_overflow_is_an_error(descent, criterion):
    with pytest.raises(
        ValueError, match=r"the run left the range of floats at step \d+: .* smaller"
    ):
        descent([[0.0], [3.0]], [0, 1], criterion, 10.0, **{LIMITS[descent]: 2000})


@pytest.mark.parametrize("descent", LIMITS)
@pytest.mark.parametrize("criterion", ["abs", abs, LeastSquares], ids=str)
def test_other_objects_than_criteria_are_refused(descent, criterion):
    with pytest.raises(ValueError, match="criterion must have value and slope"):
        descent([[0.0], [3.0]], [0, 1], criterion)


# Options.


@pytest.mark.parametrize("descent", LIMITS)
def test_bad_input(descent):
    X, c = [[0.0], [1.0]], [0, 1]
    for options, says in (
        ({"eta": 0.0}, "eta must be a finite number > 0"),
        ({"eta": math.nan}, "eta must be a finite number > 0"),
        ({"start": [0.0]}, r"start must have shape \(2,\)"),
        ({LIMITS[descent]: 0}, f"{LIMITS[descent]} must be a whole number >= 1"),
    ):
        with pytest.raises(ValueError, match=says):
            descent(X, c, **options)
    with pytest.raises(ValueError, match="c must hold both -1 and 1, got 1 only"):
        descent(X, [1, 1])
    with pytest.raises(ValueError, match="c must hold the labels -1 and 1, or 0 and 1, got 2"):
        descent(X, [1, 2])


@pytest.mark.parametrize("descent", LIMITS)
def test_labels_of_either_kind_and_starts_that_stay(descent):
    X, start = [[0.0], [1.0], [3.0]], np.array([0.5, -1.0])
    one, other = (descent(X, c, start=start) for c in ([0, 0, 1], [-1, -1, 1]))
    assert one.to_json() == other.to_json()
    assert start.tolist() == [0.5, -1.0]
