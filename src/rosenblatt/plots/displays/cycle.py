"""A perceptron run that repeats: the closed path of its weight vectors."""

from __future__ import annotations

from typing import Self

import numpy as np

from rosenblatt.plots import base, checks, style
from rosenblatt.theory.textbook.cycling import Cycle
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.words import count

MAX_NUMBERS = 30  # largest number of weight vectors that are numbered
OFFSET_ROOM = 70  # printer's points around vectors whose labels have b


class CycleDisplay(base.Display):
    """The weight vectors of one period as a polygon of arrows that closes.

    The vectors are numbered in the order of the corrections; a vector that occurs more than once
    has several numbers. Of (w, b) only w is drawn: vectors at one place that differ in b have a
    line each, with their b. Create it by `from_cycle`. Lecture row L0.4.

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

        Raises
        ------
        ValueError
            The run does not cycle, or is not of the plane.
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
        labels = self._labels() if len(path) <= MAX_NUMBERS else {}
        with_b = any("b" in label for label in labels.values())
        room = OFFSET_ROOM if with_b else style.LABEL_ROOM if labels else 0.0
        style.fit_limits(ax, np.vstack([path, np.zeros(2)]), room)
        style.open_frame(ax)
        style.name_axes(ax, ("w₁", "w₂"))
        self._number(ax, path, labels)
        corrections = count(len(self.arrows_), "correction")
        steps = count(self.cycle.period or 0, "step")
        style.title(ax, "The path of w closes", f"{corrections} in {steps}, for ever")

    def _labels(self) -> dict[tuple[float, float], str]:
        """Return the numbers of the vectors at each place, with b where they differ in it."""
        places: dict[tuple[float, float], dict[float, list[int]]] = {}
        for j, (w1, w2, *offset) in enumerate(self.cycle.weights[:-1].tolist()):
            by_offset = places.setdefault((w1, w2), {})
            by_offset.setdefault(sum(offset), []).append(j)
        labels = {}
        for at, by_offset in places.items():
            lines = [", ".join(map(str, numbers)) for numbers in by_offset.values()]
            if len(lines) > 1:
                pairs = zip(lines, by_offset, strict=True)
                lines = [style.minus(f"{line} (b = {b:g})") for line, b in pairs]
            labels[at] = "\n".join(lines)
        return labels

    def _number(self, ax: style.Axes, path: Array, labels: dict[tuple[float, float], str]) -> None:
        """Write the labels of the vectors beside them, clear of the arrows."""
        centre, arrows = path[:-1].mean(axis=0), style.points_along(path)
        for at, text in labels.items():
            away = np.array(at) - centre
            sides = _directions(away if away.any() else np.array([0.0, 1.0]))
            others = arrows[(arrows != at).any(axis=1)]
            shift = style.clear_shift(ax, np.array(at), sides, others, 13)
            lines = text.split("\n")
            wider = 1.0 + 0.25 * (max(map(len, lines)) - 1)  # the shift is of the text's centre
            style.annotate(ax, text, at, shift * [wider, 0.5 + 0.5 * len(lines)])


def _directions(first: Array) -> Array:
    """Return 16 unit vectors around the circle: ``first``, and then those nearest to it first."""
    turns = np.arange(16) * (2 * np.pi / 16)
    order = np.argsort(np.minimum(turns, 2 * np.pi - turns), kind="stable")
    angles = np.arctan2(first[1], first[0]) + turns[order]
    return np.column_stack([np.cos(angles), np.sin(angles)])
