"""The Idempotency-Key of a body of lines: sent again, it goes on from the first unlearned line.

Each run of lines that is written together has a stored key of its own, in the transaction of its
examples, with a digest of each line. So it does not matter where a body broke off, or in which
parts it comes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import Any, NamedTuple

from rosenblatt.serve.errors import RefusedError, StoreError, explained
from rosenblatt.serve.served import Key, Outcome, ServedModel, other_body, repeat
from rosenblatt.serve.service import Service
from rosenblatt.serve.store.tables import FORGOTTEN, find_key, find_lines, key_of_lines

DIGEST = 16
"""Bytes of the digest of a line."""


class Line(NamedTuple):
    """A line of a body: its number, from 1, its bytes, and its row, or why it is refused.

    One that is too long has no bytes, nor has that which says why no more lines come.
    """

    number: int
    text: bytes
    row: Any


class LineKeys:
    """What earlier requests with a key have learned of a body.

    Parameters
    ----------
    service : Service
    model : ServedModel
    key : str

    Attributes
    ----------
    counts : dict
        How many lines have been learned, by the first one of each run.
    """

    def __init__(self, service: Service, model: ServedModel, key: str) -> None:
        self._service, self._model, self._key = service, model, key
        self.counts: dict[int, int] = {}
        self._start, self._digests, self._answers = 0, b"", list[Outcome | StoreError]()

    async def read(self) -> None:
        """Read which lines have been learned.

        Raises
        ------
        RefusedError
            The key came with a body of JSON.
        """
        number, key = self._model.number, self._key
        if await self._service.read(lambda c: find_key(c, number, key)) is not None:
            raise other_body(key)
        self.counts = await self._service.read(lambda c: find_lines(c, number, key))

    def answer(self, line: Line) -> Outcome | StoreError | None:
        """Return the answer to a line that was learned; None for one that was not."""
        if line.number in self.counts:
            self._read_run(line.number)
        offset = line.number - self._start
        if offset >= len(self._answers):
            return None
        answer = self._answers[offset]
        digest = self._digests[offset * DIGEST : (offset + 1) * DIGEST]
        is_same = self._digests == FORGOTTEN or digest == _digest(line.text)
        if is_same or isinstance(answer, Exception):
            return answer
        return RefusedError(
            422, "another line was learned in its place, with the same Idempotency-Key."
        )

    def _read_run(self, start: int) -> None:
        """Read the answers to a run of lines: where they cannot be had, why, for each of them."""
        text = key_of_lines(self._key, start)
        self._start, self._digests = start, b""
        try:
            with explained(self._service.database.file):
                stored = find_key(self._service.reader, self._model.number, text)
            if stored is None:  # too old, meanwhile
                self._answers = []
                return
            self._digests = stored.digest
            self._answers = [*repeat(self._model, text, stored)]
        except (RefusedError, StoreError) as error:
            self._answers = [error] * self.counts[start]

    def runs(self, lines: list[Line]) -> Iterator[tuple[list[Line], Key]]:
        """Yield the runs of lines that stand one below the other, with their keys."""
        for _, pairs in groupby(enumerate(lines), lambda pair: pair[1].number - pair[0]):
            run = [line for _, line in pairs]
            yield run, self.key_of(run[0].number, [line.text for line in run])

    def key_of(self, number: int, texts: list[bytes]) -> Key:
        """Return the key of lines that stand one below the other, from a number on."""
        digest = b"".join(map(_digest, texts))
        return Key(key_of_lines(self._key, number), digest, self._key)


@contextmanager
def one_at_a_time(model: ServedModel, key: str | None) -> Iterator[None]:
    """Refuse a body with a key while another with the same one comes.

    Raises
    ------
    RefusedError
        Another comes.
    """
    if key is None:
        yield
        return
    if key in model.line_keys:
        raise RefusedError(409, f"lines with the Idempotency-Key {key!r:.80} are being learned.")
    model.line_keys.add(key)
    try:
        yield
    finally:
        model.line_keys.discard(key)


def _digest(text: bytes) -> bytes:
    return hashlib.sha256(text).digest()[:DIGEST]
