"""Examples on their way: into the log, to the disk, into the model, and back as answers."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterator
from typing import NamedTuple

import apsw

from rosenblatt.serve.refused import RefusedError
from rosenblatt.serve.rows.refusals import out_of_range
from rosenblatt.serve.rows.rows import Rows, parts
from rosenblatt.serve.schema import Learned
from rosenblatt.serve.served import ServedModel, decode_answer
from rosenblatt.serve.store.database import now
from rosenblatt.serve.store.errors import BudgetError
from rosenblatt.serve.store.keys import StoredKey, find_key, find_lines, save_key
from rosenblatt.serve.store.log import HEAD
from rosenblatt.serve.writer import Writer

MANY, MANY_BYTES = 64, 2**18
"""Examples, and their bytes, that are written in about a millisecond, or less."""
TURN_BYTES = 2**14
"""Bytes of the examples that are learned at once, in about a millisecond."""

Outcome = Learned | RefusedError
"""The answer to an example that is in the log: a refusal where it cannot be learned."""


class NotLearnedError(RefusedError):
    """The refusal of an example that is in the log, and cannot be learned."""


class Key(NamedTuple):
    """An idempotency key, and a digest of the body that came with it.

    A run of lines has a key of its own, and ``lines_of`` is the one that came with all lines.
    """

    text: str
    digest: bytes
    lines_of: str | None = None


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
    future : asyncio.Future
        Gets the answer to each example. Its errors are a StoreError where nothing was written, and
        a RefusedError where the key was used with another body.
    """

    def __init__(self, writer: Writer, model: ServedModel, rows: Rows, key: Key | None) -> None:
        self.writer, self.model, self.rows, self.key = writer, model, rows, key
        self.future: asyncio.Future[list[Outcome]] = asyncio.get_running_loop().create_future()
        self.size = len(rows)
        self.is_long = model.has_file or self.size >= MANY or rows.ends[-1] > MANY_BYTES
        self.first = 0
        self._refusal: BudgetError | RefusedError | None = None
        self._heads = ""
        self._stored: StoredKey | None = None

    def write(self, connection: apsw.Connection) -> Iterator[None]:
        """Write the examples, unless a request with the same key did."""
        number, key = self.model.number, self.key
        if key is not None:
            self._stored = find_key(connection, number, key.text)
            if self._stored is not None:  # a retry is answered by a log that is full, too
                return
            if came_otherwise(connection, number, key):
                self._refusal = other_body(key.lines_of or key.text)
                return
        self._refusal = self.writer.budget_error(connection)
        if self._refusal is not None:
            return
        log = self.model.log(connection)
        self.first, self._heads = log.append_examples(self.rows.bodies, self.rows.ends, now())
        yield
        if key is not None:
            stored = StoredKey(key.digest, self.first, self.first + self.size - 1, None)
            save_key(connection, number, key.text, stored, self.writer.clock.read())

    def finish(self, error: Exception | None) -> Iterator[None]:
        """Learn the examples, and answer."""
        try:
            if reason := error or self._refusal:
                raise reason
            if self._stored is None:
                outcomes = yield from self._learn()
            else:
                outcomes = self._repeat(self._stored)
        except Exception as fault:
            if not self.future.cancelled():
                self.future.set_exception(fault)
        else:
            if not self.future.cancelled():  # the client has gone: it is learned all the same
                self.future.set_result(outcomes)
        yield

    def _learn(self) -> Generator[None, None, list[Outcome]]:
        outcomes: list[Outcome] = []
        heads = [self._heads[at : at + HEAD] for at in range(0, len(self._heads), HEAD)]
        for start, stop in parts(self.rows, TURN_BYTES):
            came = self.model.learn(self.rows, start, stop, self.first + start)
            versions = range(self.first + start, self.first + stop)
            outcomes += [
                Learned(version, right, head)
                if isinstance(right, bool)
                else _not_learned(version, right)
                for version, right, head in zip(versions, came, heads[start:stop], strict=True)
            ]
            yield
        if self.key is not None:
            learned = [
                outcome if isinstance(outcome, Learned) else Learned(version, False, head)
                for version, (outcome, head) in enumerate(
                    zip(outcomes, heads, strict=True), self.first
                )
            ]
            self.writer.keep_answer(self.model.keep_answer(self.key.text, learned))
        return outcomes

    def _repeat(self, stored: StoredKey) -> list[Outcome]:
        """Return the answer to the first request with this key."""
        assert self.key is not None
        if not stored.is_of(self.key.digest):
            raise other_body(self.key.text)
        return repeat(self.model, self.key.text, stored)


def came_otherwise(connection: apsw.Connection, model: int, key: Key) -> bool:
    """Return whether a key came with a body of the other kind, JSON or lines."""
    if key.lines_of is not None:
        return find_key(connection, model, key.lines_of) is not None
    return bool(find_lines(connection, model, key.text))


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
    if stored.answer is not None:
        answers = decode_answer(stored.answer)
    elif key in model.answers:
        answers = model.answers[key]
    else:  # too many at once: soon it is on the disk
        raise RefusedError(503, "the answer to this key is being written: try again.")
    overflow = model.live.overflow
    return [
        learned
        if overflow is None or learned.version < overflow
        else _not_learned(learned.version, out_of_range(overflow))
        for learned in answers
    ]


def _not_learned(version: int, error: RefusedError) -> NotLearnedError:
    return NotLearnedError(
        error.status,
        f"version {version} cannot be learned, and is in the log, so do not send it again: {error}",
    )
