"""AdaGrad: weights whose gradients were large move less."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.theory.declaration import Positive, RuleDeclaration


@RuleDeclaration(
    "adagrad",
    kind="confident",
    rate="eta",
    state="squared gradients",
    updates="where y s < 1",
    step="η/√(Σ g²)",
    use="sparse rows whose rare features matter",
    weight="step and squares times h, so that √h is left of the first step",
    twice="no",
    tried=(0.3,),
)
class AdaGrad(NamedTuple):
    """AdaGrad for the hinge: w_j ← w_j + η y x_j/√(Σ g_j²) where y·score < 1, with g_j = y x_j.

    Duchi, Hazan and Singer 2011, diagonal, without projection; the sum includes the example, as in
    Vowpal Wabbit's ``--adaptive``. A feature that is seldom seen moves as far as one that is seen
    often. While all weights of the run stay in a box of width D, and with η = D/√2, the regret
    against any u of that box is at most √2 D Σ_j √(Σ g_j²) (corollary 6, which projects on the box;
    a u outside has no such bound).

    Parameters
    ----------
    eta : float > 0, default=1.0
        Learning rate η: the first step of every weight.

    Examples
    --------
    >>> AdaGrad(eta=0.5).step(0.0, 1.0, 0.0)
    (0.5, 1.0)
    """

    eta: Positive = 1.0

    def step(self, score: float, y: float, variance: float) -> tuple[float, float]:
        """(η y, 1) where y·score < 1, else (0, 0)."""
        return (self.eta * y, 1.0) if y * score < 1.0 else (0.0, 0.0)

    def weighted_step(
        self, score: float, y: float, variance: float, weight: float
    ) -> tuple[float, float]:
        """Multiply τ and β by the weight, which leaves its root of the step."""
        tau, beta = self.step(score, y, variance)
        return tau * weight, beta * weight

    def rate(self, before: float, after: float) -> float:
        """1/√c, with the gradient of the example; 0 where all gradients were 0."""
        return 1.0 / math.sqrt(after) if after > 0.0 else 0.0

    def shrinkage(self, before: float, after: float) -> float:
        """1: a weight keeps its value."""
        return 1.0

    def needs_variance(self, score: float, y: float) -> bool:
        """False."""
        return False

    def loss(self, score: float, y: float) -> float:
        """The hinge max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)


@RuleDeclaration(
    "adagrad_logistic",
    kind="confident",
    rate="eta",
    state="squared gradients",
    log_odds=True,
    updates="always",
    step="η/√(Σ g²)",
    use='as `"adagrad"`, with [probabilities](probabilities.md)',
    weight="step and squares times h, so that √h is left of the first step",
    twice="no",
    tried=(0.3,),
)
class AdaGradLogistic(NamedTuple):
    """AdaGrad for logistic regression: g_j = y x_j/(1 + exp(y·score)), else as :class:`AdaGrad`.

    Duchi, Hazan and Singer 2011, diagonal, without projection, on log(1 + exp(−y·score)).

    Parameters
    ----------
    eta : float > 0, default=1.0
        Learning rate η: the first step of every weight.

    Examples
    --------
    >>> AdaGradLogistic().step(0.0, 1.0, 0.0)
    (0.5, 0.25)
    """

    eta: Positive = 1.0

    def step(self, score: float, y: float, variance: float) -> tuple[float, float]:
        """(η y p, p²) with p = 1/(1 + exp(y·score)), without overflow."""
        z = y * score
        if z > 0.0:
            small = math.exp(-z)
            p = small / (1.0 + small)
        else:
            p = 1.0 / (1.0 + math.exp(z))
        return self.eta * y * p, p * p

    def weighted_step(
        self, score: float, y: float, variance: float, weight: float
    ) -> tuple[float, float]:
        """Multiply τ and β by the weight, which leaves its root of the step."""
        tau, beta = self.step(score, y, variance)
        return tau * weight, beta * weight

    def rate(self, before: float, after: float) -> float:
        """1/√c, with the gradient of the example; 0 where all gradients were 0."""
        return 1.0 / math.sqrt(after) if after > 0.0 else 0.0

    def shrinkage(self, before: float, after: float) -> float:
        """1: a weight keeps its value."""
        return 1.0

    def needs_variance(self, score: float, y: float) -> bool:
        """False."""
        return False

    def loss(self, score: float, y: float) -> float:
        """log(1 + exp(−y·score)), without overflow."""
        z = y * score
        return math.log1p(math.exp(-z)) if z > 0.0 else math.log1p(math.exp(z)) - z
