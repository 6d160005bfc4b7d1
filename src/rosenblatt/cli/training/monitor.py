"""Output during ``rosenblatt train``: the progress table, and checks of its weights."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.display import fmt
from rosenblatt.cli.display.errors import Failure
from rosenblatt.cli.display.progress import ProgressTable
from rosenblatt.cli.options.names import WITHOUT_RATE
from rosenblatt.learning.evaluation.label_order import LabelOrder
from rosenblatt.learning.evaluation.progressive import Line

if TYPE_CHECKING:
    from rosenblatt.learning.evaluation.progressive import Standing
    from rosenblatt.streams import Batch


class TrainingMonitor:
    """Printer of a run's progress; stops a run whose weights overflow.

    Parameters
    ----------
    table : ProgressTable
    rule : str
        The name of the rule.
    """

    def __init__(self, table: ProgressTable, rule: str) -> None:
        self.table, self.rule = table, rule
        self.label_order = LabelOrder()

    def resume(self, start: Standing, record: dict[str, Any]) -> None:
        """Print the lines of an earlier run from its :meth:`record`."""
        lines = [Line(**line) for line in record["lines"]]
        for line in lines if start.last is None else [*lines, start.last]:
            self.table.add(line, timed=False)
        if start.epoch > 1:  # else the first epoch is read again
            self.label_order = LabelOrder(record["changes"])

    def record(self) -> dict[str, Any]:
        """Return what a resumed run needs to print the same table."""
        lines = [line for line in self.table.lines if line.examples.bit_count() == 1]
        return {
            "lines": [line._replace(rate=0.0)._asdict() for line in lines],
            "changes": self.label_order.changes,
        }

    def begin_batch(self, batch: Batch, examples: int, epoch: int, length: int | None) -> None:
        """Update the status line, and count the changes of the label."""
        self.table.show_position(examples, epoch, length)
        if epoch == 1:
            self.label_order.add(batch.y)

    def add(self, line: Line) -> None:
        """Print a line of the first epoch."""
        if not math.isfinite(line.norm):
            raise overflow_failure(f"after {fmt.count(line.examples, 'example')} ", self.rule)
        if line.examples:
            self.table.add(line)


def overflow_failure(when: str, rule: str) -> Failure:
    """Return the error of weights beyond the floating-point range."""
    smaller = "" if rule in WITHOUT_RATE else "choose a smaller --eta0, or "
    return Failure(
        f"{when}the weights are out of the floating-point range: {smaller}scale the features. No "
        "model was written."
    )
