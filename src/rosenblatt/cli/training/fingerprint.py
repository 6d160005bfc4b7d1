"""Whether DATA still begins with the rows that were learned."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.cli.display import text
from rosenblatt.cli.display.errors import BadData

if TYPE_CHECKING:
    from rosenblatt.streams import Batch


class Beginning:
    """A stream that must begin with the rows that an earlier run has learned.

    A digest of all rows that were read tells them from others. Rows may have come since, unless
    ``length`` says that there are no more.

    Parameters
    ----------
    stream : iterable of batches
    name : str
        The source as error messages name it.
    first : dict, optional
        The digest that an earlier run noted.
    length : int, optional
        Rows of a whole pass, where several passes ask for the same rows.

    Attributes
    ----------
    first : dict
        The digest, to be noted.

    Raises
    ------
    BadData
        The source is another one, has lost rows, or has more where it may not.
    """

    def __init__(
        self,
        stream: Iterable[Batch],
        name: str,
        first: dict[str, Any] | None = None,
        length: int | None = None,
    ) -> None:
        self.stream, self.name = stream, name
        self.first = self._known = first or {"rows": 0, "digest": 0}
        self.length = length

    def __iter__(self) -> Iterator[Batch]:
        digest, total = 0, 0
        for batch in self.stream:
            marks = _marks(batch)
            left = self._known["rows"] - total
            known = 0 < left <= len(marks)
            if known and zlib.crc32(marks[:left].data, digest) != self._known["digest"]:
                raise self._error("does not begin with the rows")
            digest, total = zlib.crc32(marks.data, digest), total + len(marks)
            if self.length is not None and total > self.length:
                raise self._error(f"has more than the {text.count(self.length, 'row')}")
            if total > self.first["rows"]:
                self.first = {"rows": total, "digest": digest}
            yield batch
        if total < self._known["rows"]:
            learned = text.count(self._known["rows"], "row")
            raise self._error(f"has {text.count(total, 'row')}, fewer than the {learned}")

    def _error(self, problem: str) -> BadData:
        return BadData(
            f"{self.name}: {problem} that the model has learned from, so --resume cannot go on: "
            "give the same data, or leave out --resume to train anew."
        )


def _marks(batch: Batch) -> NDArray[np.int64]:
    """Four numbers a row that tell it from others, however the batch was cut.

    Its label, its length, and the sums of its columns and of the bits of its numbers: sums cost
    some 7 % of reading, a checksum of every byte three times as much.
    """
    X = batch.X
    marks = np.zeros((len(batch.y), 4), np.int64)
    marks[:, 0] = _marks_of_labels(batch.y)
    if hasattr(X, "indptr"):
        marks[:, 1] = np.diff(X.indptr)
        filled = marks[:, 1] > 0
        begins = X.indptr[:-1][filled]
        marks[filled, 2] = np.add.reduceat(X.indices, begins, dtype=np.int64)
        marks[filled, 3] = np.add.reduceat(_bits(X.data), begins)
    else:
        marks[:, 3] = _bits(X).sum(axis=1)
    return marks


def _marks_of_labels(y: Any) -> Any:
    if y.dtype.kind in "biuf":
        return _bits(y)  # whole numbers may become fractions later on
    letters = y.astype(str)
    codes = letters.view(np.uint32).reshape(len(y), -1).astype(np.int64)
    return codes @ np.arange(1, codes.shape[1] + 1)


def _bits(numbers: Any) -> NDArray[np.int64]:
    return np.ascontiguousarray(numbers, np.float64).view(np.int64)
