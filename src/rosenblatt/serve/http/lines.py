"""Bodies of any length: one row on each line, and one answer for each.

A line that is refused has an answer of its own, and the others are not lost. The answers are kept
until the whole body has come, on the disk where they are long: a client may send everything before
it reads.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from tempfile import SpooledTemporaryFile
from typing import Any, TypeVar

import msgspec

from rosenblatt.serve.http.endpoint import NDJSON, Answer, Call
from rosenblatt.serve.live import LiveModel, too_many_labels
from rosenblatt.serve.refused import RefusedError
from rosenblatt.serve.schema import MAX_BODY, Example, LineError, Query
from rosenblatt.serve.served import ServedModel
from rosenblatt.serve.service import Service

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
    answers = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 (sending closes it)
    waiting: deque[asyncio.Task[list[Any]]] = deque()

    async def learn(numbered: list[tuple[int, Any]]) -> list[Any]:
        over = model.live.labels_over_limit(_good(row for _, row in numbered))
        rows = [
            LineError(number, too_many_labels(row[1]))
            if not isinstance(row, LineError) and row[1] in over
            else row
            for number, row in numbered
        ]
        good = _good(rows)
        learned = iter(await service.learn(model, good) if good else [])
        return [row if isinstance(row, LineError) else next(learned) for row in rows]

    def row(example: Example) -> Any:
        return service.row(model, example)

    try:
        async for rows in _rows(call, examples, row):
            waiting.append(asyncio.create_task(learn(rows)))
            if len(waiting) >= AHEAD:
                answers.write(_encode_lines(await waiting.popleft()))
        while waiting:
            answers.write(_encode_lines(await waiting.popleft()))
    finally:
        for task in waiting:
            task.cancel()
    return Answer(answers, type=NDJSON)


def _good(rows: Iterable[Any]) -> list[Any]:
    """Return the rows of lines that were not refused."""
    return [row for row in rows if not isinstance(row, LineError)]


async def predict_lines(
    service: Service, model: ServedModel, live: LiveModel, call: Call, *, explain: bool
) -> Answer:
    """Predict the row of each line."""

    def predict(query: Query) -> Any:
        return service.predict(model, query.features, live=live, explain=explain or query.explain)

    answers = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 (sending closes it)
    async for rows in _rows(call, msgspec.json.Decoder(Query), predict):
        answers.write(_encode_lines([row for _, row in rows]))
        await asyncio.sleep(0)
    return Answer(answers, type=NDJSON)


async def _rows(
    call: Call, decoder: msgspec.json.Decoder[T], convert: Callable[[T], Any]
) -> AsyncIterator[list[tuple[int, Any]]]:
    """Yield the rows of a body with the numbers of their lines, some hundred at a time.

    The row of a line that is refused is a LineError.
    """
    number, rest = 0, bytearray()
    async for part in call.parts():
        rest += part
        lines: list[bytes] = []
        if b"\n" in part:
            *lines, last = bytes(rest).split(b"\n")
            rest = bytearray(last)
        if len(rest) > MAX_BODY or any(len(line) > MAX_BODY for line in lines):
            raise RefusedError(413, f"a line may have {MAX_BODY:,} bytes.")
        for start in range(0, len(lines), ROWS):
            chunk = lines[start : start + ROWS]
            if rows := _converted(chunk, number, decoder, convert):
                yield rows
            number += len(chunk)
    if rows := _converted([bytes(rest)], number, decoder, convert):
        yield rows


def _converted(
    lines: list[bytes], before: int, decoder: msgspec.json.Decoder[T], convert: Callable[[T], Any]
) -> list[tuple[int, Any]]:
    rows: list[tuple[int, Any]] = []
    for number, line in enumerate(lines, before + 1):
        if line and not line.isspace():
            try:
                rows.append((number, convert(decoder.decode(line))))
            except (RefusedError, msgspec.DecodeError, UnicodeDecodeError) as error:
                rows.append((number, LineError(number, str(error))))
    return rows
