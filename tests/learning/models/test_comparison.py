"""What changed between two models, against ten lines of NumPy."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from saved_models import batch

from rosenblatt import KernelPerceptron, LMSRegressor, OnlinePerceptron, Perceptron, load, save
from rosenblatt.learning.models.comparison import Sets, Weight
from rosenblatt.models import compare


def learned(seed=0, classes=3, **params):
    return Perceptron(shuffle=False, **params).partial_fit(*batch(seed, classes=classes))


def by_hand(u, v):
    """Both lengths, the distance, and the angle in degrees."""
    cosine = u @ v / np.linalg.norm(u) / np.linalg.norm(v)
    lengths = [np.linalg.norm(w) for w in (u, v, v - u)]
    return *lengths, math.degrees(math.acos(np.clip(cosine, -1.0, 1.0)))


def norms_and_angle(moved):
    return *moved.norm, moved.distance, moved.angle


# --- weights of features -------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
def test_each_vector_of_two_models(classes):
    a, b = learned(0, classes), learned(1, classes, rule="pa1", output="average")
    result = compare(a, b)
    assert not result.equal
    assert result.params == {"rule": ("perceptron", "pa1"), "output": ("last", "average")}
    assert result.labels == Sets(classes, [], [])
    assert result.features == Sets(5, [], [])
    assert result.counts["mistakes"] == (a.mistakes_, b.mistakes_)
    assert result.counts["examples"] == (40, 40)
    assert [one.label for one in result.vectors] == a.classes_.tolist()[classes == 2 :]
    for k, one in enumerate(result.vectors):
        assert norms_and_angle(one) == pytest.approx(by_hand(a.coef_[k], b.coef_[k]))
        assert one.intercept == (a.intercept_[k], b.intercept_[k])


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-9, 1e-3, 1.0, 1e6]))
@thorough(25)
def test_norms_and_angles(seed, step):
    random = np.random.default_rng(seed)
    a, b = learned(0, 2), learned(0, 2)
    a.coef_ = random.normal(size=(1, 5))
    b.coef_ = a.coef_ + step * random.normal(size=(1, 5))
    (one,) = compare(a, b).vectors
    u, v = a.coef_[0], b.coef_[0]
    sine = np.linalg.norm(np.outer(u, v) - np.outer(v, u)) / math.sqrt(2.0)  # as ‖u × v‖
    angle = math.degrees(math.atan2(sine, u @ v))
    assert (*one.norm, one.distance) == pytest.approx(by_hand(u, v)[:3])
    assert one.angle == pytest.approx(angle, rel=1e-5, abs=1e-12)


def test_the_weights_that_moved_most_over_all_classes():
    a, b = learned(0), learned(1)
    changes = np.abs(b.coef_ - a.coef_)
    order = np.argsort(-changes, axis=None)[:4]
    result = compare(a, b).most_moved(4)
    assert [abs(one.after - one.before) for one in result] == pytest.approx(changes.ravel()[order])
    k, j = divmod(int(order[0]), 5)
    assert result[0] == Weight(k, j, a.coef_[k, j], b.coef_[k, j])
    assert compare(a, b).most_moved(0) == []


def test_features_by_name_whatever_their_order():
    X, y = batch(0, classes=2)
    names = list("abcde")
    here = Perceptron(shuffle=False).partial_fit(pd.DataFrame(X, columns=names), y)
    there = pd.DataFrame(X[:, ::-1], columns=names[::-1]).drop(columns="b").assign(z=1.0)
    result = compare(here, Perceptron(shuffle=False).partial_fit(there, y))
    assert result.features == Sets(4, ["z"], ["b"])
    assert list(result.names) == ["a", "b", "c", "d", "e", "z"]
    before, after = result.weights[1]
    assert before.tolist() == [*here.coef_[0], 0.0]
    assert after[1] == 0.0
    other = Perceptron(shuffle=False).partial_fit(there, y)
    assert after[[4, 3, 2, 0, 5]].tolist() == other.coef_[0].tolist()


def test_features_by_column_where_a_model_has_no_names():
    X, y = batch(0, classes=2)
    narrow = Perceptron(shuffle=False).partial_fit(X[:, :3], y)
    result = compare(narrow, Perceptron(shuffle=False).partial_fit(X, y))
    assert result.features == Sets(3, [3, 4], [])
    named = Perceptron(shuffle=False).partial_fit(pd.DataFrame(X, columns=list("abcde")), y)
    assert compare(narrow, named).features == Sets(3, ["d", "e"], [])
    assert compare(named, narrow).features == Sets(3, [], ["d", "e"])


def test_a_third_class_leaves_two_vectors_to_compare():
    two = OnlinePerceptron().learn_many([{"a": 1.0}, {"b": 2.0}], ["ham", "spam"])
    three = OnlinePerceptron().learn_many(
        [{"a": 1.0}, {"b": 2.0}, {"c": 1.0}], ["ham", "spam", "x"]
    )
    result = compare(two, three)
    assert result.labels == Sets(2, ["x"], [])
    assert result.features == Sets(2, ["c"], [])
    assert set(result.weights) == {"ham", "spam"}
    for label, pair in result.weights.items():
        for model, vector in zip((two, three), pair, strict=True):
            weights = model.weights_of(label)
            assert vector.tolist() == [weights.get(name, 0.0) for name in "abc"]


def test_models_without_a_name_are_compared():
    nameless = OnlinePerceptron().learn_many([{}, {}], ["ham", "spam"])
    named = OnlinePerceptron().learn_many([{}, {"a": 1.0}], ["ham", "spam"])
    assert compare(nameless, nameless).equal
    assert compare(nameless, named).features == Sets(0, ["a"], [])
    assert [vector.tolist() for vector in compare(named, nameless).weights["spam"]] == [[1], [0]]


def test_an_online_model_and_a_perceptron_with_names():
    rows, y = pd.DataFrame({"a": [1.0, 0.0], "b": [0.0, 2.0]}), ["ham", "spam"]
    online = OnlinePerceptron().learn_many(rows, y)
    result = compare(online, Perceptron(shuffle=False).partial_fit(rows, y))
    assert result.kinds == ("OnlinePerceptron", "Perceptron")
    assert result.vectors[0].distance == result.vectors[0].angle == 0.0
    assert not result.equal


def test_a_vector_of_zeros_has_no_angle():
    a, b = learned(0, 2), learned(0, 2)
    a.coef_ = np.zeros((1, 5))
    (one,) = compare(a, b).vectors
    assert math.isnan(one.angle)
    assert one.distance == pytest.approx(np.linalg.norm(b.coef_))


def test_regressors_and_models_that_cannot_be_compared():
    X, y = batch(0, classes=2)
    one, other = (LMSRegressor(eta0=rate, shuffle=False).partial_fit(X, y) for rate in (0.01, 0.02))
    result = compare(one, other)
    assert norms_and_angle(result.vectors[0]) == pytest.approx(by_hand(one.coef_, other.coef_))
    assert result.labels == Sets(0, [], [])
    assert compare(one, learned()).why == "one predicts labels, the other numbers"
    assert compare(learned(), KernelPerceptron().fit(X, y)).why.startswith("one has weights")
    with pytest.raises(AttributeError):
        compare(Perceptron(), learned())


# --- equal ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "learn",
    [
        lambda: learned(0),
        lambda: learned(0, 2, output="average", penalty="l2"),
        lambda: Perceptron(output="pocket", max_iter=3, tol=None).fit(*batch(0)),
        lambda: Perceptron(expansion=True, max_iter=3, tol=None).fit(*batch(0)),
        lambda: KernelPerceptron("rbf", max_iter=2, tol=None).fit(*batch(0)),
        lambda: OnlinePerceptron().learn_many([{"a": 1.0}, {"b": 2.0}], ["ham", "spam"]),
    ],
)
def test_a_model_is_equal_to_itself_saved(learn, path):
    model = learn()
    save(model, path)
    result = compare(model, load(path))
    assert result.equal
    assert result.most_moved(5) == []


def test_models_of_equal_weights_may_differ():
    X, y = batch(0)
    a = Perceptron(output="average", shuffle=False).partial_fit(X, y)
    b = Perceptron(output="average", shuffle=False).partial_fit(X, y)
    assert compare(a, b).equal
    b._state.ub[0] += 1e-9
    assert not compare(a, b).equal
    timed = [Perceptron(max_iter=2, tol=None).fit(X, y) for _ in range(2)]
    timed[0].history_["seconds"] += 1.0
    assert compare(*timed).equal  # how long it took does not matter
    assert not compare(
        a, Perceptron(output="average", shuffle=False, tie=0.0).partial_fit(X, y)
    ).equal


# --- sums of rows --------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("output", ["last", "average"])
def test_a_linear_kernel_compares_as_its_weights(classes, output):
    models = [
        KernelPerceptron("linear", output=output, max_iter=n, tol=None, shuffle=False).fit(
            *batch(0, classes=classes)
        )
        for n in (1, 3)
    ]
    result = compare(*models)
    u, v = (model.dual_coef_ @ model.support_vectors_ for model in models)
    for k, one in enumerate(result.vectors):
        assert norms_and_angle(one) == pytest.approx(by_hand(u[k], v[k]), rel=1e-6)
    assert result.weights == {}
    before, after = (set(map(bytes, model.support_vectors_)) for model in models)
    assert result.rows.kept == len(before & after)
    assert len(result.rows.added) == len(after - before)
    assert len(result.rows.lost) == len(before - after)
    assert set(result.rows.added) <= set(models[1].support_.tolist())


def test_different_kernels_and_precomputed_kernels():
    X, y = batch(0)
    one, other = (KernelPerceptron("rbf", gamma=g, shuffle=False).fit(X, y) for g in (0.1, 0.2))
    assert compare(one, other).why == "their kernels differ"
    narrow = KernelPerceptron("rbf", gamma=0.1, shuffle=False).fit(X[:, :2], y)
    assert compare(one, narrow).why == "their rows have different features"
    elsewhere = KernelPerceptron("precomputed", shuffle=False).fit(X @ X.T, y)
    assert compare(elsewhere, elsewhere).why == "a precomputed kernel is not in the model"
    assert compare(elsewhere, elsewhere).equal
