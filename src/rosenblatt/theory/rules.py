"""Update rules: a rule returns the step size of one example.

From the example's score, label and squared norm::

    tau = step(score, y, sqnorm)        then        w <- w + tau * x

A rule is a ``NamedTuple`` whose fields are its hyperparameters, with two methods: ``step``, and
``loss``, the criterion that the rule descends (reported, and used by the stopping test). For a rule
without ``loss`` the perceptron criterion is used. For an example of another weight than 1 the loops
call ``weighted_step(score, y, sqnorm, weight)``: where the rule allows it, an example of weight 2
moves w as far as the same example twice (Karampatziakis and Langford 2011). Without such a method
the weight multiplies the step. A new rule is one such class and its name in the
tables after the last class. Such a rule moves w along x only and does not see w. Rules that keep a
confidence for each weight are in :mod:`rosenblatt.theory.confidence`, with a covariance matrix in
:mod:`rosenblatt.theory.full_covariance`; rules that see ‖w‖ and the
time, or shrink w, are in :mod:`rosenblatt.theory.rescaling`. :mod:`rosenblatt.theory.minover` has
the rule that chooses its row among all.

Labels are −1 and +1; :class:`LMS` and :class:`NormalizedLMS` also accept any real y.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from rosenblatt.theory.confidence import (
    AROW,
    CONFIDENCE_RULES,
    NAROW,
    SOP,
    AdaGrad,
    AdaGradLogistic,
)
from rosenblatt.theory.confidence_weighted import CW, SCW1, SCW2, CWStdev
from rosenblatt.theory.full_covariance import (
    FULL_COVARIANCE_RULES,
    FullAROW,
    FullCW,
    FullCWStdev,
    FullSCW1,
    FullSCW2,
)
from rosenblatt.theory.margin_rules import PA, PA1, PA2, MarginPerceptron, Relaxation
from rosenblatt.theory.minover import MinOver
from rosenblatt.theory.rescaling import (
    ALMA,
    OGD,
    RESCALING_RULES,
    ROMMA,
    AggressiveROMMA,
    Pegasos,
)
from rosenblatt.theory.rule_checks import complete
from rosenblatt.theory.rule_kinds import (
    AnyRule,
    ChoosingRule,
    ConfidenceRule,
    RescalingRule,
    Rule,
)
from rosenblatt.utils.checks import shortened

__all__ = [
    "ALMA",
    "AROW",
    "CW",
    "LMS",
    "NAROW",
    "OGD",
    "PA",
    "PA1",
    "PA2",
    "ROMMA",
    "SCW1",
    "SCW2",
    "SOP",
    "AdaGrad",
    "AdaGradLogistic",
    "AggressiveROMMA",
    "CWStdev",
    "ChoosingRule",
    "ConfidenceRule",
    "FullAROW",
    "FullCW",
    "FullCWStdev",
    "FullSCW1",
    "FullSCW2",
    "Hinge",
    "Logistic",
    "MarginPerceptron",
    "MinOver",
    "NormalizedLMS",
    "Pegasos",
    "Perceptron",
    "Relaxation",
    "RescalingRule",
    "Rule",
    "by_name",
    "complete",
]


class Perceptron(NamedTuple):
    """The perceptron: on a mistake, τ = η y.

    Rosenblatt 1958; lecture rows L0.1, L1.2, L2.2. Its loss is the perceptron criterion
    max(0, −y·score) (L2.7, L4.5). From w = 0 it makes at most (R/γ)² mistakes on rows of norm at
    most R that a unit vector separates with margin γ, for any η (Novikoff 1962; L0.5).

    Parameters
    ----------
    eta : float > 0, default=1.0
        Learning rate η.
    tie : {0.0, -1.0, 1.0}, default=0.0
        The prediction for a score of exactly zero: −1 (lecture 25), +1 (lectures 1 and 3), or 0, a
        mistake for any label (scikit-learn, Freund and Schapire).

    Examples
    --------
    >>> Perceptron().step(-0.5, 1.0, 2.0)
    1.0
    >>> Perceptron(tie=-1.0).step(0.0, -1.0, 2.0)
    0.0
    """

    eta: float = 1.0
    tie: float = 0.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """η y on a mistake, else 0."""
        if y * score < 0.0 or (score == 0.0 and self.tie != y):
            return self.eta * y
        return 0.0

    def weighted_step(self, score: float, y: float, sqnorm: float, weight: float) -> float:
        """τ times the weight, as in scikit-learn."""
        return self.step(score, y, sqnorm) * weight

    def loss(self, score: float, y: float) -> float:
        """max(0, −y·score)."""
        return max(0.0, -y * score)


class LMS(NamedTuple):
    """Least mean squares (Widrow–Hoff, Adaline): τ = η (y − score), for any real y.

    Widrow and Hoff 1960; lecture rows L2.11, L4.7. Stochastic gradient descent on
    ½ (y − score)². On rows of norm at most R no step moves w away from a w that fits the examples
    exactly, if 0 < η < 2/R²; larger steps may grow without end.

    Parameters
    ----------
    eta : float > 0, default=1.0
        Learning rate η. The default is for rows shorter than 1.4, where it is stable: others need
        a smaller one.

    Examples
    --------
    >>> LMS(eta=0.5).step(1.0, 3.0, 1.0)
    1.0
    """

    eta: float = 1.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """η (y − score)."""
        return self.eta * (y - score)

    def weighted_step(self, score: float, y: float, sqnorm: float, weight: float) -> float:
        """(y − score)(1 − (1 − η‖x‖²)^weight)/‖x‖²: the example learned so many times.

        Where a step overshoots, η‖x‖² ≥ 1, so many whole steps and a part of one.
        """
        part = self.eta * sqnorm
        if weight <= 0.0 or not 0.0 < part < math.inf:
            return self.step(score, y, sqnorm) * weight
        if part < 1.0:
            closed = -math.expm1(weight * math.log1p(-part))
            return (y - score) / sqnorm * closed
        steps = 1.0 * math.floor(weight)
        kept = 1.0 if steps == 0.0 else 0.0
        if steps > 0.0 and part > 1.0:
            sign = 1.0 if steps % 2.0 == 0.0 else -1.0
            kept = sign * math.exp(min(steps * math.log(part - 1.0), 700.0))
        return (y - score) / sqnorm * (1.0 - kept * (1.0 - (weight - steps) * part))

    def loss(self, score: float, y: float) -> float:
        """½ (y − score)²."""
        return 0.5 * (y - score) * (y - score)


class NormalizedLMS(NamedTuple):
    """Normalised LMS: τ = μ (y − score)/(ε + ‖x‖²), for any real y.

    Nagumo and Noda 1967, the echo canceller's rule (lecture row L2.11). With ε = 0 and 0 < μ < 2
    a step that is not 0 reduces the distance to every w that fits the example, at any scale of x.

    Parameters
    ----------
    mu : float in (0, 2), default=1.0
        Step size μ: 1 fits the example exactly, a smaller one averages noise.
    epsilon : float ≥ 0, default=0.0
        Keeps the step bounded where ‖x‖ is nearly zero.

    Examples
    --------
    >>> NormalizedLMS(mu=1.0).step(1.0, 3.0, 4.0)
    0.5
    """

    mu: float = 1.0
    epsilon: float = 0.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """μ (y − score)/(ε + ‖x‖²)."""
        size = self.epsilon + sqnorm
        return self.mu * (y - score) / size if size > 0.0 else 0.0

    def weighted_step(self, score: float, y: float, sqnorm: float, weight: float) -> float:
        """The example learned so many times, as :class:`LMS` with η = μ/(ε + ‖x‖²)."""
        size = self.epsilon + sqnorm
        return LMS(self.mu / size).weighted_step(score, y, sqnorm, weight) if size > 0.0 else 0.0

    def loss(self, score: float, y: float) -> float:
        """½ (y − score)²."""
        return 0.5 * (y - score) * (y - score)


class Logistic(NamedTuple):
    """Logistic regression by stochastic gradient: τ = η y/(1 + exp(y·score)).

    The gradient of log(1 + exp(−y·score)); lecture row L4.7, "another f". The default η is too
    large for probabilities: 0.1 or 0.01, on scaled columns, gives a smaller log loss.

    Parameters
    ----------
    eta : float > 0, default=1.0
        Learning rate η.

    Examples
    --------
    >>> Logistic().step(0.0, 1.0, 1.0)
    0.5
    """

    eta: float = 1.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """η y/(1 + exp(y·score)), without overflow."""
        z = y * score
        if z > 0.0:
            small = math.exp(-z)
            return self.eta * y * small / (1.0 + small)
        return self.eta * y / (1.0 + math.exp(z))

    def weighted_step(self, score: float, y: float, sqnorm: float, weight: float) -> float:
        """The example learned so many times: whole steps, and a part of one.

        After a thousand steps the rest is one of infinitely many small ones, with z = y·score:
        z + e^z grows by η‖x‖² times what is left (Karampatziakis and Langford 2011).
        """
        tau, left = 0.0, weight
        while left > 1.0 and left > weight - 1000.0:
            tau += self.step(score + tau * sqnorm, y, sqnorm)
            left -= 1.0
        z = y * (score + tau * sqnorm)
        if left <= 1.0 or sqnorm <= 0.0 or z > 700.0:
            return tau + left * self.step(y * z, y, sqnorm)
        total = z + math.exp(z) + self.eta * sqnorm * left
        end = math.log(total) if total > 1.0 else total
        for _ in range(50):  # Newton's steps fall to the root of a convex function
            end -= (end + math.exp(end) - total) / (1.0 + math.exp(end))
        return tau + y * (end - z) / sqnorm

    def loss(self, score: float, y: float) -> float:
        """log(1 + exp(−y·score)), without overflow."""
        z = y * score
        return math.log1p(math.exp(-z)) if z > 0.0 else math.log1p(math.exp(z)) - z


class Hinge(NamedTuple):
    """The hinge by stochastic subgradient: τ = η y where y·score ≤ 1.

    With an L2 penalty it descends the criterion of a linear support vector machine, at a constant
    rate: it ends near the least value, not at it. :class:`Pegasos` has the rate that falls.

    Parameters
    ----------
    eta : float > 0, default=1.0
        Learning rate η.

    Examples
    --------
    >>> Hinge(eta=0.1).step(0.9, -1.0, 1.0)
    -0.1
    """

    eta: float = 1.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """η y where y·score ≤ 1, else 0."""
        return self.eta * y if y * score <= 1.0 else 0.0

    def weighted_step(self, score: float, y: float, sqnorm: float, weight: float) -> float:
        """η y min(weight, n), with n the steps until y·score > 1; of a weight below 1 that part.

        The example learned so many times, where the weight is a whole number.
        """
        tau, missing = self.step(score, y, sqnorm), 1.0 - y * score
        gain = self.eta * sqnorm  # of y·score, by one step
        if weight > 1.0 and tau != 0.0 and gain > 0.0:
            weight = min(weight, 1.0 + math.floor(min(missing / gain, weight)))
        return tau * weight

    def loss(self, score: float, y: float) -> float:
        """max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)


