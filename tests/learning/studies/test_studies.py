"""The studies say what theory says: bounds hold, ratios stay below 1, formulas meet simulation."""

from functools import cache

import numpy as np
import pytest
from real_data import real_data

from rosenblatt import Perceptron, certify, studies, theory, toys
from rosenblatt.learning.studies import common
from rosenblatt.learning.studies.growth import least_slack_bound
from rosenblatt.utils import tables

# --- L3.6: many orders --------------------------------------------------------------------------


@cache
def many_orders():
    toy, new = toys.unit_square(60), toys.unit_square(500, seed=1)
    return studies.orders(toy.X, toy.signs, new.X, new.signs, orders=40, max_iter=500)


@pytest.fixture
def square():
    toy = toys.unit_square(60)
    return toy.X, toy.signs


def test_L3_6_each_order_ends_at_a_separator_within_the_one_bound(square):
    study, bound = many_orders(), certify(*square).mistake_bound
    for runs in study:
        assert (runs.mistakes <= bound).all()
        assert ((runs.margin > 0) | ~runs.converged).all()
    assert study.shuffled.converged.all()
    assert len(set(study.shuffled.mistakes.tolist())) > 10  # and the order matters


def test_L3_6_a_run_is_that_of_the_estimator(square):
    X, y = square
    order = common.random_orders(60, 40, 0)[7]
    model = Perceptron(shuffle=False, tol=None, max_iter=500).fit(X[order], y[order])
    fixed, new = many_orders().fixed, toys.unit_square(500, seed=1)
    assert (fixed.mistakes[7], fixed.epochs[7]) == (model.mistakes_, model.n_iter_)
    assert fixed.margin[7] == pytest.approx(
        theory.margin(X, y, model.coef_[0], model.intercept_[0]), rel=1e-9
    )
    assert fixed.error[7] == pytest.approx(1 - model.score(new.X, new.signs))


def test_L3_6_sorted_by_label_is_the_worst_order():
    study = many_orders()
    assert study.once_by_label.error.min() > np.median(study.once.error)
    assert study.once_by_label.mistakes.max() < study.once.mistakes.min()
    assert study.fixed_by_label.epochs.min() > np.median(study.fixed.epochs)


def test_L3_6_the_angles_are_to_the_mean_of_the_random_orders(square):
    X, y = square
    models = [
        Perceptron(shuffle=False, tol=None, max_iter=1).fit(X[order], y[order])
        for order in common.random_orders(60, 40, 0)
    ]
    units = np.array([model.coef_[0] / np.linalg.norm(model.coef_[0]) for model in models])
    mean = units.mean(axis=0) / np.linalg.norm(units.mean(axis=0))
    expected = np.degrees(np.arccos(np.clip(units @ mean, -1, 1)))
    np.testing.assert_allclose(many_orders().once.angle, expected, rtol=1e-6)
    for place, order in enumerate((np.argsort(y, kind="stable"), np.argsort(-y, kind="stable"))):
        w = Perceptron(shuffle=False, tol=None, max_iter=1).fit(X[order], y[order]).coef_[0]
        angle = np.degrees(np.arccos(w @ mean / np.linalg.norm(w)))
        assert many_orders().once_by_label.angle[place] == pytest.approx(angle)


def test_L3_6_without_new_rows_the_error_is_that_of_training(square):
    study = studies.orders(*square, orders=5)
    assert (study.fixed.error[study.fixed.converged] == 0).all()
    assert study.once.error.max() > 0


def test_L3_6_weights_of_zero_have_no_margin_and_no_angle():
    toy = toys.xor()
    study = studies.orders(toy.X, toy.y, orders=5, max_iter=2)
    assert np.isnan(study.once.margin).all()
    assert np.isnan(study.once.angle).all()
    assert (study.once.error == 1).all()
    assert str(study).count("–") >= 10


# --- L3.8: margins ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_L3_8_no_rule_has_more_than_the_maximal_margin_and_each_what_it_is_promised(seed):
    toy = toys.separable(60, 3, margin=0.1, offset=0.1, seed=seed)
    study = studies.margins(toy.X, toy.y)
    assert (study.ratio <= 1).all()
    assert study.high >= toy.gamma * (1 - 1e-9)
    stopped = study.converged & ~np.isnan(study.promised)
    assert stopped.sum() == 6
    assert (study.margin >= study.promised)[stopped].all()
    for name, margin, w, b in zip(study.names, study.margin, study.w, study.b, strict=True):
        signed = toy.y * (toy.X @ w + b) / np.linalg.norm(w)
        assert margin == pytest.approx(signed.min(), rel=1e-9), name


