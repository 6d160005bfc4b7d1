"""Bodies of any length: one row on each line, and one answer for each.

A line that is refused has an answer of its own, and the others are not lost. So has the line at
which the body breaks off: it comes too slowly, it is malformed, or the service stops. The answers
are kept until the whole body has come, on the disk where they are long: a client may send
everything before it reads. Where that disk is full, one answer says what came of all lines.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Self, TypeVar

import msgspec

from rosenblatt.serve.http.bodies import Decode, decode_example, decode_query
from rosenblatt.serve.http.endpoint import NDJSON, Answer, Call, fault
from rosenblatt.serve.http.line_keys import Line, LineKeys, one_at_a_time
from rosenblatt.serve.learning import Key
from rosenblatt.serve.live import LiveModel, too_many_labels
from rosenblatt.serve.refused import RefusedError
from rosenblatt.serve.rows.parsed import parse_examples
from rosenblatt.serve.schema import MAX_BODY, Example, LineError, Prediction, Query
from rosenblatt.serve.served import ServedModel
from rosenblatt.serve.service import Service
from rosenblatt.serve.store.database import StoreError

ROWS, BYTES = 2000, 2**20
"""Rows of a commit, and bytes, but for the last ones: others wait so long for their turn."""
PARSED = 500
"""Lines that are parsed at once."""
AHEAD = 2
"""Commits on their way at once."""

IN_MEMORY = 2**22
"""Bytes of answers that are kept in memory."""

T = TypeVar("T")
_encode_lines = msgspec.json.Encoder().encode_lines


async def learn_lines(
    service: Service, model: ServedModel, call: Call, key: str | None = None
) -> Answer:
    """Learn an example of each line; with a key, those that were not learned before."""
    pending: list[Line] = []  # come while others are written
    waiting: deque[asyncio.Task[list[Any]]] = deque()

    def row(example: Example) -> Any:
        return service.row(model, example)

    def parse(texts: list[bytes]) -> list[Any]:
        return model.live.taken(parse_examples(texts))

    with one_at_a_time(model, key), _Answers() as answers:
        keys = None if key is None else LineKeys(service, model, key)
        if keys is not None:
            await keys.read()
        learner = _Learner(service, model, keys)
        try:
            async for lines in _lines(call, decode_example, row, parse):
                pending += lines
                is_full = len(pending) >= ROWS or sum(map(_size, pending)) >= BYTES
                while waiting and (waiting[0].done() or (is_full and len(waiting) >= AHEAD)):
                    answers.add(await waiting.popleft())
                if len(waiting) < AHEAD:
                    waiting.append(asyncio.create_task(learner.learn(pending)))
                    pending = []
        finally:  # what has come is learned, also where nobody waits for the answer any more
            if pending:
                waiting.append(asyncio.create_task(learner.learn(pending)))
            for outcomes in await asyncio.gather(*waiting):
                answers.add(outcomes)
        if learner.failure is not None and not learner.learned:
            raise learner.failure
        headers = () if learner.failure is None else fault(learner.failure).headers
        return answers.give(lambda: learner.say(answers.lines), headers)


class _Learner:
    """Learns the examples of lines, and counts them.

    Attributes
    ----------
    learned : int
        Examples in the log.
    failure : StoreError or None
        The last reason why the disk refused some.
    """

    def __init__(self, service: Service, model: ServedModel, keys: LineKeys | None) -> None:
        self._service, self._model, self._keys = service, model, keys
        self.learned = 0
        self.failure: StoreError | None = None

    async def learn(self, lines: list[Line]) -> list[Any]:
        """Learn lines; return the answers."""
        await self._model.wait_for_turn()
        answers = {} if self._keys is None else self._answered(lines, self._keys)
        self.learned += len(answers)
        new = self._refuse([line for line in lines if line.number not in answers])
        good = [line for line in new if not isinstance(line.row, LineError)]
        answers |= {line.number: line.row for line in new if isinstance(line.row, LineError)}
        runs = [(good, None)] if self._keys is None else self._keys.runs(good)
        for learned in await asyncio.gather(*(self._learn(*run) for run in runs)):
            answers |= learned
        return [_line(line.number, answers[line.number]) for line in lines]

    def _answered(self, lines: list[Line], keys: LineKeys) -> dict[int, Any]:
        """Return the answers to lines that were learned before."""
        answers = {line.number: keys.answer(line) for line in lines}
        return {number: answer for number, answer in answers.items() if answer is not None}

    async def _learn(self, lines: list[Line], key: Key | None) -> dict[int, Any]:
        """Learn lines that are written together."""
        outcomes: list[Any] = []
        try:
            rows = [line.row for line in lines]
            outcomes = await self._service.learn_each(self._model, rows, key) if rows else []
            self.learned += len(outcomes)
        except (RefusedError, StoreError) as error:  # nothing of these rows was written
            outcomes = [error] * len(lines)
            self.failure = error if isinstance(error, StoreError) else self.failure
        return {line.number: outcome for line, outcome in zip(lines, outcomes, strict=True)}

    def _refuse(self, lines: list[Line]) -> list[Line]:
        """Return the lines; those that the model cannot learn have why in the row's place."""
        live = self._model.live
        over = live.labels_over_limit(_good(line.row for line in lines))
        lines = [
            line._replace(row=LineError(line.number, too_many_labels(line.row[1])))
            if not isinstance(line.row, LineError) and line.row[1] in over
            else line
            for line in lines
        ]
        places = [i for i, line in enumerate(lines) if not isinstance(line.row, LineError)]
        for i, why in live.mixed(_good(line.row for line in lines)).items():
            line = lines[places[i]]
            lines[places[i]] = line._replace(row=LineError(line.number, why))
        return lines

    def say(self, lines: int) -> str:
        """Return what came of lines whose answers are lost."""
        version = self._model.live.version
        return (
            f"of the {lines:,} lines, {self.learned:,} are in the log, up to version {version}: do "
            "not send them all again."
        )