CLASSIFICATION_RULES = (
    Perceptron,
    MarginPerceptron,
    Relaxation,
    PA,
    PA1,
    PA2,
    Logistic,
    Hinge,
    MinOver,
    *CONFIDENCE_RULES,
    *FULL_COVARIANCE_RULES,
    *RESCALING_RULES,
)
"""The rules for classification, with labels −1 and +1."""


def by_name(name: str, eta: float, tie: float) -> AnyRule:
    """Return the rule for an estimator's ``rule=name``, at learning rate ``eta``.

    ``eta`` is the rule's step-size parameter: η; C for ``"pa1"``, ``"pa2"``, ``"scw1"``, ``"scw2"``
    and ``"alma"``; μ for ``"nlms"``; r for ``"arow"``; the same for their forms with a full
    covariance, such as ``"arow_full"``; a for ``"sop"``; b for ``"narow"``; λ is 10⁻⁴/``eta`` for
    ``"pegasos"``; ``"pa"``, ``"cw"``, ``"cw_stdev"``, their forms with a full covariance,
    ``"romma"`` and ``"aromma"`` have none. An unknown name is a ValueError.

    Examples
    --------
    >>> by_name("pa1", 0.5, 0.0)
    PA1(C=0.5)
    """
    if name not in _BY_NAME:
        raise ValueError(
            f"rule must be one of {sorted(_BY_NAME)} or a rule object; got {shortened(name)}."
        )
    return _BY_NAME[name](eta, tie)