def test_L3_8_a_growing_margin_comes_near_the_maximal_one():
    ratios = []
    for seed in range(4):
        toy = toys.separable(60, 3, margin=0.1, offset=0.1, seed=seed)
        ratios.append(studies.margins(toy.X, toy.y, betas=(0.1, 100.0)).ratio)
    perceptron, small, large = np.median(ratios, axis=0)[[0, 4, 5]]
    assert perceptron < small < large
    assert np.min(ratios, axis=0)[5] > 0.97


# --- L2.4: growth -------------------------------------------------------------------------------


def test_L2_4_mistakes_stay_within_the_margins_bound_and_grow_with_it():
    growth = studies.mistakes_by_margin((0.3, 0.1, 0.03), repeats=10)
    np.testing.assert_allclose(growth.x, [1 / 0.09, 100, 1 / 0.0009])
    assert growth.mistakes.shape == growth.bound.shape == (3, 10)
    assert (growth.mistakes <= growth.bound).all()
    np.testing.assert_allclose(np.median(growth.bound, axis=1), growth.x, rtol=1e-6)
    assert (np.diff(np.median(growth.mistakes, axis=1)) > 0).all()


def test_L2_4_the_bound_is_the_same_in_every_dimension_and_holds():
    growth = studies.mistakes_by_dimension((2, 30, 300), n=200, margin=0.2, repeats=10)
    np.testing.assert_allclose(growth.bound, 25, rtol=1e-6)
    assert (growth.mistakes <= 25).all()


def test_L2_4_rows_turned_into_more_dimensions_bring_the_same_mistakes(rng):
    toy = toys.separable(200, 2, margin=0.02)
    model = Perceptron(fit_intercept=False, shuffle=False, tol=None)
    plain = model.fit(toy.X, toy.y).mistakes_
    turn = np.linalg.qr(rng.standard_normal((50, 2)))[0]
    assert plain > 1
    assert model.fit(toy.X @ turn.T, toy.y).mistakes_ == plain


def test_L2_4_wrong_labels_bring_mistakes_without_end_and_slack_bounds_them():
    growth = studies.mistakes_by_noise((0.0, 0.05, 0.2), n=300, epochs=4, repeats=5)
    assert (growth.mistakes <= growth.bound).all()
    assert (np.median(growth.bound, axis=1)[1:] < 300).all()  # it says something
    assert growth.x.tolist() == [0, 5, 20]
    clean, few, many = growth.mistakes
    assert clean.max() < few.min()
    assert few.max() < many.min()


def test_L2_4_the_least_slack_bound_is_the_least_of_true_bounds(rng):
    X, u = rng.standard_normal((50, 3)), np.array([1.0, 0.0, 0.0])
    y = np.where(X[:, 0] + rng.standard_normal(50) > 0, 1, -1)
    R = theory.radius(X)
    for epochs in (1, 9):
        least = least_slack_bound(X, y, u, epochs)
        twice, labels = np.tile(X, (epochs, 1)), np.tile(y, epochs)
        bounds = [
            theory.slack_bound(R, theory.slack(twice, labels, u, gamma), gamma)
            for gamma in R * np.linspace(0.01, 1, 300)
        ]
        assert least == pytest.approx(min(bounds), rel=1e-2)


# --- L2.4: the error that follows ---------------------------------------------------------------


def halves(toy):
    n = len(toy.y) // 2
    return toy.X[:n], toy.y[:n], toy.X[n:], toy.y[n:]


def test_L2_4_mistakes_estimate_the_error_of_the_weights_on_the_way():
    study = studies.error_from_mistakes(*halves(toys.separable(8000, 5, margin=0.01)), orders=40)
    assert study.n == 4000
    assert study.progressive.mean() == pytest.approx(study.drawn.mean(), rel=0.15)
    assert study.covered > 0.9
    assert (study.low <= study.progressive).all()
    assert (study.progressive <= study.high).all()
    assert study.promised == pytest.approx(2 * study.progressive.mean())
    assert study.vote.mean() <= study.promised <= study.slack < 1


