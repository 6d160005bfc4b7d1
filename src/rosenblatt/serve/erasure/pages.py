"""Bytes in the pages of a database and of its journal, also where a value runs over two of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rosenblatt.serve.erasure.spellings import Spellings, fold
from rosenblatt.serve.store.pages import RESERVED, SIZE

_HEADER, _FRAME = 32, 24  # of a journal
_POINTER = 4  # to the next page, at the begin of one that a long value overflows to


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
