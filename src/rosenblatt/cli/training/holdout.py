"""Held-out rows (``--holdout``) and early stopping by their error (``--early-stop``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.cli.display.errors import BadData
from rosenblatt.learning import interface
from rosenblatt.learning.decisions.sets import kept_scores
from rosenblatt.learning.tuning.held_out import HeldOutErrors, StratifiedChoice
from rosenblatt.streams.core.batch import take_rows, with_width
from rosenblatt.utils.arrays import Matrix

if TYPE_CHECKING:
    from rosenblatt.cli.display.metrics import MetricsReport
    from rosenblatt.streams import Batch


class HeldOut(HeldOutErrors):
    """A random share of the rows of a stream, in memory, and the errors on it after each epoch.

    Each class has the share, and so have all rows, to within a few rows.

    Parameters
    ----------
    name : str
        Name of the source in error messages.
    share : float in (0, 1)
    seed : int
    patience : int or None
        Epochs without progress after which to stop; None: never.
    errors : list of int, default=()
        Errors of the epochs of an earlier run.

    Attributes
    ----------
    batches : list of batches
        The held-out rows, after a pass.
    numbers : list of int
        Their numbers in the stream, as far as it was read.
    best, errors
        As of :class:`rosenblatt.learning.tuning.held_out.HeldOutErrors`.
    """

    def __init__(
        self,
        name: str,
        share: float,
        seed: int,
        patience: int | None = None,
        errors: Iterable[int] = (),
    ) -> None:
        super().__init__(patience, errors)
        self.name, self.share, self.seed = name, share, seed
        self.batches: list[Batch] = []
        self.numbers: list[int] = []

    def split(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """Hold out rows of a pass over the stream, and yield those that are left.

        Raises
        ------
        BadData
            At the end: no row was held out, or none was left.
        """
        choose = StratifiedChoice(self.share, self.seed)
        held_out: list[Batch] = []
        rows, is_any_left = 0, False
        for batch in batches:
            selected = choose(batch.y)
            first_new = self.numbers[-1] + 1 if self.numbers else 0
            numbers = np.flatnonzero(selected) + rows
            self.numbers += numbers[numbers >= first_new].tolist()
            rows += len(batch.y)
            if selected.any():
                held_out.append(take_rows(batch, selected, batch.first_row))
            if not selected.all():
                is_any_left = True
                yield take_rows(batch, ~selected, batch.first_row)
        if not (held_out and is_any_left):
            raise BadData(
                f"{self.name}: too few rows for --holdout {self.share}: none is left to "
                f"{'hold out' if is_any_left else 'learn'}."
            )
        self.batches, self.rows = held_out, sum(len(batch.y) for batch in held_out)

    def end_epoch(self, model: Any, epoch: int) -> None:
        """Count the errors of the model after an epoch."""
        errors = 0
        for batch in self.batches:
            predictions = model.predict(columns_of(model, batch.rows))
            errors += int((predictions != batch.y).sum())
        self.add(model, epoch, errors)

    def calibrate_sets(self, model: Any) -> None:
        """Have the model keep how probable the labels of the held-out rows are."""
        scores = [
            interface.label_scores(model, columns_of(model, batch.rows), batch.y)
            for batch in self.batches
        ]
        interface.restore_set_scores(model, kept_scores(np.concatenate(scores)))

    def evaluate(self, model: object, path: str) -> MetricsReport:
        """Return the metrics of the model of a file on the held-out rows."""
        from rosenblatt.cli.inputs.evaluation import Evaluation

        evaluation = Evaluation(model, path)
        for batch in self.batches:
            evaluation.add(batch, columns_of(model, batch.rows))
        return evaluation.report()


def columns_of(model: Any, X: Matrix) -> Matrix:
    """Return rows as wide as the model; features that it has not learned are dropped."""
    return with_width(X, model.n_features_in_) if hasattr(X, "indptr") else X