def _size(line: Line) -> int:
    return len(line.text)


def _line(number: int, outcome: Any) -> Any:
    """Return the answer to a line."""
    return _refused(number, outcome) if isinstance(outcome, Exception) else outcome


def _refused(number: int, error: Exception) -> LineError:
    """Return the answer to a line that was refused for an error."""
    status = fault(error).status
    return LineError(number, str(error), status if status == 408 or status >= 500 else None)


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

    def give(
        self, what_came: Callable[[], str], headers: tuple[tuple[bytes, bytes], ...] = ()
    ) -> Answer:
        """Return the answers; where the file failed, one line that says what came of all lines."""
        if self._fault is None:
            return Answer(self._file, type=NDJSON, headers=headers)  # sending closes the file
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
        async for lines in _lines(call, decode_query, lambda query: query):
            answers.add([await answer(line.number, line.row) for line in lines])
            await asyncio.sleep(0)
        return answers.give(lambda: "send fewer lines at a time.")


async def predict_query(
    service: Service, model: ServedModel, live: LiveModel, query: Query, explain: bool
) -> Prediction:
    """Answer one query."""
    if explain or query.explain:
        return await service.explain(model, query.features, live=live)
    return service.predict(model, query.features, live=live)


async def _lines(
    call: Call,
    decode: Decode[T],
    convert: Callable[[T], Any],
    parse: Callable[[list[bytes]], list[Any]] = lambda texts: [None] * len(texts),
) -> AsyncIterator[list[Line]]:
    """Yield the lines of a body with their rows, some hundred at a time.

    The row of a line that is refused is a LineError. ``parse`` returns the row of each of some
    lines, or None, where it is to be decoded and converted.

    Raises
    ------
    RefusedError
        The body breaks off in the first line.
    """
    number, rest = 0, bytearray()
    try:
        async for part in call.parts():
            rest += part
            texts: list[bytes] = []
            if b"\n" in part:
                *texts, last = bytes(rest).split(b"\n")
                rest = bytearray(last)
            for start in range(0, len(texts), PARSED):
                chunk = texts[start : start + PARSED]
                if lines := _converted(chunk, number, decode, convert, parse):
                    yield lines
                number += len(chunk)
            del rest[MAX_BODY + 1 :]  # of a line that is too long, as much as shows it
    except RefusedError as error:
        if not number:
            raise
        yield [Line(number + 1, b"", _refused(number + 1, error))]
        return
    if lines := _converted([bytes(rest)], number, decode, convert, parse):
        yield lines


def _converted(
    texts: list[bytes],
    before: int,
    decode: Decode[T],
    convert: Callable[[T], Any],
    parse: Callable[[list[bytes]], list[Any]],
) -> list[Line]:
    rows = parse(texts)
    numbers = range(before + 1, before + 1 + len(texts))
    if None not in rows:
        return [*map(Line._make, zip(numbers, texts, rows, strict=True))]
    lines: list[Line] = []
    for number, text, row in zip(numbers, texts, rows, strict=True):
        if row is not None:
            lines.append(Line(number, text, row))
        elif len(text) > MAX_BODY:
            row = LineError(number, f"a line may have {MAX_BODY:,} bytes.")
            lines.append(Line(number, b"", row))
        elif text and not text.isspace():
            try:
                row = convert(decode(text))
            except (RefusedError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                row = LineError(number, str(error))
            lines.append(Line(number, text, row))
    return lines