def test_L2_4_the_vote_errs_at_most_twice_as_often_as_its_voters(rng):
    X = rng.standard_normal((400, 4))
    y = np.where(X[:, 0] + rng.standard_normal(400) > 0, 1, -1)
    study = studies.error_from_mistakes(X[:200], y[:200], X[200:], y[200:])
    assert (study.vote <= 2 * study.drawn).all()
    assert study.average.mean() < study.drawn.mean()


def test_L2_4_the_weights_on_the_way_are_those_of_a_loop(rng):
    X, y = rng.standard_normal((80, 3)), rng.choice([-1, 1], 80)
    X_new, y_new = rng.standard_normal((50, 3)), rng.choice([-1, 1], 50)
    study = studies.error_from_mistakes(X, y, X_new, y_new, orders=1)
    order = common.random_orders(80, 1, 0)[0]
    w, b, weights = np.zeros(3), 0.0, []
    for x, sign in zip(X[order], y[order], strict=True):
        weights.append((w, b))
        if sign * (x @ w + b) <= 0:
            w, b = w + sign * x, b + sign
    signed = np.array([y_new * (X_new @ w + b) for w, b in weights])
    assert study.drawn[0] == pytest.approx((signed <= 0).mean())
    assert study.average[0] == pytest.approx((signed.sum(axis=0) <= 0).mean())
    assert study.vote[0] == pytest.approx((np.sign(signed).sum(axis=0) <= 0).mean())
    assert study.last[0] == pytest.approx((y_new * (X_new @ w + b) <= 0).mean())


def test_L2_4_on_mail():
    rows = np.loadtxt(real_data("spambase", "spam.data.xz"))
    new = np.loadtxt(real_data("spambase", "spam.traintest")) == 1
    X, y = np.log1p(rows[:, :-1]), np.where(rows[:, -1] > 0, 1, -1)
    study = studies.error_from_mistakes(X[~new], y[~new], X[new], y[new])
    assert study.covered > 0.9
    assert study.progressive.mean() == pytest.approx(study.drawn.mean(), rel=0.1)
    assert study.vote.max() < study.progressive.min()


# --- L4.4: p(x|c) -------------------------------------------------------------------------------


def test_L4_4_the_error_of_a_line_by_formula_is_that_of_a_simulation(rng):
    pair = studies.TwoGaussians(
        np.array([[-1.0, 0.5], [1.0, 0.0]]),
        np.array([[[1.0, 0.6], [0.6, 1.0]], [[2.0, -0.3], [-0.3, 0.5]]]),
    )
    X, y = pair.draw(200_000, rng)
    w, b = np.array([1.0, -0.4]), 0.3
    assert pair.error(w, b) == pytest.approx((y * (X @ w + b) <= 0).mean(), abs=0.004)
    for sign in (-1, 1):
        side, which = X[y == sign], int(sign > 0)
        np.testing.assert_allclose(side.mean(axis=0), pair.means[which], atol=0.03)
        np.testing.assert_allclose(np.cov(side.T), pair.covariances[which], atol=0.05)


def test_L4_4_no_line_beats_the_bayes_line(rng):
    pair = studies.gaussians(2.0, sizes=(10,), repeats=1).pair
    w, b = pair.line
    assert pair.error(w, b) == pytest.approx(0.158655, abs=1e-6)  # Φ(−1)
    for _ in range(50):
        assert pair.error(w + 0.1 * rng.standard_normal(2), b + 0.1 * rng.standard_normal()) > (
            pair.error(w, b)
        )


def test_L4_4_with_one_covariance_the_log_odds_are_the_bayes_line(rng):
    covariance = np.array([[1.0, 0.6], [0.6, 2.0]])
    pair = studies.TwoGaussians(rng.standard_normal((2, 2)), np.array([covariance, covariance]))
    X, (w, b) = pair.draw(20, rng)[0], pair.line
    np.testing.assert_allclose(pair.score(X), X @ w + b)


def test_L4_4_the_average_nears_bayes_with_more_rows_and_the_last_weights_do_not():
    study = studies.gaussians(sizes=(30, 2000), repeats=10)
    few, many = np.median(study.error, axis=2).T - study.bayes
    where = {name: place for place, name in enumerate(study.names)}
    for name in ("averaged", "pocket", "logistic"):
        assert 0 < many[where[name]] < min(few[where[name]], 0.005), name
    assert many[where["perceptron"]] > 0.01
    angles = np.median(study.angle, axis=2)
    assert angles[where["averaged"], 1] < angles[where["averaged"], 0]
    assert not study.stopped[1].any()


