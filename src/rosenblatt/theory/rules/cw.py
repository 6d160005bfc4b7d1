"""Confidence-weighted learning in its first form, by the variance of the margin.

Weights are normally distributed with means w and variances Σ, and an update is the distribution
nearest to the one before (Kullback and Leibler) under which y·score > 0 has the probability Φ(φ).
With the margin m = y·score and its variance v that is m ≥ φ √v, as in
:class:`CWStdev`; this form, which is not convex, has m ≥ φ v.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.theory.declaration import Positive, RuleDeclaration, declaration_of


@RuleDeclaration(
    "cw",
    kind="confident",
    instead="scw1",
    state="inverse variances",
    updates="where the margin is less than its variance asks for",
    step="its variance",
    use="text that can be separated",
    weight="the step, below 1 a part of it",
    twice="with the covariance matrix",
    tried=(0.7,),
)
class CW(NamedTuple):
    """Confidence-weighted learning in its first form: afterwards y·score = φ v, v the variance.

    Dredze, Crammer and Pereira 2008, algorithm 1 (variance, diagonal). P(y·score > 0) ≥ Φ(φ) asks
    for φ √v; the paper puts v in its place for a closed form. With m = y·score:
    α = max(0, (−(1 + 2φm) + √((1 + 2φm)² − 8φ(m − φv)))/(4φv)), τ = α y, β = 2αφ. For data that
    can be separated: a wrong label moves the weights as far as it takes.

    Parameters
    ----------
    phi : float > 0, default=0.6
        φ: where v is 1, the normal quantile of the confidence.

    Examples
    --------
    >>> CW(phi=1.0).step(0.0, 1.0, 1.0)
    (0.5, 1.0)
    """

    phi: Positive = 0.6

    def step(self, score: float, y: float, variance: float) -> tuple[float, float]:
        """(α y, 2αφ)."""
        phi, margin = self.phi, y * score
        missing = phi * variance - margin
        if missing <= 0.0 or variance <= 0.0:
            return 0.0, 0.0
        slope, other = 1.0 + 2.0 * phi * margin, 1.0 - 2.0 * phi * margin
        root = math.sqrt(other * other + 8.0 * phi * phi * variance)
        if root == math.inf:
            root = math.hypot(other, phi * math.sqrt(8.0) * math.sqrt(variance))
        if slope > 0.0:  # root − slope would cancel
            size = (root + slope) * variance
            alpha = 2.0 * missing / size if size < math.inf else 2.0 * missing / (root + slope)
            alpha = alpha if size < math.inf else alpha / variance
        else:
            alpha = (root - slope) / (4.0 * phi * variance)
        return y * alpha, 2.0 * alpha * phi

    def weighted_step(
        self, score: float, y: float, variance: float, weight: float
    ) -> tuple[float, float]:
        """The step, of a weight below 1 that part: a second step would find nothing to do."""
        tau, beta = self.step(score, y, variance)
        part = min(weight, 1.0)
        return tau * part, beta * part

    def rate(self, before: float, after: float) -> float:
        """The variance before the example, 1/(1 + c)."""
        return 1.0 / (1.0 + before)

    def shrinkage(self, before: float, after: float) -> float:
        """1: a weight keeps its value."""
        return 1.0

    def needs_variance(self, score: float, y: float) -> bool:
        """True always."""
        return True

    def loss(self, score: float, y: float) -> float:
        """The hinge max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)


@declaration_of(CW).full()
class FullCW(CW):
    """Confidence-weighted learning with a full covariance; τ and β are those of the diagonal rule.

    Dredze, Crammer and Pereira 2008, algorithm 1 (variance), before its diagonal approximation.

    Parameters
    ----------
    phi : float > 0, default=0.6
        φ, the normal quantile of the confidence.

    Examples
    --------
    >>> FullCW(phi=1.0).step(0.0, 1.0, 1.0)
    (0.5, 1.0)
    """

    __slots__ = ()
