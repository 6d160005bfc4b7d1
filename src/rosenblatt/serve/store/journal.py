"""SQLite's write-ahead log, and the file ``head``, which says how much of it was acknowledged.

SQLite drops what follows the first frame whose checksum is wrong, and says nothing. That is right
for the torn end of a commit that nobody was told of, and a loss for anything else. The two are told
apart by ``head``, and without it by commits that stand behind the fault. The format of the log is
that of SQLite's documentation, "WAL file format".

Nor does SQLite know whether a journal belongs to its database: one of an earlier moment would be
replayed over later pages. It is known by ``head``, by its salts (SQLite adds 1 to the first of them
when a journal begins anew, and draws it where the file was empty), and by the number of commits,
which each commit writes.
"""

from __future__ import annotations

import os
import struct
import zlib
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import apsw
import numpy as np

from rosenblatt.serve.store.pages import SIZE, Words, carry, checking_vfs, page_sums
from rosenblatt.utils.arrays import NDArray

_HEADER, _FRAME = 32, 24
_MAGIC = (0x377F0682, 0x377F0683)
_SALTS = slice(16, 24)
_AT_ONCE = 1024
_FIELDS = struct.Struct("<8sQQ")
_NEAR = 2**16
"""Journals by which another one counts as a successor: salts that were drawn are rarely so near."""
COMMITS = "commits"
"""Name of the counter of commits."""
CHECKPOINT = 1000
"""Frames of the journal from which on each commit moves them to the database, as SQLite does."""


class Frames(NamedTuple):
    """What a journal has.

    Attributes
    ----------
    salts : bytes or None
        Which of the journals that stood in this file it is; None if the header is damaged.
    slots : int
        Frames of the file, with those of older journals.
    committed : int
        Frames of the whole commits before the first fault.
    torn : int
        Bytes behind them that are of this journal.
    is_followed : bool
        Whether something of this journal stands behind the commit of the fault.
    """

    salts: bytes | None
    slots: int
    committed: int
    torn: int
    is_followed: bool


class Head(NamedTuple):
    """How many frames of a journal were acknowledged, and how many of them the database has."""

    salts: bytes
    frames: int
    moved: int

    @property
    def is_moved(self) -> bool:
        """Whether the database has all that was acknowledged."""
        return self.frames == self.moved


class Verdict(NamedTuple):
    """What a start may do with a journal.

    Attributes
    ----------
    fault : str or None
        What is damaged.
    is_moved : bool
        Whether a damaged journal is not needed: the database has all that was acknowledged.
    torn : int
        Bytes of an unfinished commit, which nobody was told of.
    good : int or None
        Length of the journal up to the fault; 0 if nothing of it can be used, or if the database
        has later pages already; None if there is no database.
    is_head_damaged, is_head_missing : bool
        A backup has no head: nobody has learned from it.
    """

    fault: str | None = None
    is_moved: bool = False
    torn: int = 0
    good: int | None = None
    is_head_damaged: bool = False
    is_head_missing: bool = False


def wal_of(file: Path) -> Path:
    """Return the journal of a database."""
    return file.with_name(f"{file.name}-wal")


def head_of(file: Path) -> Path:
    """Return the file beside a database that says what was acknowledged."""
    return file.with_name("head")


def judge(file: Path) -> Verdict:
    """Return whether the journal of a database has all that was acknowledged."""
    wal, (head, is_damaged) = wal_of(file), read_head(head_of(file))
    size = wal.stat().st_size if wal.exists() else 0
    if not file.exists() or file.stat().st_size == 0:
        had_commits = size > 0 or head is not None or is_damaged
        return Verdict(f"{file}: empty or missing, though it had commits" if had_commits else None)
    is_missing = head is None and not is_damaged and needs_head(file)
    if size == 0:
        is_lost = head is not None and not head.is_moved
        fault = f"{wal}: empty or missing, though it had commits" if is_lost else None
        return Verdict(fault, good=0, is_head_damaged=is_damaged, is_head_missing=is_missing)
    frames = read_frames(wal)
    is_other = head is not None and not _is_same(frames, head, wal)
    own = None if is_other else head
    good = 0
    if frames.salts is not None and (own is None or own.moved <= frames.committed):
        good = _HEADER + frames.committed * (_FRAME + SIZE)
    fault = _fault(frames, own, wal)
    if (head is not None and is_other and _is_lost(head, frames.salts)) or is_older(file):
        good = 0
        other = f"{wal}: not the last journal of {file}: an earlier one, or of another store"
        fault = fault or other
    is_moved = fault is not None and own is not None and _is_moved(own, wal, frames.slots)
    return Verdict(fault, is_moved, frames.torn, good, is_damaged, is_missing)


def _is_lost(head: Head, salts: bytes | None) -> bool:
    """Return whether a head is of a journal that is gone, or is followed, though it stands behind.

    A head of an earlier journal is no fault: it is written after the commit, and not synced.
    """
    if salts is None:
        return False
    ahead = (_first(salts) - _first(head.salts)) % 2**32
    return ahead >= 2**32 - _NEAR or (ahead >= _NEAR and not head.is_moved)


