"""The estimators: scikit-learn's own bits, its checks, and what it does not have."""

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn import linear_model
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.preprocessing import scale
from sklearn.utils.estimator_checks import parametrize_with_checks

import rosenblatt
from rosenblatt import (
    Adaline,
    AveragedPerceptron,
    LMSRegressor,
    PassiveAggressiveClassifier,
    Perceptron,
    rules,
    state,
    theory,
    toys,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:Class PassiveAggressive:FutureWarning"
)

REPEATED = "a weight scales a step; repeating a row takes the step twice, from two places"
EXPECTED_FAILURES = {
    Adaline: {
        "check_class_weight_classifiers": "a class weight of 1000 multiplies the step of least "
        "mean squares beyond its limit of 2: it diverges, and says so",
    },
    AveragedPerceptron: {
        "check_class_weight_classifiers": "the average remembers the weights before the heavy "
        "class had its say",
    },
}


def expected_failures(estimator):
    return {
        "check_sample_weight_equivalence_on_dense_data": REPEATED,
        "check_sample_weight_equivalence_on_sparse_data": REPEATED,
        **EXPECTED_FAILURES.get(type(estimator), {}),
    }


@parametrize_with_checks(
    [Perceptron(), AveragedPerceptron(), PassiveAggressiveClassifier(), Adaline(), LMSRegressor()],
    expected_failed_checks=expected_failures,
    xfail_strict=True,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


# --- the same bits as scikit-learn ---------------------------------------------------------------

DATA = {"iris": load_iris, "digits": load_digits, "cancer": load_breast_cancer}
SETTINGS = [
    {},
    {"tol": None, "max_iter": 7},
    {"eta0": 0.1, "fit_intercept": False},
    {"class_weight": "balanced", "max_iter": 9},
    {"early_stopping": True},
    {"penalty": "l2", "alpha": 0.01, "tol": None, "max_iter": 5},
    {"penalty": "l1", "alpha": 0.01, "tol": None, "max_iter": 5},
    {"penalty": "elasticnet", "alpha": 0.01, "tol": None, "max_iter": 5},
]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
@pytest.mark.parametrize("name", list(DATA))
def test_coef_is_scikit_learns_to_the_last_bit(name, setting):
    X, y = DATA[name](return_X_y=True)
    shuffles = [False] if name != "cancer" else [False, True]  # classes share one shuffled order
    for shuffle in shuffles:
        ours = Perceptron(shuffle=shuffle, **setting).fit(X, y)
        theirs = linear_model.Perceptron(shuffle=shuffle, **setting).fit(X, y)
        np.testing.assert_array_equal(ours.coef_, theirs.coef_)
        np.testing.assert_array_equal(ours.intercept_, theirs.intercept_)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        assert ours.coef_.dtype == theirs.coef_.dtype
        if not ours.converged_:
            assert ours.n_iter_ == theirs.n_iter_
            if "early_stopping" not in setting:  # theirs counts the rows held out as seen
                assert ours.t_ == theirs.t_


@pytest.mark.parametrize("setting", SETTINGS[:3], ids=str)
@pytest.mark.parametrize("name", list(DATA))
def test_coef_is_scikit_learns_in_float32_too(name, setting):
    X, y = DATA[name](return_X_y=True)
    X = X.astype(np.float32)
    ours = Perceptron(shuffle=False, **setting).fit(X, y)
    theirs = linear_model.Perceptron(shuffle=False, **setting).fit(X, y)
    np.testing.assert_array_equal(ours.coef_, theirs.coef_)
    assert ours.coef_.dtype == np.float32


def test_weighted_rows_and_warm_starts_are_scikit_learns(rng):
    X, y = load_breast_cancer(return_X_y=True)
    weight = rng.random(len(y))
    ours, theirs = (
        cls(shuffle=False, tol=None, max_iter=3, warm_start=True)
        for cls in (Perceptron, linear_model.Perceptron)
    )
    for _ in range(2):
        ours.fit(X, y, sample_weight=weight)
        theirs.fit(X, y, sample_weight=weight)
        np.testing.assert_array_equal(ours.coef_, theirs.coef_)
    start = rng.standard_normal((1, X.shape[1]))
    for model in (ours, theirs):
        model.set_params(warm_start=False).fit(X, y, coef_init=start, intercept_init=[0.5])
    np.testing.assert_array_equal(ours.coef_, theirs.coef_)


@pytest.mark.parametrize("name", ["iris", "cancer"])
def test_partial_fit_is_scikit_learns(name):
    X, y = DATA[name](return_X_y=True)
    ours, theirs = Perceptron(shuffle=False), linear_model.Perceptron(shuffle=False)
    for rows in np.array_split(np.random.default_rng(0).permutation(len(y)), 7):
        for model in (ours, theirs):
            model.partial_fit(X[rows], y[rows], classes=np.unique(y))
    np.testing.assert_array_equal(ours.coef_, theirs.coef_)
    assert ours.t_ == theirs.t_


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("name", ["digits", "cancer"])
def test_passive_aggressive_is_scikit_learns(name, loss):
    X, y = DATA[name](return_X_y=True)
    for shuffle in [False] if name == "digits" else [False, True]:
        setting = {"shuffle": shuffle, "loss": loss, "random_state": 3, "C": 0.3, "max_iter": 20}
        ours = PassiveAggressiveClassifier(**setting).fit(X, y)
        theirs = linear_model.PassiveAggressiveClassifier(**setting).fit(X, y)
        np.testing.assert_array_equal(ours.coef_, theirs.coef_)
        assert ours.n_iter_ == theirs.n_iter_


def test_every_parameter_of_scikit_learn_is_here_with_its_default():
    for name in ("Perceptron", "PassiveAggressiveClassifier"):
        theirs = getattr(linear_model, name)().get_params()
        ours = getattr(rosenblatt, name)().get_params()
        assert {key: ours[key] for key in theirs} == theirs


# --- promise 1: the same answer ------------------------------------------------------------------


def bits(model, *but):
    return {k: v.tobytes() for k, v in model._state._asdict().items() if k not in but}


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize(
    "setting",
    [
        {"output": "average"},
        {"output": "pocket"},
        {"penalty": "elasticnet", "alpha": 0.01, "output": "average"},
        {"multi_class": "joint"},
    ],
    ids=str,
)
def test_promise_1_chunks_and_single_rows_are_one_pass(kind, setting):
    X, y = load_iris(return_X_y=True)
    mixed = np.random.default_rng(0).permutation(len(y))
    X, y = X[mixed] if kind == "dense" else sp.csr_array(X[mixed]), y[mixed]
    whole = Perceptron(shuffle=False, **setting).partial_fit(X, y)
    chunks = Perceptron(shuffle=False, **setting)
    for rows in np.array_split(np.arange(len(y)), 11):
        chunks.partial_fit(X[rows], y[rows])
    single = Perceptron(shuffle=False, **setting)
    for i in range(len(y)):
        single.partial_fit(X[i : i + 1], y[i : i + 1])
    assert bits(whole) == bits(chunks) == bits(single)
    if "penalty" not in setting:
        known = Perceptron(shuffle=False, **setting).partial_fit(X, y, classes=[0, 1, 2])
        fitted = Perceptron(shuffle=False, max_iter=1, tol=None, **setting).fit(X, y)
        pocket = {f for f in state.State._fields if f.startswith(("pocket", "champion", "run"))}
        assert bits(known, "losses", *pocket) == bits(fitted, "losses", *pocket)


def test_promise_1_a_stopped_fit_goes_on():
    X, y = load_digits(return_X_y=True)
    whole = Perceptron(shuffle=False, tol=None, max_iter=6, output="average").fit(X, y)
    parts = Perceptron(shuffle=False, tol=None, max_iter=2, output="average", warm_start=True)
    for _ in range(3):
        parts.fit(X, y)
    assert bits(whole) == bits(parts)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_promise_1_one_worker_is_many(kind):
    X, y = load_digits(return_X_y=True)
    X = X if kind == "dense" else sp.csr_array(X)
    models = [
        Perceptron(shards=4, n_jobs=n, max_iter=5, tol=None, output="average").fit(X, y)
        for n in (None, 1, 2, -1)
    ]
    assert len({str(bits(m)) for m in models}) == 1
    assert models[0].score(X, y) > 0.9
    other = Perceptron(shards=2, max_iter=5, tol=None, output="average").fit(X, y)
    assert bits(other) != bits(models[0])
    lone = Perceptron(shards=1, max_iter=5, tol=None, output="average").fit(X, y)
    plain = Perceptron(max_iter=5, tol=None, output="average").fit(X, y)
    assert bits(lone) == bits(plain)


def test_parameter_mixing_is_the_mean_of_its_shards():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    setting = {"shuffle": False, "max_iter": 1, "tol": None, "output": "average"}
    both = Perceptron(shards=2, **setting).fit(X, y)
    halves = [
        Perceptron(**setting).fit(X[rows], y[rows]) for rows in np.array_split(range(len(y)), 2)
    ]
    W = [h._state.W for h in halves]
    np.testing.assert_allclose(both._state.W, (W[0] + W[1]) / 2, rtol=1e-12, atol=1e-12)
    n = [h._state.t[0] for h in halves]
    mean = sum(k * h.coef_ for k, h in zip(n, halves, strict=True)) / sum(n)
    np.testing.assert_allclose(both.coef_, mean, rtol=1e-10, atol=1e-12)
    assert both.mistakes_ == sum(h.mistakes_ for h in halves)
    assert both.t_ == len(y) + 1


def test_mixing_can_fail_once_but_not_in_the_end():
    """McDonald, Hall and Mann 2010: total mistakes of S shards stay within S (R/γ)²."""
    toy = toys.separable(300, 6, margin=0.1, radius=1.0, seed=5)
    model = Perceptron(shards=3, fit_intercept=False, tol=None).fit(toy.X, toy.y)
    assert model.converged_
    assert model.mistakes_ <= 3 * theory.mistake_bound(toy.R, toy.gamma)


# --- outputs and stopping ------------------------------------------------------------------------


def test_L4_7_the_pocket_has_the_fewest_training_errors():
    X, y = load_iris(return_X_y=True)
    for labels in (y == 1, y):
        last = Perceptron(max_iter=30, tol=None).fit(X, labels)
        pocket = Perceptron(max_iter=30, tol=None, output="pocket").fit(X, labels)
        assert pocket.score(X, labels) >= last.score(X, labels)
        assert (pocket.predict(X) != labels).sum() == pocket._state.pocket_errors[0]
        ends = [
            (Perceptron(max_iter=e, tol=None).fit(X, labels).predict(X) != labels).sum()
            for e in range(1, 31)
        ]
        assert pocket._state.pocket_errors[0] <= min(ends)


def test_an_epoch_without_a_mistake_ends_the_fit():
    toy = toys.separable(200, 5, margin=0.1, radius=1.0, seed=1)
    model = Perceptron(tol=None, max_iter=100_000).fit(toy.X, toy.y)
    assert model.converged_
    assert model.n_iter_ < 100_000
    assert model.history_["mistakes"][-1] == 0
    assert (model.history_["mistakes"][:-1] > 0).all()
    assert model.score(toy.X, toy.y) == 1.0


def test_L0_5_mistakes_stay_within_novikoffs_bound():
    for seed in range(20):
        toy = toys.separable(150, 4, margin=0.15, radius=1.0, seed=seed)
        model = Perceptron(fit_intercept=False, tol=None, random_state=seed).fit(toy.X, toy.y)
        assert model.converged_
        assert model.mistakes_ <= theory.mistake_bound(toy.R, toy.gamma)


def test_history_is_a_table_with_a_row_an_epoch(capsys):
    X, y = load_digits(return_X_y=True)
    model = Perceptron(max_iter=4, tol=None, verbose=1).fit(X, y)
    table = pd.DataFrame(model.history_)
    assert list(table.columns) == [
        *("epoch", "mistakes", "updates", "errors", "criterion", "norm", "seconds")
    ]
    assert table["mistakes"].sum() == model.mistakes_
    assert table["updates"].sum() == model.updates_
    assert table["errors"].sum() == model.errors_
    assert np.isclose(table["norm"].iloc[-1], np.linalg.norm(model.coef_))
    assert (table["seconds"] > 0).all()
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 4
    assert printed[0].startswith("epoch 1: ")


def test_mistakes_and_updates_are_counted_apart():
    X, y = load_breast_cancer(return_X_y=True)
    model = Perceptron(rule="pa1", max_iter=1, tol=None).fit(scale(X), y)
    assert model.updates_ > model.mistakes_ > 0


@pytest.mark.parametrize("tie", [0, -1, 1])
def test_tie_says_what_zero_is(tie):
    X, y = np.eye(2), np.array([0, 1])
    model = Perceptron(tie=tie, fit_intercept=False, shuffle=False, max_iter=1, tol=None).fit(X, y)
    assert model.mistakes_ == {0: 2, -1: 1, 1: 1}[tie]
    np.testing.assert_array_equal(model.predict(np.zeros((1, 2))), [1 if tie == 1 else 0])


def test_interrupt_between_epochs_leaves_a_model(monkeypatch):
    X, y = load_digits(return_X_y=True)
    model = Perceptron(max_iter=50, tol=None)
    from rosenblatt import training

    whole, calls = training._one_epoch, []

    def interrupted(*args):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return whole(*args)

    monkeypatch.setattr(training, "_one_epoch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    monkeypatch.undo()
    three = Perceptron(max_iter=3, tol=None).fit(X, y)
    assert model.n_iter_ == 3
    np.testing.assert_array_equal(model.coef_, three.coef_)


# --- labels and containers -----------------------------------------------------------------------


def test_labels_may_appear_late():
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


def test_text_labels_may_grow_longer():
    model = Perceptron().partial_fit(np.eye(2), np.array(["a", "b"]))
    model.partial_fit(np.eye(2), np.array(["longer", "a"]))
    assert list(model.classes_) == ["a", "b", "longer"]


def test_a_label_never_seen_counts_as_an_error():
    model = Perceptron(shuffle=False).partial_fit(np.eye(3), [2, 1, 0])
    assert model.errors_ == 3


def test_with_classes_an_unknown_label_is_an_answer():
    model = Perceptron().partial_fit(np.eye(2), [0, 1], classes=[0, 1])
    with pytest.raises(ValueError, match="label 7, which is none of the classes"):
        model.partial_fit(np.eye(2), [0, 7])
    with pytest.raises(ValueError, match="not the same as on last call"):
        model.partial_fit(np.eye(2), [0, 1], classes=[0, 1, 2])


@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_data_frames_keep_their_names(container):
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
    names = (
        "perceptron",
        "margin",
        "relaxation",
        "pa",
        "pa1",
        "pa2",
        "lms",
        "nlms",
        "logistic",
        "hinge",
    )
    for name in names:
        eta0 = 0.01 if name == "lms" else 0.5
        model = Perceptron(rule=name, eta0=eta0, max_iter=3, tol=None).fit(X, y)
        assert model.score(X, y) > 0.9, name
        same = Perceptron(rule=rules.by_name(name, eta0, 0), max_iter=3, tol=None).fit(X, y)
        np.testing.assert_array_equal(model.coef_, same.coef_)
    assert clone(Perceptron(rule=rules.PA1(0.3))).rule == rules.PA1(0.3)


def test_lms_is_the_adaptive_filter(rng):
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


# --- bad input is an answer ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"rule": "perceptrn"}, "rule must be one of"),
        ({"rule": rules.PA1}, "NamedTuple with a method step"),
        ({"output": "vote"}, "output must be one of"),
        ({"multi_class": "ovo"}, "multi_class must be one of"),
        ({"tie": 2}, "tie must be one of 0, -1, 1; got 2"),
        ({"penalty": "l3"}, "penalty must be one of"),
        ({"alpha": -1}, "alpha must be a number"),
        ({"l1_ratio": 1.5}, "l1_ratio must be a number"),
        ({"max_iter": 0}, "max_iter must be a whole number"),
        ({"max_iter": 1.5}, "max_iter must be a whole number"),
        ({"tol": -0.1}, "tol must be a number"),
        ({"eta0": 0}, "eta0 must be a number"),
        ({"eta0": np.nan}, "eta0 must be a number"),
        ({"validation_fraction": 1.0}, "validation_fraction must be a number"),
        ({"n_iter_no_change": 0}, "n_iter_no_change must be a whole number"),
        ({"shards": 0}, "shards must be a whole number"),
        ({"shards": 1000}, "shards must be at most the 150 rows"),
        ({"class_weight": {9: 1.0}}, "class_weight"),
    ],
    ids=str,
)
def test_bad_parameters_say_so(setting, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises((ValueError, TypeError), match=message):
        Perceptron(**setting).fit(X, y)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [np.nan]], [0, 1], "NaN"),
        ([[1.0], [np.inf]], [0, 1], "infinity"),
        ([[1.0], [2.0]], [1, 1], "greater than one; got 1 class"),
        (np.zeros((0, 2)), [], "0 sample"),
        (np.zeros((2, 0)), [0, 1], "0 feature"),
        ([[1.0], [2.0]], [0, 1, 0], "inconsistent numbers of samples"),
        ([[1.0], [2.0]], [0.5, 1.7], "Unknown label type"),
        ([1.0, 2.0], [0, 1], "2D array"),
        ([["a"], ["b"]], [0, 1], "could not convert string"),
    ],
    ids=str,
)
def test_bad_data_says_so(X, y, message):
    with pytest.raises(ValueError, match=message):
        Perceptron().fit(X, y)


