"""The curves f(x) = 0 in the panels of a kernel run's steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosenblatt.plots import style
from rosenblatt.theory.textbook.step import format_number
from rosenblatt.theory.textbook.traces.kernel import KernelTrace
from rosenblatt.utils.arrays import Array

SIDE = 90  # points on a side of the grid: a kernel is a function in Python, called for each
PADDING = 1.5  # of the view, relative to the points: a curve goes around them


class Curves(NamedTuple):
    """The common geometry of the panels: the view, and the kernel on a grid of its points.

    Attributes
    ----------
    run : KernelTrace
    centre : array of shape (2,)
        The view's.
    half : float
        Half its width.
    products : array of shape (SIDE², n)
        k(x_l, x) of the points x of the grid.
    """

    run: KernelTrace
    centre: Array
    half: float
    products: Array

    @classmethod
    def of(cls, run: KernelTrace) -> Curves:
        """Return the geometry of a run: all points in view."""
        low, high = run.rows.min(axis=0), run.rows.max(axis=0)
        centre, half = (low + high) / 2, PADDING * float((high - low).max() or 1.0) / 2
        frame = cls(run, centre, half, np.empty(0))
        across, up = frame._grid()
        return frame._replace(products=run.products(np.column_stack([across.ravel(), up.ravel()])))

    @property
    def points(self) -> Array:
        """The rows in the plane."""
        return self.run.rows

    @property
    def score_name(self) -> str:
        """What a score is."""
        return "f(x)"

    def fit(self, ax: style.Axes) -> None:
        """Set the limits of a panel."""
        style.view(ax, self.centre, self.half)

    def draw(self, ax: style.Axes, t: int) -> list[str]:
        """Draw a step's curves; return the α that it changes, or its row's, and b."""
        step, n = self.run[t], len(self.points)
        changed = np.flatnonzero(step.before[:n] != step.after[:n])
        row = int(changed[0]) if len(changed) else step.row  # equal rows may share their α
        before, after = (self._scores(vector) for vector in (step.before, step.after))
        style.tint_sides(ax, after)
        if not np.array_equal(step.before, step.after):
            style.boundary(ax, before, color=style.GREY, linewidth=1.6, linestyle="dashed")
        style.boundary(ax, after, color=style.INK, linewidth=1.6)
        names = [(f"α of row {row}", row)] + [("b", -1)] * (self.run.offset is not None)
        return [_change(name, step.before[at], step.after[at]) for name, at in names]

    def _grid(self) -> tuple[Array, Array]:
        sides = [np.linspace(c - self.half, c + self.half, SIDE) for c in self.centre]
        across, up = np.meshgrid(*sides)
        return across, up

    def _scores(self, vector: Array) -> tuple[Array, Array, Array]:
        """Return the grid, and f of a stored vector on it."""
        across, up = self._grid()
        n = len(self.points)
        scores = self.products @ vector[:n] + vector[n:].sum()  # b, where there is one
        return across, up, scores.reshape(across.shape)


def _change(name: str, before: float, after: float) -> str:
    """Return a number before and after a step, in words."""
    if before == after:
        return style.minus(f"{name} = {format_number(after)}")
    return style.minus(f"{name}: {format_number(before)} → {format_number(after)}")
