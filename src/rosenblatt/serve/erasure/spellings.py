"""The bytes that spell a value, and the pages of a database or its journal that have them.

A value may run over two pages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from rosenblatt.serve.schema import Features
from rosenblatt.serve.store.pages import RESERVED, SIZE

_encode = msgspec.msgpack.Encoder().encode
_HEADER, _FRAME = 32, 24  # of a journal
_POINTER = 4  # to the next page, at the begin of one that a long value overflows to
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
        integers = {int(number)}
        with suppress(ValueError):  # of "1e3"; a label may be a whole number that is no float
            integers.add(int(text))
        texts.update(map(str, integers))
        exact.update(_encode(n) for n in integers if -(2**63) <= n < 2**63)
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


# --- pages -----------------------------------------------------------------------------------


def pages_with(path: Path, spellings: Spellings, *, is_journal: bool = False) -> list[int]:
    """Return the pages of a file, or the frames of a journal, that have a value.

    A spelling whose begin ends a page and whose rest begins another one, as of a long row, is in
    both.
    """
    pages: set[int] = set()
    ends: dict[tuple[bytes, int], list[int]] = {}  # pages that end with so many bytes of a value
    begins: dict[tuple[bytes, int], list[int]] = {}
    for number, page in enumerate(_pages(path, is_journal), 1):
        used = page[: SIZE - RESERVED]
        if spellings.are_in(page):
            pages.add(number)
        forms = [(spellings.exact, used, used[_POINTER:])]
        if spellings.folded:
            forms.append((spellings.folded, fold(used), fold(used[_POINTER:])))
        for values, tail, head in forms:
            for value in values:
                for count in _ending(tail, value):
                    ends.setdefault((value, count), []).append(number)
                for count in _beginning(head, value):
                    begins.setdefault((value, count), []).append(number)
    for cut in ends.keys() & begins.keys():
        pages |= {*ends[cut], *begins[cut]}
    return sorted(pages)


def _pages(path: Path, is_journal: bool) -> Iterator[bytes]:
    with open(path, "rb") as file:
        if is_journal:
            file.read(_HEADER)
        while data := file.read(SIZE + _FRAME * is_journal):
            yield data[_FRAME * is_journal :]


def _ending(page: bytes, value: bytes) -> list[int]:
    """Return how many bytes of the begin of a value end a page."""
    tail = page[1 - len(value) :]
    if value[:1] not in tail:
        return []
    return [n for n in range(1, len(value)) if tail.endswith(value[:n])]


def _beginning(page: bytes, value: bytes) -> list[int]:
    """Return after how many bytes of a value its rest begins a page."""
    head = page[: len(value) - 1]
    if value[-1:] not in head:
        return []
    return [n for n in range(1, len(value)) if head.startswith(value[n:])]


def free_pages(file: Path) -> set[int]:
    """Return the numbers of the pages of a database that no table uses, from their list in it."""
    free: set[int] = set()
    with open(file, "rb") as database:
        trunk = int.from_bytes(database.read(SIZE)[32:36], "big")
        while trunk and trunk not in free:
            free.add(trunk)
            database.seek((trunk - 1) * SIZE)
            page = database.read(SIZE)
            words = [int.from_bytes(page[at : at + 4], "big") for at in range(0, len(page), 4)]
            trunk, count = words[:2] if len(words) > 1 else (0, 0)
            free.update(words[2 : 2 + count])
    return free
