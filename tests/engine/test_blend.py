"""Records of a blended rule: their views, a class more, and mixtures."""

import numpy as np
import pytest

from rosenblatt import Perceptron
from rosenblatt.engine import blend
from rosenblatt.engine.mixing import mix_shards
from rosenblatt.engine.state import copy_state, insert_column

ONCE = {"rule": "auto", "shuffle": False, "max_iter": 1, "tol": None}


def learned(classes=2, n=80):
    rng = np.random.default_rng(0)
    X = rng.normal([5.0, 0.0, -1.0], size=(n, 3))
    y = rng.integers(0, classes, n)
    y[:classes] = np.arange(classes)
    return Perceptron(**ONCE).partial_fit(X, y, classes=range(classes)), X, y


@pytest.mark.parametrize("P", [1, 8, 16])
def test_the_views_share_the_memory_of_the_records_and_do_not_overlap(P):
    array = np.zeros((4, blend.width(P)))
    for number, part in enumerate(blend.records_of(array), 1):
        assert part.shape[1:] == ((3, P) if part.ndim == 3 else ())
        part += number
    counts = [3 * P, 3 * P, 1, 1]
    assert [(array[0] == number).sum() for number in (1, 2, 3, 4)] == counts
    assert (array == array[0]).all()


def test_a_class_more_keeps_the_difference_of_the_two():
    model, _, _ = learned()
    state = model._state
    wider = insert_column(state, 2 - 1, 2)
    old, new = (blend.records_of(s.own["blend.columns"]) for s in (state, wider))
    difference = new.weights[..., 1] - new.weights[..., 0]
    np.testing.assert_array_equal(difference, old.weights[..., 0])
    for k in (0, 1):
        np.testing.assert_array_equal(new.precisions[..., k], old.precisions[..., 0])
    assert not new.weights[..., 2:].any()
    np.testing.assert_array_equal(new.largest, old.largest)
    np.testing.assert_array_equal(new.present, old.present)


@pytest.mark.parametrize("classes", [2, 3])
def test_spreads_are_those_of_the_columns_where_no_row_is_certain(classes):
    rng = np.random.default_rng(0)
    X = rng.normal([5.0, 0.0, -1.0], [2.0, 30.0, 0.01], size=(2000, 3))
    y = rng.integers(0, classes, 2000)
    model = Perceptron(**ONCE).fit(X, y)
    np.testing.assert_allclose(blend.spreads(model._state.own), X.std(axis=0), rtol=0.05)
    through_origin = Perceptron(**ONCE, fit_intercept=False).fit(X, y)
    assert blend.spreads(through_origin._state.own) is None


@pytest.mark.parametrize("classes", [2, 3])
def test_a_mixture_has_the_mean_of_weights_and_the_sums_of_what_was_seen(classes):
    model, X, y = learned(classes)
    before = copy_state(model._state)
    shards = []
    for part in (slice(0, 40), slice(40, 80)):
        model._state = copy_state(before)
        shards.append(copy_state(model.partial_fit(3 * X[part], y[part])._state))
    mixed = mix_shards(before, shards)
    start, one, other, whole = (
        blend.records_of(state.own["blend.columns"]) for state in (before, *shards, mixed)
    )
    np.testing.assert_allclose(whole.weights, (one.weights + other.weights) / 2, atol=1e-15)
    np.testing.assert_allclose(whole.present, one.present + other.present - start.present)
    remembers, forgets = slice(0, 1), slice(1, 3)
    a, b, c, d = (records.precisions for records in (start, one, other, whole))
    np.testing.assert_allclose(d[:, remembers], (b + c - a)[:, remembers], rtol=1e-12)
    np.testing.assert_allclose(d[:, forgets], (b + c)[:, forgets] / 2, rtol=1e-12)
    np.testing.assert_array_equal(whole.largest, np.maximum(one.largest, other.largest))
    model._state = mixed
    W, b = model.coef_, model.intercept_  # written from the mixture, with its means
    coefficients = 1 / 3 + mixed.own["blend.terms"][:3]
    for k in range(len(W)):
        w = np.einsum("e,je->j", coefficients, whole.weights[1:, :, k])
        np.testing.assert_allclose(W[k], w, rtol=1e-12)
    means = mixed.own["blend.sums"][:, 0] / mixed.own["blend.sums"][:, 1]
    constant = mixed.own["blend.terms"][3] if classes == 2 else 0.0
    expected = coefficients @ whole.weights[0][:, : len(W)] + constant - W @ means
    np.testing.assert_allclose(b, expected, rtol=1e-9)


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
def test_records_that_training_cannot_produce_are_known(value):
    array = np.zeros((3, blend.width(1)))
    assert blend.is_valid(array)
    blend.records_of(array).weights[0] = -1.0
    assert blend.is_valid(array)
    for part in blend.records_of(array)[1:]:
        part.flat[1] = value
        assert not blend.is_valid(array)
        part.flat[1] = 0.0


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("blend.terms", 0, np.nan),
        ("blend.terms", 5, np.inf),
        ("blend.totals", 0, 1e17),
        ("blend.totals", 1, np.inf),
        ("blend.sums", 1, -1.0),
        ("blend.offsets", 0, np.nan),
        ("blend.lists", 0, 99),
        ("blend.dense", 0, 99),
    ],
)
def test_arrays_that_training_cannot_produce_are_named(name, place, value):
    model, _, _ = learned(2)
    own = {key: array.copy() for key, array in model._state.own.items()}
    assert not list(blend.lies(own))
    own[name].ravel()[place] = value
    found = {*blend.lies(own)}
    assert found
    assert found <= {name, "blend.lists"}
