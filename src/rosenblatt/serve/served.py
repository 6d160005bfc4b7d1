"""A model of the store, as the service holds it: live, with its shadows and recent examples."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

import apsw
import msgspec

from rosenblatt.serve.history import last_state
from rosenblatt.serve.live import LiveModel
from rosenblatt.serve.refused import RefusedError
from rosenblatt.serve.rows.rows import Rows
from rosenblatt.serve.schema import DriftAlarm, Learned, ModelInfo
from rosenblatt.serve.store.keys import unanswered
from rosenblatt.serve.store.log import Kind, Log
from rosenblatt.serve.store.models import StoredModel
from rosenblatt.serve.store.sums import seal, unseal

RECENT = 50
"""Examples that the page shows."""
ANSWERS = 100_000
"""Examples whose answers are kept in memory, until they are on the disk."""

_encode_answer = msgspec.msgpack.Encoder().encode
_decode_answer = msgspec.msgpack.Decoder(list[Learned]).decode


def decode_answer(sealed: bytes) -> list[Learned]:
    """Return a stored answer to a request with a key.

    Raises
    ------
    StoreError
        It is damaged.
    """
    return _decode_answer(unseal(sealed, "the answer to an Idempotency-Key"))


class RecentExample(NamedTuple):
    """An example that was learned, as the log has it."""

    version: int
    body: bytes
    was_right: bool


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

    def __init__(self, stored: StoredModel) -> None:
        self.number, self.name = stored.number, stored.name
        self.config, self.created = stored.config, stored.created
        self.deleted = stored.deleted
        self.live = LiveModel.from_config(stored.config)
        self.shadows: dict[str, LiveModel] = {}
        self.snapshot_version = 0
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
            if self.is_purged:
                raise RefusedError(404, f"the model {self.name!r} was purged.")
            yield

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
            The log is damaged.
        """
        log = self.log(connection)
        was_right: dict[int, bool] = {}
        self.live = last_state(log, self.config, was_right.__setitem__)
        self.is_restored = True
        self.has_file = any(record.kind == Kind.FILE for record in log.changes())
        rows = []
        for key, first, last in unanswered(connection, self.number):
            versions = range(first, last + 1)
            learned = [
                Learned(version, was_right.get(version, False), log.head(version))
                for version in versions
            ]
            rows.append(self.keep_answer(key, learned))
        return rows

    def learn(self, rows: Rows, start: int, stop: int, version: int) -> list[bool | RefusedError]:
        """Learn some of the rows, from a version on, with all shadows.

        Returns
        -------
        outcomes : list
            Whether each label was predicted; a refusal where the model cannot learn the row.
        """
        for shadow in self.shadows.values():
            shadow.learn_rows(rows, start, stop, version)
        outcomes = self.live.learn_rows(rows, start, stop, version)
        for i in range(max(start, len(rows) - RECENT), stop):
            was_right = outcomes[i - start]
            if isinstance(was_right, bool):
                self.recent.append(RecentExample(version + i - start, rows.body(i), was_right))
        return outcomes

    def keep_answer(self, key: str, learned: list[Learned]) -> tuple[bytes, int, str]:
        """Keep the answer to a request with a key; return the row to write."""
        self.answers[key] = learned
        self._answered += len(learned)
        while self._answered > ANSWERS:
            self._answered -= len(self.answers.popitem(last=False)[1])
        return seal(_encode_answer(learned)), self.number, key

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
            labels=list(progress.labels.items()),
            features=len(self.live.model.feature_names_),
            alarms=[DriftAlarm(*alarm) for alarm in progress.alarms],
            snapshot=self.snapshot_version,
            overflow=self.live.overflow,
        )
