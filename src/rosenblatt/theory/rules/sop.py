"""The second-order perceptron and NAROW: a sum of rows, divided by the confidences."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.theory.declaration import Positive, RuleDeclaration


@RuleDeclaration(
    "sop",
    kind="confident",
    rate="a",
    state="squares of mistakes",
    updates="at mistakes",
    step="1/(a + Σ x²); the weight shrinks, too",
    use='as `"adagrad"`',
    weight="step and squares times h",
    twice="if it stays a mistake",
    tried=(0.7,),
)
class SOP(NamedTuple):
    """The second-order perceptron: on a mistake v ← v + y x and c_j ← c_j + x_j².

    The weights are w_j = v_j/(a + c_j). Cesa-Bianchi, Conconi and Gentile 2005, figure 2, with a
    diagonal matrix. The paper scores an example with its own squares in the matrix; for a full
    matrix this divides the score by a positive number. Here these squares are left out. With a full
    matrix with eigenvalues λ_i the second-order perceptron makes at most
    Σ ℓ(u) + √((a ‖u‖² + uᵀXu) Σ log(1 + λ_i/a)) mistakes for any u with hinges ℓ (theorem 4.1;
    X = Σ x xᵀ over the mistakes).

    Parameters
    ----------
    a : float > 0, default=1.0
        The regularisation: with a large a, w is that of the perceptron but for its length.

    Examples
    --------
    >>> rule = SOP()
    >>> rule.step(-1.0, 1.0, 0.0), rule.rate(0.0, 1.0), rule.shrinkage(0.0, 1.0)
    ((1.0, 1.0), 0.5, 0.5)
    """

    a: Positive = 1.0

    def step(self, score: float, y: float, variance: float) -> tuple[float, float]:
        """(y, 1) on a mistake, else (0, 0)."""
        return (y, 1.0) if y * score <= 0.0 else (0.0, 0.0)

    def weighted_step(
        self, score: float, y: float, variance: float, weight: float
    ) -> tuple[float, float]:
        """Multiply τ and β by the weight: a mistake that stays one counts so many times."""
        tau, beta = self.step(score, y, variance)
        return tau * weight, beta * weight

    def rate(self, before: float, after: float) -> float:
        """1/(a + c), with the square of the example."""
        return 1.0 / (self.a + after)

    def shrinkage(self, before: float, after: float) -> float:
        """The new rate divided by the old one: the weight is that of a sum."""
        return (self.a + before) / (self.a + after)

    def needs_variance(self, score: float, y: float) -> bool:
        """False."""
        return False

    def loss(self, score: float, y: float) -> float:
        """max(0, −y·score)."""
        return max(0.0, -y * score)


@RuleDeclaration(
    "narow",
    kind="confident",
    rate="b",
    state="inverse variances",
    updates="where y s < 1, or less than b times the variance of s",
    step="its variance, which stays where that of s is at most 1/b; the weight shrinks, too",
    use='as `"arow"`',
    weight="step and squares times h",
    twice="no",
    tried=(0.7,),
)
class NAROW(NamedTuple):
    """NAROW: v ← v + y x and c_j ← c_j + β x_j² where y·score < max(1, bχ), β = max(0, b − 1/χ).

    The weights are w_j = v_j/(1 + c_j), as those of :class:`SOP`, and χ is the variance of the
    score. Orabona and Crammer 2010, narrow adaptive regularisation of weights, with a diagonal
    matrix: the confidences of weights that are certain already, χ ≤ 1/b, stay as they are. The
    margin is that with the example's own squares in the matrix, y·score/max(1, bχ).

    Parameters
    ----------
    b : float > 0, default=1.0
        A smaller b means confidences that grow less; 1/b is the variance that is small enough.

    Examples
    --------
    >>> NAROW().step(1.5, 1.0, 2.0), NAROW().step(0.5, 1.0, 0.5), NAROW().step(1.5, 1.0, 0.5)
    ((1.0, 0.5), (1.0, 0.0), (0.0, 0.0))
    """

    b: Positive = 1.0

    def step(self, score: float, y: float, variance: float) -> tuple[float, float]:
        """(y, max(0, b − 1/χ)) where y·score < max(1, bχ), else (0, 0)."""
        grown = max(1.0, self.b * variance)
        if y * score >= grown:
            return 0.0, 0.0
        return y, (grown - 1.0) / variance if grown > 1.0 else 0.0

    def weighted_step(
        self, score: float, y: float, variance: float, weight: float
    ) -> tuple[float, float]:
        """Multiply τ and β by the weight."""
        tau, beta = self.step(score, y, variance)
        return tau * weight, beta * weight

    def rate(self, before: float, after: float) -> float:
        """The variance after the example, 1/(1 + c)."""
        return 1.0 / (1.0 + after)

    def shrinkage(self, before: float, after: float) -> float:
        """The new rate divided by the old one: the weight is that of a sum."""
        return (1.0 + before) / (1.0 + after)

    def needs_variance(self, score: float, y: float) -> bool:
        """True always."""
        return True

    def loss(self, score: float, y: float) -> float:
        """The hinge max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)
