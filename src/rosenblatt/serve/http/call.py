"""A request over HTTP and its answer: how long a body may be.

A body of JSON is read as its type. An object that has a name twice is refused.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from functools import partial
from io import BytesIO
from typing import IO, NamedTuple, TypeVar
from urllib.parse import parse_qs

import msgspec
from starlette.types import Receive, Scope, Send

from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.http.codings import (
    MAX_UNPACKED,
    MIN_PACKED,
    PIECE,
    Headers,
    accepts_packed,
    is_packed,
    pack,
    unpack,
)
from rosenblatt.serve.http.tokens import ANYONE, Sender
from rosenblatt.serve.schema import MAX_BODY, MAX_LIST, Example, Query

ENDLESS = AsyncIterator[bytes]
"""What an endpoint gives whose answer ends with its model."""
JSON, NDJSON = b"application/json", b"application/x-ndjson"
BROKEN_OFF = "rosenblatt.broken_off"
"""Key of the scope of a request under which the server says why no more of its body comes."""
_PACKED = (JSON, NDJSON, b"text/")
"""Beginnings of the types of answers that gzip makes much shorter; events are never complete."""
LONG = 2**17
"""Bytes of a body that takes about as long as a turn of the loop."""
_LINES = (NDJSON, b"application/ndjson", b"application/jsonl")
_NO_JSON = (b"text/csv", b"text/tab-separated-values", b"multipart/", b"application/xml")

T = TypeVar("T")
Decode = Callable[[bytes], T]
_IN_FEATURES = re.compile(r"at `\$(?:\[([0-9]+)\])?\.features\[\.\.\.\]`")

encode = msgspec.json.Encoder().encode


class Answer(NamedTuple):
    """Status, body and type of an answer; a long body is a file, from its start.

    A body that has no end is an iterator of its parts.
    """

    body: bytes | IO[bytes] | AsyncIterator[bytes]
    status: int = 200
    type: bytes = JSON
    headers: tuple[tuple[bytes, bytes], ...] = ()


class Call:
    """A request.

    Attributes
    ----------
    scope : dict
        As ASGI has it.
    path : dict
        The parts of the path, by their names.
    sender : Sender
    facts : dict
        What the audit line of a change says: the parts of the path, and what the handler adds.
    """

    def __init__(self, scope: Scope, receive: Receive, limit: int, sender: Sender = ANYONE) -> None:
        self.scope, self._receive, self._limit = scope, receive, limit
        self.sender = sender
        self.path: dict[str, str] = scope["path_params"]
        self.facts: dict[str, object] = dict(self.path)
        query = scope["query_string"].decode("latin-1")
        self._query = parse_qs(query, keep_blank_values=True) if query else {}
        self._ended = False

    def query(self, name: str) -> str | None:
        """Return a parameter after the question mark."""
        return self._query[name][-1] if name in self._query else None

    def check_parameters(self, allowed: tuple[str, ...]) -> None:
        """Refuse a parameter of another name: a misspelt one would have no effect.

        Raises
        ------
        RefusedError
            With its name.
        """
        for name in self._query:
            if name not in allowed:
                offered = f"there are {', '.join(allowed)}" if allowed else "there are none"
                raise RefusedError(422, f"no parameter is called {name!r:.40}: {offered}.")

    def number(self, name: str) -> int | None:
        """Return a parameter that is a version.

        Raises
        ------
        RefusedError
            It is no whole number ≥ 0.
        """
        text = self.query(name)
        return None if text is None else _whole_number(name, text)

    def version(self) -> int:
        """Return the part of the path that is a version.

        Raises
        ------
        RefusedError
            It is no whole number ≥ 0.
        """
        return _whole_number("a version", self.path["number"])

    def flag(self, name: str) -> bool:
        """Return a parameter that is true or false.

        Raises
        ------
        RefusedError
            It is neither.
        """
        text = self.query(name)
        if text not in (None, "true", "false", "1", "0"):
            raise RefusedError(422, f"{name} must be true or false; got {text!r:.40}.")
        return text in ("true", "1")

    async def body(self) -> bytes:
        """Return the whole body.

        Raises
        ------
        RefusedError
            It is too long, or breaks off.
        """
        body, size = BytesIO(), 0  # no list of parts: they may be a byte each
        async for part in self.parts(self._limit):
            size += body.write(part)
            if size > self._limit:
                advice = (
                    "send many rows as lines of NDJSON"
                    if self._limit == MAX_BODY
                    else "a model of fewer names or labels is shorter"
                )
                raise RefusedError(413, f"the body may have {self._limit:,} bytes: {advice}.")
        return body.getvalue()  # which copies nothing

    def parts(self, most: int = MAX_UNPACKED) -> AsyncIterator[bytes]:
        """Return the parts of a body of any length; of gzip, of ``most`` bytes.

        Iterating raises RefusedError where it breaks off, or is too long.
        """
        parts = self._received()
        return unpack(parts, most) if is_packed(self.scope["headers"]) else parts

    async def _received(self) -> AsyncIterator[bytes]:
        more = True
        while more:
            if self._ended:
                raise self.scope[BROKEN_OFF]
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ConnectionResetError
            self._ended = BROKEN_OFF in self.scope
            if self._ended and not message["body"]:
                raise self.scope[BROKEN_OFF]
            yield message["body"]
            more = message.get("more_body", False)

    async def wait_for_end(self) -> None:
        """Wait until the client has closed the connection."""
        while (await self._receive())["type"] != "http.disconnect":
            pass


async def send_answer(send: Send, answer: Answer, wanted: Headers = ()) -> None:
    """Send an answer to a request with some headers: as gzip, if it asks for it and it is long."""
    body, headers = answer.body, [(b"content-type", answer.type), *answer.headers]
    size = -1
    if not isinstance(body, AsyncIterator):
        size = len(body) if isinstance(body, bytes) else body.seek(0, os.SEEK_END)
    packs = False
    if size >= MIN_PACKED and answer.type.startswith(_PACKED):
        packs = accepts_packed(wanted)
        headers.append((b"vary", b"accept-encoding"))
    if packs:
        headers.append((b"content-encoding", b"gzip"))
    elif size >= 0:
        headers.append((b"content-length", b"%d" % size))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    if isinstance(body, bytes) and not packs:
        await send({"type": "http.response.body", "body": body})
        return
    if isinstance(body, AsyncIterator):
        async for part in body:
            await send({"type": "http.response.body", "body": part, "more_body": True})
    else:
        with BytesIO(body) if isinstance(body, bytes) else body as file:
            file.seek(0)
            pieces = iter(partial(file.read, PIECE), b"")
            for part in pack(pieces) if packs else pieces:
                await send({"type": "http.response.body", "body": part, "more_body": True})
                await asyncio.sleep(0)  # an empty part lets nobody have a turn
    await send({"type": "http.response.body", "body": b""})


def _whole_number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise RefusedError(422, f"{name} must be a whole number; got {text!r:.40}.")
    return int(text)


# --- bodies ----------------------------------------------------------------------------------


def decoder(kind: type[T], names: Callable[[T], int] = lambda value: -1) -> Decode[T]:
    """Return the decoder of a type.

    ``names`` counts the names of a value that had its defaults left out. Every name is followed by
    a colon, so a body with as many colons has no name twice. Others, such as those with a colon in
    a text, are read once more, name by name.
    """
    decode = msgspec.json.Decoder(kind).decode

    def decode_once(body: bytes) -> T:
        try:
            value = decode(body)
        except msgspec.ValidationError as error:
            if advice := _nested(body, str(error)):
                raise RefusedError(422, advice) from error
            raise
        except msgspec.DecodeError as error:
            if advice := _advice(body, str(error)):
                raise RefusedError(400, advice) from error
            raise
        if body.count(b":") != names(value):
            json.loads(body, object_pairs_hook=_refuse_repeated)
        return value

    return decode_once


def _advice(body: bytes, fault: str) -> str | None:
    """Return what to do about a body that is no JSON, where its fault does not say it."""
    if not body.strip():
        return "the body is empty: send JSON."
    if "truncated" in fault or "surrogate" in fault:
        return (
            "the JSON ends before it is complete, or has half of a character: an escape from "
            "\\ud800 to \\udfff stands for one only as a pair."
        )
    return None


def _nested(body: bytes, fault: str) -> str | None:
    """Return which column has parts, where that is the fault of a body: a row is flat.

    Examples
    --------
    >>> fault = "Expected `float`, got `array` - at `$.features[...]`"
    >>> _nested(b'{"features": {"age": 3, "jobs": ["a"]}}', fault)
    "column 'jobs' holds a list: a row is flat, expected a number, a text, true, false or null."
    """
    match = _IN_FEATURES.search(fault)
    if match is None:
        return None
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None
    row = value if match[1] is None else value[int(match[1])]
    kinds: dict[type, str] = {dict: "an object", list: "a list"}
    for name, cell in row["features"].items():
        if type(cell) in kinds:
            return (
                f"column {name!r:.80} holds {kinds[type(cell)]}: a row is flat, expected a number, "
                "a text, true, false or null."
            )
    return None


def _refuse_repeated(pairs: list[tuple[str, object]]) -> None:
    """Refuse an object that has a name twice: readers differ in which of the values counts."""
    names: set[str] = set()
    for name, _ in pairs:
        if name in names:
            raise RefusedError(422, f"the name {name!r:.80} stands twice in one object.")
        names.add(name)


def _features_names(features: object) -> int:
    return len(features) if type(features) is dict else 0


def _query_names(query: Query) -> int:
    return 1 + query.explain + _features_names(query.features)


def _example_names(example: Example) -> int:
    return 2 + (example.weight != 1.0) + _features_names(example.features)


def _all_names(names: Callable[[T], int]) -> Callable[[Iterable[T]], int]:
    return lambda values: sum(map(names, values))


decode_query = decoder(Query, _query_names)
decode_example = decoder(Example, _example_names)


def has_lines(call: Call) -> bool:
    """Return whether a body is NDJSON; it is JSON else.

    Raises
    ------
    RefusedError
        Its Content-Type is another one.
    """
    headers = call.scope["headers"]
    kind = next((value for name, value in headers if name == b"content-type" and value), JSON)
    kind = kind.partition(b";")[0].strip().lower()
    if kind.startswith(_NO_JSON):
        raise RefusedError(
            415,
            f"the body is {kind.decode('latin-1')!r:.80}: send JSON, or one JSON object on each "
            "line with Content-Type: application/x-ndjson.",
        )
    return kind in _LINES


def is_list(body: bytes) -> bool:
    """Return whether a body of JSON is a list."""
    return body.lstrip()[:1] == b"["


def _reader(one: Decode[T], many: Decode[list[T]]) -> Callable[[bytes], Awaitable[list[T]]]:
    """Return the reader of the rows of a body of JSON: those of a list, or the only one.

    A long body is read in another thread.
    """

    def decode(body: bytes) -> list[T]:
        return many(body) if is_list(body) else [one(body)]

    async def read(body: bytes) -> list[T]:
        rows = decode(body) if len(body) < LONG else await asyncio.to_thread(decode, body)
        if len(rows) > MAX_LIST:
            raise RefusedError(
                413, f"a list may have {MAX_LIST:,} rows: send more as NDJSON lines."
            )
        return rows

    return read


read_queries = _reader(decode_query, decoder(list[Query], _all_names(_query_names)))
read_examples = _reader(decode_example, decoder(list[Example], _all_names(_example_names)))
