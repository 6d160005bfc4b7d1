"""Normalised adaptive invariant updates: near the default of Vowpal Wabbit."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.theory.declaration import Field, Positive, RuleDeclaration, declaration_of
from rosenblatt.theory.logistic import chance_of_other, logistic_gradient, logistic_loss
from rosenblatt.theory.losses import HingeLoss, SquaredHingeLoss, SquaredLoss


@RuleDeclaration(
    "nag",
    kind="weightwise",
    rate="eta",
    of_eta=lambda eta: 0.5 * eta,
    state="squared gradients, the largest x, rows and their norms",
    log_odds=True,
    updates="always",
    step="a part of −η g x √(t/N)/(M √Σ (g x)²) further, M = max |x|, N = Σ (x/M)²",
    use="columns of different units without an offset, as in Vowpal Wabbit",
    weight="g times h",
    twice="no",
    tried=(0.3,),
    scale_free=True,
    numbers={
        "squares": Field(minimum=0.0),
        "largest": Field(mixture="largest", minimum=0.0),
    },
    counts={
        "rows": Field(mixture="sum", minimum=0.0),
        "norms": Field(mixture="sum", minimum=0.0),
    },
)
class NAG(NamedTuple):
    """Normalised adaptive gradient for logistic regression, with steps that do not overshoot.

    Ross, Mineiro and Langford 2013, algorithm 2 (NAG), in the form of Vowpal Wabbit: a weight
    keeps G_j = Σ (g x_j)², this example included, and M_j = max ``|x_j|`` of the rows so far; its
    weight vector counts its rows t and N = Σ Σ_j (x_j/M_j)², and g is the derivative of
    log(1 + exp(−y·score)) by the score. Where ``|x_j|`` is the largest so far, w_j is first
    multiplied by the M_j before, over ``|x_j|``. Then::

        w_j <- w_j − π η g x_j √(t/N)/(M_j √G_j)

    The part π of a step is that of Karampatziakis and Langford 2011: infinitely many small steps
    instead of one, each with the derivative where the last one ended, so that no score is carried
    past its goal. A joint model takes whole steps, π = 1. The weight of an example multiplies g, so
    that it counts in G_j, too. To multiply a column by a number divides its weight by it, and
    changes no score, to the bit for a power of two. A constant that is added to a column is no
    unit: centre such columns. The paper's bound is for scales that are known before the first row,
    and for steps without G_j; none is proven for these.

    Parameters
    ----------
    eta : float > 0, default=0.5
        Learning rate η, that of Vowpal Wabbit's default; half of an ``eta0``.

    Examples
    --------
    >>> rule = NAG()
    >>> rule.touch(6.0, 1.0, 2.0, 1.0, 1.0, 4.0)  # w, G, M, t, N and x
    (3.0, 1.0, 4.0, 1.0, 2.0)
    >>> rule.move(0.0, 0.0, 2.0, 4.0, 1.0, 2.0, -0.5, 1.0)
    (0.5, 1.0, 2.0)
    """

    eta: Positive = 0.5

    def gradient(self, score: float, y: float) -> float:
        """−y/(1 + exp(y·score)), without overflow."""
        return logistic_gradient(score, y)

    def weighted_gradient(self, score: float, y: float, weight: float) -> float:
        """The gradient times the weight."""
        return self.gradient(score, y) * weight

    def begin(self, rows: float, norms: float) -> tuple[float, float]:
        """One row more."""
        return rows + 1.0, norms

    def touch(
        self, w: float, squares: float, largest: float, rows: float, norms: float, x: float
    ) -> tuple[float, float, float, float, float]:
        """The weight in units of the largest ``|x|`` so far, this one included."""
        size = abs(x)
        if size > largest:
            w *= largest / size
        largest = max(largest, size)
        unit = x / largest
        return w, squares, largest, rows, norms + unit * unit

    def move(
        self,
        w: float,
        squares: float,
        largest: float,
        rows: float,
        norms: float,
        x: float,
        g: float,
        part: float,
    ) -> tuple[float, float, float]:
        """The sum with this example, and that part of the step."""
        step = g * x
        squares += step * step
        size = largest * math.sqrt(squares)
        if size > 0.0:
            w -= part * (self.eta * math.sqrt(rows / norms)) * (step / size)
        return w, squares, largest

    def part(self, score: float, y: float, change: float) -> float:
        """The part where infinitely many small steps end."""
        return self.curved(score, y, change)

    def curved(self, score: float, y: float, change: float) -> float:
        """d/c, with q d + (1 − q)(e^d − 1) = c = y·change; q is the chance of the other label."""
        size, q, r = y * change, chance_of_other(score, y), chance_of_other(score, -y)
        if not (size > 0.0 and q > 0.0 and r > 0.0):
            return 1.0
        d = min(size, math.log1p(size / r), 700.0)  # beyond, e^d overflows
        for _ in range(50):  # Newton's steps fall to the root of a convex function
            e = math.expm1(d)
            after = d - (q * d + r * e - size) / (q + r * (e + 1.0))
            if not after < d:
                break
            d = after
        return d / size

    def loss(self, score: float, y: float) -> float:
        """log(1 + exp(−y·score)), without overflow."""
        return logistic_loss(score, y)


@declaration_of(NAG).of_loss("hinge")
class NAGHinge(HingeLoss, NAG):
    """:class:`NAG` for the hinge, max(0, 1 − y·score).

    A step ends at the margin, y·score = 1.

    Parameters
    ----------
    eta : float > 0, default=0.5
        Learning rate η.

    Examples
    --------
    >>> NAGHinge().gradient(0.25, 1.0)
    -1.0
    """

    __slots__ = ()


@declaration_of(NAG).of_loss("squared_hinge")
class NAGSquaredHinge(SquaredHingeLoss, NAG):
    """:class:`NAG` for half of the squared hinge, max(0, 1 − y·score)²/2.

    A step leaves the part e^(−a) of the hinge, a the part of it that a whole one would be.

    Parameters
    ----------
    eta : float > 0, default=0.5
        Learning rate η.

    Examples
    --------
    >>> NAGSquaredHinge().gradient(0.25, 1.0)
    -0.75
    """

    __slots__ = ()


@declaration_of(NAG).of_loss("squared")
class NAGSquared(SquaredLoss, NAG):
    """:class:`NAG` for half of the squared error, (y − score)²/2.

    A step leaves the part e^(−a) of the error, a the part of it that a whole one would be.

    Parameters
    ----------
    eta : float > 0, default=0.5
        Learning rate η.

    Examples
    --------
    >>> NAGSquared().gradient(0.25, 1.0)
    -0.75
    """

    __slots__ = ()
