"""The lift onto the paraboloid x² + y²: a separating plane, and its circle in the plane."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.pipeline import Pipeline

from rosenblatt.estimators.lifts import RadialLift
from rosenblatt.plots import base, checks, style
from rosenblatt.theory.textbook.claims import check_trace
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix

AZIMUTH = -62.0  # direction of view, in degrees, of a plane that is almost level
STEEP = 0.25  # slope from which the view turns to the plane's upper side


class LiftDisplay(base.PanelsDisplay):
    """The lift (x, y) ↦ (x, y, x² + y²): a plane in space is a circle in the plane.

    The plane w·x + c z + b = 0 intersects the paraboloid z = x² + y² above the circle with centre
    −w / 2c and squared radius ‖w‖² / 4c² − b / c. Create it by `from_estimator` or `from_trace`.
    Lecture row L0.6.

    Parameters
    ----------
    X : array of shape (n, 2)
        The rows, not lifted.
    y : array of shape (n,)
        -1 or +1.
    w : array of shape (2,)
    c, b : float
    classes : pair of str
        Names of y = -1 and y = +1.

    Attributes
    ----------
    axes_ : pair of matplotlib Axes
        The paraboloid and the plane in three dimensions, and the view from above.
    figure_ : matplotlib Figure
    plane_, cut_ : matplotlib artists, or None if not drawn
        The plane, and its intersection with the paraboloid.
    boundary_ : matplotlib artist or None
        The intersection from above.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from rosenblatt import Perceptron, RadialLift, toys
    >>> toy = toys.rings()
    >>> model = make_pipeline(RadialLift(), Perceptron()).fit(toy.X, toy.y)
    >>> display = LiftDisplay.from_estimator(model, toy.X, toy.y)
    >>> 0.5 < display.radius < 1.0
    True
    """

    def __init__(
        self,
        X: Array,
        y: Array,
        w: Array,
        c: float,
        b: float,
        *,
        classes: tuple[str, ...] = ("−1", "+1"),
    ) -> None:
        self.X, self.y, self.w, self.c, self.b = X, y, w, c, b
        self.classes = classes

    @classmethod
    def from_estimator(
        cls, estimator: object, X: Matrix, y: ArrayLike, *, ax: style.Panels | None = None
    ) -> Self:
        """Draw the plane of a linear classifier of two classes, fitted on lifted rows.

        Parameters
        ----------
        estimator : classifier with ``coef_`` of shape (1, 3), or pipeline
            Fitted on ``RadialLift().fit_transform(X)``; or a pipeline of ``RadialLift()`` and such
            a classifier, fitted on X.
        X : array or table of shape (n, 2)
            The rows, not lifted.
        y : array of shape (n,)
            Labels of the estimator's two classes.
        ax : pair of matplotlib Axes, optional
            The first in three dimensions.
        """
        rows = checks.plane_rows(X)
        plane = _without_lift(estimator)
        w, b = checks.coef_and_intercept(plane, 3)
        signs = checks.signs_of(y, plane.classes_, len(rows))
        names = checks.class_names(plane.classes_)
        return cls(rows, signs, w[:2], float(w[2]), b, classes=names).plot(ax)

    @classmethod
    def from_trace(cls, run: Trace, j: int = -1, *, ax: style.Panels | None = None) -> Self:
        """Draw the plane of a recorded run's j-th weights; the run is on lifted rows.

        Parameters
        ----------
        run : Trace
            A run on rows (x, y, x² + y²), by `rosenblatt.textbook.radial_lift`.
        j : int, default -1
            Index into ``run.weights``, by default the last.
        ax : pair of matplotlib Axes, optional
            The first in three dimensions.

        Raises
        ------
        ValueError
            The rows of the run are not (x, y, x² + y²).
        """
        check_trace(run)
        rows, height = run.points[:, :2], run.points[:, 2:]
        if height.shape[1] != 1 or not np.allclose(height[:, 0], (rows**2).sum(axis=1)):
            raise ValueError(
                "the run's rows must be (x, y, x² + y²), as textbook.radial_lift returns them"
            )
        w, b = run.line(j)
        return cls(rows, run.y, w[:2], float(w[2]), b, classes=checks.run_classes(run)).plot(ax)

    @property
    def centre(self) -> Array | None:
        """The centre of the circle, −w / 2c; None for a vertical plane (c = 0)."""
        return -self.w / (2 * self.c) if self.c else None

    @property
    def radius(self) -> float | None:
        """The radius of the circle; None if the plane is vertical or misses the paraboloid."""
        if self.centre is None:
            return None
        square = self.centre @ self.centre - self.b / self.c
        return float(np.sqrt(square)) if square > 0 else None

    def _panels(self, axes: style.Panels | None) -> style.Panels:
        if axes is not None:
            return style.panels(axes, 2, 2, 0, 0)
        figure = style.figure(9.4, 4.9)
        return [figure.add_subplot(1, 2, 1, projection="3d"), figure.add_subplot(1, 2, 2)]

    def _draw(self, *, new_figure: bool) -> None:
        self._draw_bowl(self.axes_[0])
        self._draw_above(self.axes_[1])

    def _draw_bowl(self, ax: style.Axes) -> None:
        self.plane_ = self.cut_ = None
        self.points_ = style.points(ax, RadialLift().fit_transform(self.X), self.y)
        self._draw_paraboloid(ax)
        if self.c:
            corners = np.array([[-1, -1], [-1, 1], [1, 1], [1, -1]]) * np.abs(self.X).max()
            height = -(corners @ self.w + self.b) / self.c
            look = {"color": style.GREY, "alpha": 0.3, "linewidth": 0, "shade": False}
            self.plane_ = ax.plot_trisurf(*corners.T, height, **look)
        if self.centre is not None and self.radius is not None:
            turn = np.linspace(0, 2 * np.pi, 200)
            cut = self.centre + self.radius * np.column_stack([np.cos(turn), np.sin(turn)])
            heights = (cut**2).sum(axis=1)
            (self.cut_,) = ax.plot(*cut.T, heights, color=style.INK, linewidth=1.6)
        ax.view_init(elev=24, azim=self._azimuth())
        ax.set_box_aspect((1, 1, 0.9), zoom=1.15)
        for axis, name in ((ax.xaxis, "x"), (ax.yaxis, "y"), (ax.zaxis, "x² + y²")):
            axis.set_ticks([])
            axis.set_label_text(name)
            axis.labelpad = -12
        style.title(ax, "Lifted: a plane", "every point at the height x² + y²")

    def _draw_paraboloid(self, ax: style.Axes) -> None:
        """Draw the paraboloid that all lifted points are on."""
        turn, reach = np.linspace(0, 2 * np.pi, 33), np.hypot(*self.X.T).max()
        radius = np.linspace(0, reach, 9)[:, None]
        bowl = radius * np.cos(turn), radius * np.sin(turn), radius**2 + 0 * turn
        ax.plot_wireframe(*bowl, color=style.GREY, alpha=0.35, linewidth=0.5, rstride=2, cstride=4)

    def _azimuth(self) -> float:
        """Return a direction of view from which the plane is not seen edge-on."""
        slope = np.sign(self.c) * self.w
        if np.hypot(*slope) < STEEP * abs(self.c):
            return AZIMUTH
        return float(np.degrees(np.arctan2(slope[1], slope[0]))) + 20

    def _draw_above(self, ax: style.Axes) -> None:
        drawn = style.points(ax, self.X, self.y)
        style.plane_panel(ax, self.X)
        ax.set(xlabel="x", ylabel="y")
        style.legend(ax, drawn, self.classes)
        self.boundary_ = style.regions(ax, self._score)
        if self.centre is None or self.radius is None:
            style.title(ax, "Seen from above: no circle", "the plane does not cut the bowl in one")
        else:
            x, y = self.centre
            evidence = f"radius {self.radius:.2f} around ({x:.2f}, {y:.2f})"
            style.title(ax, "Seen from above: a circle", style.minus(evidence))

    def _score(self, rows: Array) -> Array:
        return np.asarray(rows @ self.w + self.c * (rows**2).sum(axis=1) + self.b)


def _without_lift(estimator: object) -> Any:
    """Return the classifier of a pipeline of lift and classifier; any other object unchanged."""
    if isinstance(estimator, Pipeline) and len(estimator) == 2:
        lift, classifier = (step for _, step in estimator.steps)
        return classifier if isinstance(lift, RadialLift) else estimator
    return estimator
