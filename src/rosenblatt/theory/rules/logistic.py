"""Logistic regression by stochastic gradient."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.theory.declaration import Positive, RuleDeclaration


@RuleDeclaration(
    "logistic",
    rate="eta",
    log_odds=True,
    updates="always",
    step="η y/(1 + e^(y s))",
    use="logistic regression by stochastic gradient; its [probabilities](probabilities.md) need a "
    "small `eta0`",
    weight="h steps; from a thousand on, their limit",
    twice="yes",
    tried=(0.1,),
)
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

    eta: Positive = 1.0

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
        # Beyond 700 e^z overflows, and a step is too small to matter.
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
