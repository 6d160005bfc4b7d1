"""Reliability diagram: what was observed over what was predicted."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from rosenblatt.learning.evaluation import probability_metrics
from rosenblatt.learning.evaluation.probability_metrics import BINS, Reliability
from rosenblatt.plots import base, checks, style
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.words import count

FLOOR = -0.2  # of the axis: below 0 are the bars of the probabilities
TALLEST = 0.14  # bar
BARS = 40


class ReliabilityDisplay(base.Display):
    """Observed share of an event over its probability, in bins of equal size.

    A calibrated model is on the diagonal, but for chance: its points lie in the band with
    probability 95 % each. Points outside are purple. The bars below are a histogram of the
    probabilities. Of two classes the event is the second, of more that the label is the most
    probable class. Create it by `from_estimator` or `from_predictions`.

    Parameters
    ----------
    reliability : rosenblatt.metrics.Reliability
    probabilities : array of shape (n,)
        Of the event.
    event : str
        Its name.

    Attributes
    ----------
    outside : int
        Number of points outside the band.
    ax_, figure_ : matplotlib Axes, Figure
    band_, line_, points_, bars_ : matplotlib artists

    References
    ----------
    Murphy and Winkler 1977; Bröcker and Smith 2007 (the band).

    Examples
    --------
    >>> from rosenblatt.plots import ReliabilityDisplay
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> ReliabilityDisplay.from_predictions(rng.random(1000) < p, p).outside
    0
    """

    size = (5.2, 4.8)

    def __init__(self, reliability: Reliability, probabilities: Array, event: str) -> None:
        self.reliability, self.probabilities, self.event = reliability, probabilities, event

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Matrix,
        y: ArrayLike,
        *,
        bins: int = BINS,
        ax: style.Axes | None = None,
    ) -> Self:
        """Draw the probabilities of a fitted classifier with ``predict_proba``.

        Parameters
        ----------
        estimator : classifier
        X : array, table or sparse matrix of shape (n, d)
            Rows that it has not learned.
        y : array of shape (n,)
            Labels of the estimator's classes.
        bins : int ≥ 1, default=15
        ax : matplotlib Axes, optional

        Raises
        ------
        ValueError
            The estimator has no probabilities.
        """
        checks.check_estimator(estimator)
        if not hasattr(estimator, "predict_proba"):
            raise ValueError("the estimator must have predict_proba: its scores are not enough")
        probabilities = estimator.predict_proba(X)
        return cls.from_predictions(y, probabilities, estimator.classes_, bins=bins, ax=ax)

    @classmethod
    def from_predictions(
        cls,
        y: ArrayLike,
        probabilities: ArrayLike,
        classes: ArrayLike | None = None,
        *,
        bins: int = BINS,
        ax: style.Axes | None = None,
    ) -> Self:
        """Draw probabilities beside the labels.

        Parameters
        ----------
        y : array of shape (n,)
            Labels.
        probabilities : array of shape (n,) or (n, K)
            Of the second class, or of all of them.
        classes : array of shape (K,), optional
            By default the distinct labels, sorted.
        bins : int ≥ 1, default=15
        ax : matplotlib Axes, optional
        """
        curve = probability_metrics.ece(y, probabilities, classes, bins=bins)
        labels = np.unique(np.asarray(y) if classes is None else np.asarray(classes))
        event = str(labels[1]) if len(labels) == 2 else "the most probable class"
        return cls(curve, probability_metrics.of_events(probabilities), event).plot(ax)

    @property
    def outside(self) -> int:
        """Number of points outside the band."""
        return sum(not one.low <= one.observed <= one.high for one in self.reliability.bins)

    def _draw(self, ax: style.Axes) -> None:
        _, predicted, observed, low, high = np.transpose(self.reliability.bins)
        ax.plot([0, 1], [0, 1], color=style.INK, linewidth=1.2, linestyle="dashed", zorder=1)
        look: style.Look = {"color": style.GREY, "alpha": 0.3, "zorder": 0}
        if len(predicted) == 1:
            self.band_ = ax.vlines(predicted, low, high, linewidth=9, **look)
        else:
            self.band_ = ax.fill_between(predicted, low, high, linewidth=0, **look)
        (self.line_,) = ax.plot(predicted, observed, color=style.GREEN, linewidth=1.6, zorder=2)
        is_out = (observed < low) | (observed > high)
        colours = np.where(is_out, style.PURPLE, style.GREEN)
        shape: style.Look = {"s": 36, "edgecolors": "white", "linewidths": 0.8}
        self.points_ = ax.scatter(predicted, observed, c=colours, zorder=3, **shape)
        counts, edges = np.histogram(self.probabilities, BARS, (0.0, 1.0))
        heights = TALLEST * counts / counts.max()
        bars: style.Look = {"align": "edge", "color": style.GREY, "edgecolor": "white"}
        self.bars_ = ax.bar(
            edges[:-1], heights, 1.0 / BARS, bottom=FLOOR, linewidth=0.5, zorder=1, **bars
        )
        shares = np.linspace(0.0, 1.0, 6)
        ax.set(xlim=(-0.02, 1.02), ylim=(FLOOR, 1.03), yticks=shares)
        ax.spines["left"].set_bounds(0.0, 1.0)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(lambda share, _: f"{100 * share:.0f} %")
        style.open_frame(ax)
        ax.set(xlabel=f"probability of {self.event}", ylabel="observed share")
        by_chance = f"a calibrated model: up to {self.reliability.by_chance:.3f}"
        rows = f"{count(len(self.probabilities), 'row')}, {count(len(predicted), 'bin')}"
        style.title(ax, f"Calibration error {self.reliability.ece:.3f}", f"{by_chance}; {rows}")
        marks = [self.line_, self.band_, self.bars_]
        style.legend(ax, marks, ["observed", "by chance, 95 %", "rows"], columns=3)
