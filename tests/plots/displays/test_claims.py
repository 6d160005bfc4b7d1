"""The claims of the theorem along a run, and its bound."""

import numpy as np
import pytest
from displays import drawn, words

from rosenblatt import claims, textbook, toys
from rosenblatt.plots import ClaimsDisplay, style

MIXED = toys.xor(copies=5, noise=0.5)


def test_L0_5_both_claims_and_where_they_meet():
    toy = toys.separable(100, 5, margin=0.1)
    run = textbook.origin_perceptron(toy.X, toy.y)
    display = drawn(ClaimsDisplay.from_trace(run, toy.u))
    made = claims.check(run, toy.u)
    assert display.norm_.get_ydata() == pytest.approx(np.linalg.norm(run.weights, axis=1))
    assert display.projection_.get_ydata() == pytest.approx(run.weights @ toy.u)
    assert display.bound_.get_xdata()[0] == pytest.approx((made.R / made.gamma) ** 2)
    said = words(display.figure_)
    assert "Both claims hold" in said
    assert f"{run.mistakes} made" in said
    ceiling, floor = (line.get_xydata() for line in display.axes_[1].lines[:2])
    (meets,) = np.flatnonzero(np.diff(np.sign(ceiling[:, 1] - floor[:, 1])) < 0)[-1:]
    assert ceiling[meets, 0] <= made.bound <= ceiling[meets + 1, 0]


def test_L0_5_without_u_the_widest_margin_is_taken():
    toy = toys.two_points()
    run = textbook.augmented_perceptron(toy.X, toy.y)
    display = drawn(ClaimsDisplay.from_trace(run))
    assert display.claims.gamma == pytest.approx(claims.check(run, toy.u).gamma)


def test_L0_5_where_no_u_exists_claim_2_is_left():
    run = textbook.perceptron(MIXED.X, MIXED.y, max_epochs=5)
    display = drawn(ClaimsDisplay.from_trace(run))
    assert display.projection_ is display.bound_ is None
    assert len(display.norm_.get_ydata()) == len(run.weights)
    said = words(display.figure_)
    assert "no u exists" in said
    assert "an assumption fails" in said


def test_a_u_that_does_not_separate_is_named():
    toy = toys.two_points()
    run = textbook.augmented_perceptron(toy.X, toy.y)
    display = drawn(ClaimsDisplay.from_trace(run, -toy.u))
    assert "this u does not separate the rows" in words(display.figure_)
    assert display.projection_ is not None


def test_L4_6_the_bound_from_another_start():
    toy = toys.two_points()
    run = textbook.augmented_perceptron(toy.X, toy.y, 0.5, start=[1.0, 3.0, 1.0])
    display = drawn(ClaimsDisplay.from_trace(run, toy.u))
    made = display.claims
    most, distance = (line.get_xydata().T for line in display.axes_[1].lines[:2])
    assert np.interp(made.t, *most) == pytest.approx(made.farthest)
    assert np.array_equal(distance, [made.t, made.distance])
    assert most[:, -1] == pytest.approx([made.bound, 0])
    assert display.bound_.get_xdata()[0] == made.bound
    said = words(display.figure_)
    assert "The distance cannot fall below 0" in said
    assert f"at most {int(made.bound)} corrections from this start" in said
    assert "bounds must meet" not in said


@pytest.mark.parametrize("start", [None, [0.0, 0.0, 0.0, 0.0, 2.0]])
def test_L0_5_no_bound_is_promised_where_an_assumption_fails(start):
    toy = toys.separable(100, 5, margin=0.1)
    y = toy.y * np.where(np.arange(100) == 70, -1, 1)
    run = textbook.origin_perceptron(toy.X, y, start=start)
    display = drawn(ClaimsDisplay.from_claims(claims.check(run, toy.u, gamma=toy.gamma)))
    said = words(display.axes_[1])
    assert "The bound does not apply" in said
    assert "at most" not in said
    assert "at most" not in said
    dashed = [line for line in display.axes_[1].lines if line.get_linestyle() == "--"]
    assert {line.get_color() for line in [*dashed, display.bound_]} == {style.GREY}
