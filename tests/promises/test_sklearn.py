"""The estimators beside scikit-learn: its whole suite of checks, and its own bits."""

from pathlib import Path

import numpy as np
import pytest
from sklearn import linear_model
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.utils.estimator_checks import (
    _get_check_estimator_ids,
    estimator_checks_generator,
    parametrize_with_checks,
)

import rosenblatt
from rosenblatt import (
    Adaline,
    AveragedPerceptron,
    Classifier,
    KernelPerceptron,
    LMSRegressor,
    PassiveAggressiveClassifier,
    Perceptron,
    RowEncoder,
    VotedPerceptron,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:Class PassiveAggressive:FutureWarning"
)

REPEATED = "a weight scales a step; repeating a row takes the step twice, from two places"
EXPECTED_FAILURES = {
    Classifier: {"check_class_weight_classifiers": "it sets n_iter_no_change, no parameter here"},
    PassiveAggressiveClassifier: {
        "check_class_weight_classifiers": "a step ends at the margin, however heavy its example",
    },
    AveragedPerceptron: {
        "check_class_weight_classifiers": "the average remembers the weights before the heavy "
        "class had its say",
    },
}
ROOT = (
    "AdaGrad divides a step by the root of the sum that the weight is in: the weight's root is left"
)
CHOSEN = (
    "after one step of the heavy class MinOver chooses rows of the light one, whose steps are tiny"
)
SATURATED = (
    "a step of weight 1000 stops where a thousand steps would: it is not a thousand times one"
)
BY_SCORE = "predict goes by the score, which probabilities leave as it is: their arg max may differ"
NO_BATCHES = "a batch of a precomputed kernel does not say which columns its rows are"
TABLE = {
    "check_n_features_in_after_fitting": NO_BATCHES,
    "check_estimators_partial_fit_n_features": NO_BATCHES,
    "check_fit_score_takes_y": NO_BATCHES,
    "check_classifiers_one_label_sample_weights": "the check's X is no kernel: it is not symmetric",
}


def expected_failures(estimator):
    if getattr(estimator, "kernel", None) == "precomputed":
        return TABLE
    rule = str(getattr(estimator, "rule", ""))
    return {
        "check_sample_weight_equivalence_on_dense_data": REPEATED,
        "check_sample_weight_equivalence_on_sparse_data": REPEATED,
        **EXPECTED_FAILURES.get(type(estimator), {}),
        **({"check_class_weight_classifiers": ROOT} if "adagrad" in rule else {}),
        **({"check_class_weight_classifiers": CHOSEN} if rule == "minover" else {}),
        **({"check_class_weight_classifiers": SATURATED} if rule == "logistic" else {}),
        **(
            {"check_classifiers_train": BY_SCORE}
            if getattr(estimator, "probabilities", False)
            else {}
        ),
    }


@parametrize_with_checks(
    [
        Perceptron(),
        AveragedPerceptron(),
        Classifier(),
        PassiveAggressiveClassifier(),
        Adaline(max_iter=100),
        LMSRegressor(),
        KernelPerceptron(),
        VotedPerceptron(),
        KernelPerceptron("precomputed"),
        RowEncoder(),
        RowEncoder(impute="mean", scale=True),
        RowEncoder(bits=8),
    ],
    expected_failed_checks=expected_failures,
    xfail_strict=True,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


PRESETS = [  # each learns by other code than its class does by default
    Perceptron(rule="logistic"),
    Perceptron(probabilities=True),
    AveragedPerceptron(probabilities=True),
    KernelPerceptron(probabilities=True),
    Perceptron(scale=True),
    LMSRegressor(scale=True),
    Perceptron(rule="arow"),
    Perceptron(rule="minover", max_iter=400),
    Perceptron(rule="adagrad_logistic", multi_class="joint"),
    KernelPerceptron("poly", output="average"),
]
OF_WHAT_IS_LEARNED = {  # the other checks are of what a class validates, whatever it learns by
    "check_all_zero_sample_weights_error",
    "check_class_weight_classifiers",
    "check_classifiers_classes",
    "check_classifiers_one_label",
    "check_classifiers_train",
    "check_decision_proba_consistency",
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_estimator_sparse_array",
    "check_estimators_dtypes",
    "check_estimators_overwrite_params",
    "check_estimators_partial_fit_n_features",
    "check_estimators_pickle",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_regressors_train",
}


def checks_of_presets():
    for estimator in PRESETS:
        for param in estimator_checks_generator(
            estimator,
            expected_failed_checks=expected_failures(estimator),
            mark="xfail",
            xfail_strict=True,
        ):
            check = getattr(param, "values", param)[1]  # a failure that is expected is a param
            if getattr(check, "func", check).__name__ in OF_WHAT_IS_LEARNED:
                yield param


@pytest.mark.parametrize(
    ("estimator", "check"), list(checks_of_presets()), ids=_get_check_estimator_ids
)
def test_scikit_learns_checks_of_what_is_learned(estimator, check):
    check(estimator)


def test_the_page_names_the_checks_that_fail():
    page = Path(__file__).parents[2] / "docs" / "howto" / "from-scikit-learn.md"
    said = page.read_text("utf-8").split("scikit-learn's own checks")[1]
    expected = [
        expected_failures(one) for one in (Perceptron(), PassiveAggressiveClassifier(), *PRESETS)
    ]
    names = {name for failures in expected for name in failures}
    assert len(names) == 4
    assert all(f"`{name}`" in said for name in names)
    assert f"{len(TABLE)} others" in said


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
