"""A perceptron run that repeats: the closed path of its weight vectors."""

from __future__ import annotations

from typing import Self

import numpy as np

from rosenblatt.plots import checks, style
from rosenblatt.theory.textbook.cycling import Cycle
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.words import count

MAX_NUMBERS = 30  # largest number of weight vectors that are numbered


class CycleDisplay(style.Display):
    """The weight vectors of one period as a polygon of arrows that closes.

    The vectors are numbered in the order of the corrections; a vector that occurs more than once
    has several numbers. Of (w, b) only w is drawn. Create it by `from_cycle`. Lecture row L0.4.

    Parameters
    ----------
    cycle : Cycle

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, Figure
    arrows_ : list of matplotlib artists
        One per correction.

    Examples
    --------
    >>> from rosenblatt import toys
    >>> from rosenblatt.cycling import find_cycle
    >>> square = toys.xor()
    >>> cycle = find_cycle(square.X, square.y, fit_intercept=False)
    >>> len(CycleDisplay.from_cycle(cycle).arrows_)
    2
    """

    size = (4.8, 4.8)

    def __init__(self, cycle: Cycle) -> None:
        self.cycle = cycle

    @classmethod
    def from_cycle(cls, cycle: Cycle, *, ax: style.Axes | None = None) -> Self:
        """Draw what `rosenblatt.cycling.find_cycle` returned for a run that cycles.

        Parameters
        ----------
        cycle : Cycle
            Of points in the plane.
        ax : matplotlib Axes, optional
        """
        checks.check_instance(cycle, Cycle, "cycle", "rosenblatt.cycling.find_cycle")
        if cycle.status != "cycles":
            raise ValueError(f"the run must cycle to be drawn as a cycle: it is {cycle.status}")
        if cycle.weights.shape[1] not in (2, 3):
            width = cycle.weights.shape[1]
            raise ValueError(f"the cycle must be of points in the plane, got w of {width} numbers")
        return cls(cycle).plot(ax)

    def _draw(self, ax: style.Axes) -> None:
        path = self.cycle.weights[:, :2]
        look = {"color": style.INK, "linewidth": 1.4, "shrinkA": 3, "shrinkB": 3}
        self.arrows_ = [style.arrow(ax, path[j], path[j + 1], **look) for j in range(len(path) - 1)]
        ax.scatter(*path.T, s=26, color=style.INK, zorder=3)
        style.origin(ax)
        is_numbered = len(path) <= MAX_NUMBERS
        room = style.LABEL_ROOM if is_numbered else 0.0
        style.fit_limits(ax, np.vstack([path, np.zeros(2)]), room)
        style.open_frame(ax)
        style.name_axes(ax, ("w₁", "w₂"))
        if is_numbered:
            self._number(ax, path)
        corrections = count(len(self.arrows_), "correction")
        steps = count(self.cycle.period or 0, "step")
        style.title(ax, "The path of w closes", f"{corrections} in {steps}, for ever")

    def _number(self, ax: style.Axes, path: Array) -> None:
        """Write the numbers of the vectors beside them, clear of the arrows."""
        places: dict[tuple[float, ...], list[int]] = {}
        for j, w in enumerate(path[:-1].tolist()):
            places.setdefault(tuple(w), []).append(j)
        centre, arrows = path[:-1].mean(axis=0), style.points_along(path)
        for at, numbers in places.items():
            away = np.array(at) - centre
            sides = _directions(away if away.any() else np.array([0.0, 1.0]))
            others = arrows[(arrows != at).any(axis=1)]
            shift = style.clear_shift(ax, np.array(at), sides, others, 13)
            text = ", ".join(map(str, numbers))
            wider = 1.0 + 0.25 * (len(text) - 1)  # the shift is that of the text's centre
            style.annotate(ax, text, at, shift * [wider, 1.0])


def _directions(first: Array, count: int = 16) -> Array:
    """Return unit vectors around the circle, from ``first`` on and then nearest to it first."""
    turns = np.arange(count) * (2 * np.pi / count)
    order = np.argsort(np.minimum(turns, 2 * np.pi - turns), kind="stable")
    angles = np.arctan2(first[1], first[0]) + turns[order]
    return np.column_stack([np.cos(angles), np.sin(angles)])
