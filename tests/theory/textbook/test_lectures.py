"""The lectures' algorithms: by hand, and against twins in plain Python."""

import inspect
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from traces import seeds, some_rows

from rosenblatt import textbook, toys
from rosenblatt.theory.textbook import recorder

examples = thorough(60)
PICKS = ["first", "last", "cyclic", "random", "worst"]


def inner(w, x):
    total = 0.0
    for a, b in zip(w, x, strict=True):
        total += a * b
    return total


def sgn(score, tie):
    return 1 if score > 0 else -1 if score < 0 else tie


# L0.1


def origin_twin(X, y, eta, tie):
    w, mistakes = [0.0] * len(X[0]), []
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        if sgn(inner(w, x), tie) != label:
            w = [a + eta * label * b for a, b in zip(w, x, strict=True)]
            mistakes.append(i)
    return w, mistakes


def test_L0_1_by_hand():
    # sgn(0) = -1: (2, 0) with +1 is a mistake at w = 0, and so is nothing with -1.
    X, y = [[2, 0], [0, 3], [-1, 1], [4, 4], [-1, 1]], [1, -1, 1, -1, 1]
    run = textbook.origin_perceptron(X, y, eta=0.5)
    # w: (0,0) → +(1,0) → right, score 0 → -(.5,-.5) … = (.5,.5) → (-1.5,-1.5) → (-2,-1)
    assert run.weights.tolist() == [[0, 0], [1, 0], [0.5, 0.5], [-1.5, -1.5], [-2, -1]]
    assert run.order.tolist() == [0, 1, 2, 3, 4]
    assert run.score.tolist() == [0, 0, -1, 4, 0]
    assert run.prediction.tolist() == [-1, -1, -1, 1, -1]
    assert run.mistake.tolist() == [True, False, True, True, True]
    assert run.used.tolist() == [0, 1, 1, 2, 3]
    assert run.corrected.tolist() == [0, 2, 3, 4]
    assert (run.mistakes, run.epochs, run.offset, run.b) == (4, 1, None, 0.0)
    assert run.w.tolist() == [-2, -1]
    assert not run.converged


def test_L0_1_the_sign_of_zero_is_a_choice():
    X, y = [[1.0], [0.0], [0.0]], [1, 1, -1]
    said = {tie: textbook.origin_perceptron(X, y, tie=tie).mistake.tolist() for tie in (-1, 0, 1)}
    assert said == {
        -1: [True, True, False],
        0: [True, True, True],
        1: [False, False, True],
    }


@examples
@given(seed=seeds, eta=st.sampled_from([1.0, 0.5, 0.3, 1e-3]), tie=st.sampled_from([-1, 0, 1]))
def test_L0_1_origin_perceptron_is_its_twin_to_the_bit(seed, eta, tie):
    X, y = some_rows(seed, both=False)
    X = X + np.random.default_rng(seed).standard_normal(X.shape).round(1)
    run = textbook.origin_perceptron(X, y, eta, tie=tie)
    w, mistakes = origin_twin(X.tolist(), y.tolist(), eta, tie)
    assert run.w.tolist() == w
    assert run.corrected.tolist() == mistakes
    assert run.converged == all(
        sgn(inner(w, x), tie) == label for x, label in zip(X.tolist(), y.tolist(), strict=True)
    )


# L1.1


@examples
@given(
    data=st.data(),
    d=st.integers(1, 5),
    numbers=st.sampled_from([st.integers(-3, 3), st.floats(-1e6, 1e6)]),
)
def test_L1_1_both_forms_agree_on_every_row(data, d, numbers):
    w = data.draw(st.lists(numbers, min_size=d, max_size=d))
    X = data.draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=1, max_size=8))
    # The sharpest thresholds are the scores themselves, and their neighbours.
    score = inner(w, X[0])
    for b in (
        data.draw(numbers),
        score,
        math.nextafter(score, -1e300),
        math.nextafter(score, 1e300),
    ):
        plain = textbook.threshold(w, b)(X)
        lifted = textbook.threshold(textbook.lift_threshold(w, b))(textbook.append_one(X))
        np.testing.assert_array_equal(plain, lifted)
        assert plain.tolist() == [1 if inner(w, x) >= b else -1 for x in X]


