"""A standby: another machine that follows a target, predicts, and takes over when it is told to."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import apsw
import msgspec

from rosenblatt.serve.errors import RefusedError, StoreError
from rosenblatt.serve.shipping.claim import (
    MARK,
    Claim,
    Mark,
    begin_epoch,
    owns,
    read_mark,
    write_mark,
)
from rosenblatt.serve.shipping.records import (
    STANDBYS,
    Manifest,
    MissingError,
    last_manifest,
)
from rosenblatt.serve.shipping.replica import Replica
from rosenblatt.serve.shipping.restore import BehindError, apply, restore
from rosenblatt.serve.shipping.target import Target
from rosenblatt.serve.store.database import FILE, Database
from rosenblatt.serve.store.journal import head_of, wal_of
from rosenblatt.serve.telemetry.observed import Observed

NOTE_SECONDS = 10.0
"""Time between two notes of how far a standby is."""

_log = logging.getLogger("rosenblatt.serve")


class Note(msgspec.Struct, frozen=True):
    """What a standby says of itself at the target.

    ``commits`` is the state it has; what was erased up to ``emptied`` is in none of its files.
    """

    id: str
    host: str
    commits: int
    emptied: int
    time: float


def note_name(standby: str) -> str:
    """Return the name of the note of a standby."""
    return f"{STANDBYS}/{standby}.json"


def read_notes(target: Target, owner: str) -> list[Note]:
    """Return the notes of all standbys of a target; its owner may have left one as it took over.

    Raises
    ------
    StoreError
        One is damaged: nobody knows what its standby still has.
    """
    notes = []
    for name in target.names(STANDBYS):
        if name == note_name(owner):
            continue
        try:
            notes.append(msgspec.json.decode(target.read(name), type=Note))
        except FileNotFoundError:  # its standby took over meanwhile
            continue
        except msgspec.MsgspecError as error:
            raise StoreError(
                f"{target.path(name)}: damaged ({error}): its standby writes it anew; if there is "
                "none any more, delete it."
            ) from error
    return notes


class Follower:
    """The thread that brings a store to the state of a target, again and again.

    Parameters
    ----------
    database : Database
        Open for writing; nobody else writes.
    target : Target
    seconds : float
        Time between two looks at the target.

    Attributes
    ----------
    manifest : Manifest or None
        The last one that the store has.
    fault : str or None
        Why the last look failed.
    is_behind : bool
        Whether the store must be built anew, since no segment leads further.
    """

    def __init__(self, database: Database, target: Target, seconds: float) -> None:
        self.database, self.target, self.seconds = database, target, seconds
        self.manifest: Manifest | None = None
        self.fault: str | None = None
        self.is_behind = False
        self._synced_at = time.monotonic()  # when the store last had all that was at the target
        self.id = read_mark(database.folder).id
        self._emptied, self._noted = 0, -NOTE_SECONDS
        self._ending = threading.Event()
        self._step = threading.Lock()

    def start(self, is_behind: Callable[[], object]) -> None:
        """Begin to follow; ``is_behind`` is called where the store must be built anew."""
        self._when_behind = is_behind
        threading.Thread(target=self._run, name="follow", daemon=True).start()

    def stop(self) -> None:
        """End, once the step that runs has ended."""
        self._ending.set()
        with self._step:
            pass

    def catch_up(self) -> Manifest:
        """Bring the store to the last state of the target.

        Raises
        ------
        BehindError
            No segment leads from here to there.
        StoreError
            The target is damaged.
        """
        while True:
            manifest = last_manifest(self.target)
            if manifest is None:
                raise StoreError(f"{self.target.url}: nothing is there any more.")
            try:
                if manifest != self.manifest:
                    apply(self.database, self.target, manifest)
            except MissingError:
                if last_manifest(self.target) == manifest:
                    raise
                continue  # a later base has replaced it
            self.manifest = manifest
            return manifest

    def promote(self) -> Claim:
        """Take everything that is at the target, and become its owner.

        Raises
        ------
        StoreError, OSError
            The target is damaged, or away, or another store takes it over at this moment. The store
            follows it as before.
        """
        with self._step:
            epoch = self.catch_up().epoch
            while True:
                manifest = self.catch_up()
                if manifest.epoch != epoch:  # of two that are promoted at once, one is
                    raise StoreError(
                        f"{self.target.url}: another store became its owner at this moment (epoch "
                        f"{manifest.epoch})."
                    )
                claim = begin_epoch(self.target, self.database.folder, manifest)
                if claim is not None:
                    self._ending.set()
                    with suppress(Exception):  # one that stays is left out
                        self.target.delete(note_name(self.id))
                    return claim

    def lag(self) -> float:
        """Return the seconds since the store had all that was at the target."""
        return time.monotonic() - self._synced_at

    def _run(self) -> None:
        while not self._ending.wait(self.seconds):
            with self._step:
                if self._ending.is_set():
                    return
                self._look()
            if self.is_behind:
                self._when_behind()
                return

    def _look(self) -> None:
        at = time.monotonic()
        try:
            manifest = self.catch_up()
            self._empty_journal(manifest)
            if time.monotonic() - self._noted > NOTE_SECONDS:
                self._note(manifest)
        except BehindError as error:
            _log.warning("the store is built anew", extra={"fault": str(error)})
            self.is_behind = True
        except Exception as error:  # whatever it is, predicting goes on, and so does the next look
            if self.fault is None:
                _log.error("the target cannot be followed", extra={"fault": str(error)})
            self.fault = f"{type(error).__name__}: {error}"
        else:
            self.fault, self._synced_at = None, at

    def _empty_journal(self, manifest: Manifest) -> None:
        """Overwrite what was erased, once it has left the target."""
        erased = manifest.cleaned[-1][0] if manifest.cleaned else 0
        if erased > self._emptied:
            with suppress(apsw.BusyError):  # somebody reads an older state: tried again
                self.database.journal.empty_journal()
                self._emptied = erased
                self._note(manifest)

    def _note(self, manifest: Manifest) -> None:
        note = Note(self.id, socket.gethostname(), manifest.commits, self._emptied, time.time())
        self.target.replace(note_name(self.id), msgspec.json.encode(note))
        self._noted = time.monotonic()


class Standby(Replica):
    """Models that follow a target, until the service takes over.

    Parameters
    ----------
    database : Database
        Of the store that the follower writes, open for reading.
    follower : Follower

    Attributes
    ----------
    claim : Claim or None
        What the promotion gave.
    """

    role = "standby"

    def __init__(self, database: Database, follower: Follower) -> None:
        super().__init__(database)
        self.follower = follower
        self.claim: Claim | None = None
        self._promoting = asyncio.Lock()

    async def start(self) -> None:
        """Begin to follow the target, and the store."""
        await super().start()
        loop = asyncio.get_running_loop()
        self.follower.start(lambda: loop.call_soon_threadsafe(self.end))

    async def stop(self) -> None:
        """End."""
        await asyncio.to_thread(self.follower.stop)
        await super().stop()

    def observe(self) -> Observed:
        """Return what the metrics say of a replica, and how far its store is behind the target."""
        return super().observe()._replace(standby_lag=self.follower.lag())

    def refusal(self) -> RefusedError | None:
        """Return why nothing is learned."""
        manifest = self.follower.manifest
        epoch = "" if manifest is None else f" (epoch {manifest.epoch})"
        return RefusedError(
            503,
            f"a standby predicts only: send this to the primary{epoch}, or let the standby take "
            "over: rosenblatt promote.",
            title="A standby",
        )

    async def promote(self) -> int:
        """Take over: return the epoch, and end, so that the same process goes on as primary.

        Raises
        ------
        RefusedError
            The target is away, or damaged.
        """
        async with self._promoting:
            if self.claim is None:
                try:
                    self.claim = await asyncio.to_thread(self.follower.promote)
                except Exception as error:
                    raise RefusedError(
                        503,
                        f"the target cannot be taken over, and is followed as before: {error}",
                    ) from error
                _log.warning("promoted", extra={"epoch": self.claim.manifest.epoch})
                asyncio.get_running_loop().call_later(0.05, self.end)  # once this is answered
        return self.claim.manifest.epoch


def prepare(folder: Path, target: Target, seconds: float) -> Follower:
    """Return the follower of a store that has the state of a target, built anew where it must be.

    Raises
    ------
    StoreError
        The store was a primary, or the target cannot be read.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    has_store, mark = (folder / FILE).exists(), read_mark(folder)
    if mark.epoch > 0:
        raise StoreError(
            f"{folder}: was a primary (epoch {mark.epoch}), and may have what it never shipped: "
            "rosenblatt unshipped names it. Move the folder away, and start the standby in an "
            "empty one."
        )
    if has_store and not mark.follows:
        raise StoreError(
            f"{folder}: has a store that is not a standby's. Start the standby in an empty folder."
        )
    if not mark.follows:
        write_mark(folder, Mark(mark.id, follows=True))
    while True:
        if not (folder / FILE).exists():
            discard(folder)  # what an end in the midst of it has left
            first = Note(mark.id, socket.gethostname(), 0, 0, time.time())
            with suppress(FileExistsError):  # a receipt waits for what may be erased meanwhile
                target.create(note_name(mark.id), msgspec.json.encode(first))
            restore(folder, target)
        follower = Follower(Database(folder), target, seconds)
        try:
            follower.catch_up()
        except BehindError:
            follower.database.close()
            discard(folder)
        except BaseException:
            follower.database.close()
            raise
        else:
            return follower


def discard(folder: Path) -> None:
    """Delete the store of a standby, which has nothing that the target had not."""
    file = folder / FILE
    for path in (file, wal_of(file), file.with_name(f"{FILE}-shm"), head_of(file)):
        path.unlink(missing_ok=True)


def is_primary(folder: Path, target: Target) -> bool:
    """Return whether a store that was started as a standby has taken over."""
    return (folder / MARK).exists() and owns(target, folder)
