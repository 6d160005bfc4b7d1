"""Histogram of the rows' geometric margins."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from rosenblatt.plots import base, checks, style
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.checks import check_array
from rosenblatt.utils.words import count

MAX_BARS = 40  # for n rows, 3 √n bars up to this number


class MarginHistogramDisplay(base.Display):
    """Histogram of signed geometric margins; misclassified rows in purple.

    Two classes: y (w·x + b) / ‖w‖. More classes: the distance to the nearest boundary of the arg
    max, min over c ≠ y of ((w_y − w_c)·x + b_y − b_c) / ‖w_y − w_c‖. Negative for a misclassified
    row. The rows have any dimension. Create it by `from_estimator` or `from_margins`. Lecture rows
    L1.3, L3.8.

    Parameters
    ----------
    margins : array of shape (n,)

    Attributes
    ----------
    smallest : float
        The margin of the set, L1.3.
    wrong : int
        Number of rows with a margin <= 0.
    ax_, figure_ : matplotlib Axes, Figure
    bars_ : matplotlib artist
    mark_ : matplotlib artist
        The line at the smallest margin.

    Examples
    --------
    >>> from rosenblatt import Perceptron, toys
    >>> toy = toys.two_points()
    >>> model = Perceptron().fit(toy.X, toy.y)
    >>> MarginHistogramDisplay.from_estimator(model, toy.X, toy.y).margins.round(4)
    array([0.7071, 0.7071])
    """

    size = (5.6, 3.8)

    def __init__(self, margins: Array) -> None:
        self.margins = margins

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Matrix, y: ArrayLike, *, ax: style.Axes | None = None
    ) -> Self:
        """Draw the margins of a fitted linear classifier, ours or scikit-learn's.

        Parameters
        ----------
        estimator : classifier with ``coef_`` of shape (1, d) or (K, d)
        X : array, table or sparse matrix of shape (n, d)
        y : array of shape (n,)
            Labels of the estimator's classes.
        ax : matplotlib Axes, optional
        """
        coef = checks.coefficients(estimator, ": its margins are distances to planes")
        scores = np.asarray(estimator.decision_function(X))
        codes = checks.codes_of(y, estimator.classes_, len(scores))
        if len(coef) == 1:  # the second class's w; the first one's is 0
            scores, coef = np.column_stack([0 * scores, scores]), np.vstack([0 * coef, coef])
        return cls(_margins(scores, coef, codes)).plot(ax)

    @classmethod
    def from_margins(cls, margins: ArrayLike, *, ax: style.Axes | None = None) -> Self:
        """Draw computed margins, such as those of `rosenblatt.theory.margins`.

        Parameters
        ----------
        margins : array of shape (n,)
        ax : matplotlib Axes, optional
        """
        return cls(check_array(margins, "margins", "(n,)", 1)).plot(ax)

    @property
    def smallest(self) -> float:
        """The margin of the set."""
        return float(self.margins.min())

    @property
    def wrong(self) -> int:
        """The number of rows with a margin <= 0."""
        return int((self.margins <= 0).sum())

    def _draw(self, ax: style.Axes) -> None:
        low, high = min(self.smallest, 0.0), max(float(self.margins.max()), 0.0)
        if low == high:
            high = 1.0
        width = (high - low) / min(MAX_BARS, np.ceil(3 * np.sqrt(len(self.margins))))
        edges = width * np.arange(np.floor(low / width), np.ceil(high / width) + 1)  # one is 0
        within = self.margins.clip(edges[0], edges[-1])  # rounding may leave an end outside
        counts, _ = np.histogram(within, edges)
        colours = np.where(edges[:-1] < 0, style.PURPLE, style.GREEN)
        look = {"align": "edge", "edgecolor": "white", "linewidth": 0.6}
        self.bars_ = ax.bar(edges[:-1], counts, width, color=colours, **look)
        ax.axvline(0, color=style.INK, linewidth=1.6)
        ax.margins(y=0.2)  # for the label above the bars
        self.mark_ = ax.axvline(self.smallest, color=style.INK, linewidth=1.2, linestyle="dashed")
        look = {"xycoords": ax.get_xaxis_transform(), "ha": "left"}
        text = style.minus(f"γ = {self.smallest:.3g}")
        style.annotate(ax, text, (self.smallest, 0.94), (5, 0), **look)
        style.open_frame(ax)
        ax.yaxis.get_major_locator().set_params(integer=True)
        ax.set(xlabel="distance from the boundary, < 0 on the wrong side", ylabel="rows")
        n, wrong = len(self.margins), self.wrong
        mistakes = f"{wrong:,} of {count(n, 'row')} on the wrong side"
        finding = mistakes if wrong else "Every row is right"
        style.title(ax, finding, "dashed: the smallest margin, γ")


def _margins(scores: Array, coef: Array, codes: Array) -> Array:
    """Return the distance to the nearest boundary of the true class, for scores (n, K)."""
    nearest = np.full(len(codes), np.inf)
    for right in np.unique(codes):
        rows = codes == right
        for other in range(len(coef)):
            length = np.linalg.norm(coef[right] - coef[other])
            if length > 0:
                distance = (scores[rows, right] - scores[rows, other]) / length
                nearest[rows] = np.minimum(nearest[rows], distance)
    if np.isinf(nearest).any():
        raise ValueError("the weights must differ between the classes: there is no boundary")
    return nearest
