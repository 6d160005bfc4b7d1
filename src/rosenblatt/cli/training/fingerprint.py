"""Fingerprint of the rows learned, so that a resumed run refuses other data."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.display import fmt
from rosenblatt.cli.display.errors import BadData
from rosenblatt.streams.core.digests import row_digests

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
            digests = row_digests(batch)
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
