"""What the order of the rows changes: one dot an order."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.inputs import Floats, choice
from rosenblatt.plots import style
from rosenblatt.plots.given import check_made
from rosenblatt.plots.style import BLUE, INK, VERMILION
from rosenblatt.plots.ticks import by_factors
from rosenblatt.studies import Orders
from rosenblatt.tables import cell

FACTORS = 10  # counts that reach this many times the least are drawn by factors


class OrdersDisplay:
    """One measure of runs over the same rows in many orders: a dot an order, in lanes by way.

    A lane holds the runs in random orders, with their median, and as squares the two that had all
    of one class before the other. Make one by `from_study`. Lecture row L3.6.

    Parameters
    ----------
    lanes : dict of str to array of shape (k,)
        The measure in random orders, by way.
    by_label : dict of str to array of shape (2,)
        The same, sorted by label; a way may be missing.
    measure : str
        "mistakes", "epochs", "error", "angle" or "margin".

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, Figure
    dots_, medians_, squares_ : list of matplotlib artists
        One a lane; squares where there are some.

    Examples
    --------
    >>> from rosenblatt import studies, toys
    >>> toy = toys.unit_square(50)
    >>> study = studies.orders(toy.X, toy.signs, orders=20)
    >>> display = OrdersDisplay.from_study(study, "epochs")
    >>> display.lanes["one pass"].tolist() == [1] * 20
    True
    """

    def __init__(self, lanes: dict[str, Floats], by_label: dict[str, Floats], measure: str) -> None:
        self.lanes, self.by_label, self.measure = lanes, by_label, measure

    @classmethod
    def from_study(
        cls, study: Orders, measure: str = "mistakes", *, ax: Any = None
    ) -> OrdersDisplay:
        """Draw one measure of :func:`rosenblatt.studies.orders`.

        Parameters
        ----------
        study : Orders
        measure : str, default "mistakes"
            A field of its spreads: "mistakes", "epochs", "error", "angle" or "margin".
        ax : matplotlib Axes, default None
            Where to draw; None begins a new picture.

        Raises
        ------
        TypeError
            If `study` is another.
        ValueError
            If `measure` is another, or no run of a way has it, since all end at w = 0.
        """
        check_made(study, Orders, "study", "rosenblatt.studies.orders")
        choice(measure, "measure", tuple(_MEASURES))

        def values(way: str) -> Floats:
            found = np.asarray(getattr(getattr(study, way), measure), np.float64)
            if np.isnan(found).all():
                raise ValueError(f"study must have a {measure}, but w is zero in every run {way}")
            return found

        lanes = {
            "one pass": values("once"),
            "until clean,\none order": values("fixed"),
            "until clean,\nshuffled": values("shuffled"),
        }
        by_label = dict(
            zip(lanes, [values("once_by_label"), values("fixed_by_label")], strict=False)
        )
        return cls(lanes, by_label, measure).plot(ax)

    @style.dressed
    def plot(self, ax: Any = None) -> OrdersDisplay:
        """Draw it, on ``ax`` or on a new picture.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        self.ax_ = ax = style.axes_for(ax, 6.4, 3.4)
        self.figure_ = ax.figure
        self.dots_: list[Any] = []
        self.medians_: list[Any] = []
        self.squares_: list[Any] = []
        measure = _MEASURES[self.measure]
        for place, (lane, values) in enumerate(self.lanes.items()):
            self._draw_lane(place, measure.times * values)
            if lane in self.by_label:
                ends, look = measure.times * self.by_label[lane], {"marker": "s", "zorder": 4}
                self.squares_.append(ax.scatter(ends, 2 * [place], s=46, color=VERMILION, **look))
        ax.set(xlabel=measure.label, yticks=range(len(self.lanes)), yticklabels=list(self.lanes))
        ax.set_ylim(len(self.lanes) - 0.5, -0.5)
        ax.tick_params(axis="y", length=0, labelsize=9)
        low, high = self._range()
        if measure.counts and 0 < FACTORS * low <= high:
            by_factors(ax, "x")
        elif measure.counts:
            ax.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
        style.plain(ax)
        ax.spines["left"].set_visible(False)
        style.title(ax, *self._words(measure))
        return self

    def _draw_lane(self, place: int, values: Floats) -> None:
        """Dots at random heights, the same each time, and a bar at their median."""
        heights = place + 0.28 * np.random.default_rng(place).uniform(-1, 1, len(values))
        look: dict[str, Any] = {"color": BLUE, "alpha": 0.45, "linewidths": 0}
        self.dots_.append(self.ax_.scatter(values, heights, s=16, **look))
        middle, look = np.nanmedian(values), {"color": INK, "linewidth": 2.4, "zorder": 3}
        self.medians_ += self.ax_.plot(2 * [middle], [place - 0.38, place + 0.38], **look)

    def _range(self) -> tuple[float, float]:
        """The least and the largest of all that is drawn."""
        drawn = np.concatenate([*self.lanes.values(), *self.by_label.values()])
        return float(np.nanmin(drawn)), float(np.nanmax(drawn))

    def _words(self, measure: _Measure) -> tuple[str, str]:
        low, high = (measure.times * end for end in self._range())
        digits = max(0, 2 - int(np.floor(np.log10(max(-low, high, 0.001)))))
        ends = f"from {cell(np.round(low, digits))} to {cell(np.round(high, digits))}"
        orders = len(next(iter(self.lanes.values())))
        evidence = f"{orders} orders of the same rows; bar: median; squares: sorted by label"
        return f"{measure.name} {ends}{measure.unit}", evidence


class _Measure(NamedTuple):
    """How a measure is written and drawn."""

    name: str
    label: str
    unit: str = ""
    times: int = 1
    counts: bool = False


_MEASURES = {
    "mistakes": _Measure("Mistakes", "mistakes", counts=True),
    "epochs": _Measure("Epochs", "epochs", counts=True),
    "error": _Measure("Error", "rows wrong, %", " %", times=100),
    "angle": _Measure("Direction", "angle between w and the mean w, °", "°"),
    "margin": _Measure("Margin", "geometric margin, min y (w·x + b)/‖w‖"),
}
