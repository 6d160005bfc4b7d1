"""The hinge by stochastic subgradient."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.theory.declaration import Positive, RuleDeclaration


@RuleDeclaration(
    "hinge",
    rate="eta",
    updates="where y s ≤ 1",
    step="η y",
    use='with `penalty="l2"`: a linear support vector machine',
    weight="h steps, or as many as there are until the margin is reached; below 1 a part of one",
    twice="yes",
    tried=(0.1,),
)
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

    eta: Positive = 1.0

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
