"""Regions of the predicted classes in the plane."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from rosenblatt.plots import base, checks, style
from rosenblatt.theory.textbook.lecture3 import OneAgainstRest
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.words import count


class ClassRegionsDisplay(base.Display):
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
        predict: Callable[[Array], Array],
        classes: tuple[str, ...],
        *,
        names: tuple[str, ...] = ("x₁", "x₂"),
    ) -> None:
        self.X, self.codes, self.predict = X, codes, predict
        self.classes, self.names = classes, names
        self.mistaken = predict(X) != codes

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Matrix,
        y: ArrayLike,
        *,
        conflicts: bool = False,
        ax: style.Axes | None = None,
    ) -> Self:
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

        Raises
        ------
        ValueError
            There are more classes than colours, or ``conflicts`` of less than three, or without a
            score for each.
        """
        rows, table = checks.plane_rows(X), checks.same_table_type(X)
        scores: Any
        if isinstance(estimator, OneAgainstRest):
            classes, scores = estimator.classes, estimator.scores
        else:
            checks.check_estimator(estimator)
            classes, scores = estimator.classes_, getattr(estimator, "decision_function", None)
        if len(classes) > len(style.CLASS_COLOURS):
            raise ValueError(
                f"the classes must be at most {len(style.CLASS_COLOURS)}, got {len(classes)}"
            )
        if conflicts and (scores is None or len(classes) < 3):
            raise ValueError("conflicts must be of three classes or more, with a score for each")
        codes = checks.codes_of(y, classes, len(rows))

        def predict(points: Array) -> Array:
            if not conflicts:
                return np.asarray(np.searchsorted(classes, estimator.predict(table(points))))
            positive = np.asarray(scores(table(points))) > 0
            return np.where(positive.sum(axis=1) == 1, positive.argmax(axis=1), -1)

        names = checks.axis_names(X)
        return cls(rows, codes, predict, checks.class_names(classes), names=names).plot(ax)

    def _draw(self, ax: style.Axes) -> None:
        n, classes = len(self.X), len(self.classes)
        self.points_ = []
        for k in range(classes):
            rows = self.X[self.codes == k]
            look: style.Look = {"color": style.CLASS_COLOURS[k], "marker": style.CLASS_MARKERS[k]}
            look |= {"s": 30 * style.mark_share(n), "linewidths": 0}
            self.points_.append(ax.scatter(*rows.T, zorder=style.layer(len(rows), n), **look))
        style.fit_limits_by_units(ax, self.X)
        style.name_axes(ax, self.names)
        from matplotlib.colors import ListedColormap

        grid = style.score_grid(ax, self.predict)[2]
        colours = ListedColormap(["#B8B8B8", *style.CLASS_COLOURS[:classes]])
        self.regions_ = style.tint(ax, grid, -1, classes - 1, cmap=colours, alpha=0.2)
        wrong = int(self.mistaken.sum())
        self.rings_ = None
        if wrong:
            look = {"facecolors": "none", "edgecolors": style.INK, "linewidths": 1.2, "zorder": 4}
            size = 110 * style.mark_share(n)
            self.rings_ = ax.scatter(*self.X[self.mistaken].T, s=size, **look)
        style.legend(ax, self.points_, self.classes, columns=3)
        finding = f"{wrong} of {count(n, 'row')} wrong" if wrong else "Every row is right"
        evidence = "ringed: predicted wrong" if wrong else "colour: the predicted class"
        if (grid < 0).any():
            evidence = "grey: no class says yes, or several do"
        style.title(ax, finding, evidence)
