"""A row has the same score, to the last bit, alone, in any batch, and after save and load."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
import score_twin
from hypothesis import given, settings
from hypothesis import strategies as st
from profiles import share

from rosenblatt import AveragedPerceptron, LMSRegressor, OnlinePerceptron, Perceptron, load, save

MODELS = {
    "last": Perceptron(max_iter=3, tol=None),
    "average": AveragedPerceptron(max_iter=3, tol=None),
    "joint": Perceptron(multi_class="joint", rule="pa1", max_iter=3, tol=None),
    "penalty": Perceptron(penalty="l2", output="average", max_iter=3, tol=None),
    "pocket": Perceptron(output="pocket", max_iter=3, tol=None),
    "scaled": Perceptron(scale=True, max_iter=3, tol=None),
}
LAYOUTS = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "list": np.ndarray.tolist,
    "sparse": sp.csr_array,
}


def data(seed, n, d, classes, dtype):
    """Rows whose products and sums are not exact, and labels of all classes."""
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-3, 3, d)).astype(dtype)
    X[rng.random(X.shape) < 0.2] = 0.0
    return X, np.arange(n) % classes, rng


@pytest.mark.parametrize(
    ("name", "dtype", "classes"),
    [
        (name, *case)
        for turn, name in enumerate(MODELS)
        for case in share(product(["float32", "float64"], [2, 3, 11]), 2, turn)
    ],
)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(23, 40),
    d=st.integers(1, 40),
    layout=st.sampled_from(list(LAYOUTS)),
)
@settings(max_examples=5, deadline=None)
def test_a_row_has_one_score(tmp_path_factory, name, classes, dtype, seed, n, d, layout):
    X, y, rng = data(seed, n, d, classes, dtype)
    arrange = LAYOUTS[layout]
    if layout == "list":
        X = X.astype(np.float64)  # as a list of numbers is read
    model = MODELS[name].fit(arrange(X), y)
    scores = model.decision_function(arrange(X))
    order, part = rng.permutation(n), rng.permutation(n)[: rng.integers(1, n + 1)]
    alone = [model.decision_function(arrange(X[i : i + 1])) for i in range(n)]
    assert np.concatenate(alone).tobytes() == scores.tobytes()
    for rows in (order, part):
        assert model.decision_function(arrange(X[rows])).tobytes() == scores[rows].tobytes()
    rows = arrange(X) if layout == "sparse" else X
    expected = score_twin.scores(rows, model.coef_, model.intercept_)
    assert scores.tobytes() == expected.tobytes()
    path = tmp_path_factory.mktemp("model") / "model.safetensors"
    save(model, path)
    assert load(path).decision_function(arrange(X)).tobytes() == scores.tobytes()


@pytest.mark.parametrize("classes", [3, 11])
def test_dense_and_sparse_rows_of_several_classes_have_the_same_scores(classes):
    X, y, _ = data(0, 50, 20, classes, "float64")
    model = Perceptron(max_iter=3, tol=None).fit(X, y)
    scores = model.decision_function(X)
    assert model.decision_function(sp.csr_array(X)).tobytes() == scores.tobytes()


def test_sparse_weights_and_weights_set_by_hand_score_as_others():
    X, y, rng = data(1, 30, 9, 3, "float64")
    model = Perceptron(max_iter=3, tol=None).fit(X, y)
    model.coef_ = np.where(rng.random((3, 9)) < 0.5, 0.0, rng.standard_normal((3, 9)))
    scores = model.decision_function(X)
    assert scores.tobytes() == score_twin.scores(X, model.coef_, model.intercept_).tobytes()
    assert model.sparsify().decision_function(X).tobytes() == scores.tobytes()


def test_a_regression_has_one_score():
    X, y, _ = data(2, 30, 9, 3, "float64")
    model = LMSRegressor(max_iter=3, tol=None).fit(X, y)
    scores = model.predict(X)
    assert scores.tobytes() == score_twin.scores(X, model.coef_, model.intercept_).tobytes()
    assert [model.predict(X[i : i + 1])[0] for i in range(30)] == scores.tolist()


@pytest.mark.parametrize("params", [{}, {"output": "average"}, {"penalty": "l2"}], ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_an_online_model_scores_one_row_as_many(classes, params):
    X, y, _ = data(3, 40, 9, classes, "float64")
    rows = [{f"f{j}": value for j, value in enumerate(row)} for row in X.tolist()]
    model = OnlinePerceptron(rule="logistic", **params).learn_many(rows, y.tolist())
    together = model.predict_proba_many(rows)
    alone = [list(model.predict_proba_one(row).values()) for row in rows]
    assert np.array(alone).tobytes() == together.tobytes()
    assert model.predict_many(rows).tolist() == [model.predict_one(row) for row in rows]
