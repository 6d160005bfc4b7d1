"""``scale=True``: the same weights as on scaled rows, in the units of the data."""

import pickle
import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import score_twin
from profiles import share
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from rosenblatt import Adaline, AveragedPerceptron, LMSRegressor, Perceptron
from rosenblatt.engine import state
from rosenblatt.learning.interface import centre_columns, predict_then_learn, widen
from rosenblatt.learning.scaling import ScaleWarning, Scaling
from rosenblatt.utils.checks import LARGEST_VALUE

RANDOM = np.random.RandomState(0)
SIZES = np.array([1.0, 100.0, 1e5, 0.01])
X = (RANDOM.randn(240, 4) + np.array([0.0, 1.0, 5.0, 0.0])) * SIZES
Y = (X / SIZES) @ [1.0, -1.0, 1.0, 0.5] + 0.3 * RANDOM.randn(240) > 4.0
Y3 = np.digitize((X / SIZES) @ [1.0, -1.0, 1.0, 0.5], [3.5, 4.5])
LAYOUTS = {
    "dense": lambda X: X,
    "dense float32": lambda X: X.astype(np.float32),
    "csr_array": lambda X: sp.csr_array(np.where(X > 0.0, X, 0.0)),
    "csr_matrix float32": lambda X: sp.csr_matrix(np.where(X > 0.0, X, 0.0), dtype=np.float32),
}
MODELS = [
    Perceptron(scale=True, max_iter=5, tol=None),
    AveragedPerceptron(scale=True, multi_class="joint", max_iter=5, tol=None),
    Perceptron(scale=True, penalty="elasticnet", output="average", max_iter=5, tol=None),
    Perceptron(scale=True, output="pocket", max_iter=5, tol=None),
    Perceptron(scale=True, shards=3, rule="pa1", max_iter=5, tol=None),
    Adaline(scale=True, max_iter=5, tol=None),
]
layouts = pytest.mark.parametrize("layout", LAYOUTS)


def bits(model):
    """All that was learned, as bytes."""
    return [
        array.tobytes()
        for array in (*state.arrays_of(model._state).values(), *model._scaling.moments)
    ]


@pytest.mark.parametrize(
    ("model", "layout", "y"),
    [
        (model, *rows)
        for turn, model in enumerate(MODELS)
        for rows in share(product(LAYOUTS, [Y, Y3]), 3, turn)
    ],
)
def test_scores_are_those_of_coef_and_intercept(model, y, layout):
    rows = LAYOUTS[layout](X)
    model = clone(model).fit(rows, y)
    scores = np.asarray(rows @ model.coef_.T + model.intercept_)
    of_parts = score_twin.scores(rows, model.coef_, model.intercept_)
    np.testing.assert_array_equal(model.decision_function(rows), of_parts)
    scaled = model._scaling.scaled(rows)
    W, b = (array[..., : scores.shape[1]] for array in weights_of_scaled_rows(model))
    np.testing.assert_allclose(scores, scaled @ W + b, rtol=1e-4, atol=1e-3 * np.abs(scores).max())


def weights_of_scaled_rows(model):
    return state.weights(model._state, model.output)


def test_fit_is_that_of_standardised_rows():
    scaler = StandardScaler()
    same = Perceptron().fit(scaler.fit_transform(X), Y)
    model = Perceptron(scale=True).fit(X, Y)
    np.testing.assert_allclose(model.coef_, same.coef_ / scaler.scale_, rtol=1e-9)
    shift = same.coef_ @ (scaler.mean_ / scaler.scale_)
    np.testing.assert_allclose(model.intercept_, same.intercept_ - shift, rtol=1e-9)
    assert model.score(X, Y) > 0.9 > Perceptron().fit(X, Y).score(X, Y)


def test_held_out_rows_have_no_part_in_the_scale():
    model = Perceptron(scale=True, early_stopping=True, validation_fraction=0.25).fit(X, Y)
    assert (model._scaling.moments.n_seen == 180).all()


