"""The thread that sends what a service learns to a target, and waits for nobody's answer.

SQLite notes which rows change (its session extension). Every second, between two commits, the notes
become a patchset, which is sent as a segment. After a crash the notes are lost: then, and where
something was erased, the whole store is sent as a base, but for chunks that are there already.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from typing import NamedTuple, TypeVar

import apsw
import msgspec

from rosenblatt.serve.shipping.base import (
    CopyError,
    clean,
    count_commits,
    last_erasure,
    make_base,
)
from rosenblatt.serve.shipping.claim import Claim, FencedError, fenced
from rosenblatt.serve.shipping.records import (
    SEGMENTS,
    Manifest,
    Ref,
    Segment,
    digest,
    encode,
    encode_manifest,
    manifest_name,
    read_manifest,
)
from rosenblatt.serve.store.database import Database
from rosenblatt.serve.writer import Writer

MAX_WAITING = 2**26
"""Bytes of segments that wait while the target is away; beyond them a base replaces them."""
MAX_SEGMENTS, MAX_BYTES = 1000, 2**26
"""Segments behind a base, and their bytes, or a quarter of the store's: a restore reads them."""
BASE_SECONDS = 30.0
"""Time between two bases at least: each reads the whole store."""
BASE_AGE = 86400.0
"""Age at which a base is replaced: what has expired leaves the target with it."""
GRACE_SECONDS = 10.0
"""Time for which a standby finds the segments that a base replaces."""
STOP_SECONDS = 10.0
"""Time that the last segment has when the service stops."""
CLEANED = 50
"""States that a manifest names as cleaned."""

T = TypeVar("T")

_log = logging.getLogger("rosenblatt.serve")


class Cut(NamedTuple):
    """What changed between two states, as it waits to be sent."""

    after: int
    commits: int
    patch: bytes
    time: float


class Sent(NamedTuple):
    """A segment that a manifest names."""

    ref: Ref
    commits: int


