"""A line in the plane, its normal, its margin and its mistakes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.plots import style
from rosenblatt.plots.given import axis_names, class_names, plane_of, plane_rows, signs_of
from rosenblatt.plots.style import GREY, INK, PALE
from rosenblatt.scores import dot, sgn
from rosenblatt.trace import Trace

Array = NDArray[Any]


class DecisionLineDisplay:
    """The line w·x + b = 0 among the points: w normal to it, the margin band, and the mistakes.

    Make one by `from_estimator` or `from_trace`. The arrow shows the direction of w, not its
    length. Mistaken points are ringed. The band reaches |γ| to either side, where γ is the margin
    min y (w·x + b) / ‖w‖ of L1.3: up to the nearest point, if every point is right. Mistakes make
    γ negative; then the band reaches to the worst of them, and all of them lie within it. Lecture
    rows L0.3, L1.3, L4.3.

    Parameters
    ----------
    X : array of shape (n, 2)
    y : array of shape (n,)
        -1 or +1.
    w : array of shape (2,)
        With w = 0 there is no line, and none is drawn.
    b : float
    mistaken : bool array of shape (n,)
    names : pair of str
        Of the columns.
    classes : pair of str
        Of y = -1 and y = +1.

    Attributes
    ----------
    gamma : float or None
        The margin min y (w·x + b) / ‖w‖, negative where a point is on the wrong side; None where
        w = 0.
    ax_, figure_ : matplotlib Axes, Figure
    line_, arrow_, band_, rings_ : matplotlib artists, or None where there is nothing to draw
    points_ : list of matplotlib artists
        Both classes.

    Examples
    --------
    >>> from rosenblatt import Perceptron, toys
    >>> toy = toys.two_points()
    >>> display = DecisionLineDisplay.from_estimator(Perceptron().fit(toy.X, toy.y), toy.X, toy.y)
    >>> round(display.gamma, 4), display.mistaken
    (0.7071, array([False, False]))
    """

    def __init__(
        self,
        X: Array,
        y: Array,
        w: Array,
        b: float,
        mistaken: Array,
        *,
        names: tuple[str, ...] = ("x₁", "x₂"),
        classes: tuple[str, ...] = ("−1", "+1"),
    ) -> None:
        self.X, self.y, self.w, self.b = X, y, w, b
        self.mistaken, self.names, self.classes = mistaken, names, classes

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, ax: Any = None
    ) -> DecisionLineDisplay:
        """Draw the line of a fitted linear classifier of two classes, ours or scikit-learn's.

        Parameters
        ----------
        estimator : classifier with ``coef_`` of shape (1, 2)
        X : array or table of shape (n, 2)
            Its column names name the axes.
        y : array of shape (n,)
            Labels of the estimator's two classes.
        ax : matplotlib Axes, default None
            Where to draw; None begins a new picture.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If the estimator is not fitted.
        ValueError
            If X, y or ``coef_`` has another shape, or a label is unknown.
        """
        rows = plane_rows(X)
        w, b = plane_of(estimator, 2)
        signs = signs_of(y, estimator.classes_, len(rows))
        mistaken = np.asarray(estimator.predict(X) != np.asarray(y))
        names = {"names": axis_names(X), "classes": class_names(estimator.classes_)}
        return cls(rows, signs, w, b, mistaken, **names).plot(ax)

    @classmethod
    def from_trace(cls, run: Trace, j: int = -1, *, ax: Any = None) -> DecisionLineDisplay:
        """Draw the line of a recorded run's j-th weights; ``run.errors[j]`` points are ringed.

        Parameters
        ----------
        run : Trace
            Of points in the plane.
        j : int, default -1
            Which of ``run.weights``, by default the last.
        ax : matplotlib Axes, default None
            Where to draw; None begins a new picture.

        Raises
        ------
        ValueError
            If the points are not in the plane.
        IndexError
            If there are no such weights.
        """
        rows = plane_rows(run.points)
        w, b = run.line(j)
        mistaken = sgn(dot(run.X, run.weights[j]), run.tie) != run.y
        classes = ("0", "1") if (run.label == 0).any() else ("−1", "+1")  # as its lecture has them
        return cls(rows, run.y, w, b, mistaken, classes=classes).plot(ax)

    @property
    def gamma(self) -> float | None:
        """The margin, where there is a line."""
        return float(self._distances().min()) if self.w.any() else None

    def _distances(self) -> Array:
        """Of the points from the line, negative on the wrong side."""
        return np.asarray(self.y * (self.X @ self.w + self.b) / np.hypot(*self.w))

    @style.dressed
    def plot(self, ax: Any = None) -> DecisionLineDisplay:
        """Draw it, on ``ax`` or on a new picture.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        self.ax_ = ax = style.axes_for(ax, 4.6, 5.0)
        self.figure_ = ax.figure
        style.room(ax, self.X)
        style.plain(ax)
        ax.locator_params(nbins=5)
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        self.points_ = style.points(ax, self.X, self.y)
        self.line_ = self.arrow_ = self.band_ = self.rings_ = None
        if self.w.any():
            self.line_ = style.line(ax, self.w, self.b, color=INK, linewidth=1.8)
            self._draw_normal()
        if self.mistaken.any():
            self.rings_ = style.ring(ax, self.X, self.y, self.mistaken)
        if self.gamma:
            self._draw_band(abs(self.gamma))
        style.title(ax, *self._words())
        style.legend(ax, self.points_, self.classes)
        return self

    def _words(self) -> tuple[str, str]:
        wrong, n, gamma = int(self.mistaken.sum()), len(self.X), self.gamma
        if gamma is None:
            return "w = 0: no line yet", f"{wrong} of {n} points wrong (ringed)"
        margin = style.minus(f"γ = {gamma + 0.0:.3g}")  # 0, if it is −0
        if wrong:
            where = "all within the band" if gamma else "on the line"
            return f"{wrong} of {n} points wrong", f"ringed, {where}: {margin}"
        return "Every point is right", f"nearest to the line: {margin}"

    def _middle(self) -> Array:
        """The middle of the panel."""
        return np.array([np.mean(self.ax_.get_xlim()), np.mean(self.ax_.get_ylim())])

    def _draw_normal(self) -> None:
        """w, from the point of the line that is nearest to the middle."""
        start = style.foot(self.w, self.b, self._middle())
        unit = self.w / np.hypot(*self.w)
        end = start + 0.2 * np.ptp(self.ax_.get_xlim()) * unit
        self.arrow_ = style.arrow(self.ax_, start, end, color=INK, linewidth=1.8)
        style.note(self.ax_, "w", end, 11 * unit, style="italic")

    def _draw_band(self, gamma: float) -> None:
        """The band between the parallels, and |γ| from the line to the point that it is due to."""
        unit, width = self.w / np.hypot(*self.w), np.ptp(self.ax_.get_xlim())
        across, along = gamma * unit, 2 * width * np.array([-unit[1], unit[0]])
        start = style.foot(self.w, self.b, self._middle())
        corners = [along + across, along - across, -along - across, -along + across]
        (self.band_,) = self.ax_.fill(*np.transpose(start + corners), color=PALE, zorder=0)
        if gamma < 0.03 * width:
            return  # too narrow to be pointed at
        nearest = self.X[np.argmin(self._distances())]
        ends = np.array([nearest, style.foot(self.w, self.b, nearest)])
        self.ax_.plot(*ends.T, color=GREY, linewidth=1.6, zorder=2)
        name, middle = "−γ" if self.mistaken.any() else "γ", ends.mean(axis=0)
        apart = middle - start
        near = np.hypot(*apart) < 0.3 * width  # then away from w, else into the panel
        side = 1 if (apart @ along > 0) == near else -1
        style.note(self.ax_, name, middle, 9 * side * along / np.hypot(*along))