@layouts
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_batches_may_be_cut_anywhere(layout, shuffle, classes):
    rows, y = LAYOUTS[layout](X), Y if classes == 2 else Y3
    whole = AveragedPerceptron(scale=True, shuffle=shuffle)
    if shuffle:  # one row at a time, in the order that a batch is shuffled
        order = clone(whole)._row_order(len(y))
        whole.partial_fit(rows, y, np.unique(y))
        rows, y = rows[order], y[order]
    else:
        whole.partial_fit(rows, y)
    turn = [*LAYOUTS].index(layout) + shuffle + classes
    for cuts in share([[1, 2, 3, 100], range(1, 240), range(1, 240, 7)], 3, turn):
        model = AveragedPerceptron(scale=True, shuffle=False)
        for start, stop in zip([0, *cuts], [*cuts, 240], strict=True):
            model.partial_fit(rows[start:stop], y[start:stop], np.unique(y) if shuffle else None)
        assert bits(model) == bits(whole)
        assert model.coef_.tobytes() == whole.coef_.tobytes()


def test_duplicates_of_a_sparse_matrix_count_as_their_sum():
    plain = sp.csr_array(np.where(X > 0.0, X, 0.0))
    rows = sp.csr_array(
        (np.repeat(plain.data / 2, 2), np.repeat(plain.indices, 2), 2 * plain.indptr), plain.shape
    )
    assert bits(Perceptron(scale=True).partial_fit(rows, Y)) == bits(
        Perceptron(scale=True).partial_fit(plain, Y)
    )
    assert bits(Perceptron(scale=True).fit(rows, Y)) == bits(Perceptron(scale=True).fit(plain, Y))


def test_later_rows_may_have_the_other_layout():
    sparse = sp.csr_array(np.where(X > 0.0, X, 0.0))
    for first, second in ((sparse, sparse.toarray()), (sparse.toarray(), sparse)):
        model = Perceptron(scale=True).partial_fit(first[:100], Y[:100]).partial_fit(second, Y)
        same = Perceptron(scale=True).partial_fit(first[:100], Y[:100]).partial_fit(first, Y)
        assert bits(model) == bits(same)


def centring(columns=(0, 2), **params):
    model = AveragedPerceptron(scale=True, shuffle=False, **params)
    centre_columns(model, columns)
    return model


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_centred_columns_of_sparse_rows_are_learned_as_dense(dtype):
    rows = sp.csr_array(np.where(X > 0.0, X, 0.0), dtype=dtype)
    dense = AveragedPerceptron(scale=True, shuffle=False).partial_fit(rows.toarray(), Y3)
    model = centring(columns=range(4)).partial_fit(rows, Y3)
    np.testing.assert_array_equal(model.coef_, dense.coef_)
    np.testing.assert_array_equal(model.intercept_, dense.intercept_)


@pytest.mark.parametrize("classes", [2, 3])
def test_rows_with_centred_columns_may_be_cut_anywhere_and_widen(classes):
    y = Y if classes == 2 else Y3
    late = np.where(X > 0.0, X, 0.0)
    late[:150, 3] = 0.0  # a category that appears late
    whole = centring().partial_fit(sp.csr_array(late), y)
    for cuts in ([1, 2, 3, 150], range(1, 240)):
        model = centring()
        for start, stop in zip([0, *cuts], [*cuts, 240], strict=True):
            width = 3 if stop <= 150 else 4
            if start == 150:
                widen(model, 4)
            model.partial_fit(sp.csr_array(late[start:stop, :width]), y[start:stop])
        assert bits(model) == bits(whole)
        assert model.coef_.tobytes() == whole.coef_.tobytes()
    assert whole._scaling.moments.centred.tolist() == [True, False, True, False]


def test_predictions_with_centred_columns_are_of_raw_rows():
    rows = sp.csr_array(np.where(X > 0.0, X, 0.0))
    model = centring().partial_fit(rows, Y)
    scaled = model._scaling.scaled(rows)
    W, b = weights_of_scaled_rows(model)
    scores = (scaled @ W + b)[:, 0]
    np.testing.assert_allclose(model.decision_function(rows), scores, atol=1e-9)
    assert scaled.nnz > rows.nnz


