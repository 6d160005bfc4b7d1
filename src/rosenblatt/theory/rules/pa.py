"""Passive-Aggressive: the smallest step after which an example is right with margin 1."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.theory.declaration import Positive, RuleDeclaration


@RuleDeclaration(
    "pa",
    instead="pa1",
    updates="where y s < 1",
    step="y (1 − y s)/‖x‖²",
    use="separable data without noise",
    weight="the step, below 1 a part of it",
    twice="yes: a second one finds nothing to do",
)
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


@RuleDeclaration(
    "pa1",
    rate="C",
    updates="where y s < 1",
    step="y (1 − y s)/‖x‖², at most C",
    use="text with few rows, noise",
    weight="C becomes hC",
    twice="yes, and two halves are the whole",
    tried=(0.1,),
)
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

    C: Positive = 1.0

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


@RuleDeclaration(
    "pa2",
    rate="C",
    updates="where y s < 1",
    step="y (1 − y s)/(‖x‖² + 1/(2C))",
    use="noise, with smoother steps",
    weight="the part of the hinge that h steps close, 1 − (1 + 2C‖x‖²)^−h",
    twice="yes, and two halves are the whole",
    tried=(0.1,),
)
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

    C: Positive = 1.0

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