@examples
@given(w=st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=5), b=st.floats(-1e300, 1e300))
def test_L1_1_the_mapping_back_and_forth_is_exact(w, b):
    lifted = textbook.lift_threshold(w, b)
    assert lifted.tolist() == [*w, -b]
    back, threshold = textbook.lower_threshold(lifted)
    assert np.array(back).tobytes() == np.array(w, float).tobytes()
    assert math.copysign(1.0, threshold) == math.copysign(1.0, b)
    assert threshold == b
    assert textbook.lift_threshold(back, threshold).tobytes() == lifted.tobytes()


def test_L1_1_by_hand():
    f = textbook.threshold([1, 2], 3)
    assert f([[1, 1], [1, 0.9], [3, 0], [0, 2]]).tolist() == [1, -1, 1, 1]
    assert textbook.threshold([1, 1])([[0, 0], [0, -1]]).tolist() == [1, -1]  # sgn(0) = +1
    assert textbook.append_one([[1, 2], [3, 4]]).tolist() == [[1, 2, 1], [3, 4, 1]]


# L1.2


def test_L1_2_by_hand():
    X, y = [[1, 0], [0, 1], [1, -1], [2, 1]], [1, -1, -1, 1]
    run = textbook.online_perceptron(X, y)
    # sgn(0) = +1: right, mistake, w = (0,-1): score 1, mistake, w = (-1,0): score -2, mistake.
    assert run.prediction.tolist() == [1, 1, 1, -1]
    assert run.score.tolist() == [0, 0, 1, -2]
    assert run.used.tolist() == [0, 0, 1, 2]
    assert run.weights.tolist() == [[0, 0], [0, -1], [-1, 0], [1, 1]]
    assert (run.mistakes, run.epochs, run.converged) == (3, 1, False)
    assert textbook.online_perceptron(X, y, tie=-1).mistake.tolist()[:2] == [True, False]


@examples
@given(seed=seeds, tie=st.sampled_from([-1, 0, 1]))
def test_L1_2_a_prediction_knows_nothing_of_its_label_or_of_what_comes(seed, tie):
    X, y = some_rows(seed, both=False)
    run = textbook.online_perceptron(X, y, tie=tie)
    counted = 0
    for t, step in enumerate(run):
        other = np.append(y[:t], -y[t])
        short = textbook.online_perceptron(X[: t + 1], other, tie=tie)
        assert short[t].prediction == step.prediction == sgn(inner(step.before, X[t]), tie)
        counted += step.prediction != y[t]
        assert textbook.online_perceptron(X[: t + 1], y[: t + 1], tie=tie).mistakes == counted
    assert run.mistakes == counted
    assert run.w.tolist() == origin_twin(X.tolist(), y.tolist(), 1.0, tie)[0]


# L2.2


def perceptron_twin(X, y, eta, tie, max_epochs):
    w, b, seen = [0.0] * len(X[0]), 0.0, []
    for epoch in range(1, max_epochs + 1):
        for i, (x, label) in enumerate(zip(X, y, strict=True)):
            if sgn(inner(w, x) + b, tie) != label:
                w = [a + eta * label * c for a, c in zip(w, x, strict=True)]
                b += eta * label
                seen.append(i)
        if all(sgn(inner(w, x) + b, tie) == label for x, label in zip(X, y, strict=True)):
            return w, b, seen, epoch, True
    return w, b, seen, max_epochs, False


