"""The p-norm perceptron: sums of rows, and weights that are powers of them."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from rosenblatt.theory.declaration import Field, Range, RuleDeclaration, Sign


@RuleDeclaration(
    "pnorm",
    kind="weightwise",
    instead="winnow",
    state="sums of rows",
    updates="at mistakes",
    step="sgn(θ) |θ|^(p − 1), θ = Σ y x",
    use="many columns, of which few matter",
    weight="y x times h",
    twice="if it is a mistake the second time, too; else it is half as much",
    tried=(2.5,),
    numbers={"theta": Field(two_classes="mirrored", alone=True)},
)
class PNorm(NamedTuple):
    """The p-norm perceptron: on a mistake θ ← θ + y x; the weights are w_j = sgn(θ_j)|θ_j|^(p − 1).

    Grove, Littlestone and Schuurmans 2001; Gentile 2003. Their weights, the gradient of ‖θ‖²/2 in
    the p-norm, are w_j/‖θ‖^(p − 2). The factor 1/‖θ‖^(p − 2) is that of all weights and positive,
    so it changes no sign, no mistake and no step, and is left out: **scores are up to a positive
    factor**, which grows along a run. A joint model has one factor for all classes; of
    one-vs-rest, each class has its own, so give several classes ``multi_class="joint"``.

    p = 2 is :class:`Perceptron`: to the bit in float64, to rounding in float32, where θ is of
    float64. A larger p turns to the columns that were in most mistakes, and near p = 2 ln d the
    bound is as that of :class:`Winnow`. From θ = 0 it makes at most (p − 1) X² U²/γ² mistakes on
    rows whose p-norm is at most X, if y u·x ≥ γ > 0 for a u of the q-norm U, 1/p + 1/q = 1. θ is a
    sum, so there is no rate: another one would multiply all weights, and change no sign.

    Weights are powers: keep ``|θ_j|^(p − 1)`` below 1e18 in float32, and below 1e150 in float64.
    The loops move no weight farther at once.

    Parameters
    ----------
    p : float >= 2, default=3.0
        The norm of the rows in the bound.
    tie : {0.0, -1.0, 1.0}, default=0.0
        As of :class:`Perceptron`.

    Examples
    --------
    >>> rule = PNorm()
    >>> rule.gradient(-0.5, 1.0), rule.move(0.25, 0.5, 2.0, 1.0)
    (-1.0, (-2.25, -1.5))
    """

    p: Annotated[float, Range("a finite number, 2 or more", lambda x: x >= 2)] = 3.0
    tie: Sign = 0.0

    def gradient(self, score: float, y: float) -> float:
        """−y on a mistake, else 0."""
        return -y if y * score < 0.0 or (score == 0.0 and self.tie != y) else 0.0

    def weighted_gradient(self, score: float, y: float, weight: float) -> float:
        """The gradient times the weight."""
        return self.gradient(score, y) * weight

    def move(self, w: float, theta: float, x: float, g: float) -> tuple[float, float]:
        """The sum with this example, and the weight that follows from it."""
        theta -= g * x
        try:
            size = math.pow(abs(theta), self.p - 1.0)
        except OverflowError:
            size = math.inf
        return -size if theta < 0.0 else size, theta

    def loss(self, score: float, y: float) -> float:
        """max(0, −y·score)."""
        return max(0.0, -y * score)
