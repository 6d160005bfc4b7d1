"""Vowpal Wabbit text becomes labels, weights and hashed rows: one compiled pass over the bytes.

The grammar of a line, after Vowpal Wabbit's wiki, "Input format"::

    line      = [label [importance]] [tag] {"|" namespace}
    namespace = [name [":" scale]] {" " [feature]}
    feature   = name [":" value]

A line needs a bar; what is right behind a bar is the name of a namespace, a blank there means that
it has none. Names are all bytes but blanks, tabs, ``:``, ``|`` and ends of lines. A tag is a word
that begins with ``'`` or touches the first bar, as in ``1 'mail7|f x``: it names the row. Values
and scales are decimal numbers, 1 where there is none; so is an importance, which is not negative.
Separators are blanks and tabs, lines end with LF or CRLF, blank lines are passed over.

The column of a feature is the hash of its name, or of ``namespace^name`` where the namespace has
one: what scikit-learn's ``FeatureHasher`` makes of that string. Names that are numbers are hashed
like all others. A value counts with its namespace's scale and the sign of the hash; zeros are left
out, and values of one column in a row are added up.

Every number is the float64 nearest to its decimal, as in :mod:`rosenblatt.svmtext`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.decimals import Bytes, Decimal, decimal, part, word_at
from rosenblatt.hashing import Entries, Murmur, absorbed, column_of, hashed, in_order
from rosenblatt.jit import fingerprint
from rosenblatt.lanes import at, trailing_zeros
from rosenblatt.scanning import (
    BLANK,
    LONGEST,
    NEWLINE,
    RETURN,
    TAB,
    Fault,
    TextError,
    after_blanks,
    error_at,
    line_from,
    line_of,
    scanner,
    shown,
    survey,
    whole_lines,
)

_COLON, _BAR, _QUOTE, _CARET = (ord(c) for c in ":|'^")
_LEAST_HARD = 5  # bytes of a number that is not decided at once: 9e308


class Parsed(NamedTuple):
    r"""Rows of Vowpal Wabbit text.

    Parameters
    ----------
    labels : float64 array of shape (rows,)
        NaN where a row has none.
    weights : float64 array of shape (rows,)
        The importances, 1 where a row has none.
    rows : Entries
        The arrays of a CSR matrix: columns increase strictly within a row.
    lines : int
        How many lines there are, with blank ones.
    plain : bool
        Whether all bytes are ASCII, and none is NUL.
    tags : object array of shape (rows,), or None
        The tags as text without ``'``, empty where a row has none; None where no row has one, or
        they are not wanted.

    Examples
    --------
    >>> parsed = parse(b"1 2.5 'mail7| x\n", 18, tagged=True)
    >>> parsed.weights.tolist(), parsed.tags.tolist()
    ([2.5], ['mail7'])
    """

    labels: NDArray[np.float64]
    weights: NDArray[np.float64]
    rows: Entries
    lines: int
    plain: bool
    tags: NDArray[np.object_] | None = None


def parse(
    buffer: bytes | memoryview | Bytes, bits: int, labelled: bool = True, tagged: bool = False
) -> Parsed:
    r"""All rows of Vowpal Wabbit text, each number as exact as Python's ``float``.

    Parameters
    ----------
    buffer : bytes, memoryview or uint8 array of one dimension
        Whole lines. Nothing is copied if the last byte ends a line.
    bits : int
        All columns are below 2^bits, 1 ≤ bits ≤ 30.
    labelled : bool, default True
        Whether a row without a label is an error.
    tagged : bool, default False
        Whether the tags are wanted.

    Returns
    -------
    Parsed

    Raises
    ------
    TextError
        A token is malformed, a line has no bar or no label, a number is not finite or does not fit
        a float64, nor does what the values of one column add up to. The first such place is named.

    Examples
    --------
    >>> parsed = parse(b"1 |mail spam:2 offer\n-1 'a7| hello\n", 4)
    >>> parsed.labels.tolist(), parsed.rows.indptr.tolist()
    ([1.0, -1.0], [0, 2, 3])
    >>> parse(b"1 | x\nx | y\n", 18)
    Traceback (most recent call last):
        ...
    rosenblatt.scanning.TextError: line 2, column 1: found 'x', expected a number as the label.
    """
    text = whole_lines(buffer)
    most_rows, most_entries, plain = survey(text, BLANK, TAB)
    room = Parsed(
        labels=np.empty(most_rows),
        weights=np.empty(most_rows),
        rows=Entries(
            columns=np.empty(most_entries, np.int32),
            data=np.empty(most_entries),
            indptr=np.empty(most_rows + 1, np.int64),
        ),
        lines=most_rows,
        plain=plain,
    )
    hard = np.empty((len(text) // (_LEAST_HARD + 1), 2), np.int64)
    tags = np.empty((most_rows, 2), np.int64)
    rows, entries, hards, stuck = _scan(text, bits, labelled, room, hard, tags)
    if hards or stuck >= 0:
        faults, shorter = _shortened(text, hard[:hards].tolist())
        if stuck >= 0:
            faults.append((stuck, _why_stuck(text, stuck)))
        if faults:
            begin, reason = min(faults)
            parse(text[: line_of(text, begin)[1]], bits, labelled)  # a row may add up to too much
            raise error_at(text, begin, reason, first_line=1)
        return parse(shorter, bits, labelled, tagged)
    columns, data, indptr = room.rows
    found = in_order(Entries(columns[:entries], data[:entries], indptr[: rows + 1]), bits)
    finite = np.isfinite(found.data)
    if not finite.all():
        row = int(np.searchsorted(found.indptr, np.argmin(finite), side="right")) - 1
        raise _too_much(text, row)
    return room._replace(
        labels=room.labels[:rows],
        weights=room.weights[:rows],
        rows=found,
        tags=_words(text, tags[:rows]) if tagged else None,
    )


def _words(text: Bytes, spans: NDArray[np.int64]) -> NDArray[np.object_] | None:
    """The words between places of the text; None where all are empty."""
    if np.array_equal(spans[:, 0], spans[:, 1]):
        return None
    raw = text.tobytes()
    words = [raw[begin:stop].decode("utf-8", "replace") for begin, stop in spans.tolist()]
    return np.array(words, dtype=object)


# --- compiled ------------------------------------------------------------------------------------

_ONES = 0x0101010101010101
_HIGH_BITS = -0x7F7F7F7F7F7F7F80


@part
def _below(word: int, bound: int) -> int:
    """The high bit of each byte below ``bound``, at most 128; above the first, of some others."""
    return word - bound * _ONES & ~word & _HIGH_BITS


@part
def _letters(word: int) -> int:
    """How many bytes the word begins with, 0 to 8, that can only be part of a name."""
    colons, bars = word ^ _COLON * _ONES, word ^ _BAR * _ONES
    return trailing_zeros(_below(word, BLANK + 1) | _below(colons, 1) | _below(bars, 1)) >> 3


@part
def _ends_line(text: Bytes, i: int) -> bool:
    byte = at(text, i)
    return bool(byte == NEWLINE or (byte == RETURN and at(text, i + 1) == NEWLINE))


@part
def _ends_token(text: Bytes, i: int) -> bool:
    return at(text, i) in (BLANK, TAB, _BAR) or _ends_line(text, i)


@part
def _named(text: Bytes, i: int, state: Murmur) -> tuple[int, Murmur]:
    """Where the name at i stops (there: it is none), and the hash with its bytes."""
    word = word_at(text, i)
    n = _letters(word)
    while n == 8 or not (at(text, i + n) == _COLON or _ends_token(text, i + n)):
        n = min(n + 1, 8)  # with a control character, a letter as any other
        state = absorbed(state, word, n)
        i += n
        word = word_at(text, i)
        n = _letters(word)
    return i + n, absorbed(state, word, n)


@part
def _number_after(text: Bytes, colon: int) -> Decimal:
    """The number after the colon, 1 where there is none; it stops at −1 if it is malformed."""
    if at(text, colon) != _COLON:
        return Decimal(colon, 1.0, True)
    number = decimal(text, colon + 1)
    if number.stop == colon + 1 or not _ends_token(text, number.stop):
        return Decimal(-1, 0.0, False)
    return number


@part
def _after_tag(text: Bytes, i: int) -> int:
    """Where the tag at i stops, if one is there."""
    stop = i
    while not _ends_token(text, stop):
        stop += 1
    return stop if at(text, i) == _QUOTE or at(text, stop) == _BAR else i


class _Namespace(NamedTuple):
    """A namespace's scale, and the hash that its features go on from."""

    scale: Decimal
    hash: Murmur


