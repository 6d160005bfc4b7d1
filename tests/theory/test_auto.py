"""The rule without a choice against its formulas, and the learners that have it."""

import warnings
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from blend_twin import Blend
from hypothesis import given
from hypothesis import strategies as st
from profiles import share, thorough

from rosenblatt import Classifier, OnlineClassifier, OnlinePerceptron, Perceptron, rules
from rosenblatt.engine.blend import class_offsets, records_of

ONCE = {"rule": "auto", "shuffle": False, "max_iter": 1, "tol": None}


def data(classes=2, n=120, d=5, seed=0):
    """Rows of a column that is rare, one that is dense with a mean, and others."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < [0.1, 1.0, 0.6, 0.45, 0.9])
    X[:, 1] += 3.0
    y = np.argmax(X @ rng.normal(size=(d, classes)) + rng.normal(size=(n, classes)), axis=1)
    y[:classes] = np.arange(classes)
    return X, y


def twin_of(X, y, classes=2, weight=None, intercept=True):
    twin = Blend(X.shape[1], classes, intercept)
    weight = np.ones(len(y)) if weight is None else weight
    for x, label, h in zip(X.tolist(), y.tolist(), weight.tolist(), strict=True):
        twin.learn(x, label, h)
    return twin


def assert_is_the_twin(model, twin, dtype=np.float64):
    W, b = twin.weights(dtype)
    assert model.coef_.tobytes() == np.ascontiguousarray(W.T).tobytes()
    assert model._state.b[: twin.P].tobytes() == b.tobytes()


@pytest.mark.parametrize(
    ("classes", "dtype", "intercept"),
    share(product([2, 3, 9], [np.float32, np.float64], [True, False]), 5, 0),
)
def test_batches_of_any_rows_have_the_bits_of_the_formulas(classes, dtype, intercept):
    """With weights of rows, zero, whole and fractions, and those of classes.

    With an intercept these move the scores, without one they multiply the weights of the rows.
    """
    X, y = data(classes)
    X = X.astype(dtype)
    weight = np.random.default_rng(1).choice([0.0, 1.0, 2.0, 0.25], len(y))
    factors = {k: 1.0 + k / 4 for k in range(classes)}
    twin = twin_of(X, y, classes, weight * (1.0 if intercept else 1.0 + y / 4), intercept)
    if intercept:
        twin.offsets[:] = class_offsets(np.array([*factors.values()]))
    for stored, cuts in (
        (np.asarray, [1, 50, 51]),
        (sp.csr_array, range(1, 120)),
        (sp.csr_array, []),
    ):
        model = Perceptron(
            **ONCE, class_weight=factors, fit_intercept=intercept, multi_class="joint"
        )
        for part in np.split(np.arange(len(y)), list(cuts)):
            rows = stored(X[part])
            model.partial_fit(rows, y[part], classes=range(classes), sample_weight=weight[part])
        assert_is_the_twin(model, twin, dtype)
    assert (model.intercept_ == 0.0).all() != intercept


def test_a_column_is_centred_while_it_is_dense():
    X, y = data(n=400)
    X[:, 0] = np.where((np.arange(400) < 40) | (np.arange(400) > 250), X[:, 1], 0.0)
    lists = []
    for rows in (40, 180, 400):
        twin = twin_of(X[:rows], y[:rows])
        lists.append(0 in twin.dense)
        model = Perceptron(**ONCE).fit(sp.csr_array(X[:rows]), y[:rows])
        assert_is_the_twin(model, twin)
    assert lists == [True, False, True]


def test_rows_one_by_one_are_predicted_by_weights_that_are_fresh():
    """Of many names only those of a row are written; names and a third class come late."""
    X, y = data(3)
    wide = [
        {f"c{j}": x for j, x in enumerate(row) if x} | {f"w{i}": 1.0} for i, row in enumerate(X)
    ]
    model, twin = OnlinePerceptron(rule="auto"), Perceptron(**ONCE)
    names = {name: j for j, name in enumerate(dict.fromkeys(name for row in wide for name in row))}
    rows = np.zeros((len(X), len(names)))
    for i, row in enumerate(wide):
        rows[i, [names[name] for name in row]] = list(row.values())
    labels = np.where(np.arange(len(y)) < 60, y % 2, y)
    labels[:2] = 0, 1
    for i, row in enumerate(wide):
        if i > 1:
            expected = twin.predict_proba(rows[i : i + 1])[0]
            found = model.predict_proba_one(row)
            np.testing.assert_allclose([found[k] for k in twin.classes_], expected, rtol=1e-9)
        model.learn_one(row, int(labels[i]))
        twin.partial_fit(rows[i : i + 1], labels[i : i + 1])
    assert list(model.classes_) == [0, 1, 2]


def test_a_third_class_changes_no_odds_of_the_two():
    X, y = data()
    model = Perceptron(**ONCE).fit(X, y)
    before, constant = model.decision_function(X), model._state.own["blend.terms"][3]
    model.partial_fit(X[:1], [2], sample_weight=[0.0])
    after = model.decision_function(X)
    np.testing.assert_allclose(after[:, 1] - after[:, 0], before - constant, rtol=1e-9, atol=1e-9)
    assert (after[:, 2] == 0.0).all()


numbers = st.floats(-1e3, 1e3, width=32)


@thorough(25)
@given(
    st.lists(st.tuples(numbers, numbers, numbers, st.booleans()), min_size=2, max_size=30),
    st.lists(st.integers(-30, 30), min_size=3, max_size=3),
    st.lists(st.floats(1e-6, 1e6), min_size=3, max_size=3),
)
def test_units_change_no_bit_or_only_rounding(rows, powers, factors):
    X, y = np.array([row[:3] for row in rows]), np.array([int(row[3]) for row in rows])
    y[:2] = 0, 1
    scores = []
    for units in (np.ones(3), 2.0 ** np.array(powers), np.array(factors)):
        model = Perceptron(**ONCE).fit(X * units, y)
        scores.append(model.decision_function(X * units))
    assert scores[0].tobytes() == scores[1].tobytes()
    np.testing.assert_allclose(scores[2], scores[0], rtol=1e-5, atol=1e-5 * abs(scores[0]).max())


@pytest.mark.parametrize("classes", [2, 3])
def test_whatever_the_values_and_weights_numbers_are_finite_and_those_of_the_formulas(classes):
    rng = np.random.default_rng(0)
    sizes = [1e308, 5e-324, 1e-150, 1e150, 1.0, 1e20, 0.0]
    X = rng.choice(sizes, (80, 5)) * rng.choice([-1.0, 1.0], (80, 5))
    X[:, 4] = 1e8 + 1.0  # a constant
    y = rng.permutation(np.arange(80) % classes)
    weight = rng.choice([1e300, 1e-300, 1.0, 0.0], 80)
    model = Perceptron(**ONCE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.partial_fit(X, y, classes=range(classes), sample_weight=weight)
    own = model._state.own
    for name, array in own.items():
        assert np.isfinite(array).all(), name
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_).all()
    with np.errstate(all="ignore"):
        twin = twin_of(X, y, classes, weight)
    w = records_of(own["blend.columns"]).weights[1:, :, : twin.P]
    assert w.tobytes() == np.ascontiguousarray(twin.w[:, :-1].transpose(1, 0, 2)).tobytes()


def test_a_constant_column_learns_nothing():
    X, y = data()
    with_one = np.column_stack([X, np.full(len(X), 0.1)])
    model, plain = Perceptron(**ONCE).fit(with_one, y), Perceptron(**ONCE).fit(X, y)
    assert model.coef_[0, :-1].tobytes() == plain.coef_[0].tobytes()
    assert abs(model.coef_[0, -1] * 0.1) < 1e-6 * np.abs(model.intercept_[0])


def test_a_mixture_of_shards_has_their_means():
    X, y = data(n=600)
    X += 100.0
    mixed = Perceptron(rule="auto", shards=4, max_iter=1, tol=None, random_state=0).fit(X, y)
    single = Perceptron(rule="auto", max_iter=1, tol=None, random_state=0).fit(X, y)
    assert mixed.score(X, y) > single.score(X, y) - 0.05
    assert mixed._state.own["blend.lists"].tolist()[0] == X.shape[1]


def test_parts_of_the_rule_learn_alone():
    """The learners without the blend, and the blend without the learners."""
    X, y = data()
    model = Perceptron(**ONCE | {"rule": rules.Auto(1.0, 0.0)}).partial_fit(X, y)
    assert not model._state.own["blend.terms"].any()
    before = model._state.own["blend.columns"].copy()
    model.set_params(rule=rules.Auto(0.0, 1.0)).partial_fit(X, y)
    assert model._state.own["blend.columns"].tobytes() == before.tobytes()
    assert model._state.own["blend.terms"].any()
    with pytest.raises(ValueError, match="learners"):
        Perceptron(rule=rules.Auto(0.5, 1.0)).fit(X, y)


@pytest.mark.parametrize("classes", [2, 4])
def test_weights_of_classes_move_the_scores_by_their_logarithms(classes):
    X, y = data(classes)
    by_class = dict(zip(range(classes), [1.0, 9.0, 0.25, 3.0], strict=False))
    once = ONCE
    plain, weighted = Perceptron(**once), Perceptron(**once, class_weight=by_class)
    for model in (plain, weighted):
        model.partial_fit(X[:100], y[:100], classes=range(classes)).partial_fit(X[100:], y[100:])
    np.testing.assert_array_equal(weighted.coef_, plain.coef_)
    logs = np.log(list(by_class.values()))
    moved = logs[1:] - logs[:1] if classes == 2 else logs
    np.testing.assert_allclose(weighted.intercept_ - plain.intercept_, moved, rtol=1e-12)
    shares = plain.predict_proba(X) * list(by_class.values())
    shares /= shares.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(weighted.predict_proba(X), shares, rtol=1e-9)


def test_balanced_weights_of_a_rare_class_do_no_harm():
    for seed in (3, 6, 8):
        rng = np.random.default_rng(seed)
        y = (rng.random(8000) < 0.003).astype(int)
        X = rng.normal(size=(8000, 3)) + 1.5 * y[:, np.newaxis]
        model = Classifier(class_weight="balanced").fit(X[:6000], y[:6000])
        found = model.predict(X[6000:]) == y[6000:]
        balanced = (found[y[6000:] == 0].mean() + found[y[6000:] == 1].mean()) / 2
        assert balanced > 0.75, seed


@pytest.mark.parametrize("kind", [Classifier, OnlineClassifier])
def test_a_negative_weight_of_a_class_is_refused(kind):
    X, y = data(3)
    model = kind(class_weight={0: -1.0})
    with pytest.raises(ValueError, match="class_weight must be at least 0"):
        getattr(model, "fit", getattr(model, "learn_many", None))(X, y)


@pytest.mark.parametrize(("dtype", "last", "beyond"), [("f4", -35, -39), ("f8", -136, -145)])
def test_units_change_no_probability_while_weights_are_in_the_range(dtype, last, beyond):
    """The range that the docstring of rules.Auto states."""
    X, y = data()
    X = X.astype(dtype)

    def fitted(power):
        rows = (X * 10.0**power).astype(dtype)
        model = Perceptron(**ONCE).partial_fit(rows, y)
        return model.predict_proba(rows)

    whole = fitted(0)
    assert abs(fitted(last) - whole).max() < 1e-5
    assert abs(fitted(beyond) - whole).max() > 0.01
