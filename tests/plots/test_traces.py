"""The displays of recorded runs: their steps, the theorem along them, and criteria."""

import re

import numpy as np
import pytest
from displays import drawn, words
from matplotlib import pyplot
from matplotlib.text import Text
from PIL import Image
from rosenblatt.criteria import LeastSquares, Misclassified, PerceptronCriterion, Residual, values

from rosenblatt import claims, textbook, toys
from rosenblatt.plots import ClaimsDisplay, CriterionDisplay, StepsDisplay, criteria, style

TOY = toys.separable(40, 2, margin=0.2, offset=0.1)
MIXED = toys.xor(copies=5, noise=0.5)


def setup_function():
    pyplot.close("all")


teardown_function = setup_function


# --- steps ---------------------------------------------------------------------------------------


def arrows(ax):
    """Tail and head of the arrows of a panel, in the order in which they were drawn."""
    found = [text for text in ax.texts if getattr(text, "arrow_patch", None) is not None]
    return [(np.array(text.xyann), np.array(text.xy)) for text in found]


def test_L3_2_the_worked_example_in_pictures():
    toy = toys.two_points()
    run = textbook.augmented_perceptron(toy.X[::-1], toy.y[::-1])
    display = drawn(StepsDisplay.from_trace(run))
    assert display.steps_ == (0, 1)
    assert words(display.axes_[1]).count("Step 1: a mistake") == 1
    assert "w·x + b = −5, but y = +1" in words(display.axes_[1])
    first, second = arrows(display.axes_[0]), arrows(display.axes_[1])
    assert [len(first), len(second)] == [1, 2]  # w = 0 has no arrow
    moved = [head - tail for tail, head in (*first, *second)]
    scale = np.hypot(*moved[0]) / np.hypot(2, 1)
    expected = scale * np.array([[-2, -1], [-2, -1], [-1, 1]])
    assert np.array(moved) == pytest.approx(expected)
    for (tail, _), (w, b) in zip((*first, *second), map(run.line, (1, 1, 2)), strict=True):
        assert w @ tail + b == pytest.approx(0, abs=1e-12)


def test_L0_3_through_the_origin_w_moves_along_the_row():
    toy = toys.separable(30, 2, seed=3)
    run = textbook.origin_perceptron(toy.X, toy.y)
    display = drawn(StepsDisplay.from_trace(run, range(len(run))))
    assert len(display.axes_) == len(run)
    for ax, step in zip(display.axes_, run, strict=True):
        ends = arrows(ax)
        assert all(np.array_equal(tail, [0, 0]) for tail, _ in ends)
        assert len(ends) == (2 if step.mistake and step.before.any() else 1)
        if len(ends) == 2:
            turn = ends[1][1] - ends[0][1]
            x = step.label * run.points[step.row]
            assert turn / np.hypot(*turn) == pytest.approx(x / np.hypot(*x))
        assert ("a mistake" if step.mistake else "right") in words(ax)


def test_L0_3_through_the_origin_the_first_w_ends_on_the_row_it_was_made_of():
    toy = toys.two_points()
    display = drawn(StepsDisplay.from_trace(textbook.origin_perceptron(toy.X, toy.y)))
    ((_, head),) = arrows(display.axes_[0])
    assert np.array_equal(head, toy.X[0])
    long = textbook.origin_perceptron(toy.X, toy.y, start=[-90.0, 90.0])
    ((_, head),) = arrows(drawn(StepsDisplay.from_trace(long, [0])).axes_[0])
    assert np.hypot(*head) < np.hypot(*toy.X[0])


def test_steps_of_a_batch_move_at_the_end_of_a_sweep():
    run = textbook.batch_descent(MIXED.X, MIXED.y, max_steps=3)
    display = drawn(StepsDisplay.from_trace(run, [20, 39]))
    assert [len(arrows(ax)) for ax in display.axes_] == [1, 2]


def test_a_line_too_far_from_the_points_is_said_to_be():
    run = textbook.augmented_perceptron([[10.0, 11.0], [11.0, 10.0]], [1, -1], max_updates=2)
    display = drawn(StepsDisplay.from_trace(run, [0]))
    assert display.axes_[0].get_xlabel() == "too far away to draw: w′"
    assert arrows(display.axes_[0]) == []
    assert [line for line in display.axes_[0].lines if len(line.get_xydata())] == []


def test_many_points_keep_half_of_the_panel():
    toy = toys.unit_square(100)
    display = drawn(StepsDisplay.from_trace(textbook.sample_correction(toy.X, toy.y)))
    for ax in display.axes_:
        assert np.ptp(ax.get_xlim()) <= 2 * np.ptp(toy.X, axis=0).max()
    far = [ax.get_xlabel() for ax in display.axes_]
    assert far[0] == "too far away to draw: w, w′"
    assert far[-1] == ""


