"""The database of a store: opened, locked against a second server, and checked for damage."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import apsw

from rosenblatt.serve.errors import RESTORE, StoreError, explained
from rosenblatt.serve.store import journal, layout
from rosenblatt.serve.store.journal import head_of, wal_of
from rosenblatt.serve.store.pages import RESERVED, checking_vfs, has_checksums, header_fault

FILE, LOCK = "store.db", "lock"
CACHE_KIB = 16_384
BUSY_MS = 10_000


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
    clock : Clock
        The time by which ages count.
    journal : Acknowledged
        Keeps the file that says how much of the journal was acknowledged.
    torn : int
        Bytes behind the last whole commit that the last stop had left, and that were dropped.
    notes : list of str
        What else the start found and mended.

    Raises
    ------
    StoreError
        Another server has the store, it is damaged, of another program, or may not be written.
    """

    def __init__(self, folder: str | os.PathLike[str], *, readonly: bool = False) -> None:
        self.folder = Path(folder)
        self.file = self.folder / FILE
        self.readonly = readonly
        self._locks: list[int] = []
        self.torn = 0
        self.notes: list[str] = []
        if readonly:
            if not self.file.exists():
                raise StoreError(f"{self.folder}: no store of a service.")
            self.writer = self.connect()
            return
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._take_locks()
            self._check_files()
            self._keep_private()
            # Before there is a connection: a file of the process that is closed beside it takes
            # all of SQLite's locks away, and another program may then delete the journal.
            is_checked = has_checksums(self.file)
            with explained(self.file):
                self._open(is_checked)
        except OSError as error:
            self.close()
            raise StoreError(f"{self.folder}: cannot be written: {error.strerror}.") from error
        except BaseException:
            self.close()
            raise

    def connect(self) -> apsw.Connection:
        """Return one more connection, which reads."""
        return self._connect(apsw.SQLITE_OPEN_READONLY)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write over :attr:`writer` what is one commit."""
        with self.writer:
            yield
            journal.count_commit(self.writer)

    def layout(self) -> int:
        """Return the layout of the tables."""
        return int(self.writer.pragma("user_version"))

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the store as it is now to a file, while it is in use.

        Raises
        ------
        FileExistsError
            The file exists.
        """
        with explained(self.file), closing(self.connect()) as source:
            # a transaction that reads: else each commit of the service starts the copy anew
            source.execute("BEGIN; SELECT count(*) FROM models")
            self.copy(source, path)

    def copy(self, source: apsw.Connection, path: str | os.PathLike[str]) -> None:
        """Copy the store to a new file, as a connection in a transaction sees it.

        Raises
        ------
        FileExistsError
            The file exists.
        """
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            with closing(apsw.Connection(os.fspath(path), vfs=checking_vfs())) as copy:
                # a header first, which tells the VFS that pages have checksums: of a large store
                # pages leave the cache before the header that is copied
                copy.reserve_bytes("main", RESERVED)
                copy.execute("PRAGMA user_version = 1")
                with copy.backup("main", source, "main") as backup:
                    while not backup.done:
                        backup.step(1_000)
                copy.execute("PRAGMA journal_mode = DELETE")  # it needs no journal and no head
        except BaseException:
            os.unlink(path)
            raise

    def close(self) -> None:
        """Close the writer and give the store back."""
        self._close_writer()
        while self._locks:
            os.close(self._locks.pop())

    def _close_writer(self) -> None:
        if hasattr(self, "journal"):
            self.writer.set_busy_timeout(0)
            try:
                self.journal.empty_journal()
            except (apsw.Error, OSError):  # somebody reads: the next start goes on with it
                self.writer.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # the head needs it
            self.journal.close()
            del self.journal
        if hasattr(self, "writer"):
            self.writer.close()

    def _take_locks(self) -> None:
        """Lock the store for this process; the system frees it however the process ends.

        The folder itself is locked, which cannot be deleted under the store, and the file that
        names the process.
        """
        file = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._locks = [file, os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)]
        try:
            for descriptor in self._locks:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            owner = os.pread(file, 32, 0).decode("ascii", "replace").strip()
            raise StoreError(
                f"{self.folder}: another server (process {owner or 'unknown'}) has this store. "
                "Stop it first, or start a replica that follows it: rosenblatt serve --replica."
            ) from error
        os.ftruncate(file, 0)
        os.pwrite(file, str(os.getpid()).encode(), 0)
        if self.file.exists() and self.file.stat().st_nlink > 1:
            raise StoreError(
                f"{self.file} is a hard link: another server may have the same file under another "
                f"name. Copy the store with rosenblatt backup, or remove the other name: find the "
                f"file by `find / -samefile {self.file}`."
            )

    def _keep_private(self) -> None:
        """Let the owner alone read the files: SQLite's journals get the mode of the database."""
        os.close(os.open(self.file, os.O_CREAT | os.O_RDWR, 0o600))
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.chmod(f"{self.file}{suffix}", 0o600)

    def _check_files(self) -> None:
        """Refuse damage that SQLite would not see, or would take for an unfinished commit.

        Raises
        ------
        StoreError
            With the file, the last good versions, and what to do.
        """
        verdict = journal.judge(self.file)
        if verdict.is_head_damaged:
            self.notes.append(f"{head_of(self.file)} was damaged, and is written anew")
        if verdict.fault is not None and verdict.is_moved:
            os.truncate(wal_of(self.file), 0)
            self.notes.append(f"{verdict.fault}; {FILE} has all of it, so it was emptied")
        elif verdict.fault is not None:
            raise StoreError(f"{verdict.fault}. Nothing was changed. {_way_on(self.file, verdict)}")
        else:
            self.torn = verdict.torn
            if verdict.is_head_missing:
                self.notes.append(_without_head(self.file, verdict))
            elif self.torn:
                self.notes.append(
                    f"dropped {self.torn:,} bytes of an unfinished commit, which no answer told of"
                )
        if fault := header_fault(self.file):
            raise StoreError(f"{self.file}: damaged ({fault}). {RESTORE}")

    def _open(self, is_checked: bool) -> None:
        """Open the connection that writes, and create the tables of a new store."""
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        self.writer = write = self._connect(flags)
        if write.pragma("page_count") == 0:  # also if SQLite undid the first write
            write.reserve_bytes("main", RESERVED)
            write.execute(layout.FREE_PAGES_MOVE)
        else:
            self._check_layout(is_checked)
            if self.layout() == 1:
                write.close()
                layout.upgrade(self.file)
                self.writer = write = self._connect(flags)
        write.execute("PRAGMA journal_mode = WAL")
        write.execute("PRAGMA synchronous = FULL")
        write.execute("PRAGMA secure_delete = ON")
        self.journal = journal.Acknowledged(write, self.file)
        if not write.execute("SELECT count(*) FROM sqlite_schema").get:
            with write:
                layout.create_tables(write)
        layout.count_bytes(write)
        self.clock = Clock(write)

    def _connect(self, flags: int) -> apsw.Connection:
        with explained(self.file):
            connection = apsw.Connection(str(self.file), flags=flags, vfs=checking_vfs())
            connection.set_busy_timeout(BUSY_MS)
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        return connection

    def _check_layout(self, is_checked: bool) -> None:
        """Refuse a database that is not ours, or whose header does not fit its tables."""
        application, version = self.writer.pragma("application_id"), self.layout()
        tables = self.writer.execute("SELECT count(*) FROM sqlite_schema").get
        if tables == 0 and is_checked and application == version == 0:
            return  # the first start ended before it had made the tables
        if application != layout.APPLICATION:
            raise StoreError(f"{self.file}: a database of another program: choose another folder.")
        if version > layout.FORMAT:
            raise StoreError(
                f"{self.file}: written by a newer rosenblatt (layout {version}; this one reads up "
                f"to {layout.FORMAT}). Upgrade rosenblatt."
            )
        if (version, is_checked) not in ((1, False), (layout.FORMAT, True)):
            raise StoreError(f"{self.file}: damaged (its header). {RESTORE}")


