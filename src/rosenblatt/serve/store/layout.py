"""The layout of a store: its tables, their bytes, and how one of an older layout is rewritten."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from rosenblatt.serve.errors import RESTORE, StoreError, explained
from rosenblatt.serve.store.log import CHAIN, INSERT, START_OF_CHAIN, Record, chained, is_whole
from rosenblatt.serve.store.pages import RESERVED, SIZE, checking_vfs, seal

APPLICATION = 0x526F7365
"""The mark of our databases, in SQLite's header."""
AT_ONCE = 1000
FORMAT = 2
"""Layout of the tables; a newer one is refused, and an older one is rewritten."""

FREE_PAGES_MOVE = "PRAGMA auto_vacuum = INCREMENTAL"
"""Before there are tables: free pages can then be moved to the end of the file, and cut off."""

TABLES = """
CREATE TABLE models (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    config BLOB NOT NULL,
    created REAL NOT NULL,
    deleted REAL
);
CREATE TABLE log (
    model INTEGER NOT NULL,
    version INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    time REAL NOT NULL,
    checksum INTEGER NOT NULL,
    salt BLOB NOT NULL,
    chain BLOB NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (model, version)
) WITHOUT ROWID;
CREATE INDEX changes ON log (model, version, kind) WHERE kind > 0;
CREATE TABLE snapshots (
    model INTEGER NOT NULL,
    version INTEGER NOT NULL,
    progress BLOB NOT NULL,
    file BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (model, version)
);
CREATE TABLE predictions (
    id INTEGER PRIMARY KEY,
    model INTEGER NOT NULL,
    time REAL NOT NULL,
    features BLOB NOT NULL
);
CREATE TABLE keys (
    model INTEGER NOT NULL,
    key TEXT NOT NULL,
    digest BLOB NOT NULL,
    time REAL NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    answer BLOB,
    PRIMARY KEY (model, key)
) WITHOUT ROWID;
CREATE INDEX keys_by_time ON keys (time);
CREATE TABLE shadows (
    model INTEGER NOT NULL,
    name TEXT NOT NULL,
    config BLOB NOT NULL,
    PRIMARY KEY (model, name)
) WITHOUT ROWID;
CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;
"""
"""Pages have checksums; what may fill whole pages of its own has one in its row, too."""


def create_tables(connection: apsw.Connection) -> None:
    """Create the tables of a new store."""
    connection.execute(TABLES)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")


def upgrade(file: Path) -> None:
    """Rewrite a store of layout 1, whose pages have no checksums and whose log has no chain.

    A new file is made beside it, and takes its place when it is whole.

    Raises
    ------
    StoreError
        The store is damaged, or another process reads it. Nothing was changed.
    """
    new = file.with_name(f"{file.name}-new")
    new.unlink(missing_ok=True)
    try:
        with explained(file):
            _empty_journal(file)
            _rewrite(file, new)
        _sync(new, os.O_RDWR)
        os.replace(new, file)
        _sync(file.parent, os.O_RDONLY)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def _empty_journal(file: Path) -> None:
    """Move what the journal has to the database: a journal belongs to no other file."""
    with closing(apsw.Connection(str(file))) as old:
        next(old.execute("SELECT count(*) FROM sqlite_schema"))  # it opens the journal
        old.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


def _rewrite(file: Path, new: Path) -> None:
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    with closing(apsw.Connection(str(new), vfs=checking_vfs())) as write:
        write.reserve_bytes("main", RESERVED)
        write.execute(FREE_PAGES_MOVE)
        write.execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF")
        write.execute("ATTACH ? AS old", (str(file),))
        for (fault,) in write.execute("PRAGMA old.integrity_check(1)"):
            if fault != "ok":
                raise StoreError(f"{file}: damaged ({fault}). {RESTORE}")
        with write:
            create_tables(write)  # its header tells the VFS that pages have checksums
        with write:
            _copy(write)
        write.execute("DETACH old")


