"""Regions of the votes of a voted perceptron in the plane."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt.learning.kernel.gram import kernel_function
from rosenblatt.learning.support import KernelRows
from rosenblatt.plots import style
from rosenblatt.plots.checks import (
    axis_names,
    check_estimator,
    check_instance,
    class_names,
    plane_rows,
    same_table_type,
    signs_of,
)
from rosenblatt.plots.style import INK
from rosenblatt.theory.textbook import append_one
from rosenblatt.theory.textbook.lecture3 import Votes
from rosenblatt.theory.textbook.step import sgn
from rosenblatt.utils.arrays import Array

Score = Callable[[Array], Array]

MAX_NUMBERS = 2**20  # numbers in memory at a time
LINE_STYLES: dict[str, dict[str, Any]] = {
    "vote": {"color": INK, "linewidth": 1.8, "linestyle": "solid"},
    "average": {"color": INK, "linewidth": 1.8, "linestyle": "dotted"},
    "last": {"color": INK, "linewidth": 1.4, "linestyle": "dashed"},
}


class VotedRegionsDisplay(style.Display):
    """Share of the votes as a colour over the plane, with the boundaries of vote, average, last.

    The share is (Σ c sign(w·x + b)) / Σ c, from -1 (all for the first class) to +1, where c is the
    survival count of each weight vector. The solid line is the boundary of the vote, the dotted
    line that of the averaged weights, the dashed line that of the last weights. Create it by
    `from_estimator` or `from_votes`. Lecture row L3.7; Freund and Schapire 1999.

    Parameters
    ----------
    X : array of shape (n, 2)
    y : array of shape (n,)
        -1 or +1.
    share, average, last : callable
        Functions of rows of shape (m, 2), with values of shape (m,): the share of the votes, and
        the scores of the averaged and of the last weights.
    tie : {-1, 0, +1}, default 0
        Prediction for a score of 0; 0 is wrong for any label.
    names, classes : pair of str
        Names of the columns; of y = -1 and y = +1.

    Attributes
    ----------
    wrong : tuple of int
        Misclassified rows of the vote, the average and the last weights.
    ax_, figure_ : matplotlib Axes, Figure
    tint_ : matplotlib artist
    vote_, average_, last_ : matplotlib artists, or None if a boundary is out of the panel
    rings_ : matplotlib artist or None
        Rings around the rows that the vote misclassifies.

    Examples
    --------
    >>> from rosenblatt import toys
    >>> from rosenblatt.textbook import voted_perceptron
    >>> toy = toys.separable(40, 2)
    >>> display = VotedRegionsDisplay.from_votes(voted_perceptron(toy.X, toy.y, epochs=9))
    >>> display.wrong[2]
    0
    """

    size = (4.6, 5.0)

    def __init__(
        self,
        X: Array,
        y: Array,
        share: Score,
        average: Score,
        last: Score,
        *,
        tie: int = 0,
        names: tuple[str, ...] = ("x₁", "x₂"),
        classes: tuple[str, ...] = ("−1", "+1"),
    ) -> None:
        self.X, self.y = X, y
        self.share, self.average, self.last = share, average, last
        self.tie, self.names, self.classes = tie, names, classes

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, ax: Any = None
    ) -> VotedRegionsDisplay:
        """Draw the votes of a fitted `VotedPerceptron` or ``KernelPerceptron(output="vote")``.

        Parameters
        ----------
        estimator : classifier with ``output="vote"``
        X : array or table of shape (n, 2)
            A table's column names are the labels of the axes.
        y : array of shape (n,)
            Labels of the estimator's two classes.
        ax : matplotlib Axes, optional
        """
        check_estimator(estimator)
        if getattr(estimator, "output", None) != "vote":
            expected = 'VotedPerceptron() or KernelPerceptron(output="vote")'
            raise ValueError(f"the estimator must be {expected}, got {estimator!r}")
        rows, table = plane_rows(X), same_table_type(X)
        signs = signs_of(y, estimator.classes_, len(rows))
        display = cls(
            rows,
            signs,
            lambda at: np.asarray(estimator.decision_function(table(at))),
            _expansion(estimator, _averaged(estimator)),
            _expansion(estimator, estimator.dual_coef_[0]),
            tie=estimator.tie,
            names=axis_names(X),
            classes=class_names(estimator.classes_),
        )
        return display.plot(ax)

    @classmethod
    def from_votes(cls, votes: Votes, *, ax: Any = None) -> VotedRegionsDisplay:
        """Draw the votes of the textbook's voted perceptron.

        Parameters
        ----------
        votes : Votes
            Votes of a run on rows (x₁, x₂), or (x₁, x₂, 1) by `rosenblatt.textbook.append_one`.
        ax : matplotlib Axes, optional
        """
        check_instance(votes, Votes, "votes", "rosenblatt.textbook.voted_perceptron")
        run, voters = votes.run, votes.survived > 0
        has_constant = run.X.shape[1] == 3 and bool((run.X[:, 2] == 1).all())
        weights, survived, total = run.weights[voters], votes.survived[voters], votes.survived.sum()

        def scores(points: Array, weights: Array) -> Array:
            rows = (
                append_one(points) if has_constant else points
            )  # summed from left to right, as the run's own are
            return np.asarray(sum(map(np.multiply.outer, rows.T, weights.T)))

        def share(points: Array) -> Array:
            return np.asarray(sgn(scores(points, weights), votes.tie) @ survived / total)

        display = cls(
            plane_rows(run.X[:, :2] if has_constant else run.X),
            run.y,
            _in_blocks(share, len(weights)),
            lambda points: scores(points, votes.w),
            lambda points: scores(points, run.weights[-1]),
            tie=votes.tie,
        )
        return display.plot(ax)

    @cached_property
    def wrong(self) -> tuple[int, int, int]:
        """The numbers of rows that the vote, the average and the last weights misclassify."""
        vote, average, last = (
            int((sgn(score(self.X), self.tie) != self.y).sum())
            for score in (self.share, self.average, self.last)
        )
        return vote, average, last

    def _draw(self, ax: Any) -> None:
        drawn = style.points(ax, self.X, self.y)
        style.fit_limits_by_units(ax, self.X)
        ax.locator_params(nbins=5)
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        grid = style.score_grid(ax, self.share)
        extent = (*ax.get_xlim(), *ax.get_ylim())
        shade = {"cmap": style.class_colormap(), "vmin": -1, "vmax": 1, "alpha": 0.5, "zorder": 0}
        shade["aspect"] = ax.get_aspect()
        self.tint_ = ax.imshow(grid[2], extent=extent, origin="lower", **shade)
        self.vote_ = style.boundary(ax, grid, **LINE_STYLES["vote"])
        self.average_ = style.boundary(
            ax, style.score_grid(ax, self.average), **LINE_STYLES["average"]
        )
        self.last_ = style.boundary(ax, style.score_grid(ax, self.last), **LINE_STYLES["last"])
        lines = [ax.plot([], [], **look)[0] for look in LINE_STYLES.values()]
        counts = [
            f"{name}: {wrong} wrong" for name, wrong in zip(LINE_STYLES, self.wrong, strict=True)
        ]
        style.legend(ax, [*drawn, *lines], [*self.classes, *counts], columns=3)
        mistaken = sgn(self.share(self.X), self.tie) != self.y
        self.rings_ = style.ring_points(ax, self.X, self.y, mistaken) if mistaken.any() else None
        finding = f"{self.wrong[0]} of {len(self.X)} wrong by vote"
        ringed = " (ringed)" if mistaken.any() else ""
        style.title(ax, f"{finding}{ringed}", "the darker, the larger the majority")


def _averaged(estimator: Any) -> Array:
    """Return the support rows' coefficients in the averaged weights: Σ τ (T − t) / T."""
    moves, total = estimator.moves_, estimator.t_ - 1
    position = {row: i for i, row in enumerate(estimator.support_)}
    shares = moves["tau"] * (total - moves["t"]) / total
    return np.bincount([position[row] for row in moves["row"]], shares, len(position))


def _expansion(estimator: Any, coef: Array) -> Score:
    """Return the score Σ c k(x_s, x) + b for coefficients c; b = Σ c, as for the kernel k + 1."""
    gram = kernel_function(estimator.kernel, estimator.degree, estimator.gamma_, estimator.coef0)
    support, b = estimator.support_vectors_, coef.sum() * estimator.fit_intercept
    right = KernelRows(support, gram.norms(support))

    def score(points: Array) -> Array:
        points = points.astype(support.dtype)
        return np.asarray(gram.values(KernelRows(points, gram.norms(points)), right) @ coef + b)

    return _in_blocks(score, len(coef))


def _in_blocks(score: Score, width: int) -> Score:
    """Return the score, computed in blocks of rows; each row needs ``width`` numbers."""
    height = max(1, MAX_NUMBERS // width)

    def in_blocks(points: Array) -> Array:
        return np.concatenate(
            [score(points[i : i + height]) for i in range(0, len(points), height)]
        )

    return in_blocks