def test_L2_2_by_hand():
    run = textbook.perceptron([[0, 1], [2, 0]], [-1, 1], eta=2.0)
    # g(0) = -1: row 0 right, row 1 wrong: (w, b) = 2 (2, 0, 1). Then row 0 scores 2: -2 (0, 1, 1).
    # Row 1 then scores 8, and row 0 scores -2: all right.
    assert run.weights.tolist() == [[0, 0, 0], [4, 0, 2], [4, -2, 0]]
    assert run.order.tolist() == [0, 1, 0, 1]
    assert run.score.tolist() == [0, 0, 2, 8]
    assert run.mistake.tolist() == [False, True, True, False]
    assert (run.w.tolist(), run.b, run.offset) == ([4, -2], 0.0, -1)
    assert (run.epochs, run.converged) == (2, True)
    # sgn(0) = +1: row 0 is wrong first, -2 (0, 1, 1); row 1 scores -2: +2 (2, 0, 1); all right.
    run = textbook.perceptron([[0, 1], [2, 0]], [-1, 1], eta=2.0, tie=1)
    assert run.weights.tolist() == [[0, 0, 0], [0, -2, -2], [4, -2, 0]]
    assert (run.epochs, run.converged) == (1, True)


@examples
@given(seed=seeds, eta=st.sampled_from([1.0, 2.0, 0.3, 7.7]), tie=st.sampled_from([-1, 1]))
def test_L2_2_perceptron_is_its_twin_to_the_bit(seed, eta, tie):
    X, y = some_rows(seed)
    run = textbook.perceptron(X, y, eta, tie=tie, max_epochs=30)
    w, b, mistakes, epochs, converged = perceptron_twin(X.tolist(), y.tolist(), eta, tie, 30)
    assert (run.w.tolist(), run.b) == (w, b)
    assert run.corrected.tolist() == mistakes
    assert (run.epochs, run.converged) == (epochs, converged)
    assert run.order.tolist() == list(range(len(X))) * epochs


@examples
@given(seed=seeds, power=st.integers(-8, 8))
def test_L2_2_the_learning_rate_only_scales(seed, power):
    toy = toys.separable(20, 2, margin=0.1, offset=0.2, seed=seed)
    one = textbook.perceptron(toy.X, toy.y)
    other = textbook.perceptron(toy.X, toy.y, 2.0**power)
    np.testing.assert_array_equal(other.weights, 2.0**power * one.weights)
    np.testing.assert_array_equal(other.mistake, one.mistake)


def test_L2_2_what_cannot_be_separated_ends_at_the_limit():
    run = textbook.perceptron(toys.xor().X, toys.xor().y, max_epochs=7)
    assert (run.converged, run.epochs, len(run)) == (False, 7, 28)


# L3.1, L3.2


def test_L3_2_worked_example():
    toy = toys.two_points()
    for pick in PICKS:
        run = textbook.augmented_perceptron(toy.X, toy.y, pick=pick)
        assert run.weights.tolist() == [[0, 0, 0], [-1, -2, -1], [0, -1, 1]]
        assert [toy.X[i].tolist() for i in run.order] == [[2, 1], [1, 2]]  # x_×, then x_o
        assert run.score.tolist() == [0, -5]
        assert run.prediction.tolist() == [1, -1]
        assert run.label.tolist() == [-1, 1]
        assert (run.mistakes, run.converged, run.epochs) == (2, True, 3)
        assert (run.w.tolist(), run.b, run.offset) == ([-1, 1], 0.0, 0)
    # The lecture's checks along the way: -6 and -5 at w(2), 1 and -1 at w(3).
    rows = np.column_stack([np.ones(2), toy.X])
    assert (rows @ run.weights[1]).tolist() == [-5, -6]
    assert (rows @ run.weights[2]).tolist() == [1, -1]


def test_L3_2_worked_example_starts_elsewhere_if_the_sign_of_zero_is_another():
    toy = toys.two_points()
    run = textbook.augmented_perceptron(toy.X, toy.y, tie=-1)
    assert run.weights.tolist() == [[0, 0, 0], [1, 1, 2], [0, -1, 1]]
    assert run.order.tolist() == [0, 1]
    assert textbook.augmented_perceptron(toy.X, toy.y, tie=0).order.tolist() == [0, 1]


