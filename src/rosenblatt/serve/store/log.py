"""The log of a store: what happened to each model, one record after another.

A record has a version, a kind, a time, a body and a checksum. The versions of a model are 1, 2, 3
and so on, without gaps. Nothing is changed or deleted, but examples that are to be forgotten
(:meth:`Log.erase`) and what compaction removes from the start.

The records are a chain: each has the hash of the one before and of its own commitment, the hash of
a random salt and of the record. What is erased leaves its commitment, and no salt: the chain stays
whole, and nobody can find out what stood there by trying values.
"""

from __future__ import annotations

import os
import struct
from array import array
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from hashlib import sha256
from typing import Any, NamedTuple
from zlib import crc32

import apsw
import msgspec

from rosenblatt.engine.serving.records import chain_records
from rosenblatt.serve.errors import RESTORE, StoreError
from rosenblatt.serve.schema import Config, Features, Label

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
    """An example or a model file stood here, and was erased: nothing is learned."""
    ERASURE = 4
    """The version in the body was erased."""
    START = 5
    """The first versions were compacted away: the model is that of the snapshot of this version."""
    PROMOTION = 6
    """The model was replaced by its shadow of the configuration in the body: trained on the records
    before, as they are now."""
    ENCODED_FILE = 7
    """The model was replaced by the model file in the body, whose notes say how rows are read."""


class Record(NamedTuple):
    """A record of the log."""

    version: int
    kind: Kind
    time: float
    body: bytes

    @property
    def what(self) -> str:
        """What it is in answers: a model file is "file", however it says that rows are read."""
        return "file" if self.kind in FILES else Kind(self.kind).name.lower()


encode_body = msgspec.msgpack.Encoder().encode
"""Bodies are MessagePack, but for a model file: a row, a version or a configuration."""
decode_row: Callable[[bytes], Row] = msgspec.msgpack.Decoder(Row).decode
decode_version = msgspec.msgpack.Decoder(int).decode
decode_config: Callable[[bytes], Config] = msgspec.msgpack.Decoder(Config).decode
_HEAD = struct.Struct("<qqqd")
HEAD = 64
"""Characters of a head of the log."""
CHAIN = 6
"""Place of the chain value in a row of :func:`chained`."""
INSERT = "INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
"""With a row of :func:`chained`."""
_INSERT_EXAMPLES = """
WITH RECURSIVE example (i, start, size) AS (
    SELECT 1, 1, CAST(substr(?4, 11, 10) AS INTEGER)
    UNION ALL
    SELECT i + 1, start + size, CAST(substr(?4, 20 * i + 11, 10) AS INTEGER)
    FROM example WHERE 20 * i < length(?4)
)
INSERT INTO log SELECT
    ?1, ?2 + i, 0, ?3, CAST(substr(?4, 20 * i - 19, 10) AS INTEGER),
    substr(?5, 16 * i - 15, 16), substr(?6, 32 * i - 31, 32), substr(?7, start, size)
FROM example"""
# One statement for many rows: SQLite needs Python's lock only before and after it.
LAST = 2**62
"""Above every version."""
SALT = 16
"""Bytes of a salt; what is longer is the commitment of a record that was overwritten."""
START_OF_CHAIN = bytes(32)
_NOTHING = sha256()
FILES = (Kind.FILE, Kind.ENCODED_FILE)
"""Kinds of the records that have a model file."""
RESETS = (Kind.ROLLBACK, Kind.PROMOTION, *FILES)
"""Kinds of the records from which a history counts anew."""
_KINDS = frozenset(map(int, Kind))
OVERWRITTEN = (Kind.ERASED, Kind.START)
"""Kinds of the records that stand where another one was committed."""


def chained(model: int, records: list[Record], chain: bytes) -> list[tuple[Any, ...]]:
    """Return the rows of new records, which follow a record of this chain value."""
    rows = []
    for record in records:
        salt = os.urandom(SALT)
        committed = commitment(model, record, salt)
        chain = _hash(chain + committed)
        if record.kind in OVERWRITTEN:  # of a store that had no chain when it was overwritten
            salt = committed
        version, kind, time, body = record
        rows.append((model, version, int(kind), time, checksum(model, record), salt, chain, body))
    return rows


def commitment(model: int, record: Record, salt: bytes) -> bytes:
    """Return what the chain has of a record."""
    return salt if len(salt) > SALT else _hash(salt + _head(model, record), record.body)