def test_bad_batches_leave_the_model_whole():
    X, y = load_iris(return_X_y=True)
    model = Perceptron().partial_fit(X, y)
    before = bits(model)
    for bad_X, bad_y, kwargs in [
        (X[:, :3], y, {}),
        (X * np.nan, y, {}),
        (X, y[:-1], {}),
        (X, y, {"sample_weight": np.zeros(3)}),
        (X, np.array(["mixed"] * len(y)), {}),
    ]:
        with pytest.raises(ValueError):  # noqa: PT011  # each message has its own test
            model.partial_fit(bad_X, bad_y, **kwargs)
        assert bits(model) == before


@pytest.mark.parametrize(
    "late", [{"output": "average"}, {"output": "pocket"}, {"penalty": "l1"}], ids=str
)
def test_books_asked_for_too_late_are_refused_not_walked(late):
    X, y = load_iris(return_X_y=True)
    for model in (Perceptron().fit(X, y), Perceptron().fit(X, y > 0)):
        model.set_params(**late)
        with pytest.raises(ValueError, match="was set after training without it"):
            model.partial_fit(X, y if len(model.classes_) > 2 else y > 0)
        with pytest.raises(ValueError, match=r"was set after training|was not kept"):
            model.set_params(warm_start=True).fit(X, y if len(model.classes_) > 2 else y > 0)


