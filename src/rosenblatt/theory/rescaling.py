"""Update rules that rescale the weights: they see ‖w‖² and the time, and may shrink w.

From the example's score, label and squared norm, and from ‖w‖², the number t of examples before
this one, and the number k of updates before it, such a rule returns two numbers::

    factor, tau = rescale(score, y, sqnorm, wsqnorm, t, k)
    w <- factor * w + tau * x

The intercept is the weight of one more feature, x = 1: it is rescaled, too, and counts in both
norms. For an example of another weight than 1 the loops call ``weighted_rescale``, which has the
weight as one more argument. A rule without it gets that of :class:`OGD`: the weight multiplies τ
alone. The joint scheme of several classes makes one weight vector of all: every class is rescaled.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class OGD(NamedTuple):
    """Online gradient descent for the hinge: τ = η y/√(t + 1) where y·score < 1.

    Zinkevich 2003, without projection; t examples came before. On T rows of norm at most R the sum
    of the hinges exceeds that of any u from which no w of the run is further than D by at most
    (D²/(2η) + ηR²) √T (the proof of theorem 1, which projects to ensure such a D).

    Parameters
    ----------
    eta : float > 0, default=1.0
        Learning rate η of the first example.

    Examples
    --------
    >>> OGD().rescale(0.0, 1.0, 1.0, 0.0, 3, 3)
    (1.0, 0.5)
    """

    eta: float = 1.0

    def rescale(
        self, score: float, y: float, sqnorm: float, wsqnorm: float, t: int, k: int
    ) -> tuple[float, float]:
        """(1, η y/√(t + 1)) where y·score < 1, else (1, 0)."""
        return (1.0, self.eta * y / math.sqrt(t + 1.0)) if y * score < 1.0 else (1.0, 0.0)

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
        """The factor, and τ times the weight: the gradient of a hinge that counts so much."""
        factor, tau = self.rescale(score, y, sqnorm, wsqnorm, t, k)
        return factor, tau * weight

    def loss(self, score: float, y: float) -> float:
        """The hinge max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)


class Pegasos(NamedTuple):
    """Pegasos: w ← (1 − ηλ) w + η y x where y·score < 1, else (1 − ηλ) w, with η = 1/(λ (t + 1)).

    Shalev-Shwartz, Singer, Srebro and Cotter 2011, figure 1, without the optional projection, on
    rows in the order in which they come; t examples came before. It descends the criterion of a
    linear support vector machine, λ/2 ‖w‖² + the mean hinge. On T ≥ 3 rows of norm at most R the
    mean of the criterion along the run exceeds that of any u by at most 2R² (1 + ln T)/(λT)
    (theorem 1).

    Parameters
    ----------
    lam : float > 0, default=1e-4
        λ, the regularisation. 1/λ is the step size of the first example.

    Examples
    --------
    >>> Pegasos(lam=0.5).rescale(0.0, 1.0, 1.0, 0.0, 3, 3)
    (0.75, 0.5)
    """

    lam: float = 1e-4

    def rescale(
        self, score: float, y: float, sqnorm: float, wsqnorm: float, t: int, k: int
    ) -> tuple[float, float]:
        """(t/(t + 1), y/(λ (t + 1))) where y·score < 1, else (t/(t + 1), 0)."""
        now = t + 1.0
        return t / now, y / (self.lam * now) if y * score < 1.0 else 0.0

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
        """The factor, and τ times the weight: the penalty does not depend on weights."""
        factor, tau = self.rescale(score, y, sqnorm, wsqnorm, t, k)
        return factor, tau * weight

    def loss(self, score: float, y: float) -> float:
        """The hinge max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)


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

    C: float = 1.0
    alpha: float = 0.9

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


class ROMMA(NamedTuple):
    """ROMMA: after a mistake the smallest w with y·score ≥ 1 and ⟨w, old w⟩ ≥ ‖old w‖².

    Li and Long 2002, the relaxed online maximum margin algorithm: w ← c w + τ x with
    D = ‖x‖²‖w‖² − score², c = (‖x‖²‖w‖² − y·score)/D and τ = ‖w‖² (y − score)/D; where w and x are
    parallel, or w is 0, w ← y x/‖x‖². Where some u has y⟨u, x⟩ ≥ 1 for all examples, it makes at
    most R²‖u‖² mistakes, as the perceptron does (theorem 3).

    Examples
    --------
    >>> ROMMA().rescale(0.0, 1.0, 4.0, 1.0, 1, 1)
    (1.0, 0.25)
    """

    def rescale(
        self, score: float, y: float, sqnorm: float, wsqnorm: float, t: int, k: int
    ) -> tuple[float, float]:
        """(c, τ) on a mistake, else (1, 0)."""
        if y * score > 0.0 or sqnorm <= 0.0:
            return 1.0, 0.0
        product = sqnorm * wsqnorm
        area = product - score * score
        if area <= 1e-12 * product:
            return 0.0, y / sqnorm
        return (product - y * score) / area, wsqnorm * (y - score) / area

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
        """The change, of a weight below 1 that part: a second step would find nothing to do."""
        factor, tau = self.rescale(score, y, sqnorm, wsqnorm, t, k)
        part = min(weight, 1.0)
        return 1.0 + part * (factor - 1.0), tau * part

    def loss(self, score: float, y: float) -> float:
        """max(0, −y·score)."""
        return max(0.0, -y * score)


class AggressiveROMMA(NamedTuple):
    """Aggressive ROMMA: the step of :class:`ROMMA` wherever y·score < 1.

    Li and Long 2002. Where the old w is no constraint, y·score ≥ ‖x‖²‖w‖², the smallest w is
    y x/‖x‖². Where some u has y⟨u, x⟩ ≥ 1 for all examples, updates with y·score < 1 − δ number at
    most R²‖u‖²/δ².

    Examples
    --------
    >>> AggressiveROMMA().rescale(0.5, 1.0, 1.0, 1.0, 1, 1)[0]
    0.6666666666666666
    """

    def rescale(
        self, score: float, y: float, sqnorm: float, wsqnorm: float, t: int, k: int
    ) -> tuple[float, float]:
        """(c, τ) where y·score < 1, else (1, 0)."""
        if y * score >= 1.0 or sqnorm <= 0.0:
            return 1.0, 0.0
        product = sqnorm * wsqnorm
        area = product - score * score
        if area <= 1e-12 * product or y * score >= product:
            return 0.0, y / sqnorm
        return (product - y * score) / area, wsqnorm * (y - score) / area

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
        """The change, of a weight below 1 that part: a second step would find nothing to do."""
        factor, tau = self.rescale(score, y, sqnorm, wsqnorm, t, k)
        part = min(weight, 1.0)
        return 1.0 + part * (factor - 1.0), tau * part

    def loss(self, score: float, y: float) -> float:
        """The hinge max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)


RESCALING_RULES = (OGD, Pegasos, ALMA, ROMMA, AggressiveROMMA)
"""The rules of this module, all for classification, with labels −1 and +1."""
