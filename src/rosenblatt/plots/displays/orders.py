"""Effect of the order of the rows on a run."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Self, TypeAlias

import numpy as np

from rosenblatt.plots import base, checks, style
from rosenblatt.studies import Orders
from rosenblatt.utils.arrays import NDArray
from rosenblatt.utils.checks import Floats, check_choice
from rosenblatt.utils.tables import format_cell
from rosenblatt.utils.words import count

Bools: TypeAlias = NDArray[np.bool_]

LOG_RATIO = 10  # ratio of the largest to the smallest count that gives a log axis


class OrdersDisplay(base.Display):
    """One measure of runs on the same rows in many orders: one dot per order, one lane per method.

    A lane has the runs in random orders, their median, and as crosses the two runs with all rows of
    one class before the other. Runs to convergence that ended without it are hollow. Create it by
    `from_study`. Lecture row L3.6.

    Parameters
    ----------
    lanes : dict of str to array of shape (k,)
        The measure in random orders, by method.
    by_label : dict of str to array of shape (2,)
        The measure in the orders sorted by label, by method; a method may be missing.
    measure : str
        "mistakes", "epochs", "error", "angle" or "margin".
    stopped, stopped_by_label : dict of str to bool array
        Runs that the limit of epochs ended, by method; without an entry, none.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, Figure
    dots_, medians_, crosses_ : list of matplotlib artists
        One per lane; ``crosses_`` only for lanes with sorted orders.

    Examples
    --------
    >>> from rosenblatt import studies, toys
    >>> toy = toys.unit_square(50)
    >>> study = studies.orders(toy.X, toy.signs, orders=20)
    >>> display = OrdersDisplay.from_study(study, "epochs")
    >>> display.lanes["one epoch"].tolist() == [1] * 20
    True
    """

    size = (6.4, 3.4)

    def __init__(
        self,
        lanes: dict[str, Floats],
        by_label: dict[str, Floats],
        measure: str,
        *,
        stopped: Mapping[str, Bools] = MappingProxyType({}),
        stopped_by_label: Mapping[str, Bools] = MappingProxyType({}),
    ) -> None:
        self.lanes, self.by_label, self.measure = lanes, by_label, measure
        self.stopped, self.stopped_by_label = stopped, stopped_by_label

    @classmethod
    def from_study(
        cls, study: Orders, measure: str = "mistakes", *, ax: style.Axes | None = None
    ) -> Self:
        """Draw one measure of :func:`rosenblatt.studies.orders`.

        Parameters
        ----------
        study : Orders
        measure : str, default "mistakes"
            A field of :class:`~rosenblatt.studies.Spread`: "mistakes", "epochs", "error", "angle"
            or "margin".
        ax : matplotlib Axes, optional
        """
        checks.check_instance(study, Orders, "study", "rosenblatt.studies.orders")
        check_choice(measure, "measure", tuple(_MEASURES))

        def values(field: str) -> Floats:
            result = np.asarray(getattr(getattr(study, field), measure), np.float64)
            if np.isnan(result).all():
                raise ValueError(f"study must have a {measure}, but w is zero in every run {field}")
            return result

        lanes = {
            "one epoch": values("once"),
            "to convergence,\none order": values("fixed"),
            "to convergence,\nshuffled": values("shuffled"),
        }
        once, fixed, shuffled = lanes
        by_label = {once: values("once_by_label"), fixed: values("fixed_by_label")}
        stopped = {fixed: ~study.fixed.converged, shuffled: ~study.shuffled.converged}
        ends = {fixed: ~study.fixed_by_label.converged}
        return cls(lanes, by_label, measure, stopped=stopped, stopped_by_label=ends).plot(ax)

    def _draw(self, ax: style.Axes) -> None:
        self.dots_: list[style.Artist] = []
        self.medians_: list[style.Artist] = []
        self.crosses_: list[style.Artist] = []
        measure = _MEASURES[self.measure]
        for lane_index, (lane, values) in enumerate(self.lanes.items()):
            self._draw_lane(lane_index, measure.times * values)
            if lane in self.by_label:
                ends = measure.times * self.by_label[lane]
                colours = _fill(style.PURPLE, self.stopped_by_label.get(lane), len(ends))
                look = {"marker": "X", "edgecolors": style.PURPLE, "facecolors": colours}
                self.crosses_.append(ax.scatter(ends, 2 * [lane_index], s=70, zorder=4, **look))
        ax.set(xlabel=measure.label, yticks=range(len(self.lanes)), yticklabels=list(self.lanes))
        ax.set_ylim(len(self.lanes) - 0.5, -0.5)
        ax.tick_params(axis="y", length=0, labelsize=9)
        low, high = self._range()
        if measure.counts and 0 < LOG_RATIO * low <= high:
            style.log_axis(ax, "x")
        elif measure.counts:
            ax.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
        style.open_frame(ax)
        ax.spines["left"].set_visible(False)
        style.title(ax, *self._words(measure))

    def _draw_lane(self, lane_index: int, values: Floats) -> None:
        """Draw dots at reproducible random heights, and a bar at their median."""
        heights = lane_index + 0.28 * np.random.default_rng(lane_index).uniform(-1, 1, len(values))
        stopped = self.stopped.get(list(self.lanes)[lane_index])
        look: style.Look = {"edgecolors": style.GREEN, "alpha": 0.6, "linewidths": 0.8}
        look["facecolors"] = _fill(style.GREEN, stopped, len(values))
        self.dots_.append(self.ax_.scatter(values, heights, s=16, **look))
        middle, look = np.nanmedian(values), {"color": style.INK, "linewidth": 2.4, "zorder": 3}
        self.medians_ += self.ax_.plot(2 * [middle], [lane_index - 0.38, lane_index + 0.38], **look)

    def _range(self) -> tuple[float, float]:
        """Return the smallest and the largest value of all lanes."""
        drawn = np.concatenate([*self.lanes.values(), *self.by_label.values()])
        return float(np.nanmin(drawn)), float(np.nanmax(drawn))

    def _words(self, measure: _Measure) -> tuple[str, str]:
        low, high = (measure.times * end for end in self._range())
        digits = max(0, 2 - int(np.floor(np.log10(max(-low, high, 0.001)))))
        ends = f"from {format_cell(np.round(low, digits))} to {format_cell(np.round(high, digits))}"
        orders = len(next(iter(self.lanes.values())))
        evidence = f"{count(orders, 'order')} of the same rows; "
        evidence += "bar: median; crosses: sorted by label"
        ended = [*self.stopped.values(), *self.stopped_by_label.values()]
        if unfinished := sum(int(runs.sum()) for runs in ended):
            evidence += f"\nhollow: {unfinished} not converged when the limit of epochs ended them"
        return f"{measure.name} {ends}{measure.unit}", evidence


def _fill(colour: str, stopped: Bools | None, count: int) -> list[str]:
    """Return the colours of marks, hollow for runs that the limit of epochs ended."""
    hollow = np.zeros(count, np.bool_) if stopped is None else stopped
    return ["white" if run else colour for run in hollow]


class _Measure(NamedTuple):
    """Texts and scale of a measure."""

    name: str
    label: str
    unit: str = ""
    times: int = 1
    counts: bool = False


_MEASURES = {
    "mistakes": _Measure("Mistakes", "mistakes", counts=True),
    "epochs": _Measure("Epochs", "epochs", counts=True),
    "error": _Measure("Error", "error, %", " %", times=100),
    "angle": _Measure("Direction", "angle between w and the mean w, °", "°"),
    "margin": _Measure("Margin", "geometric margin, min y (w·x + b)/‖w‖"),
}
