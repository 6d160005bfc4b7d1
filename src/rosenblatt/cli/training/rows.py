"""Rows that a run learns: checked, without held-out ones, compared with an earlier run."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypedDict

from rosenblatt.cli.display import fmt
from rosenblatt.cli.display.errors import BadData
from rosenblatt.cli.inputs.data import check_examples
from rosenblatt.cli.options import kernel
from rosenblatt.streams.core.batch import CachedBatches
from rosenblatt.streams.core.digests import row_digests
from rosenblatt.streams.rechunk import SHUFFLED_BATCH_ROWS, RechunkedBatches, ShuffledBatches

if TYPE_CHECKING:
    from rosenblatt.cli.options.train import TrainOptions
    from rosenblatt.cli.training.holdout import HeldOutRows
    from rosenblatt.streams import Batch, Stream


class RowsRead(TypedDict):
    """Number of rows, and their digest."""

    rows: int
    digest: int


class Fingerprint:
    """Comparison of the rows of a run with those that an earlier run has learned.

    The rows are compared by a digest. Further rows may follow, up to ``length``. A pass is
    :meth:`begin`, :meth:`add` for each batch, and :meth:`end`.

    Parameters
    ----------
    name : str
        Name of the source in error messages.
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
        self, name: str, expected: RowsRead | None = None, length: int | None = None
    ) -> None:
        self.name, self.length = name, length
        self.read = self._expected = expected or RowsRead(rows=0, digest=0)
        self.begin()

    def begin(self) -> None:
        """Begin to read the source from its first row."""
        self._rows = self._digest = 0

    def add(self, batch: Batch) -> None:
        """Compare the next rows.

        Raises
        ------
        BadData
            They are not those of the earlier run, or there are more than ``length``.
        """
        digests = row_digests(batch)
        remaining = self._expected["rows"] - self._rows
        if 0 < remaining <= len(digests):  # the earlier run ended within this batch
            digest = zlib.crc32(digests[:remaining].data, self._digest)
            if digest != self._expected["digest"]:
                raise self._error("does not begin with the rows")
        self._digest = zlib.crc32(digests.data, self._digest)
        self._rows += len(digests)
        if self.length is not None and self._rows > self.length:
            raise self._error(f"has more than the {fmt.count(self.length, 'row')}")
        if self._rows > self.read["rows"]:
            self.read = RowsRead(rows=self._rows, digest=self._digest)

    def end(self) -> None:
        """Check that no row is missing.

        Raises
        ------
        BadData
        """
        if self._rows < self._expected["rows"]:
            learned = fmt.count(self._expected["rows"], "row")
            raise self._error(f"has {fmt.count(self._rows, 'row')}, fewer than the {learned}")

    def _error(self, problem: str) -> BadData:
        return BadData(
            f"{self.name}: {problem} that the model has learned from, so the run cannot be "
            "resumed: give the same data, or leave out --resume to train from scratch."
        )


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
