"""The closed path of the weights of a run that repeats."""

import numpy as np
import pytest
from displays import drawn, labels_outside, words

from rosenblatt import textbook, toys
from rosenblatt.cycling import find_cycle
from rosenblatt.plots import CycleDisplay

SQUARE = toys.xor()


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_L0_4_the_path_of_w_closes(fit_intercept):
    cycle = find_cycle(SQUARE.X, SQUARE.y, fit_intercept=fit_intercept)
    display = drawn(CycleDisplay.from_cycle(cycle))
    tails = np.array([arrow.xyann for arrow in display.arrows_])
    heads = np.array([arrow.xy for arrow in display.arrows_])
    assert np.array_equal(tails, cycle.weights[:-1, :2])
    assert np.array_equal(heads[:-1], tails[1:])
    assert np.array_equal(heads[-1], tails[0])
    said = words(display.figure_)
    assert f"{len(cycle.rows)} corrections in {cycle.period} steps" in said


def test_L0_4_vectors_that_return_have_all_their_numbers():
    cycle = find_cycle(SQUARE.X, SQUARE.y, fit_intercept=True)
    display = drawn(CycleDisplay.from_cycle(cycle))
    labels = [text.get_text() for text in display.ax_.texts]
    numbers = sorted(
        int(n)
        for text in labels
        if text[:1].isdigit() and "in" not in text
        for n in text.split(", ")
    )
    assert numbers == list(range(len(cycle.rows)))


@pytest.mark.parametrize("seed", [1, 6, 7, 22, 29])
def test_numbers_stay_within_the_axes(seed):
    X = np.random.default_rng(seed).integers(-3, 4, (6, 2)).astype(float)
    cycle = find_cycle(np.vstack([X, X[:1]]), [1, -1, 1, -1, 1, -1, -1], fit_intercept=False)
    assert labels_outside(drawn(CycleDisplay.from_cycle(cycle))) == []


def test_a_run_that_does_not_cycle_is_refused():
    toy = toys.two_points()
    with pytest.raises(ValueError, match=r"it is converged"):
        CycleDisplay.from_cycle(find_cycle(toy.X, toy.y))
    rows = np.column_stack([SQUARE.X, SQUARE.X])
    with pytest.raises(ValueError, match="w of 4 numbers"):
        CycleDisplay.from_cycle(find_cycle(rows, SQUARE.y, fit_intercept=False))
    with pytest.raises(TypeError, match=r"cycle must be Cycle, .* got Trace"):
        CycleDisplay.from_cycle(textbook.perceptron(toy.X, toy.y))
