"""Bases: the file of a store after a commit, in chunks, and the end of what it replaces."""

from __future__ import annotations

import os
import secrets
import time
import zlib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import apsw

from rosenblatt.serve.errors import StoreError, explained
from rosenblatt.serve.shipping.records import (
    BASES,
    CHUNKS,
    MANIFESTS,
    SEGMENTS,
    Base,
    Manifest,
    Ref,
    digest,
    encode,
    number_of,
    read_chunk,
    read_record,
)
from rosenblatt.serve.shipping.target import Target
from rosenblatt.serve.store.database import Database

CHUNK = 2**22
"""Bytes of a chunk."""
AT_ONCE = 8
"""Chunks that are read at the same time: together they fill a fast line."""
ERASED = "erased"
"""Name of the counter of the store that has the state of the last erasure; with a ticket behind
it, of the one that has the ticket."""
TICKETS = 2**53
"""Numbers of tickets: clients whose numbers are doubles have them exactly."""
COPY = "base"
"""File of the store's folder that has a base while it is copied."""
KEPT_MANIFESTS = 20
"""Manifests that stay for people to look at; those with which the owner changed, and the ones
before them, stay besides."""


class CopyError(StoreError):
    """The store cannot be copied: the fault is of its own disk, and not of the target."""


def make_base(
    database: Database, state: apsw.Connection, commits: int, target: Target, manifest: Manifest,
    is_ending: Callable[[], bool],
) -> Ref:  # fmt: skip
    """Send a state of a store, but for the chunks that the base before has; return its name.

    Parameters
    ----------
    database : Database
    state : apsw.Connection
        In a transaction that reads the state.
    commits : int
    target : Target
    manifest : Manifest
        The last one of the owner.
    is_ending : callable
        Whether to give up.

    Raises
    ------
    CopyError
        The disk of the store is full, or fails.
    """
    path = database.folder / COPY
    try:
        with explained(path):
            database.copy(state, path)
    except (StoreError, OSError) as error:
        raise CopyError(f"no base can be made: {error}") from error
    finally:
        state.close()
    before = [] if manifest.base is None else read_record(target, manifest.base, Base).chunks
    there = {name.rpartition("-")[2]: name for name in before}  # by the hash of what they have
    chunks = []
    with open(path, "rb") as file:
        path.unlink()  # what is erased from now on is in no file of the folder
        while data := file.read(CHUNK):
            if is_ending():
                raise InterruptedError("the service stops")
            chunks.append(_send_chunk(target, data, manifest.epoch, there))
        size = file.tell()
    data = encode(Base(commits, time.time(), size, chunks))
    ref = Ref(f"{BASES}/{manifest.number:012}-{os.urandom(4).hex()}", digest(data))
    target.create(ref.name, data)
    return ref


def _send_chunk(target: Target, data: bytes, epoch: int, there: dict[str, str]) -> str:
    hashed = digest(data)
    if hashed not in there:
        name = there[hashed] = f"{CHUNKS}/{epoch:06}-{hashed}"
        with suppress(FileExistsError):  # left by a base that was not finished
            target.create(name, zlib.compress(data, 1))
    return there[hashed]


def write_base(target: Target, ref: Ref, path: Path) -> int:
    """Write the file of a base; return its state.

    Raises
    ------
    StoreError
        An object is missing or damaged.
    """
    base = read_record(target, ref, Base)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            write = partial(_write_chunk, target, descriptor)
            for _ in pool.map(write, base.chunks, range(0, base.size, CHUNK)):
                pass
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return base.commits


def _write_chunk(target: Target, descriptor: int, name: str, start: int) -> None:
    os.pwrite(descriptor, read_chunk(target, name), start)


def clean(target: Target, manifest: Manifest, live: Iterable[str]) -> int:
    """Delete what the owner's manifest needs no more; return how many objects went.

    What a later owner has sent stays: its names have a later number or epoch.

    Parameters
    ----------
    target : Target
    manifest : Manifest
        Which names a base.
    live : iterable of str
        Names of the segments behind the base.
    """
    assert manifest.base is not None
    kept = {manifest.base.name, *live, *read_record(target, manifest.base, Base).chunks}
    first, begins = manifest.number - KEPT_MANIFESTS, set(manifest.begins)

    def is_kept(name: str, last: int) -> bool:
        if name.rpartition("/")[2].startswith("."):  # a file that was not finished
            return False
        return name in kept or number_of(name) > last

    gone = 0
    for folder, last in (
        (SEGMENTS, manifest.number),
        (BASES, manifest.number),
        (CHUNKS, manifest.epoch),
    ):
        gone += target.delete_all(folder, partial(is_kept, last=last))
    target.delete_all(
        MANIFESTS,
        lambda name: (
            name.rpartition("/")[2].startswith(".")
            or number_of(name) >= first
            or not begins.isdisjoint((number_of(name), number_of(name) + 1))
        ),
    )
    return gone


def count_commits(connection: apsw.Connection) -> int:
    """Return the state of a store: how many commits it has had."""
    counted = connection.execute("SELECT value FROM counters WHERE name = 'commits'").get
    return int(counted or 0)


def note_erasure(connection: apsw.Connection) -> None:
    """Write down, in the transaction that erases: a start knows so which states have it no more."""
    state = count_commits(connection) + 1  # that of this commit
    connection.execute("REPLACE INTO counters VALUES (?, ?)", (ERASED, state))


def give_ticket(connection: apsw.Connection) -> int:
    """Write down an erasure under a number of its own, and return that.

    It is no state: one that took over without the erasure comes to the same state with others.
    """
    note_erasure(connection)
    ticket = secrets.randbelow(TICKETS)
    connection.execute(
        "INSERT INTO counters VALUES (?, ?)", (f"{ERASED} {ticket}", last_erasure(connection))
    )
    return ticket


def state_of(connection: apsw.Connection, ticket: int) -> int | None:
    """Return the state that an erasure has made; None where the store lacks the erasure."""
    noted = connection.execute(
        "SELECT value FROM counters WHERE name = ?", (f"{ERASED} {ticket}",)
    ).get
    return None if noted is None else int(noted)


def last_erasure(connection: apsw.Connection) -> int:
    """Return a state that has nothing of what was erased; 0 if nothing was."""
    noted = connection.execute("SELECT value FROM counters WHERE name = ?", (ERASED,)).get
    return int(noted or 0)
