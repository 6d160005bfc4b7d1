"""Mistakes of many runs, and their bound, as the data become harder."""

from __future__ import annotations

from typing import Self

import numpy as np

from rosenblatt.plots import base, checks, style
from rosenblatt.studies import Growth
from rosenblatt.utils.checks import Floats
from rosenblatt.utils.tables import format_cell


class GrowthDisplay(base.Display):
    """Mistakes against a parameter of the data: median, quartiles, every sample, and the bound.

    Both axes are logarithmic if all numbers are positive. Create it by `from_study`. Lecture row
    L2.4.

    Parameters
    ----------
    x : array of shape (k,)
        Values of the parameter, ascending.
    mistakes, bound : array of shape (k, repeats)
    name, counted : str
        Labels of the axes.

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

    size = (4.8, 4.0)

    def __init__(
        self, x: Floats, mistakes: Floats, bound: Floats, *, name: str, counted: str
    ) -> None:
        self.x, self.mistakes, self.bound = x, mistakes, bound
        self.name, self.counted = name, counted

    @classmethod
    def from_study(cls, study: Growth, *, ax: style.Axes | None = None) -> Self:
        """Draw the result of a ``mistakes_by_…`` of :mod:`rosenblatt.studies`.

        Parameters
        ----------
        study : Growth
        ax : matplotlib Axes, optional
        """
        checks.check_instance(study, Growth, "study", "rosenblatt.studies.mistakes_by_margin")
        names = {"name": study.name, "counted": study.counted}
        return cls(study.x, study.mistakes, study.bound, **names).plot(ax)

    def _draw(self, ax: style.Axes) -> None:
        low, middle, high = np.quantile(self.mistakes, [0.25, 0.5, 0.75], axis=1)
        repeated_x = np.repeat(self.x, self.mistakes.shape[1])
        look: style.Look = {"color": style.GREEN, "alpha": 0.35, "linewidths": 0}
        self.dots_ = ax.scatter(repeated_x, self.mistakes, s=9, **look)
        look = {"color": style.GREEN, "alpha": 0.25, "linewidth": 0}
        self.quartiles_ = ax.fill_between(self.x, low, high, **look)
        (self.median_,) = ax.plot(self.x, middle, color=style.GREEN, linewidth=2, marker="d")
        look = {"color": style.PURPLE, "linewidth": 2, "linestyle": "--"}
        (self.bound_,) = ax.plot(self.x, np.median(self.bound, axis=1), **look)
        ax.set(xlabel=self.name, ylabel=self.counted)
        if min(self.x.min(), self.mistakes.min()) > 0:
            style.log_axis(ax, "x")
            style.log_axis(ax, "y")
            ax.set_ylim(top=4 * self.bound.max())  # space for the legend
        else:
            ax.set_ylim(0, 1.2 * self.bound.max())
            ax.locator_params(nbins=5)
        style.open_frame(ax)
        style.title(ax, *self._words())
        handles = [self.bound_, self.median_, self.quartiles_]
        look = {"loc": "upper left", "ncols": 3, "frameon": False}
        ax.legend(handles, ["bound", "median", "quartiles"], **look)

    def _words(self) -> tuple[str, str]:
        medians, nearest = np.median(self.mistakes, axis=1), (self.mistakes / self.bound).max()
        share = f"at most {format_cell(100 * nearest)} % of the bound"
        return f"{_ends(medians)} {self.counted}", f"{self.name}: {_ends(self.x)}\n{share}"


def _ends(values: Floats) -> str:
    return f"{format_cell(values.min())} to {format_cell(values.max())}"
