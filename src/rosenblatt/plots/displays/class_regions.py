"""Regions of the predicted classes in the plane."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.plots import style
from rosenblatt.plots.checks import (
    axis_names,
    check_estimator,
    class_names,
    plane_rows,
    same_table_type,
)
from rosenblatt.plots.style import CLASS_COLOURS, CLASS_MARKERS, INK
from rosenblatt.theory.textbook.lecture3 import OneAgainstRest
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.words import count


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
