"""The log of a store: what happened to each model, one record after another.

A record has a version, a kind, a time, a body and a checksum. The versions of a model are 1, 2, 3
and so on, without gaps. Nothing is changed or deleted, but examples that are to be forgotten
(:func:`forget`) and what compaction removes from the start.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Any, NamedTuple

import apsw
import msgspec

from rosenblatt.serve.schema import Features, Label
from rosenblatt.serve.store.database import StoreError

Row = tuple[Features, Label, float]
"""Features, label and weight of an example."""


class Kind(IntEnum):
    """What a record says."""

    EXAMPLE = 0
    """The model learned a :data:`Row`."""
    ROLLBACK = 1
    """The model returned to the version in the body."""
    FILE = 2
    """The model was replaced by the model file in the body."""
    ERASED = 3
    """An example stood here, and was erased: nothing is learned."""
    ERASURE = 4
    """The example of the version in the body was erased."""
    START = 5
    """The first versions were compacted away: the model is that of the snapshot of this version."""


class Record(NamedTuple):
    """A record of the log."""

    version: int
    kind: Kind
    time: float
    body: bytes


_encode = msgspec.msgpack.Encoder().encode
_decode_row = msgspec.msgpack.Decoder(Row).decode
_decode_version = msgspec.msgpack.Decoder(int).decode
_HEAD = struct.Struct("<qqqd")
LAST = 2**62
"""Above every version."""


def encode_row(row: Row) -> bytes:
    """Return the body of an example."""
    return _encode(row)


def decode_row(body: bytes) -> Row:
    """Return the example of a body.

    Examples
    --------
    >>> decode_row(encode_row(({"size": 3.5, "colour": "red"}, "thing", 1.0)))
    ({'size': 3.5, 'colour': 'red'}, 'thing', 1.0)
    """
    row: Row = _decode_row(body)
    return row


def encode_version(version: int) -> bytes:
    """Return the body of a rollback or an erasure."""
    return _encode(version)


def decode_version(body: bytes) -> int:
    """Return the version that a rollback or an erasure names."""
    return _decode_version(body)


class Log:
    """The log of one model, read or written over a connection.

    Writing belongs in a transaction of the caller.
    """

    def __init__(self, connection: apsw.Connection, model: int, name: str) -> None:
        self.connection, self.model, self.name = connection, model, name

    def append(self, records: Iterable[Record]) -> None:
        """Write records."""
        self.connection.executemany(
            "INSERT INTO log VALUES (?, ?, ?, ?, ?, ?)", [self._cells(r) for r in records]
        )

    def read(self, after: int = 0, last: int | None = None) -> Iterator[Record]:
        """Yield the records with versions above ``after``, up to ``last``.

        Raises
        ------
        StoreError
            A record is damaged or missing.
        """
        expected = after + 1
        for *cells, stored in self.connection.execute(
            "SELECT version, kind, time, CAST(body AS BLOB), checksum FROM log "
            "WHERE model = ? AND version > ? AND version <= ? ORDER BY version",
            (self.model, after, LAST if last is None else last),
        ):
            record = Record(*cells)
            if record.version != expected or not self._is_whole(record, stored):
                raise self._damage(expected)
            expected += 1
            yield record
        if last is not None and expected <= last:
            raise self._damage(expected)

    def bounds(self) -> tuple[int, int]:
        """Return the first and the last version; (1, 0) of an empty log."""
        first, last = next(
            self.connection.execute(
                "SELECT (SELECT version FROM log WHERE model = ?1 ORDER BY version LIMIT 1), "
                "(SELECT version FROM log WHERE model = ?1 ORDER BY version DESC LIMIT 1)",
                (self.model,),
            )
        )  # min and max together would read the whole log
        return (1, 0) if first is None else (first, last)

    def kind_of(self, version: int) -> Kind | None:
        """Return the kind of a record; None if there is none of this version."""
        rows = self.connection.execute(
            "SELECT kind FROM log WHERE model = ? AND version = ?", (self.model, version)
        )
        return next((Kind(kind) for (kind,) in rows), None)

    def last_reset(self, after: int, last: int) -> Record | None:
        """Return the last rollback or model file among the versions above ``after``."""
        rows = self.connection.execute(
            "SELECT version FROM log WHERE model = ? AND kind > 0 AND kind < 3 "
            "AND version > ? AND version <= ? ORDER BY version DESC LIMIT 1",
            (self.model, after, last),
        )
        version = next((version for (version,) in rows), None)
        return None if version is None else next(self.read(version - 1, version))

    def returns_before(self, version: int) -> bool:
        """Return whether a rollback after a version leads back to an earlier one."""
        rollbacks = self.connection.execute(
            "SELECT version FROM log WHERE model = ? AND kind = ? AND version > ?",
            (self.model, int(Kind.ROLLBACK), version),
        )
        records = (next(self.read(at - 1, at)) for (at,) in list(rollbacks))
        return any(decode_version(record.body) < version for record in records)

    def version_at(self, time: float) -> int:
        """Return the last version that was written until a time; 0 if there is none."""
        (version,) = next(
            self.connection.execute(
                "SELECT coalesce(max(version), 0) FROM log WHERE model = ? AND time <= ?",
                (self.model, time),
            )
        )
        return int(version)

    def examples_with(self, content: bytes, before: int) -> Iterator[Record]:
        """Yield the examples before a version whose body has these bytes, the youngest first."""
        rows = self.connection.execute(
            "SELECT version, kind, time, body FROM log WHERE model = ? AND version < ? "
            "AND kind = 0 AND (?3 = x'' OR instr(body, ?3) > 0) ORDER BY version DESC",
            (self.model, before, content),
        )
        return (Record(*row) for row in rows)

    def changes(self) -> list[Record]:
        """Return the records that are no examples, without their bodies."""
        rows = self.connection.execute(
            "SELECT version, kind, time FROM log WHERE model = ? AND kind > 0 ORDER BY version",
            (self.model,),
        )
        return [Record(version, Kind(kind), time, b"") for version, kind, time in rows]

    def check(self, last: int) -> None:
        """Read the log up to a version.

        Raises
        ------
        StoreError
            A record is damaged or missing.
        """
        for _ in self.read(self.bounds()[0] - 1, last):
            pass

    def cut_damaged_tail(self) -> int:
        """Move the damaged records at the end to the table ``cut``, and return their number.

        Damaged records with a whole one after them stay, and :meth:`read` refuses them.
        """
        last_whole = 0
        for *cells, stored in self.connection.execute(
            "SELECT version, kind, time, CAST(body AS BLOB), checksum FROM log WHERE model = ? "
            "ORDER BY version DESC",
            (self.model,),
        ):
            if self._is_whole(Record(*cells), stored):
                last_whole = cells[0]
                break
        tail = (self.model, last_whole)
        self.connection.execute(
            "INSERT INTO cut SELECT * FROM log WHERE model = ? AND version > ?", tail
        )
        self.connection.execute("DELETE FROM log WHERE model = ? AND version > ?", tail)
        cut = self.connection.changes()
        if cut:  # the versions will be given anew: nothing may speak of the old ones
            self.connection.execute("DELETE FROM snapshots WHERE model = ? AND version > ?", tail)
            self.connection.execute("DELETE FROM keys WHERE model = ? AND last > ?", tail)
        return cut

    def erase(self, version: int) -> None:
        """Overwrite an example by a record that says that it was erased."""
        self._overwrite(version, Kind.ERASED)

    def drop_before(self, version: int) -> int:
        """Delete the records before a version, which starts the log; return their number."""
        before = (self.model, version)
        self.connection.execute("DELETE FROM log WHERE model = ? AND version < ?", before)
        dropped = self.connection.changes()
        self._overwrite(version, Kind.START)
        return dropped

    def _overwrite(self, version: int, kind: Kind) -> None:
        (time,) = next(
            self.connection.execute(
                "SELECT time FROM log WHERE model = ? AND version = ?", (self.model, version)
            )
        )
        record = Record(version, kind, time, b"")
        self.connection.execute("REPLACE INTO log VALUES (?, ?, ?, ?, ?, ?)", self._cells(record))

    def _cells(self, record: Record) -> tuple[Any, ...]:
        version, kind, time, body = record
        return self.model, version, int(kind), time, body, self._checksum(record)

    def _is_whole(self, record: Record, stored: int) -> bool:
        try:
            return self._checksum(record) == stored
        except (struct.error, TypeError):  # a column of another type
            return False

    def _checksum(self, record: Record) -> int:
        """Return the checksum of a record at its place."""
        head = _HEAD.pack(self.model, record.version, record.kind, record.time)
        return zlib.crc32(record.body, zlib.crc32(head))

    def _damage(self, version: int) -> StoreError:
        return StoreError(
            f"the log of the model {self.name!r} is damaged at version {version}, and not at its "
            "end alone. Nothing was changed. Restore the store from a backup (rosenblatt backup "
            "makes one)."
        )
