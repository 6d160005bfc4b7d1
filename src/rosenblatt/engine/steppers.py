"""Steppers: the step of a rule on one example, and the arrays that rules of its kind need.

A loop gets each step from its stepper: numba specialises the loop on the stepper's type.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import subroutine
from rosenblatt.engine.linear.confidences import (
    LARGEST_SUM,
    LEAST_SHARE,
    LEAST_VARIANCE,
    clipped,
    defined,
    largest_move,
)
from rosenblatt.engine.state import UNKNOWN, State
from rosenblatt.theory.rule_kinds import (
    AnyRule,
    has_confidence,
    has_full_covariance,
    has_rescaling,
)

Array = NDArray[Any]


class PlainStepper(NamedTuple):
    """The stepper of a :class:`rosenblatt.theory.rule_kinds.Rule`, which sees the example alone."""

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
        if weight == 1.0:
            return rule.step(score, y, sqnorm)
        return rule.weighted_step(score, y, sqnorm, weight)


@subroutine
def confident_step(
    stepper: Any,
    rule: Any,
    score: float,
    y: float,
    weight: float,
    rows: Any,
    i: int,
    k: int,
    rival: int,
) -> Any:
    """Return the step τ of weight vector k by a rule with a confidence; the stepper keeps its β.

    A score that is a difference has a rival, which is not negative: their variances add up, and
    both get the β.
    """
    variance = 0.0
    if rule.needs_variance(score, y):
        variance = stepper.variance(rule, rows, i, k)
        if rival >= 0:
            variance += stepper.variance(rule, rows, i, rival)
    if weight == 1.0:
        tau, beta = rule.step(score, y, variance)
    else:
        tau, beta = rule.weighted_step(score, y, variance, weight)
    stepper.betas[k] = defined(beta)
    if rival >= 0:
        stepper.betas[rival] = stepper.betas[k]
    return defined(tau)


class ConfidentStepper(NamedTuple):
    """The stepper of rules with a confidence for each weight, which see the variance of the score.

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
        """Return the step τ of weight vector k, and keep its β."""
        return confident_step(self, rule, score, y, weight, rows, i, k, rival)

    def move(
        self,
        rule: Any,
        rows: Any,
        i: int,
        k: int,
        tau: float,
        W: Array,
        b: float,
        U: Array,
        area: float,
    ) -> Any:
        """Move weight vector k, with the intercept b, by a step; return the step of b."""
        beta = self.betas[k]
        rows.adapt(i, k, tau, beta, rule, W, self.C, U, area)
        if not self.intercept:
            return 0.0
        before = self.cb[k]
        after = min(before + beta, LARGEST_SUM)
        self.cb[k] = after
        step = (rule.shrinkage(before, after) - 1.0) * b + tau * rule.rate(before, after)
        return clipped(step, largest_move(W))


class FullStepper(NamedTuple):
    """The stepper of rules with a full covariance matrix Σ for each weight vector.

    Attributes
    ----------
    S : ndarray of shape ((d + 1)², P)
        That of the state; changed in place.
    projections : ndarray of shape (P, d + 1), float64
        Σ x of the latest row of each weight vector, that of the intercept first.
    variances, betas : ndarray of shape (P,), float64
        xᵀ Σ x, below 0 where Σ x was not computed; and β of the latest step.
    intercept : bool
        Whether there is an intercept.
    """

    S: Array
    projections: Array
    variances: Array
    betas: Array
    intercept: bool

    def variance(self, rule: Any, rows: Any, i: int, k: int) -> Any:
        """Return the variance xᵀ Σ x of the score of weight vector k, and keep Σ x."""
        bias = 1.0 if self.intercept else 0.0  # numba loses a method whose arguments branch
        variance = rows.project(i, k, self.S, self.projections, bias)
        self.variances[k] = max(variance, LEAST_SHARE * rows.spread(i, k, self.S, bias))
        return self.variances[k]

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
        """Return the step τ of weight vector k, and keep its β."""
        self.variances[k] = -1.0
        if rival >= 0:
            self.variances[rival] = -1.0
        return confident_step(self, rule, score, y, weight, rows, i, k, rival)

    def move(
        self,
        rule: Any,
        rows: Any,
        i: int,
        k: int,
        tau: float,
        W: Array,
        b: float,
        U: Array,
        area: float,
    ) -> Any:
        """Move weight vector k by τ Σ x, and shrink Σ; return the step of the intercept."""
        if self.variances[k] < 0.0:
            self.variance(rule, rows, i, k)
        S, p, size = self.S, self.projections, self.projections.shape[1]
        beta, variance, largest = self.betas[k], self.variances[k], largest_move(W)
        share, norm = beta / (1.0 + beta * variance), rows.sqnorm(i) + self.intercept
        if beta * variance > 1.0 / LEAST_SHARE:
            share = (1.0 - LEAST_SHARE) / variance
        if variance > LEAST_VARIANCE * norm:
            for j in range(size):
                for m in range(size):
                    S[j * size + m, k] -= share * (p[k, j] * p[k, m])
        for j in range(size - 1):
            step = clipped(tau * p[k, j + 1], largest)
            W[j, k] = np.float64(W[j, k]) + step
            if U.shape[0] > 0:
                U[j, k] += area * step
        return clipped(tau * p[k, 0], largest)