class _Feature(NamedTuple):
    """A hashed feature: where it stops, and whether its value is exact."""

    stop: int
    column: int
    value: float
    exact: bool


@partial(part, inline=False)
def _before_bar(text: Bytes, begin: int, default: float) -> Decimal:
    """The number at ``begin``, ``default`` at a tag or a bar; it stops at −1 if it is neither."""
    if at(text, begin) == _BAR or _after_tag(text, begin) > begin:
        return Decimal(begin, default, True)
    number = decimal(text, begin)
    if number.stop == begin or at(text, number.stop) not in (BLANK, TAB):
        return Decimal(-1, 0.0, False)
    return number


@partial(part, inline=False)
def _namespace(text: Bytes, begin: int) -> _Namespace:
    """``name[:scale]`` at ``begin``, which may be nothing; it stops at −1 if it is malformed."""
    stop, state = _named(text, begin, Murmur(0, 0, 0))
    scale = _number_after(text, stop)
    if stop > begin:
        state = absorbed(state, _CARET, 1)
    elif scale.stop > stop:
        scale = Decimal(-1, 0.0, False)
    return _Namespace(scale, state)


@part
def _feature(text: Bytes, begin: int, above: _Namespace, bits: int) -> _Feature:
    """``name[:value]`` at ``begin``; it stops at −1 if it is malformed or fits no float64."""
    stop, state = _named(text, begin, above.hash)
    number = _number_after(text, stop)
    value = number.value * above.scale.value
    too_large = abs(value) == np.inf and number.exact and above.scale.exact
    if stop == begin or too_large:
        return _Feature(-1, 0, 0.0, False)
    h = hashed(state)
    return _Feature(number.stop, column_of(h, bits), value if h >= 0 else -value, number.exact)


