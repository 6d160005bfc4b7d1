"""What happens in a run of ``rosenblatt train``, told to the screen."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.cli.display import fmt
from rosenblatt.cli.display.errors import Failure
from rosenblatt.cli.display.progress import ProgressTable
from rosenblatt.cli.inputs.proofs import check_labels
from rosenblatt.learning.evaluation.intervals import anytime_interval
from rosenblatt.learning.evaluation.progressive import Line
from rosenblatt.learning.kernel.gram import resolve_gamma
from rosenblatt.theory.kernels import NAMES_WITH_GAMMA

if TYPE_CHECKING:
    from rosenblatt.learning.evaluation.progressive import Standing
    from rosenblatt.streams import Batch, Stream


class TrainingMonitor:
    """Takes what happens to the table, and stops a run whose weights have run away."""

    def __init__(self, model: Any, table: ProgressTable, stream: Stream) -> None:
        self.model, self.table, self.stream = model, table, stream
        self._counts = (0, 0)
        self._examples = self._label_changes = 0
        self._last_label: Any = None

    def resume(self, start: Standing, record: dict[str, Any]) -> None:
        """Go on where an earlier run stopped, and left the record ``record``."""
        lines = [Line(**line) for line in record["lines"]]
        for line in lines if start.last is None else [*lines, start.last]:
            self.table.add(line, timed=False)
        if start.epoch > 1:  # else the first pass is read anew
            self._examples, self._label_changes = start.examples, record["changes"]
            self._counts = start.counts

    def record(self) -> dict[str, Any]:
        """What to note of the run, so that another goes on with it."""
        lines = [line for line in self.table.lines if line.examples.bit_count() == 1]
        return {
            "lines": [line._replace(rate=0.0)._asdict() for line in lines],
            "changes": self._label_changes,
        }

    def begin_batch(self, batch: Batch, examples: int, epoch: int, length: int | None) -> None:
        """A batch is about to be learned."""
        check_labels(batch.y, self.stream)
        if examples == 0 and getattr(self.model, "kernel", None) in NAMES_WITH_GAMMA:
            # the learner itself meets the first row alone, which says little of the variance
            self.model.gamma = resolve_gamma(self.model.kernel, self.model.gamma, batch.X)
        self.table.show_position(examples, epoch, length)
        if epoch == 1:
            y = batch.y
            joint = self._last_label is not None and y[0] != self._last_label
            self._label_changes += int(np.count_nonzero(y[1:] != y[:-1]) + joint)
            self._last_label = y[-1]
            self._examples += len(y)

    def add(self, line: Line) -> None:
        """One more line of the first pass."""
        if not math.isfinite(line.norm):
            raise overflow_failure(f"after {fmt.count(line.examples, 'example')} ")
        if line.examples:
            self.table.add(line)

    def end_pass(self, epoch: int) -> None:
        """A pass is over."""
        if not self.model.__sklearn_is_fitted__():
            return
        before, self._counts = self._counts, (self.model.mistakes_, self.model.updates_)
        if epoch == 1:
            self.add(self._last_line())
        else:
            self.table.end_pass(epoch, self._counts[0] - before[0], self._counts[1] - before[1])

    def _last_line(self) -> Line:
        """The table's last line, before the later passes have their say."""
        errors, lines = self.model.errors_, self.table.lines
        examples, errors_before = (lines[-1].examples, lines[-1].errors) if lines else (0, 0)
        return Line(
            examples=self._examples,
            errors=errors,
            since=(errors - errors_before) / max(1, self._examples - examples),
            **dict(zip(("low", "high"), anytime_interval(errors, self._examples), strict=True)),
            updates=self.model.updates_,
            norm=self.model._norm(),
            rate=0.0,  # the learner's own last line has it
        )

    @property
    def classes(self) -> list[Any]:
        """The labels so far."""
        return self.model.classes_.tolist() if self.model.__sklearn_is_fitted__() else []

    @property
    def is_grouped_by_label(self) -> bool:
        """Whether equal labels stand together, as in a sorted file."""
        classes = len(self.classes)
        return self._examples >= 20 * classes and self._label_changes < 2 * classes


def overflow_failure(when: str) -> Failure:
    """Weights without end."""
    return Failure(
        f"{when}the weights are too large for floating-point numbers: choose a smaller --eta0, "
        "or scale the features. No model was written."
    )
