"""Least squares by stochastic gradient: LMS, and its normalised form."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.theory.declaration import NotNegative, Positive, RuleDeclaration


@RuleDeclaration(
    "lms",
    rate="eta",
    real=True,
    updates="always",
    step="η (y − s)",
    use="least squares; needs a small `eta0`",
    weight="the part of the error that h steps remove, 1 − (1 − η‖x‖²)^h",
    twice="yes, and two halves are the whole where no step overshoots",
    tried=(0.01,),
)
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

    eta: Positive = 1.0

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
            # exp(700) is finite; exp(710) is not.
            kept = sign * math.exp(min(steps * math.log(part - 1.0), 700.0))
        return (y - score) / sqnorm * (1.0 - kept * (1.0 - (weight - steps) * part))

    def loss(self, score: float, y: float) -> float:
        """½ (y − score)²."""
        return 0.5 * (y - score) * (y - score)


@RuleDeclaration(
    "nlms",
    rate="mu",
    real=True,
    updates="always",
    step="μ (y − s)/‖x‖²",
    use="least squares on rows of any length; adaptive filters",
    weight="the part of the error that h steps remove, 1 − (1 − η‖x‖²)^h",
    twice="yes, and two halves are the whole where no step overshoots",
    tried=(0.5,),
)
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

    mu: Positive = 1.0
    epsilon: NotNegative = 0.0

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
