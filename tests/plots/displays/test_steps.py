"""Steps of a recorded run, as panels and as an animation."""

import re
import sys
import tempfile
import webbrowser
from itertools import pairwise, product
from pathlib import Path
from types import ModuleType, SimpleNamespace
from urllib.parse import urlparse

import numpy as np
import pytest
from displays import drawn, words
from matplotlib import pyplot
from matplotlib.contour import ContourSet
from matplotlib.lines import AxLine
from matplotlib.text import Text
from PIL import Image
from profiles import share

from rosenblatt import textbook, toys
from rosenblatt.criteria import LeastSquares
from rosenblatt.plots import StepsDisplay, style

TOY = toys.separable(40, 2, margin=0.2, offset=0.1)
MIXED = toys.xor(copies=5, noise=0.5)


def arrows(ax):
    """Tail and head of the arrows of a panel, in the order in which they were drawn."""
    found = [text for text in ax.texts if getattr(text, "arrow_patch", None) is not None]
    return [(np.array(text.xyann), np.array(text.xy)) for text in found]


def texts_in_sight(ax):
    """The texts of a panel, without the labels of ticks beyond its limits."""
    hidden = {
        label
        for axis in (ax.xaxis, ax.yaxis)
        for place, label in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
        if not np.prod(axis.get_view_interval() - place) <= 0
    }
    shown = [text for text in ax.findobj(Text) if text.get_visible() and text not in hidden]
    return [text for text in shown if text.get_text() and text.get_window_extent().width > 1]


def check_view(display):
    """All points are in sight, and each line crosses the middle of its panel, or is named."""
    run = display.run
    for ax, t in zip(display.axes_, display.steps_, strict=True):
        low, high = np.transpose([ax.get_xlim(), ax.get_ylim()])
        assert (low < run.points.min(axis=0)).all()
        assert (run.points.max(axis=0) < high).all()
        after = [*run.used, len(run.weights) - 1][t + 1]
        lines = [run.line(j) for j in sorted({int(run.used[t]), after})]
        shown = [line for line in ax.lines if isinstance(line, AxLine)]
        assert len(shown) + ax.get_xlabel().count("w") == sum(w.any() for w, _ in lines)
        for line in shown:
            along = np.subtract(line.get_xy2(), line.get_xy1())
            across = (low + high) / 2 - line.get_xy1()
            distance = abs(np.linalg.det([along, across])) / np.hypot(*along)
            assert distance <= 0.301 * (high - low)[0]


LEARNERS = textbook.perceptron, textbook.origin_perceptron


@pytest.mark.parametrize(
    ("shift", "n", "learn"), share(product([0.0, 30.0, 1e6], [3, 20], LEARNERS), 3, 1)
)
def test_the_line_crosses_the_middle_of_the_panel(shift, n, learn):
    rng = np.random.default_rng(n)
    X = rng.integers(-5, 6, (n, 2))
    run = learn(X + shift, np.where(X @ [1.0, 2.0] > 0.5, 1, -1))
    display = drawn(StepsDisplay.from_trace(run, run.updates[:1]))
    check_view(display)
    away = learn is textbook.perceptron and shift == 1e6
    assert ("outside" in display.axes_[0].get_xlabel()) == away


def test_one_class_far_away_leaves_the_line_in_the_middle():
    near = np.random.default_rng(0).normal(size=(5, 2))
    run = textbook.perceptron([*near, *(near + 40.0)], [-1] * 5 + [1] * 5)
    check_view(drawn(StepsDisplay.from_trace(run, run.updates[:3])))


def test_L3_2_the_worked_example_in_pictures():
    toy = toys.two_points()
    run = textbook.augmented_perceptron(toy.X[::-1], toy.y[::-1])
    display = drawn(StepsDisplay.from_trace(run))
    assert display.steps_ == (0, 1)
    assert words(display.axes_[1]).count("Step 1: a mistake") == 1
    assert "w·x + b = −5, but y = +1\nw = (−2, −1), b = −1\nw′ = (−1, 1), b′ = 0" in words(
        display.axes_[1]
    )
    assert "w·x + b = 0, sgn(0) = +1, y = −1\nw = 0: no line yet\n" in words(display.axes_[0])
    for ax in display.axes_:
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("x₁", "x₂")
        assert len(ax.get_xticks()) > 1
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
    shown = range(0, len(run), 4)
    display = drawn(StepsDisplay.from_trace(run, shown))
    assert len(display.axes_) == len(shown)
    assert {run[k].mistake for k in shown} == {True, False}
    for ax, k in zip(display.axes_, shown, strict=True):
        step = run[k]
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
    run = textbook.batch_descent(MIXED.X, MIXED.y, max_updates=3)
    display = drawn(StepsDisplay.from_trace(run, [20, 39]))
    assert [len(arrows(ax)) for ax in display.axes_] == [1, 2]


