"""Whether DATA still begins with the rows that were learned."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.cli import words
from rosenblatt.cli.failures import BadData

if TYPE_CHECKING:
    from rosenblatt.streams import Batch

_ROWS = 100  # that tell one source from another


class Beginning:
    """A stream that must begin with the rows that an earlier run has learned.

    Its first hundred rows are told from others by a digest. Rows may have come since, unless
    ``length`` says that there are no more.

    Parameters
    ----------
    stream : iterable of batches
    name : str
        The source as error messages name it.
    first : dict, optional
        The digest that an earlier run noted.
    rows : int, default=0
        Rows that were learned of a pass.
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
        rows: int = 0,
        length: int | None = None,
    ) -> None:
        self.stream, self.name = stream, name
        self.first = self._known = first or {"rows": 0, "digest": ""}
        self.rows, self.length = rows, length

    def __iter__(self) -> Iterator[Batch]:
        digest, total = hashlib.sha256(), 0
        for batch in self.stream:
            for place, row in enumerate(_rows_of(batch, _ROWS - total), total + 1):
                digest.update(row)
                self._compare(place, digest.hexdigest())
            total += len(batch.y)
            if self.length is not None and total > self.length:
                raise self._error(f"has more than the {words.count(self.length, 'row')}")
            yield batch
        if total < (self.length or self.rows):
            learned = words.count(self.length or self.rows, "row")
            raise self._error(f"has {words.count(total, 'row')}, fewer than the {learned}")

    def _compare(self, rows: int, digest: str) -> None:
        found = {"rows": rows, "digest": digest}
        if rows == self._known["rows"] and found != self._known:
            raise self._error("does not begin with the rows")
        if rows > self.first["rows"]:
            self.first = found

    def _error(self, problem: str) -> BadData:
        return BadData(
            f"{self.name}: {problem} that the model has learned from, so --resume cannot go on: "
            "give the same data, or leave out --resume to train anew."
        )


def _rows_of(batch: Batch, most: int) -> Iterator[bytes]:
    """The first rows of a batch as bytes, however the batch was cut, and however wide it is."""
    X = batch.X
    for row, label in enumerate(batch.y[: max(0, most)].tolist()):
        if hasattr(X, "indptr"):
            entries = slice(X.indptr[row], X.indptr[row + 1])
            columns, numbers = X.indices[entries].astype(np.int64), X.data[entries]
        else:
            columns, numbers = np.arange(0), X[row]
        yield f"{label!r}\n".encode() + columns.tobytes() + numbers.tobytes()
