"""Relaxation: steps towards the half-space in which an example is right."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.theory.declaration import NotNegative, Positive, RuleDeclaration


@RuleDeclaration(
    "relaxation",
    rate="eta",
    updates="where y s < 1",
    step="η y (1 − y s)/‖x‖²",
    use="ten passes over text (`eta0=0.3`)",
    weight='the part of the hinge that h steps close, 1 − (1 − η)^h; with η ≥ 1 as `"pa"`',
    twice="yes, and two halves are the whole",
    tried=(1.5,),
)
class Relaxation(NamedTuple):
    """Single-sample relaxation: τ = η y (β − y·score)/‖x‖² where y·score < β.

    Agmon 1954, Motzkin and Schoenberg 1954; Duda and Hart 1973, §5.6. Each step moves w towards
    the half-space {y·score ≥ β} of the example; for 0 < η < 2 the distance to every solution
    never grows.

    Parameters
    ----------
    eta : float in (0, 2), default=1.0
        Relaxation factor: 1 projects on the half-space, less under-relaxes, more over-relaxes.
    beta : float ≥ 0, default=1.0
        The functional margin β.

    Examples
    --------
    >>> Relaxation().step(0.0, 1.0, 4.0)
    0.25
    """

    eta: Positive = 1.0
    beta: NotNegative = 1.0

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
