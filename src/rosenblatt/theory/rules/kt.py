"""The coordinate-wise bettor of Krichevsky and Trofimov: a scale-free rule without a rate."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.theory.declaration import Field, RuleDeclaration, declaration_of
from rosenblatt.theory.logistic import logistic_gradient, logistic_loss
from rosenblatt.theory.losses import HingeLoss, SquaredHingeLoss, SquaredLoss


@RuleDeclaration(
    "kt",
    kind="weightwise",
    instead="adagrad_logistic",
    state="gradients, their sizes, the reward and the largest x",
    log_odds=True,
    updates="always",
    step="(1 + R) θ/(M (M + A)), θ = −Σ g x, A = Σ |g x|, R = −Σ g x w, M = max |x|",
    use="columns of different units without an offset, with nothing to choose",
    weight="g times h, M at least |g x|",
    twice="no",
    scale_free=True,
    numbers={
        "theta": Field(two_classes="mirrored", alone=True),
        "sizes": Field(minimum=0.0),
        "reward": Field(minimum=-1.0),
        "largest": Field(mixture="largest", minimum=0.0),
    },
)
class KT(NamedTuple):
    """Coin betting for logistic regression: each weight is the bet of a bettor of its own.

    Orabona and Pál 2016, algorithm 1, in one dimension for each coordinate: the bettor of
    Krichevsky and Trofimov, with ε = 1, whose coins are −g x_j/M_j, and A_j/M_j in the place of
    their number. A weight keeps θ_j = −Σ g x_j, A_j = Σ ``|g x_j|``, the reward
    R_j = −Σ g x_j w_j and M_j = max ``|x_j|`` of the rows so far, this one included; g is the
    derivative of
    log(1 + exp(−y·score)) by the score. Of the wealth 1 + R_j the share θ_j/(M_j + A_j) is staked;
    w_j is 0 where M_j is::

        w_j = (1 + R_j) θ_j/(M_j (M_j + A_j))

    To multiply a column by a number divides its weight by it, and changes no score, to the bit for
    a power of two. There is no rate, and ``eta0`` sets nothing. As ``|g|`` ≤ 1, the share
    M_j/(M_j + A_j) of the wealth at least is left after a row. The weight of an example multiplies
    g: where ``|g|`` > 1, that share is left, too, and M_j is ``|g x_j|`` from then on, if that is
    more. A prediction takes the weights after the last example that was learned, where the paper's
    has the M of its own row already. A constant that is added to a column is no unit: centre such
    columns.

    Examples
    --------
    >>> rule = KT()
    >>> rule.gradient(0.0, 1.0), rule.move(0.0, 0.0, 0.0, 0.0, 4.0, 4.0, -0.5)
    (-0.5, (0.08333333333333333, 2.0, 2.0, 0.0, 4.0))
    """

    def gradient(self, score: float, y: float) -> float:
        """−y/(1 + exp(y·score)), without overflow."""
        return logistic_gradient(score, y)

    def weighted_gradient(self, score: float, y: float, weight: float) -> float:
        """The gradient times the weight."""
        return self.gradient(score, y) * weight

    def touch(
        self, w: float, theta: float, sizes: float, reward: float, largest: float, x: float
    ) -> tuple[float, float, float, float, float]:
        """The weight for the largest ``|x|`` so far, this one included."""
        largest = max(largest, abs(x))
        return self._weight(theta, sizes, reward, largest), theta, sizes, reward, largest

    def move(
        self,
        w: float,
        theta: float,
        sizes: float,
        reward: float,
        largest: float,
        x: float,
        g: float,
    ) -> tuple[float, float, float, float, float]:
        """The sums with this example; M/(M + A) of the wealth is left, as for ``|g|`` ≤ 1."""
        step = g * x
        kept = (1.0 + reward) * (largest / (largest + sizes))
        reward = max(reward - step * w, kept - 1.0)
        theta -= step
        sizes += abs(step)
        largest = max(largest, abs(step))
        return self._weight(theta, sizes, reward, largest), theta, sizes, reward, largest

    def _weight(self, theta: float, sizes: float, reward: float, largest: float) -> float:
        """(1 + R) θ/(M (M + A)); 0 where M is."""
        if not largest > 0.0:
            return 0.0
        return theta / (largest + sizes) * ((1.0 + reward) / largest)

    def loss(self, score: float, y: float) -> float:
        """log(1 + exp(−y·score)), without overflow."""
        return logistic_loss(score, y)


@declaration_of(KT).of_loss("hinge")
class KTHinge(HingeLoss, KT):
    """:class:`KT` for the hinge, max(0, 1 − y·score).

    ``|g|`` ≤ 1, as its paper needs.

    Examples
    --------
    >>> KTHinge().gradient(0.25, 1.0)
    -1.0
    """

    __slots__ = ()


@declaration_of(KT).of_loss("squared_hinge")
class KTSquaredHinge(SquaredHingeLoss, KT):
    """:class:`KT` for half of the squared hinge, max(0, 1 − y·score)²/2.

    Where ``|g|`` > 1 a bettor keeps what :class:`rosenblatt.rules.KT` says of heavy examples.

    Examples
    --------
    >>> KTSquaredHinge().gradient(0.25, 1.0)
    -0.75
    """

    __slots__ = ()


@declaration_of(KT).of_loss("squared")
class KTSquared(SquaredLoss, KT):
    """:class:`KT` for half of the squared error, (y − score)²/2.

    Where ``|g|`` > 1 a bettor keeps what :class:`rosenblatt.rules.KT` says of heavy examples.

    Examples
    --------
    >>> KTSquared().gradient(0.25, 1.0)
    -0.75
    """

    __slots__ = ()