def _first(salts: bytes) -> int:
    return int.from_bytes(salts[:4], "big")


def _is_moved(head: Head, wal: Path, slots: int) -> bool:
    """Return whether the database has all of a journal: a head may be older, after a power cut."""
    if not head.is_moved:
        return False
    salts, _, _ = _read_slots(wal, slots, "<", b"")
    own = (salts[head.frames :] == np.frombuffer(head.salts, np.uint8)).all(axis=1)
    return not own.any()


def _is_same(frames: Frames, head: Head, wal: Path) -> bool:
    """Return whether a head is about a journal: if its own salts are lost, by its first frame's."""
    if frames.salts is not None:
        return frames.salts == head.salts
    if frames.slots == 0:  # nothing is left that could tell
        return True
    with open(wal, "rb") as file:
        data = file.read(_HEADER + _FRAME)
    return head.salts in (data[_SALTS], data[_HEADER + 8 : _HEADER + 16])


def _fault(frames: Frames, head: Head | None, wal: Path) -> str | None:
    if frames.salts is None:
        is_torn = frames.slots == 0 and (head is None or head.is_moved)
        return None if is_torn else f"{wal}: its header is damaged"
    if frames.is_followed or (head is not None and frames.committed < head.frames):
        count = frames.slots if head is None else max(head.frames, frames.committed + 1)
        return f"{wal}: damaged behind frame {frames.committed:,} of {count:,}"
    return None


# --- the journal -----------------------------------------------------------------------------


def read_frames(path: Path) -> Frames:
    """Return what a journal has."""
    size = path.stat().st_size
    with open(path, "rb") as file:
        header = file.read(_HEADER)
    order, seed = _check_header(header)
    count = max(0, size - _HEADER) // (_FRAME + SIZE)
    salts, linked, commits = _read_slots(path, count, order, header[24:32])
    if seed is None:
        return Frames(None, count, 0, size, is_followed=bool(linked.any()))
    own = (salts == np.frombuffer(header[_SALTS], np.uint8)).all(axis=1)
    valid = own & linked
    prefix = count if valid.all() else int(np.argmin(valid))
    ends = np.flatnonzero(commits[:prefix])
    committed = int(ends[-1]) + 1 if len(ends) else 0
    # A commit is synced before the next one is written: one that is followed had been finished.
    ended = np.concatenate([[False], np.logical_or.accumulate((own & commits)[prefix:])[:-1]])
    is_followed = bool((valid[prefix:] & ended[: count - prefix]).any())
    torn = _torn(path, own, committed, header)
    return Frames(header[_SALTS], count, committed, torn, is_followed)


def _check_header(header: bytes) -> tuple[str, bytes | None]:
    """Return the order of a journal's bytes, and its checksum; None if it is wrong."""
    if len(header) < _HEADER:
        return "<", None
    magic, _, page = struct.unpack(">3I", header[:12])
    order = ">" if magic & 1 else "<"
    sums = page_sums(np.frombuffer(header[:24], f"{order}u4").astype(np.uint32).reshape(1, -1))
    is_whole = magic in _MAGIC and page == SIZE and sums.astype(">u4").tobytes() == header[24:]
    return order, header[24:] if is_whole else None


