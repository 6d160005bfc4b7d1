"""The perceptron: Rosenblatt's rule of 1958."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.theory.declaration import Positive, RuleDeclaration, Sign


@RuleDeclaration(
    "perceptron",
    rate="eta",
    updates="at mistakes",
    step="η y",
    use="separable data; the theorem; the smallest models",
    weight="the step times h, as in scikit-learn",
    twice="if it is a mistake the second time, too; else it is half as much",
    tried=(1.0,),
)
class Perceptron(NamedTuple):
    """The perceptron: on a mistake, τ = η y.

    Rosenblatt 1958; lecture rows L0.1, L1.2, L2.2. Its loss is the perceptron criterion
    max(0, −y·score) (L2.7, L4.5). From w = 0 it makes at most (R/γ)² mistakes on rows of norm at
    most R that a unit vector separates with margin γ, for any η (Novikoff 1962; L0.5).

    Parameters
    ----------
    eta : float > 0, default=1.0
        Learning rate η.
    tie : {0.0, -1.0, 1.0}, default=0.0
        The prediction for a score of exactly zero: −1 (lecture 25), +1 (lectures 1 and 3), or 0, a
        mistake for any label (scikit-learn, Freund and Schapire).

    Examples
    --------
    >>> Perceptron().step(-0.5, 1.0, 2.0)
    1.0
    >>> Perceptron(tie=-1.0).step(0.0, -1.0, 2.0)
    0.0
    """

    eta: Positive = 1.0
    tie: Sign = 0.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """η y on a mistake, else 0."""
        if y * score < 0.0 or (score == 0.0 and self.tie != y):
            return self.eta * y
        return 0.0

    def weighted_step(self, score: float, y: float, sqnorm: float, weight: float) -> float:
        """τ times the weight, as in scikit-learn."""
        return self.step(score, y, sqnorm) * weight

    def loss(self, score: float, y: float) -> float:
        """max(0, −y·score)."""
        return max(0.0, -y * score)
