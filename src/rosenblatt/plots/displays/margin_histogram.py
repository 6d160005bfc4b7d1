"""Histogram of the rows' geometric margins."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.plots import style
from rosenblatt.plots.checks import check_estimator
from rosenblatt.plots.style import GREEN, INK, PURPLE
from rosenblatt.utils.arrays import Array, ArrayLike
from rosenblatt.utils.checks import check_array
from rosenblatt.utils.words import count

MAX_BARS = 40  # for n rows, 3 √n bars up to this number


class MarginHistogramDisplay(style.Display):
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
        cls, estimator: Any, X: Any, y: Any, *, ax: Any = None
    ) -> MarginHistogramDisplay:
        """Draw the margins of a fitted linear classifier, ours or scikit-learn's.

        Parameters
        ----------
        estimator : classifier with ``coef_`` of shape (1, d) or (K, d)
        X : array, table or sparse matrix of shape (n, d)
        y : array of shape (n,)
            Labels of the estimator's classes.
        ax : matplotlib Axes, optional
        """
        check_estimator(estimator)
        if not hasattr(estimator, "coef_"):
            raise ValueError("the estimator must have coef_: its margins are distances to planes")
        classes, labels = np.asarray(estimator.classes_), np.asarray(y)
        unknown = labels[~np.isin(labels, classes)]
        if unknown.size:
            raise ValueError(f"y must hold the estimator's classes, got {unknown[0]}")
        codes = np.searchsorted(classes, labels)
        scores, coef = np.asarray(estimator.decision_function(X)), np.asarray(estimator.coef_)
        if len(coef) == 1:  # the second class's w; the first one's is 0
            scores, coef = np.column_stack([0 * scores, scores]), np.vstack([0 * coef, coef])
        return cls(_margins(scores, coef, codes)).plot(ax)

    @classmethod
    def from_margins(cls, margins: ArrayLike, *, ax: Any = None) -> MarginHistogramDisplay:
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

    def _draw(self, ax: Any) -> None:
        low, high = min(self.smallest, 0.0), max(float(self.margins.max()), 0.0)
        bars = min(MAX_BARS, np.ceil(3 * np.sqrt(len(self.margins))))
        width = (high - low) / bars or 1.0
        edges = width * np.arange(np.floor(low / width), np.ceil(high / width) + 1)  # one is 0
        counts, _ = np.histogram(self.margins, edges)
        colours = np.where(edges[:-1] < 0, PURPLE, GREEN)
        look = {"align": "edge", "edgecolor": "white", "linewidth": 0.6}
        self.bars_ = ax.bar(edges[:-1], counts, width, color=colours, **look)
        ax.axvline(0, color=INK, linewidth=1.6)
        self._draw_mark()
        style.open_frame(ax)
        ax.yaxis.get_major_locator().set_params(integer=True)
        ax.set(xlabel="distance from the boundary, < 0 on the wrong side", ylabel="rows")
        n, wrong = len(self.margins), self.wrong
        finding = (
            f"{wrong:,} of {count(n, 'row')} on the wrong side" if wrong else "Every row is right"
        )
        style.title(ax, finding, "dashed: the smallest margin, γ")

    def _draw_mark(self) -> None:
        """Draw a dashed line at the smallest margin, with a label above the bars."""
        self.ax_.margins(y=0.2)
        self.mark_ = self.ax_.axvline(self.smallest, color=INK, linewidth=1.2, linestyle="dashed")
        options = {"xycoords": self.ax_.get_xaxis_transform(), "ha": "left"}
        style.annotate(
            self.ax_,
            style.minus(f"γ = {self.smallest:.3g}"),
            (self.smallest, 0.94),
            (5, 0),
            **options,
        )


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