@pytest.mark.parametrize(
    "failing",
    [
        lambda model, X, y: model.fit(np.ones((4, 50)), np.zeros(4)),
        lambda model, X, y: model.set_params(rule="lms", eta0=1e300).fit(X, y),
        lambda model, X, y: model.set_params(shards=1000).fit(X[:9], y[::17]),
        lambda model, X, y: model.set_params(class_weight={0: np.nan}).fit(X, y),
        lambda model, X, y: model.set_params(rule="bogus").partial_fit(X, y),
        lambda model, X, y: model.partial_fit(X[:, :2], y),
    ],
)
def test_a_failure_leaves_the_model_as_it_was(failing):
    X, y = load_iris(return_X_y=True)
    model = Perceptron().fit(X, y)
    before, predicted, attributes = bits(model), model.predict(X), set(vars(model))
    with pytest.raises(ValueError):  # noqa: PT011  # each message has its own test
        failing(model, X, y)
    model.set_params(**Perceptron().get_params())
    assert bits(model) == before
    assert set(vars(model)) == attributes
    np.testing.assert_array_equal(model.predict(X), predicted)


def test_a_failed_first_batch_leaves_nothing_behind():
    X, y = load_iris(return_X_y=True)
    model = Perceptron()
    with pytest.raises(ValueError, match="none of the classes"):
        model.partial_fit(X, y, classes=[0, 1])
    assert model.partial_fit(X, y, classes=[0, 1, 2]).t_ == 151


