"""The Perceptron of a preset predicts and learns on with its bits."""

import copy

import numpy as np
import pytest

from rosenblatt.learning.kernel.learners import KernelPerceptron
from rosenblatt.learning.linear.learners import (
    Adaline,
    AveragedPerceptron,
    LMSRegressor,
    PassiveAggressiveClassifier,
    Perceptron,
)
from rosenblatt.learning.linear.presets import as_perceptron

PRESETS = [
    AveragedPerceptron(),
    AveragedPerceptron(rule="arow", scale=True, class_weight={"a": 2.0}),
    AveragedPerceptron(multi_class="joint", penalty="l2"),
    Adaline(),
    Adaline(rule="lms", eta0=0.01, multi_class="joint", output="average"),
    Adaline(scale=True, fit_intercept=False),
    PassiveAggressiveClassifier(fit_intercept=False),
    PassiveAggressiveClassifier(
        fit_intercept=False, loss="squared_hinge", average=True, C=0.3, class_weight={"b": 3.0}
    ),
]


@pytest.mark.parametrize("preset", PRESETS, ids=repr)
@pytest.mark.parametrize("labels", ["ab", "abc"])
def test_it_predicts_and_learns_on_with_the_same_bits(rng, preset, labels):
    X, y = rng.normal(size=(80, 4)), rng.choice(list(labels), 80)
    learner = copy.deepcopy(preset).set_params(shuffle=False).fit(X, y)
    perceptron = as_perceptron(copy.deepcopy(learner))
    assert type(perceptron) is Perceptron
    for _ in range(2):
        assert learner.decision_function(X).tobytes() == perceptron.decision_function(X).tobytes()
        assert learner.predict(X).tolist() == perceptron.predict(X).tolist()
        assert (learner.t_, learner.mistakes_) == (perceptron.t_, perceptron.mistakes_)
        for one in (learner, perceptron):
            one.partial_fit(X[::-1], y[::-1])
    assert learner.coef_.tobytes() == perceptron.coef_.tobytes()


def test_a_perceptron_is_one():
    model = Perceptron().fit([[1.0], [-1.0]], ["a", "b"])
    assert as_perceptron(model) is model


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (PassiveAggressiveClassifier(), "leave the intercept out of the norm .* pa1 or pa2"),
        (KernelPerceptron(), "no linear classifier: those are Perceptron, Averaged"),
        (LMSRegressor(), "no linear classifier"),
    ],
    ids=repr,
)
def test_what_no_perceptron_learns_is_refused(learner, message):
    y = [1.0, 2.0] if isinstance(learner, LMSRegressor) else [0, 1]
    with pytest.raises(ValueError, match=message):
        as_perceptron(learner.fit(np.eye(2), y))
