"""The decision line: its normal, margin band, mistakes and scales."""

from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from displays import drawn, words
from matplotlib import pyplot
from profiles import share
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from rosenblatt import (
    KernelPerceptron,
    Perceptron,
    textbook,
    theory,
    toys,
)
from rosenblatt.plots import (
    DecisionLineDisplay,
)

TOY = toys.separable(40, 2, margin=0.2, offset=0.1)
MIXED = toys.xor(copies=5, noise=0.5)


KINDS = np.asarray, pd.DataFrame, pl.DataFrame
LABELS = [-1, 1], [0, 1], ["ham", "spam"]
MODELS = Perceptron(), LogisticRegression(C=1e4)


@pytest.mark.parametrize(("model", "labels", "kind"), share(product(MODELS, LABELS, KINDS), 4, 0))
def test_L0_3_the_line_of_an_estimator(model, labels, kind):
    X = kind({"long": TOY.X[:, 0], "wide": TOY.X[:, 1]}) if kind != np.asarray else TOY.X
    y = np.array(labels)[(TOY.y > 0).astype(int)]
    display = drawn(DecisionLineDisplay.from_estimator(model.fit(X, y), X, y))
    assert np.array_equal(display.y, TOY.y)
    assert display.gamma == pytest.approx(theory.margin(TOY.X, TOY.y, display.w, display.b))
    named = ("−1", "+1") if labels == [-1, 1] else tuple(map(str, labels))
    assert display.classes == named
    assert display.ax_.get_xlabel() == ("x₁" if kind == np.asarray else "long")
    assert display.rings_ is None


def test_L0_3_the_drawn_line_is_where_the_score_is_zero_and_w_is_normal_to_it():
    display = drawn(DecisionLineDisplay.from_trace(textbook.perceptron(TOY.X, TOY.y)))
    first, second = np.array([display.line_.get_xy1(), display.line_.get_xy2()])
    for point in (first, second):
        assert display.w @ point + display.b == pytest.approx(0, abs=1e-12)
    tail, head = np.array(display.arrow_.xyann), np.array(display.arrow_.xy)
    assert display.w @ tail + display.b == pytest.approx(0, abs=1e-12)
    assert (head - tail) @ (second - first) == pytest.approx(0, abs=1e-12)
    assert (head - tail) @ display.w > 0


def test_L1_3_the_band_reaches_to_the_nearest_point():
    display = drawn(DecisionLineDisplay.from_trace(textbook.perceptron(TOY.X, TOY.y)))
    corners = display.band_.get_xy()
    distances = np.abs(corners @ display.w + display.b) / np.linalg.norm(display.w)
    assert distances == pytest.approx(display.gamma)
    assert "γ" in words(display.figure_)


def test_mistaken_points_are_ringed_and_the_band_reaches_to_the_worst():
    run = textbook.perceptron(MIXED.X, MIXED.y, max_epochs=3)
    display = drawn(DecisionLineDisplay.from_trace(run))
    wrong = MIXED.y * (MIXED.X @ run.w + run.b) <= 0
    assert np.array_equal(display.rings_.get_offsets(), MIXED.X[wrong])
    assert f"{wrong.sum()} of 20 points wrong" in words(display.figure_)
    assert display.gamma == pytest.approx(theory.margin(MIXED.X, MIXED.y, run.w, run.b))
    assert display.gamma < 0
    unit = run.w / np.linalg.norm(run.w)
    sides = display.band_.get_xy() @ unit + run.b / np.linalg.norm(run.w)
    assert np.abs(sides) == pytest.approx(-display.gamma)
    assert np.abs(MIXED.X[wrong] @ unit + run.b / np.linalg.norm(run.w)).max() <= np.abs(sides[0])
    assert f"γ = −{-display.gamma:.3g}" in words(display.figure_)


@pytest.mark.parametrize("tie", [-1, 1])
def test_the_mistaken_are_the_runs_own_errors_to_the_last_bit(tie):
    X = [[0.2, 0.1], [0.0, -0.2], [-0.1, -0.3], [-0.3, -0.3]]  # another order of sums: other ties
    run = textbook.augmented_perceptron(X, [1, -1, -1, 1], tie=tie, max_updates=40)
    ax = pyplot.figure().add_subplot()
    for j in (0, 28, 32, 36, 40):  # in 28, 32 and 36 sums of another order have other signs
        display = DecisionLineDisplay.from_trace(run, j, ax=ax)
        assert display.mistaken.sum() == run.errors[j]
        ax.clear()


def test_mistakes_on_the_line_itself_have_no_band():
    run = textbook.origin_perceptron([[1.0, 1.0], [1.0, -1.0]], [1, 1], tie=-1)
    display = drawn(DecisionLineDisplay.from_trace(run, 1))
    assert display.mistaken.tolist() == [False, True]
    assert display.band_ is None
    assert "ringed, on the line: γ = 0" in words(display.figure_)


