"""Probabilities of the logistic rule, and the refusals of all others."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import log_loss
from sklearn.preprocessing import scale

from rosenblatt import (
    Adaline,
    AveragedPerceptron,
    KernelPerceptron,
    PassiveAggressiveClassifier,
    Perceptron,
    VotedPerceptron,
    rules,
)
from rosenblatt.learning.probabilities import log_probabilities

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LOGISTIC = {"rule": "logistic", "eta0": 0.05, "max_iter": 20, "tol": None}


def test_two_classes_have_the_sigmoid_of_the_score():
    X, y = load_breast_cancer(return_X_y=True)
    X, text = scale(X), np.array(["bad", "good"])[y]
    model = Perceptron(**LOGISTIC).fit(X, text)
    probabilities, scores = model.predict_proba(X), model.decision_function(X)
    np.testing.assert_allclose(probabilities[:, 1], expit(scores), rtol=1e-12)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(X)).all()
    theirs = SGDClassifier(loss="log_loss", alpha=1e-9, learning_rate="constant", eta0=0.05)
    theirs.set_params(random_state=0, max_iter=20).fit(X, y)
    reference = log_loss(y, theirs.predict_proba(X))
    assert log_loss(y, probabilities) < 1.2 * reference + 0.02
    assert Perceptron(**LOGISTIC).partial_fit(X, text).predict_proba(X[:3]).shape == (3, 2)


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
@pytest.mark.parametrize("classifier", [Perceptron, AveragedPerceptron])
def test_more_classes(classifier, multi_class):
    X, y = load_iris(return_X_y=True)
    model = classifier(**LOGISTIC, multi_class=multi_class).fit(scale(X), y)
    scores = model.decision_function(scale(X))
    sigmoids = expit(scores)
    expected = {
        "ovr": sigmoids / sigmoids.sum(axis=1, keepdims=True),
        "joint": softmax(scores, axis=1),
    }[multi_class]
    np.testing.assert_allclose(model.predict_proba(scale(X)), expected, rtol=1e-10)
    assert log_loss(y, model.predict_proba(scale(X))) < 0.5


def test_rule_objects_and_kernels_have_probabilities_too():
    X, y = load_iris(return_X_y=True)
    same = Perceptron(rule=rules.Logistic(0.05), max_iter=20, tol=None).fit(X, y)
    np.testing.assert_array_equal(
        same.predict_proba(X), Perceptron(**LOGISTIC).fit(X, y).predict_proba(X)
    )
    kernel = KernelPerceptron(**{**LOGISTIC, "max_iter": 3}).fit(X, y)
    assert log_loss(y, kernel.predict_proba(X)) < 0.8


def test_extreme_scores_have_finite_logarithms():
    scores = np.array([-1e308, -800.0, 0.0, 800.0, 1e308])
    logs = log_probabilities(scores, 2, joint=False)
    assert np.isfinite(logs).all()
    assert logs[1].tolist() == [0.0, -800.0]
    for joint in (False, True):
        more = log_probabilities(np.array([[-900.0, -900.0, -902.0]]), 3, joint=joint)
        np.testing.assert_allclose(np.exp(more), softmax([[0.0, 0.0, -2.0]], axis=1))
    assert log_probabilities(np.zeros(2), 1, joint=False).tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize("method", ["predict_proba", "predict_log_proba"])
@pytest.mark.parametrize(
    "model",
    [
        Perceptron(),
        Perceptron(rule="bogus"),
        Perceptron(rule=rules.PA1()),
        AveragedPerceptron(),
        PassiveAggressiveClassifier(),
        Adaline(),
        KernelPerceptron(),
        KernelPerceptron(rule="logistic", output="vote"),
        VotedPerceptron(rule="logistic"),
    ],
    ids=repr,
)
def test_other_rules_refuse_with_the_line_that_calibrates(model, method):
    assert not hasattr(model, method)
    message = rf"{type(model).__name__} has no {method}: .*CalibratedClassifierCV\(model\)\.fit"
    with pytest.raises(AttributeError, match=message):
        getattr(model, method)


def test_the_line_that_calibrates():
    X, y = load_iris(return_X_y=True)
    model = AveragedPerceptron()
    calibrated = CalibratedClassifierCV(model).fit(X, y)
    assert log_loss(y, calibrated.predict_proba(X)) < 0.5
    assert not hasattr(clone(model), "predict_proba")
