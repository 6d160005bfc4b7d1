"""Tables of Unicode, as this Python has them, for programs that cut texts into n-grams.

A scorer in another language must know the same letters, lower case and normal form as the reader of
the training data. The version of Unicode of the language may be another, and C has none: so the
tables are those of the Python that exports.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

VERSION = unicodedata.unidata_version
"""The version of Unicode of the tables."""

_CODES = 0x110000
_HANGUL = range(0xAC00, 0xD7A4)  # syllables, whose parts are computed
_NO_LETTERS = ("Cn", "Co", "Cs")  # not assigned, private, surrogates: they have no properties

Ranges = list[tuple[int, int]]
"""Ranges of code points: the first, and the one after the last."""


class Tables(NamedTuple):
    """What normalisation to NFKC and lower case, words and blanks depend on.

    Parameters
    ----------
    unassigned, word, blank : list of (int, int)
        Code points that this version does not have, those of words, and those that separate.
    cased, case_ignored : list of (int, int)
        What decides the lower case of Σ.
    marks : dict of int to list of (int, int)
        The code points of each combining class but 0.
    parts : dict of int to tuple of int
        The full compatibility decomposition of a code point, without Hangul.
    pairs : dict of (int, int) to int
        The compositions of two code points, without Hangul.
    lower : dict of int to tuple of int
        Lower case where it differs.

    Examples
    --------
    >>> tables = unicode_tables()
    >>> tables.lower[ord("Ä")] == (ord("ä"),), tables.parts[ord("ﬁ")] == (ord("f"), ord("i"))
    (True, True)
    >>> tables.pairs[ord("a"), 0x308] == ord("ä"), tables.blank[0]
    (True, (9, 14))
    """

    unassigned: Ranges
    word: Ranges
    blank: Ranges
    cased: Ranges
    case_ignored: Ranges
    marks: dict[int, Ranges]
    parts: dict[int, tuple[int, ...]]
    pairs: dict[tuple[int, int], int]
    lower: dict[int, tuple[int, ...]]


@cache
def unicode_tables() -> Tables:
    """Return the tables of this Python; the first call takes a second."""
    categories = [unicodedata.category(chr(code)) for code in range(_CODES)]
    letters = [chr(code) for code in range(_CODES) if categories[code] not in _NO_LETTERS]
    unassigned = (code for code in range(_CODES) if categories[code] == "Cn")
    cased = {letter for letter in letters if _ends_word(f"{letter}Σ")}
    ignored = {letter for letter in letters if _ends_word(f"A{letter}Σ")} - cased
    classes: dict[int, list[int]] = {}
    for letter in letters:
        if (mark := unicodedata.combining(letter)) != 0:
            classes.setdefault(mark, []).append(ord(letter))
    return Tables(
        unassigned=_ranges(unassigned),
        word=_ranges(map(ord, filter(lambda letter: letter.isalnum() or letter == "_", letters))),
        blank=_ranges(map(ord, filter(str.isspace, letters))),
        cased=_ranges(sorted(map(ord, cased))),
        case_ignored=_ranges(sorted(map(ord, ignored))),
        marks={mark: _ranges(codes) for mark, codes in sorted(classes.items())},
        parts=_changed(letters, lambda letter: unicodedata.normalize("NFKD", letter)),
        pairs=dict(filter(None, map(_pair, letters))),
        lower=_changed(letters, str.lower),
    )


def _ends_word(text: str) -> bool:
    """Return whether the Σ at the end is that of the end of a word."""
    return text.lower()[-1] == "ς"


def _changed(letters: list[str], change: Callable[[str], str]) -> dict[int, tuple[int, ...]]:
    changes = {ord(c): tuple(map(ord, change(c))) for c in letters if ord(c) not in _HANGUL}
    return {code: codes for code, codes in changes.items() if codes != (code,)}


def _pair(letter: str) -> tuple[tuple[int, int], int] | None:
    """Return the two code points that compose a letter, if any do."""
    parts = unicodedata.decomposition(letter).split()
    if len(parts) != 2 or parts[0].startswith("<"):
        return None
    first, second = (int(part, 16) for part in parts)
    composed = unicodedata.normalize("NFC", chr(first) + chr(second)) == letter
    return ((first, second), ord(letter)) if composed else None


def _ranges(codes: Iterable[int]) -> Ranges:
    """Return the ranges of increasing code points."""
    ordered = list(codes)
    gaps = [i for i, (one, other) in enumerate(pairwise(ordered), 1) if other != one + 1]
    starts, stops = [0, *gaps], [*gaps, len(ordered)]
    return [(ordered[a], ordered[b - 1] + 1) for a, b in zip(starts, stops, strict=True)]


def gaps_of(ranges: Ranges) -> str:
    """Return ranges as text: the lengths outside and inside in turn, in base 36.

    Examples
    --------
    >>> gaps_of([(9, 14), (32, 33)])
    '9 5 i 1'
    """
    ends = [0, *(end for one in ranges for end in one)]
    return " ".join(_base36(second - first) for first, second in pairwise(ends))


def _base36(number: int) -> str:
    digits = ""
    while True:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
        if number == 0:
            return digits
