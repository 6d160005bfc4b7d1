"""The closed path of the weights of a run that repeats."""

import numpy as np
import pytest
from displays import drawn, labels_outside, words
from matplotlib.text import Annotation

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


def numbers_of(display):
    """The labels of the vectors, at their places."""
    labels = [text for text in display.ax_.texts if isinstance(text, Annotation)]
    return {text.xy: text.get_text() for text in labels if text.get_text()}


def test_L0_4_vectors_that_return_have_all_their_numbers():
    # With two rows of each kind a vector returns with the same b, too.
    X, y = np.vstack([SQUARE.X, SQUARE.X]), [*SQUARE.y, *SQUARE.y]
    cycle = find_cycle(X, y, fit_intercept=False)
    labels = numbers_of(drawn(CycleDisplay.from_cycle(cycle)))
    vectors = [tuple(w) for w in cycle.weights[:-1].tolist()]
    expected = {w: ", ".join(str(j) for j, v in enumerate(vectors) if v == w) for w in vectors}
    assert labels == expected
    assert any("," in text for text in labels.values())


def test_L0_4_vectors_that_differ_in_b_alone_are_told_apart():
    cycle = find_cycle(SQUARE.X, SQUARE.y, fit_intercept=True)
    assert cycle.weights[:-1].tolist() == [[-1, -1, 1], [0, 0, 0], [-1, 1, 1], [0, 0, 2]]
    display = drawn(CycleDisplay.from_cycle(cycle))
    labels = numbers_of(display)
    assert labels == {(-1, -1): "0", (0, 0): "1 (b = 0)\n3 (b = 2)", (-1, 1): "2"}
    assert labels_outside(display) == []


def test_a_row_of_zeros_moves_b_alone():
    cycle = find_cycle([[0, 0], [1, 0], [0, 0], [1, 1]], [1, -1, -1, 1])
    display = drawn(CycleDisplay.from_cycle(cycle))
    assert numbers_of(display) == {(-1, 2): "0 (b = 0)\n1 (b = 1)"}


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
