"""Progressive error against the number of examples, with its interval and the drift alarms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np

from rosenblatt.learning.evaluation.drift import Alarm
from rosenblatt.learning.evaluation.progress import most_frequent
from rosenblatt.learning.evaluation.validation import Point, Validation, read_lines
from rosenblatt.plots import base, checks, style

HEADROOM = 1.18  # upper limit of the axis, relative to the largest error after the warm-up
WARM_UP = 50  # first examples, which do not set the limit of the axis


class ProgressiveDisplay(base.Display):
    """Error over the last examples and over all examples, with the drift alarms.

    The band is the anytime confidence interval of the error over all examples: it holds at all
    examples simultaneously. A vertical line is an alarm, and the bar before it starts at the
    example since which the error is higher. The axis of examples is logarithmic if the points
    double. Create it by `from_validation` or `from_lines`. Lecture row L2.4.

    Parameters
    ----------
    points : list of rosenblatt.validation.Point
        At least one.
    alarms : list of rosenblatt.drift.Alarm
    changes : sequence of int, default ()
        Examples at which the data changed, where they are known: dotted lines.
    baseline : float, optional
        Error of always predicting the most frequent label: a dashed line.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, Figure
    overall_, band_ : matplotlib artists
    windowed_ : matplotlib artist, or None
        None where the window has all examples: it would be the same line.
    baseline_ : matplotlib artist, or None
    alarms_, changes_ : list of matplotlib artists

    Raises
    ------
    ValueError
        If there are no points.

    Examples
    --------
    >>> from rosenblatt import Perceptron, validation
    >>> from rosenblatt.streams import open_stream
    >>> digits = open_stream("sklearn:digits")
    >>> found = validation.validate(Perceptron(shuffle=False), digits, window=200, every=20)
    >>> display = ProgressiveDisplay.from_validation(found)
    >>> len(display.alarms_)
    0
    """

    size = (6.4, 3.6)

    def __init__(
        self,
        points: list[Point],
        alarms: list[Alarm],
        changes: Sequence[int] = (),
        baseline: float | None = None,
    ) -> None:
        if not points:
            raise ValueError("points must have one entry or more: no example was predicted")
        self.points, self.alarms, self.changes = points, alarms, changes
        self.baseline = baseline

    @classmethod
    def from_validation(
        cls, validation: Validation, *, changes: Sequence[int] = (), ax: style.Axes | None = None
    ) -> Self:
        """Draw what :func:`rosenblatt.validation.validate` returned.

        Parameters
        ----------
        validation : Validation
            Its option ``every`` determines the points of the curve.
        changes : sequence of int, default ()
            Examples at which the data changed, where they are known.
        ax : matplotlib Axes, optional
        """
        checks.check_instance(
            validation, Validation, "validation", "rosenblatt.validation.validate"
        )
        labels: Counter[object] = Counter()
        for (label, _), number in validation.confusion.items():
            labels[label] += number
        baseline = most_frequent(labels)[1] if labels else None
        return cls(validation.points, validation.alarms, changes, baseline).plot(ax)

    @classmethod
    def from_lines(cls, path: str | Path, *, ax: style.Axes | None = None) -> Self:
        """Draw a file that ``rosenblatt validate --lines`` or ``Validation.to_lines`` wrote.

        Parameters
        ----------
        path : str or Path
        ax : matplotlib Axes, optional
        """
        return cls(*read_lines(path)).plot(ax)

    def _draw(self, ax: style.Axes) -> None:
        examples = np.array([point.examples for point in self.points])
        shares = np.array([(p.windowed, p.error, p.low, p.high) for p in self.points])
        windowed, overall, low, high = 100 * shares.T
        self.band_ = ax.fill_between(examples, low, high, color=style.GREY, alpha=0.3, linewidth=0)
        (self.overall_,) = ax.plot(examples, overall, color=style.INK, linewidth=1.2)
        self.windowed_ = self.baseline_ = None
        if (windowed != overall).any():
            (self.windowed_,) = ax.plot(examples, windowed, color=style.GREEN, linewidth=1.8)
        if self.baseline is not None:
            level, look = 100 * self.baseline, {"linewidth": 1.2, "linestyle": "dashed"}
            self.baseline_ = ax.axhline(level, color=style.GREY, zorder=1, **look)
        ax.set(xlabel="examples", ylabel="error, %", ylim=(0, 100))
        if self._doubles():
            style.log_axis(ax, "x")
        else:
            late = examples >= min(WARM_UP, examples[-1])
            top = max(windowed[late].max(), overall[late].max(), 1.0)
            level = 100 * (self.baseline or 0.0)
            ax.set_ylim(top=HEADROOM * (level if top < level < 2 * top else top))
            ax.set_xlim(0, examples[-1])
            ax.xaxis.set_major_formatter("{x:,.0f}")
        look = {"color": style.INK, "linewidth": 1.4, "linestyle": "dotted"}
        self.changes_ = [ax.axvline(change, **look) for change in self.changes]
        self.alarms_ = [self._draw_alarm(alarm) for alarm in self.alarms]
        style.open_frame(ax)
        style.title(ax, *self._words())
        marks: dict[str, style.Artist] = (
            {} if self.windowed_ is None else {"last examples": self.windowed_}
        )
        marks |= {"all examples": self.overall_, "95 % interval": self.band_}
        if self.baseline is not None:
            is_above = 100 * self.baseline > ax.get_ylim()[1]
            name = f"baseline {_percent(self.baseline)}{', above' if is_above else ''}"
            marks[name] = self.baseline_
        if self.alarms_:
            marks["alarm, with its start"] = self.alarms_[0]
        if self.changes_:
            marks["true change"] = self.changes_[0]
        style.legend(ax, list(marks.values()), list(marks), columns=3)

    def _doubles(self) -> bool:
        """Return True if each point, except the last, has twice the examples of the one before."""
        counts = [point.examples for point in self.points[:-1]]
        return len(counts) > 1 and counts[-1] >= 2 * counts[-2]

    def _draw_alarm(self, alarm: Alarm) -> style.Artist:
        """Draw an alarm as a line, with a bar that starts where the error increased."""
        look: style.Look = {"color": style.PURPLE, "zorder": 3}
        top = self.ax_.get_ylim()[1]
        ends = [alarm.since, alarm.example]
        self.ax_.plot(ends, [0.985 * top] * 2, linewidth=4, solid_capstyle="butt", **look)
        return self.ax_.axvline(alarm.example, linewidth=1.4, **look)

    def _words(self) -> tuple[str, str]:
        last = self.points[-1]
        counts = f"{last.errors:,} of {last.examples:,} wrong"
        summary = f"{counts}, each predicted before it was learned"
        if not self.alarms:
            return f"Error {_percent(last.error)}", summary
        worst = max(self.alarms, key=lambda alarm: alarm.after - alarm.before)
        alarms = "one alarm" if len(self.alarms) == 1 else f"{len(self.alarms)} alarms"
        rise = f"from {_percent(worst.before)} to {_percent(worst.after)}"
        return f"The error rose {rise} at example {worst.since:,}", f"{summary}; {alarms}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