def pick_twin(pick, wrong, margins, last):
    if pick == "first":
        return min(wrong)
    if pick == "last":
        return max(wrong)
    if pick == "worst":
        return min(wrong, key=lambda i: (margins[i], i))
    return min(wrong, key=lambda i: (i <= last, i))  # cyclic


@examples
@given(
    seed=seeds,
    pick=st.sampled_from(["first", "last", "cyclic", "worst"]),
    tie=st.sampled_from([-1, 0, 1]),
)
def test_L3_1_every_pick_is_its_twin_to_the_bit(seed, pick, tie):
    X, y = some_rows(seed)
    run = textbook.augmented_perceptron(X, y, pick=pick, tie=tie, max_updates=60)
    rows, w, last, picks = [[1.0, *x] for x in X.tolist()], [0.0] * (X.shape[1] + 1), -1, []
    while True:
        margins = [label * inner(w, x) for x, label in zip(rows, y.tolist(), strict=True)]
        wrong = [i for i, m in enumerate(margins) if m < 0 or (m == 0 and tie != y[i])]
        if not wrong or len(picks) == 60:
            break
        last = pick_twin(pick, wrong, margins, last)
        w = [a + int(y[last]) * b for a, b in zip(w, rows[last], strict=True)]
        picks.append(last)
    assert run.order.tolist() == run.corrected.tolist() == picks
    assert run.weights[-1].tolist() == w
    assert run.converged == (not wrong)
    assert run.epochs == len(picks) + 1
    assert run.mistake.all()


@examples
@given(seed=seeds)
def test_L3_1_cyclic_picks_are_the_mistakes_of_whole_passes(seed):
    toy = toys.separable(15, 2, margin=0.15, offset=0.2, seed=seed)
    picks = textbook.augmented_perceptron(toy.X, toy.y, pick="cyclic")
    passes = textbook.perceptron(toy.X, toy.y, tie=1)
    assert picks.order.tolist() == passes.corrected.tolist()
    np.testing.assert_allclose(picks.w, passes.w, rtol=0, atol=1e-12)


@examples
@given(seed=seeds)
def test_L3_1_random_picks_come_from_the_seed_and_are_misclassified(seed):
    toy = toys.separable(30, 2, margin=0.1, seed=seed)
    run = textbook.augmented_perceptron(toy.X, toy.y, pick="random", seed=seed)
    again = textbook.augmented_perceptron(toy.X, toy.y, pick="random", seed=seed)
    np.testing.assert_array_equal(run.order, again.order)
    for step in run:
        scores = step.before[0] + toy.X @ step.before[1:]
        assert toy.y[step.row] * scores[step.row] <= 1e-12
    assert run.converged
    assert (toy.y * (toy.X @ run.w + run.b) > -1e-12).all()


def test_L3_1_random_picks_differ_from_seed_to_seed():
    toy = toys.separable(30, 2, margin=0.1)
    orders = {
        tuple(textbook.augmented_perceptron(toy.X, toy.y, pick="random", seed=s).order.tolist())
        for s in range(5)
    }
    assert len(orders) > 1


def test_L3_1_the_limit_counts_updates():
    toy = toys.two_points()
    assert textbook.augmented_perceptron(toy.X, toy.y, max_updates=2).converged
    run = textbook.augmented_perceptron(toy.X, toy.y, max_updates=1)
    assert (run.converged, run.mistakes) == (False, 1)


# The trace.

