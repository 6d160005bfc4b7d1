"""Parameters of all estimators: a value that is not valid is a ValueError that names it."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from profiles import share

from rosenblatt import (
    Adaline,
    AveragedPerceptron,
    KernelPerceptron,
    LMSRegressor,
    OnlinePerceptron,
    PassiveAggressiveClassifier,
    Perceptron,
    VotedPerceptron,
    kernels,
    rules,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:Class PassiveAggressive:FutureWarning"
)

HOSTILE = (
    10**400,
    -(10**400),
    10**5000,
    np.longdouble("1e400"),
    math.nan,
    math.inf,
    -math.inf,
    "1",
    b"1",
    True,
    None,
    1j,
    Decimal(1),
    Fraction(1, 2),
    np.array([1.0, 2.0]),
    [1],
    {},
)
VALID = {
    None: ("tol", "n_jobs", "budget", "max_features", "random_state", "class_weight", "penalty"),
    True: (
        *("verbose", "fit_intercept", "shuffle", "early_stopping", "warm_start", "average"),
        *("expansion", "tie", "scale", "probabilities"),
    ),
}
"""Parameters for which a value of the list above is valid."""

ESTIMATORS = {  # with few epochs: some values are valid, and learned with
    "Perceptron": Perceptron(max_iter=3),
    "Perceptron with a penalty": Perceptron(penalty="elasticnet", max_iter=3),
    "AveragedPerceptron": AveragedPerceptron(max_iter=3),
    "PassiveAggressiveClassifier": PassiveAggressiveClassifier(max_iter=3),
    "Adaline": Adaline(max_iter=3),
    "LMSRegressor": LMSRegressor(max_iter=3),
    "KernelPerceptron": KernelPerceptron("poly", gamma=0.1, max_iter=3),
    "KernelPerceptron with a budget": KernelPerceptron("rbf", budget=5, max_iter=3),
    "KernelPerceptron with a vote": KernelPerceptron(
        "sigmoid", gamma=0.1, output="vote", max_iter=3
    ),
    "VotedPerceptron": VotedPerceptron(max_iter=3),
    "OnlinePerceptron": OnlinePerceptron(penalty="l2"),
}
CASES = [
    pytest.param(estimator, name, id=f"{key}-{name}")
    for key, estimator in ESTIMATORS.items()
    for name in estimator.get_params()
]

X = np.arange(80.0).reshape(40, 2) % 7.0
Y = np.arange(40) % 2


def is_valid(name, value):
    """Return whether a value of the list is a valid value of the parameter."""
    if isinstance(value, dict):
        return name == "class_weight"
    return any(value is key and name in names for key, names in VALID.items())


@pytest.mark.parametrize(("estimator", "name"), CASES)
def test_a_value_that_is_not_valid_is_named(estimator, name):
    turn = [*estimator.get_params()].index(name)
    for value in share(HOSTILE, 2, turn):
        model = type(estimator)(**estimator.get_params() | {name: value})
        learners = [getattr(model, method, None) for method in ("fit", "partial_fit", "learn_many")]
        for learn in filter(None, learners):
            if is_valid(name, value):
                learn_or_name(learn, name)
            else:
                with pytest.raises((ValueError, TypeError), match=name):
                    learn(X, Y)


def learn_or_name(learn, name):
    """Learn; a parameter that does not go with another one is named, too."""
    try:
        learn(X, Y)
    except ValueError as error:
        assert name in str(error) or "early_stopping" in str(error)  # noqa: PT017


@pytest.mark.parametrize("weight", [10**400, math.nan, math.inf, "1", True, None, 1j, Decimal(1)])
@pytest.mark.parametrize(
    "estimator",
    [model for model in ESTIMATORS.values() if "class_weight" in model.get_params()],
    ids=lambda model: type(model).__name__,
)
def test_the_weight_of_a_class_is_named(estimator, weight):
    model = type(estimator)(**estimator.get_params() | {"class_weight": {0: 1.0, 1: weight}})
    learn = getattr(model, "fit", None) or model.learn_many
    with pytest.raises(ValueError, match=r"class_weight\[1\] must"):
        learn(X, Y)


@pytest.mark.parametrize(
    "rule", [rules.PA1(C=10**400), rules.LMS(eta=1j), rules.MarginPerceptron(beta=Decimal(1))]
)
def test_a_field_of_a_rule_is_named(rule):
    with pytest.raises(ValueError, match=f"{type(rule).__name__} cannot have {rule._fields[-1]}="):
        Perceptron(rule=rule).fit(X, Y)


@pytest.mark.parametrize("value", [10**400, "1", True, None, 1j, Decimal(1), Fraction(1, 2)])
@pytest.mark.parametrize("name", ["degree", "gamma", "coef0"])
def test_a_field_of_a_kernel_is_named(name, value):
    with pytest.raises(ValueError, match=name):
        kernels.Polynomial(**{name: value})


BIG = [[10**400, 1]]


METHODS = ("predict", "decision_function", "predict_proba", "score", "explain", "predict_many")
WITHOUT = {
    "explain": ("Perceptron with a penalty", "KernelPerceptron with a vote", "VotedPerceptron"),
    "predict_proba": ("LMSRegressor", "KernelPerceptron with a vote", "VotedPerceptron"),
}
"""Estimators that refuse a method, which their class has."""


@pytest.mark.parametrize(
    ("name", "method"),
    [
        (name, method)
        for name, estimator in ESTIMATORS.items()
        for method in METHODS
        if hasattr(type(estimator), method) and name not in WITHOUT.get(method, ())
    ],
)
def test_whole_numbers_beyond_float64_in_rows_to_predict(name, method):
    needed = {"predict_proba": {"probabilities": True}, "explain": {"expansion": True}}
    params = ESTIMATORS[name].get_params()
    params |= {name: value for name, value in needed.get(method, {}).items() if name in params}
    model = type(ESTIMATORS[name])(**params)
    model = getattr(model, "fit", getattr(model, "learn_many", None))(X, Y)
    arguments = {"score": (X, Y), "explain": (X[0],)}.get(method, (X,))
    getattr(model, method)(*arguments)
    arguments = {"score": (BIG, [1]), "explain": (BIG[0],)}.get(method, (BIG,))
    with pytest.raises(ValueError, match="a whole number beyond float64"):
        getattr(model, method)(*arguments)


@pytest.mark.parametrize(
    "learn",
    [
        lambda model: model.learn_one({"a": 10**400}, 1),
        lambda model: model.learn_one({"a": 1}, 1, w=10**400),
        lambda model: model.learn_one({"a": 1}, 10**400),
        lambda model: model.learn_many([{"a": 1}], [1], w=[10**400]),
        lambda model: model.learn_many([{"a": 10**400}], [1]),
        lambda model: model.predict_one({"a": 10**400}),
        lambda model: model.score_one({"a": 10**400}),
        lambda model: model.predict_proba_one({"a": 10**400}),
        lambda model: model.predict_many([{"a": 10**400}]),
    ],
)
def test_whole_numbers_beyond_float64_in_dicts(learn):
    model = OnlinePerceptron().learn_many([{"a": 1.0}, {"b": 1.0}], [0, 1])
    with pytest.raises(ValueError, match=r"'a' is too large for a float64|^w must|64 bits"):
        learn(model)


def test_weights_to_start_from_fit_float64():
    for name, value in {"coef_init": [10**400, 1], "intercept_init": [10**400]}.items():
        with pytest.raises(ValueError, match=f"{name} has a whole number beyond float64"):
            Perceptron().fit(X, Y, **{name: value})
    model = Perceptron().fit(X, Y)
    with pytest.raises(ValueError, match="coef_ has a whole number beyond float64"):
        model.coef_ = [[10**400, 1]]
    with pytest.raises(ValueError, match="intercept_ has a whole number beyond float64"):
        model.intercept_ = [10**400]
