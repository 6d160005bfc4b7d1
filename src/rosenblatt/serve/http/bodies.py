"""JSON bodies as their types: an object that has a name twice is refused; and lists of rows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import msgspec

from rosenblatt.serve.http.call import JSON, NDJSON, Call
from rosenblatt.serve.refused import RefusedError
from rosenblatt.serve.schema import MAX_LIST, Example, Query

_LINES = (NDJSON, b"application/ndjson", b"application/jsonl")
_NO_JSON = (b"text/csv", b"text/tab-separated-values", b"multipart/", b"application/xml")

T = TypeVar("T")
Decode = Callable[[bytes], T]
LONG = 2**17
"""Bytes of a body that takes about as long as a turn of the loop."""


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
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError as error:
            if advice := _advice(body, str(error)):
                raise RefusedError(400, advice) from error
            raise
        if body.count(b":") != names(value):
            json.loads(body, object_pairs_hook=_refuse_repeated)
        return value

    return decode_once


async def decoded(decode: Decode[T], body: bytes) -> T:
    """Return a body as its type; a long one is read in another thread."""
    return decode(body) if len(body) < LONG else await asyncio.to_thread(decode, body)


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
decode_queries = decoder(list[Query], _all_names(_query_names))
decode_example = decoder(Example, _example_names)
decode_examples = decoder(list[Example], _all_names(_example_names))


def has_lines(call: Call) -> bool:
    """Return whether a body is NDJSON; it is JSON else.

    Raises
    ------
    RefusedError
        Its Content-Type is another one.
    """
    kind = (call.header(b"content-type") or JSON).partition(b";")[0].strip().lower()
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


def check_length(rows: Sequence[object]) -> None:
    """Refuse a list of too many rows.

    Raises
    ------
    RefusedError
        With the limit.
    """
    if len(rows) > MAX_LIST:
        raise RefusedError(413, f"a list may have {MAX_LIST:,} rows: send more as NDJSON lines.")