ALL = {
    "origin": lambda X, y: textbook.origin_perceptron(X, y, eta=0.5),
    "online": textbook.online_perceptron,
    "perceptron": lambda X, y: textbook.perceptron(X, y, 0.5, max_epochs=5),
    "augmented": lambda X, y: textbook.augmented_perceptron(X, y, max_updates=20),
    "correction": lambda X, y: textbook.sample_correction(X, (y + 1) // 2, max_epochs=5),
}


@examples
@given(seed=seeds, name=st.sampled_from(sorted(ALL)))
def test_a_trace_is_consistent(seed, name):
    X, y = some_rows(seed)
    run = ALL[name](X, y)
    steps = list(run)
    assert len(steps) == len(run) == len(run.order)
    assert len(run.weights) == run.mistakes + 1
    w = run.weights[0]
    for t, step in enumerate(steps):
        np.testing.assert_array_equal(step.before, w)
        normal, offset = {
            None: (w, 0.0),
            0: (w[1:], w[0]),
            -1: (w[:-1], w[-1]),
        }[run.offset]
        assert step.score == pytest.approx(inner(normal, X[step.row]) + offset, abs=1e-9)
        assert step.row == run.order[t]
        assert step.mistake or step.prediction == step.label
        moved = not np.array_equal(step.before, step.after)
        assert moved == (step.mistake and (run.offset is not None or bool(X[step.row].any())))
        w = step.after
    np.testing.assert_array_equal(w, run.weights[-1])
    if steps:
        np.testing.assert_array_equal(run[-1].after, steps[-1].after)
    with pytest.raises(IndexError):
        run[len(run)]
    with pytest.raises(ValueError, match="read-only"):
        run.weights[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        run.order[:] = 0


def test_trace_of_a_run_without_a_step():
    run = textbook.augmented_perceptron([[1.0], [0.0]], [1, -1], max_updates=1, tie=-1)
    assert len(run) == 1
    empty = recorder.Log("none", np.ones((1, 1)), np.ones(1, int), offset=0)
    empty = empty.trace(1, True)
    assert (len(empty), list(empty), empty.mistakes, empty.b) == (0, [], 0, 0.0)
    assert empty.corrected.tolist() == []


@pytest.mark.parametrize("eta", [1.0, 0.3])
def test_L2_2_a_tie_of_0_is_a_mistake_for_both_labels_and_a_whole_correction(eta):
    X, y = [[2.0, 1.0], [-1.0, 1.0], [0.0, 3.0]], [-1, 1, 1]
    run = textbook.perceptron(X, y, eta, tie=0, max_epochs=1)
    assert (run[0].score, run[0].prediction, run[0].mistake) == (0.0, 0, True)
    assert run.weights[1].tolist() == [-2 * eta, -eta, -eta]
    for seed in range(20):
        rows, labels = some_rows(seed)
        ours = textbook.perceptron(rows, labels, eta, tie=0, max_epochs=3)
        ones = np.tile(textbook.append_one(rows), (ours.epochs, 1))
        theirs = textbook.online_perceptron(ones, np.tile(labels, ours.epochs), eta, tie=0)
        assert ours.weights.tolist() == theirs.weights.tolist()
        assert ours.mistake.tolist() == theirs.mistake.tolist()


def test_every_perceptron_of_the_textbook_takes_a_tie_of_0():
    taken = {name for name in textbook.__all__ if "tie" in signature_of(getattr(textbook, name))}
    assert len(taken) >= 6
    rows, labels = [[0.0, 1.0], [0.0, -1.0]], [-1, 1]
    for name in taken - {"Trace", "KernelTrace", "Votes"}:
        more = {"k": lambda x, z: x @ z} if name == "kernel_perceptron" else {}
        run = getattr(textbook, name)(rows, labels, **more, tie=0)
        first = getattr(run, "run", run)[0]
        assert (first.score, first.prediction, first.mistake) == (0.0, 0, True)


def signature_of(value):
    return inspect.signature(value).parameters if callable(value) else ()


def test_a_step_has_python_numbers():
    step = textbook.origin_perceptron([[1.0]], [1])[0]
    kinds = [type(part) for part in step]
    assert kinds == [int, float, int, int, bool, np.ndarray, np.ndarray]
