"""Regions of the plane: of the predicted classes, and of the votes of a voted perceptron."""

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
from rosenblatt.plots.style import CLASS_COLOURS, CLASS_MARKERS, INK
from rosenblatt.theory.textbook import append_one
from rosenblatt.theory.textbook.lecture3 import OneAgainstRest, Votes
from rosenblatt.theory.textbook.step import sgn
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.words import count

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


class ClassRegionsDisplay(style.Display):
    """The regions of the predicted classes, and the rows, of two classes to six.

    A region has the pale colour of its class; rows that are predicted wrong have rings. With
    ``conflicts``, a region is grey if no class has a score > 0, or more than one: what each class
    against the rest says before the arg max decides. Create it by `from_estimator`. Lecture rows
    L3.5, L4.4.

    Parameters
    ----------
    X : array of shape (n, 2)
    codes : array of shape (n,)
        Index of each row's class.
    predict : callable
        Function of rows of shape (m, 2), with the index of the class of each: shape (m,), and -1
        where there is no single class.
    classes : sequence of str
    names : pair of str
        Names of the columns.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, Figure
    mistaken : bool array of shape (n,)
    regions_, rings_ : matplotlib artists, the latter None without a mistake
    points_ : list of matplotlib artists
        One per class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rosenblatt import Perceptron
    >>> flowers = load_iris()
    >>> X, y = flowers.data[:, 2:], flowers.target_names[flowers.target]
    >>> display = ClassRegionsDisplay.from_estimator(Perceptron().fit(X, y), X, y)
    >>> display.classes
    ('setosa', 'versicolor', 'virginica')
    """

    size = (4.8, 5.0)

    def __init__(
        self,
        X: Array,
        codes: Array,
        predict: Score,
        classes: tuple[str, ...],
        *,
        names: tuple[str, ...] = ("x₁", "x₂"),
    ) -> None:
        self.X, self.codes, self.predict = X, codes, predict
        self.classes, self.names = classes, names
        self.mistaken = predict(X) != codes

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, conflicts: bool = False, ax: Any = None
    ) -> ClassRegionsDisplay:
        """Draw the regions of a fitted classifier, ours or scikit-learn's, or of the textbook's.

        Parameters
        ----------
        estimator : fitted classifier, or result of `rosenblatt.textbook.one_against_rest`
        X : array or table of shape (n, 2)
            A table's column names are the labels of the axes.
        y : array of shape (n,)
            Labels of the estimator's classes.
        conflicts : bool, default False
            Draw regions where no score or several are > 0 in grey; from three classes on.
        ax : matplotlib Axes, optional
        """
        rows, table = plane_rows(X), same_table_type(X)
        scores: Any
        if isinstance(estimator, OneAgainstRest):
            classes, scores = estimator.classes, estimator.scores
        else:
            check_estimator(estimator)
            classes, scores = estimator.classes_, getattr(estimator, "decision_function", None)
        if len(classes) > len(CLASS_COLOURS):
            raise ValueError(
                f"the classes must be at most {len(CLASS_COLOURS)}, got {len(classes)}"
            )
        if conflicts and (scores is None or len(classes) < 3):
            raise ValueError("conflicts must be of three classes or more, with a score for each")
        labels = np.asarray(y)
        unknown = labels[~np.isin(labels, classes)]
        if labels.shape != (len(rows),) or unknown.size:
            raise ValueError("y must hold a label of the estimator's classes for each row of X")

        def predict(points: Array) -> Array:
            if not conflicts:
                return np.asarray(np.searchsorted(classes, estimator.predict(table(points))))
            positive = np.asarray(scores(table(points))) > 0
            return np.where(positive.sum(axis=1) == 1, positive.argmax(axis=1), -1)

        codes = np.searchsorted(classes, labels)
        names = {"names": axis_names(X)}
        return cls(rows, codes, predict, class_names(classes), **names).plot(ax)

    def _draw(self, ax: Any) -> None:
        self.points_ = [
            ax.scatter(*self.X[self.codes == k].T, color=colour, marker=marker, **self._look(k))
            for k, (colour, marker) in enumerate(zip(CLASS_COLOURS, CLASS_MARKERS, strict=True))
            if k < len(self.classes)
        ]
        equal = style.fit_limits_by_units(ax, self.X)
        ax.locator_params(nbins=5)
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        from matplotlib.colors import ListedColormap

        grid = style.score_grid(ax, self.predict)[2]
        tints = ListedColormap(["#B8B8B8", *CLASS_COLOURS[: len(self.classes)]])
        extent = (*ax.get_xlim(), *ax.get_ylim())
        look: dict[str, Any] = {
            "vmin": -1,
            "vmax": len(self.classes) - 1,
            "alpha": 0.2,
            "zorder": 0,
        }
        look["aspect"] = "equal" if equal else "auto"
        self.regions_ = ax.imshow(grid, cmap=tints, extent=extent, origin="lower", **look)
        wrong, n = int(self.mistaken.sum()), len(self.X)
        self.rings_ = None
        if wrong:
            look = {"facecolors": "none", "edgecolors": INK, "linewidths": 1.2, "zorder": 4}
            size = 110 * style.mark_share(n)
            self.rings_ = ax.scatter(*self.X[self.mistaken].T, s=size, **look)
        style.legend(ax, self.points_, self.classes, columns=3)
        finding = f"{wrong} of {count(n, 'row')} wrong" if wrong else "Every row is right"
        style.title(ax, finding, self._evidence(grid))

    def _look(self, k: int) -> dict[str, Any]:
        n = len(self.X)
        zorder = style.layer(int((self.codes == k).sum()), n)
        return {"s": 30 * style.mark_share(n), "linewidths": 0, "zorder": zorder}

    def _evidence(self, grid: Array) -> str:
        if (grid < 0).any():
            return "grey: no class says yes, or several do"
        return "ringed: predicted wrong" if self.mistaken.any() else "colour: the predicted class"


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
