"""The lift: a plane that cuts the paraboloid in a circle."""

from itertools import product

import numpy as np
import pytest
from displays import drawn, words
from matplotlib import pyplot
from profiles import share
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import (
    Perceptron,
    RadialLift,
    textbook,
    toys,
)
from rosenblatt.plots import (
    LiftDisplay,
)

TOY = toys.separable(40, 2, margin=0.2, offset=0.1)


def test_L0_6_the_circle_is_where_the_plane_cuts_the_bowl():
    toy = toys.rings(60, inner=0.5, outer=0.9)
    model = Perceptron().fit(RadialLift().fit_transform(toy.X), toy.y)
    display = drawn(LiftDisplay.from_estimator(model, toy.X, toy.y))
    x, y, z = display.cut_.get_data_3d()
    assert z == pytest.approx(x**2 + y**2)
    on_plane = np.column_stack([x, y, z]) @ model.coef_[0] + model.intercept_[0]
    assert on_plane == pytest.approx(0, abs=1e-9)
    distance = np.linalg.norm(np.column_stack([x, y]) - display.centre, axis=1)
    assert distance == pytest.approx(display.radius)
    (below,) = [path.vertices for path in display.boundary_.get_paths()]
    assert np.linalg.norm(below - display.centre, axis=1) == pytest.approx(display.radius, abs=0.01)


SLOPES = [(0.0, 1.0), (0.2, -1.0), (1.0, 1.0), (5.0, -1.0)]


@pytest.mark.parametrize(("turn", "slope"), share(product(range(6), SLOPES), 3, 0))
def test_L0_6_the_plane_is_not_seen_edge_on(turn, slope):
    slope, c = slope
    w = slope * np.array([np.cos(turn), np.sin(turn)])
    toy = toys.rings(20)
    view = drawn(LiftDisplay(toy.X, toy.y, w, c, -0.5 * c).plot()).axes_[0]
    azimuth, height = np.radians([view.azim, view.elev])
    sight = [np.cos(height) * np.cos(azimuth), np.cos(height) * np.sin(azimuth), np.sin(height)]
    normal = np.array([*w, c]) / np.linalg.norm([*w, c])
    assert abs(normal @ sight) > np.sin(np.radians(9))


@pytest.mark.parametrize(("w", "c", "b"), [([1.0, 2.0], 0.0, 0.1), ([0.0, 0.2], 1.0, 10.0)])
def test_a_plane_that_cuts_no_circle_is_drawn_without(w, c, b):
    toy = toys.rings(20)
    display = drawn(LiftDisplay(toy.X, toy.y, np.array(w), c, b).plot())
    assert display.radius is display.cut_ is None
    assert "no circle" in words(display.figure_)


def test_a_lift_of_other_rows_is_refused():
    with pytest.raises(ValueError, match=r"coef_ of shape \(1, 3\), got \(1, 2\)"):
        LiftDisplay.from_estimator(Perceptron().fit(TOY.X, TOY.y), TOY.X, TOY.y)
    for rows in (TOY.X, np.column_stack([TOY.X, TOY.X[:, 0]])):
        with pytest.raises(ValueError, match=r"the run's rows must be \(x, y, x² \+ y²\)"):
            LiftDisplay.from_trace(textbook.perceptron(rows, TOY.y))
    for steps in ([RadialLift(), StandardScaler()], [StandardScaler()]):
        model = make_pipeline(*steps, Perceptron()).fit(TOY.X, TOY.y)
        with pytest.raises(ValueError, match=r"coef_ of shape \(1, 3\), got none"):
            LiftDisplay.from_estimator(model, TOY.X, TOY.y)


def test_too_few_axes_are_refused():
    toy = toys.rings(20)
    axes = pyplot.figure().add_subplot(projection="3d")
    with pytest.raises(ValueError, match="ax must have 2 axes for 2 panels, got 1"):
        LiftDisplay(toy.X, toy.y, np.array([0.0, 0.2]), 1.0, 0.1).plot([axes])


def test_L0_6_the_lift_of_a_pipeline_and_of_a_run():
    toy = toys.rings(60, inner=0.5, outer=0.9)
    apart = Perceptron().fit(RadialLift().fit_transform(toy.X), toy.y)
    whole = make_pipeline(RadialLift(), Perceptron()).fit(toy.X, toy.y)
    one, other = (LiftDisplay.from_estimator(model, toy.X, toy.y) for model in (apart, whole))
    assert one.radius == other.radius
    run = textbook.perceptron(textbook.radial_lift(toy.X), toy.y)
    for j in (1, -1):
        display = drawn(LiftDisplay.from_trace(run, j))
        (w0, w1, c), b = run.line(j)
        assert (*display.w, display.c, display.b) == (w0, w1, c, b)
        assert np.array_equal(display.X, toy.X)
    assert run.converged
    inside = np.linalg.norm(toy.X - display.centre, axis=1) < display.radius
    assert np.array_equal(inside, toy.y > 0)