def test_a_batch_of_no_weight_moves_nothing():
    X, y = load_iris(return_X_y=True)
    weight = (np.arange(150) % 3 == 0).astype(float)
    whole, single = Perceptron(shuffle=False), Perceptron(shuffle=False)
    whole.partial_fit(X, y, sample_weight=weight)
    for i in range(150):
        single.partial_fit(X[i : i + 1], y[i : i + 1], sample_weight=weight[i : i + 1])
    assert bits(whole) == bits(single)


def test_an_interrupted_fit_leaves_every_class_learning(monkeypatch):
    X, y = load_iris(return_X_y=True)
    model = Perceptron(max_iter=50, tol=None, verbose=1)

    def interrupt(row):
        if row[0] == 15:
            raise KeyboardInterrupt

    monkeypatch.setattr("rosenblatt.learner._print_epoch", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model._state.active[:3].all()
    assert model.n_iter_ == 15


@pytest.mark.parametrize("penalty", ["l1", "l2", "elasticnet"])
def test_a_penalty_never_stands_still(penalty):
    """Separable rows, a small alpha, many epochs: the weights move on, as scikit-learn's do."""
    X, y = load_iris(return_X_y=True)
    setting = {"penalty": penalty, "alpha": 1e-3, "tol": None, "max_iter": 50, "shuffle": False}
    for labels in (y == 0, y):
        ours = Perceptron(**setting).fit(X, labels)
        theirs = linear_model.Perceptron(**setting).fit(X, labels)
        np.testing.assert_array_equal(ours.coef_, theirs.coef_)
        assert ours.n_iter_ == 50
        assert not ours.converged_


@pytest.mark.parametrize("penalty", [None, "l1", "l2", "elasticnet"])
def test_rows_that_are_mostly_zeros_keep_scikit_learns_bits(penalty):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 20)) * (rng.random((400, 20)) < 0.15)
    y = rng.integers(0, 3, 400)
    setting = {"penalty": penalty, "alpha": 0.01, "tol": None, "max_iter": 3, "shuffle": False}
    ours = Perceptron(**setting).fit(X, y)
    theirs = linear_model.Perceptron(**setting).fit(X, y)
    np.testing.assert_array_equal(ours.coef_, theirs.coef_)