def test_L4_4_farther_apart_more_samples_are_separable():
    near, far = (studies.gaussians(apart, sizes=(50,)) for apart in (1.0, 7.0))
    assert near.stopped.mean() < 0.1 < 0.9 < far.stopped.mean()
    assert far.bayes < near.bayes


def test_L4_4_unequal_covariances_ask_for_a_quadric():
    study = studies.unequal_gaussians()
    line, lift, kernel = study.error
    assert study.bayes < min(lift, kernel)
    assert max(lift, kernel) < study.bayes + 0.02 < line
    with pytest.raises(ValueError, match="covariances must be equal for a line"):
        _ = study.pair.line


# --- what they print, and what they refuse ------------------------------------------------------


def test_a_table_is_aligned():
    text = tables.text_table(["", "count"], [["few", 3.0], ["a great many", 123456.0]])
    assert text.splitlines() == [
        "                count",
        "few                 3",
        "a great many  123,456",
    ]
    with pytest.raises(ValueError, match="zip"):
        tables.text_table(["one"], [["two", 2.0]])


def test_a_spread_leaves_out_what_is_no_number():
    assert tables.median_and_range([np.nan, 1, 2, 3]) == "2 (1–3)"
    assert tables.median_and_range([np.nan]) == "–"
    assert tables.median_and_range(range(101), 0.25, 0.75) == "50 (25–75)"


@pytest.mark.parametrize(
    ("study", "lines"),
    [
        (lambda: many_orders(), 6),
        (lambda: studies.margins([[0.0], [1.0]], [-1, 1]), 10),
        (lambda: studies.mistakes_by_margin((0.4,), n=20, repeats=2), 2),
        (lambda: studies.error_from_mistakes(*halves(toys.separable(40, 2)), orders=2), 10),
        (lambda: studies.gaussians(sizes=(10, 20), repeats=2), 4),
        (lambda: studies.unequal_gaussians(50, n_new=50), 5),
    ],
)
def test_a_study_prints_its_table_and_is_the_same_again(study, lines):
    text = str(study())
    assert len(text.splitlines()) == lines
    assert text == str(study())
    assert len({len(line) for line in text.splitlines()[:3]}) == 1, "columns end alike"


def tried(study, **how):
    toy = toys.two_points()
    return study(toy.X, toy.y, **how)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tried(studies.orders, orders=0), "orders must be a whole number >= 1"),
        (lambda: tried(studies.orders, seed=-1), "seed must be a whole number >= 0"),
        (lambda: tried(studies.orders, max_iter=0), "max_iter must be a whole number >= 1"),
        (lambda: tried(studies.orders, X_new=[[1.0, 2.0]]), "X_new and y_new must be given tog"),
        (lambda: tried(studies.orders, X_new=[[1.0]], y_new=[1]), "X_new must have 2 columns"),
        (lambda: tried(studies.orders, X_new=[[1.0, 2.0]], y_new=[3]), "y_new must hold"),
        (lambda: studies.orders([[1.0], [2.0]], [1, 1]), "y must hold both"),
        (lambda: tried(studies.margins, betas=(0.0,)), "betas must be a finite number > 0"),
        (lambda: studies.margins(toys.xor().X, toys.xor().y), "separable by a hyperplane, got ins"),
        (lambda: studies.mistakes_by_margin((0.0,)), "margins must lie between 0 and the radius 1"),
        (lambda: studies.mistakes_by_margin(repeats=0), "repeats must be a whole number >= 1"),
        (lambda: studies.mistakes_by_dimension((0,)), "d must be a whole number >= 1"),
        (lambda: studies.mistakes_by_noise((1.5,)), "noise must be at most 1, got 1.5"),
        (lambda: studies.mistakes_by_noise(epochs=0), "epochs must be a whole number >= 1"),
        (lambda: studies.gaussians(0.0), "separation must be a finite number > 0"),
        (lambda: studies.gaussians(correlation=1.0), "correlation must lie between -1 and 1"),
        (lambda: studies.gaussians(sizes=(1,)), "sizes must be a whole number >= 2"),
        (lambda: studies.unequal_gaussians(1), "n must be a whole number >= 2"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_line_needs_a_direction():
    pair = studies.TwoGaussians(np.zeros((2, 2)), np.array([np.eye(2)] * 2))
    with pytest.raises(ValueError, match="w must have a direction"):
        pair.error([0.0, 0.0], 1.0)
