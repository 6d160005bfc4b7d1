"""The displays of models: what they say of the data, and that what they draw is there."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from displays import drawn, words
from matplotlib import pyplot
from matplotlib.colors import to_hex
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import (
    KernelPerceptron,
    Perceptron,
    RadialLift,
    VotedPerceptron,
    plots,
    textbook,
    theory,
    toys,
)
from rosenblatt.plots import (
    DecisionLineDisplay,
    LiftDisplay,
    MarginHistogramDisplay,
    VotedRegionsDisplay,
    WeightsDisplay,
    style,
)
from rosenblatt.theory.textbook.step import sgn

TOY = toys.separable(40, 2, margin=0.2, offset=0.1)
MIXED = toys.xor(copies=5, noise=0.5)


def setup_function():
    pyplot.close("all")


teardown_function = setup_function


# --- the line ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("labels", [[-1, 1], [0, 1], ["ham", "spam"]])
@pytest.mark.parametrize("model", [Perceptron(), LogisticRegression(C=1e4)])
def test_L0_3_the_line_of_an_estimator(kind, labels, model):
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
    for j in range(len(run.weights)):
        display = DecisionLineDisplay.from_trace(run, j, ax=pyplot.figure().add_subplot())
        assert display.mistaken.sum() == run.errors[j]
        pyplot.close("all")


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
def test_a_line_beside_the_points_gets_room_or_is_said_to_be_out(b, shown):
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


def test_what_is_no_line_in_the_plane_is_refused():
    X = np.column_stack([TOY.X, TOY.X])
    with pytest.raises(ValueError, match=r"shape \(n, 2\) to be drawn in the plane, got \(40, 4\)"):
        DecisionLineDisplay.from_estimator(Perceptron().fit(X, TOY.y), X, TOY.y)
    with pytest.raises(ValueError, match=r"shape \(n, 2\)"):
        DecisionLineDisplay.from_trace(textbook.perceptron(X, TOY.y))
    with pytest.raises(ValueError, match=r"coef_ of shape \(1, 2\), got none"):
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


# --- the lift ------------------------------------------------------------------------------------


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


# --- votes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
def test_L3_7_the_average_and_the_last_are_those_of_fits_that_keep_them(intercept):
    toy = toys.rings(60, inner=0.6, outer=0.75, width=0.35)
    how = {"kernel": "rbf", "gamma": 8, "max_iter": 2, "tol": None, "fit_intercept": intercept}
    fits = {
        output: KernelPerceptron(output=output, **how).fit(toy.X, toy.y)
        for output in ("vote", "average", "last")
    }
    display = drawn(VotedRegionsDisplay.from_estimator(fits["vote"], toy.X, toy.y))
    at = np.random.default_rng(0).normal(size=(50, 2))
    last, average, share = (
        fits[output].decision_function(at) for output in ("last", "average", "vote")
    )
    assert display.last(at) == pytest.approx(last, abs=1e-9)
    assert display.share(at) == pytest.approx(share)
    assert display.average(at) == pytest.approx(average, abs=1e-9)


def test_L3_7_the_textbooks_votes_are_those_that_are_drawn():
    votes = textbook.voted_perceptron(textbook.append_one(MIXED.X), MIXED.y, epochs=3)
    display = drawn(VotedRegionsDisplay.from_votes(votes))
    rows = votes.run.X
    assert np.array_equal(display.X, MIXED.X)
    assert np.array_equal(np.where(display.share(MIXED.X) >= 0, 1, -1), votes.vote(rows))
    assert np.array_equal(np.where(display.average(MIXED.X) >= 0, 1, -1), votes.average(rows))
    assert display.last(MIXED.X) == pytest.approx(rows @ votes.run.weights[-1])
    assert np.abs(display.share(MIXED.X)).max() <= 1
    assert display.wrong[0] == (votes.vote(rows) != MIXED.y).sum()
    assert f"vote: {display.wrong[0]} wrong" in words(display.figure_)


def test_L3_7_votes_are_counted_in_blocks_and_without_those_that_have_none(monkeypatch):
    votes = textbook.voted_perceptron(textbook.append_one(MIXED.X), MIXED.y, epochs=30)
    assert (votes.survived == 0).any()
    at = np.random.default_rng(0).normal(size=(100, 2))
    said = np.where(textbook.append_one(at) @ votes.run.weights.T >= 0, 1, -1)
    monkeypatch.setattr(plots.votes, "MAX_NUMBERS", 2000)
    display = VotedRegionsDisplay.from_votes(votes)
    assert display.share(at) == pytest.approx(said @ votes.survived / votes.survived.sum())
    asked = []
    monkeypatch.setattr(plots.votes, "sgn", lambda s, tie: asked.append(s.shape) or sgn(s, tie))
    display.share(at)
    assert {width for _, width in asked} == {(votes.survived > 0).sum()}
    assert max(height * width for height, width in asked) <= 2000


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_votes_over_a_table_with_named_columns(kind):
    X = kind({"long": TOY.X[:, 0], "wide": TOY.X[:, 1]})
    model = VotedPerceptron(max_iter=3, tol=None).fit(X, TOY.y)
    display = drawn(VotedRegionsDisplay.from_estimator(model, X, TOY.y))
    assert display.ax_.get_ylabel() == "wide"
    assert display.share(TOY.X) == pytest.approx(model.decision_function(X))


def test_a_boundary_that_is_nowhere_is_not_drawn():
    scores = [lambda at: np.ones(len(at))] * 3
    display = VotedRegionsDisplay(TOY.X[:3], np.array([1, 1, -1]), *scores)
    assert drawn(display.plot()).vote_ is display.average_ is display.last_ is None
    assert display.wrong == (1, 1, 1)


def test_learners_that_keep_no_votes_are_refused():
    for model in (KernelPerceptron(), Perceptron(expansion=True), LogisticRegression()):
        wanted = (
            r'must be VotedPerceptron\(\) or KernelPerceptron\(output="vote"\), got '
        )
        with pytest.raises(ValueError, match=wanted + type(model).__name__):
            VotedRegionsDisplay.from_estimator(model.fit(TOY.X, TOY.y), TOY.X, TOY.y)
    with pytest.raises(ValueError, match=r"shape \(n, 2\)"):
        VotedRegionsDisplay.from_votes(textbook.voted_perceptron(np.eye(4), [1, -1, 1, -1]))


def test_votes_over_unlike_units_and_their_classes():
    X = TOY.X * [3000, 1]
    model = VotedPerceptron(max_iter=3, tol=None).fit(X, TOY.y)
    display = drawn(VotedRegionsDisplay.from_estimator(model, X, TOY.y))
    assert display.ax_.get_aspect() == "auto"
    assert np.ptp(display.ax_.get_ylim()) < 3
    assert len(display.ax_.get_xticks()) > 1
    assert display.classes == ("−1", "+1")
    votes = textbook.voted_perceptron(TOY.X, TOY.y)
    assert VotedRegionsDisplay.from_votes(votes).classes == display.classes


# --- margins and weights -------------------------------------------------------------------------


def test_L1_3_margins_of_two_classes():
    toy = toys.separable(60, 7)
    model = Perceptron().fit(toy.X, toy.y)
    display = drawn(MarginHistogramDisplay.from_estimator(model, toy.X, toy.y))
    w, b = model.coef_[0], model.intercept_[0]
    assert display.margins == pytest.approx(theory.margins(toy.X, toy.y, w, b))
    assert display.smallest == pytest.approx(theory.margin(toy.X, toy.y, w, b))
    assert display.wrong == 0
    assert display.mark_.get_xdata()[0] == display.smallest
    assert "Every row is right" in words(display.figure_)


def test_L3_8_margins_of_ten_classes_are_distances_to_the_nearest_boundary():
    X, y = load_digits(return_X_y=True)
    model = Perceptron(max_iter=5, tol=None).fit(X[:1000], y[:1000])
    X, y = X[1000:], y[1000:]
    display = drawn(MarginHistogramDisplay.from_estimator(model, X, y))
    assert np.array_equal(display.margins > 0, model.predict(X) == y)
    i = int(np.argmax(display.margins))
    rivals = [k for k in range(10) if k != y[i]]
    across = model.coef_[y[i]] - model.coef_[rivals]
    scores = across @ X[i] + model.intercept_[y[i]] - model.intercept_[rivals]
    nearest = np.argmin(scores / np.linalg.norm(across, axis=1))
    step = (1 + 1e-9) * display.margins[i] * across[nearest] / np.linalg.norm(across[nearest])
    assert model.predict([X[i] - step])[0] == rivals[nearest]


def test_the_bars_hold_all_rows_and_the_mistaken_side_is_vermilion():
    margins = np.random.default_rng(0).normal(0.5, 1, 300)
    display = drawn(MarginHistogramDisplay.from_margins(margins))
    heights = {style.BLUE: 0, style.VERMILION: 0}
    for bar in display.bars_:
        heights[to_hex(bar.get_facecolor()).upper()] += bar.get_height()
    assert heights == {style.VERMILION: (margins < 0).sum(), style.BLUE: (margins >= 0).sum()}
    assert f"{display.wrong} of 300 rows on the wrong side" in words(display.figure_)


def test_margins_that_do_not_exist_are_refused():
    kernel = KernelPerceptron().fit(TOY.X, TOY.y)
    with pytest.raises(ValueError, match="must have coef_"):
        MarginHistogramDisplay.from_estimator(kernel, TOY.X, TOY.y)
    model = Perceptron().fit(TOY.X, TOY.y)
    with pytest.raises(ValueError, match="y must hold the estimator's classes, got 0"):
        MarginHistogramDisplay.from_estimator(model, TOY.X, 0 * TOY.y)
    model.coef_ = 0 * model.coef_
    with pytest.raises(ValueError, match="there is no boundary"):
        MarginHistogramDisplay.from_estimator(model, TOY.X, TOY.y)
    with pytest.raises(ValueError, match="margins must be finite"):
        MarginHistogramDisplay.from_margins([1.0, np.nan])


def test_weights_are_images_on_one_scale_around_zero():
    X, y = load_digits(return_X_y=True)
    model = Perceptron(max_iter=1, tol=None).fit(X, y)
    display = drawn(WeightsDisplay.from_estimator(model, shape=(8, 8)))
    assert [ax.get_title(loc="left") for ax in display.axes_] == list("0123456789")
    most = np.abs(model.coef_).max()
    for image, w in zip(display.images_, model.coef_, strict=True):
        assert np.array_equal(image.get_array().ravel(), w)
        assert image.get_clim() == (-most, most)


def test_two_classes_are_one_image_of_the_second():
    model = Perceptron().fit(TOY.X, np.where(TOY.y > 0, "spam", "ham"))
    display = drawn(WeightsDisplay.from_estimator(model, shape=(1, 2)))
    assert display.classes == ("spam",)
    assert len(display.axes_) == 1


def test_the_sign_of_a_class_is_a_minus():
    model = Perceptron().fit(TOY.X, -1 - (TOY.y < 0))
    assert WeightsDisplay.from_estimator(model, (1, 2)).axes_[0].get_title(loc="left") == "−1"
    model = Perceptron().fit(TOY.X, TOY.y)
    assert WeightsDisplay.from_estimator(model, (1, 2)).classes == ("+1",)


def test_weights_that_are_no_images_are_refused():
    with pytest.raises(ValueError, match=r"of 2 pixels, got 8 × 8; .*, \(1, 2\)$"):
        WeightsDisplay.from_estimator(Perceptron().fit(TOY.X, TOY.y), (8, 8))
    with pytest.raises(ValueError, match=r"shape must be a pair \(height, width\), got 2"):
        WeightsDisplay.from_weights([[1.0, 2.0]], 2)
    with pytest.raises(ValueError, match="must have coef_"):
        WeightsDisplay.from_estimator(KernelPerceptron().fit(TOY.X, TOY.y), (1, 2))
    with pytest.raises(ValueError, match="classes must be 1, got 2"):
        WeightsDisplay.from_weights([[1.0, 2.0]], (1, 2), ["a", "b"])
    with pytest.raises(ValueError, match="2 axes for 2 panels, got 1"):
        WeightsDisplay.from_weights(np.eye(2), (1, 2), ax=pyplot.subplots()[1])
