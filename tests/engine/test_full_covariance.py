"""Rules with a full covariance in the loops and in the estimators."""

import numpy as np
import pytest
import scipy.sparse as sp
from full_covariance_twin import FullTwin
from registered import of_kind, tried
from sklearn.datasets import load_breast_cancer

import rosenblatt
from rosenblatt import OnlinePerceptron, Perceptron
from rosenblatt.engine import multiclass, state
from rosenblatt.engine.linear import loops
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.multiclass import UpdateSpec
from rosenblatt.learning.online import base
from rosenblatt.theory import rule_kinds
from rosenblatt.theory.rule_kinds import MAX_FEATURES, OWN_FIELDS

RULES = tried("full")
N, D = 50, 8  # on noisy rows the covariances of CW fall by a factor a row, up to what float64 has


def data(K, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.6)
    return X, rng.integers(0, max(K, 2), N), rng.integers(1, 4, N).astype(float)


def learned(rule, kind, K, *, joint=False, dtype=np.float64, intercept=True):
    X, codes, weight = data(K)
    rows = as_rows(X.astype(dtype) if kind == "dense" else sp.csr_array(X.astype(dtype)))
    scheme = None if K == 1 else multiclass.Joint() if joint else multiclass.OneVsRest()
    memory = state.empty(D, K, dtype, OWN_FIELDS["full"], average=True)
    spec = UpdateSpec(rule, scheme, np.ones(K), 0.0, intercept, float(intercept), average=True)
    y = 2.0 * codes - 1.0 if K == 1 else codes
    loops.epoch(loops.Examples(rows, y, weight), np.arange(N), memory, spec)
    return memory


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("scheme", ["two classes", "ovr", "joint"])
def test_weights_and_covariances_equal_their_twin(kind, scheme):
    K, close = 1 if scheme == "two classes" else 3, {"rtol": 1e-8, "atol": 1e-10}
    X, codes, weight = data(K)
    for name in RULES:
        twin = FullTwin(D, K, RULES[name])
        labels = 2 * codes - 1 if K == 1 else codes
        twin.learn(X, labels, weight, np.arange(N), joint=scheme == "joint")
        memory = learned(RULES[name], kind, K, joint=scheme == "joint")
        close["atol"] = 1e-10 * max(1.0, np.abs(twin.W).max())
        np.testing.assert_allclose(memory.W[:, :K], twin.W[:, :-1].T, **close)
        np.testing.assert_allclose(memory.b[:K], twin.W[:, -1], **close)
        np.testing.assert_array_equal(memory.updates[:K], twin.updates)
        order = [D, *range(D)]  # the twin has the intercept last
        for k in range(K):
            covariance = np.linalg.inv(twin.precision[k])[np.ix_(order, order)]
            S = memory.own["S"][:, k].reshape(D + 1, D + 1)
            np.testing.assert_array_equal(S, S.T)
            np.testing.assert_allclose(S, covariance, **close)
        W, b = state.weights(memory, "average")
        mean = np.mean(twin.history, axis=0)
        np.testing.assert_allclose(np.column_stack([W[:, :K].T, b[:K]]), mean, **close)


def test_without_an_intercept_and_in_float32():
    double = learned(RULES["arow_full"], "sparse", 1, intercept=False)
    single = learned(RULES["arow_full"], "sparse", 1, dtype=np.float32, intercept=False)
    assert not double.b.any()
    assert double.own["S"].reshape(D + 1, D + 1)[0].tolist() == [1.0] + D * [0.0]
    np.testing.assert_allclose(single.W, double.W, rtol=1e-4, atol=1e-5)


def test_batches_files_and_classes_that_come_late(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    once = Perceptron(rule="arow_full", shuffle=False, max_iter=1, tol=None).fit(X, y)
    assert once.score(X, y) > 0.97
    parts = Perceptron(rule="arow_full", shuffle=False)
    for start in range(0, len(X), 100):
        parts.partial_fit(X[start : start + 100], y[start : start + 100], classes=[0, 1])
        rosenblatt.save(parts, tmp_path / "model.rosenblatt")
        parts = rosenblatt.load(tmp_path / "model.rosenblatt")
    np.testing.assert_array_equal(parts.coef_, once.coef_)
    np.testing.assert_array_equal(parts.intercept_, once.intercept_)
    late = Perceptron(rule="arow_full").partial_fit(X[:50], y[:50])
    for start in range(0, 90, 3):  # the third class is far from the others
        late.partial_fit(X[start : start + 3] + 9.0, [2, 2, 2])
        late.partial_fit(X[start : start + 3], y[start : start + 3])
    assert late.predict(X[90:120] + 9.0).tolist() == [2] * 30


def test_names_that_come_late_have_the_prior_variance():
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, (90, 50)).astype(float)
    X[:30, 20:] = 0.0
    y = (X @ rng.standard_normal(50) > 0).astype(int)
    rows = [{f"f{j}": v for j, v in enumerate(x) if v} for x in X]
    named = OnlinePerceptron(rule="scw1_full")
    for row, label in zip(rows, y.tolist(), strict=True):
        named.learn_one(row, label)
    columns = [int(name[1:]) for name in named.feature_names_]
    unnamed = Perceptron(rule="scw1_full", shuffle=False).partial_fit(X[:, columns], y)
    for label in (0, 1):
        weights = named.weights_of(label)
        expected = (2 * label - 1) * unnamed.coef_[0]
        found = [weights[f"f{j}"] for j in columns]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_columns_that_vary_together_are_told_apart():
    """A full covariance makes fewer mistakes on columns that are mixtures."""
    rng = np.random.default_rng(0)
    mixing = rng.standard_normal((20, 20))
    Z = rng.standard_normal((3000, 20))
    y = np.sign(Z @ rng.standard_normal(20))
    mistakes = {
        rule: Perceptron(rule=rule, shuffle=False).partial_fit(Z @ mixing, y).mistakes_
        for rule in ("arow", "arow_full")
    }
    assert mistakes["arow_full"] < 0.7 * mistakes["arow"]


def test_too_many_features_are_refused():
    X = sp.csr_array((2, MAX_FEATURES + 1))
    for kind in of_kind("full"):
        name = kind.__base__.__name__
        with pytest.raises(ValueError, match=f"{kind.__name__} keeps .* 2,049. {name} keeps d"):
            Perceptron(rule=kind()).fit(X, [0, 1])


def test_names_beyond_the_largest_number_are_ignored(tmp_path, monkeypatch):
    monkeypatch.setattr(base, "MAX_FEATURES", 8)
    monkeypatch.setattr(rule_kinds, "MAX_FEATURES", 8)
    model = OnlinePerceptron(rule="arow_full").learn_one({"a": 1}, "x").learn_one({"b": 1}, "y")
    model.learn_many([{f"{j}": 1.0} for j in range(3)], ["x", "y", "x"])  # twice 5 is above 8
    rosenblatt.save(model, tmp_path / "model.rosenblatt")
    for one in (model, rosenblatt.load(tmp_path / "model.rosenblatt")):
        one.learn_one({f"f{j}": 1.0 for j in range(8)}, "x")
        assert (len(one.feature_names_), one.ignored_) == (8, 5)


def test_it_does_not_continue_a_diagonal():
    X, y = [[1.0, 0.0], [0.0, 1.0]], [0, 1]
    model = Perceptron(rule="arow").fit(X, y)
    with pytest.raises(ValueError, match="FullAROW was set after training with AROW"):
        model.set_params(rule="arow_full").partial_fit(X, y)
