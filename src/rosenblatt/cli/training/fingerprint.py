"""Whether DATA still begins with the rows that were learned."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.cli.display import fmt
from rosenblatt.cli.display.errors import BadData

if TYPE_CHECKING:
    from rosenblatt.streams import Batch


class FingerprintedRows:
    """A stream that must begin with the rows that an earlier run has learned.

    A digest of all rows that were read tells them from others. Rows may have come since, unless
    ``length`` says that there are no more.

    Parameters
    ----------
    stream : iterable of batches
    name : str
        The source as error messages name it.
    fingerprint : dict, optional
        The digest that an earlier run noted.
    length : int, optional
        Rows of a whole pass, where several passes ask for the same rows.

    Attributes
    ----------
    fingerprint : dict
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
        fingerprint: dict[str, Any] | None = None,
        length: int | None = None,
    ) -> None:
        self.stream, self.name = stream, name
        self.fingerprint = self._expected = fingerprint or {"rows": 0, "digest": 0}
        self.length = length

    def __iter__(self) -> Iterator[Batch]:
        digest, total = 0, 0
        for batch in self.stream:
            digests = _row_digests(batch)
            remaining = self._expected["rows"] - total
            ends_here = 0 < remaining <= len(digests)
            if (
                ends_here
                and zlib.crc32(digests[:remaining].data, digest) != self._expected["digest"]
            ):
                raise self._error("does not begin with the rows")
            digest, total = zlib.crc32(digests.data, digest), total + len(digests)
            if self.length is not None and total > self.length:
                raise self._error(f"has more than the {fmt.count(self.length, 'row')}")
            if total > self.fingerprint["rows"]:
                self.fingerprint = {"rows": total, "digest": digest}
            yield batch
        if total < self._expected["rows"]:
            learned = fmt.count(self._expected["rows"], "row")
            raise self._error(f"has {fmt.count(total, 'row')}, fewer than the {learned}")

    def _error(self, problem: str) -> BadData:
        return BadData(
            f"{self.name}: {problem} that the model has learned from, so --resume cannot go on: "
            "give the same data, or leave out --resume to train anew."
        )


def _row_digests(batch: Batch) -> NDArray[np.int64]:
    """Four numbers a row that tell it from others, however the batch was cut.

    Its label, its length, and the sums of its columns and of the bits of its numbers: sums cost
    some 7 % of reading, a checksum of every byte three times as much.
    """
    X = batch.X
    digests = np.zeros((len(batch.y), 4), np.int64)
    digests[:, 0] = _label_digests(batch.y)
    if hasattr(X, "indptr"):
        digests[:, 1] = np.diff(X.indptr)
        filled = digests[:, 1] > 0
        begins = X.indptr[:-1][filled]
        digests[filled, 2] = np.add.reduceat(X.indices, begins, dtype=np.int64)
        digests[filled, 3] = np.add.reduceat(_bits(X.data), begins)
    else:
        digests[:, 3] = _bits(X).sum(axis=1)
    return digests


def _label_digests(y: Any) -> Any:
    if y.dtype.kind in "biuf":
        return _bits(y)  # whole numbers may become fractions later on
    letters = y.astype(str)
    codes = letters.view(np.uint32).reshape(len(y), -1).astype(np.int64)
    return codes @ np.arange(1, codes.shape[1] + 1)


def _bits(numbers: Any) -> NDArray[np.int64]:
    return np.ascontiguousarray(numbers, np.float64).view(np.int64)
