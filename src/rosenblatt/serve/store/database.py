"""The database of a store: opened, locked against a second server, and checked for torn ends."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from rosenblatt.serve.store.torn import torn_bytes

FILE, LOCK = "store.db", "lock"
APPLICATION = 0x526F7365
"""The mark of our databases, in SQLite's header."""
FORMAT = 1
"""Layout of the tables; a newer one is refused."""
CACHE_KIB = 16_384
BUSY_MS = 10_000

TABLES = """
CREATE TABLE models (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    config TEXT NOT NULL,
    created REAL NOT NULL,
    deleted REAL
);
CREATE TABLE log (
    model INTEGER NOT NULL,
    version INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    time REAL NOT NULL,
    body BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (model, version)
) WITHOUT ROWID;
CREATE INDEX changes ON log (model, version, kind) WHERE kind > 0;
CREATE TABLE cut AS SELECT * FROM log;
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
    config TEXT NOT NULL,
    PRIMARY KEY (model, name)
) WITHOUT ROWID;
"""


class StoreError(Exception):
    """The store cannot be used; the message names the file, the fault and what to do."""


class Database:
    """An open store.

    Parameters
    ----------
    folder : path
        Created if it does not exist; only its owner may read it.
    readonly : bool, default=False
        Follow a store that another process writes.

    Attributes
    ----------
    writer : apsw.Connection
        The one connection that writes; one thread uses it.
    torn : int
        Bytes of an unfinished commit that the last stop had left, and that were dropped.

    Raises
    ------
    StoreError
        Another server has the store, it is damaged, of another program, or may not be written.
    """

    def __init__(self, folder: str | os.PathLike[str], *, readonly: bool = False) -> None:
        self.folder = Path(folder)
        self.file = self.folder / FILE
        self.readonly = readonly
        self._lock: int | None = None
        self.torn = 0
        if readonly:
            if not self.file.exists():
                raise StoreError(f"{self.folder}: no store of a service.")
            self.writer = self.connect()
            return
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = self._take_lock()
            self.torn = torn_bytes(f"{self.file}-wal")
            self._keep_private()
            with explained(self.file):
                self.writer = self.connect()
                self._prepare()
        except OSError as error:
            self.close()
            raise StoreError(f"{self.folder}: cannot be written: {error.strerror}.") from error
        except StoreError:
            self.close()
            raise

    def connect(self) -> apsw.Connection:
        """Return one more connection, which reads."""
        first = not self.readonly and not hasattr(self, "writer")
        flags = (
            apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
            if first
            else (apsw.SQLITE_OPEN_READONLY)
        )
        with explained(self.file):
            connection = apsw.Connection(str(self.file), flags=flags)
            connection.set_busy_timeout(BUSY_MS)
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        return connection

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the store as it is now to a file, while it is in use.

        Raises
        ------
        FileExistsError
            The file exists.
        """
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with explained(self.file):
            copy, source = apsw.Connection(os.fspath(path)), self.connect()
            try:
                # a transaction that reads: else each commit of the service starts the copy anew
                source.execute("BEGIN; SELECT count(*) FROM models")
                with copy.backup("main", source, "main") as backup:
                    while not backup.done:
                        backup.step(1_000)
            except BaseException:
                os.unlink(path)
                raise
            finally:
                source.close()
                copy.close()

    def close(self) -> None:
        """Close the writer and give the store back."""
        if hasattr(self, "writer"):
            self.writer.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _take_lock(self) -> int:
        """Lock the store for this process; the system frees it however the process ends."""
        descriptor = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
            os.close(descriptor)
            raise StoreError(
                f"{self.folder}: another server (process {owner or 'unknown'}) has this store. "
                "Stop it first, or start a replica that follows it: rosenblatt serve --replica."
            ) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        return descriptor

    def _keep_private(self) -> None:
        """Let the owner alone read the files: SQLite's journals get the mode of the database."""
        os.close(os.open(self.file, os.O_CREAT | os.O_RDWR, 0o600))
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.chmod(f"{self.file}{suffix}", 0o600)

    def _prepare(self) -> None:
        """Set the journal, and create the tables of a new store."""
        write = self.writer
        write.execute("PRAGMA journal_mode = WAL")
        write.execute("PRAGMA synchronous = FULL")
        write.execute("PRAGMA secure_delete = ON")
        (application,) = next(write.execute("PRAGMA application_id"))
        (version,) = next(write.execute("PRAGMA user_version"))
        (tables,) = next(write.execute("SELECT count(*) FROM sqlite_schema"))
        if tables == 0:
            with write:
                write.execute(TABLES)
                write.execute(f"PRAGMA application_id = {APPLICATION}")
                write.execute(f"PRAGMA user_version = {FORMAT}")
        elif application != APPLICATION:
            raise StoreError(f"{self.file}: a database of another program: choose another folder.")
        elif version > FORMAT:
            raise StoreError(
                f"{self.file}: written by a newer rosenblatt (layout {version}; this one reads up "
                f"to {FORMAT}). Upgrade rosenblatt."
            )


@contextmanager
def explained(file: Path) -> Iterator[None]:
    """Translate SQLite's errors to a StoreError that names the file and says what to do."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise StoreError(
            f"{file}: damaged ({error}). Nothing was changed. Restore the folder from a backup "
            "(rosenblatt backup makes one)."
        ) from error
    except apsw.FullError as error:
        raise StoreError(f"{file}: the disk is full.") from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError) as error:
        raise StoreError(f"{file}: cannot be opened for writing ({error}).") from error
    except apsw.IOError as error:
        raise StoreError(f"{file}: the disk failed ({error}).") from error
    except apsw.BusyError as error:
        raise StoreError(f"{file}: locked by another program ({error}).") from error


def now() -> float:
    """Return the time, for people: nothing but ages depends on it."""
    return time.time()
