"""Progress of a run on a cluster: a line for each epoch, and notes on workers and shards."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.progress import Column, GrowingTable
from rosenblatt.learning.evaluation.intervals import anytime_interval
from rosenblatt.learning.evaluation.progressive import Line

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.cluster.clients import WorkerWatch

_COLUMNS = (
    Column(("", "epoch"), 7),
    Column(("", "examples"), 13),
    Column(("", "error"), 9, "bold"),
    Column(("95 %", "interval"), 15),
    Column(("", "updates"), 11),
    Column(("", "time"), 10, "dim"),
    Column(("", "workers"), 9, "dim"),
)


class ClusterProgress:
    """Printer of the epochs of a run.

    Parameters
    ----------
    console : Console
    watch : WorkerWatch

    Attributes
    ----------
    epochs : int
        The last one.
    lines : list of Line
        Of the first epoch, whose rows were predicted before they were learned.
    """

    def __init__(self, console: Console, watch: WorkerWatch) -> None:
        self.watch, self.epochs, self.lines = watch, 0, list[Line]()
        self._table = GrowingTable(console, _COLUMNS)

    def add(self, row: tuple[Any, ...], examples: int) -> None:
        """Print an epoch; a worker that was lost in it is said before.

        Parameters
        ----------
        row : tuple
            A row of the history.
        examples : int
            Learned so far.
        """
        self.epochs, _, updates, errors, _, norm, seconds = row
        workers = self.watch.count()
        learned, interval = examples // self.epochs, ""
        if self.epochs == 1:  # later the rows were learned before
            low, high = anytime_interval(errors, learned)
            rate = learned / max(seconds, 1e-9)
            line = Line(learned, errors, errors / learned, low, high, updates, norm, rate)
            self.lines.append(line)
            interval = fmt.interval(low, high)
        self._table.add_line(
            [
                f"{self.epochs:,}",
                fmt.short_count(learned, 11),
                fmt.percent(errors / learned),
                interval,
                fmt.short_count(updates, 9),
                fmt.seconds(seconds),
                f"{workers:,}",
            ]
        )


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Print warnings of a fit as notes, those of shards that differ with the option that helps."""
    from rosenblatt.cluster.reports import ShardsDifferWarning

    def show(message: Warning | str, *others: object, **more: object) -> None:
        if isinstance(message, ShardsDifferWarning) and not message.interleaved:
            terminal.note(f"{message.problem} --interleave deals the rows to the shards in turn.")
        else:
            terminal.note(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield
