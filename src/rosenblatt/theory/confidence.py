"""Update rules with a confidence: weights that were learned often move less.

Such a rule keeps a number c_j for each weight, 0 before the first example. From the example's
score, label and variance v = Σ x_j² s(c_j) it returns two numbers::

    tau, beta = step(score, y, v)
    c_j <- c_j + beta * x_j**2
    w_j <- shrinkage * w_j + tau * x_j * s(c_j)

The rate s falls as c_j grows. AROW, CW and SCW keep a variance Σ_j = 1/(1 + c_j) for each weight,
the diagonal of a covariance matrix, and move by the variance before the example. AdaGrad adds up
squared gradients, and moves by 1/√c_j with the gradient of the example included. Only the
second-order perceptron and NAROW shrink weights.

The intercept is the weight of one more feature, x = 1. For an example of another weight than 1 the
loops call ``weighted_step``, which has the weight as one more argument: what it does is said with
each rule. Without it the weight multiplies τ and β. The loops keep c_j below 1e300 and a move of a
weight below 1e150, so that nothing leaves the floating-point range, on whatever data.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.theory.confidence_weighted import CW, SCW1, SCW2, CWStdev


class AROW(NamedTuple):
    """AROW: τ = y ℓ/(v + r), β = 1/r, with the hinge ℓ = max(0, 1 − y·score).

    Adaptive regularisation of weights (Crammer, Kulesza and Dredze 2009, figure 1, with a diagonal
    covariance, whose inverse grows by x_j²/r). Unlike :class:`CW`, an example moves the weights
    towards its label and no further, so wrong labels do little harm. For any u it makes at most
    √(r ‖u‖² + uᵀXu) √(Σ log(1 + v_t/r) + U) + Σ ℓ*(u) − U mistakes with a full covariance
    (theorem 2; X = Σ x xᵀ over the updates, U the updates that were no mistakes).

    Parameters
    ----------
    r : float > 0, default=1.0
        Regularisation: a larger r means smaller steps, and variances that fall slower.

    Examples
    --------
    >>> AROW().step(0.0, 1.0, 3.0)
    (0.25, 1.0)
    """

    r: float = 1.0

    def step(self, score: float, y: float, variance: float) -> tuple[float, float]:
        """(y ℓ/(v + r), 1/r) where ℓ > 0, else (0, 0)."""
        hinge = 1.0 - y * score
        return (y * (hinge / (variance + self.r)), 1.0 / self.r) if hinge > 0.0 else (0.0, 0.0)

    def weighted_step(
        self, score: float, y: float, variance: float, weight: float
    ) -> tuple[float, float]:
        """The step with r/weight: with a full Σ that of the example learned so many times."""
        return AROW(self.r / weight).step(score, y, variance) if weight > 0.0 else (0.0, 0.0)

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

    eta: float = 1.0

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

    eta: float = 1.0

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

    a: float = 1.0

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

    b: float = 1.0

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


CONFIDENCE_RULES = (AROW, CW, CWStdev, SCW1, SCW2, AdaGrad, AdaGradLogistic, SOP, NAROW)
"""The rules with a confidence for each weight, all for classification, with labels −1 and +1."""

_WITH_EQUAL_C: dict[type, type] = {
    CW: AROW,
    CWStdev: AROW,
    SCW1: AROW,
    SCW2: AROW,
    NAROW: AROW,
    AdaGradLogistic: AdaGrad,
}


def share_confidences(one: type, other: type) -> bool:
    """Return True if c_j means the same in two classes of rules: one can continue the other.

    Examples
    --------
    >>> share_confidences(AROW, SCW1), share_confidences(AROW, AdaGrad)
    (True, False)
    """
    full, other_full = (getattr(kind, "full_covariance", False) for kind in (one, other))
    if full or other_full:
        return bool(full and other_full)
    return _WITH_EQUAL_C.get(one, one) is _WITH_EQUAL_C.get(other, other)
