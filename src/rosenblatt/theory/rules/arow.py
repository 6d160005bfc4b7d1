"""AROW: adaptive regularisation of weights, with a diagonal covariance and a full one."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.theory.declaration import Positive, RuleDeclaration, declaration_of


@RuleDeclaration(
    "arow",
    kind="confident",
    rate="r",
    state="inverse variances",
    updates="where y s < 1",
    step="its variance, 1/(1 + Σ x²/r)",
    use="text and tables, with noise",
    weight="r becomes r/h",
    twice="with the covariance matrix",
    tried=(0.5,),
)
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

    r: Positive = 1.0

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


@declaration_of(AROW).full()
class FullAROW(AROW):
    """AROW with a full covariance: τ = y ℓ/(v + r), β = 1/r, with v = xᵀ Σ x.

    Crammer, Kulesza and Dredze 2009, figure 1, as it is printed. The bound of
    :class:`rosenblatt.rules.AROW` is proved for this form.

    Parameters
    ----------
    r : float > 0, default=1.0
        Regularisation: a larger r means smaller steps, and variances that fall slower.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> model = Perceptron(rule="arow_full", max_iter=1, tol=None, shuffle=False)
    >>> model.fit([[1.0, 1.0], [1.0, 0.0]], [1, -1]).predict([[0.0, 1.0], [1.0, 0.0]]).tolist()
    [1, -1]
    """

    __slots__ = ()
