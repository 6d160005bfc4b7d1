"""Scale-free rules: no unit matters, nothing has to be chosen, and their numbers stay in range."""

import warnings
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from profiles import share

import rosenblatt
from rosenblatt import KernelPerceptron, OnlinePerceptron, Perceptron, rules
from rosenblatt.engine.state import arrays_of
from rosenblatt.learning.scaling import ScaleWarning
from rosenblatt.theory.rule_kinds import own_fields

NAMES = [name for name, declared in rules.DECLARATIONS.items() if declared.scale_free]
ONCE = {"shuffle": False, "max_iter": 1, "tol": None}
of_each = pytest.mark.parametrize("rule", NAMES)
FOLLOWING = [
    name for name in NAMES if any(field.alone for field in own_fields(rules.RULES[name]).values())
]
"""The rules whose weights follow from their numbers."""
BLENDED = [name for name in NAMES if rules.DECLARATIONS[name].kind == "blended"]
"""Their weights are a blend already, of which no average is kept."""
SLOW = {name: 0.4 for name in NAMES if name.startswith("scinol1")} | {"scinol_hinge": 0.1}
"""How much less of a few hundred rows a rule gets right in one pass."""
of_following = pytest.mark.parametrize("rule", FOLLOWING)


def output(rule):
    return "last" if rule in BLENDED else "average"


def data(classes=2, n=400, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.8)
    truth = rng.normal(size=(d, classes))
    return X, np.argmax(X @ truth + 0.3 * rng.normal(size=(n, classes)), axis=1)


ROWS = list(
    product(["binary", "ovr", "joint"], [np.float32, np.float64], [np.asarray, sp.csr_array])
)


@pytest.mark.parametrize(
    ("rule", "problem", "dtype", "stored"),
    [(rule, *rows) for turn, rule in enumerate(NAMES) for rows in share(ROWS, 5, turn)],
)
def test_columns_times_powers_of_two_change_no_bit_of_a_score(rule, problem, dtype, stored):
    X, y = data(2 if problem == "binary" else 9)
    factors = 2.0 ** np.array([10, -12, 0, 7, -3, 20])
    found = []
    for unit in (np.ones(6), factors):
        rows = stored((X * unit).astype(dtype))
        model = Perceptron(
            **ONCE | {"max_iter": 2}, rule=rule, output=output(rule),
            multi_class="joint" if problem == "joint" else "ovr",
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("error", ScaleWarning)
            model.fit(rows, y)
        found.append((model.decision_function(rows).tobytes(), (model.coef_ * unit).tobytes()))
        assert model.score(rows, y) > 0.6 - SLOW.get(rule, 0.0)
    assert found[0] == found[1]


@of_each
def test_columns_of_any_units_are_learned_in_one_pass(rule):
    X, y = data()
    units = 10.0 ** np.random.default_rng(1).uniform(-5, 5, 6)
    plain, scaled = (Perceptron(**ONCE, rule=rule).fit(rows, y) for rows in (X, X * units))
    assert scaled.score(X * units, y) == plain.score(X, y) > 0.9 - SLOW.get(rule, 0.0)
    if rules.DECLARATIONS[rule].log_odds:
        assert np.isfinite(scaled.predict_proba(X * units)).all()


@of_each
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nothing_leaves_the_range_on_whatever_rows_and_weights(rule, classes, dtype):
    rng = np.random.default_rng(0)
    largest = 30 if dtype == np.float32 else 140
    for form in (np.asarray, sp.csr_array):
        sizes = 10.0 ** rng.uniform(-largest, largest, (60, 5))
        X = form((rng.choice([-1.0, 0.0, 1.0], (60, 5)) * sizes).astype(dtype))
        y = rng.permutation(np.arange(60) % classes)
        weight = 10.0 ** rng.uniform(-20, 20, 60)
        model = Perceptron(rule=rule, output=output(rule), max_iter=3, tol=None)
        model.fit(X, y, sample_weight=weight)
        assert np.isfinite(model.coef_).all()
        for name, array in arrays_of(model._state).items():
            assert np.isfinite(array).all() or name in ("losses", "pocket_errors"), name
        for name, field in own_fields(rules.RULES[rule]).items():
            assert (model._state.own[name] >= field.minimum).all(), name


@of_each
@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
@pytest.mark.parametrize("classes", [2, 3])
def test_an_example_of_weight_zero_touches_nothing(rule, classes, multi_class):
    X, y = data(classes)
    once = {"multi_class": multi_class, "rule": rule} | ONCE
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    huge = np.where(weight[:, None] > 0, X, 1e6 * X)
    whole = Perceptron(**once).fit(huge, y, sample_weight=weight)
    rest = Perceptron(**once).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_array_equal(whole.coef_, rest.coef_)
    np.testing.assert_array_equal(whole.intercept_, rest.intercept_)


@of_each
def test_a_saved_model_goes_on_with_the_same_bits_and_classes_and_names_may_come_late(
    rule, tmp_path
):
    X, y = data(3)
    paths = [tmp_path / "model.rosenblatt", tmp_path / "online.rosenblatt"]
    models = [Perceptron(rule=rule), OnlinePerceptron(rule=rule)]
    for k in range(0, 390, 130):
        for i, path in enumerate(paths):
            if k:
                rosenblatt.save(models[i], path)
            twins = [models[i]] if not k else [models[i], rosenblatt.load(path)]
            for model in twins:
                rows = X[k : k + 30]
                labels = np.minimum(y[k : k + 30], 1 + (k > 200))
                if i == 0:
                    model.partial_fit(rows, labels)
                else:
                    names = [{f"c{j + k % 90}": x for j, x in enumerate(row)} for row in rows]
                    model.learn_many(names, labels.tolist())
            states = [arrays_of(getattr(model, "_model", model)._state) for model in twins]
            for name, array in states[0].items():
                other = states[-1][name]
                common = min(len(array), len(other))  # an online model has room for more names
                np.testing.assert_array_equal(array[:common], other[:common], name)
    tensors = rosenblatt.models.describe(paths[0])["tensors"]
    assert own_fields(rules.RULES[rule]).keys() <= tensors.keys()
    assert "C" not in tensors


@of_each
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"penalty": "l2"}, "A penalty does not go with"),
        ({"expansion": True}, "this rule does more than to move w along a row"),
    ],
)
def test_what_does_not_go_with_it_is_refused(rule, change, message):
    with pytest.raises(ValueError, match=message):
        Perceptron(rule=rule, **change).fit(*data())


