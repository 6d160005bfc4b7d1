"""Fingerprint of the rows learned, so that a resumed run refuses other data."""

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
    """A stream that is checked to start with the rows that an earlier run has learned.

    The rows are compared by a digest. Further rows may follow, up to ``length``.

    Parameters
    ----------
    stream : iterable of batches
    name : str
        Name of the source in error messages.
    fingerprint : dict, optional
        Number of rows and digest of an earlier run.
    length : int, optional
        Rows of an epoch, if all epochs must have the same rows.

    Attributes
    ----------
    fingerprint : dict
        Number of rows and digest of this run.

    Raises
    ------
    BadData
        Rows differ or are missing, or there are more than ``length``.
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
            f"{self.name}: {problem} that the model has learned from, so the run cannot be "
            "resumed: give the same data, or leave out --resume to train from scratch."
        )


def _row_digests(batch: Batch) -> NDArray[np.int64]:
    """Return four numbers per row that do not depend on the batches.

    Label, number of entries, sum of the column indices, sum of the bits of the values. Sums cost
    some 7 % of reading; a checksum of every byte costs three times as much.
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
        return _bits(y)  # as float64: later batches may have fractions
    letters = y.astype(str)
    codes = letters.view(np.uint32).reshape(len(y), -1).astype(np.int64)
    return codes @ np.arange(1, codes.shape[1] + 1)


def _bits(numbers: Any) -> NDArray[np.int64]:
    return np.ascontiguousarray(numbers, np.float64).view(np.int64)
