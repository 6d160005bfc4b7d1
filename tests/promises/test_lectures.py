"""Statements of the lectures on learning, for recorded runs and for the compiled learners."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from traces import seeds, some_rows

from rosenblatt import (
    Perceptron,
    PolynomialLift,
    RadialLift,
    certify,
    criteria,
    cycling,
    rules,
    studies,
    textbook,
    theory,
    toys,
)

examples = thorough(40)
rates = st.sampled_from([1.0, 0.5, 0.3])
IN_ORDER = {"shuffle": False, "tol": None}
THROUGH_ORIGIN = {"fit_intercept": False, "shuffle": False, "tol": None}


def rough_rows(seed):
    X, y = some_rows(seed)
    return X + (seed % 2) * np.random.default_rng(seed).standard_normal(X.shape), y


# L0 and L1: the same run, compiled.


@examples
@given(seed=seeds, eta=rates, tie=st.sampled_from([-1, 0, 1]))
def test_L0_1_compiled_is_the_lectures_to_the_bit(seed, eta, tie):
    X, y = rough_rows(seed)
    run = textbook.origin_perceptron(X, y, eta, tie=tie)
    model = Perceptron(eta0=eta, tie=tie, max_iter=1, **THROUGH_ORIGIN).fit(X, y)
    assert model.coef_.tobytes() == run.w.tobytes()
    assert model.mistakes_ == run.mistakes


@examples
@given(seed=seeds, tie=st.sampled_from([-1, 1]))
def test_L1_2_compiled_predicts_first_and_learns_then(seed, tie):
    X, y = rough_rows(seed)
    run = textbook.online_perceptron(X, y, tie=tie)
    model = Perceptron(tie=tie, fit_intercept=False)
    model.partial_fit(np.zeros((1, X.shape[1])), [tie], classes=[-1, 1])  # right: nothing moves
    for step in run:
        row = X[step.row : step.row + 1]
        assert model.predict(row)[0] == step.prediction
        model.partial_fit(row, [step.label])
        assert model.mistakes_ == step.mistake + run.mistake[: step.row].sum()
    assert model.coef_.tobytes() == run.w.tobytes()


@pytest.mark.parametrize("seed", range(5))
def test_L0_5_and_L1_4_both_claims_hold_of_the_compiled_learner(seed):
    toy = toys.separable(60, 4, margin=0.1, seed=seed)
    model = Perceptron(fit_intercept=False)
    for i in [*range(60)] * 20:
        model.partial_fit(toy.X[i : i + 1], toy.y[i : i + 1], classes=[-1, 1])
        t, w = model.mistakes_, model.coef_[0]
        assert w @ toy.u >= t * toy.gamma - 1e-9
        assert w @ w <= t * toy.R**2 + 1e-9
    assert 0 < t <= theory.mistake_bound(toy.R, toy.gamma)


def test_L0_6_the_lift_of_a_ring_is_separable_and_cuts_out_a_circle():
    toy = toys.rings(60, width=0.2)
    Z = textbook.radial_lift(toy.X)
    np.testing.assert_allclose(Z, RadialLift().fit_transform(toy.X), rtol=1e-15)
    np.testing.assert_allclose(Z, toy.Z, rtol=1e-15)
    assert not textbook.perceptron(toy.X, toy.y, max_epochs=50).converged
    run = textbook.perceptron(Z, toy.y)
    assert run.converged
    # The plane w·z + b = 0 over the bowl z3 = x² + y² is a circle around -w/(2 w3).
    (p, q, s), b = run.w, run.b
    center, square = -np.array([p, q]) / (2 * s), (p * p + q * q) / (4 * s * s) - b / s
    inside = ((toy.X - center) ** 2).sum(axis=1) < square
    np.testing.assert_array_equal(inside, toy.y > 0)


def test_L1_3_the_margin_of_what_was_learned():
    toy = toys.separable(50, 3, margin=0.1, seed=4)
    model = Perceptron(tol=None).fit(toy.X, toy.y)
    (w,), (b,) = model.coef_, model.intercept_
    each = [y * (w @ x + b) / math.sqrt(w @ w) for x, y in zip(toy.X, toy.y, strict=True)]
    np.testing.assert_allclose(theory.margins(toy.X, toy.y, w, b), each, rtol=1e-12)
    assert 0 < theory.margin(toy.X, toy.y, w, b) == pytest.approx(min(each), rel=1e-9)


# L2.


@examples
@given(seed=seeds)
def test_L2_1_the_neuron_is_the_inner_product_and_an_offset(seed):
    X, y = some_rows(seed)
    run = textbook.perceptron(X, y, max_epochs=3)
    model = Perceptron(tie=-1, max_iter=3, **IN_ORDER).fit(X, y)
    for step in run:
        assert step.score == sum(step.before[:-1] * X[step.row]) + step.before[-1]
    f = [sum(a * b for a, b in zip(model.coef_[0], x, strict=True)) for x in X.tolist()]
    f = np.array(f) + model.intercept_[0]
    np.testing.assert_array_equal(model.decision_function(X), f)
    np.testing.assert_array_equal(model.predict(X), np.where(f > 0, 1, -1))


@examples
@given(seed=seeds, eta=rates, tie=st.sampled_from([-1, 1]), epochs=st.integers(1, 8))
def test_L2_2_compiled_is_the_lectures_to_the_bit(seed, eta, tie, epochs):
    X, y = rough_rows(seed)
    run = textbook.perceptron(X, y, eta, tie=tie, max_epochs=epochs)
    model = Perceptron(eta0=eta, tie=tie, max_iter=run.epochs, **IN_ORDER).fit(X, y)
    assert model.coef_.tobytes() == run.w.tobytes()
    assert (model.intercept_.tolist(), model.mistakes_) == ([run.b], run.mistakes)
    assert (model.score(X, y) == 1.0) == run.converged


def test_L2_4_used_while_it_learns_it_errs_a_bounded_number_of_times():
    toy = toys.separable(200, 5, margin=0.05, seed=2)
    model, wrong = Perceptron(tie=-1, fit_intercept=False), []
    for i in [*range(200)] * 30:
        row = toy.X[i : i + 1]
        said = model.predict(row)[0] if wrong else -1  # at w = 0
        wrong.append(said != toy.y[i])
        model.partial_fit(row, toy.y[i : i + 1], classes=[-1, 1])
    assert model.mistakes_ == sum(wrong) <= theory.mistake_bound(toy.R, toy.gamma)
    assert any(wrong[:200])
    assert not any(wrong[-200:])


@pytest.mark.parametrize("d", [2, 30, 1000])
def test_L2_4_the_bound_does_not_depend_on_the_dimension(d):
    for seed in range(3):
        toy = toys.separable(200, d, margin=0.2, seed=seed)
        model = Perceptron(tol=None, fit_intercept=False).fit(toy.X, toy.y)
        assert model.converged_
        assert model.mistakes_ <= theory.mistake_bound(1.0, 0.2)


def test_L2_4_mistakes_bound_the_expected_error():
    toy = toys.separable(1200, 5, margin=0.05, seed=3)
    study = studies.error_from_mistakes(
        toy.X[:200], toy.y[:200], toy.X[200:], toy.y[200:], orders=10
    )
    assert 0 < study.vote.mean() <= study.promised == 2 * study.progressive.mean()
    assert study.drawn.mean() == pytest.approx(study.progressive.mean(), rel=0.5)


def test_L2_5_realisable_functions_are_distinguished_from_others():
    yes, no = toys.separable(40, 2, margin=0.05, offset=0.3), toys.xor(10, noise=0.3)
    for toy, status in ((yes, "separable"), (no, "inseparable")):
        proof = certify(toy.X, toy.y)
        assert proof.status == status
        assert proof.verify(toy.X, toy.y)
        assert Perceptron(tol=None, max_iter=500).fit(toy.X, toy.y).converged_ == (toy is yes)
        assert textbook.perceptron(toy.X, toy.y, max_epochs=500).converged == (toy is yes)


@examples
@given(seed=seeds, eta=rates)
def test_L2_7_compiled_is_stochastic_descent_to_the_bit(seed, eta):
    X, y = rough_rows(seed)
    run = textbook.sample_descent(X, y, criteria.PerceptronCriterion(), eta, max_epochs=3)
    ones = textbook.prepend_one(X)  # the lecture's rows, the offset first
    model = Perceptron(eta0=eta, tie=0, max_iter=run.epochs, **THROUGH_ORIGIN).fit(ones, y)
    assert model.coef_.tobytes() == run.weights[-1].tobytes()
    assert model.mistakes_ == run.mistakes


def test_L2_8_the_quadratic_features_have_the_kernel_as_their_product(rng):
    X = rng.integers(-9, 10, (20, 2)).astype(float)
    Z = textbook.quadratic_features(X)
    np.testing.assert_allclose(Z @ Z.T, (X @ X.T) ** 2, rtol=1e-12, atol=1e-9)
    lift = PolynomialLift(2, coef0=0).fit(X).transform(X)
    np.testing.assert_allclose(lift @ lift.T, Z @ Z.T, rtol=1e-12, atol=1e-9)
    assert Z[:, [0, 2]].tolist() == (X**2).tolist()


# L3.


def test_L3_3_an_update_breaks_a_point_that_was_right():
    toy = toys.two_points()
    run = textbook.augmented_perceptron(toy.X, toy.y)
    said = [np.where(run.X @ w >= 0, 1, -1) for w in run.weights]
    assert run.order[0] == 1  # x_× is corrected, and x_o, right by sign(0) = +1, is wrong then
    assert [bool(signs[0] == run.y[0]) for signs in said] == [True, False, True]
    assert run.errors.tolist() == [1, 1, 0]
    model = Perceptron(tie=1).partial_fit(toy.X[:1], toy.y[:1], classes=[-1, 1])
    assert model.predict(toy.X).tolist() == [1, 1]
    model.partial_fit(toy.X[1:], toy.y[1:])
    assert model.predict(toy.X).tolist() == [-1, -1]


@examples
@given(seed=seeds)
def test_L3_4_from_the_rows_alone_it_stops_within_the_bound(seed):
    toy = toys.separable(30, 3, margin=0.1, offset=0.2, seed=seed)
    model = Perceptron(tol=None, random_state=seed % 1000).fit(toy.X, toy.y)
    assert model.converged_
    assert model.score(toy.X, toy.y) == 1.0
    rho = theory.margin(toy.X, toy.y, toy.u, toy.b)
    R, gamma = math.hypot(1.0, theory.radius(toy.X)), rho / math.hypot(1.0, toy.b)
    assert model.mistakes_ <= theory.mistake_bound(R, gamma)


def three_classes(seed):
    rng = np.random.default_rng(seed)
    means = np.array([[0.0, 9.0], [8.0, -5.0], [-8.0, -5.0]])
    labels = rng.permutation(np.arange(30) % 3)
    return means[labels] + rng.integers(-2, 3, (30, 2)), labels, rng.integers(-9, 10, (40, 2))


@pytest.mark.parametrize("seed", range(5))
def test_L3_5_one_against_the_rest_is_an_arg_max(seed):
    X, labels, new = three_classes(seed)
    book = textbook.one_against_rest(X, labels, lambda X, y: textbook.perceptron(X, y, tie=-1))
    model = Perceptron(multi_class="ovr", tie=-1, **IN_ORDER).fit(X, labels)
    assert all(run.converged for run in book.runs)
    assert model.converged_
    for e, run in enumerate(book.runs):
        assert model.coef_[e].tobytes() == run.w.tobytes()
        assert model.intercept_[e] == run.b
        assert run.y.tolist() == np.where(labels == e, 1, -1).tolist()
    best = np.argmax([[run.w @ x + run.b for run in book.runs] for x in new], axis=1)
    np.testing.assert_array_equal(book.predict(new), best)
    np.testing.assert_array_equal(model.predict(new), best)
    assert book.predict(X).tolist() == labels.tolist()


def test_L3_5_classes_go_by_their_names_and_the_first_of_equals_wins():
    X, labels, _ = three_classes(0)
    names = np.array(["up", "right", "left"])[labels]
    book = textbook.one_against_rest(X, names)
    assert book.classes.tolist() == ["left", "right", "up"]
    assert book.predict(X).tolist() == names.tolist()
    assert book.scores(X).shape == (30, 3)
    same = book._replace(runs=[book.runs[1]] * 3)
    assert set(same.predict(X)) == {"left"}
    with pytest.raises(ValueError, match="two classes or more, got 1"):
        textbook.one_against_rest(X, ["up"] * 30)
    with pytest.raises(ValueError, match=r"labels must have shape \(30,\)"):
        textbook.one_against_rest(X, names[:3])


def test_L3_6_the_order_matters_but_not_for_the_bound():
    toy, rng = toys.separable(40, 2, margin=0.1, seed=6), np.random.default_rng(0)
    lines, mistakes = set(), set()
    for order in (rng.permutation(40) for _ in range(20)):
        run = textbook.origin_perceptron(toy.X[order], toy.y[order])
        model = Perceptron(tie=-1, **THROUGH_ORIGIN).fit(toy.X[order], toy.y[order])
        assert model.score(toy.X, toy.y) == 1.0
        assert run.mistakes <= model.mistakes_ <= theory.mistake_bound(toy.R, toy.gamma)
        lines.add(tuple(model.coef_[0]))
        mistakes.add(model.mistakes_)
    assert len(lines) > 10
    assert len(mistakes) > 3
    shuffled = {
        tuple(Perceptron(tol=None, random_state=s).fit(toy.X, toy.y).coef_[0]) for s in range(10)
    }
    assert len(shuffled) > 5


@pytest.mark.parametrize("seed", range(3))
def test_L3_8_the_perceptron_stops_short_of_the_widest_margin(seed):
    toy = toys.separable(60, 2, margin=0.1, seed=seed)
    Z = textbook.append_one(toy.X)
    widest = certify(Z, toy.y, fit_intercept=False)
    low, high = widest.margin
    beta = 100 * theory.radius(Z) ** 2
    asks = Perceptron(rule=rules.MarginPerceptron(beta=beta), max_iter=10_000, **THROUGH_ORIGIN)
    own, asked = (
        theory.margin(Z, toy.y, model.fit(Z, toy.y).coef_[0])
        for model in (Perceptron(**THROUGH_ORIGIN), asks)
    )
    assert 0 < own < 0.95 * low
    assert asks.converged_
    assert own < asked
    assert low * 100 / 201 <= asked <= high * (1 + 1e-9)
    assert theory.margin(Z, toy.y, widest.coef) == pytest.approx(low, rel=1e-6)


# L4.


def test_L4_1_the_problem_is_as_the_notebook_draws_it():
    toy = toys.unit_square(100, seed=3)
    assert toy.X.shape == (100, 2)
    assert ((toy.X >= 0) & (toy.X < 1)).all()
    for (x, y), c in zip(toy.X.tolist(), toy.y.tolist(), strict=True):
        assert c == (x * 0.7 + y * 0.4 > 0.5)


@pytest.mark.parametrize("seed", range(4))
def test_L4_3_the_line_is_read_off(seed):
    toy = toys.unit_square(100, seed=seed)
    run = textbook.sample_correction(toy.X, toy.y, seed=seed, max_epochs=10_000)
    d, a0, a1 = run.weights[-1]
    (w, b), (x, y) = run.line(-1), textbook.intercepts(run.w, run.b)
    assert (w.tolist(), b) == ([a0, a1], d)
    assert (x, y) == (-d / a0, -d / a1)
    assert (a0 * x + d, a1 * y + d) == pytest.approx((0.0, 0.0), abs=1e-9)
    np.testing.assert_array_equal(toy.X[:, 1] > -(a0 * toy.X[:, 0] + d) / a1, toy.y == 1)


def test_L4_3_a_line_may_miss_an_axis():
    assert textbook.intercepts([2.0, 0.0], 4.0).tolist() == [
        -2.0,
        pytest.approx(math.nan, nan_ok=True),
    ]
    with pytest.raises(ValueError, match=r"w must have shape \(d,\)"):
        textbook.intercepts([[1.0]], 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_L4_4_and_L4_6_it_stops_where_a_line_separates(seed):
    toy = toys.unit_square(40, seed=seed)
    run = textbook.sample_correction(toy.X, toy.y, seed=seed, max_epochs=100_000)
    Z = toy.signs[:, np.newaxis] * run.X
    assert run.converged
    assert run.mistakes <= theory.start_bound(run.weights[0], [toy.b, *toy.u], Z)


def test_L4_4_without_a_separating_line_it_never_stops():
    toy = toys.xor()
    run = textbook.sample_correction(toy.X, toy.y, max_epochs=500)
    assert (run.converged, run.epochs) == (False, 500)
    assert cycling.find_cycle(toy.X, toy.y, fit_intercept=True, tie=0).status == "cycles"
    assert certify(toy.X, toy.y).status == "inseparable"


def test_L4_4_more_than_two_classes():
    toy = toys.unit_square(100, seed=1)
    shares = toy.X @ [0.7, 0.4]
    labels = np.digitize(shares, [0.35, 0.7])  # three strips: the middle one against the rest fails
    book = textbook.one_against_rest(toy.X, labels)
    assert [run.converged for run in book.runs] == [True, False, True]
    joint = Perceptron(multi_class="joint", tol=None, max_iter=10_000).fit(toy.X, labels)
    assert joint.converged_
    assert joint.score(toy.X, labels) == 1.0


def test_L4_4_the_error_rate_falls_with_the_samples():
    new, errors = toys.unit_square(4000, seed=99), []
    for n in (10, 100, 1000):
        made = [toys.unit_square(n, seed=seed) for seed in range(5)]
        models = [Perceptron(tol=None, max_iter=5000).fit(toy.X, toy.y) for toy in made]
        errors.append(np.mean([1 - model.score(new.X, new.y) for model in models]))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.01


def test_L4_4_on_gaussians_the_average_comes_near_the_likelier_class():
    study = studies.gaussians(sizes=(1000,), repeats=3)
    averaged = study.error[study.names.index("averaged")]
    assert not study.stopped.any()
    assert (study.error >= study.bayes - 1e-12).all()
    assert (averaged < study.bayes + 0.01).all()
    assert averaged.mean() < study.error[study.names.index("perceptron")].mean()


def test_L4_7_four_ways_where_no_line_separates():
    toy, rng = toys.unit_square(100, seed=5), np.random.default_rng(5)
    y = np.where(rng.random(100) < 0.1, -1, 1) * toy.signs
    assert certify(toy.X, y).status == "inseparable"
    run = textbook.perceptron(toy.X, y, max_epochs=100)
    w, b = run.line(run.pocket)
    fewest = int((np.where(toy.X @ w + b > 0, 1, -1) != y).sum())
    assert fewest == min(run.errors) < run.errors[-1]
    model = Perceptron(output="pocket", max_iter=100, tie=-1, **IN_ORDER).fit(toy.X, y)
    assert fewest <= (model.predict(toy.X) != y).sum() <= run.errors[0]
    rounded = criteria.Residual(lambda r: np.sqrt(1 + r**2) - 1, lambda r: r / np.sqrt(1 + r**2))
    for J, eta in (
        (criteria.PerceptronCriterion(), 0.01),
        (criteria.LeastSquares(), 0.005),
        (rounded, 0.01),
    ):
        start = [1.0, -1.0, -1.0]
        falls = textbook.batch_descent(toy.X, y, J, eta, start=start, max_updates=500)
        J_of = criteria.values(J, falls)
        assert J_of[-1] < 0.7 * J_of[0]
        assert falls.errors[-1] < 30 < falls.errors[0]
        assert not falls.converged
