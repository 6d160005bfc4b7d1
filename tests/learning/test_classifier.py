"""Labels that come late, and what rows and labels may come in."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.preprocessing import scale

from rosenblatt import AveragedPerceptron, LMSRegressor, Perceptron, rules

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:Class PassiveAggressive:FutureWarning"
)

# --- labels and containers -----------------------------------------------------------------------


def test_labels_can_appear_late():
    X, y = load_digits(return_X_y=True)
    model = AveragedPerceptron(shuffle=False)
    seen = set()
    for start in range(0, 60, 3):
        model.partial_fit(X[start : start + 3], y[start : start + 3])
        seen |= set(y[start : start + 3])
        assert list(model.classes_) == sorted(seen)
        assert set(model.predict(X[:200])) <= seen
    assert model.coef_.shape == (10, 64)
    for start in range(60, 1500, 60):
        model.partial_fit(X[start : start + 60], y[start : start + 60])
    assert model.score(X[1500:], y[1500:]) > 0.8


def test_two_classes_become_three_without_forgetting():
    X, y = load_iris(return_X_y=True)
    model = Perceptron(shuffle=False).partial_fit(X[y > 0], y[y > 0])
    before = model.predict(X[y > 0])
    w = model.coef_[0].copy()
    model._add_class(0)
    np.testing.assert_array_equal(model.coef_, [np.zeros(4), -w, w])
    np.testing.assert_array_equal(model.predict(X[y > 0]), before)


def test_text_labels_can_become_longer():
    model = Perceptron().partial_fit(np.eye(2), np.array(["a", "b"]))
    model.partial_fit(np.eye(2), np.array(["longer", "a"]))
    assert list(model.classes_) == ["a", "b", "longer"]


def test_a_later_label_of_another_type_is_refused_with_both_as_they_were_given():
    model = Perceptron().partial_fit([[0.0], [1.0]], ["ham", "spam"])
    with pytest.raises(ValueError, match=r"mixed types: 3 now, 'ham' before\. Use one type"):
        model.partial_fit([[2.0]], np.array([3]))


def test_the_first_example_of_a_label_counts_as_an_error():
    model = Perceptron(shuffle=False).partial_fit(np.eye(3), [2, 1, 0])
    assert model.errors_ == 3


def test_a_label_outside_classes_is_refused():
    model = Perceptron().partial_fit(np.eye(2), [0, 1], classes=[0, 1])
    with pytest.raises(ValueError, match="label 7, which is none of the classes"):
        model.partial_fit(np.eye(2), [0, 7])
    with pytest.raises(ValueError, match="not the same as on last call"):
        model.partial_fit(np.eye(2), [0, 1], classes=[0, 1, 2])


@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_data_frames_keep_their_column_names(container):
    X, y = load_iris(return_X_y=True)
    frame = container(dict(zip("abcd", X.T, strict=True)))
    model = Perceptron().fit(frame, y)
    assert list(model.feature_names_in_) == list("abcd")
    np.testing.assert_array_equal(model.coef_, Perceptron().fit(X, y).coef_)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(container(dict(zip("abcx", X.T, strict=True))))


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_array])
def test_sparse_containers_and_wide_indices(kind, index):
    X, y = load_digits(return_X_y=True)
    matrix = sp.csr_matrix(X)
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    model = Perceptron(shuffle=False, max_iter=3, tol=None).fit(kind(matrix), y)
    dense = Perceptron(shuffle=False, max_iter=3, tol=None).fit(X, y)
    np.testing.assert_array_equal(model.coef_, dense.coef_)
    np.testing.assert_array_equal(model.predict(kind(matrix)), dense.predict(X))


def test_sparsify_and_back():
    X, y = load_iris(return_X_y=True)
    model = Perceptron(penalty="l1", alpha=0.1).fit(X, y)
    predicted = model.predict(X)
    assert sp.issparse(model.sparsify().coef_)
    np.testing.assert_array_equal(model.predict(X), predicted)
    np.testing.assert_array_equal(model.densify().predict(X), predicted)


def test_rules_by_name_and_by_object():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    for name in rules.NAMES:
        eta0 = 0.01 if name == "lms" else 0.5
        epochs = {
            "max_iter": 100 if name == "minover" else 3,
            "tol": None,
        }  # of one step, or of all
        model = Perceptron(rule=name, eta0=eta0, **epochs).fit(X, y)
        assert model.score(X, y) > 0.9, name
        same = Perceptron(rule=rules.by_name(name, eta0, 0), **epochs).fit(X, y)
        np.testing.assert_array_equal(model.coef_, same.coef_)
    assert clone(Perceptron(rule=rules.PA1(0.3))).rule == rules.PA1(0.3)


def test_L2_11_lms_is_the_adaptive_filter(rng):
    X = rng.standard_normal((400, 5))
    y = X @ np.arange(5.0) + 3.0
    for rule, eta0 in (("nlms", 0.5), ("lms", 0.05)):
        model = LMSRegressor(rule=rule, eta0=eta0, max_iter=100, tol=None).fit(X, y)
        np.testing.assert_allclose(model.coef_, np.arange(5.0), atol=1e-6)
        assert abs(model.intercept_ - 3.0) < 1e-6
    one_by_one = LMSRegressor(shuffle=False)
    for i in range(400):
        one_by_one.partial_fit(X[i : i + 1], y[i : i + 1])
    at_once = LMSRegressor(shuffle=False).partial_fit(X, y)
    np.testing.assert_array_equal(one_by_one.coef_, at_once.coef_)
