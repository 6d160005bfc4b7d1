"""The notebook's algorithms: by hand, against its own cell, and with many learning rates."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from traces import seeds

from rosenblatt import claims, criteria, textbook, toys

examples = thorough(60)


def notebook(data, labels, a, eps, epochs):
    """The notebook's own cell, with its names."""
    augmented = np.concatenate([np.ones((len(data), 1)), data], axis=1)
    flipped = augmented.copy()
    flipped[labels == 0] = -flipped[labels == 0]
    total = 0
    for epoch in range(epochs):  # noqa: B007
        nchanged = 0
        for i in range(len(flipped)):
            if sum(a * flipped[i]) > 0:
                continue
            a = a + eps * flipped[i]
            nchanged += 1
        total += nchanged
        if nchanged == 0:
            break
    return a, total, epoch + 1, nchanged == 0


@examples
@given(seed=seeds, eps=st.sampled_from([1.0, 0.25, 0.1]))
def test_L4_2_sample_correction_is_the_notebook_to_the_bit(seed, eps):
    toy = toys.unit_square(20, seed=seed)
    run = textbook.sample_correction(toy.X, toy.y, eps, seed=seed, max_epochs=50)
    start = np.random.default_rng(seed).random(3)
    a, corrections, epochs, stopped = notebook(toy.X, toy.y, start, eps, 50)
    np.testing.assert_array_equal(run.weights[0], start)
    np.testing.assert_array_equal(run.weights[-1], a)
    assert (run.mistakes, run.epochs, run.converged) == (corrections, epochs, stopped)
    assert len(run) == 20 * epochs
    if run.converged:
        assert not run.mistake[-20:].any()
        np.testing.assert_array_equal(toy.X @ run.w + run.b > 0, toy.y == 1)


def test_L4_2_by_hand():
    # Flipped rows (-1, 0), (1, 1). From 0: both are at most 0, and so on until (-1, 2).
    run = textbook.sample_correction([[0.0], [1.0]], [0, 1], start=[0, 0])
    assert run.weights.tolist() == [[0, 0], [-1, 0], [0, 1], [-1, 1], [0, 2], [-1, 2]]
    assert run.mistake.tolist() == [True, True, True, True, True, False, False, False]
    assert run.score.tolist() == [0, -1, 0, 0, 0, 1, -1, 1]
    assert run.prediction.tolist() == [0, 0, 0, 0, 0, 1, 0, 1]
    assert run.label.tolist() == [0, 1] * 4
    assert not np.signbit(run.score[run.score == 0]).any()
    assert (run.epochs, run.converged, run.offset) == (4, True, 0)
    assert (run.w.tolist(), run.b) == ([2], -1.0)


def test_L4_2_start_and_limit():
    X, c = [[0.0], [1.0]], [0, 1]
    run = textbook.sample_correction(X, c, start=[-1.0, 2.0])
    assert (run.mistakes, run.epochs, run.converged) == (0, 1, True)
    run = textbook.sample_correction(X, c, start=[0.0, 0.0], max_epochs=3)
    assert (run.mistakes, run.epochs, run.converged) == (5, 3, False)
    starts = {tuple(textbook.sample_correction(X, c, seed=s).weights[0]) for s in range(4)}
    assert len(starts) == 4
    assert all(0.0 <= a < 1.0 for start in starts for a in start)


def test_L4_2_start_is_not_touched():
    start = np.array([0.0, 0.0])
    textbook.sample_correction([[0.0], [1.0]], [0, 1], start=start)
    assert start.tolist() == [0.0, 0.0]


def test_L4_9_a_sequence_of_rates():
    X, c = [[0.0], [1.0], [3.0], [2.0]], [0, 0, 1, 0]
    rates = [1.0, 0.5, 0.25, 2.0] + [1.0] * 99
    run = textbook.sample_correction(X, c, lambda t: rates[t - 1], start=[0.0, 0.0])
    assert run.converged
    assert run.rates.tolist() == rates[: run.mistakes]
    rows = run.y[run.corrected, np.newaxis] * run.X[run.corrected]
    steps = run.rates[:, np.newaxis] * rows
    assert np.diff(run.weights, axis=0).tolist() == steps.tolist()
    for name in ("rates", "weights", "order"):
        again = textbook.Trace.from_json(run.to_json())
        assert getattr(again, name).tolist() == getattr(run, name).tolist()
    second = int(np.flatnonzero(run.mistake)[1])
    assert "0.5·(" in run.explain(second)
    with pytest.raises(ValueError, match="run must have one learning rate"):
        claims.check(run, [1.0], -2.5)
    ones, one = (textbook.sample_correction(X, c, eps, start=[0, 0]) for eps in (lambda t: 1, 1.0))
    assert ones.to_json() == one.to_json()  # "namely all 1s"
    with pytest.raises(ValueError, match=r"eps\(1\) must be a finite number > 0, got 0"):
        textbook.sample_correction(X, c, lambda t: 0.0)


@pytest.mark.parametrize("kind", [list, tuple, np.array])
@pytest.mark.parametrize(
    "learn", [textbook.sample_correction, textbook.sample_descent, textbook.batch_descent]
)
def test_L4_9_a_list_of_rates_is_a_sequence(learn, kind):
    X, c, start = [[0.0], [1.0], [3.0], [2.0]], [0, 0, 1, 0], [0.5, -1.0]
    of_t = [1 / t for t in range(1, 200)]
    if learn is textbook.batch_descent:
        whole = learn(X, c, eta=kind(of_t), start=start)
        assert whole.to_json() == learn(X, c, eta=lambda t: 1 / t, start=start).to_json()
        enough, short = ({"eta": kind(of_t[: len(whole.weights) - k])} for k in (1, 2))
    else:
        name = "eps" if learn is textbook.sample_correction else "eta"
        whole = learn(X, c, **{name: kind(of_t)}, start=start)
        assert whole.to_json() == learn(X, c, **{name: lambda t: 1 / t}, start=start).to_json()
        enough, short = ({name: kind(of_t[: len(whole.weights) - k])} for k in (1, 2))
    assert len(whole.weights) > 3
    assert learn(X, c, **enough, start=start).to_json() == whole.to_json()
    said = f"has {len(whole.weights) - 2} rates, and update {len(whole.weights) - 1} needs one"
    with pytest.raises(ValueError, match=said):
        learn(X, c, **short, start=start)


def test_L4_9_falling_rates_settle_where_a_constant_one_does_not():
    X, c = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    for learn in (textbook.batch_descent, textbook.sample_descent):
        falling, fixed = (
            learn(X, c, criteria.LeastSquares(), eta, **limit(learn))
            for eta in (lambda t: 0.05 / math.sqrt(t), 0.05)
        )
        assert falling.rates[:2].tolist() == [0.05, 0.05 / math.sqrt(2)]
        assert fixed.rates is None
        if learn is textbook.sample_descent:
            last = [np.ptp(run.weights[-8:], axis=0).max() for run in (falling, fixed)]
            assert last[0] < last[1] / 5


def limit(learn):
    return {"max_updates" if learn is textbook.batch_descent else "max_epochs": 300}
