"""ALMA: the approximate maximal margin."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.theory.declaration import Positive, RuleDeclaration


@RuleDeclaration(
    "alma",
    kind="rescaling",
    rate="C",
    updates="where the margin of x/‖x‖ is below 1/(9√k), at the k-th update",
    step="w + C y x/(√k ‖x‖), then into the unit ball",
    use="a margin near the largest",
    weight="C becomes hC, then into the unit ball",
    twice="no",
    tried=(1.2, 0.8),
)
class ALMA(NamedTuple):
    """ALMA₂: the approximate maximal margin by steps that fall and a ball that holds w.

    Gentile 2001, figure 1, with p = 2 and B = 1/α, as LIBOL has it. Rows are divided by their
    norms. The k-th update comes where y·score/‖x‖ ≤ (1 − α) B/√k: w ← w + C y x/(√k ‖x‖), then
    w ← w/max(1, ‖w‖). Theorem 3 of the paper is proved for B = √8/α and C = √2, not for this B: on
    rows that a unit vector separates with margin γ (of x/‖x‖) that form stops after O(1/(α² γ²))
    updates with a margin of at least (1 − α) γ. With the smaller B there are fewer updates, and
    this promise does not hold.

    Parameters
    ----------
    C : float > 0, default=1.0
        The first step; √2 in the theorem and in LIBOL.
    alpha : float in (0, 1], default=0.9
        The part of the maximal margin that may be missing.

    Examples
    --------
    >>> ALMA(C=1.0).rescale(0.0, 1.0, 4.0, 0.0, 0, 0)
    (1.0, 0.5)
    """

    C: Positive = 1.0
    alpha: Positive = 0.9

    def rescale(
        self, score: float, y: float, sqnorm: float, wsqnorm: float, t: int, k: int
    ) -> tuple[float, float]:
        """(1, τ)/max(1, ‖w + τ x‖), τ = C y/(√(k + 1) ‖x‖), at a margin too small, else (1, 0)."""
        root, norm = math.sqrt(k + 1.0), math.sqrt(sqnorm)
        if norm <= 0.0 or y * score > (1.0 - self.alpha) / self.alpha / root * norm:
            return 1.0, 0.0
        tau = self.C * y / (root * norm)
        after = wsqnorm + 2.0 * tau * score + tau * (tau * sqnorm)
        factor = 1.0 / math.sqrt(after) if after > 1.0 else 1.0
        return factor, factor * tau

    def weighted_rescale(
        self,
        score: float,
        y: float,
        sqnorm: float,
        wsqnorm: float,
        t: int,
        k: int,
        weight: float,
    ) -> tuple[float, float]:
        """The step with C·weight, then into the unit ball."""
        if weight <= 0.0:
            return 1.0, 0.0
        return ALMA(weight * self.C, self.alpha).rescale(score, y, sqnorm, wsqnorm, t, k)

    def loss(self, score: float, y: float) -> float:
        """max(0, −y·score)."""
        return max(0.0, -y * score)
