"""Update rules that ask for a margin: the margin perceptron, relaxation, Passive-Aggressive.

Their interface is that of :mod:`rosenblatt.rules`, which has them by name.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class MarginPerceptron(NamedTuple):
    """The perceptron with margin: τ = η y where y·score ≤ β.

    Krauth and Mézard 1987 and Duda and Hart 1973, §5.5; lecture row L3.8. On separable data from
    w = 0 it makes at most (R² + 2β/η)/γ² updates, and for β large against ηR² its margin
    approaches at least half the maximal one.

    Parameters
    ----------
    eta : float > 0, default=1.0
        Learning rate η.
    beta : float ≥ 0, default=1.0
        The functional margin: y·score must exceed it.

    Examples
    --------
    >>> MarginPerceptron().step(0.5, 1.0, 2.0)
    1.0
    """

    eta: float = 1.0
    beta: float = 1.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """η y where y·score ≤ β, else 0."""
        return self.eta * y if y * score <= self.beta else 0.0

    def weighted_step(self, score: float, y: float, sqnorm: float, weight: float) -> float:
        """η y min(weight, n), with n the steps until y·score > β; of a weight below 1 that part.

        The example learned so many times, where the weight is a whole number.
        """
        tau, missing = self.step(score, y, sqnorm), self.beta - y * score
        gain = self.eta * sqnorm  # of y·score, by one step
        if weight > 1.0 and tau != 0.0 and gain > 0.0:
            weight = min(weight, 1.0 + math.floor(min(missing / gain, weight)))
        return tau * weight

    def loss(self, score: float, y: float) -> float:
        """max(0, β − y·score)."""
        return max(0.0, self.beta - y * score)


class Relaxation(NamedTuple):
    """Single-sample relaxation: τ = η y (β − y·score)/‖x‖² where y·score < β.

    Agmon 1954, Motzkin and Schoenberg 1954; Duda and Hart 1973, §5.6. Each step moves w towards
    the half-space {y·score ≥ β} of the example; for 0 < η < 2 the distance to every solution
    never grows.

    Parameters
    ----------
    eta : float in (0, 2), default=1.0
        Relaxation factor: 1 projects on the half-space, less under-relaxes, more over-relaxes.
    beta : float > 0, default=1.0
        The functional margin β.

    Examples
    --------
    >>> Relaxation().step(0.0, 1.0, 4.0)
    0.25
    """

    eta: float = 1.0
    beta: float = 1.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """η y (β − y·score)/‖x‖² where y·score < β, else 0."""
        shortfall = self.beta - y * score
        return self.eta * y * shortfall / sqnorm if shortfall > 0.0 and sqnorm > 0.0 else 0.0

    def weighted_step(self, score: float, y: float, sqnorm: float, weight: float) -> float:
        """The part 1 − (1 − η)^weight of the shortfall: the example learned so many times.

        For η ≥ 1 the first step closes it, and a weight above 1 counts as 1.
        """
        if self.eta >= 1.0 or weight <= 0.0:
            return self.step(score, y, sqnorm) * min(weight, 1.0)
        closed = -math.expm1(weight * math.log1p(-self.eta))
        shortfall = self.beta - y * score
        return y * shortfall / sqnorm * closed if shortfall > 0.0 and sqnorm > 0.0 else 0.0

    def loss(self, score: float, y: float) -> float:
        """max(0, β − y·score)."""
        return max(0.0, self.beta - y * score)


class PA(NamedTuple):
    """Passive-Aggressive: τ = y ℓ/‖x‖² with the hinge ℓ = max(0, 1 − y·score).

    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, figure 1. The smallest step after
    which the example is right with margin 1. Where some u has hinge zero everywhere, the squared
    losses sum to at most R²‖u‖² (theorem 2).

    Examples
    --------
    >>> PA().step(0.0, 1.0, 4.0)
    0.25
    """

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """Y ℓ/‖x‖²."""
        hinge = 1.0 - y * score
        return y * (hinge / sqnorm) if hinge > 0.0 and sqnorm > 0.0 else 0.0

    def weighted_step(self, score: float, y: float, sqnorm: float, weight: float) -> float:
        """τ, of a weight below 1 that part: a second step would find no hinge."""
        return self.step(score, y, sqnorm) * min(weight, 1.0)

    def loss(self, score: float, y: float) -> float:
        """The hinge max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)


class PA1(NamedTuple):
    """PA-I: τ = y min(C, ℓ/‖x‖²), Passive-Aggressive with the step bounded by C.

    Crammer et al. 2006, figure 1. It makes at most max(R², 1/C)(‖u‖² + 2C Σ ℓ*) mistakes for any
    u with hinges ℓ* (theorem 4).

    Parameters
    ----------
    C : float > 0, default=1.0
        The largest step size.

    Examples
    --------
    >>> PA1(C=0.1).step(0.0, 1.0, 4.0)
    0.1
    """

    C: float = 1.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """Y min(C, ℓ/‖x‖²)."""
        hinge = 1.0 - y * score
        return y * min(self.C, hinge / sqnorm) if hinge > 0.0 and sqnorm > 0.0 else 0.0

    def weighted_step(self, score: float, y: float, sqnorm: float, weight: float) -> float:
        """Y min(C weight, ℓ/‖x‖²): the example learned so many times."""
        if weight <= 0.0:
            return self.step(score, y, sqnorm) * weight
        return PA1(weight * self.C).step(score, y, sqnorm)

    def loss(self, score: float, y: float) -> float:
        """The hinge max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)


class PA2(NamedTuple):
    """PA-II: τ = y ℓ/(‖x‖² + 1/(2C)), Passive-Aggressive with a squared slack penalty.

    Crammer et al. 2006, figure 1. Its squared losses sum to at most
    (R² + 1/(2C))(‖u‖² + 2C Σ ℓ*²) for any u with hinges ℓ* (theorem 5).

    Parameters
    ----------
    C : float > 0, default=1.0
        Aggressiveness: a larger C means larger steps.

    Examples
    --------
    >>> PA2(C=0.5).step(0.0, 1.0, 4.0)
    0.2
    """

    C: float = 1.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """Y ℓ/(‖x‖² + 1/(2C))."""
        hinge = 1.0 - y * score
        return y * (hinge / (sqnorm + 0.5 / self.C)) if hinge > 0.0 else 0.0

    def weighted_step(self, score: float, y: float, sqnorm: float, weight: float) -> float:
        """Y ℓ (1 − (1 + 2C‖x‖²)^−weight)/‖x‖²: the example learned so many times."""
        size = 2.0 * self.C * sqnorm
        if weight <= 0.0 or size <= 0.0:
            return self.step(score, y, sqnorm) * weight
        hinge, closed = 1.0 - y * score, -math.expm1(-weight * math.log1p(size))
        return y * (hinge / sqnorm * closed) if hinge > 0.0 else 0.0

    def loss(self, score: float, y: float) -> float:
        """The hinge max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)