def _copy(write: apsw.Connection) -> None:
    """Copy all rows, with the checksums and the chain that the old ones do not have."""
    write.create_scalar_function("seal", _seal_cell, 1)
    write.execute(
        """
        INSERT INTO models SELECT id, name, seal(config), created, deleted FROM old.models;
        INSERT INTO shadows SELECT model, name, seal(config) FROM old.shadows;
        INSERT INTO snapshots SELECT * FROM old.snapshots;
        INSERT INTO predictions SELECT id, model, time, seal(features) FROM old.predictions;
        INSERT INTO keys SELECT model, key, digest, time, first, last, seal(answer) FROM old.keys;
        """
    )
    tables = {name for (name,) in write.execute("SELECT name FROM old.sqlite_schema")}
    if "counters" in tables:  # which the first stores did not have
        write.execute("INSERT INTO counters SELECT * FROM old.counters")
    if write.execute("SELECT count(*) FROM old.cut").get:
        write.execute("CREATE TABLE cut AS SELECT * FROM old.cut")
    for number, name in list(write.execute("SELECT id, name FROM models")):
        records, chain = _old_records(write, number, name), START_OF_CHAIN
        while part := list(islice(records, AT_ONCE)):
            rows = chained(number, part, chain)
            write.executemany(INSERT, rows)
            chain = rows[-1][CHAIN]


def _seal_cell(*cells: Any) -> bytes | None:
    (cell,) = cells
    if cell is None:
        return None
    return seal(cell.encode() if isinstance(cell, str) else bytes(cell))


def _old_records(write: apsw.Connection, model: int, name: str) -> Iterator[Record]:
    """Yield the records of a model's log of layout 1."""
    expected = None
    for *cells, stored in write.execute(
        "SELECT version, kind, time, CAST(body AS BLOB), checksum FROM old.log WHERE model = ? "
        "ORDER BY version",
        (model,),
    ):
        record = Record(*cells)
        if record.version != (expected or record.version) or not is_whole(model, record, stored):
            raise StoreError(
                f"the log of the model {name!r} is damaged at version {expected or 1}. Nothing "
                f"was changed. {RESTORE}"
            )
        expected = record.version + 1
        yield record


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# --- bytes of the parts ---------------------------------------------------------------------


def _clustered(content: str) -> str:
    """Return the SQL of the bytes of a row in a table without rowid, from that of its content.

    SQLite gives whole pages to what is longer than a quarter of a page.
    """
    pages = f"({content} + 3083) / 4084"
    return f"iif({content} <= 1000, 12 + {content} * 11 / 10, 560 + {pages} * {SIZE})"


def row_bytes(table: str, row: str = "") -> str:
    """Return the SQL of the bytes of a row on the disk, as measured, with its share of a page."""
    if table == "log":
        return _clustered(f"(70 + length({row}body))")
    if table == "keys":
        content = f"(55 + length({row}key) + ifnull(length({row}answer), 0))"
        return f"22 + length({row}key) + {_clustered(content)}"
    size = f"length({row}features)"  # of the rows of half a page and more, a page has one
    return f"iif({size} BETWEEN 2010 AND 4030, {SIZE}, 16 + {size} * 26 / 25)"


class Sizes(NamedTuple):
    """Bytes of the parts of a store; the file has snapshots and free pages, too."""

    log: int
    predictions: int
    keys: int
    file: int


_CHANGES = {
    "log": ("INSERT", "DELETE", "UPDATE OF body"),
    "predictions": ("INSERT", "DELETE"),
    "keys": ("INSERT", "DELETE", "UPDATE OF answer"),
}


def count_bytes(connection: apsw.Connection) -> None:
    """Count the bytes of a store from now on, by triggers, if they are not counted yet."""
    if connection.execute("SELECT count(*) FROM counters WHERE name = 'bytes of log'").get:
        return
    with connection:
        for table, changes in _CHANGES.items():
            for change in changes:
                added = "0" if change == "DELETE" else row_bytes(table, "new.")
                gone = "0" if change == "INSERT" else row_bytes(table, "old.")
                connection.execute(
                    f"CREATE TRIGGER {table}_{change[:6].lower()} AFTER {change} ON {table} BEGIN "
                    f"UPDATE counters SET value = value + ({added}) - ({gone}) "
                    f"WHERE name = 'bytes of {table}'; END"
                )
            total = f"SELECT ifnull(sum({row_bytes(table)}), 0) FROM {table}"
            connection.execute(f"INSERT INTO counters VALUES ('bytes of {table}', ({total}))")


def read_sizes(connection: apsw.Connection) -> Sizes:
    """Return the bytes of the parts of a store."""
    values = dict(connection.execute("SELECT name, value FROM counters"))
    # another process may follow a store of before, whose bytes are not counted
    log, predictions, keys = (values.get(f"bytes of {table}", 0) for table in _CHANGES)
    return Sizes(log, predictions, keys, connection.pragma("page_count") * SIZE)


def log_bytes(connection: apsw.Connection) -> int:
    """Return the bytes of all logs."""
    return int(connection.execute("SELECT value FROM counters WHERE name = 'bytes of log'").get)
