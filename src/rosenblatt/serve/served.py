"""A model of the store, as the service holds it, and the examples on their way into it.

An example goes into the log, to the disk, into the model with its shadows, and back as an answer.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import NamedTuple

import apsw

from rosenblatt.learning.evaluation.drift import Alarm
from rosenblatt.serve.errors import BudgetError, RefusedError, StoreError
from rosenblatt.serve.history import last_state
from rosenblatt.serve.live import LiveModel
from rosenblatt.serve.rows import Rows, out_of_range, parts
from rosenblatt.serve.schema import Compared, Comparison, DriftAlarm, Label, Learned, ModelInfo
from rosenblatt.serve.store import tables
from rosenblatt.serve.store.log import FILES, HEAD, Log
from rosenblatt.serve.store.tables import StoredKey, find_key, find_lines
from rosenblatt.serve.writer import Writer

RECENT = 50
"""Examples that the page shows."""
ANSWERS = 100_000
"""Examples whose answers are kept in memory: the last ones, which may not be on the disk yet."""
MANY, MANY_BYTES = 64, 2**18
"""Examples, and their bytes, that are written in about a millisecond, or less."""
TURN_BYTES = 2**14
"""Bytes of the examples that are learned at once, in about a millisecond."""

QUEUED, QUEUED_BYTES = 1_000, 2**24
"""Requests that may wait to be learned, and their bytes, but for those of the last one: at 10,000
examples a second these take some seconds."""
LONG_BODY = 2**13
"""Bytes of a body that takes about a millisecond to read."""
QUEUE_SECONDS = 1
"""Time after which a request is to be sent again that found the queue full."""
WAIT_SECONDS = 0.2
"""Time after which lines that wait look for a place again."""

Outcome = Learned | RefusedError
"""The answer to an example that is in the log: a refusal where it cannot be learned."""


class Taught(NamedTuple):
    """What came of the examples of a request, and how many of them are new in the log.

    Those that a request with the same key has taught before are not.
    """

    outcomes: list[Outcome]
    new: int


class RecentExample(NamedTuple):
    """An example that was learned, as the log has it."""

    version: int
    body: bytes
    was_right: bool


@contextmanager
def of_this_version(name: str) -> Iterator[None]:
    """Name a model whose rule or file this version does not know.

    Raises
    ------
    StoreError
        What is done within raised ValueError.
    """
    try:
        yield
    except ValueError as error:
        raise StoreError(
            f"the model {name!r} cannot be made from the store: {error} If a newer rosenblatt "
            "wrote it, upgrade rosenblatt."
        ) from error


class ServedModel:
    """A model with everything that the service keeps of it in memory.

    Parameters
    ----------
    stored : StoredModel

    Attributes
    ----------
    live : LiveModel
    shadows : dict
        Models of other configurations that learn the same examples.
    changing : asyncio.Lock
        Held by what changes the model otherwise than by learning.
    is_restored : bool
        Whether the state is that of the log; a model that is deleted at the start waits for it.
    snapshot_version, snapshot_time : int, float
        The last snapshot, and when it was taken, in seconds since 1970; at first the empty model.
    has_file : bool
        Whether the log has a model file, so that each search for a version takes long.
    is_purged : bool
        Whether the model is no longer in the store.
    has_erased : bool
        Whether the live model, or a shadow, still has an example that the log has erased.
    erasures : int
        Examples erased since the start.
    unlocked : asyncio.Event
        Cleared for the moment in which such a change takes effect: examples wait, by
        :meth:`wait_for_turn`.
    recent : deque of RecentExample
    line_keys : set of str
        Keys of the bodies of lines that come at present.
    """

    def __init__(self, stored: tables.StoredModel) -> None:
        self.number, self.name, self.config, self.created, self.deleted = stored
        with of_this_version(self.name):
            self.live = LiveModel.from_config(stored.config)
        self.shadows: dict[str, LiveModel] = {}
        self.snapshot_version, self.snapshot_time = 0, self.created
        self.is_restored = self.is_purged = self.has_file = False
        self.has_erased, self.erasures = False, 0
        self.changing = asyncio.Lock()
        self.unlocked = asyncio.Event()
        self.unlocked.set()
        self._first_waiting = asyncio.Lock()
        self.recent: deque[RecentExample] = deque(maxlen=RECENT)
        self.line_keys: set[str] = set()
        self.answers: OrderedDict[str, list[Learned]] = OrderedDict()
        self._answered = 0

    @asynccontextmanager
    async def change(self) -> AsyncIterator[None]:
        """Hold :attr:`changing`.

        Raises
        ------
        RefusedError
            The model was purged meanwhile.
        """
        async with self.changing:
            self.check_is_there()
            yield

    def check_is_there(self) -> None:
        """Refuse what is asked of a model that is no longer in the store.

        Raises
        ------
        RefusedError
            The model was purged.
        """
        if self.is_purged:
            raise RefusedError(404, f"the model {self.name!r} was purged.")

    async def wait_for_turn(self) -> None:
        """Wait until the model may learn. Examples keep the order of their calls.

        A lock is first come, first served. An event alone is not: who comes in the moment in which
        it is set does not wait, and overtakes those who did.
        """
        async with self._first_waiting:
            await self.unlocked.wait()

    def log(self, connection: apsw.Connection) -> Log:
        """Return the log of the model, over a connection."""
        return Log(connection, self.number, self.name)

    def restore(self, connection: apsw.Connection) -> list[tuple[bytes, int, str]]:
        """Set the model to the end of its log; return the answers that were not yet written.

        Raises
        ------
        StoreError
            The log is damaged, or the model is one of a newer rosenblatt.
        """
        log = self.log(connection)
        was_right: dict[int, bool] = {}
        with of_this_version(self.name):
            self.live = last_state(log, self.config, was_right.__setitem__)
        self.is_restored = True
        self.has_file = any(record.kind in FILES for record in log.changes())
        for version in tables.snapshot_versions(connection, self.number)[-1:]:
            self.note_snapshot(version, log.cells("time", version))
        rows = []
        for key, first, last in tables.unanswered(connection, self.number):
            versions = range(first, last + 1)
            learned = [Learned(v, was_right.get(v, False), log.head(v)) for v in versions]
            rows.append(self.keep_answer(key, learned))
        return rows

    def note_snapshot(self, version: int, time: float) -> None:
        """Note that the store has a snapshot of a version."""
        self.snapshot_version, self.snapshot_time = version, time

    def new_alarms(self) -> list[Alarm]:
        """Count what was learned, and return the alarms of drift since the last call."""
        live, alarms = self.live, self.live.progress.alarms
        if live.known_alarms is None:
            return []
        new, live.known_alarms = alarms[live.known_alarms :], len(alarms)
        return new

    def learn(self, rows: Rows, start: int, stop: int, version: int) -> list[bool | RefusedError]:
        """Learn some of the rows, from a version on, with all shadows.

        Returns
        -------
        outcomes : list
            Whether each label was predicted; a refusal where the model cannot learn the row.
        """
        if self.live.known_alarms is None:
            self.live.known_alarms = len(self.live.progress.alarms)
        for shadow in self.shadows.values():
            shadow.learn_rows(rows, start, stop, version)
        outcomes = self.live.learn_rows(rows, start, stop, version)
        for i in range(max(start, len(rows.ends) - RECENT), stop):
            was_right = outcomes[i - start]
            if isinstance(was_right, bool):
                self.recent.append(RecentExample(version + i - start, rows.body(i), was_right))
        return outcomes

    def keep_answer(self, key: str, learned: list[Learned]) -> tuple[bytes, int, str]:
        """Keep the answer to a request with a key; return the row to write."""
        self._answered += len(learned) - len(self.answers.pop(key, ()))  # of a key that was dropped
        self.answers[key] = learned
        while self._answered > ANSWERS:
            self._answered -= len(self.answers.popitem(last=False)[1])
        return tables.encode_answer(learned), self.number, key

    def find_answer(self, key: str, stored: StoredKey) -> list[Learned] | None:
        """Return the answer to a request with a key; None if it is not yet on the disk.

        Raises
        ------
        StoreError
            It is damaged.
        """
        if stored.answer is None:
            return self.answers.get(key)
        return tables.decode_answer(stored.answer)

    @property
    def labels(self) -> dict[Label, int]:
        """The examples of each label, as they appeared; then those that only a file had, with 0."""
        learned = self.live.progress.labels
        return {**dict(learned), **{x: 0 for x in self.live.model.classes_ if x not in learned}}

    def about(self) -> ModelInfo:
        """Return what is known of the model, but for the head of its log."""
        progress = self.live.progress
        return ModelInfo(
            name=self.name,
            config=self.live.config,
            created=self.created,
            deleted=self.deleted,
            version=self.live.version,
            examples=progress.examples,
            errors=progress.errors,
            error=progress.error,
            interval=progress.interval,
            recent_error=progress.windowed,
            labels=list(self.labels.items()),
            features=self.live.features,
            alarms=[DriftAlarm(*alarm) for alarm in progress.alarms],
            snapshot=self.snapshot_version,
            overflow=self.live.overflow,
            rows=self.live.rows(),
        )

    def compare(self) -> Comparison:
        """Return the errors of the model and of its shadows, on the same examples."""
        lives = [(self.name, self.live), *self.shadows.items()]  # of which one may have the name
        return Comparison(
            self.live.examples,
            [
                Compared(name, live is not self.live, live.config, **live.progress.point().record())
                for name, live in lives
            ],
        )


# --- examples on their way -------------------------------------------------------------------


class Key(NamedTuple):
    """An idempotency key, and a digest of the body that came with it.

    A run of lines has a key of its own, and ``lines_of`` is the one that came with all lines.
    """

    text: str
    digest: bytes
    lines_of: str | None = None


class LearnQueue:
    """Requests whose examples are read, or wait for the disk: bounded, so that none waits long.

    Attributes
    ----------
    requests, size : int
        Those that wait, and the bytes of their examples.
    """

    def __init__(self) -> None:
        self.requests = self.size = 0
        self._reading = asyncio.Lock()

    @property
    def is_full(self) -> bool:
        """Whether no other may wait."""
        return self.requests >= QUEUED or self.size >= QUEUED_BYTES

    def check(self) -> None:
        """Refuse what comes while the queue is full.

        Raises
        ------
        RefusedError
            It is full.
        """
        if self.is_full:
            raise RefusedError(
                503,
                f"{self.requests:,} requests with {self.size:,} bytes of examples wait for the "
                "disk: nothing was changed, send this again.",
                title="Queue full",
                headers=((b"retry-after", b"%d" % QUEUE_SECONDS),),
            )

    @contextmanager
    def holding(self, size: int) -> Iterator[None]:
        """Hold a place for a request of so many bytes, also if there is none."""
        self.requests += 1
        self.size += size
        try:
            yield
        finally:
            self.requests -= 1
            self.size -= size

    @asynccontextmanager
    async def reading(self, size: int) -> AsyncIterator[None]:
        """Read a body of so many bytes: long ones one at a time, between which others run.

        Hundreds that come at once would be read in one turn of the loop.
        """
        if size < LONG_BODY:
            yield
            return
        async with self._reading:
            await asyncio.sleep(0)
            yield

    async def wait(self) -> None:
        """Wait until there is a place."""
        while self.is_full:
            await asyncio.sleep(WAIT_SECONDS)


class LearnWork:
    """The examples of a request: written with other requests', then learned in their order.

    Parameters
    ----------
    writer : Writer
    model : ServedModel
    rows : Rows
    key : Key, optional
        A request with the same key gets the same answer, and nothing is learned again.

    Attributes
    ----------
    size : int
        Number of examples.
    is_long : bool
        Whether the examples are many, or many bytes, or the log has a model file. SQLite reads a
        file whole to compare its version with that of a record: some milliseconds.
    stored : StoredKey or None
        Of a request with the same key that has taught the examples before.
    future : asyncio.Future
        Gets the answer to each example. Its errors are a StoreError where nothing was written, and
        a RefusedError where the key was used with another body.
    """

    def __init__(self, writer: Writer, model: ServedModel, rows: Rows, key: Key | None) -> None:
        self.writer, self.model, self.rows, self.key = writer, model, rows, key
        self.future: asyncio.Future[list[Outcome]] = asyncio.get_running_loop().create_future()
        self.size = len(rows.ends)
        self.is_long = model.has_file or self.size >= MANY or rows.ends[-1] > MANY_BYTES
        self.first = 0
        self._refusal: BudgetError | RefusedError | None = None
        self._heads = ""
        self.stored: StoredKey | None = None

    def write(self, connection: apsw.Connection) -> Iterator[None]:
        """Write the examples, unless a request with the same key did."""
        number, key = self.model.number, self.key
        if key is not None:
            self.stored = find_key(connection, number, key.text)
            if self.stored is not None:
                is_other = not self.stored.is_of(key.digest)
            elif key.lines_of is not None:  # the other kind of body, JSON, came with the key
                is_other = find_key(connection, number, key.lines_of) is not None
            else:
                is_other = bool(find_lines(connection, number, key.text))
            self._refusal = other_body(key.lines_of or key.text) if is_other else None
            if is_other or self.stored is not None:  # a log that is full answers a retry, too
                return
        self._refusal = self.writer.budget_error(connection)
        if self._refusal is not None:
            return
        log, rows = self.model.log(connection), self.rows
        self.first, self._heads = log.append_examples(rows.bodies, rows.ends, time.time())
        yield
        if key is not None:
            stored = StoredKey(key.digest, self.first, self.first + self.size - 1, None)
            tables.save_key(connection, number, key.text, stored, self.writer.clock.read())

    def finish(self, error: Exception | None) -> Iterator[None]:
        """Learn the examples, and answer."""
        try:
            if reason := error or self._refusal:
                raise reason
            if self.key is None or self.stored is None:
                outcomes = yield from self._learn()
            else:
                outcomes = repeat(self.model, self.key.text, self.stored)
        except Exception as fault:
            if not self.future.cancelled():
                self.future.set_exception(fault)
        else:
            if not self.future.cancelled():  # the client has gone: it is learned all the same
                self.future.set_result(outcomes)
        yield

    def _learn(self) -> Generator[None, None, list[Outcome]]:
        outcomes: list[Outcome] = []
        learned: list[Learned] = []  # of a refused example, too: a key has an answer for each
        for start, stop in parts(self.rows, TURN_BYTES):
            came = self.model.learn(self.rows, start, stop, self.first + start)
            for i, outcome in enumerate(came, start):
                version, head = self.first + i, self._heads[HEAD * i : HEAD * (i + 1)]
                learned.append(Learned(version, outcome is True, head))
                refused = isinstance(outcome, RefusedError) and _not_learned(version, outcome)
                outcomes.append(refused or learned[-1])
            yield
        if self.key is not None:
            self.writer.keep_answer(self.model.keep_answer(self.key.text, learned))
        return outcomes


def other_body(key: str) -> RefusedError:
    """Return the refusal of a key that came with another body before."""
    return RefusedError(422, f"the Idempotency-Key {key!r:.80} was used with another body.")


def repeat(model: ServedModel, key: str, stored: StoredKey) -> list[Outcome]:
    """Return the answers to the examples of a key, as they were given first.

    Raises
    ------
    RefusedError
        They are not yet on the disk.
    StoreError
        They are damaged.
    """
    answers, overflow = model.find_answer(key, stored), model.live.overflow
    if answers is None:  # too many at once: soon it is on the disk
        raise RefusedError(503, "the answer to this key is being written: try again.")
    return [
        learned
        if overflow is None or learned.version < overflow
        else _not_learned(learned.version, out_of_range(overflow))
        for learned in answers
    ]


def _not_learned(version: int, error: RefusedError) -> RefusedError:
    """Return the refusal of an example that is in the log, and cannot be learned."""
    return RefusedError(
        error.status,
        f"version {version} cannot be learned, and is in the log, so do not send it again: {error}",
    )
