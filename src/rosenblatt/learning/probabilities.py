"""Probabilities of the classes, for learners whose scores are log odds."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any

import numpy as np

from rosenblatt.theory import rules
from rosenblatt.theory.rule_kinds import traits_of
from rosenblatt.utils.arrays import Array

_SIGNS = np.array([-1.0, 1.0])
"""Of the score s of two classes: the log odds of the first are −s, and of the second s."""


def log_probabilities(scores: Array, classes: int, *, joint: bool) -> Array:
    """Return the logarithms of the probabilities of the classes.

    Two classes: p = 1/(1 + exp(−s)) for the second, s the score: the logistic rule descends on
    −log p. More, one-vs-rest: the same for each class against the rest, divided by their sum. More,
    joint: the softmax exp(s_k)/Σ exp(s_j), since the rule sees the difference of two scores as log
    odds of the two classes.

    Parameters
    ----------
    scores : ndarray of shape (n,) for up to two classes, (n, K) for more
        As ``decision_function`` returns them.
    classes : int ≥ 1
        Their number K.
    joint : bool
        True for ``multi_class="joint"``.

    Returns
    -------
    ndarray of shape (n, K)
        Each at most 0; never NaN for finite scores, however large.

    Examples
    --------
    >>> np.exp(log_probabilities(np.array([0.0, np.log(3)]), 2, joint=False)).round(6)
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    """
    scores = np.asarray(scores, np.float64)
    if classes == 1:
        return np.zeros((len(scores), 1))
    import scipy.special  # slow to import, and seldom needed

    if classes == 2:
        return np.asarray(scipy.special.log_expit(scores[:, np.newaxis] * _SIGNS))
    rests = scores if joint else scipy.special.log_expit(scores)
    return np.asarray(scipy.special.log_softmax(rests, axis=1))


def is_joint(learner: object) -> bool:
    """Return True if the probabilities of several classes are a softmax of their scores.

    They are with ``multi_class="joint"``, and with a blended rule, whatever that is.
    """
    kind = _kind_of_rule(learner)
    joint = getattr(learner, "multi_class", None) == "joint"
    return joint or (kind is not None and traits_of(kind).blended)


class ProbabilityMethod:
    """A method that only learners with probabilities have.

    Parameters
    ----------
    method : callable
        A method of a classifier.

    Raises
    ------
    AttributeError
        The scores of the learner are no log odds, and not calibrated; the message says how.
    """

    def __init__(self, method: Callable[..., Array]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __get__(self, learner: object, owner: type | None = None) -> Any:
        """Return the bound method."""
        if learner is None:
            return self._method
        if not _has_probabilities(learner):
            raise AttributeError(
                f"{type(learner).__name__} has no {self._method.__name__}: its scores are no log "
                "odds, as those of Perceptron(rule='logistic') are. Make it with "
                "probabilities=True, or calibrate it: "
                "sklearn.calibration.CalibratedClassifierCV(model).fit(X, y)."
            )
        return MethodType(self._method, learner)


def _has_probabilities(learner: object) -> bool:
    if getattr(learner, "probabilities", False):
        return True
    declared = getattr(_kind_of_rule(learner), "declaration", None)
    logistic = declared is not None and declared.log_odds
    return logistic and getattr(learner, "output", "last") != "vote"


def _kind_of_rule(learner: object) -> type | None:
    rule = getattr(learner, "rule", None)
    return rules.RULES.get(rule) if isinstance(rule, str) else type(rule)
