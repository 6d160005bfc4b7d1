"""ScInOL 2: a scale-invariant rule without a rate to choose."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.theory.declaration import Field, RuleDeclaration, declaration_of
from rosenblatt.theory.logistic import logistic_gradient, logistic_loss
from rosenblatt.theory.losses import HingeLoss, SquaredHingeLoss, SquaredLoss


@RuleDeclaration(
    "scinol",
    kind="weightwise",
    instead="adagrad_logistic",
    state="gradients, their squares, the largest x and wealth",
    log_odds=True,
    updates="always",
    step="sgn(θ) min(|θ|/r, 1) η/(2r), r² = Σ (g x)² + max x², θ = −Σ g x",
    use="columns of different units without an offset, in one pass, with nothing to choose",
    weight="g times h",
    twice="no",
    scale_free=True,
    numbers={
        "theta": Field(two_classes="mirrored", alone=True),
        "squares": Field(minimum=0.0),
        "largest": Field(mixture="largest", minimum=0.0),
        "eta": Field(initial=1.0, minimum=0.0),
    },
)
class ScInOL(NamedTuple):
    """ScInOL 2 for logistic regression: scores do not depend on the units of columns.

    Kempka, Kotłowski and Warmuth 2019, algorithm 2, with ε = 1. A weight keeps θ_j = −Σ g x_j,
    S_j = Σ (g x_j)², M_j = max ``|x_j|`` of the rows so far, this one included, and
    η_j = 1 − Σ g x_j w_j, which grows where the weight has helped; g is the derivative of
    log(1 + exp(−y·score)) by the score. With r_j = √(S_j + M_j²)::

        w_j = sgn(θ_j) min(|θ_j|/r_j, 1) η_j/(2 r_j)

    To multiply a column by a number divides its weight by it, and changes no score, to the bit for
    a power of two. There is no rate, and ``eta0`` sets nothing. A prediction takes the weights
    after the last example that was learned, where the paper's has the M of its own row already. A
    constant that is added to a column is no unit: centre such columns.

    Examples
    --------
    >>> rule = ScInOL()
    >>> rule.gradient(0.0, 1.0), rule.move(0.0, 0.0, 0.0, 4.0, 1.0, 4.0, -0.75)
    (-0.5, (0.06, 3.0, 9.0, 4.0, 1.0))
    """

    def gradient(self, score: float, y: float) -> float:
        """−y/(1 + exp(y·score)), without overflow."""
        return logistic_gradient(score, y)

    def weighted_gradient(self, score: float, y: float, weight: float) -> float:
        """The gradient times the weight."""
        return self.gradient(score, y) * weight

    def touch(
        self, w: float, theta: float, squares: float, largest: float, eta: float, x: float
    ) -> tuple[float, float, float, float, float]:
        """The weight for the largest ``|x|`` so far, this one included."""
        largest = max(largest, abs(x))
        return self._weight(theta, squares, largest, eta), theta, squares, largest, eta

    def move(
        self, w: float, theta: float, squares: float, largest: float, eta: float, x: float, g: float
    ) -> tuple[float, float, float, float, float]:
        """The sums with this example; η falls to its half at most, as for ``|g|`` ≤ 1."""
        step = g * x
        theta -= step
        squares += step * step
        eta = max(eta - step * w, 0.5 * eta)
        return self._weight(theta, squares, largest, eta), theta, squares, largest, eta

    def _weight(self, theta: float, squares: float, largest: float, eta: float) -> float:
        """sgn(θ) min(|θ|/r, 1) η/(2r); 0 where r is."""
        r = math.sqrt(squares + largest * largest)
        if not r > 0.0:
            return 0.0
        share = max(min(theta / r, 1.0), -1.0)
        return share * (eta / (2.0 * r))

    def loss(self, score: float, y: float) -> float:
        """log(1 + exp(−y·score)), without overflow."""
        return logistic_loss(score, y)


@declaration_of(ScInOL).of_loss("hinge")
class ScInOLHinge(HingeLoss, ScInOL):
    """:class:`ScInOL` for the hinge, max(0, 1 − y·score).

    ``|g|`` ≤ 1, as its paper needs.

    Examples
    --------
    >>> ScInOLHinge().gradient(0.25, 1.0)
    -1.0
    """

    __slots__ = ()


@declaration_of(ScInOL).of_loss("squared_hinge")
class ScInOLSquaredHinge(SquaredHingeLoss, ScInOL):
    """:class:`ScInOL` for half of the squared hinge, max(0, 1 − y·score)²/2.

    η keeps its half where ``|g|`` > 1, for which the paper has no bound.

    Examples
    --------
    >>> ScInOLSquaredHinge().gradient(0.25, 1.0)
    -0.75
    """

    __slots__ = ()


@declaration_of(ScInOL).of_loss("squared")
class ScInOLSquared(SquaredLoss, ScInOL):
    """:class:`ScInOL` for half of the squared error, (y − score)²/2.

    η keeps its half where ``|g|`` > 1, for which the paper has no bound.

    Examples
    --------
    >>> ScInOLSquared().gradient(0.25, 1.0)
    -0.75
    """

    __slots__ = ()