@pytest.mark.parametrize("lag", [1, 3])
def test_rows_predicted_in_turn_are_centred_as_those_learned(lag):
    rows = sp.csr_array(np.where(X > 0.0, X, 0.0))
    in_turn, one_by_one = (centring().partial_fit(rows[:9], Y3[:9]) for _ in range(2))
    assert len(np.unique(Y3[:9])) == 3
    predict_then_learn(in_turn, rows[9:], Y3[9:], None, lag - 1, lag)
    stop = len(Y3) - lag + 1
    one_by_one.partial_fit(rows[9:stop], Y3[9:stop])
    assert bits(in_turn) == bits(one_by_one)


def test_a_warm_start_continues_the_scale():
    model = Perceptron(scale=True, warm_start=True, max_iter=2, tol=None).fit(X, Y)
    one, coef = model._scaling.moments, model.coef_
    model.fit(X, Y)
    assert (model._scaling.moments.n_seen == 2 * one.n_seen).all()
    np.testing.assert_allclose(model._scaling.moments.mean, one.mean)
    assert not np.array_equal(model.coef_, coef)


def test_initial_weights_are_in_raw_units():
    base = Perceptron(scale=True).fit(X, Y)
    options = {"scale": True, "max_iter": 1, "tol": None, "eta0": 1e-12}
    model = Perceptron(**options).fit(X, Y, coef_init=base.coef_, intercept_init=base.intercept_)
    np.testing.assert_allclose(model.coef_, base.coef_, rtol=1e-6)
    np.testing.assert_allclose(model.intercept_, base.intercept_, rtol=1e-6)
    only = Perceptron(**options).fit(X, Y, coef_init=base.coef_)
    np.testing.assert_allclose(only.intercept_, [0.0], atol=1e-9)


def test_weights_that_are_scaled_cannot_be_set():
    model = Perceptron(scale=True).fit(X, Y)
    with pytest.raises(ValueError, match=r"coef_ is computed from weights of scaled features"):
        model.coef_ = np.zeros((1, 4))
    with pytest.raises(ValueError, match="cannot be set"):
        model.coef_ = sp.csr_matrix((1, 4))
    assert np.array_equal(model.sparsify().coef_.toarray(), model.densify().coef_)
    with pytest.raises(ValueError, match=r"Use coef_init and intercept_init"):
        model.intercept_ = [0.0]
    assert model.sparsify().densify().score(X, Y) > 0.9


def test_scale_cannot_change_after_training():
    model = Perceptron(scale=True).fit(X, Y)
    before = bits(model)
    with pytest.raises(ValueError, match="scale=False was set after training with scale=True"):
        model.set_params(scale=False).partial_fit(X, Y)
    assert bits(model) == before
    assert Perceptron(scale=True).fit(X, Y).set_params(scale=False).fit(X, Y)._scaling is None
    model = Perceptron().fit(X, Y).set_params(scale=True, warm_start=True)
    with pytest.raises(ValueError, match="start again with fit and warm_start=False"):
        model.fit(X, Y)


def test_the_expansion_is_refused():
    with pytest.raises(ValueError, match="scale=True has other rows: scale them before"):
        Perceptron(scale=True, expansion=True).fit(X, Y)
    with pytest.raises(ValueError, match="scale must be True or False; got 1"):
        Perceptron(scale=1).fit(X, Y)


def test_a_failed_batch_leaves_the_scale_as_it_was():
    model = Perceptron(scale=True).partial_fit(X, Y, classes=[False, True])
    before = bits(model)
    with pytest.raises(ValueError, match="which is none of the classes"):
        model.partial_fit(X, Y3)
    with pytest.raises(ValueError, match=r"X has the value 1e\+200, which scale=True cannot"):
        model.partial_fit(np.full((1, 4), 1e200), [True])
    assert bits(model) == before
    assert np.isfinite(Perceptron(scale=True).fit(X / X.max() * LARGEST_VALUE, Y).coef_).all()