def test_converged_means_that_the_weights_separate():
    """Whatever the rule, the classes and the stopping: converged_ is never wrong."""
    seen = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((30, 2))
        y = np.digitize(X[:, 0], [-0.5, 0.5])
        for labels in (y, y > 0):
            for rule in ("perceptron", "pa1", "relaxation"):
                model = Perceptron(rule=rule, max_iter=200, random_state=seed).fit(X, labels)
                seen += model.converged_
                assert not model.converged_ or model.score(X, labels) == 1.0
    assert seen > 20


def test_joint_classes_have_no_sign_to_tie():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="joint classes have an arg max"):
        Perceptron(multi_class="joint", tie=1).fit(X, y)
    with pytest.raises(ValueError, match="joint classes have an arg max"):
        Perceptron(multi_class="joint", rule=rules.Perceptron(tie=-1.0)).fit(X, y)
    assert Perceptron(multi_class="joint").fit(X, y).score(X, y) > 0.8


def test_a_rule_objects_tie_is_the_estimators():
    setting = {"shuffle": False, "fit_intercept": False, "max_iter": 1, "tol": None}
    model = Perceptron(rule=rules.Perceptron(tie=1.0), **setting).fit(np.eye(2), [1, 0])
    assert (model.mistakes_, model.updates_) == (1, 1)
    assert model.predict(np.zeros((1, 2))) == [1]