def test_a_line_too_far_from_the_points_is_said_to_be():
    run = textbook.augmented_perceptron([[10.0, 11.0], [11.0, 10.0]], [1, -1], max_updates=2)
    display = drawn(StepsDisplay.from_trace(run, [0]))
    assert display.axes_[0].get_xlabel() == "x₁ (outside: w′)"
    assert arrows(display.axes_[0]) == []
    assert [line for line in display.axes_[0].lines if len(line.get_xydata())] == []


def test_many_points_keep_half_of_the_panel():
    toy = toys.unit_square(100)
    display = drawn(StepsDisplay.from_trace(textbook.sample_correction(toy.X, toy.y)))
    for ax in display.axes_:
        assert np.ptp(ax.get_xlim()) <= 2 * np.ptp(toy.X, axis=0).max()
    assert display.axes_[0].get_xlabel() == "x₁ (outside: w, w′)"
    assert display.axes_[-1].get_xlabel() == "x₁"
    check_view(display)
    (key,) = display.figure_.legends
    assert (
        key.get_title().get_text()
        == f"8 of {len(display.run):,} steps, the first of 130 that change w"
    )


@pytest.mark.parametrize("rows", [1, 2])
def test_no_text_is_cut_off_or_overlaps_another_panel(rows):
    toy = toys.unit_square(100)
    run = textbook.sample_correction(toy.X, toy.y)
    display = StepsDisplay.from_trace(run, np.flatnonzero(run.mistake)[: 4 * rows])
    display.figure_.canvas.draw()
    panels = [[text.get_window_extent() for text in texts_in_sight(ax)] for ax in display.axes_]
    for said in panels:
        assert all(box.x0 >= 0 <= box.y0 and box.y1 <= display.figure_.bbox.y1 for box in said)
        assert all(box.x1 <= display.figure_.bbox.x1 for box in said)
    for left, right in pairwise(panels[:4]):
        assert not any(one.overlaps(other) for one in left for other in right)
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
    run = textbook.batch_descent(MIXED.X, MIXED.y, max_updates=3)
    display = drawn(StepsDisplay.from_trace(run))
    assert display.steps_ == (19, 39, 59)
    for ax, j in zip(display.axes_, range(3), strict=True):
        wrong = run.order[(run.used == j) & run.mistake]
        rings = ax.collections[-1].get_offsets()
        assert np.array_equal(rings, MIXED.X[wrong])
        assert f"{len(wrong)} mistakes" in words(ax)
        assert "corrected in one step" in words(ax)


def test_a_step_back_to_zero_has_no_line_again():
    square = toys.xor()
    display = drawn(StepsDisplay.from_trace(textbook.origin_perceptron(square.X, square.y)))
    first, last = (words(ax) for ax in display.axes_)
    assert "w = 0: no line yet\nw′ = (−1, 1)" in first
    assert "w = (−1, 1)\nw′ = 0: no line yet" in last
    assert "2 of 4 steps, all that change w" in words(display.figure_)


def test_a_run_drawn_to_its_end_needs_no_count():
    toy = toys.two_points()
    display = drawn(StepsDisplay.from_trace(textbook.augmented_perceptron(toy.X, toy.y)))
    (key,) = display.figure_.legends
    assert key.get_title().get_text() == ""


def test_L0_3_a_tie_that_is_wrong_for_both_labels_is_said_to_be_zero():
    toy = toys.two_points()
    run = textbook.voted_perceptron(toy.X, toy.y).run
    ties = {textbook.origin_perceptron: "−1", textbook.augmented_perceptron: "+1"}
    for make, sign in ties.items():
        display = drawn(StepsDisplay.from_trace(make(toy.X, toy.y), [0]))
        assert f"= 0, sgn(0) = {sign}, y = " in words(display.axes_[0])
    assert f"sgn(0) = {run.tie or 0:+d}".replace("-", "−").replace("+0", "0") in words(
        drawn(StepsDisplay.from_trace(run, [0])).axes_[0]
    )


def test_labels_of_arrows_stay_clear_of_points():
    at, up, down = np.zeros(2), np.array([0.0, 1.0]), np.array([0.0, -1.0])
    ax = pyplot.subplots()[1]
    ax.set(xlim=(-1, 1), ylim=(-1, 1))
    assert style.clear_shift(ax, at, [up, down], [[0.0, 0.01]], 9).tolist() == [0, -9]
    assert style.clear_shift(ax, at, [up, down], [[5.0, 5.0]], 9).tolist() == [0, 9]
    top = np.array([at[0], ax.get_ylim()[1]])
    assert style.clear_shift(ax, top, [up, down], [[5.0, 5.0]], 9).tolist() == [0, -9]