def _read_slots(
    path: Path, count: int, order: str, seed: bytes
) -> tuple[NDArray[np.uint8], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the salts of all frames, whether each follows the one before, and ends a commit."""
    salts = np.empty((count, 8), np.uint8)
    linked, commits = np.empty(count, bool), np.empty(count, bool)
    before: Words = np.frombuffer(seed.ljust(8, b"\0"), ">u4").astype(np.uint32).reshape(1, 2)
    with open(path, "rb") as file:
        file.seek(_HEADER)
        for start in range(0, count, _AT_ONCE):
            part = slice(start, min(start + _AT_ONCE, count))
            data = file.read((part.stop - start) * (_FRAME + SIZE))
            slots = np.frombuffer(data, np.uint8).reshape(-1, _FRAME + SIZE)
            salts[part], commits[part] = slots[:, 8:16], slots[:, 4:8].any(axis=1)
            summed = np.concatenate([slots[:, :8], slots[:, _FRAME:]], axis=1)
            words = summed.view(f"{order}u4").astype(np.uint32)
            stored = slots[:, 16:_FRAME].copy().view(">u4").astype(np.uint32)
            before = np.concatenate([before, stored])
            sums = page_sums(words) + carry(before[:-1], words.shape[1])
            linked[part] = (sums == stored).all(axis=1)
            before = before[-1:]
    return salts, linked, commits


def _torn(path: Path, own: NDArray[np.bool_], committed: int, header: bytes) -> int:
    """Return how many bytes of a journal stand behind its whole commits."""
    frame = _FRAME + SIZE
    behind = np.flatnonzero(own[committed:])
    frames = int(behind[-1]) + 1 if len(behind) else 0
    rest = (path.stat().st_size - _HEADER) % frame
    if rest and committed + frames == len(own):
        with open(path, "rb") as file:
            file.seek(-rest, os.SEEK_END)
            part = file.read(16)
        if header[_SALTS].startswith(part[8:16]):
            return frames * frame + rest
    return frames * frame


# --- database and journal ---------------------------------------------------------------------


def read_unchanged(file: Path) -> apsw.Connection:
    """Return a connection that changes no byte of a store, which nobody else has open."""
    if wal_of(file).exists() and wal_of(file).stat().st_size:
        connection = apsw.Connection(
            str(file), flags=apsw.SQLITE_OPEN_READWRITE, vfs=checking_vfs()
        )
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")  # SQLite's index of it is in memory
        return connection
    return read_alone(file)


def read_alone(file: Path) -> apsw.Connection:
    """Return a connection that reads a database as it is without its journal."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    uri = f"{file.absolute().as_uri()}?immutable=1"
    return apsw.Connection(uri, flags=flags, vfs=checking_vfs())


def count_commit(connection: apsw.Connection) -> None:
    """Count the commit of this transaction."""
    connection.execute(
        "INSERT INTO counters VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1",
        (COMMITS,),
    )


def is_older(file: Path) -> bool:
    """Return whether a database has later commits than its journal."""
    try:
        alone = _count_commits(read_alone(file))
    except apsw.Error:  # no tables yet, or a damaged page: others look at it
        return False
    try:
        return _count_commits(read_unchanged(file)) < alone
    except apsw.BusyError:  # a replica has the journal
        return False
    except apsw.Error:  # together they are pages of two moments
        return True


def _count_commits(connection: apsw.Connection) -> int:
    with closing(connection):
        counted = connection.execute("SELECT value FROM counters WHERE name = ?", (COMMITS,)).get
        return int(counted or 0)


def needs_head(file: Path) -> bool:
    """Return whether a database has been served, and so has a head: a backup has none."""
    with open(file, "rb") as data:
        return data.read(20)[18:19] == b"\2"  # of SQLite's header: it is written with a journal


# --- the head --------------------------------------------------------------------------------


def read_head(path: Path) -> tuple[Head | None, bool]:
    """Return the head of a store, if there is one, and whether its file is damaged."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None, False
    fields = data[: _FIELDS.size]
    if len(data) != _FIELDS.size + 4 or zlib.crc32(fields).to_bytes(4, "little") != data[-4:]:
        return None, bool(data)
    return Head(*_FIELDS.unpack(fields)), False


class Acknowledged:
    """The writer of ``head``: after each commit, before anybody is told of it.

    It is not synced, but for what must not be older than the journal: after the end of the process
    the system has it, and after a power cut it may say less than the journal has.

    Parameters
    ----------
    connection : apsw.Connection
        The one that writes.
    file : path
        The database.
    """

    def __init__(self, connection: apsw.Connection, file: Path) -> None:
        self._connection, self._file = connection, file
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        self._head = os.open(head_of(file), flags, 0o600)
        self._wal = -1
        self._salts, self._moved = b"", 0
        connection.set_wal_hook(self._on_commit)

    def empty_journal(self) -> None:
        """Move all commits to the database, and empty the journal.

        Raises
        ------
        apsw.Error, OSError
            Somebody reads an older state, or the disk fails.
        """
        if not self._move():  # else it would be gone, while the head says that it is needed
            raise apsw.BusyError("an older state is being read")
        os.fsync(self._head)  # a journal that is gone must not be missed after a power cut
        self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def close(self) -> None:
        """Give the files back."""
        os.close(self._head)
        if self._wal >= 0:
            os.close(self._wal)

    def _on_commit(self, connection: apsw.Connection, name: str, frames: int) -> int:
        with suppress(OSError):  # an older head is of use, too
            self._note(frames, None)
        if frames >= CHECKPOINT:
            with suppress(apsw.Error, OSError):  # as SQLite's own: it is tried again
                self._move()
        return apsw.SQLITE_OK

    def _move(self) -> bool:
        """Move commits to the database, as far as nobody reads an older state; return if all."""
        frames, moved = self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        self._note(frames, moved)
        return frames == moved

    def _note(self, frames: int, moved: int | None) -> None:
        """Write the head; None leaves what was moved as it was."""
        if self._wal < 0:
            self._wal = os.open(wal_of(self._file), os.O_RDONLY | os.O_CLOEXEC)
        salts = os.pread(self._wal, 8, _SALTS.start)
        if moved is None:
            moved = self._moved if salts == self._salts else 0
        fields = _FIELDS.pack(salts, frames, moved)
        os.pwrite(self._head, fields + zlib.crc32(fields).to_bytes(4, "little"), 0)
        self._salts, self._moved = salts, moved
