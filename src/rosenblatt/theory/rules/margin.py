"""The perceptron that asks for a margin."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.theory.declaration import NotNegative, Positive, RuleDeclaration


@RuleDeclaration(
    "margin",
    rate="eta",
    updates="where y s ≤ 1",
    step="η y",
    use="a wider margin on separable data",
    weight="h steps, or as many as there are until the margin is reached; below 1 a part of one",
    twice="yes",
    tried=(1.0,),
)
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

    eta: Positive = 1.0
    beta: NotNegative = 1.0

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