@of_following
def test_weights_that_follow_from_its_numbers_come_from_nowhere_else(rule):
    X, y = data()
    with pytest.raises(ValueError, match="more than to move w along a row"):
        KernelPerceptron("rbf", rule=rule).fit(X, y)
    with pytest.raises(ValueError, match="sample_weight must be at least 0"):
        Perceptron(rule=rule).fit(X, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match="the weights follow from other numbers"):
        Perceptron(rule=rule).fit(X, y, coef_init=np.ones((1, 6)))
    model = Perceptron(**ONCE, rule=rule).fit(X, y)
    with pytest.raises(ValueError, match="the weights follow from other numbers"):
        model.coef_ = np.ones((1, 6))
    with pytest.raises(ValueError, match="was set after training with"):
        model.set_params(rule="arow").partial_fit(X, y)
    model.set_params(rule="pa1").partial_fit(X, y)
    with pytest.raises(ValueError, match="a rule with numbers for each weight was set after"):
        model.set_params(rule=rule).partial_fit(X, y)


@of_following
def test_another_rule_ends_what_the_weights_follow_from(rule):
    X, y = data()
    model = Perceptron(**ONCE, rule=rule, warm_start=True).fit(X, y).set_params(rule="perceptron")
    model.coef_ = np.ones((1, 6))
    assert (model.coef_ == 1.0).all()
    model = Perceptron(**ONCE, rule=rule, warm_start=True).fit(X, y)
    model.set_params(rule="perceptron").fit(X, y)
    with pytest.raises(ValueError, match="a rule with numbers for each weight was set after"):
        model.set_params(rule=rule).partial_fit(X, y)


@of_each
def test_scale_true_and_shards_go_with_it(rule):
    X, y = data()
    assert Perceptron(rule=rule, scale=True, random_state=0).fit(X, y).score(X, y) > 0.9
    for shards in (3, 20):
        mixed = Perceptron(rule=rule, shards=shards, max_iter=4, tol=None, random_state=0)
        assert mixed.fit(X, y).score(X, y) > 0.85 - SLOW.get(rule, 0.0)
        if rule in BLENDED:  # whose units are those of x without its mean
            continue
        largest = mixed._state.own["numbers.largest"].ravel()
        if rule in ("kt_squared", "kt_squared_hinge"):  # where |g| > 1, M is |g x|
            assert (largest >= np.abs(X).max(axis=0)).all()
        else:
            np.testing.assert_array_equal(largest, np.abs(X).max(axis=0))


@pytest.mark.parametrize(
    ("rule", "output"),
    [
        (rule, output)
        for turn, rule in enumerate(NAMES)
        for output in share(["pocket", "average"], 2, turn)
    ],
)
def test_other_outputs_go_with_it_unless_it_is_a_blend(rule, output):
    X, y = data()
    model = Perceptron(rule=rule, output=output, max_iter=6, tol=None, random_state=0)
    if rule in BLENDED:
        with pytest.raises(ValueError, match="are a blend of learners already"):
            model.fit(X, y)
    else:
        assert model.fit(X, y).score(X, y) > 0.9 - SLOW.get(rule, 0.0)


def test_a_rule_whose_weights_are_its_own_goes_on_from_any():
    X, y = data()
    assert "nag" in set(NAMES) - set(FOLLOWING)
    model = Perceptron(**ONCE, rule="nag").fit(X, y, coef_init=np.ones((1, 6)))
    model.coef_ = 2 * model.coef_
    model.partial_fit(X, y)
    assert model._state.own["counts.rows"].tolist() == [800.0]
    assert model.score(X, y) > 0.9
