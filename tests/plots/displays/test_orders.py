"""The displays of the studies draw the studies' numbers."""

import numpy as np
import pytest

from rosenblatt import studies, toys
from rosenblatt.plots import GrowthDisplay, OrdersDisplay


@pytest.fixture(scope="module")
def orders():
    toy = toys.unit_square(40)
    return studies.orders(toy.X, toy.signs, orders=15)


@pytest.mark.parametrize(
    ("measure", "times"),
    [("mistakes", 1), ("epochs", 1), ("error", 100), ("angle", 1), ("margin", 1)],
)
def test_L3_6_a_dot_an_order(orders, measure, times):
    display = OrdersDisplay.from_study(orders, measure)
    assert display.figure_ is display.ax_.figure
    ways = orders.once, orders.fixed, orders.shuffled
    for dots, median, runs in zip(display.dots_, display.medians_, ways, strict=True):
        values = times * getattr(runs, measure)
        np.testing.assert_allclose(dots.get_offsets()[:, 0], values)
        np.testing.assert_allclose(median.get_xdata(), np.median(values))
    by_label = orders.once_by_label, orders.fixed_by_label
    for crosses, runs in zip(display.crosses_, by_label, strict=True):
        np.testing.assert_allclose(crosses.get_offsets()[:, 0], times * getattr(runs, measure))
    assert display.ax_.get_title(loc="left").split()[1:2] == ["from"]


def test_L3_6_runs_that_end_at_zero_have_mistakes_but_no_margin():
    toy = toys.xor()
    study = studies.orders(toy.X, toy.y, orders=3, max_iter=2)
    display = OrdersDisplay.from_study(study, "mistakes")
    assert display.ax_.get_title(loc="left") == "Mistakes from 4 to 8"
    with pytest.raises(ValueError, match="study must have a margin, but w is zero in every run"):
        OrdersDisplay.from_study(study, "margin")


def test_L3_6_runs_that_never_ended_are_hollow():
    toy = toys.xor()
    study = studies.orders(toy.X, toy.y, orders=3, max_iter=2)
    display = OrdersDisplay.from_study(study, "mistakes")
    white, colours = (1, 1, 1), [dots.get_facecolors()[:, :3] for dots in display.dots_]
    assert not (colours[0] == white).all(axis=1).any()  # one epoch is no attempt to converge
    assert (np.vstack([*colours[1:], display.crosses_[1].get_facecolors()[:, :3]]) == white).all()
    evidence = " ".join(text.get_text() for text in display.ax_.texts)
    assert "hollow: 8 not converged when the limit of epochs ended them" in evidence
    ended = studies.orders(toys.two_points().X, [1, -1], orders=3)
    texts = OrdersDisplay.from_study(ended, "epochs").ax_.texts
    assert not any("hollow" in text.get_text() for text in texts)


def test_L3_6_the_title_ranges_over_all_that_is_drawn():
    lanes, ends = {"a": np.array([3.0, 5.0])}, {"a": np.array([2.0, 70.0])}
    display = OrdersDisplay(lanes, ends, "mistakes").plot()
    assert display.ax_.get_title(loc="left") == "Mistakes from 2 to 70"
    assert display.ax_.get_xscale() == "log"


@pytest.mark.parametrize("counts", [(2.0, 9.0), (0.0, 50.0), (1.0, 1.0)])
def test_L3_6_few_counts_have_whole_numbers_on_a_plain_axis(counts):
    display = OrdersDisplay({"a": np.array(counts)}, {}, "epochs").plot()
    display.figure_.canvas.draw()
    assert display.ax_.get_xscale() == "linear"
    assert all(tick % 1 == 0 for tick in display.ax_.get_xticks())


def test_L3_6_an_unknown_measure_is_refused(orders):
    with pytest.raises(ValueError, match="measure must be one of"):
        OrdersDisplay.from_study(orders, "seconds")


@pytest.mark.parametrize(
    ("study", "scale"),
    [
        (lambda: studies.mistakes_by_margin((0.4, 0.1), repeats=6), "log"),
        (lambda: studies.mistakes_by_dimension((2, 20), repeats=6), "log"),
        (lambda: studies.mistakes_by_noise((0.0, 0.1), n=100, repeats=6), "linear"),
    ],
)
def test_L2_4_mistakes_and_their_bound(plt, study, scale):
    study = study()
    _, ax = plt.subplots()
    display = GrowthDisplay.from_study(study, ax=ax)
    assert display.ax_ is ax
    assert ax.get_xscale() == ax.get_yscale() == scale
    np.testing.assert_allclose(display.median_.get_ydata(), np.median(study.mistakes, axis=1))
    np.testing.assert_allclose(display.bound_.get_ydata(), np.median(study.bound, axis=1))
    np.testing.assert_allclose(display.dots_.get_offsets()[:, 1], study.mistakes.ravel())
    low, high = np.quantile(study.mistakes, [0.25, 0.75], axis=1)
    (band,) = display.quartiles_.get_paths()
    assert {*low, *high} <= {*band.vertices[:, 1]}
    assert ax.get_xlabel() == study.name
    low, high = ax.get_ylim()
    assert low <= study.mistakes.min() <= study.bound.max() < high


def test_axes_by_factors_have_plain_numbers(plt):
    study = studies.mistakes_by_margin((0.4, 0.01), repeats=3)
    display = GrowthDisplay.from_study(study)
    display.figure_.canvas.draw()
    shown = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert {"10", "100", "1,000", "10,000"} <= set(shown)
