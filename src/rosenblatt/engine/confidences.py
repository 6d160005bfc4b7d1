"""What a loop keeps for rules with a confidence for each weight, and for rules without.

A loop asks either record for the step of a rule: numba specialises the loop on its type.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.state import State
from rosenblatt.theory.confidence import has_confidence
from rosenblatt.theory.rules import AnyRule

Array = NDArray[Any]


class NoConfidences(NamedTuple):
    """The weights have no confidences: the rule sees ‖x‖²."""

    def step(
        self,
        rule: Any,
        score: float,
        y: float,
        sqnorm: float,
        weight: float,
        rows: Any,
        i: int,
        k: int,
        rival: int,
    ) -> Any:
        """Return the step τ of weight vector k."""
        return rule.step(score, y, sqnorm) * weight


class Confidences(NamedTuple):
    """The confidences of the weights: the rule sees the variance of the score.

    Attributes
    ----------
    C, cb : ndarray of shapes (d, P) and (P,)
        Those of the state; changed in place.
    betas : ndarray of shape (P,), float64
        β of the latest step of each weight vector.
    intercept : bool
        Whether there is an intercept.
    """

    C: Array
    cb: Array
    betas: Array
    intercept: bool

    def variance(self, rule: Any, rows: Any, i: int, k: int) -> Any:
        """Return the variance of the score of weight vector k."""
        total = rows.variance(i, self.C, k, rule)
        return total + rule.rate(self.cb[k], self.cb[k]) if self.intercept else total

    def step(
        self,
        rule: Any,
        score: float,
        y: float,
        sqnorm: float,
        weight: float,
        rows: Any,
        i: int,
        k: int,
        rival: int,
    ) -> Any:
        """Return the step τ of weight vector k, and keep its β.

        A score that is a difference has a rival, which is not negative: their variances add up, and
        both get the β.
        """
        variance = 0.0
        if rule.needs_variance(score, y):
            variance = self.variance(rule, rows, i, k)
            if rival >= 0:
                variance += self.variance(rule, rows, i, rival)
        tau, beta = rule.step(score, y, variance)
        self.betas[k] = beta * weight
        if rival >= 0:
            self.betas[rival] = beta * weight
        return tau * weight

    def move(
        self,
        rule: Any,
        rows: Any,
        i: int,
        k: int,
        tau: float,
        W: Array,
        U: Array,
        area: float,
    ) -> Any:
        """Move weight vector k by a step; return the step of its intercept."""
        beta = self.betas[k]
        rows.adapt(i, k, tau, beta, rule, W, self.C, U, area)
        if not self.intercept:
            return 0.0
        before = self.cb[k]
        self.cb[k] = before + beta
        return tau * rule.rate(before, before + beta)


def confidences_of(state: State, rule: AnyRule, *, intercept: bool) -> NoConfidences | Confidences:
    """Return the record for a rule, with the arrays of a state.

    Examples
    --------
    >>> from rosenblatt.engine.state import empty
    >>> from rosenblatt.theory.rules import PA
    >>> confidences_of(empty(2, 1), PA(), intercept=True)
    NoConfidences()
    """
    if not has_confidence(rule):
        return NoConfidences()
    return Confidences(state.C, state.cb, np.zeros(state.W.shape[1]), intercept)