@pytest.mark.parametrize("rows", [1, 2])
def test_no_word_of_a_strip_is_cut_off_or_runs_into_another_panels(rows):
    toy = toys.unit_square(100)
    run = textbook.sample_correction(toy.X, toy.y)
    display = StepsDisplay.from_trace(run, np.flatnonzero(run.mistake)[: 4 * rows])
    display.figure_.canvas.draw()
    panels = [
        [text.get_window_extent() for text in ax.findobj(Text) if text.get_text()]
        for ax in display.axes_
    ]
    for said in panels:
        assert all(box.x0 >= 0 <= box.y0 and box.y1 <= display.figure_.bbox.y1 for box in said)
    for above, below in zip(panels[:4], panels[4:], strict=False):
        assert not any(one.overlaps(other) for one in above for other in below)


@pytest.mark.parametrize("make", [textbook.origin_perceptron, textbook.augmented_perceptron])
def test_the_titles_of_a_strip_are_not_cut_off(make):
    toy = toys.two_points()
    display = StepsDisplay.from_trace(make(toy.X, toy.y))
    display.figure_.set_dpi(70)
    display.figure_.canvas.draw()
    for ax in display.axes_:
        assert ax.get_tightbbox().y1 < display.figure_.bbox.y1


def test_L4_5_a_batch_is_shown_by_its_moves_with_all_that_they_correct():
    run = textbook.batch_descent(MIXED.X, MIXED.y, max_steps=3)
    display = drawn(StepsDisplay.from_trace(run))
    assert display.steps_ == (19, 39, 59)
    for ax, j in zip(display.axes_, range(3), strict=True):
        wrong = run.order[(run.used == j) & run.mistake]
        rings = ax.collections[-1].get_offsets()
        assert np.array_equal(rings, MIXED.X[wrong])
        assert f"{len(wrong)} mistakes" in words(ax)
        assert "corrected at once" in words(ax)


def test_a_single_sample_may_move_when_it_is_right():
    run = textbook.sample_descent(TOY.X, TOY.y, LeastSquares(), 0.01, max_epochs=1)
    display = drawn(StepsDisplay.from_trace(run))
    assert display.steps_ == tuple(range(8))
    right = np.flatnonzero(~run.mistake[:8])
    assert right.size
    for t in right:
        assert f"Step {t}: right" in words(display.axes_[t])


def test_the_classes_are_said_once_and_the_origin_marked_where_arrows_begin_there():
    toy = toys.unit_square(20)
    display = drawn(StepsDisplay.from_trace(textbook.sample_correction(toy.X, toy.y)))
    (key,) = display.figure_.legends
    assert [text.get_text() for text in key.get_texts()] == ["0", "1"]
    assert "but y = 0" in words(display.figure_)
    crosses = [line for ax in display.axes_ for line in ax.lines if line.get_marker() == "+"]
    assert crosses == []
    run = textbook.origin_perceptron(TOY.X, TOY.y)
    display = drawn(StepsDisplay.from_trace(run, [0], ax=pyplot.subplots()[1]))
    assert display.figure_.legends == []
    key = display.axes_[0].get_legend()
    assert [text.get_text() for text in key.get_texts()] == ["−1", "+1"]
    (cross,) = [line for line in display.axes_[0].lines if line.get_marker() == "+"]
    assert cross.get_xydata().tolist() == [[0, 0]]


def test_the_first_moves_are_shown_and_steps_that_are_not_there_refused():
    run = textbook.perceptron(MIXED.X, MIXED.y, max_epochs=9)
    assert StepsDisplay.from_trace(run).steps_ == tuple(np.flatnonzero(run.mistake)[:8])
    assert StepsDisplay.from_trace(run, [-1]).steps_ == (len(run) - 1,)
    with pytest.raises(IndexError):
        StepsDisplay.from_trace(run, [len(run)])
    with pytest.raises(ValueError, match="no step to draw"):
        StepsDisplay.from_trace(run, [])
    with pytest.raises(ValueError, match="2 axes for 2 panels, got 1"):
        StepsDisplay.from_trace(run, [0, 1], ax=pyplot.subplots()[1])
    with pytest.raises(ValueError, match=r"shape \(n, 2\)"):
        StepsDisplay.from_trace(textbook.perceptron(np.eye(3), [1, -1, 1]))


def test_an_animation_is_a_gif_with_a_frame_a_step(tmp_path):
    run = textbook.perceptron(TOY.X, TOY.y)
    StepsDisplay(run, range(5)).save(tmp_path / "run.gif", seconds=0.5)
    assert pyplot.get_fignums() == []
    with Image.open(tmp_path / "run.gif") as picture:
        assert picture.n_frames == 5
        assert picture.info["duration"] == 500