def test_a_regression_predicts_in_the_units_of_the_target():
    target = (X / SIZES) @ [3.0, -1.0, 2.0, 1.0] + 7.0
    model = LMSRegressor(scale=True, max_iter=100).fit(X, target)
    np.testing.assert_allclose(model.coef_ * SIZES, [3.0, -1.0, 2.0, 1.0], rtol=1e-2)
    np.testing.assert_allclose(model.predict(X), target, atol=0.05)
    online = LMSRegressor(scale=True, shuffle=False).partial_fit(X[:100], target[:100])
    online.partial_fit(X[100:], target[100:])
    assert bits(online) == bits(LMSRegressor(scale=True, shuffle=False).partial_fit(X, target))


def test_copies_and_pickles_have_the_scale():
    model = Perceptron(scale=True).partial_fit(X, Y)
    twin = pickle.loads(pickle.dumps(model))
    assert bits(twin.partial_fit(X, Y)) == bits(model.partial_fit(X, Y))


def test_the_first_rows_of_one_class_count():
    model = Perceptron(scale=True, shuffle=False).partial_fit(X[Y], Y[Y])
    model.partial_fit(X[~Y], Y[~Y])
    assert (model._scaling.moments.n_seen == 240).all()


def test_without_a_row_nothing_is_scaled():
    np.testing.assert_array_equal(Scaling.for_rows(X).scaled(X), X)


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("batches", [1, 30])
def test_a_variance_that_underflows_counts_as_none(storage, batches):
    tiny = np.column_stack([X[:, 0], np.where(X[:, 1] > 0, 3e-162, 5e-324)])
    model = Perceptron(scale=True, shuffle=False)
    for rows, labels in zip(np.array_split(tiny, batches), np.array_split(Y, batches), strict=True):
        model.partial_fit(storage(rows), labels, classes=np.unique(Y))
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.decision_function(storage(tiny))).all()


def test_standard_deviations_count_the_zeros_of_sparse_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(4.0, 2.0, (500, 3))
    X[:, 1] = rng.random(500) < 0.02  # a rare category
    X[:, 2] *= rng.random(500) < 0.1
    rows = sp.csr_array(X)
    deviations = Scaling.for_rows(rows, [0]).fitted(rows).standard_deviations()
    assert deviations[:2] == pytest.approx(X[:, :2].std(axis=0))
    assert deviations[2] == pytest.approx(np.sqrt(np.mean(X[:, 2] ** 2)))  # about 0
    assert Scaling.for_rows(rows).fitted(rows).standard_deviations() is None


def units(n=200):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(2800, 400, n), rng.uniform(0, 360, n), rng.random(n) < 0.5])
    return X, X[:, 0] > 2800


@pytest.mark.parametrize("rule", ["perceptron", "arow", "cw"])
def test_a_fit_warns_of_columns_that_differ_by_a_thousand(rule):
    X, y = units()
    with pytest.warns(ScaleWarning, match=r"column 0 is [34],\d{3} times as large as column 2"):
        Perceptron(rule=rule).fit(X, y)
    table = pd.DataFrame(X, columns=["height", "angle", "flag"])
    with pytest.warns(ScaleWarning, match="column height is .* as column flag"):
        Perceptron(rule=rule).fit(table, y)


def test_a_fit_does_not_warn_where_sizes_are_harmless():
    X, y = units()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Perceptron(scale=True).fit(X, y)
        Perceptron().fit(X / X.std(axis=0), y)
        Perceptron().fit(X[:, :2], y)
        Perceptron().fit(sp.csr_array(X), y)  # words: a rare one may be small
        rare = np.zeros((5000, 3))
        rare[0, 0] = rare[1, 1] = 1.0  # a category of one row in five thousand
        rare[:, 2] = np.linspace(-500, 500, 5000)
        Perceptron(max_iter=5, tol=None).fit(rare, rare[:, 2] > 0)
