"""MinOver: of all rows it learns the one with the least overlap."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.theory.declaration import Positive, RuleDeclaration


@RuleDeclaration(
    "minover",
    kind="choosing",
    rate="eta",
    updates="where y s < c",
    step="η y",
    use="the widest margin of separable data, by a large c",
    weight="the step times h; with h = 0 a row is never chosen",
    twice="if it is chosen the second time, too; else it is half as much",
    tried=(0.5, 2.0),
)
class MinOver(NamedTuple):
    """MinOver: the row with the least y·score moves w by τ = η y, until that is at least c.

    Krauth and Mézard 1987. Let γ be the maximal margin, over unit vectors, of rows of norm at most
    R, and γ > 0. From w = 0 and with equal weights there are at most (R² + 2c/η)/γ² updates, and
    the margin of the last w is at least γ c/(ηR² + 2c). For c → ∞ it approaches γ itself, where the
    margin perceptron is sure of γ/2 only. With an intercept, the rows are (x, 1) and the margin is
    that of (w, b).

    An epoch is one step, so ``max_iter`` limits the steps, ``tol`` has no effect, and the criterion
    is the loss of the chosen row. The fit ends when every y·score is at least c. ``partial_fit``
    makes one step, and chooses from its batch.

    Parameters
    ----------
    eta : float > 0, default=1.0
        Learning rate η.
    c : float > 0, default=1.0
        The overlap that every row must have. Choose it in units of ηR²: 10 ηR² is large.

    Examples
    --------
    >>> MinOver().step(0.5, 1.0, 2.0), MinOver().step(1.0, 1.0, 2.0)
    (1.0, 0.0)
    >>> from rosenblatt import Perceptron
    >>> X, y = [[2.0, 1.0], [4.0, 0.0], [-1.0, -2.0]], [1, 1, 0]
    >>> Perceptron(rule=MinOver(c=10.0), fit_intercept=False).fit(X, y).coef_
    array([[6., 4.]])
    """

    eta: Positive = 1.0
    c: Positive = 1.0

    def overlap(self, score: float, y: float) -> float:
        """Y·score: the row where it is least is learned."""
        return y * score

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """η y where y·score < c, else 0."""
        return self.eta * y if y * score < self.c else 0.0

    def weighted_step(self, score: float, y: float, sqnorm: float, weight: float) -> float:
        """τ times the weight."""
        return self.step(score, y, sqnorm) * weight

    def loss(self, score: float, y: float) -> float:
        """max(0, c − y·score)."""
        return max(0.0, self.c - y * score)