def _hash(data: bytes, body: bytes = b"") -> bytes:
    """Return SHA-256 of both together; a copy is begun faster than a new one."""
    hashed = _NOTHING.copy()
    hashed.update(data)
    hashed.update(body)  # not added before: a model file would be copied
    return hashed.digest()


def checksum(model: int, record: Record) -> int:
    """Return the checksum of a record at its place."""
    return crc32(record.body, crc32(_head(model, record)))


def is_whole(model: int, record: Record, stored: int) -> bool:
    """Return whether the checksum of a record is the stored one."""
    try:
        return checksum(model, record) == stored
    except (struct.error, TypeError):  # a column of another type
        return False


def _head(model: int, record: Record) -> bytes:
    return _HEAD.pack(model, record.version, record.kind, record.time)


class Log(NamedTuple):
    """The log of one model, read or written over a connection.

    Writing belongs in a transaction of the caller.
    """

    connection: apsw.Connection
    model: int
    name: str

    def append(self, records: Iterable[Record]) -> list[str]:
        """Write records, which follow the last one; return the head of the log after each."""
        new = list(records)
        rows = chained(self.model, new, self._chain(new[0].version - 1))
        self.connection.executemany(INSERT, rows)
        return [row[CHAIN].hex() for row in rows]

    def append_examples(
        self, bodies: bytes, ends: array[int] | memoryview[int], time: float
    ) -> tuple[int, str]:
        """Write examples; return the version of the first, and the heads of the log after each.

        Parameters
        ----------
        bodies : bytes
            Of all examples, one after the other.
        ends : array or memoryview of int
            Where each of them ends.
        time : float

        Returns
        -------
        first : int
        heads : str
            HEAD characters each.
        """
        rows = self.connection.execute(
            "SELECT version, chain FROM log WHERE model = ? ORDER BY version DESC LIMIT 1",
            (self.model,),
        )
        last, chain = next(rows, (0, START_OF_CHAIN))
        salts = os.urandom(SALT * len(ends))
        sums, chains = chain_records(
            bodies, ends.tobytes(), self.model, last + 1, Kind.EXAMPLE, time, salts, bytes(chain)
        )
        self.connection.execute(
            _INSERT_EXAMPLES, (self.model, last, time, sums, salts, chains, bodies)
        )
        return last + 1, chains.hex()

    def head(self, version: int) -> str:
        """Return the head of the log at a version: logs with the same one have the same records.

        Raises
        ------
        StoreError
            There is no such version.
        """
        return self._chain(version).hex()

    def read(self, after: int = 0, last: int | None = None) -> Iterator[Record]:
        """Yield the records with versions above ``after``, up to ``last``.

        Raises
        ------
        StoreError
            A record is damaged or missing, or of a newer rosenblatt.
        """
        expected = after + 1
        for *cells, stored in self.connection.execute(
            "SELECT version, kind, time, CAST(body AS BLOB), checksum FROM log "
            "WHERE model = ? AND version > ? AND version <= ? ORDER BY version",
            (self.model, after, LAST if last is None else last),
        ):
            record = Record(*cells)
            if record.version != expected or not is_whole(self.model, record, stored):
                raise self._damage(expected)
            if record.kind not in _KINDS:  # to pass over it would be another model
                raise StoreError(
                    f"the log of the model {self.name!r} has at version {expected} what a newer "
                    "rosenblatt has written: upgrade rosenblatt."
                )
            expected += 1
            yield record
        if last is not None and expected <= last:
            raise self._damage(expected)

    def record(self, version: int) -> Record:
        """Return the record of a version.

        Raises
        ------
        StoreError
            It is damaged or missing.
        """
        return next(self.read(version - 1, version))

    def bounds(self) -> tuple[int, int]:
        """Return the first and the last version; (1, 0) of an empty log."""
        first, last = self.connection.execute(
            "SELECT (SELECT version FROM log WHERE model = ?1 ORDER BY version LIMIT 1), "
            "(SELECT version FROM log WHERE model = ?1 ORDER BY version DESC LIMIT 1)",
            (self.model,),
        ).get  # min and max together would read the whole log
        return (1, 0) if first is None else (first, last)

    def cells(self, columns: str, version: int) -> Any:
        """Return a column of a version, or several as a tuple; None if there is no such version."""
        return self.connection.execute(
            f"SELECT {columns} FROM log WHERE model = ? AND version = ?", (self.model, version)
        ).get

    def last_reset(self, after: int, last: int) -> Record | None:
        """Return the last of :data:`RESETS` among the versions above ``after``."""
        rows = self.connection.execute(
            "SELECT version FROM log WHERE model = ? AND kind > 0 AND kind IN (?, ?, ?, ?) "
            "AND version > ? AND version <= ? ORDER BY version DESC LIMIT 1",
            (self.model, *map(int, RESETS), after, last),
        )
        return next((self.record(version) for (version,) in rows), None)

    def needs_before(self, version: int) -> bool:
        """Return whether a later record needs those before a version.

        That is a rollback to one of them, or a promotion, whose shadow is trained on them.
        """
        changed = [record for record in self.changes() if record.version > version]
        if any(record.kind == Kind.PROMOTION for record in changed):
            return True
        rollbacks = (self.record(r.version) for r in changed if r.kind == Kind.ROLLBACK)
        return any(decode_version(record.body) < version for record in rollbacks)

    def version_at(self, time: float) -> int:
        """Return the last version that was written until a time; 0 if there is none."""
        last = "SELECT max(version) FROM log WHERE model = ? AND time <= ?"
        return int(self.connection.execute(last, (self.model, time)).get or 0)

    def examples_with(self, folded: str, before: int) -> Iterator[Record]:
        """Yield the examples before a version whose body may have a text, the youngest first.

        Upper and lower case are the same; ``folded`` is the text after ``casefold``.
        """
        rows = self.connection.execute(
            "SELECT version, kind, time, body, checksum FROM log WHERE model = ? AND version < ? "
            "AND kind = 0 ORDER BY version DESC",
            (self.model, before),
        )
        for *cells, stored in rows:
            record = Record(*cells)
            if folded not in record.body.decode(errors="ignore").casefold():
                continue
            if not is_whole(self.model, record, stored):
                raise self._damage(record.version)
            yield record

    def changes(self) -> list[Record]:
        """Return the records that are no examples, without their bodies."""
        rows = self.connection.execute(
            "SELECT version, kind, time FROM log WHERE model = ? AND kind > 0 ORDER BY version",
            (self.model,),
        )
        return [Record(version, Kind(kind), time, b"") for version, kind, time in rows]

    def check_chain(self) -> None:
        """Read the whole log, and compute its chain.

        Raises
        ------
        StoreError
            A record is damaged or missing, or is not the one that was committed.
        """
        first, last = self.bounds()
        chain = START_OF_CHAIN
        for record in self.read(first - 1, last):
            salt, stored = self.cells("salt, chain", record.version)
            size = len(START_OF_CHAIN) if record.kind in OVERWRITTEN else SALT
            starts = first > 1 and record.version == first  # what came before is not kept
            is_next = starts or stored == _hash(chain + commitment(self.model, record, salt))
            if len(salt) != size or not is_next:
                raise self._damage(record.version)
            chain = stored

    def erase(self, version: int) -> None:
        """Overwrite an example or a model file by a record that says that it was erased."""
        self._overwrite(version, Kind.ERASED)

    def drop_before(self, version: int) -> None:
        """Delete the records before a version, which starts the log."""
        before = (self.model, version)
        self.connection.execute("DELETE FROM log WHERE model = ? AND version < ?", before)
        self._overwrite(version, Kind.START)

    def _overwrite(self, version: int, kind: Kind) -> None:
        record, salt = self.record(version), self.cells("salt", version)
        new = record._replace(kind=kind, body=b"")
        self.connection.execute(
            "UPDATE log SET kind = ?, checksum = ?, salt = ?, body = ? WHERE model = ? "
            "AND version = ?",
            (int(kind), checksum(self.model, new), commitment(self.model, record, salt), new.body,
             self.model, version),
        )  # fmt: skip

    def _chain(self, version: int) -> bytes:
        """Return the chain value of a version."""
        if version == 0:
            return START_OF_CHAIN
        chain = self.cells("chain", version)
        if chain is None:
            raise self._damage(version)
        return bytes(chain)

    def _damage(self, version: int) -> StoreError:
        return StoreError(
            f"the log of the model {self.name!r} is damaged at version {version}. Nothing was "
            f"changed. {RESTORE}"
        )
