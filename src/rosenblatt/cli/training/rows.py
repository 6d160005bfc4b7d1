"""Rows that a run learns: checked, without held-out ones, compared with an earlier run."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypedDict

from rosenblatt.cli.display import fmt
from rosenblatt.cli.display.errors import BadData
from rosenblatt.cli.inputs.data import checked_examples
from rosenblatt.cli.options import kernel
from rosenblatt.streams.core.batch import CachedBatches
from rosenblatt.streams.core.digests import row_digests
from rosenblatt.streams.rechunk import SHUFFLED_BATCH_ROWS, RechunkedBatches, ShuffledBatches

if TYPE_CHECKING:
    from rosenblatt.cli.options.train import TrainOptions
    from rosenblatt.cli.training.holdout import HeldOut
    from rosenblatt.streams import Batch, Stream


class RowsRead(TypedDict):
    """Number of rows, and their digest."""

    rows: int
    digest: int


class RowsToLearn:
    """The rows of a stream in its order; each iteration reads the stream from its first row.

    Rows that an earlier run has learned are compared with them by a digest. Further rows may
    follow, up to ``length``.

    Parameters
    ----------
    stream : Stream
    held_out : HeldOut or None
        Takes its share of the rows.
    expected : RowsRead, optional
        The rows of an earlier run.
    length : int, optional
        Rows of an epoch, if all epochs must have the same rows.

    Attributes
    ----------
    read : RowsRead
        The rows of this run.
    """

    def __init__(
        self,
        stream: Stream,
        held_out: HeldOut | None = None,
        expected: RowsRead | None = None,
        length: int | None = None,
    ) -> None:
        self.stream, self.held_out, self.length = stream, held_out, length
        self.read = self.expected = expected or RowsRead(rows=0, digest=0)

    def __iter__(self) -> Iterator[Batch]:
        """Yield the rows.

        Raises
        ------
        BadData
            They are not those of the earlier run, fewer, or more than ``length``.
        """
        rows = digest = 0
        batches = checked_examples(self.stream)
        for batch in batches if self.held_out is None else self.held_out.split(batches):
            digests = row_digests(batch)
            end = self.expected["rows"] - rows  # of the earlier run, in this batch
            if 0 < end <= len(digests) and (
                zlib.crc32(digests[:end].data, digest) != self.expected["digest"]
            ):
                raise self._error("does not begin with the rows")
            rows, digest = rows + len(digests), zlib.crc32(digests.data, digest)
            if self.length is not None and rows > self.length:
                raise self._error(f"has more than the {fmt.count(self.length, 'row')}")
            if rows > self.read["rows"]:
                self.read = RowsRead(rows=rows, digest=digest)
            yield batch
        if rows < self.expected["rows"]:
            learned = fmt.count(self.expected["rows"], "row")
            raise self._error(f"has {fmt.count(rows, 'row')}, fewer than the {learned}")

    def _error(self, problem: str) -> BadData:
        return BadData(
            f"{self.stream.name}: {problem} that the model has learned from, so the run cannot be "
            "resumed: give the same data, or leave out --resume to train from scratch."
        )


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
