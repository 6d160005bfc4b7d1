"""Confidence-weighted learning by the standard deviation of the margin, and its soft forms.

Afterwards y·score ≥ φ √v, with v the variance of the score: see :class:`CW`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.theory.declaration import Positive, RuleDeclaration, declaration_of


@RuleDeclaration(
    "scw1",
    kind="confident",
    rate="C",
    state="inverse variances",
    updates="where the margin is less than its standard deviation asks for",
    step="its variance; step at most C",
    use='as `"arow"`',
    weight="C becomes hC: the slack costs h times as much",
    twice="no",
    tried=(0.5, 0.7),
)
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

    C: Positive = 1.0
    phi: Positive = 0.6

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


@declaration_of(SCW1).full()
class FullSCW1(SCW1):
    """SCW-I with a full covariance; τ and β are those of :class:`rosenblatt.rules.SCW1`.

    Wang, Zhao and Hoi 2012, proposition 1, as it is printed.

    Parameters
    ----------
    C, phi : float > 0
        As of :class:`rosenblatt.rules.SCW1`.

    Examples
    --------
    >>> FullSCW1().step(10.0, 1.0, 1.0)
    (0.0, 0.0)
    """

    __slots__ = ()


@RuleDeclaration(
    "scw2",
    kind="confident",
    rate="C",
    state="inverse variances",
    updates="where the margin is less than its standard deviation asks for",
    step="its variance; squared slack",
    use='as `"arow"`',
    weight="C becomes hC: the slack costs h times as much",
    twice="no",
    tried=(0.5, 0.7),
)
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

    C: Positive = 1.0
    phi: Positive = 0.6

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


@declaration_of(SCW2).full()
class FullSCW2(SCW2):
    """SCW-II with a full covariance; τ and β are those of :class:`rosenblatt.rules.SCW2`.

    Wang, Zhao and Hoi 2012, proposition 2, as it is printed.

    Parameters
    ----------
    C, phi : float > 0
        As of :class:`rosenblatt.rules.SCW2`.

    Examples
    --------
    >>> FullSCW2().step(10.0, 1.0, 1.0)
    (0.0, 0.0)
    """

    __slots__ = ()


@RuleDeclaration(
    "cw_stdev",
    kind="confident",
    instead="scw1",
    state="inverse variances",
    updates="where the margin is less than its standard deviation asks for",
    step="its variance",
    use="text that can be separated",
    weight="the step, below 1 a part of it",
    twice="with the covariance matrix",
    tried=(0.7,),
)
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

    phi: Positive = 0.6

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


@declaration_of(CWStdev).full()
class FullCWStdev(CWStdev):
    """CW by the standard deviation, with a full covariance: the CW of LIBOL.

    Crammer, Dredze and Pereira 2008 ("exact convex"), as it is printed; τ and β are those of
    :class:`rosenblatt.rules.CWStdev`.

    Parameters
    ----------
    phi : float > 0, default=0.6
        φ, the normal quantile of the confidence.

    Examples
    --------
    >>> FullCWStdev().step(10.0, 1.0, 1.0)
    (0.0, 0.0)
    """

    __slots__ = ()
