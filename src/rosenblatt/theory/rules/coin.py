"""Coin betting in continuous time on truncated losses, for each weight."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.theory.declaration import Field, RuleDeclaration, declaration_of
from rosenblatt.theory.logistic import logistic_gradient, logistic_loss
from rosenblatt.theory.losses import HingeLoss, SquaredHingeLoss, SquaredLoss


@RuleDeclaration(
    "coin",
    kind="weightwise",
    instead="adagrad_logistic",
    state="parts of gradients, their squares, wealth and the largest x",
    log_odds=True,
    updates="always",
    step="W θ/(M² + S), θ = −Σ h g x, S = Σ h (g x)², W = the wealth, M = max |x|",
    use='as `"kt"`, with steps that do not overshoot; with `output="average"` rather than the last '
    "weights",
    weight="g times h",
    twice="no",
    scale_free=True,
    numbers={
        "theta": Field(two_classes="mirrored", alone=True),
        "squares": Field(minimum=0.0),
        "wealth": Field(initial=1.0, minimum=0.0),
        "largest": Field(mixture="largest", minimum=0.0),
    },
)
class Coin(NamedTuple):
    """Coin betting by an ODE for logistic regression: each weight is the bet of its own bettor.

    Chen, Langford and Orabona 2022 (CODE), in one dimension for each coordinate, in units of
    M_j = max ``|x_j|`` of the rows so far, this one included. A weight keeps θ_j = −Σ h g x_j,
    S_j = Σ h (g x_j)² and its wealth W_j, from 1 on; g is the derivative of log(1 + exp(−y·score))
    by the score::

        w_j = W_j θ_j/(M_j² + S_j)

    A row is a bet for the time h ≤ 1, on which stake and wealth move all the while: with
    H = M_j² + S_j before it, W_j is multiplied by

        exp(h − (H + g x_j θ_j)/(g x_j)² log(1 + h (g x_j)²/H))

    (to rounding, for ``|g x_j|`` of at least 1e-150, whose square is no subnormal number), so no
    bettor is ever ruined. With m_j the first M_j that is not 0, and H_j = M_j² + S_j after
    the last row, W_j ≥ (m_j/√H_j) exp(θ_j²/(2 H_j)), since its logarithm never grows less. So along
    the bets Σ ∫ g·(score − u·x) dh = Σ_j (1 − W_j + u_j θ_j), the regret against any u on the lines
    through the losses, is at most Σ_j (1 + ``|u_j|`` √(H_j log(1 + (u_j H_j/m_j)²))).

    The paper ends a row at the time where the line through the loss, with slope g, is at zero. Here
    h is the part of the score's change in a whole row, h = 1, that leads there: one linear step
    towards that time, since all weights of a row move together. A joint model takes h = 1. The
    weight of an example multiplies g, however large it becomes.

    To multiply a column by a number divides its weight by it, and changes no score, to the bit for
    a power of two. There is no rate, and ``eta0`` sets nothing. A prediction takes the weights
    after the last example that was learned. A constant that is added to a column is no unit: centre
    such columns.

    Examples
    --------
    >>> rule = Coin()
    >>> rule.part(0.0, 1.0, 4.0)  # the whole row would add 4 to the score, log(2)/0.5 are enough
    0.34657359027997264
    >>> rule.move(0.0, 0.0, 0.0, 1.0, 1.0, 1.0, -1.0, 1.0)[0].hex()[:6]
    '0x1.5b'
    """

    def gradient(self, score: float, y: float) -> float:
        """−y/(1 + exp(y·score)), without overflow."""
        return logistic_gradient(score, y)

    def weighted_gradient(self, score: float, y: float, weight: float) -> float:
        """The gradient times the weight."""
        return self.gradient(score, y) * weight

    def touch(
        self, w: float, theta: float, squares: float, wealth: float, largest: float, x: float
    ) -> tuple[float, float, float, float, float]:
        """The weight for the largest ``|x|`` so far, this one included."""
        largest = max(largest, abs(x))
        return self._weight(theta, squares, wealth, largest), theta, squares, wealth, largest

    def move(
        self,
        w: float,
        theta: float,
        squares: float,
        wealth: float,
        largest: float,
        x: float,
        g: float,
        part: float,
    ) -> tuple[float, float, float, float, float]:
        """The sums and the wealth after a bet for that part of the time."""
        step = g * x
        square, total = step * step, largest * largest + squares
        growth = square / total if total > 0.0 else 0.0
        lean = step / total * theta if total > 0.0 else 0.0
        time = math.log1p(part * growth) / growth if growth > 0.0 else part
        wealth *= math.exp(min(part - (1.0 + lean) * time, 700.0))  # e^710 overflows
        theta -= part * step
        squares += part * square
        return self._weight(theta, squares, wealth, largest), theta, squares, wealth, largest

    def _weight(self, theta: float, squares: float, wealth: float, largest: float) -> float:
        """W θ/(M² + S); 0 where that is 0/0."""
        total = largest * largest + squares
        return theta / total * wealth if total > 0.0 else 0.0

    def part(self, score: float, y: float, change: float) -> float:
        """Until the line through the loss, with its slope, is at zero; 1 at most."""
        g = self.gradient(score, y)
        size = -change if g > 0.0 else change
        if not (size > 0.0 and g != 0.0):
            return 1.0
        return min(self.loss(score, y) / abs(g) / size, 1.0)

    def loss(self, score: float, y: float) -> float:
        """log(1 + exp(−y·score)), without overflow."""
        return logistic_loss(score, y)


@declaration_of(Coin).of_loss("hinge")
class CoinHinge(HingeLoss, Coin):
    """:class:`Coin` for the hinge, max(0, 1 − y·score).

    A row ends at the margin, y·score = 1, of a straight line.

    Examples
    --------
    >>> CoinHinge().gradient(0.25, 1.0)
    -1.0
    """

    __slots__ = ()


@declaration_of(Coin).of_loss("squared_hinge")
class CoinSquaredHinge(SquaredHingeLoss, Coin):
    """:class:`Coin` for half of the squared hinge, max(0, 1 − y·score)²/2.

    The bound is for every g.

    Examples
    --------
    >>> CoinSquaredHinge().gradient(0.25, 1.0)
    -0.75
    """

    __slots__ = ()


@declaration_of(Coin).of_loss("squared")
class CoinSquared(SquaredLoss, Coin):
    """:class:`Coin` for half of the squared error, (y − score)²/2.

    The bound is for every g.

    Examples
    --------
    >>> CoinSquared().gradient(0.25, 1.0)
    -0.75
    """

    __slots__ = ()
