"""The bytes that spell a value, in a store and in what lies beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from rosenblatt.serve.schema import Features

_encode = msgspec.msgpack.Encoder().encode
Part = tuple[bytes, ...]
"""Spellings of a part of a row, any of which may stand for it."""


class Spellings(NamedTuple):
    """Bytes that spell a value.

    Attributes
    ----------
    exact : sequence of bytes
        As they are.
    folded : sequence of bytes
        As :func:`fold` has them: of texts, whose case does not count.
    parts : sequence of Part
        Of a row with names: the pairs, which follow one another in any order.
    """

    exact: Sequence[bytes] = ()
    folded: Sequence[bytes] = ()
    parts: Sequence[Part] = ()

    def are_in(self, data: bytes) -> bool:
        """Return whether bytes have one of the spellings."""
        if any(spelling in data for spelling in self.exact) or _has_parts(data, self.parts):
            return True
        folded = fold(data) if self.folded else b""
        return any(spelling in folded for spelling in self.folded)


def fold(data: bytes) -> bytes:
    """Return bytes without the case of the letters among them.

    Examples
    --------
    >>> fold("Grüße, ÄNNE".encode()).decode()
    'grüsse, änne'
    """
    return _without_case(data.decode("utf-8", "surrogateescape"))


def _without_case(text: str) -> bytes:
    return text.casefold().encode("utf-8", "surrogateescape")


def spellings_of_text(value: bytes, text: str) -> Spellings:
    """Return the spellings of a text: as rows have it, as JSON, and as it was given."""
    escaped = {
        json.dumps(form, ensure_ascii=ascii)[1:-1]
        for form in (text, text.lower(), text.upper(), text.casefold())
        for ascii in (True, False)
    }
    return Spellings([], sorted({fold(value), _without_case(text), *map(_without_case, escaped)}))


def spellings_of_number(text: str, number: float) -> Spellings:
    """Return the spellings of a number: a value of a row, a label, and digits in a text."""
    exact, texts = {_encode(number)}, {text.strip(), repr(number)}
    if number.is_integer():
        integer = int(number)
        texts.add(str(integer))
        if -(2**63) <= integer < 2**63:
            exact.add(_encode(integer))
    return Spellings(sorted(exact), sorted(map(_without_case, texts)))


def spellings_of_row(value: bytes, row: Features) -> Spellings:
    """Return the spellings of a row of names or numbers: with its names in any order."""
    if isinstance(row, dict):
        parts = [tuple(_pairs(*pair)) for pair in row.items()]
        return Spellings([value, b"".join(part[0] for part in parts)], [], parts)
    return Spellings([value, b"".join(map(_encode, row))])


def _pairs(name: str, value: object) -> Iterator[bytes]:
    """Yield the spellings of a name with its value, of which a model makes the same."""
    yield _encode(name) + _encode(value)
    if value in (0, 1):
        other = float(value) if isinstance(value, bool) else bool(value)
        yield _encode(name) + _encode(other)
    elif isinstance(value, str):
        yield from _pairs(f"{name}={value}", 1.0)


def _has_parts(data: bytes, parts: Sequence[Part]) -> bool:
    """Return whether parts stand in bytes one after another, in any order."""
    if not parts:
        return False
    for spelling in parts[0]:
        at = data.find(spelling)
        while at >= 0:
            if not _rest_of(data, at, at + len(spelling), parts[1:]):
                return True
            at = data.find(spelling, at + 1)
    return False


def _rest_of(data: bytes, start: int, end: int, parts: Sequence[Part]) -> list[Part]:
    """Return the parts that do not stand around a place: of a pair, no other begins the same."""
    rest = list(parts)
    while rest:
        for part in rest:
            after = next((s for s in part if data.startswith(s, end)), None)
            before = next((s for s in part if data.endswith(s, 0, start)), None)
            if after is not None or before is not None:
                break
        else:
            return rest
        rest.remove(part)
        if after is not None:
            end += len(after)
        else:
            start -= len(before or b"")
    return rest
