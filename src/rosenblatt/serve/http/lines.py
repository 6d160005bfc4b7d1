"""Bodies of any length: one row on each line, and one answer for each.

A line that is refused has an answer of its own, and the others are not lost. So has the line at
which the body breaks off, because it comes too slowly. The answers are kept until the whole body
has come, on the disk where they are long: a client may send everything before it reads. Where that
disk is full, one answer says what came of all lines.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Self, TypeVar

import msgspec

from rosenblatt.serve.http.bodies import Decode, decode_example, decode_query
from rosenblatt.serve.http.endpoint import NDJSON, Answer, Call
from rosenblatt.serve.live import LiveModel, too_many_labels
from rosenblatt.serve.refused import RefusedError
from rosenblatt.serve.schema import MAX_BODY, Example, LineError, Prediction, Query
from rosenblatt.serve.served import ServedModel
from rosenblatt.serve.service import Service
from rosenblatt.serve.store.database import StoreError

ROWS = 500
"""Rows of a commit: others wait at most this long for their turn."""
AHEAD = 2
"""Commits on their way at once."""

IN_MEMORY = 2**22
"""Bytes of answers that are kept in memory."""

T = TypeVar("T")
_encode_lines = msgspec.json.Encoder().encode_lines


async def learn_lines(service: Service, model: ServedModel, call: Call) -> Answer:
    """Learn an example of each line."""
    waiting: deque[asyncio.Task[list[Any]]] = deque()
    learner = _Learner(service, model)

    def row(example: Example) -> Any:
        return service.row(model, example)

    with _Answers() as answers:
        try:
            async for rows in _rows(call, decode_example, row):
                waiting.append(asyncio.create_task(learner.learn(rows)))
                if len(waiting) >= AHEAD:
                    answers.add(await waiting.popleft())
        finally:  # what has come is learned, also where nobody waits for the answer any more
            for lines in await asyncio.gather(*waiting):
                answers.add(lines)
        if learner.failure is not None and not learner.learned:
            raise learner.failure
        return answers.give(lambda: learner.say(answers.lines))


class _Learner:
    """Learns the examples of lines, and counts them.

    Attributes
    ----------
    learned : int
        Examples in the log.
    failure : StoreError or None
        The last reason why the disk refused some.
    """

    def __init__(self, service: Service, model: ServedModel) -> None:
        self._service, self._model = service, model
        self.learned = 0
        self.failure: StoreError | None = None

    async def learn(self, numbered: list[tuple[int, Any]]) -> list[Any]:
        """Learn rows, with the numbers of their lines; return the answers."""
        await self._model.unlocked.wait()
        rows = self._refuse(numbered)
        good = _good(rows)
        outcomes: list[Any] = []
        try:
            outcomes = await self._service.learn_each(self._model, good) if good else []
            self.learned += len(outcomes)
        except (RefusedError, StoreError) as error:  # nothing of these rows was written
            outcomes = [error] * len(good)
            self.failure = error if isinstance(error, StoreError) else self.failure
        answer = iter(outcomes)
        return [
            _line(number, row if isinstance(row, LineError) else next(answer))
            for (number, _), row in zip(numbered, rows, strict=True)
        ]

    def _refuse(self, numbered: list[tuple[int, Any]]) -> list[Any]:
        """Return the rows, and in the place of those that the model cannot learn, why."""
        live = self._model.live
        over = live.labels_over_limit(_good(row for _, row in numbered))
        rows = [
            LineError(number, too_many_labels(row[1]))
            if not isinstance(row, LineError) and row[1] in over
            else row
            for number, row in numbered
        ]
        places = [i for i, row in enumerate(rows) if not isinstance(row, LineError)]
        for i, why in live.mixed(_good(rows)).items():
            rows[places[i]] = LineError(numbered[places[i]][0], why)
        return rows

    def say(self, lines: int) -> str:
        """Return what came of lines whose answers are lost."""
        version = self._model.live.version
        return (
            f"of the {lines:,} lines, {self.learned:,} are in the log, up to version {version}: do "
            "not send them all again."
        )


def _line(number: int, outcome: Any) -> Any:
    """Return the answer to a line."""
    return LineError(number, str(outcome)) if isinstance(outcome, Exception) else outcome


class _Answers:
    """Answers to lines, in a file that is closed if they are not given.

    Attributes
    ----------
    lines : int
        Number of answers.
    """

    def __init__(self) -> None:
        self._file: IO[bytes] = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115
        self._fault: OSError | None = None
        self.lines = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        if kind is not None or self._fault is not None:
            self._file.close()

    def add(self, answers: list[Any]) -> None:
        """Keep answers; a fault of the file is said by :meth:`give`."""
        self.lines += len(answers)
        if self._fault is None:
            try:
                self._file.write(_encode_lines(answers))
            except OSError as error:
                self._fault = error

    def give(self, what_came: Callable[[], str]) -> Answer:
        """Return the answers; where the file failed, one line that says what came of all lines."""
        if self._fault is None:
            return Answer(self._file, type=NDJSON)  # sending closes the file
        message = f"the answers are lost ({self._fault.strerror}): {what_came()}"
        return Answer(_encode_lines([LineError(self.lines, message)]), type=NDJSON)


def _good(rows: Iterable[Any]) -> list[Any]:
    """Return the rows of lines that were not refused."""
    return [row for row in rows if not isinstance(row, LineError)]


async def predict_lines(
    service: Service, model: ServedModel, live: LiveModel, call: Call, *, explain: bool
) -> Answer:
    """Predict the row of each line."""

    async def answer(number: int, query: Query | LineError) -> Any:
        if isinstance(query, LineError):
            return query
        try:
            return await predict_query(service, model, live, query, explain)
        except RefusedError as error:
            return LineError(number, str(error))

    with _Answers() as answers:
        async for rows in _rows(call, decode_query, lambda query: query):
            answers.add([await answer(number, query) for number, query in rows])
            await asyncio.sleep(0)
        return answers.give(lambda: "send fewer lines at a time.")


async def predict_query(
    service: Service, model: ServedModel, live: LiveModel, query: Query, explain: bool
) -> Prediction:
    """Answer one query."""
    if explain or query.explain:
        return await service.explain(model, query.features, live=live)
    return service.predict(model, query.features, live=live)


async def _rows(
    call: Call, decode: Decode[T], convert: Callable[[T], Any]
) -> AsyncIterator[list[tuple[int, Any]]]:
    """Yield the rows of a body with the numbers of their lines, some hundred at a time.

    The row of a line that is refused is a LineError.

    Raises
    ------
    RefusedError
        The first line comes too slowly.
    """
    number, rest = 0, bytearray()
    try:
        async for part in call.parts():
            rest += part
            lines: list[bytes] = []
            if b"\n" in part:
                *lines, last = bytes(rest).split(b"\n")
                rest = bytearray(last)
            for start in range(0, len(lines), ROWS):
                chunk = lines[start : start + ROWS]
                if rows := _converted(chunk, number, decode, convert):
                    yield rows
                number += len(chunk)
            del rest[MAX_BODY + 1 :]  # of a line that is too long, as much as shows it
    except RefusedError as error:
        if not number:
            raise
        yield [(number + 1, LineError(number + 1, str(error)))]
        return
    if rows := _converted([bytes(rest)], number, decode, convert):
        yield rows


def _converted(
    lines: list[bytes], before: int, decode: Decode[T], convert: Callable[[T], Any]
) -> list[tuple[int, Any]]:
    rows: list[tuple[int, Any]] = []
    for number, line in enumerate(lines, before + 1):
        if len(line) > MAX_BODY:
            rows.append((number, LineError(number, f"a line may have {MAX_BODY:,} bytes.")))
        elif line and not line.isspace():
            try:
                rows.append((number, convert(decode(line))))
            except (RefusedError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                rows.append((number, LineError(number, str(error))))
    return rows
