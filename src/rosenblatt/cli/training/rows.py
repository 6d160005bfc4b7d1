"""Rows that a run learns: checked, without held-out ones, compared with an earlier run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rosenblatt.cli.inputs.data import check_examples
from rosenblatt.cli.options import kernel
from rosenblatt.streams.core.batch import CachedBatches
from rosenblatt.streams.rechunk import SHUFFLED_BATCH_ROWS, RechunkedBatches, ShuffledBatches

if TYPE_CHECKING:
    from rosenblatt.cli.options.train import TrainOptions
    from rosenblatt.cli.training.fingerprint import Fingerprint
    from rosenblatt.cli.training.holdout import HeldOutRows
    from rosenblatt.streams import Batch, Stream


class RowsToLearn:
    """The rows of a stream in its order; each iteration reads the stream from its first row.

    Parameters
    ----------
    stream : Stream
    fingerprint : Fingerprint
    held_out : HeldOutRows or None
        Takes its share of the rows.
    """

    def __init__(
        self, stream: Stream, fingerprint: Fingerprint, held_out: HeldOutRows | None
    ) -> None:
        self.stream, self.fingerprint, self.held_out = stream, fingerprint, held_out

    def __iter__(self) -> Iterator[Batch]:
        self.fingerprint.begin()
        if self.held_out is not None:
            self.held_out.begin()
        for batch in self.stream:
            check_examples(batch, self.stream)
            to_learn = batch if self.held_out is None else self.held_out.take(batch)
            if to_learn is not None:
                self.fingerprint.add(to_learn)
                yield to_learn
        if self.held_out is not None:
            self.held_out.end()
        self.fingerprint.end()


def in_order(rows: RowsToLearn, options: TrainOptions, epochs: int) -> Iterable[Batch]:
    """Return the rows, to be iterated once per epoch, in the order in which they are learned.

    Parameters
    ----------
    rows : RowsToLearn
    options : TrainOptions
    epochs : int
        Epochs of an earlier run.
    """
    is_kernel = options.kernel_name is not None
    if options.shuffle:
        batch_rows = kernel.BATCH if is_kernel else SHUFFLED_BATCH_ROWS
        return ShuffledBatches(rows, options.seed, batch_rows, epochs)
    ordered = rows if options.epochs == 1 else CachedBatches(rows)
    return RechunkedBatches(ordered, kernel.BATCH) if is_kernel else ordered
