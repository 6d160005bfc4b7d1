"""FTRL-Proximal: logistic regression whose weights are 0 unless their gradients add up."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.theory.declaration import Field, NotNegative, Positive, RuleDeclaration
from rosenblatt.theory.logistic import logistic_gradient, logistic_loss


@RuleDeclaration(
    "ftrl",
    kind="weightwise",
    rate="alpha",
    of_eta=lambda eta: 0.1 * eta,
    state="gradients less proximal terms, and squared gradients",
    log_odds=True,
    updates="always",
    step="0 where |z| ≤ l1, else (sgn(z) l1 − z)/((β + √n)/α + l2), n = Σ (g x)²",
    use='as `"adagrad_logistic"`, with few weights that are not 0',
    weight="g times h",
    twice="no",
    tried=(0.5, 1.0, 0.1, 0.5),
    numbers={
        "z": Field(two_classes="mirrored", alone=True),
        "squares": Field(minimum=0.0),
    },
)
class FTRL(NamedTuple):
    """FTRL-Proximal for logistic regression, with an L1 and an L2 penalty.

    McMahan et al. 2013, algorithm 1. A weight keeps n_j = Σ (g x_j)² and
    z_j = Σ (g x_j − σ_j w_j), with σ_j = (√(n_j after the example) − √(n_j before))/α; g is the
    derivative of log(1 + exp(−y·score)) by the score. The weight follows from them, and is exactly
    0 within the threshold::

        w_j = 0                                            if |z_j| ≤ l1
        w_j = (sgn(z_j) l1 − z_j)/((β + √n_j)/α + l2)      otherwise

    Without penalties, l1 = l2 = 0, it is gradient descent with a rate α/(β + √n_j) for each weight,
    as of :class:`AdaGradLogistic`. The weight of an example multiplies g. The intercept is the
    weight of one more feature, and penalised as all are.

    Parameters
    ----------
    alpha : float > 0, default=0.1
        Learning rate α, a tenth of ``eta0``.
    beta : float > 0, default=1.0
        β: a larger one makes the first steps smaller.
    l1 : float >= 0, default=1.0
        The threshold: a larger one leaves fewer weights that are not 0.
    l2 : float >= 0, default=0.0
        The L2 penalty.

    Examples
    --------
    >>> rule = FTRL(alpha=0.5)
    >>> rule.gradient(0.0, 1.0), rule.move(0.0, 0.0, 0.0, 2.0, -0.5)
    (-0.5, (0.0, -1.0, 1.0))
    >>> rule.move(0.0, -1.0, 0.0, 4.0, -0.5)
    (0.3333333333333333, -3.0, 4.0)
    """

    alpha: Positive = 0.1
    beta: Positive = 1.0
    l1: NotNegative = 1.0
    l2: NotNegative = 0.0

    def gradient(self, score: float, y: float) -> float:
        """−y/(1 + exp(y·score)), without overflow."""
        return logistic_gradient(score, y)

    def weighted_gradient(self, score: float, y: float, weight: float) -> float:
        """The gradient times the weight."""
        return self.gradient(score, y) * weight

    def move(self, w: float, z: float, squares: float, x: float, g: float) -> tuple[float, ...]:
        """The sums with this example, and the weight that follows from them."""
        step, before = g * x, math.sqrt(squares)
        squares += step * step
        root = math.sqrt(squares)
        z += step - (root - before) / self.alpha * w
        if not abs(z) > self.l1:
            return 0.0, z, squares
        least = self.l1 if z > 0.0 else -self.l1
        return (least - z) / ((self.beta + root) / self.alpha + self.l2), z, squares

    def loss(self, score: float, y: float) -> float:
        """log(1 + exp(−y·score)), without overflow."""
        return logistic_loss(score, y)
