"""Bodies of any length: one row on each line, and one answer for each.

A line that is refused has an answer of its own, and the others are not lost. So has the line at
which the body breaks off: it comes too slowly, it is malformed, or the service stops. The answers
are kept until the whole body has come, on the disk where they are long: a client may send
everything before it reads. Where that disk is full, one answer says what came of all lines.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from functools import partial
from itertools import groupby
from tempfile import SpooledTemporaryFile
from typing import IO, Any, NamedTuple, Self, TypeVar

import msgspec

from rosenblatt.engine.serving.examples import Block
from rosenblatt.serve.errors import RefusedError, StoreError
from rosenblatt.serve.http.call import (
    NDJSON,
    Answer,
    Call,
    Decode,
    decode_example,
    decode_query,
)
from rosenblatt.serve.http.line_keys import Line, LineKeys, one_at_a_time
from rosenblatt.serve.http.problems import fault
from rosenblatt.serve.live import LiveModel
from rosenblatt.serve.rows import ParsedRows, PlainRows, Rows, parse_examples
from rosenblatt.serve.schema import MAX_BODY, LineError, Prediction, Query
from rosenblatt.serve.served import Key, ServedModel
from rosenblatt.serve.service import Service
from rosenblatt.serve.telemetry.audit import EXAMPLES

ROWS, BYTES = 2000, 2**20
"""Rows of a commit, and bytes, but for the last ones: others wait so long for their turn."""
PARSED, LEFT = 500, 10
"""Lines that are parsed at once, and how many of them may be left to Python: if more, all are."""
AHEAD = 2
"""Commits on their way at once."""

IN_MEMORY = 2**22
"""Bytes of answers that are kept in memory."""

T = TypeVar("T")
_Part = tuple[Iterable[int], Rows, Key | None]
"""Rows that are written together: the numbers of their lines, and their key."""

_encode_lines = msgspec.json.Encoder().encode_lines


class Run(NamedTuple):
    """Lines that stand one below the other.

    Parameters
    ----------
    number : int
        Of the first line, from 1.
    texts : list of bytes
    block : Block, optional
        Their examples, if the core has parsed them all.
    refusal : LineError, optional
        Why no more lines come.
    """

    number: int
    texts: list[bytes]
    block: Block | None = None
    refusal: LineError | None = None


async def learn_lines(
    service: Service, model: ServedModel, call: Call, key: str | None = None
) -> Answer:
    """Learn an example of each line; with a key, those that were not learned before."""
    pending: list[Run] = []  # come while others are written
    waiting: deque[asyncio.Task[list[object]]] = deque()
    with one_at_a_time(model, key), _Answers() as answers:
        keys = None if key is None else LineKeys(service, model, key)
        if keys is not None:
            await keys.read()
        learner = _Learner(service, model, keys)

        def start(_: object = None) -> None:
            """Learn what has come, unless enough is under way; each end comes here again."""
            if pending and sum(not task.done() for task in waiting) < AHEAD:
                waiting.append(asyncio.create_task(learner.learn(pending.copy())))
                waiting[-1].add_done_callback(start)
                pending.clear()

        try:
            async for run in _lines(call):
                await service.queue.wait()  # meanwhile no more is read of the body
                _add(pending, run)
                texts = [text for run in pending for text in run.texts]
                is_full = len(texts) >= ROWS or sum(map(len, texts)) >= BYTES
                while waiting and (waiting[0].done() or (is_full and len(waiting) >= AHEAD)):
                    answers.add(await waiting.popleft())
                start()
        finally:  # what has come is learned, also where nobody waits for the answer any more
            if pending:
                waiting.append(asyncio.create_task(learner.learn(pending.copy())))
                pending.clear()  # so that the end of a task begins nothing
            for outcomes in await asyncio.gather(*waiting):
                answers.add(outcomes)
            call.facts[EXAMPLES] = learner.new
        if learner.failure is not None and not learner.learned:
            raise learner.failure
        headers = () if learner.failure is None else fault(learner.failure).headers
        return answers.give(lambda: learner.say(answers.lines), headers)


class _Learner:
    """Learns the examples of lines, and counts them.

    Attributes
    ----------
    learned, new : int
        Examples in the log, and those of them that were not there before.
    failure : StoreError or None
        The last reason why the disk refused some.
    """

    def __init__(self, service: Service, model: ServedModel, keys: LineKeys | None) -> None:
        self._service, self._model, self._keys = service, model, keys
        self.learned = self.new = 0
        self.failure: StoreError | None = None

    async def learn(self, runs: list[Run]) -> list[object]:
        """Learn lines; return the answers."""
        await self._model.wait_for_turn()
        answers: dict[int, object] = {}
        parts: list[_Part] = []  # in the order of the lines
        with_rows = [(run, self._sure_rows(run)) for run in runs]
        for is_left, alike in groupby(with_rows, lambda pair: pair[1] is None):
            if is_left:
                parts += self._decode([run for run, _ in alike], answers)
                continue
            for run, rows in alike:
                assert rows is not None
                numbers = range(run.number, run.number + len(rows))
                key = None if self._keys is None else self._keys.key_of(run.number, run.texts)
                parts.append((numbers, rows, key))
        for learned in await asyncio.gather(*(self._learn(*part) for part in parts)):
            answers |= learned
        return [
            _refused(number, answer) if isinstance(answer, Exception) else answer
            for number, answer in sorted(answers.items())
        ]

    def _decode(self, runs: list[Run], answers: dict[int, object]) -> list[_Part]:
        """Return the parts that are learned of lines; the others have their answers then."""
        row, keys = partial(self._service.row, self._model), self._keys
        lines = [line for run in runs for line in _decoded(run, decode_example, row)]
        answered = [] if keys is None else [(line, keys.answer(line)) for line in lines]
        before = {
            line.number: answer for line, answer in answered if answer is not None and line.text
        }
        self.learned += len(before)
        answers |= {line.number: line.row for line in lines if isinstance(line.row, LineError)}
        answers |= before
        new = [line for line in lines if line.number not in answers]
        refused = self._model.live.refusals(PlainRows([line.row for line in new]))
        answers |= {new[j].number: error for j, error in refused.items()}
        good = [line for line in new if line.number not in answers]
        keyed = [(good, None)] if self._keys is None else self._keys.runs(good)
        return [
            ([line.number for line in part], PlainRows([line.row for line in part]), key)
            for part, key in keyed
        ]

    def _sure_rows(self, run: Run) -> ParsedRows | None:
        """Return the rows of a run that are new, of known labels, and taken by the model."""
        if run.block is None or not (self._keys is None or not self._keys.counts):
            return None
        rows, live = ParsedRows(run.block), self._model.live
        is_known = set(rows.labels) <= set(live.model.classes_)
        return rows if is_known and not live.refusals(rows) else None

    async def _learn(
        self, numbers: Iterable[int], rows: Rows, key: Key | None
    ) -> dict[int, object]:
        """Learn lines that are written together."""
        outcomes: Sequence[object] = []
        try:
            if len(rows):
                with self._service.queue.holding(rows.ends[-1]):
                    outcomes, new = await self._service.learn(self._model, rows, key)
                    self.new += new
            self.learned += len(outcomes)
        except (RefusedError, StoreError) as error:  # nothing of these rows was written
            outcomes = [error] * len(rows)
            self.failure = error if isinstance(error, StoreError) else self.failure
        return dict(zip(numbers, outcomes, strict=True))

    def say(self, lines: int) -> str:
        """Return what came of lines whose answers are lost."""
        version = self._model.live.version
        return (
            f"of the {lines:,} lines, {self.learned:,} are in the log, up to version {version}: do "
            "not send them all again."
        )


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

    def add(self, answers: list[object]) -> None:
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


async def predict_lines(
    service: Service, model: ServedModel, live: LiveModel, version: int | None, call: Call,
    *, explain: bool,
) -> Answer:  # fmt: skip
    """Predict the row of each line."""

    async def answer(number: int, query: Query | LineError) -> object:
        if isinstance(query, LineError):
            return query
        try:
            return await predict_query(service, model, live, version, query, explain)
        except RefusedError as error:
            return LineError(number, str(error))

    with _Answers() as answers:
        async for run in _lines(call):
            lines = _decoded(run, decode_query, lambda query: query)
            answers.add([await answer(line.number, line.row) for line in lines])
            await asyncio.sleep(0)
        return answers.give(lambda: "send fewer lines at a time.")


async def predict_query(
    service: Service, model: ServedModel, live: LiveModel, version: int | None, query: Query,
    explain: bool,
) -> Prediction:  # fmt: skip
    """Answer one query; at a version, if one is asked for, which ``live`` may have left since."""
    while True:
        if version is not None and live.version != version:
            live = await service.at(model, version)
        if explain or query.explain:
            prediction = await service.explain(model, query.features, live=live)
        else:
            prediction = service.predict(model, query.features, live=live)
        if version in (None, prediction.version):
            return prediction


async def _lines(call: Call) -> AsyncIterator[Run]:
    """Yield the lines of a body, some hundred at a time.

    Raises
    ------
    RefusedError
        The body breaks off in the first line.
    """
    number, rest = 1, bytearray()
    try:
        async for part in call.parts():
            rest += part
            texts: list[bytes] = []
            if b"\n" in part:
                *texts, last = bytes(rest).split(b"\n")
                rest = bytearray(last)
            for start in range(0, len(texts), PARSED):
                run = Run(number, texts[start : start + PARSED])
                yield run
                number += len(run.texts)
            del rest[MAX_BODY + 1 :]  # of a line that is too long, as much as shows it
    except RefusedError as error:
        if number == 1:
            raise
        yield Run(number, [], refusal=_refused(number, error))
        return
    yield Run(number, [bytes(rest)])


def parsed_runs(run: Run) -> list[Run]:
    """Return a run as one of lines that the core parses, or as several, between those it leaves."""
    if not run.texts:
        return [run]
    block, left = parse_examples(run.texts)
    if not left:
        return [run._replace(block=block)]
    if len(left) > LEFT:
        return [run]
    runs, start = [], 0
    for stop in [*left, len(run.texts)]:
        if start < stop:
            texts = run.texts[start:stop]
            runs.append(Run(run.number + start, texts, parse_examples(texts)[0]))
        if stop < len(run.texts):
            runs.append(Run(run.number + stop, run.texts[stop : stop + 1]))
        start = stop + 1
    return runs


def _add(pending: list[Run], run: Run) -> None:
    """Add a run to those that wait, and what the core parses of it to such lines before it."""
    for new in parsed_runs(run):
        last = pending[-1] if pending else None
        if last is not None and last.block is not None and new.block is not None:
            last.block.extend(new.block)  # which is empty then; neither has been read before
            last.texts.extend(new.texts)
        else:
            pending.append(new)


def _decoded(run: Run, decode: Decode[T], convert: Callable[[T], Any]) -> list[Line]:
    """Return the lines of a run with their rows; that of a line that is refused is a LineError."""
    lines = [] if run.refusal is None else [Line(run.number, b"", run.refusal)]
    for number, text in enumerate(run.texts, run.number):
        if len(text) > MAX_BODY:
            row: Any = LineError(number, f"a line may have {MAX_BODY:,} bytes.")
            lines.append(Line(number, b"", row))
        elif text and not text.isspace():
            try:
                row = convert(decode(text))
            except (RefusedError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                row = LineError(number, str(error))
            lines.append(Line(number, text, row))
    return lines