def test_classes_changed_by_hand_are_refused_not_walked():
    X, y = load_iris(return_X_y=True)
    model = Perceptron().fit(X, y)
    model.classes_ = np.arange(9)
    with pytest.raises(ValueError, match="changed by hand"):
        model.partial_fit(X, y)


def test_an_average_is_true_even_if_nobody_asked_for_a_while():
    X, y = load_iris(return_X_y=True)
    on, off = (Perceptron(output="average", shuffle=False) for _ in range(2))
    for output in ("average", "last", "average"):
        on.partial_fit(X, y)
        off.set_params(output=output).partial_fit(X, y)
    assert bits(on) == bits(off)


def test_the_pocket_counts_errors_of_the_rows_at_hand():
    X, y = load_iris(return_X_y=True)
    model = Perceptron(output="pocket", warm_start=True).fit(X, y == 0)
    assert model.fit(X, y != 0).score(X, y != 0) == 1.0
    for _ in range(20):
        model.partial_fit(X, y == 0)
    assert model.score(X, y == 0) == 1.0


def test_weights_may_be_set_as_a_whole_and_training_goes_on_from_them():
    X, y = load_iris(return_X_y=True)
    model = Perceptron(shuffle=False).fit(X, y)
    theirs = linear_model.Perceptron(shuffle=False).fit(X, y)
    for each in (model, theirs):
        each.coef_ = each.coef_ * 0.5
        each.intercept_ = each.intercept_ + 1.0
        each.partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, theirs.coef_)
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        model.intercept_[0] = 1.0
    with pytest.raises(ValueError, match="cannot be set"):
        AveragedPerceptron().fit(X, y).intercept_ = [1.0, 2.0, 3.0]


