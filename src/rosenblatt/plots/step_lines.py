"""The lines and the arrows of w in the panels of a run's steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt.plots import style
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import Array

MAX_ARROW = 0.42  # length of the longest arrow, relative to the width of the points
MAX_UNSCALED = 1.5  # relative length up to which w has the scale of the points
NAME_ROOM = 0.12  # space for the label at an arrow's end, relative to the width
PADDING = 1.12  # of a view, relative to what it shows
FARTHEST = 10  # widths of the points at which a line is shown, if none is nearer
MIDDLE = 0.6  # a line is at most this far from the centre of a view, relative to its half-width

Line = tuple[Array, float]
"""(w, b) of the line w·x + b = 0."""


class Lines(NamedTuple):
    """The common geometry of the panels: the start of the arrows, their scale, the view.

    Attributes
    ----------
    run : Trace
    middle : array of shape (2,)
        Arrows start at the point of their line nearest to ``middle``.
    scale : float
        Length of an arrow relative to its w.
    centre : array of shape (2,)
        The view's.
    half : float
        Half its width.
    """

    run: Trace
    middle: Array
    scale: float
    centre: Array
    half: float

    @classmethod
    def of(cls, run: Trace, steps: Sequence[int]) -> Lines:
        """Return the geometry of some steps: all points in view, near lines across its middle."""
        points, through_origin = run.points, run.offset is None
        middle = (points.min(axis=0) + points.max(axis=0)) * (0.0 if through_origin else 0.5)
        spread = np.ptp([*points, middle], axis=0).max() or 1.0
        lines = [line for t in steps for line in _before_and_after(run, t) if line[0].any()]
        near = _within(lines, middle, style.line_reach(len(points)) * spread)
        near = near or _within(lines, middle, FARTHEST * spread)
        feet = [style.nearest_on_line(w, b, middle) for w, b in near]
        width = np.ptp([*points, middle, *feet], axis=0).max() or 1.0
        longest = max((np.hypot(*w) for w, _ in near), default=1.0)
        fits = through_origin and longest <= MAX_UNSCALED * width
        scale = float(1.0 if fits else MAX_ARROW * width / longest)
        room = NAME_ROOM * width
        names = [
            foot + w * (scale + room / np.hypot(*w))
            for (w, _), foot in zip(near, feet, strict=True)
        ]
        shown = np.array([*points, *feet, *names])
        low, high = shown.min(axis=0), shown.max(axis=0)
        centre, half = (low + high) / 2, PADDING * float((high - low).max() or 1.0) / 2
        farthest = max((_distance(line, centre) for line in near), default=0.0)
        return cls(run, middle, scale, centre, max(half, farthest / MIDDLE))

    @property
    def points(self) -> Array:
        """The rows in the plane."""
        return self.run.points

    @property
    def score_name(self) -> str:
        """What a score is."""
        return "w·x" if self.run.offset is None else "w·x + b"

    def fit(self, ax: style.Axes) -> None:
        """Set the limits of a panel."""
        style.view(ax, self.centre, self.half)

    def draw(self, ax: style.Axes, t: int) -> list[str]:
        """Draw a step's lines and arrows; return the values of w and b before and after it."""
        run, step, (before, after) = self.run, self.run[t], _before_and_after(self.run, t)
        if run.offset is None:
            style.origin(ax)
        if np.array_equal(step.before, step.after):
            self._draw_line(ax, after, "w", style.INK, "solid")
            return [self._describe(after, "w"), "unchanged"]
        ends = [
            self._draw_line(ax, before, "w", style.GREY, "dashed", beside=after),
            self._draw_line(ax, after, "w′", style.INK, "solid", beside=before),
        ]
        if run.offset is None:
            ax.plot(*np.transpose(ends), color=style.INK, linewidth=1.2, linestyle="dotted")
        return [self._describe(before, "w"), self._describe(after, "w′")]

    def _describe(self, line: Line, name: str) -> str:
        """Return the values of w and b in a line of text; w = 0 has no line in the plane."""
        w, b = line
        if not w.any():
            return f"{name} = 0: no line yet"
        values = f"{name} = ({w[0] + 0.0:.3g}, {w[1] + 0.0:.3g})"
        offset = "" if self.run.offset is None else f", b{name[1:]} = {b + 0.0:.3g}"
        return style.minus(values + offset)

    def _draw_line(
        self,
        ax: style.Axes,
        line: Line,
        name: str,
        colour: str,
        dashes: str,
        beside: Line | None = None,
    ) -> Array:
        """Draw a line and its w; return the end of the arrow.

        The name stays clear of the data, and of the arrow of the line ``beside``.
        """
        w, b = line
        if not w.any():
            return np.zeros(2)
        start, end = self._arrow(line)
        if _distance(line, self.centre) > MIDDLE * self.half * (1.0 + 1e-9):
            label = ax.get_xlabel().removesuffix(")")
            ax.set_xlabel(label + (", " if "(" in label else " (outside: ") + f"{name})")
            return end
        style.line(ax, w, b, color=colour, linewidth=1.6, linestyle=dashes)
        style.arrow(ax, start, end, color=colour, linewidth=1.6)
        unit = w / np.hypot(*w)
        across = np.array([-unit[1], unit[0]])
        sides = [unit, (unit + across) / 2**0.5, (unit - across) / 2**0.5, across, -across]
        others = self.points if beside is None else [*self.points, *self._along(beside)]
        shift = style.clear_shift(ax, end, sides, others, 15)
        style.annotate(ax, name, end, shift, color=colour, style="italic")
        return end

    def _arrow(self, line: Line) -> tuple[Array, Array]:
        """Return the ends of the arrow of w."""
        start = style.nearest_on_line(*line, self.middle)
        return start, np.asarray(start + self.scale * line[0])

    def _along(self, line: Line) -> Array:
        """Return points along an arrow and, beyond its end, where its name is likely to be."""
        w = line[0]
        if not w.any():
            return np.empty((0, 2))
        start, end = self._arrow(line)
        return np.asarray(
            style.points_along([start, end + 2 * NAME_ROOM * self.half * w / np.hypot(*w)])
        )


def _before_and_after(run: Trace, t: int) -> list[Line]:
    """Return (w, b) before a step and after it."""
    return [run.line(j) for j in [*run.used[t : t + 2], -1][:2]]


def _within(lines: Sequence[Line], x: Array, reach: float) -> list[Line]:
    """Return the lines that are no farther from x."""
    return [line for line in lines if _distance(line, x) <= reach]


def _distance(line: Line, x: Array) -> float:
    """Return the distance of x from a line."""
    w, b = line
    return float(abs(w @ x + b) / np.hypot(*w))
