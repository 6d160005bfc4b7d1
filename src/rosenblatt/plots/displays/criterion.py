"""Values of a criterion during training, against the number of rows used."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, Self

import numpy as np

from rosenblatt.plots import base, style
from rosenblatt.theory.textbook.claims import check_trace
from rosenblatt.theory.textbook.criteria import Criterion, check_criterion, values
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.tables import format_cell
from rosenblatt.utils.words import count

LOG_RATIO = 30.0  # ratio of the largest to the smallest positive value that gives a log scale
LINEAR_SHARE = 1e-3  # share of the largest value below which the scale is linear, if 0 is reached


class Curve(NamedTuple):
    """The value of a criterion between the updates of w.

    Attributes
    ----------
    looks : array of shape (k + 2,)
        Number of rows used before each weight vector, and at the end.
    values : array of shape (k + 2,)
        Value of the criterion from there on; the last value twice.
    """

    looks: Array
    values: Array


class CriterionDisplay(base.Display):
    """A criterion J(w) against the number of rows used, for a comparison of algorithms.

    A batch update uses all rows, a single-sample step one row. Create it by `from_traces`. Lecture
    rows L4.5, L4.7, L2.7.

    Parameters
    ----------
    curves : dict of str to Curve
        At most four.
    name : str
        Name of the criterion.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, Figure
    lines_ : list of matplotlib artists

    Examples
    --------
    >>> from rosenblatt import toys
    >>> from rosenblatt.criteria import Misclassified
    >>> from rosenblatt.textbook import batch_descent
    >>> toy = toys.unit_square(20)
    >>> runs = {"batch": batch_descent(toy.X, toy.y)}
    >>> display = CriterionDisplay.from_traces(runs, Misclassified())
    >>> display.curves["batch"].looks[:3]
    array([ 0, 20, 40])
    """

    size = (5.6, 4.2)

    def __init__(self, curves: dict[str, Curve], name: str) -> None:
        self.curves, self.name = curves, name

    @classmethod
    def from_traces(
        cls,
        runs: Trace | Mapping[str, Trace],
        criterion: Criterion,
        *,
        name: str | None = None,
        ax: style.Axes | None = None,
    ) -> Self:
        """Evaluate the criterion for all weights of each run, on the run's rows, and draw it.

        Parameters
        ----------
        runs : Trace, or mapping of str to Trace
            One run, with the name of its algorithm; or one to four runs by name.
        criterion : Criterion
            A criterion of `rosenblatt.criteria`, or your own.
        name : str, default None
            Name of the criterion; None takes the name of its class.
        ax : matplotlib Axes, optional

        Raises
        ------
        TypeError
            ``runs`` are neither a trace nor a mapping.
        ValueError
            There is no run, or more than there are colours.
        """
        check_criterion(criterion)
        if isinstance(runs, Trace):
            runs = {runs.algorithm.replace("_", " "): runs}
        if not isinstance(runs, Mapping):
            raise TypeError(
                f'runs must be a Trace, or a mapping like {{"batch": run}}; '
                f"got {type(runs).__name__}"
            )
        for run in runs.values():
            check_trace(run)
        if not 1 <= len(runs) <= len(style.SERIES):
            raise ValueError(f"runs must be from 1 to {len(style.SERIES)}, got {len(runs)}")
        curves = {named: _curve(run, criterion) for named, run in runs.items()}
        words = re.sub("(?<!^)(?=[A-Z])", " ", type(criterion).__name__).capitalize()
        return cls(curves, words if name is None else name).plot(ax)

    def _draw(self, ax: style.Axes) -> None:
        self.lines_ = []
        for curve, (colour, marker) in zip(self.curves.values(), style.SERIES, strict=False):
            look = {"color": colour, "linewidth": 1.2, "marker": marker, "markevery": [-1]}
            self.lines_ += ax.step(curve.looks, curve.values, where="post", **look)
        _scale(ax, np.concatenate([curve.values for curve in self.curves.values()]))
        style.open_frame(ax)
        ax.set(xlabel="rows used", ylabel=f"{self.name}, J(w)")
        style.legend(ax, self.lines_, list(self.curves))
        style.title(ax, *self._words())

    def _words(self) -> tuple[str, str]:
        ends = {name: (curve.values[-1], curve.looks[-1]) for name, curve in self.curves.items()}
        best = min(ends, key=lambda name: ends[name])
        last, looks = ends[best]
        if len(ends) > 1:
            return f"Smallest at the end: {best}", f"J = {last:.4g} after {count(looks, 'row')}"
        first = self.curves[best].values[0]
        return f"J from {format_cell(first)} to {format_cell(last)}", f"{count(looks, 'row')} used"


def _curve(run: Trace, criterion: Criterion) -> Curve:
    criterion_values = values(criterion, run)
    looks = np.searchsorted(run.used, np.arange(len(criterion_values)))  # first step of each w
    return Curve(np.append(looks, len(run)), np.append(criterion_values, criterion_values[-1]))


def _scale(ax: style.Axes, criterion_values: Array) -> None:
    """Set a logarithmic scale if the positive values have a large ratio."""
    lowest = criterion_values[criterion_values > 0].min(initial=np.inf)
    highest = criterion_values.max()
    if highest <= LOG_RATIO * lowest:
        return
    if criterion_values.min() > 0:
        ax.set_yscale("log")
    else:
        ax.set_yscale("symlog", linthresh=max(lowest, LINEAR_SHARE * highest))
        ax.set_ylim(bottom=0)
