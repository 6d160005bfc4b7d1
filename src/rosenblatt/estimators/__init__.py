"""Estimators of scikit-learn: the learners of :mod:`rosenblatt.learning` with its interface.

The learners learn and predict. An estimator adds what scikit-learn expects of one: validation of
its input, tags, metadata routing, warnings, and representation. ``Perceptron`` here is a subclass
of the learner ``Perceptron``, with the same bits.
"""

from rosenblatt.estimators.encoder import RowEncoder
from rosenblatt.estimators.kernel import KernelPerceptron, VotedPerceptron
from rosenblatt.estimators.lifts import AssociationCells, PolynomialLift, RadialLift
from rosenblatt.estimators.linear import (
    Adaline,
    AveragedPerceptron,
    Classifier,
    LMSRegressor,
    PassiveAggressiveClassifier,
    Perceptron,
)

__all__ = [
    "Adaline",
    "AssociationCells",
    "AveragedPerceptron",
    "Classifier",
    "KernelPerceptron",
    "LMSRegressor",
    "PassiveAggressiveClassifier",
    "Perceptron",
    "PolynomialLift",
    "RadialLift",
    "RowEncoder",
    "VotedPerceptron",
]