def test_L4_3_a_line_of_the_notebook_has_its_classes():
    toy = toys.unit_square(20)
    display = drawn(DecisionLineDisplay.from_trace(textbook.sample_correction(toy.X, toy.y)))
    assert display.classes == ("0", "1")


@pytest.mark.parametrize(("factor", "equal"), [(9.0, True), (11.0, False), (3000.0, False)])
def test_columns_of_unlike_units_have_two_scales_and_no_right_angles(factor, equal):
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([-1, 1, -1, 1])
    w, b = np.array([-0.5 / factor, 1.0]), -0.25
    display = DecisionLineDisplay(X * [factor, 1], y, w, b, np.zeros(4, bool))
    ax = drawn(display.plot()).ax_
    assert (ax.get_aspect() == 1) == equal
    assert (display.arrow_ is not None) == equal
    assert display.line_ is not None
    assert ("axes of two scales" in words(display.figure_)) != equal
    if not equal:
        assert np.ptp(ax.get_ylim()) < 1.2
    corners = display.band_.get_xy() @ w + b
    assert np.abs(corners) / np.linalg.norm(w) == pytest.approx(display.gamma)


@pytest.mark.parametrize(("b", "shown"), [(-0.5, True), (-1.2, True), (-9.0, False)])
def test_a_line_beside_the_points_is_drawn_or_reported(b, shown):
    X, y = np.random.default_rng(0).uniform(0, 1, (12, 2)), np.repeat([-1, 1], 6)
    w = np.array([1.0, 0.0])
    display = drawn(DecisionLineDisplay(X, y, w, b, (X @ w + b > 0) != (y > 0)).plot())
    parts = [display.line_, display.arrow_, display.band_]
    assert [part is not None for part in parts] == 3 * [shown]
    assert ("out of the panel" in words(display.figure_)) != shown
    (low, high), (bottom, top) = display.ax_.get_xlim(), display.ax_.get_ylim()
    assert high - low < 2.2
    if shown:
        for x, up in (display.arrow_.xyann, display.arrow_.xy):
            assert low < x < high
            assert bottom < up < top


def test_the_marks_of_many_points_are_smaller_but_not_in_the_legend():
    areas = []
    for copies in (5, 500):
        toy = toys.xor(copies, noise=0.5)
        run = textbook.perceptron(toy.X, toy.y, max_epochs=1)
        display = drawn(DecisionLineDisplay.from_trace(run))
        areas.append(display.points_[0].get_sizes()[0])
        (mark, _) = display.ax_.get_legend().legend_handles
        assert mark.get_sizes() == [30]
    assert areas[1] < areas[0] / 4


def test_w_zero_has_no_line_and_its_mistakes_are_the_ties():
    display = drawn(DecisionLineDisplay.from_trace(textbook.perceptron(TOY.X, TOY.y, tie=-1), 0))
    assert display.line_ is display.arrow_ is display.gamma is display.band_ is None
    assert np.array_equal(display.mistaken, TOY.y > 0)


def test_other_data_than_lines_in_the_plane_is_refused():
    X = np.column_stack([TOY.X, TOY.X])
    with pytest.raises(ValueError, match=r"shape \(n, 2\) to be drawn in the plane, got \(40, 4\)"):
        DecisionLineDisplay.from_estimator(Perceptron().fit(X, TOY.y), X, TOY.y)
    with pytest.raises(ValueError, match=r"shape \(n, 2\)"):
        DecisionLineDisplay.from_trace(textbook.perceptron(X, TOY.y))
    with pytest.raises(ValueError, match=r"coef_ of shape \(1, 2\), got none; ClassRegionsDisplay"):
        DecisionLineDisplay.from_estimator(KernelPerceptron().fit(TOY.X, TOY.y), TOY.X, TOY.y)
    with pytest.raises(NotFittedError):
        DecisionLineDisplay.from_estimator(Perceptron(), TOY.X, TOY.y)
    model = Perceptron().fit(TOY.X, TOY.y)
    with pytest.raises(ValueError, match="y must hold -1 and 1, got 2"):
        DecisionLineDisplay.from_estimator(model, TOY.X, np.abs(2 * TOY.y))
    with pytest.raises(ValueError, match=r"y must have shape \(40,\), got \(39,\)"):
        DecisionLineDisplay.from_estimator(model, TOY.X, TOY.y[:39])
    three = Perceptron().fit(TOY.X, np.arange(40) % 3)
    with pytest.raises(ValueError, match=r"coef_ of shape \(1, 2\), got \(3, 2\)"):
        DecisionLineDisplay.from_estimator(three, TOY.X, TOY.y)


def test_many_mistakes_have_no_band():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), rng.choice([-1, 1], 300)
    display = drawn(DecisionLineDisplay.from_estimator(Perceptron().fit(X, y), X, y))
    assert display.mistaken.sum() > 20
    assert display.band_ is None
    assert "γ" not in [text.get_text() for text in display.ax_.texts]
    assert "ringed: γ = −" in words(display.figure_)
    assert len(display.rings_.get_offsets()) == display.mistaken.sum()
