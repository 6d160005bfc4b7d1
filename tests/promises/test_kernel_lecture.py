"""Lectures 2 and 3: w as a sum of rows, kernels for features, votes, and XOR."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_data import POWER, coefficients, folded, integers, moves, power
from kernel_twins import kernel_multi
from sklearn.datasets import load_digits

from rosenblatt import (
    KernelPerceptron,
    Perceptron,
    PolynomialLift,
    VotedPerceptron,
    certify,
    rules,
    textbook,
    toys,
)

SETTING = {"shuffle": False, "tol": None, "max_iter": 3}

small = settings(max_examples=12, deadline=None)


@small
@given(
    seed=st.integers(0, 10**6),
    degree=st.integers(1, 3),
    coef0=st.sampled_from([0, 1]),
    K=st.sampled_from([2, 3]),
)
def test_L2_9_and_L2_10_a_kernel_errs_where_its_features_err(seed, degree, coef0, K):
    """Row by row the same mistakes, and the same scores to the last bit."""
    X, y = integers(10, 2, K, seed)
    lift = PolynomialLift(degree, coef0=coef0, repeated=True).fit(X)
    Z = lift.transform(X)
    by_kernel = KernelPerceptron("poly", degree=degree, gamma=1, coef0=coef0)
    on_features = Perceptron()
    for i in [*range(10)] * 3:
        now = slice(i, i + 1)
        for model, rows in ((by_kernel, X), (on_features, Z)):
            model.partial_fit(rows[now], y[now], classes=range(K))
        assert by_kernel.mistakes_ == on_features.mistakes_
        assert by_kernel.errors_ == on_features.errors_
        np.testing.assert_array_equal(
            by_kernel.decision_function(X), on_features.decision_function(Z)
        )
    w = by_kernel.dual_coef_ @ lift.transform(by_kernel.support_vectors_)
    np.testing.assert_array_equal(w, on_features.coef_)
    np.testing.assert_array_equal(by_kernel.intercept_, on_features.intercept_)
    assert by_kernel.updates_ == on_features.updates_ > 0


@pytest.mark.parametrize("setting", [{}, {"multi_class": "joint"}, {"output": "average"}], ids=str)
def test_L2_6_w_is_a_sum_of_rows(setting):
    """The linear kernel is the linear learner: shuffled, class by class, to the last bit."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:600], y[:600]
    setting = {"max_iter": 4, "tol": None, **setting}
    linear = Perceptron(**setting).fit(X, y)
    model = KernelPerceptron("linear", **setting).fit(X, y)
    w = model.dual_coef_ @ model.support_vectors_
    exact = "output" not in setting  # an average divides
    np.testing.assert_allclose(
        w, linear.coef_, rtol=0 if exact else 1e-9, atol=0 if exact else 1e-9
    )
    np.testing.assert_allclose(model.intercept_, linear.intercept_, rtol=0 if exact else 1e-12)
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    for name in ("mistakes_", "updates_", "errors_", "t_", "n_iter_"):
        assert getattr(model, name) == getattr(linear, name), name
    for name in ("mistakes", "updates", "errors", "criterion"):
        np.testing.assert_array_equal(model.history_[name], linear.history_[name])
    if exact:
        np.testing.assert_allclose(model.history_["norm"], linear.history_["norm"], rtol=1e-12)


@small
@given(
    seed=st.integers(0, 10**6),
    degree=st.integers(1, 3),
    eta=st.sampled_from([1.0, 0.5]),
    tie=st.sampled_from([-1, 1]),
)
def test_L2_10_the_lectures_kernel_perceptron(seed, degree, eta, tie):
    X, c = integers(12, 2, 2, seed)
    run = textbook.kernel_perceptron(
        X, 2 * c - 1, lambda x, z: (x @ z + 1.0) ** degree, eta=eta, tie=tie, max_epochs=4
    )
    model = KernelPerceptron("poly", degree=degree, gamma=1, coef0=1, tie=tie, eta0=eta, **SETTING)
    model.set_params(max_iter=run.epochs).fit(X, c)
    assert (model.mistakes_, model.updates_) == (run.mistakes, run.mistakes)
    np.testing.assert_array_equal(coefficients(model, X), folded(run.w, X))
    assert model.intercept_ == run.b
    assert (model.score(X, c) == 1.0) == run.converged


@small
@given(seed=st.integers(0, 10**6), tie=st.sampled_from([-1, 0, 1]), epochs=st.integers(1, 3))
def test_L3_7_the_lectures_votes(seed, tie, epochs):
    X, c = integers(12, 2, 2, seed)
    setting = {**SETTING, "max_iter": epochs, "tie": tie, "fit_intercept": False}
    voted = VotedPerceptron(**setting).fit(X, c)
    run = textbook.voted_perceptron(X, 2 * c - 1, epochs=voted.n_iter_, tie=tie)
    steps = [t for t, *_ in moves(voted, X)]
    last = voted.n_iter_ * 12
    np.testing.assert_array_equal(np.diff([1, *steps, last + 1]), run.survived)
    scores = X @ run.run.weights.T
    signs = np.where(scores == 0.0, tie, np.sign(scores))
    np.testing.assert_array_equal(voted.decision_function(X), signs @ run.survived / last)
    said = np.where(voted.predict(X) == 1, 1, -1)
    decided = run.vote(X) != 0
    np.testing.assert_array_equal(said[decided], run.vote(X)[decided])
    average = KernelPerceptron("linear", output="average", **setting).fit(X, c)
    w = (average.dual_coef_ @ average.support_vectors_)[0]
    np.testing.assert_allclose(w, run.w, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_L3_7_earlier_weights_of_many_classes_vote(multi_class, intercept):
    """Counted one by one: w after each example votes once; the first, 0, abstains."""
    X, y = integers(K=3)
    joint, n = multi_class == "joint", len(y)
    model = KernelPerceptron(
        output="vote", multi_class=multi_class, fit_intercept=intercept, **POWER, **SETTING
    ).fit(X, y)
    T = np.random.default_rng(2).integers(-2, 3, (15, 3)).astype(float)
    options = {"joint": joint, "epochs": 3, "intercept": intercept}
    twin = kernel_multi(power(X, X), y, np.ones(n), range(n), rules.Perceptron(), 3, **options)
    taken = {t: (row, tau) for t, row, tau in twin.moves}
    scores, total = np.zeros((15, 3)), np.zeros((15, 3))
    for t in range(1, 3 * n + 1):
        if t in taken:
            row, tau = taken[t]
            scores = scores + (power(T, X[row]) + intercept)[:, None] * tau
        if joint and t >= min(taken):
            total[range(15), np.argmax(scores, axis=1)] += 1.0
        elif not joint:
            total += np.sign(scores)
    np.testing.assert_array_equal(model.decision_function(T), total / (3 * n))
    np.testing.assert_array_equal(model.predict(T), np.argmax(total, axis=1))


@pytest.mark.parametrize("kernel", [{"kernel": "poly", "degree": 2, "coef0": 1}, {"gamma": 1.0}])
def test_L3_9_xor_needs_a_kernel(kernel):
    toy = toys.xor(5, noise=0.2)
    assert certify(toy.X, toy.y).status == "inseparable"
    linear = KernelPerceptron("linear", tol=None, max_iter=50).fit(toy.X, toy.y)
    assert not linear.converged_
    assert linear.score(toy.X, toy.y) < 1.0
    model = KernelPerceptron(**kernel).fit(toy.X, toy.y)
    assert model.converged_
    assert model.score(toy.X, toy.y) == 1.0