class RescalingStepper(NamedTuple):
    """The stepper of rules that rescale the weights: they see ‖w‖² and the time.

    Attributes
    ----------
    W, b, scale, norms, norm_errors, t, updates : ndarray
        Those of the state; a squared norm that is unknown is computed when it is needed.
    factors : ndarray of shape (P,), float64
        The factor of each weight vector in the latest step.
    """

    W: Array
    b: Array
    scale: Array
    norms: Array
    norm_errors: Array
    t: Array
    updates: Array
    factors: Array

    def squared_norm(self, k: int) -> Any:
        """Return ‖w‖² of weight vector k, with its intercept."""
        if self.norms[k] < 0.0:
            total = 0.0
            for j in range(self.W.shape[0]):
                weight = np.float64(self.W[j, k]) * self.scale[k]
                total += weight * weight
            self.norms[k] = total + self.b[k] * self.b[k]
            self.norm_errors[k] = 0.0
        return self.norms[k]

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
        """Return the step τ of weight vector k, and keep its factor.

        A score that is a difference has a rival, which is not negative: all weight vectors are one,
        with one factor. Each update counts for two of them.
        """
        norm, updates = self.squared_norm(k), self.updates[k]
        if rival >= 0:
            norm, updates = 0.0, 0
            for column in range(self.norms.shape[0]):
                norm += self.squared_norm(column)
                updates += self.updates[column]
            updates //= 2
        if weight == 1.0:
            factor, tau = rule.rescale(score, y, sqnorm, norm, self.t[0], updates)
        else:
            t = self.t[0]
            factor, tau = rule.weighted_rescale(score, y, sqnorm, norm, t, updates, weight)
        if rival >= 0:
            for column in range(self.factors.shape[0]):
                self.factors[column] = factor
        self.factors[k] = factor
        return tau


Stepper: TypeAlias = PlainStepper | ConfidentStepper | FullStepper | RescalingStepper


def stepper_of(state: State, rule: AnyRule, *, intercept: bool) -> Stepper:
    """Return the stepper for a rule, with the arrays of a state.

    A rule that does not rescale leaves the squared norms unknown.

    Examples
    --------
    >>> from rosenblatt.engine.state import empty
    >>> from rosenblatt.theory.rules import PA
    >>> stepper_of(empty(2, 1), PA(), intercept=True)
    PlainStepper()
    """
    if has_rescaling(rule):
        norms = state.norms, state.norm_errors
        factors = np.ones(state.W.shape[1])
        return RescalingStepper(
            state.W, state.b, state.scale, *norms, state.t, state.updates, factors
        )
    state.norms[:] = UNKNOWN
    d, P = state.W.shape
    if has_full_covariance(rule):
        return FullStepper(state.S, np.zeros((P, d + 1)), np.zeros(P), np.zeros(P), intercept)
    if has_confidence(rule):
        return ConfidentStepper(state.C, state.cb, np.zeros(P), intercept)
    return PlainStepper()