@part
def _noted(hard: NDArray[np.int64], hards: int, begin: int, stop: int, exact: bool) -> int:
    """Note a token whose number needs ``float``; how many there are now."""
    if not exact:
        hard[hards, 0], hard[hards, 1] = begin, stop
        hards += 1
    return hards


def _scan_of(stamp: str) -> Callable[..., tuple[int, int, int, int]]:
    def scan(
        text: Bytes,
        bits: int,
        labelled: bool,
        room: Parsed,
        hard: NDArray[np.int64],
        tags: NDArray[np.int64],
    ) -> tuple[int, int, int, int]:
        """Fill the arrays from the text, with columns as they come.

        Where a token begins and stops whose number needs ``float`` is noted in ``hard``, and where
        a row's tag does in ``tags``.

        Returns the rows, the entries, the hard numbers, and the token where the scan got stuck
        (−1: nowhere).
        """
        stamp  # noqa: B018  # a closure cell: it enters the key of the disk cache
        labels, weights, (columns, data, indptr), _, _, _ = room
        rows = entries = hards = i = 0
        indptr[0] = 0
        while i < len(text):
            i = after_blanks(text, i)
            if not _ends_line(text, i):
                label = _before_bar(text, i, np.nan)
                if label.stop < 0 or (labelled and np.isnan(label.value)):
                    return rows, entries, hards, i
                hards = _noted(hard, hards, i, label.stop, label.exact)
                i = after_blanks(text, label.stop)
                weight = _before_bar(text, i, 1.0)
                if weight.stop < 0 or weight.value < 0.0:
                    return rows, entries, hards, i
                hards = _noted(hard, hards, i, weight.stop, weight.exact)
                i = after_blanks(text, weight.stop)
                stop = _after_tag(text, i)
                tags[rows, 0], tags[rows, 1] = i + (at(text, i) == _QUOTE), stop
                i = after_blanks(text, stop)
                if at(text, i) != _BAR:
                    return rows, entries, hards, i
                labels[rows], weights[rows] = label.value, weight.value
                rows += 1
                while at(text, i) == _BAR:
                    begin = i + 1
                    above = _namespace(text, begin)
                    if above.scale.stop < 0:
                        return rows, entries, hards, begin
                    hards = _noted(hard, hards, begin, above.scale.stop, above.scale.exact)
                    i = after_blanks(text, above.scale.stop)
                    while not (at(text, i) == _BAR or _ends_line(text, i)):
                        begin = i
                        feature = _feature(text, begin, above, bits)
                        if feature.stop < 0:
                            return rows, entries, hards, begin
                        hards = _noted(hard, hards, begin, feature.stop, feature.exact)
                        columns[entries], data[entries] = feature.column, feature.value
                        entries += feature.value != 0.0
                        i = after_blanks(text, feature.stop)
                indptr[rows] = entries
            while at(text, i) != NEWLINE:
                i += 1
            i += 1
        return rows, entries, hards, -1

    return scanner(scan)