class Shipper:
    """Sends the changes of a store to a target.

    Parameters
    ----------
    database : Database
        Its changes are noted from here on.
    claim : Claim
    seconds : float
        Time between two segments.

    Attributes
    ----------
    fenced : str or None
        Why nothing may be learned any more.
    """

    def __init__(self, database: Database, claim: Claim, seconds: float) -> None:
        self.target, self.seconds = claim.target, seconds
        self.fenced: str | None = None
        self._target_fault: str | None = None
        self._copy_fault: str | None = None  # of the last base; until one is made
        self.manifest = claim.manifest
        self._database, self._write = database, database.writer
        self._session = _notes(self._write)
        self._commits = count_commits(self._write)
        # whether the target's chain of segments ends where the first of those that wait begins
        self._is_linked = claim.manifest.base is not None and (
            claim.manifest.commits == self._commits
        )
        self._whole_at = time.monotonic()  # up to then the target has everything
        if not self._is_linked and claim.manifest.complete_at:
            self._whole_at -= max(0.0, time.time() - claim.manifest.complete_at)
        self._waiting: deque[Cut] = deque()
        self._sent: list[Sent] = []
        self._sent_bytes = 0
        self._emptyings = 0
        cleaned = claim.manifest.cleaned[-1][0] if claim.manifest.cleaned else 0
        needed = max(claim.manifest.base_commits, last_erasure(self._write))
        self._wants_base = not self._is_linked or cleaned < needed
        self._clean_due: float | None = None
        self._base_at = claim.manifest.base_commits
        self._base_time = claim.manifest.base_time  # a start makes no base younger
        self._tried = -BASE_SECONDS
        self._base: Future[Ref] | None = None
        self._making = ThreadPoolExecutor(1, "base")
        self._ending = threading.Event()
        self._stopped = threading.Event()
        self._writer: Writer | None = None

    # --- the service's side ----------------------------------------------------------------------

    def start(self, writer: Writer) -> None:
        """Begin to send."""
        self._writer, self._loop = writer, asyncio.get_running_loop()
        threading.Thread(target=self._run, name="ship", daemon=True).start()

    async def stop(self) -> None:
        """Send the rest, once the writer has ended; give up where the target does not answer."""
        self._writer = None
        self._ending.set()
        if not await asyncio.to_thread(self._stopped.wait, STOP_SECONDS):
            _log.error("not all was shipped", extra={"fault": self.fault or "no answer in time"})
        self._making.shutdown(wait=False, cancel_futures=True)

    @property
    def fault(self) -> str | None:
        """Why the last try to send, or to copy the store, failed."""
        return self._target_fault or self._copy_fault

    def lag(self) -> float:
        """Return the seconds whose changes the target may lack."""
        return time.monotonic() - self._whole_at

    def waiting_bytes(self) -> int:
        """Return the bytes of what waits to be sent."""
        return sum(len(cut.patch) for cut in list(self._waiting))

    def cleaned_at(self, commits: int) -> float | None:
        """Return when what was erased up to a state had left the target; None if it has not."""
        times = [at for state, at in self.manifest.cleaned if state >= commits]
        return min(times, default=None)

    # --- the thread ------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while self.fenced is None and not self._ending.wait(self.seconds):
                self._step()
            if self.fenced is None:
                self._step()
            with suppress(CancelledError):
                self._between_commits(lambda connection: self._session.close())
            if self._waiting or not self._is_linked:
                _log.warning("not all is shipped: the next start sends the rest")
        finally:
            self._stopped.set()

    def _step(self) -> None:
        """Cut what changed, and send what waits."""
        at = time.monotonic()
        try:
            self._take(time.time())
            self._send()
        except FencedError as error:
            self.fenced = str(error)
            _log.critical("fenced", extra={"fault": self.fenced})
        except CancelledError:  # the writer has ended: the last step follows
            pass
        except Exception as error:  # whatever it is, learning goes on, and so does the next try
            if self._target_fault is None:
                _log.error("the target takes nothing", extra={"fault": str(error)})
            self._target_fault = f"{type(error).__name__}: {error}"
        else:
            if self._target_fault is not None:
                _log.info("the target takes segments again")
            self._target_fault = None
            if self._is_linked and not self._waiting:
                self._whole_at = at

    def _take(self, at: float) -> None:
        """Cut the notes, and begin a base where one is due."""
        writer = self._writer
        if writer is not None and writer.emptyings > self._emptyings:  # something was erased
            self._emptyings, self._wants_base = writer.emptyings, True
        state = self._database.connect() if self._is_base_due() else None
        try:
            cut = self._between_commits(lambda connection: self._cut(connection, at, state))
        except CancelledError:
            raise
        except Exception:  # what it had cut is lost
            self._waiting.clear()
            self._is_linked, self._wants_base = False, True
            raise
        if state is not None:
            self._tried = time.monotonic()
            self._base_at, self._base_time, self._wants_base = cut.commits, at, False
            self._base = self._making.submit(
                make_base, self._database, state, cut.commits, self.target, self.manifest,
                self._ending.is_set,
            )  # fmt: skip
        if cut.commits != cut.after:
            self._waiting.append(cut._replace(patch=zlib.compress(cut.patch, 1)))
        if self.fault is not None and self.waiting_bytes() > MAX_WAITING:
            self._waiting.clear()
            self._is_linked, self._wants_base = False, True

    def _between_commits(self, call: Callable[[apsw.Connection], T]) -> T:
        """Return the result of a call while no transaction is open."""
        writer = self._writer
        if writer is None:  # it has ended
            return call(self._write)
        waiting = writer.between_commits(call)
        return asyncio.run_coroutine_threadsafe(waiting, self._loop).result()

    def _cut(self, connection: apsw.Connection, at: float, state: apsw.Connection | None) -> Cut:
        """Return what changed; called while no transaction is open."""
        patch = self._session.patchset()
        self._session.close()
        self._session = _notes(connection)
        after, self._commits = self._commits, count_commits(connection)
        if state is not None:
            state.execute("BEGIN; SELECT count(*) FROM models")
        return Cut(after, self._commits, patch, at)

    def _is_base_due(self) -> bool:
        if self._ending.is_set() or self._base is not None or self._clean_due is not None:
            return False  # cleaning would delete chunks of a base that no manifest names yet
        if time.monotonic() - self._tried < BASE_SECONDS:
            return False
        is_old = time.time() - self._base_time > BASE_AGE and self.manifest.commits > self._base_at
        size = self._database.file.stat().st_size // 4
        is_long = len(self._sent) >= MAX_SEGMENTS or self._sent_bytes > max(MAX_BYTES, size)
        return (self._wants_base or is_old or is_long) and self._target_fault is None

    def _send(self) -> None:
        if self._ending.is_set() and self._base is not None:
            self._base.cancel()
        if self._base is not None and self._base.done():
            self._publish_base()
        if not self._is_linked or not self._waiting:
            self._check_fence()
        while self._is_linked and self._waiting:
            self._send_segment(self._waiting[0])
        if self._clean_due is not None and time.monotonic() > self._clean_due:
            self._clean()

    def _send_segment(self, cut: Cut) -> None:
        number, before = self.manifest.number + 1, self.manifest.last
        epoch = self.manifest.epoch
        data = encode(Segment(number, epoch, cut.after, cut.commits, cut.time, before, cut.patch))
        ref = Ref(f"{SEGMENTS}/{number:012}-{os.urandom(4).hex()}", digest(data))
        self.target.create(ref.name, data)
        self._publish(last=ref, commits=cut.commits, complete_at=cut.time)

    def _publish_base(self) -> None:
        """Name a base that is sent."""
        assert self._base is not None
        future, self._base = self._base, None
        try:
            base = future.result()
        except CopyError as error:
            if self._copy_fault is None:
                _log.error("the store cannot be copied", extra={"fault": str(error)})
            self._wants_base, self._copy_fault = True, f"{type(error).__name__}: {error}"
            return
        except BaseException:
            self._wants_base = True
            raise
        self._copy_fault = None
        if not self._is_linked:
            while self._waiting and self._waiting[0].commits <= self._base_at:
                self._waiting.popleft()
            if (self._waiting[0].after if self._waiting else self._commits) > self._base_at:
                self._wants_base = True  # what came behind it was dropped meanwhile
                return
        behind = [sent for sent in self._sent if sent.commits > self._base_at]
        if self._is_linked:
            last, commits = behind[-1].ref if behind else None, self.manifest.commits
            at = self.manifest.complete_at
        else:
            last, commits, at = None, self._base_at, self._base_time
        self._publish(
            base=base, base_commits=self._base_at, base_time=self._base_time, last=last,
            commits=commits, complete_at=at,
        )  # fmt: skip
        self._is_linked, self._sent = True, behind
        self._sent_bytes, self._clean_due = 0, time.monotonic() + GRACE_SECONDS

    def _clean(self) -> None:
        """Delete what the last base has replaced."""
        state = self.manifest.base_commits
        clean(self.target, self.manifest, [s.ref.name for s in self._sent if s.commits > state])
        cleaned = [*self.manifest.cleaned, (state, time.time())][-CLEANED:]
        self._publish(cleaned=cleaned)
        self._clean_due = None

    def _publish(self, **changes: object) -> None:
        """Create the next manifest.

        Raises
        ------
        FencedError
            Another store has.
        """
        new: Manifest = msgspec.structs.replace(
            self.manifest, number=self.manifest.number + 1, time=time.time(),
            before=digest(encode_manifest(self.manifest)), **changes,
        )  # fmt: skip
        try:
            self.target.create(manifest_name(new.number), encode_manifest(new))
        except FileExistsError:
            new = self._next()
        self._adopt(new)

    def _next(self) -> Manifest:
        """Return the manifest that is there already, of an earlier try whose answer was lost."""
        manifest = read_manifest(self.target, self.manifest.number + 1)
        if manifest.owner != self.manifest.owner or manifest.epoch != self.manifest.epoch:
            raise FencedError(fenced(self.target, manifest, self.manifest.epoch))
        return manifest

    def _check_fence(self) -> None:
        """See whether another store is the owner, where nothing is to be sent."""
        try:
            self._adopt(self._next())
        except FileNotFoundError:
            return

    def _adopt(self, manifest: Manifest) -> None:
        """Go on behind a manifest of this owner."""
        self.manifest = manifest
        while self._waiting and self._is_linked and self._waiting[0].commits <= manifest.commits:
            cut = self._waiting.popleft()
            self._sent_bytes += len(cut.patch)
            if manifest.last is not None:
                self._sent.append(Sent(manifest.last, cut.commits))


def _notes(connection: apsw.Connection) -> apsw.Session:
    """Return a session that notes which rows of all tables change."""
    session = apsw.Session(connection, "main")
    session.attach()
    return session