def test_starting_weights_do_not_rewrite_the_average():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    setting = {"output": "average", "shuffle": False, "tol": None, "max_iter": 1}
    model = Perceptron(warm_start=True, **setting).fit(X, y)
    first, start = model.coef_.copy(), np.full((1, 30), 3.0)
    model.fit(X, y, coef_init=start, intercept_init=[1.0])
    second = Perceptron(**setting).fit(X, y, coef_init=start, intercept_init=[1.0]).coef_
    np.testing.assert_allclose(model.coef_, (first + second) / 2, rtol=1e-9)


def test_class_weights_may_name_classes_that_are_late():
    X, y = load_iris(return_X_y=True)
    late = Perceptron(class_weight={2: 5.0}, shuffle=False).partial_fit(X, y)
    known = Perceptron(class_weight={0: 1.0, 1: 1.0, 2: 5.0}, shuffle=False).partial_fit(X, y)
    assert bits(late) == bits(known)


def test_bad_numbers_do_not_pass_in_a_batch():
    X, y = load_iris(return_X_y=True)
    regressor = LMSRegressor().fit(X, y)
    for bad in (np.full(150, np.nan), np.full(150, "1"), np.full(150, 1j)):
        with pytest.raises(ValueError):  # noqa: PT011  # scikit-learn's own messages
            regressor.partial_fit(X, bad)
    with pytest.raises(ValueError, match="this model is spoilt"):
        Perceptron(rule="lms", eta0=10.0).partial_fit(np.tile(X, (200, 1)), np.tile(y, 200))
    with pytest.raises(ValueError, match="learns signs"):
        LMSRegressor(rule=rules.PA1()).fit(X, y)


INTERRUPTED = """
import os, signal, threading
import numpy as np
from rosenblatt import Perceptron
rng = np.random.default_rng(0)
X = rng.standard_normal((300_000, 40))
y = rng.integers(0, 2, 300_000)
model = Perceptron(max_iter=100_000, tol=None).fit(X[:100], y[:100], ) and Perceptron(
    max_iter=100_000, tol=None)
threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    model.fit(X, y)
except KeyboardInterrupt:
    n = model.n_iter_
    print(n > 0, model.t_ == n * len(y) + 1, model.history_["mistakes"].sum() == model.mistakes_)
"""


def test_a_real_interrupt_closes_the_books_of_its_epoch():
    code = INTERRUPTED.replace("max_iter=100_000, tol=None).fit", "max_iter=10, tol=None).fit")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "True"]


def test_densify_gives_the_learner_back_unchanged():
    X, y = load_iris(return_X_y=True)
    model = AveragedPerceptron().fit(X, y)
    before = bits(model)
    model.sparsify().densify()
    assert bits(model) == before


def test_mixed_labels_and_zero_weights_are_named():
    X, y = load_iris(return_X_y=True)
    model = Perceptron().partial_fit(X, y)
    with pytest.raises(ValueError, match="mixed types"):
        model.partial_fit(X[:1], np.array(["late"]))
    with pytest.raises(ValueError, match="zero"):
        Perceptron().fit(X, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(ValueError, match="early_stopping should be False"):
        Perceptron(early_stopping=True).partial_fit(X, y)
    with pytest.raises(ValueError, match="balanced"):
        Perceptron(class_weight="balanced").partial_fit(X, y)
    with pytest.raises(NotFittedError):
        Perceptron().predict(X)
    with pytest.raises(ValueError, match="out of the floating-point range in epoch 1"):
        Perceptron(rule="lms", eta0=1e200).fit(X, y)
    with pytest.raises(ValueError, match="does not match dataset"):
        Perceptron().fit(X, y, coef_init=np.zeros((2, 4)))
    with pytest.raises(ValueError, match="warm_start goes on"):
        Perceptron(warm_start=True).fit(X, y).fit(X[:, :3], y)


def test_a_fit_that_did_not_settle_warns():
    X, y = load_digits(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ConvergenceWarning, match="max_iter=2"):
            Perceptron(max_iter=2).fit(X, y)
        Perceptron(max_iter=2, tol=None).fit(X, y)
