"""Decision line of a linear classifier in the plane, with normal vector, margin and mistakes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from rosenblatt.plots import base, checks, style
from rosenblatt.theory.textbook.claims import check_trace
from rosenblatt.theory.textbook.step import dot, sgn
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.words import count

MAX_BANDED = 20  # largest number of mistakes with a band around them


class DecisionLineDisplay(base.Display):
    """The line w·x + b = 0 with the points, the normal w, the margin band, and the mistakes.

    Create it by `from_estimator` or `from_trace`. The arrow shows the direction of w, not its
    length. Misclassified points have rings. The half-width of the band is ``|γ|``, where γ is the
    margin min y (w·x + b) / ‖w‖ of L1.3: the distance of the nearest point if every point is right.
    Mistakes make γ negative; then the band contains all of them. For more than 20 mistakes there is
    no band, and the rings are thinner. A line far from the points is
    reported as out of the panel. If one column's range is more than ten times the other's, the axes
    have two scales, and w and γ are not drawn, since right angles would be distorted. Lecture rows
    L0.3, L1.3, L4.3.

    Parameters
    ----------
    X : array of shape (n, 2)
    y : array of shape (n,)
        -1 or +1.
    w : array of shape (2,)
        With w = 0 there is no line.
    b : float
    mistaken : bool array of shape (n,)
    names : pair of str
        Names of the columns.
    classes : pair of str
        Names of y = -1 and y = +1.

    Attributes
    ----------
    gamma : float or None
        The margin min y (w·x + b) / ‖w‖, negative if a point is misclassified; None if w = 0.
    ax_, figure_ : matplotlib Axes, Figure
    line_, arrow_, band_, rings_ : matplotlib artists, or None if not drawn
    points_ : list of matplotlib artists
        One per class.

    Examples
    --------
    >>> from rosenblatt import Perceptron, toys
    >>> toy = toys.two_points()
    >>> display = DecisionLineDisplay.from_estimator(Perceptron().fit(toy.X, toy.y), toy.X, toy.y)
    >>> round(display.gamma, 4), display.mistaken
    (0.7071, array([False, False]))
    """

    size = (4.6, 5.0)

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
        cls, estimator: Any, X: Matrix, y: ArrayLike, *, ax: style.Axes | None = None
    ) -> Self:
        """Draw the line of a fitted linear classifier of two classes, ours or scikit-learn's.

        Parameters
        ----------
        estimator : classifier with ``coef_`` of shape (1, 2)
        X : array or table of shape (n, 2)
            A table's column names are the labels of the axes.
        y : array of shape (n,)
            Labels of the estimator's two classes.
        ax : matplotlib Axes, optional
        """
        checks.plane_rows(X)
        w, b = checks.coef_and_intercept(estimator, 2)
        rows, signs, names = checks.two_classes(estimator, X, y)
        mistaken = np.asarray(estimator.predict(X) != np.asarray(y))
        return cls(rows, signs, w, b, mistaken, **names).plot(ax)

    @classmethod
    def from_trace(cls, run: Trace, j: int = -1, *, ax: style.Axes | None = None) -> Self:
        """Draw the line of a recorded run's j-th weights, with rings around its mistakes.

        Parameters
        ----------
        run : Trace
            Of points in the plane.
        j : int, default -1
            Index into ``run.weights``, by default the last.
        ax : matplotlib Axes, optional
        """
        check_trace(run)
        rows = checks.plane_rows(run.points)
        w, b = run.line(j)
        mistaken = sgn(dot(run.X, run.weights[j]), run.tie) != run.y
        return cls(rows, run.y, w, b, mistaken, classes=checks.run_classes(run)).plot(ax)

    @property
    def gamma(self) -> float | None:
        """The margin; None if w = 0."""
        return float(self._distances().min()) if self.w.any() else None

    def _distances(self) -> Array:
        """Return the points' distances from the line, negative for misclassified points."""
        return np.asarray(self.y * (self.X @ self.w + self.b) / np.hypot(*self.w))

    def _draw(self, ax: style.Axes) -> None:
        equal = style.fit_limits_by_units(ax, self.X)
        if equal and self.w.any() and self._is_near():
            start, end = self._normal()
            label_end = end + 0.3 * (end - start)
            style.fit_limits(ax, np.vstack([self.X, start, label_end]))
        style.open_frame(ax)
        style.name_axes(ax, self.names)
        self.points_ = style.points(ax, self.X, self.y)
        self.line_ = self.arrow_ = self.band_ = self.rings_ = None
        if self.w.any() and style.crosses(ax, self.w, self.b):
            self.line_ = style.line(ax, self.w, self.b, color=style.INK, linewidth=1.8)
            if self.gamma and not self._overlaps():
                self.band_ = style.band(ax, self.w, self.b, abs(self.gamma), color=style.PALE)
            if equal:
                label = np.empty((0, 2)) if self._overlaps() else self._draw_gamma()
                self._draw_normal(label)
        if self.mistaken.any():
            width = 0.8 if self._overlaps() else 1.4
            self.rings_ = style.ring_points(ax, self.X, self.y, self.mistaken, width=width)
        style.title(ax, *self._words(equal))
        style.legend(ax, self.points_, self.classes)

    def _words(self, equal: bool) -> tuple[str, str]:
        wrong, n, gamma = int(self.mistaken.sum()), len(self.X), self.gamma
        if gamma is None:
            return "w = 0: no line yet", f"{wrong} of {count(n, 'point')} wrong (ringed)"
        finding = f"{wrong} of {count(n, 'point')} wrong" if wrong else "Every point is right"
        margin = style.minus(f"γ = {gamma + 0.0:.3g}")  # 0, if it is −0
        if self.line_ is None:
            return finding, f"the line is out of the panel: {margin}"
        if self._overlaps():
            return finding, f"ringed: {margin}{'' if equal else '; axes of two scales'}"
        where = "ringed, all within the band" if gamma else "ringed, on the line"
        scales = "" if equal else "; axes of two scales"
        return finding, f"{where if wrong else 'nearest to the line'}: {margin}{scales}"

    def _overlaps(self) -> bool:
        """Return whether the mistakes are too many for a band around them."""
        return int(self.mistaken.sum()) > MAX_BANDED

    def _extent(self) -> tuple[Array, float]:
        """Return the centre of the points, and their width."""
        low, high = self.X.min(axis=0), self.X.max(axis=0)
        return (low + high) / 2, float((high - low).max()) or 1.0

    def _normal(self) -> Array:
        """Return the ends of the arrow of w, from the line's point nearest to the centre."""
        middle, width = self._extent()
        start = style.nearest_on_line(self.w, self.b, middle)
        return np.array([start, start + 0.22 * width * self.w / np.hypot(*self.w)])

    def _is_near(self) -> bool:
        """Return True if the line is close enough to the points to be drawn with them."""
        middle, width = self._extent()
        distance = np.abs(self._normal()[0] - middle).max()
        return bool(distance <= style.line_reach(len(self.X)) * width)

    def _draw_normal(self, labels: Array) -> None:
        """Draw the arrow of w; its name stays clear of points and other labels."""
        start, end = self._normal()
        look: style.Look = {"color": style.INK, "linewidth": 1.8, "path_effects": style.halo(4)}
        self.arrow_ = style.arrow(self.ax_, start, end, **look)
        unit = self.w / np.hypot(*self.w)
        across = np.array([-unit[1], unit[0]])
        sides, others = [unit, across, -across], np.vstack([self.X, labels])
        shift = style.clear_shift(self.ax_, end, sides, others, 12)
        style.annotate(self.ax_, "w", end, shift, style="italic")

    def _draw_gamma(self) -> Array:
        """Draw the distance ``|γ|`` from the line to its point; return points on it."""
        start, width = self._normal()[0], np.ptp(self.ax_.get_xlim())
        if abs(self.gamma or 0) < 0.03 * width:
            return np.empty((0, 2))  # too short for a label
        nearest = self.X[np.argmin(self._distances())]
        ends = np.array([nearest, style.nearest_on_line(self.w, self.b, nearest)])
        self.ax_.plot(*ends.T, color=style.GREY, linewidth=1.6, zorder=2)
        name, middle = "−γ" if self.mistaken.any() else "γ", ends.mean(axis=0)
        along = np.array([-self.w[1], self.w[0]]) / np.hypot(*self.w)
        from_arrow = middle - start
        near = np.hypot(*from_arrow) < 0.3 * width  # if near, away from w, else into the panel
        side = 1 if (from_arrow @ along > 0) == near else -1
        sides = [side * along, -side * along]
        shift = style.clear_shift(self.ax_, middle, sides, self.X, 13)
        style.annotate(self.ax_, name, middle, shift)
        return np.linspace(ends[0], ends[1], 9)
