"""Rows that a run learns: checked, without held-out ones, compared with an earlier run."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypedDict

from rosenblatt.cli.display import fmt
from rosenblatt.cli.display.errors import BadData
from rosenblatt.cli.inputs.data import checked_examples
from rosenblatt.cli.options import kernel
from rosenblatt.streams.compatibility import other_kind
from rosenblatt.streams.core.batch import CachedBatches
from rosenblatt.streams.core.digests import row_digests
from rosenblatt.streams.features.labels import NUMBER
from rosenblatt.streams.rechunk import SHUFFLED_BATCH_ROWS, RechunkedBatches, ShuffledBatches
from rosenblatt.utils.words import schema_option

if TYPE_CHECKING:
    from rosenblatt.cli.options.train import TrainOptions
    from rosenblatt.cli.training.holdout import HeldOut
    from rosenblatt.streams import Batch, Stream
    from rosenblatt.streams.core.notes import Notes


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
    notes : dict, optional
        The notes of the model of the earlier run: they say how its rows were read.

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
        notes: Notes | None = None,
    ) -> None:
        self.stream, self.held_out, self.length = stream, held_out, length
        self.notes = notes or {}
        self.read = self.expected = expected or RowsRead(rows=0, digest=0)

    def __iter__(self) -> Iterator[Batch]:
        """Yield the rows.

        Raises
        ------
        BadData
            They are not those of the earlier run, are read otherwise than in that, are fewer, or
            are more than ``length``.
        """
        rows = digest = 0
        batches = checked_examples(self.stream)
        for batch in batches if self.held_out is None else self.held_out.split(batches):
            digests = row_digests(batch)
            end = self.expected["rows"] - rows  # of the earlier run, in this batch
            if 0 < end <= len(digests) and (
                zlib.crc32(digests[:end].data, digest) != self.expected["digest"]
            ):
                self._check_reading(batch)
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

    def _check_reading(self, batch: Batch) -> None:
        """Refuse rows that may be the same, but are read otherwise than in the earlier run.

        The first rows decide on the type of the labels, the index base and the kinds of columns;
        where rows were appended to a short file, they are more than then.
        """
        other, base = other_kind(self.stream, self.notes), self.notes.get("index_base")
        anew = "leave out --resume to train from scratch"
        if other is not None:
            reading = f"column {other.column!r} is read as {other.kind}", f"as {other.expected}"
            keep = schema_option(other.column, other.kind)
            advice = f"{anew}, with {keep} to keep it so"
        elif None not in (base, self.stream.index_base) and base != self.stream.index_base:
            reading = f"indices are counted from {self.stream.index_base}", f"from {base}"
            advice = f"{anew}, with --index-base {self.stream.index_base} to keep it so"
        elif batch.y.dtype.kind == "U" and not self._had_texts():
            words = [word for word in batch.y.tolist() if not NUMBER.fullmatch(word)]
            reason = f" ({words[0]!r} is no number)" if words else ""
            reading = f"labels are read as text{reason}", "as numbers"
            advice = f"correct the labels, or {anew}"
        else:
            return
        raise BadData(
            f"{self.stream.name}: {reading[0]}, in the run so far {reading[1]}: the first rows "
            "decide this, and rows were added or changed there, so the run cannot be resumed: "
            f"{advice}."
        )

    def _had_texts(self) -> bool:
        """Return whether the labels of the earlier run, if it is known, were text."""
        labels = self.notes["run"]["standing"]["labels"] if self.notes else ()
        return any(isinstance(label, str) for label, _ in labels)

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
