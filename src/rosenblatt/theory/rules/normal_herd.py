"""NormalHerd: a normal distribution of weights, moved towards an example as one herd."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.theory.declaration import Positive, RuleDeclaration


@RuleDeclaration(
    "normal_herd",
    kind="confident",
    rate="C",
    state="inverse variances",
    updates="where y s < 1",
    step="its variance, 1/(1 + Σ C(2 + Cv) x²)",
    use='as `"arow"`',
    weight="C becomes hC",
    twice="no",
    tried=(0.5,),
)
class NormalHerd(NamedTuple):
    """NormalHerd: τ = y ℓ/(v + 1/C), β = C² v + 2C, with the hinge ℓ = max(0, 1 − y·score).

    Crammer and Lee 2010, with a diagonal covariance in the form that they call project. After an
    example the full covariance is Σ − Σ x xᵀ Σ (C² v + 2C)/(1 + C v)², with v = xᵀ Σ x the variance
    of the score; its inverse is Σ⁻¹ + (C² v + 2C) x xᵀ, and of that inverse the diagonal is kept:
    inverse variances grow by (C² v + 2C) x_j². (Their forms exact and drop have other variances.)
    With C = 1/r a weight moves as that of :class:`AROW`, and variances fall more than twice as
    fast, and faster still by an example whose score was unsure.

    Parameters
    ----------
    C : float > 0, default=1.0
        How far an example draws the herd: a smaller C means smaller steps, and variances that fall
        slower.

    Examples
    --------
    >>> NormalHerd().step(0.0, 1.0, 3.0)
    (0.25, 5.0)
    """

    C: Positive = 1.0

    def step(self, score: float, y: float, variance: float) -> tuple[float, float]:
        """(y ℓ/(v + 1/C), C² v + 2C) where ℓ > 0, else (0, 0)."""
        hinge = 1.0 - y * score
        if not hinge > 0.0:
            return 0.0, 0.0
        return y * (hinge / (variance + 1.0 / self.C)), self.C * (self.C * variance + 2.0)

    def weighted_step(
        self, score: float, y: float, variance: float, weight: float
    ) -> tuple[float, float]:
        """The step with C·weight."""
        if not weight > 0.0:
            return 0.0, 0.0
        return NormalHerd(self.C * weight).step(score, y, variance)

    def rate(self, before: float, after: float) -> float:
        """The variance before the example, 1/(1 + c)."""
        return 1.0 / (1.0 + before)

    def shrinkage(self, before: float, after: float) -> float:
        """1: a weight keeps its value."""
        return 1.0

    def needs_variance(self, score: float, y: float) -> bool:
        """True where y·score < 1."""
        return y * score < 1.0

    def loss(self, score: float, y: float) -> float:
        """The hinge max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)
