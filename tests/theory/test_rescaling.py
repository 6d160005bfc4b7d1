"""Rules that rescale the weights against the optima and bounds that define them."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from registered import of_kind
from rescaling_twin import RescalingTwin
from sklearn.svm import LinearSVC

from rosenblatt import Perceptron, rules
from rosenblatt.theory.rule_kinds import always_moves

RESCALING_RULES = of_kind("rescaling")
coordinates = st.lists(st.floats(-3, 3).map(lambda v: round(v, 3)), min_size=3, max_size=3)
vectors = coordinates.map(np.array)
signs = st.sampled_from([-1.0, 1.0])


def after(rule, w, x, y, t=1, k=1):
    """The vector w after the example (x, y)."""
    factor, tau = rule.rescale(float(w @ x), y, float(x @ x), float(w @ w), t, k)
    return factor * w + tau * x


def least(w, x, y):
    """The smallest v with y⟨v, x⟩ ≥ 1 and ⟨v, w⟩ ≥ ‖w‖², of the candidates for it."""
    candidates = [y * x / (x @ x), w]
    rows = np.array([y * x, w])
    if np.linalg.matrix_rank(rows, tol=1e-6) == 2:
        candidates.append(np.linalg.lstsq(rows, np.array([1.0, w @ w]), rcond=None)[0])
    allowed = [v for v in candidates if y * (v @ x) >= 1 - 1e-9 and v @ w >= (w @ w) * (1 - 1e-9)]
    return min(allowed, key=lambda v: v @ v, default=None)


@given(vectors, vectors, signs)
def test_romma_takes_the_smallest_vector_of_its_relaxed_problem(w, x, y):
    norms = np.linalg.norm(w), np.linalg.norm(x)
    if min(norms) < 0.1 or abs(w @ x) > 0.99 * norms[0] * norms[1]:
        return
    expected = least(w, x, y)
    if y * (w @ x) <= 0.0:
        np.testing.assert_allclose(after(rules.ROMMA(), w, x, y), expected, rtol=1e-6, atol=1e-9)
    else:
        assert after(rules.ROMMA(), w, x, y).tolist() == w.tolist()
    if y * (w @ x) < 1.0:
        new = after(rules.AggressiveROMMA(), w, x, y)
        np.testing.assert_allclose(new, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("rule", [rules.ROMMA(), rules.AggressiveROMMA()])
def test_romma_starts_with_the_first_example_and_ignores_an_empty_one(rule):
    x = np.array([0.0, 2.0])
    assert after(rule, np.zeros(2), x, -1.0).tolist() == [0.0, -0.5]
    assert rule.rescale(0.0, 1.0, 0.0, 1.0, 0, 0) == (1.0, 0.0)


@given(vectors, vectors, signs, st.integers(0, 50))
def test_pegasos_descends_its_criterion(w, x, y, t):
    lam = 0.25
    eta = 1.0 / (lam * (t + 1))
    gradient = lam * w - (y * x if y * (w @ x) < 1.0 else 0.0)
    expected = w - eta * gradient
    np.testing.assert_allclose(after(rules.Pegasos(lam), w, x, y, t=t), expected, atol=1e-9)


@given(vectors, vectors, signs, st.integers(0, 50))
def test_alma_stays_in_the_ball_and_moves_by_normalised_rows(w, x, y, k):
    rule = rules.ALMA(1.5, 0.8)
    w = w / max(1.0, np.linalg.norm(w))
    new = after(rule, w, x, y, k=k)
    assert np.linalg.norm(new) <= 1.0 + 1e-9
    if not x.any():
        assert new.tolist() == w.tolist()
        return
    unit = x / np.linalg.norm(x)
    missing = (1 - rule.alpha) / rule.alpha / math.sqrt(k + 1) - y * (w @ unit)
    if abs(missing) > 1e-9:
        moved = w + (rule.C * y / math.sqrt(k + 1) * unit if missing > 0 else 0.0)
        expected = moved / max(1.0, np.linalg.norm(moved))
        np.testing.assert_allclose(new, expected, rtol=1e-9, atol=1e-12)


def separable(n=200, d=6, seed=0):
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(d + 1)
    X = rng.standard_normal((4 * n, d))
    scores = X @ u[:-1] + u[-1]
    margin = np.abs(scores) > 0.3
    return X[margin][:n], np.sign(scores[margin][:n]), u / 0.3


@pytest.mark.parametrize("rule", [rules.ROMMA(), rules.AggressiveROMMA()])
def test_romma_keeps_to_its_mistake_bound(rule):
    """At most R²‖u‖² mistakes for a u with y⟨u, x⟩ ≥ 1 everywhere."""
    X, y, u = separable()
    twin, mistakes = RescalingTwin(X.shape[1], 1, rule), 0
    for _ in range(5):
        for i in range(len(y)):
            mistakes += y[i] * float(twin.W[0] @ np.append(X[i], 1.0)) <= 0.0
            twin.learn(X[i : i + 1], y[i : i + 1], np.ones(1), [0])
    radius = (X * X).sum(axis=1).max() + 1.0
    assert 5 < mistakes <= radius * (u @ u)


def test_ogd_keeps_to_its_regret_bound():
    """Against a u within D of every w: at most (D²/(2η) + ηR²) √T more."""
    X, y, u = separable(400)
    eta, radius = 0.5, math.sqrt((X * X).sum(axis=1).max() + 1.0)
    twin = RescalingTwin(X.shape[1], 1, rules.OGD(eta))
    total, D = 0.0, np.linalg.norm(u)
    for i in range(len(y)):
        total += max(0.0, 1.0 - y[i] * float(twin.W[0] @ np.append(X[i], 1.0)))
        twin.learn(X[i : i + 1], y[i : i + 1], np.ones(1), [0])
        D = max(D, np.linalg.norm(twin.W[0] - u))
    assert 0.0 < total <= (D * D / (2 * eta) + eta * radius**2) * math.sqrt(len(y))


@given(st.floats(-5, 5), signs, st.floats(0.1, 9), st.floats(0, 9), st.integers(0, 9))
def test_all_rules_treat_both_classes_alike(score, y, sqnorm, wsqnorm, t):
    for kind in RESCALING_RULES:
        factor, tau = kind().rescale(score, y, sqnorm, wsqnorm, t, t)
        mirrored, opposite = kind().rescale(-score, -y, sqnorm, wsqnorm, t, t)
        assert (factor, tau) == (mirrored, -opposite)


class Scalar(NamedTuple):
    def rescale(self, score, y, sqnorm, wsqnorm, t, k):
        return y


class Short(NamedTuple):
    def rescale(self, score, y):
        return 1.0, y


class TwoKinds(Scalar):
    def needs_variance(self, score, y):
        return True


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (TwoKinds(), "TwoKinds has needs_variance and rescale: a rule is of one kind"),
        (Scalar(), "Scalar.rescale must return two numbers, the factor and τ; it returned 1.0"),
        (Short(), r"Short.rescale must take \(score, y, sqnorm, wsqnorm, t, k\); it takes"),
    ],
)
def test_an_error_in_a_users_rule_is_reported_before_compilation(rule, message):
    with pytest.raises(TypeError, match=message):
        rules.complete(rule)


def weighted(rule, w, x, y, weight, t=1, k=1):
    seen = float(w @ x), y, float(x @ x), float(w @ w), t, k
    factor, tau = rule.weighted_rescale(*seen, weight)
    return factor * w + tau * x


class Forgets(NamedTuple):
    factor: float

    def rescale(self, score, y, sqnorm, wsqnorm, t, k):
        return self.factor, 0.0


def test_a_users_rule_that_always_moves_is_found_by_trying():
    assert always_moves(Forgets(0.9)) is True
    assert always_moves(Forgets(1.0)) is False


@given(vectors, vectors, signs, st.floats(0.1, 5))
def test_what_a_weight_does(w, x, y, weight):
    if min(np.linalg.norm(w), np.linalg.norm(x)) < 0.1:
        return
    for kind in RESCALING_RULES:
        np.testing.assert_allclose(weighted(kind(), w, x, y, 1.0), after(kind(), w, x, y))
    ball = weighted(rules.ALMA(), w, x, y, weight)
    np.testing.assert_allclose(ball, after(rules.ALMA(C=weight), w, x, y))
    once = after(rules.ROMMA(), w, x, y)  # a second step would find nothing to do
    np.testing.assert_allclose(weighted(rules.ROMMA(), w, x, y, 1.0 + weight), once)
    shrunk = weighted(rules.Pegasos(0.5), w, x, y, 0.0)
    np.testing.assert_allclose(shrunk, 0.5 * w)  # the penalty has no weight


def test_weighted_pegasos_finds_the_optimum_of_liblinear():
    """λ/2 ‖w‖² + Σ weight · hinge/n, with the intercept as a weight, for weights below 1."""
    rng, n, lam = np.random.default_rng(0), 400, 0.05
    X = rng.standard_normal((n, 3))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] + 0.7 * rng.standard_normal(n) > 0.3, 1, -1)
    weight = rng.uniform(0.05, 1.0, n)

    def criterion(w, b):
        hinges = np.maximum(0.0, 1.0 - y * (X @ w + b))
        return lam / 2 * (w @ w + b * b) + weight @ hinges / n

    svm = LinearSVC(C=1 / (lam * n), loss="hinge", dual=True, max_iter=100_000, tol=1e-8)
    svm.fit(X, y, sample_weight=weight)
    best = criterion(svm.coef_[0], svm.intercept_[0])
    model = Perceptron(
        rule=rules.Pegasos(lam), output="average", max_iter=60, tol=None, random_state=0
    ).fit(X, y, sample_weight=weight)
    found = criterion(model.coef_[0], model.intercept_[0])
    assert best * (1 - 1e-6) <= found <= best * 1.01
