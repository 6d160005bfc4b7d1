"""Learners without scikit-learn have the parameters and the bits of their estimators."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state, compute_class_weight

from rosenblatt import OnlinePerceptron, estimators
from rosenblatt.learning.kernel import learners as kernel
from rosenblatt.learning.linear import learners
from rosenblatt.utils.checks import as_random_state

PAIRS = [
    (learners.Perceptron, estimators.Perceptron),
    (learners.AveragedPerceptron, estimators.AveragedPerceptron),
    (learners.Classifier, estimators.Classifier),
    (learners.PassiveAggressiveClassifier, estimators.PassiveAggressiveClassifier),
    (learners.Adaline, estimators.Adaline),
    (learners.LMSRegressor, estimators.LMSRegressor),
    (kernel.KernelPerceptron, estimators.KernelPerceptron),
    (kernel.VotedPerceptron, estimators.VotedPerceptron),
]
rng = np.random.default_rng(0)
X, y = rng.standard_normal((40, 3)), np.repeat(["a", "b"], 20)


@pytest.mark.parametrize(("learner", "estimator"), PAIRS, ids=lambda cls: cls.__module__)
def test_a_learner_has_the_parameters_and_the_bits_of_its_estimator(learner, estimator):
    ours, theirs = learner(), estimator()
    assert isinstance(theirs, BaseEstimator)
    assert isinstance(theirs, learner)
    assert not isinstance(ours, BaseEstimator)
    assert ours.get_params() == theirs.get_params()
    assert list(ours.get_params()) == list(theirs.get_params())
    targets = X[:, 0] if learner is learners.LMSRegressor else y
    for model in (ours, theirs):
        if learner is not learners.Classifier:  # which has no tolerance
            model.set_params(tol=None)
        model.set_params(max_iter=7, random_state=0).fit(X, targets)
    assert np.array_equal(ours.intercept_, theirs.intercept_)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert ours.t_ == theirs.t_


def test_representation_and_copies_are_scikit_learns():
    class Twin(BaseEstimator):
        def __init__(self, *, alpha=1.0, rule="pa"):
            self.alpha, self.rule = alpha, rule

    model, twin = OnlinePerceptron(rule="pa1", alpha=0.5), Twin(rule="pa1", alpha=0.5)
    assert repr(model).removeprefix("OnlinePerceptron") == repr(twin).removeprefix("Twin")
    assert repr(OnlinePerceptron()) == "OnlinePerceptron()"
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(ValueError, match="Invalid parameter 'beta'"):
        model.set_params(beta=1)


@pytest.mark.parametrize("value", [0, 7, np.int64(3), 2**32 - 1, np.random.RandomState(5)])
def test_random_states_are_scikit_learns(value):
    copy = np.random.RandomState(5) if isinstance(value, np.random.RandomState) else value
    assert as_random_state(value).randint(1000) == check_random_state(copy).randint(1000)
    assert as_random_state(None) is check_random_state(None)


@pytest.mark.parametrize("weights", [None, "balanced", {"a": 2.0, "b": 0.5}, {"b": 3.0}])
def test_class_weights_are_scikit_learns(weights):
    labels = np.array(["a", "b", "b", "b", "a", "b", "b"])
    learner = learners.Perceptron(class_weight=weights)
    classes, codes = np.unique(labels, return_inverse=True)
    expected = compute_class_weight(weights, classes=classes, y=labels)
    assert np.array_equal(learner._class_weights(classes, codes), expected)


@pytest.mark.parametrize("weights", [{"c": 1.0}, {"a": 1.0, "c": 2.0}, {"a": np.inf, "b": 1.0}])
def test_weights_of_other_classes_are_refused(weights):
    learner = learners.Perceptron(class_weight=weights)
    with pytest.raises(ValueError, match="class_weight"):
        learner.fit([[0.0], [1.0]], ["a", "b"])


def test_early_stopping_is_refused_without_scikit_learn():
    with pytest.raises(ValueError, match="use rosenblatt"):
        learners.Perceptron(early_stopping=True).fit(X, y)


def test_a_learner_that_is_not_fitted_says_so():
    with pytest.raises(ValueError, match="not fitted"):
        learners.Perceptron().predict(X)
