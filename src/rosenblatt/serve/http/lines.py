"""Bodies of any length: one row on each line, and one answer for each.

A line that is refused has an answer of its own, and the others are not lost. So has the line at
which the body breaks off, because it comes too slowly. The answers are kept until the whole body
has come, on the disk where they are long: a client may send everything before it reads.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from tempfile import SpooledTemporaryFile
from typing import IO, Any, TypeVar

import msgspec

from rosenblatt.serve.http.endpoint import NDJSON, Answer, Call
from rosenblatt.serve.live import LiveModel, too_many_labels
from rosenblatt.serve.refused import RefusedError
from rosenblatt.serve.schema import MAX_BODY, Example, LineError, Query
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
    examples = msgspec.json.Decoder(Example)
    waiting: deque[asyncio.Task[list[Any]]] = deque()
    failures: list[StoreError] = []
    learned = 0

    async def learn(numbered: list[tuple[int, Any]]) -> list[Any]:
        nonlocal learned
        over = model.live.labels_over_limit(_good(row for _, row in numbered))
        rows = [
            LineError(number, too_many_labels(row[1]))
            if not isinstance(row, LineError) and row[1] in over
            else row
            for number, row in numbered
        ]
        good = _good(rows)
        outcomes: list[Any] = []
        try:
            outcomes = await service.learn_each(model, good) if good else []
            learned += len(outcomes)
        except (RefusedError, StoreError) as error:
            outcomes = [error] * len(good)
            failures.extend([error] if isinstance(error, StoreError) else [])
        answer = iter(outcomes)
        return [
            _line(number, row if isinstance(row, LineError) else next(answer))
            for (number, _), row in zip(numbered, rows, strict=True)
        ]

    def row(example: Example) -> Any:
        return service.row(model, example)

    with _file_of_answers() as answers:
        try:
            async for rows in _rows(call, examples, row):
                waiting.append(asyncio.create_task(learn(rows)))
                if len(waiting) >= AHEAD:
                    answers.write(_encode_lines(await waiting.popleft()))
        finally:  # what has come is learned, also where nobody waits for the answer any more
            for lines in await asyncio.gather(*waiting):
                answers.write(_encode_lines(lines))
        if failures and not learned:
            raise failures[0]
    return Answer(answers, type=NDJSON)


@contextmanager
def _file_of_answers() -> Iterator[IO[bytes]]:
    """Open a file for answers, and close it if they are not sent; sending closes it."""
    file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115
    try:
        yield file
    except BaseException:
        file.close()
        raise


def _line(number: int, outcome: Any) -> Any:
    """Return the answer to a line."""
    return LineError(number, str(outcome)) if isinstance(outcome, Exception) else outcome


def _good(rows: Iterable[Any]) -> list[Any]:
    """Return the rows of lines that were not refused."""
    return [row for row in rows if not isinstance(row, LineError)]


async def predict_lines(
    service: Service, model: ServedModel, live: LiveModel, call: Call, *, explain: bool
) -> Answer:
    """Predict the row of each line."""

    def predict(query: Query) -> Any:
        return service.predict(model, query.features, live=live, explain=explain or query.explain)

    with _file_of_answers() as answers:
        async for rows in _rows(call, msgspec.json.Decoder(Query), predict):
            answers.write(_encode_lines([row for _, row in rows]))
            await asyncio.sleep(0)
    return Answer(answers, type=NDJSON)


async def _rows(
    call: Call, decoder: msgspec.json.Decoder[T], convert: Callable[[T], Any]
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
                if rows := _converted(chunk, number, decoder, convert):
                    yield rows
                number += len(chunk)
            del rest[MAX_BODY + 1 :]  # of a line that is too long, as much as shows it
    except RefusedError as error:
        if not number:
            raise
        yield [(number + 1, LineError(number + 1, str(error)))]
        return
    if rows := _converted([bytes(rest)], number, decoder, convert):
        yield rows


def _converted(
    lines: list[bytes], before: int, decoder: msgspec.json.Decoder[T], convert: Callable[[T], Any]
) -> list[tuple[int, Any]]:
    rows: list[tuple[int, Any]] = []
    for number, line in enumerate(lines, before + 1):
        if len(line) > MAX_BODY:
            rows.append((number, LineError(number, f"a line may have {MAX_BODY:,} bytes.")))
        elif line and not line.isspace():
            try:
                rows.append((number, convert(decoder.decode(line))))
            except (RefusedError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                rows.append((number, LineError(number, str(error))))
    return rows
