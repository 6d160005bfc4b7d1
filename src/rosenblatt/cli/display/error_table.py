"""Table of ``validate``: the error so far, and alarms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt.cli.display import fmt
from rosenblatt.cli.display.progress import Column, GrowingTable

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.learning.evaluation.drift import Alarm
    from rosenblatt.learning.evaluation.validation import Point


class ErrorTable(GrowingTable):
    """Printer of the error after 1, 2, 4, 8, … examples, and of the alarms between them.

    Parameters
    ----------
    console : rich.console.Console
    window : int
        Last examples, whose error it has besides.
    """

    def __init__(self, console: Console, window: int) -> None:
        headers = (("", "examples"), ("error", "so far"), ("95 %", "interval"))
        last = ("error of the", f"last {window:,}")
        widths = (13, 10, 15, 15)
        super().__init__(console, list(map(Column, [*headers, last], widths)))

    def add(self, event: Point | Alarm) -> None:
        """Print an alarm, or the line of a point, if it has one."""
        from rosenblatt.learning.evaluation.validation import Point, is_power_of_two

        if not isinstance(event, Point):
            line = f"{event.example:>13,}   drift: {format_alarm(event)}"
            self.console.print(line, style="yellow")
        elif is_power_of_two(event.examples):
            self._add_point(event)

    def end(self, last: Point) -> None:
        """Print the last line, unless it is there already."""
        from rosenblatt.learning.evaluation.validation import is_power_of_two

        if not is_power_of_two(last.examples):
            self._add_point(last)

    def _add_point(self, point: Point) -> None:
        shares = fmt.percent(point.error), fmt.interval(point.low, point.high)
        self.add_line([f"{point.examples:,}", *shares, fmt.percent(point.windowed)])


def format_alarm(alarm: Alarm) -> str:
    """Return the error since a change, and before it."""
    after, before = fmt.percent(alarm.after), fmt.percent(alarm.before)
    return f"error {after} since example {alarm.since:,}, {before} before"