_scan = _scan_of(fingerprint(Decimal, Murmur, TextError))


# --- what the scan leaves to plain Python: hard numbers, and reasons -----------------------------


def _shortened(text: Bytes, hard: list[list[int]]) -> tuple[list[Fault], bytes]:
    """The text with hard numbers as Python writes them; the faults are those that do not fit."""
    raw = text.tobytes()
    faults, pieces, end = [], [], 0
    for begin, stop in hard:
        token = raw[begin:stop]
        name = token[: token.rfind(b":") + 1]
        number = float(token[len(name) :])
        if np.isinf(number):
            reason = f"found {shown(token)}, expected a number that fits a float64."
            faults.append((begin, reason))
        pieces += [raw[end:begin], name, repr(number).encode()]
        end = stop
    return faults, b"".join([*pieces, raw[end:]])


def _too_much(text: Bytes, row: int) -> TextError:
    """The error of a row in which values of one column add up to what no float64 holds."""
    lines = enumerate(text.tobytes().split(b"\n"), 1)
    line = [k for k, line in lines if line.removesuffix(b"\r").strip(b" \t")][row]
    reason = "found values of one feature, or of two with one hash, whose sum fits no float64."
    return TextError(line, 1, reason)


_TORN = "found no '|', expected [label] [importance] ['tag]|features; the line may be torn."
_NO_LABEL = "found no label, expected a number before the bar."
_TOUCHES = "which touches the bar and so is a tag, no label: put a blank between them."
_HEAD_REASONS = {
    0: (
        (r"[+-]?(nan|inf|infinity)", "expected a finite label."),
        (r".*[:,].*", "expected one number as the label: costs, or several, cannot be read."),
        (r".*", "expected a number as the label."),
    ),
    1: (
        (r"-.*[0-9].*", "expected an importance of 0 or more."),
        (r".*", "expected a number as the importance, a tag that begins with \"'\", or '|'."),
    ),
    2: ((r".*", "expected '|': there can be a label, an importance and a tag before it."),),
}
_BODY_REASONS: tuple[tuple[str, str], ...] = (
    (r":.*", "expected a name before ':'."),
    (r"[^:]*:", "expected a number after ':'; the line may be torn."),
    (r"[^:]*:[+-]?(nan|inf|infinity)", "expected a finite number after ':'."),
    (r"[^:]*:[+-]?[0-9.]+(e[+-]?[0-9]+)?", "which times its namespace's scale fits no float64."),
    (r".*", "expected a decimal number after ':'."),
)


def _why_stuck(text: Bytes, begin: int) -> str:
    """What is wrong with the token where the scan got stuck, and what was expected."""
    start = line_of(text, begin)[1]
    before, rest = text[start:begin].tobytes(), line_from(text, begin)
    token = re.split(rb"[ \t|]", rest[:LONGEST])[0]
    if b"|" in before:
        reasons = _BODY_REASONS
    elif b"|" not in rest:
        return _TORN
    elif not before.strip(b" \t") and rest[: len(token) + 1].startswith((b"|", b"'")):
        return _NO_LABEL
    elif not before.strip(b" \t") and rest[len(token) :].startswith(b"|"):
        return f"found {shown(token)}, {_TOUCHES}"
    else:
        reasons = _HEAD_REASONS[min(2, len(before.split()))]
    word = token.decode("utf-8", "backslashreplace").lower()
    reason = next(why for pattern, why in reasons if re.fullmatch(pattern, word, re.DOTALL))
    return f"found {shown(token)}, {reason}"