def _way_on(file: Path, verdict: journal.Verdict) -> str:
    """Return what to do about a journal that is damaged, gone or of another moment."""
    if verdict.good is None:
        return RESTORE
    read = journal.read_unchanged if verdict.good else journal.read_alone
    last = "SELECT name, max(version) FROM models JOIN log ON model = id GROUP BY id"
    try:
        with closing(read(file)) as connection:
            versions = [f"{name} {version}" for name, version in connection.execute(last)]
    except apsw.Error:
        return RESTORE
    return (
        f"The last good versions: {', '.join(versions) or 'none'}. {RESTORE} To go on from these "
        f"versions, without what came after them (rosenblatt check then says if they are whole): "
        f"truncate -s {verdict.good} {wal_of(file)} && rm -f {head_of(file)}"
    )


def _without_head(file: Path, verdict: journal.Verdict) -> str:
    """Return what a start without the file head cannot know."""
    note = (
        f"{head_of(file)} is missing, and is written anew; without it nothing tells whether "
        f"{wal_of(file)} had all that was acknowledged"
    )
    dropped = f"; {verdict.torn:,} bytes behind its last whole commit were dropped"
    return note + dropped if verdict.torn else note


class Clock:
    """The time by which ages count: it goes on while the store is open for writing, and then alone.

    It begins with the machine's time, and from then on knows nothing of it: whether a machine's
    clock was ahead, or the store was at rest, cannot be told. What is kept for a week is kept for a
    week of service at least.

    Parameters
    ----------
    connection : apsw.Connection
        The one that writes.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        # after a kill the youngest row may be younger than the note
        noted = connection.execute(
            "SELECT max(value) FROM (SELECT value FROM counters WHERE name = 'clock' "
            "UNION ALL SELECT max(time) FROM keys UNION ALL "
            "SELECT time FROM predictions WHERE id = (SELECT max(id) FROM predictions))"
        ).get
        self._offset = (time.time() if noted is None else noted) - time.monotonic()

    def read(self) -> float:
        """Return the time, in seconds."""
        return self._offset + time.monotonic()

    def note(self, connection: apsw.Connection) -> None:
        """Write the time down: the next start goes on from there."""
        connection.execute("REPLACE INTO counters VALUES ('clock', ?)", (int(self.read()),))