def test_a_single_sample_may_move_when_it_is_right():
    run = textbook.sample_descent(TOY.X, TOY.y, LeastSquares(), 0.01, max_epochs=1)
    display = StepsDisplay.from_trace(run)
    assert display.steps_ == tuple(range(8))
    right = np.flatnonzero(~run.mistake[:8])
    assert right.size
    for t in right:
        assert f"Step {t}: right" in words(display.axes_[t])


def test_the_classes_are_said_once_and_the_origin_marked_where_arrows_begin_there():
    toy = toys.unit_square(20)
    display = StepsDisplay.from_trace(textbook.sample_correction(toy.X, toy.y), [0, 1])
    (key,) = display.figure_.legends
    assert [text.get_text() for text in key.get_texts()] == ["0", "1"]
    assert "but y = 0" in words(display.figure_)
    crosses = [line for ax in display.axes_ for line in ax.lines if line.get_marker() == "+"]
    assert crosses == []
    run = textbook.origin_perceptron(TOY.X, TOY.y)
    display = drawn(StepsDisplay.from_trace(run, [0], ax=pyplot.subplots()[1]))
    assert f"1 of {len(run)} steps" in words(display.axes_[0])
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
    StepsDisplay(run, range(3)).save(tmp_path / "run.gif", seconds=0.5)
    assert pyplot.get_fignums() == []
    with Image.open(tmp_path / "run.gif") as picture:
        assert picture.n_frames == 3
        assert picture.info["duration"] == 500


def test_an_animation_is_a_page_that_needs_nothing_from_elsewhere(tmp_path):
    path = tmp_path / "b<0.html"
    StepsDisplay(textbook.perceptron(TOY.X, TOY.y), range(2)).save(path)
    page = path.read_text(encoding="utf-8")
    assert "<title>b&lt;0</title>" in page
    assert page.count("data:image/png;base64") == 2
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


def test_the_names_of_both_arrows_stay_apart():
    rng = np.random.default_rng(2)
    X = rng.integers(-4, 5, (8, 2)).astype(float)
    y = np.where(X @ rng.normal(size=2) + 0.5 > 0, 1, -1)
    display = StepsDisplay.from_trace(textbook.perceptron(X, y)).plot()
    display.figure_.canvas.draw()
    pairs = 0
    for axes in display.figure_.axes:
        names = [text for text in axes.texts if text.get_text() in ("w", "w′")]
        if len(names) == 2:
            old, new = (text.get_window_extent().padded(4) for text in names)
            assert not old.overlaps(new)
            pairs += 1
    assert pairs == 5


# What the lecture page cannot step through.

BY_KERNEL = textbook.kernel_perceptron(MIXED.X[:4], MIXED.y[:4], lambda x, z: (x @ z + 1.0) ** 2)


def test_L2_10_a_kernels_run_is_drawn_by_its_curves():
    run = BY_KERNEL
    display = drawn(StepsDisplay.from_trace(run))
    assert display.steps_ == tuple(run.updates)
    first, *_, last = display.axes_
    assert f"f(x) = 0, sgn(0) = −1, y = +1\nα of row {run.order[run.updates[0]]}: 0 → 1" in words(
        first
    )
    row = int(run.order[run.updates[-1]])
    b = [f"{weights[-1]:g}" for weights in run.weights[-2:]]
    assert f"α of row {row}: 0 → −1\nb: {b[0]} → {b[1]}" in words(last)
    for ax in display.axes_:
        low, high = np.transpose([ax.get_xlim(), ax.get_ylim()])
        assert (low < run.rows.min(axis=0)).all()
        assert (run.rows.max(axis=0) < high).all()
    curves = [c for c in last.collections if isinstance(c, ContourSet) and not c.filled]
    assert len(curves) == 2  # before and after
    for curve, weights in zip(curves, run.weights[-2:], strict=True):
        places = np.vstack([path.vertices for path in curve.get_paths()])[::40]
        scores = np.column_stack([run.products(places), np.ones(len(places))]) @ weights
        assert np.abs(scores).max() < 0.02


def test_a_run_that_the_page_cannot_step_through_opens_as_an_animation(monkeypatch, tmp_path):
    addresses = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    display = BY_KERNEL.show()
    assert isinstance(display, StepsDisplay)
    (address,) = addresses
    page = Path(urlparse(address).path).read_text(encoding="utf-8")
    assert page.count("data:image/png;base64") == len(BY_KERNEL.updates)
    with pytest.raises(ValueError, match=r"shape \(n, 2\) to be drawn in the plane"):
        textbook.perceptron(np.eye(3), [1, -1, 1]).show()


def test_in_a_notebook_the_steps_are_panels(monkeypatch):
    fake = ModuleType("IPython")
    fake.get_ipython = lambda: SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", fake)
    run = textbook.batch_descent(MIXED.X, MIXED.y, max_updates=2)
    display = run.show()
    assert isinstance(display, StepsDisplay)
    assert len(display.axes_) == 2
