"""Confidence-weighted rules: the smallest change after which an example is right with confidence.

Weights are normally distributed with means w and variances Σ, and an update is the distribution
nearest to the one before (Kullback and Leibler) under which y·score > 0 has the probability Φ(φ).
With the margin m = y·score and its variance v that is m ≥ φ √v (:class:`CWStdev`, SCW), and in its
first form, which is not convex, m ≥ φ v (:class:`CW`). The interface of these rules is that of
:mod:`rosenblatt.theory.confidence`.
"""

from __future__ import annotations

import math
from typing import NamedTuple


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

    phi: float = 0.6

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


class CWStdev(NamedTuple):
    """Confidence-weighted learning by the standard deviation: afterwards y·score = φ √v.

    Crammer, Dredze and Pereira 2008 ("exact convex", variables 'stdev') and 2012, whose constraint
    P(y·score > 0) ≥ Φ(φ) is exact; :class:`CW` has the variance instead of its root. The step is
    that of :class:`SCW1` without a bound, C = ∞. For data that can be separated: a wrong label
    moves the weights as far as it takes. With a full covariance (``"cw_stdev_full"``) it is the CW
    of LIBOL.

    Parameters
    ----------
    phi : float > 0, default=0.6
        φ, the normal quantile of the confidence: 0.6 asks for 73 %, 1.645 for 95 %.

    Examples
    --------
    >>> tau, beta = CWStdev(phi=1.0).step(0.0, 1.0, 1.0)
    >>> round(tau, 4), round(beta, 4)
    (0.7071, 1.0)
    """

    phi: float = 0.6

    def step(self, score: float, y: float, variance: float) -> tuple[float, float]:
        """(α y, αφ/√u), as :class:`SCW1` with C = ∞."""
        return SCW1(math.inf, self.phi).step(score, y, variance)

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


class SCW1(NamedTuple):
    """SCW-I: soft confidence-weighted learning, with the step bounded by C.

    Wang, Zhao and Hoi 2012, proposition 1. With m = y·score, ψ = 1 + φ²/2, ζ = 1 + φ²:
    α = min(C, max(0, (−mψ + √(m²φ⁴/4 + vφ²ζ))/(vζ))), τ = α y, β = αφ/√u with
    √u = (−αvφ + √(α²v²φ² + 4v))/2, computed as αφ (αvφ + √(α²v²φ² + 4v))/(2v), where nothing
    cancels.

    Parameters
    ----------
    C : float > 0, default=1.0
        The largest step.
    phi : float > 0, default=0.6
        As in :class:`CWStdev`.

    Examples
    --------
    >>> SCW1(C=0.25).step(0.0, 1.0, 1.0)[0]
    0.25
    """

    C: float = 1.0
    phi: float = 0.6

    def step(self, score: float, y: float, variance: float) -> tuple[float, float]:
        """(α y, αφ/√u)."""
        phi, margin = self.phi, y * score
        if variance <= 0.0 or phi * math.sqrt(variance) <= margin:
            return 0.0, 0.0
        psi, zeta = 1.0 + 0.5 * phi * phi, 1.0 + phi * phi
        quarter = 0.25 * margin * margin * phi * phi * phi * phi
        root = math.sqrt(quarter + variance * phi * phi * zeta)
        if root == math.inf:
            root = phi * math.hypot(0.5 * margin * phi, math.sqrt(variance) * math.sqrt(zeta))
        alpha = min(self.C, (root - margin * psi) / (variance * zeta))
        if alpha <= 0.0:
            return 0.0, 0.0
        shift = alpha * variance * phi
        root = math.sqrt(shift * shift + 4.0 * variance)
        if root == math.inf:
            root = math.hypot(shift, 2.0 * math.sqrt(variance))
        return y * alpha, alpha * phi * 0.5 * (root + shift) / variance

    def weighted_step(
        self, score: float, y: float, variance: float, weight: float
    ) -> tuple[float, float]:
        """The step with C·weight: the slack of the example costs so many times as much."""
        if weight <= 0.0:
            return 0.0, 0.0
        return SCW1(weight * self.C, self.phi).step(score, y, variance)

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


class SCW2(NamedTuple):
    """SCW-II: soft confidence-weighted learning, with a squared slack.

    Wang, Zhao and Hoi 2012, proposition 2. With m = y·score and n = v + 1/(2C):
    α = max(0, (−(2mn + φ²mv) + γ)/(2(n² + nvφ²))), γ = φ√(φ²m²v² + 4nv(n + vφ²)); τ and β as in
    :class:`SCW1`.

    Parameters
    ----------
    C : float > 0, default=1.0
        Aggressiveness: a larger C means larger steps.
    phi : float > 0, default=0.6
        As in :class:`CWStdev`.

    Examples
    --------
    >>> tau, beta = SCW2(phi=1.0).step(0.0, 1.0, 1.0)
    >>> round(tau, 4), round(beta, 4)
    (0.5164, 0.6667)
    """

    C: float = 1.0
    phi: float = 0.6

    def step(self, score: float, y: float, variance: float) -> tuple[float, float]:
        """(α y, αφ/√u)."""
        phi, margin = self.phi, y * score
        if variance <= 0.0 or phi * math.sqrt(variance) <= margin:
            return 0.0, 0.0
        square, n = phi * phi, variance + 0.5 / self.C
        first = margin * (2.0 * n + square * variance)
        inside = square * margin * margin * variance * variance
        root = phi * math.sqrt(inside + 4.0 * n * variance * (n + variance * square))
        size = 2.0 * (n * n + n * variance * square)
        if root < math.inf and size > 0.0:
            alpha = (root - first) / size
        else:  # both divided by n
            share = variance / n
            size = 2.0 * n * (1.0 + share * square)
            other = 2.0 * math.sqrt(variance * (1.0 + share * square))
            root = phi * math.hypot(phi * margin * share, other)
            alpha = (root - margin * (2.0 + square * share)) / size
        if alpha <= 0.0:
            return 0.0, 0.0
        shift = alpha * variance * phi
        root = math.sqrt(shift * shift + 4.0 * variance)
        if root == math.inf:
            root = math.hypot(shift, 2.0 * math.sqrt(variance))
        return y * alpha, alpha * phi * 0.5 * (root + shift) / variance

    def weighted_step(
        self, score: float, y: float, variance: float, weight: float
    ) -> tuple[float, float]:
        """The step with C·weight: the slack of the example costs so many times as much."""
        if weight <= 0.0:
            return 0.0, 0.0
        return SCW2(weight * self.C, self.phi).step(score, y, variance)

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