_BY_NAME: dict[str, Callable[[float, float], AnyRule]] = {
    "perceptron": Perceptron,
    "margin": lambda eta, tie: MarginPerceptron(eta),
    "relaxation": lambda eta, tie: Relaxation(eta),
    "pa": lambda eta, tie: PA(),
    "pa1": lambda eta, tie: PA1(eta),
    "pa2": lambda eta, tie: PA2(eta),
    "lms": lambda eta, tie: LMS(eta),
    "nlms": lambda eta, tie: NormalizedLMS(eta),
    "logistic": lambda eta, tie: Logistic(eta),
    "hinge": lambda eta, tie: Hinge(eta),
    "arow": lambda eta, tie: AROW(eta),
    "cw": lambda eta, tie: CW(),
    "cw_stdev": lambda eta, tie: CWStdev(),
    "scw1": lambda eta, tie: SCW1(eta),
    "scw2": lambda eta, tie: SCW2(eta),
    "adagrad": lambda eta, tie: AdaGrad(eta),
    "adagrad_logistic": lambda eta, tie: AdaGradLogistic(eta),
    "sop": lambda eta, tie: SOP(eta),
    "narow": lambda eta, tie: NAROW(eta),
    "arow_full": lambda eta, tie: FullAROW(eta),
    "cw_full": lambda eta, tie: FullCW(),
    "cw_stdev_full": lambda eta, tie: FullCWStdev(),
    "scw1_full": lambda eta, tie: FullSCW1(eta),
    "scw2_full": lambda eta, tie: FullSCW2(eta),
    "ogd": lambda eta, tie: OGD(eta),
    "pegasos": lambda eta, tie: Pegasos(1e-4 / eta),
    "alma": lambda eta, tie: ALMA(eta),
    "romma": lambda eta, tie: ROMMA(),
    "aromma": lambda eta, tie: AggressiveROMMA(),
    "minover": lambda eta, tie: MinOver(eta),
}

NAMES = tuple(_BY_NAME)
"""The names of the rules."""
