"""ScInOL 1: a scale-invariant rule without a rate, whose weights are exponential."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.theory.declaration import Field, RuleDeclaration, declaration_of
from rosenblatt.theory.logistic import logistic_gradient, logistic_loss
from rosenblatt.theory.losses import HingeLoss, SquaredHingeLoss, SquaredLoss

LARGEST = 300.0
"""Largest exponent: e^300 is beyond all that a weight of such a column is good for."""


@RuleDeclaration(
    "scinol1",
    kind="weightwise",
    instead="adagrad_logistic",
    state="gradients, their squares, the largest x, a share and rows",
    log_odds=True,
    updates="always",
    step="sgn(θ) β (e^(|θ|/(2r)) − 1)/(2r), r² = Σ (g x)² + max x², θ = −Σ g x",
    use='as `"scinol"`, with a bound of the regret against every u; `"scinol"` mostly errs less',
    weight="g times h",
    twice="no",
    scale_free=True,
    numbers={
        "theta": Field(two_classes="mirrored", alone=True),
        "squares": Field(minimum=0.0),
        "largest": Field(mixture="largest", minimum=0.0),
        "beta": Field(initial=1.0, minimum=0.0),
    },
    counts={"rows": Field(mixture="sum", minimum=0.0)},
)
class ScInOL1(NamedTuple):
    """ScInOL 1 for logistic regression: scores do not depend on the units of columns.

    Kempka, Kotłowski and Warmuth 2019, algorithm 1, with ε = 1. A weight keeps θ_j = −Σ g x_j,
    S_j = Σ (g x_j)², M_j = max ``|x_j|`` of the rows so far, this one included, and β_j; its weight
    vector counts its rows t, and g is the derivative of log(1 + exp(−y·score)) by the score. With
    r_j = √(S_j + M_j²)::

        β_j = min(β_j, r_j²/(x_j² t))
        w_j = sgn(θ_j) β_j (exp(|θ_j|/(2 r_j)) − 1)/(2 r_j)

    On T rows with ``|g|`` ≤ 1, against any u, the sum of g·(score − u·x) is at most
    Σ_j (2 ``|u_j|`` r_j log(1 + 2 ``|u_j|`` r_j/β_j) + 1 + log T), with r and β after the last row.
    A weight of an example multiplies g; where ``|g|`` > 1 there is no such bound. To multiply a
    column by a number divides its weight by it, and changes no score, to the bit for a power of
    two. There is no rate, and ``eta0`` sets nothing. A prediction takes the weights after the last
    example that was learned, where the paper's has the M and β of its own row already. A constant
    that is added to a column is no unit: centre such columns.

    Examples
    --------
    >>> rule = ScInOL1()
    >>> rule.touch(0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 4.0)
    (0.0, 0.0, 0.0, 4.0, 0.5, 2.0)
    """

    def gradient(self, score: float, y: float) -> float:
        """−y/(1 + exp(y·score)), without overflow."""
        return logistic_gradient(score, y)

    def weighted_gradient(self, score: float, y: float, weight: float) -> float:
        """The gradient times the weight."""
        return self.gradient(score, y) * weight

    def begin(self, rows: float) -> float:
        """One row more."""
        return rows + 1.0

    def touch(
        self,
        w: float,
        theta: float,
        squares: float,
        largest: float,
        beta: float,
        rows: float,
        x: float,
    ) -> tuple[float, float, float, float, float, float]:
        """The weight for the largest ``|x|`` so far, this one included, and its β."""
        largest = max(largest, abs(x))
        share = math.sqrt(squares + largest * largest) / abs(x)
        beta = min(beta, share * share / rows)
        return self._weight(theta, squares, largest, beta), theta, squares, largest, beta, rows

    def move(
        self,
        w: float,
        theta: float,
        squares: float,
        largest: float,
        beta: float,
        rows: float,
        x: float,
        g: float,
    ) -> tuple[float, float, float, float, float]:
        """The sums with this example."""
        step = g * x
        theta -= step
        squares += step * step
        return self._weight(theta, squares, largest, beta), theta, squares, largest, beta

    def _weight(self, theta: float, squares: float, largest: float, beta: float) -> float:
        """sgn(θ) β (exp(|θ|/(2r)) − 1)/(2r); 0 where r is."""
        r = math.sqrt(squares + largest * largest)
        if not r > 0.0:
            return 0.0
        theta = theta / r
        size = beta / (2.0 * r) * math.expm1(min(abs(theta) * 0.5, LARGEST))
        return -size if theta < 0.0 else size

    def loss(self, score: float, y: float) -> float:
        """log(1 + exp(−y·score)), without overflow."""
        return logistic_loss(score, y)


@declaration_of(ScInOL1).of_loss("hinge")
class ScInOL1Hinge(HingeLoss, ScInOL1):
    """:class:`ScInOL1` for the hinge, max(0, 1 − y·score).

    ``|g|`` ≤ 1, as the bound needs.

    Examples
    --------
    >>> ScInOL1Hinge().gradient(0.25, 1.0)
    -1.0
    """

    __slots__ = ()


@declaration_of(ScInOL1).of_loss("squared_hinge")
class ScInOL1SquaredHinge(SquaredHingeLoss, ScInOL1):
    """:class:`ScInOL1` for half of the squared hinge, max(0, 1 − y·score)²/2.

    There is no bound where ``|g|`` > 1.

    Examples
    --------
    >>> ScInOL1SquaredHinge().gradient(0.25, 1.0)
    -0.75
    """

    __slots__ = ()


@declaration_of(ScInOL1).of_loss("squared")
class ScInOL1Squared(SquaredLoss, ScInOL1):
    """:class:`ScInOL1` for half of the squared error, (y − score)²/2.

    There is no bound where ``|g|`` > 1.

    Examples
    --------
    >>> ScInOL1Squared().gradient(0.25, 1.0)
    -0.75
    """

    __slots__ = ()
