"""Mistakes beside the bound on them, as the data get harder."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.inputs import Floats
from rosenblatt.plots import style
from rosenblatt.plots.given import check_made
from rosenblatt.plots.style import BLUE, VERMILION
from rosenblatt.plots.ticks import by_factors
from rosenblatt.studies import Growth
from rosenblatt.tables import cell


class GrowthDisplay:
    """Mistakes against what grows: the median with its quartiles, every draw, and the bound.

    Both axes grow by factors where all numbers are positive. Make one by `from_study`. Lecture
    row L2.4.

    Parameters
    ----------
    x : array of shape (k,)
        The places, rising.
    mistakes, bound : array of shape (k, repeats)
    name, counted : str
        What the axes are called.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, Figure
    dots_, median_, quartiles_, bound_ : matplotlib artists

    Examples
    --------
    >>> from rosenblatt import studies
    >>> study = studies.mistakes_by_margin((0.4, 0.1), repeats=5)
    >>> display = GrowthDisplay.from_study(study)
    >>> display.name, display.mistakes.shape
    ('1/γ²', (2, 5))
    """

    def __init__(
        self, x: Floats, mistakes: Floats, bound: Floats, *, name: str, counted: str
    ) -> None:
        self.x, self.mistakes, self.bound = x, mistakes, bound
        self.name, self.counted = name, counted

    @classmethod
    def from_study(cls, study: Growth, *, ax: Any = None) -> GrowthDisplay:
        """Draw what a ``mistakes_by_…`` of :mod:`rosenblatt.studies` returned.

        Parameters
        ----------
        study : Growth
        ax : matplotlib Axes, default None
            Where to draw; None begins a new picture.

        Raises
        ------
        TypeError
            If `study` is another.
        """
        check_made(study, Growth, "study", "rosenblatt.studies.mistakes_by_margin")
        names = {"name": study.name, "counted": study.counted}
        return cls(study.x, study.mistakes, study.bound, **names).plot(ax)

    @style.dressed
    def plot(self, ax: Any = None) -> GrowthDisplay:
        """Draw it, on ``ax`` or on a new picture.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        self.ax_ = ax = style.axes_for(ax, 4.8, 4.0)
        self.figure_ = ax.figure
        low, middle, high = np.quantile(self.mistakes, [0.25, 0.5, 0.75], axis=1)
        places = np.repeat(self.x, self.mistakes.shape[1])
        look: dict[str, Any] = {"color": BLUE, "linewidth": 0, "alpha": 0.25}
        self.dots_ = ax.scatter(places, self.mistakes, s=9, color=BLUE, alpha=0.35, linewidths=0)
        self.quartiles_ = ax.fill_between(self.x, low, high, **look)
        (self.median_,) = ax.plot(self.x, middle, color=BLUE, linewidth=2, marker="o")
        look = {"color": VERMILION, "linewidth": 2, "linestyle": "--"}
        (self.bound_,) = ax.plot(self.x, np.median(self.bound, axis=1), **look)
        ax.set(xlabel=self.name, ylabel=self.counted)
        if min(self.x.min(), self.mistakes.min()) > 0:
            by_factors(ax, "x")
            by_factors(ax, "y")
            ax.set_ylim(top=4 * self.bound.max())  # room for the legend
        else:
            ax.set_ylim(0, 1.2 * self.bound.max())
            ax.locator_params(nbins=5)
        style.plain(ax)
        style.title(ax, *self._words())
        handles = [self.bound_, self.median_, self.quartiles_]
        look = {"loc": "upper left", "ncols": 3, "frameon": False, "fontsize": 9}
        ax.legend(handles, ["bound", "median", "quartiles"], **look)
        return self

    def _words(self) -> tuple[str, str]:
        medians, nearest = np.median(self.mistakes, axis=1), (self.mistakes / self.bound).max()
        finding = f"{_ends(medians)} {self.counted}"
        return (
            finding,
            f"{self.name}: {_ends(self.x)}; at most {cell(100 * nearest)} % of the bound",
        )


def _ends(values: Floats) -> str:
    return f"{cell(values.min())} to {cell(values.max())}"
