"""Regions of the votes of a voted perceptron in the plane."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any, Self

import numpy as np

from rosenblatt.learning.kernel.gram import kernel_function
from rosenblatt.learning.support import KernelRows
from rosenblatt.plots import base, checks, style
from rosenblatt.theory.textbook import append_one
from rosenblatt.theory.textbook.lecture3 import Votes
from rosenblatt.theory.textbook.step import sgn
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix

MAX_NUMBERS = 2**20  # numbers in memory at a time
LINE_STYLES: dict[str, style.Look] = {
    "vote": {"color": style.INK, "linewidth": 1.8, "linestyle": "solid"},
    "average": {"color": style.INK, "linewidth": 1.8, "linestyle": "dotted"},
    "last": {"color": style.INK, "linewidth": 1.4, "linestyle": "dashed"},
}


class VotedRegionsDisplay(base.Display):
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
        share: style.Score,
        average: style.Score,
        last: style.Score,
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
        cls, estimator: Any, X: Matrix, y: ArrayLike, *, ax: style.Axes | None = None
    ) -> Self:
        """Draw the votes of a fitted `VotedPerceptron` or ``KernelPerceptron(output="vote")``.

        Parameters
        ----------
        estimator : classifier with ``output="vote"``
        X : array or table of shape (n, 2)
            A table's column names are the labels of the axes.
        y : array of shape (n,)
            Labels of the estimator's two classes.
        ax : matplotlib Axes, optional

        Raises
        ------
        ValueError
            The estimator does not vote.
        """
        checks.check_estimator(estimator)
        if getattr(estimator, "output", None) != "vote":
            expected = 'VotedPerceptron() or KernelPerceptron(output="vote")'
            raise ValueError(f"the estimator must be {expected}, got {estimator!r}")
        rows, signs, names = checks.two_classes(estimator, X, y)
        table, coef = checks.same_table_type(X), estimator.dual_coef_[0]
        scores = (
            lambda at: np.asarray(estimator.decision_function(table(at))),
            _expansion(estimator, _averaged(estimator)),
            _expansion(estimator, coef),
        )
        return cls(rows, signs, *scores, tie=estimator.tie, **names).plot(ax)

    @classmethod
    def from_votes(cls, votes: Votes, *, ax: style.Axes | None = None) -> Self:
        """Draw the votes of the textbook's voted perceptron.

        Parameters
        ----------
        votes : Votes
            Votes of a run on rows (x₁, x₂), or (x₁, x₂, 1) by `rosenblatt.textbook.append_one`.
        ax : matplotlib Axes, optional
        """
        checks.check_instance(votes, Votes, "votes", "rosenblatt.textbook.voted_perceptron")
        run, voters = votes.run, votes.survived > 0
        has_constant = run.X.shape[1] == 3 and bool((run.X[:, 2] == 1).all())
        weights, survived, total = run.weights[voters], votes.survived[voters], votes.survived.sum()

        def scores(points: Array, weights: Array) -> Array:
            rows = append_one(points) if has_constant else points
            return np.asarray(sum(map(np.multiply.outer, rows.T, weights.T)))  # from left to right

        def share(points: Array) -> Array:
            return np.asarray(sgn(scores(points, weights), votes.tie) @ survived / total)

        rows = checks.plane_rows(run.X[:, :2] if has_constant else run.X)
        lines = (partial(scores, weights=w) for w in (votes.w, run.weights[-1]))
        return cls(rows, run.y, _in_blocks(share, len(weights)), *lines, tie=votes.tie).plot(ax)

    @cached_property
    def wrong(self) -> tuple[int, int, int]:
        """The numbers of rows that the vote, the average and the last weights misclassify."""
        boundaries = (self.share, self.average, self.last)
        wrong = [int((sgn(score(self.X), self.tie) != self.y).sum()) for score in boundaries]
        return wrong[0], wrong[1], wrong[2]

    def _draw(self, ax: style.Axes) -> None:
        drawn = style.points(ax, self.X, self.y)
        style.fit_limits_by_units(ax, self.X)
        style.name_axes(ax, self.names)
        scores = zip(LINE_STYLES.values(), (self.share, self.average, self.last), strict=True)
        grids = [(style.score_grid(ax, score), look) for look, score in scores]
        majority = grids[0][0][2]
        self.tint_ = style.tint(ax, majority, -1, 1, cmap=style.class_colormap(), alpha=0.5)
        self.vote_, self.average_, self.last_ = (
            style.boundary(ax, grid, **look) for grid, look in grids
        )
        lines = [ax.plot([], [], **look)[0] for look in LINE_STYLES.values()]
        names = zip(LINE_STYLES, self.wrong, strict=True)
        counts = [f"{name}: {wrong} wrong" for name, wrong in names]
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


def _expansion(estimator: Any, coef: Array) -> style.Score:
    """Return the score Σ c k(x_s, x) + b for coefficients c; b = Σ c, as for the kernel k + 1."""
    gram = kernel_function(estimator.kernel, estimator.degree, estimator.gamma_, estimator.coef0)
    support, b = estimator.support_vectors_, coef.sum() * estimator.fit_intercept
    right = KernelRows(support, gram.norms(support))

    def score(points: Array) -> Array:
        points = points.astype(support.dtype)
        return np.asarray(gram.values(KernelRows(points, gram.norms(points)), right) @ coef + b)

    return _in_blocks(score, len(coef))


def _in_blocks(score: style.Score, width: int) -> style.Score:
    """Return the score, computed in blocks of rows; each row needs ``width`` numbers."""
    height = max(1, MAX_NUMBERS // width)

    def in_blocks(points: Array) -> Array:
        return np.concatenate(
            [score(points[i : i + height]) for i in range(0, len(points), height)]
        )

    return in_blocks
