"""Output during ``rosenblatt train``: the progress table, and checks of its weights."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.cli.display import fmt
from rosenblatt.cli.display.errors import Failure
from rosenblatt.cli.display.progress import ProgressTable
from rosenblatt.learning.evaluation.progressive import Line

if TYPE_CHECKING:
    from rosenblatt.learning.evaluation.progressive import Standing
    from rosenblatt.streams import Batch


class TrainingMonitor:
    """Printer of a run's progress; stops a run whose weights overflow.

    Parameters
    ----------
    table : ProgressTable
    """

    def __init__(self, table: ProgressTable) -> None:
        self.table = table
        self._label_changes = 0
        self._last_label: Any = None

    def resume(self, start: Standing, record: dict[str, Any]) -> None:
        """Print the lines of an earlier run from its :meth:`record`."""
        lines = [Line(**line) for line in record["lines"]]
        for line in lines if start.last is None else [*lines, start.last]:
            self.table.add(line, timed=False)
        if start.epoch > 1:  # else the first epoch is read again
            self._label_changes = record["changes"]

    def record(self) -> dict[str, Any]:
        """Return what a resumed run needs to print the same table."""
        lines = [line for line in self.table.lines if line.examples.bit_count() == 1]
        return {
            "lines": [line._replace(rate=0.0)._asdict() for line in lines],
            "changes": self._label_changes,
        }

    def begin_batch(self, batch: Batch, examples: int, epoch: int, length: int | None) -> None:
        """Update the status line, and count the changes of the label."""
        self.table.show_position(examples, epoch, length)
        if epoch == 1:
            y = batch.y
            joint = self._last_label is not None and y[0] != self._last_label
            self._label_changes += int(np.count_nonzero(y[1:] != y[:-1]) + joint)
            self._last_label = y[-1]

    def add(self, line: Line) -> None:
        """Print a line of the first epoch."""
        if not math.isfinite(line.norm):
            raise overflow_failure(f"after {fmt.count(line.examples, 'example')} ")
        if line.examples:
            self.table.add(line)

    def is_grouped_by_label(self, examples: int, classes: int) -> bool:
        """Return whether rows of equal label are consecutive, as in a sorted file."""
        return examples >= 20 * classes and self._label_changes < 2 * classes


def overflow_failure(when: str) -> Failure:
    """Return the error of weights beyond the floating-point range."""
    return Failure(
        f"{when}the weights are out of the floating-point range: choose a smaller --eta0, or scale "
        "the features. No model was written."
    )