def test_an_animation_is_a_page_that_needs_nothing_from_elsewhere(tmp_path):
    StepsDisplay(textbook.perceptron(TOY.X, TOY.y), range(3)).save(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert page.count("data:image/png;base64") == 3
    assert re.findall(r"(?:https?:)?//[\w.-]+\.[a-z]{2,}|<link|\bsrc=|@import|url\(", page) == []
    for name in re.findall(r'class="fa ([\w -]+)"', page):
        for part in name.split():
            assert f".{part}::before" in page


def test_an_animation_of_another_kind_is_refused(tmp_path):
    display = StepsDisplay(textbook.perceptron(TOY.X, TOY.y))
    with pytest.raises(ValueError, match=r"path must end in \.gif or \.html, got '.*run\.mp4'"):
        display.save(tmp_path / "run.mp4")
    for seconds in (0, -1.0, np.inf):
        with pytest.raises(ValueError, match="seconds must be a finite number > 0, got"):
            display.save(tmp_path / "run.gif", seconds)
    with pytest.raises(ValueError, match="no step to draw"):
        StepsDisplay(display.run, []).animate()
    assert pyplot.get_fignums() == []
    assert list(tmp_path.iterdir()) == []


# --- claims and criteria -------------------------------------------------------------------------


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


def test_a_u_that_does_not_separate_is_not_said_to_be_none():
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
    assert f"no more than {int(made.bound)} corrections from this start" in said
    assert "Floor and ceiling" not in said


@pytest.mark.parametrize("start", [None, [0.0, 0.0, 0.0, 0.0, 2.0]])
def test_L0_5_no_bound_is_promised_where_an_assumption_fails(start):
    toy = toys.separable(100, 5, margin=0.1)
    y = toy.y * np.where(np.arange(100) == 70, -1, 1)
    run = textbook.origin_perceptron(toy.X, y, start=start)
    display = drawn(ClaimsDisplay.from_claims(claims.check(run, toy.u, gamma=toy.gamma)))
    said = words(display.axes_[1])
    assert "The bound does not apply" in said
    assert "at most" not in said
    assert "no more than" not in said
    dashed = [line for line in display.axes_[1].lines if line.get_linestyle() == "--"]
    assert {line.get_color() for line in [*dashed, display.bound_]} == {style.GREY}


def test_L4_5_batch_and_single_sample_by_the_rows_they_looked_at():
    toy = toys.unit_square(30)
    runs = {
        "batch": textbook.batch_descent(toy.X, toy.y, LeastSquares(), 0.005, max_steps=7),
        "single": textbook.sample_descent(toy.X, toy.y, LeastSquares(), 0.01, max_epochs=5),
    }
    display = drawn(CriterionDisplay.from_traces(runs, LeastSquares()))
    batch, single = display.curves.values()
    assert batch.looks.tolist() == [0, 30, 60, 90, 120, 150, 180, 210, 240]
    assert single.looks[:4].tolist() == [0, 1, 2, 3]
    for run, curve in zip(runs.values(), display.curves.values(), strict=True):
        assert np.array_equal(curve.values[:-1], values(LeastSquares(), run))
        assert curve.looks[-1] == len(run)
    assert [line.get_xydata().tolist() for line in display.lines_] == [
        np.column_stack(curve).tolist() for curve in display.curves.values()
    ]
    assert display.ax_.get_ylabel() == "Least squares, J(w)"


@pytest.mark.parametrize(
    ("found", "scale"), [([5.0, 4.0], "linear"), ([500.0, 4.0], "log"), ([500.0, 4, 0], "symlog")]
)
def test_decades_are_drawn_where_they_help(found, scale):
    curve = criteria.Curve(np.arange(len(found)), np.array(found))
    display = drawn(CriterionDisplay({"run": curve}, "Made up").plot())
    assert display.ax_.get_yscale() == scale


def test_L4_5_who_is_done_first_is_best_where_both_end_at_zero():
    toy = toys.unit_square(30)
    runs = {
        "batch": textbook.batch_descent(toy.X, toy.y, max_steps=1000),
        "single": textbook.sample_descent(toy.X, toy.y, max_epochs=1000),
    }
    assert all(run.converged for run in runs.values())
    display = drawn(CriterionDisplay.from_traces(runs, PerceptronCriterion()))
    best = min(runs, key=lambda name: len(runs[name]))
    assert f"Best in the end: {best}" in words(display.figure_)


def test_one_run_needs_no_rival_and_a_criterion_may_be_named():
    run = textbook.batch_descent(TOY.X, TOY.y, max_steps=4)
    criterion = Residual(np.abs, np.sign)
    display = drawn(CriterionDisplay.from_traces(run, criterion, name="Least absolute"))
    assert list(display.curves) == ["batch descent"]
    said = words(display.figure_)
    assert "Least absolute, J(w)" in said
    assert "Best" not in said
    found = display.curves["batch descent"].values
    assert f"J from {found[0]:.3g} to {found[-1]:.3g}" in said
    with pytest.raises(TypeError, match=r"runs must be a Trace, or a mapping .* got list"):
        CriterionDisplay.from_traces([run], criterion)
    with pytest.raises(TypeError, match=r"run must be a Trace.* got str"):
        CriterionDisplay.from_traces({"batch": "run"}, criterion)


def test_as_many_runs_as_can_be_told_apart():
    run = textbook.batch_descent(TOY.X, TOY.y)
    for runs in ({}, dict.fromkeys("abcde", run)):
        with pytest.raises(ValueError, match=f"runs must be from 1 to 4, got {len(runs)}"):
            CriterionDisplay.from_traces(runs, Misclassified())
