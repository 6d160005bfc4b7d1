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
out, and values of one column in a row are added up. Namespaces may be crossed: every pair of their
features in a row is one feature more, as :mod:`rosenblatt.engine.text.interactions` says.

Every number is the float64 nearest to its decimal, as in :mod:`rosenblatt.engine.text.svmlight`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import at, trailing_zeros
from rosenblatt.engine.jit import fingerprint
from rosenblatt.engine.text.collisions import LONGEST, Fresh, Hashes, news
from rosenblatt.engine.text.decimals import Bytes, Decimal, decimal, part, word_at
from rosenblatt.engine.text.hashed_rows import Entries, in_order
from rosenblatt.engine.text.interactions import Crossings, RowError, crossings, group_of, with_pairs
from rosenblatt.engine.text.murmur import Murmur, absorbed, hashed
from rosenblatt.engine.text.scanning import (
    BLANK,
    NEWLINE,
    RETURN,
    TAB,
    TextError,
    after_blanks,
    error_at,
    line_of,
    scanner,
    survey,
    whole_lines,
)
from rosenblatt.engine.text.vowpal_wabbit_errors import TOO_MUCH, shortened, start_of, why_stuck

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
    fresh : tuple of Fresh
        The names that are not ``known``, and the pairs.

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
    fresh: tuple[Fresh, ...] = ()


_NOTHING = crossings(())


def parse(
    buffer: bytes | memoryview | Bytes,
    bits: int,
    labelled: bool = True,
    tagged: bool = False,
    crossed: Crossings = _NOTHING,
    known: Hashes | None = None,
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
    crossed : Crossings, default none
        The namespaces to cross; one that no line has crosses nothing.
    known : int32 array, optional
        The table of the hashes that were seen, as :mod:`rosenblatt.engine.text.collisions` has it:
        names of others come out ``fresh``. None: no names do.

    Returns
    -------
    Parsed

    Raises
    ------
    TextError
        A token is malformed, a line has no bar or no label, a number is not finite or does not fit
        a float64, nor does what the values of one column add up to. The first such place is named;
        or a line has too many pairs, or too large ones.

    Examples
    --------
    >>> parsed = parse(b"1 |mail spam:2 offer\n-1 'a7| hello\n", 4)
    >>> parsed.labels.tolist(), parsed.rows.indptr.tolist()
    ([1.0, -1.0], [0, 2, 3])
    >>> parse(b"1 | x\nx | y\n", 18)
    Traceback (most recent call last):
        ...
    rosenblatt.engine.text.scanning.TextError: line 2, column 1: found 'x', expected a number as
    the label.
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
    aside = _Aside(
        crossed=crossed,
        groups=np.empty(most_entries if len(crossed.pairs) else 0, np.int16),
        places=np.empty(0 if known is None else most_entries, np.int64),
        tags=np.empty((most_rows if tagged else 0, 2), np.int64),
    )
    rows, entries, hards, stuck = _scan(text, labelled, room, aside, hard)
    if hards or stuck >= 0:
        faults, shorter = shortened(text, hard[:hards].tolist())
        if stuck >= 0:
            faults.append((stuck, why_stuck(text, stuck)))
        if faults:
            begin, reason = min(faults)
            before = text[: line_of(text, begin)[1]]
            parse(before, bits, labelled, crossed=crossed)  # a row may add up to too much
            raise error_at(text, begin, reason, first_line=1)
        return parse(shorter, bits, labelled, tagged, crossed, known)
    hashes, data, indptr = room.rows
    found = Entries(hashes[:entries], data[:entries], indptr[: rows + 1])
    fresh = () if known is None else (_spelled(text, found, aside, known, bits),)
    if len(crossed.pairs):
        try:
            found, pairs = with_pairs(found, aside.groups[:entries], crossed, bits, known)
        except RowError as wrong:
            raise error_at(text, start_of(text, wrong.row), wrong.reason, 1) from wrong
        fresh = () if known is None else (*fresh, pairs)
    found = in_order(found, bits)
    finite = np.isfinite(found.data)
    if not finite.all():
        row = int(np.searchsorted(found.indptr, np.argmin(finite), side="right")) - 1
        raise error_at(text, start_of(text, row), TOO_MUCH, first_line=1)
    return room._replace(
        labels=room.labels[:rows],
        weights=room.weights[:rows],
        rows=found,
        tags=_words(text, aside.tags[:rows]) if tagged else None,
        fresh=fresh,
    )


def _words(text: Bytes, spans: NDArray[np.int64]) -> NDArray[np.object_] | None:
    """The words between places of the text; None where all are empty."""
    if np.array_equal(spans[:, 0], spans[:, 1]):
        return None
    raw = text.tobytes()
    words = [raw[begin:stop].decode("utf-8", "replace") for begin, stop in spans.tolist()]
    return np.array(words, dtype=object)


def _spelled(text: Bytes, rows: Entries, aside: _Aside, known: Hashes, bits: int) -> Fresh:
    """The names that are new, from the places where they stand."""
    new = news(rows.columns, known, bits)
    letters, ends = np.empty(len(new) * LONGEST, np.uint8), np.empty(len(new), np.int64)
    _spell(text, aside.places[new], letters, ends)
    size = int(ends[-1]) if len(new) else 0
    parents = np.zeros((len(new), 2), np.int32)
    return Fresh(rows.columns[new], letters[:size].tobytes(), ends, parents)


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
    """Where a namespace's name stops, its scale, and the hash that its features go on from."""

    stop: int
    scale: Decimal
    hash: Murmur


class _Feature(NamedTuple):
    """A feature: where it stops, its hash, and whether its value is exact."""

    stop: int
    hash: int
    value: float
    exact: bool


class _Aside(NamedTuple):
    """What is written beside the rows where it is asked for.

    ``groups`` has the group of each entry, ``places`` where its name begins; ``tags`` where the tag
    of each row begins and stops.
    """

    crossed: Crossings
    groups: NDArray[np.int16]
    places: NDArray[np.int64]
    tags: NDArray[np.int64]


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
    return _Namespace(stop, scale, state)


@part
def _feature(text: Bytes, begin: int, above: _Namespace) -> _Feature:
    """``name[:value]`` at ``begin``; it stops at −1 if it is malformed or fits no float64."""
    stop, state = _named(text, begin, above.hash)
    number = _number_after(text, stop)
    value = number.value * above.scale.value
    too_large = abs(value) == np.inf and number.exact and above.scale.exact
    if stop == begin or too_large:
        return _Feature(-1, 0, 0.0, False)
    return _Feature(number.stop, hashed(state), value, number.exact)


@part
def _noted(hard: NDArray[np.int64], hards: int, begin: int, stop: int, exact: bool) -> int:
    """Note a token whose number needs ``float``; how many there are now."""
    if not exact:
        hard[hards, 0], hard[hards, 1] = begin, stop
        hards += 1
    return hards


def _scan_of(stamp: str) -> Callable[..., tuple[int, int, int, int]]:
    def scan(
        text: Bytes, labelled: bool, room: Parsed, aside: _Aside, hard: NDArray[np.int64]
    ) -> tuple[int, int, int, int]:
        """Fill the arrays from the text, with hashes in the place of columns.

        Where a token begins and stops whose number needs ``float`` is noted in ``hard``.

        Returns the rows, the entries, the hard numbers, and the token where the scan got stuck
        (−1: nowhere).
        """
        stamp  # noqa: B018  # a closure cell: it enters the key of the disk cache
        labels, weights, (hashes, data, indptr), _, _, _, _ = room
        crosses, watches = len(aside.groups) > 0, len(aside.places) > 0
        tells = len(aside.tags) > 0
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
                if tells:
                    aside.tags[rows, 0] = i + (at(text, i) == _QUOTE)
                    aside.tags[rows, 1] = stop
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
                    group = group_of(text, begin, above.stop, aside.crossed) if crosses else -1
                    i = after_blanks(text, above.scale.stop)
                    while not (at(text, i) == _BAR or _ends_line(text, i)):
                        begin = i
                        feature = _feature(text, begin, above)
                        if feature.stop < 0:
                            return rows, entries, hards, begin
                        hards = _noted(hard, hards, begin, feature.stop, feature.exact)
                        hashes[entries], data[entries] = feature.hash, feature.value
                        if crosses:
                            aside.groups[entries] = group
                        if watches:
                            aside.places[entries] = begin
                        entries += feature.value != 0.0
                        i = after_blanks(text, feature.stop)
                indptr[rows] = entries
            while at(text, i) != NEWLINE:
                i += 1
            i += 1
        return rows, entries, hards, -1

    return scanner(scan)


_scan = _scan_of(fingerprint(Decimal, Murmur, TextError, Crossings))


@scanner
def _spell(text: Bytes, places: NDArray[np.int64], out: Bytes, ends: NDArray[np.int64]) -> None:
    """Write the names at these places, each with that of its namespace, as far as they are told."""
    place = 0
    for i in range(len(ends)):
        begin = space = int(at(places, i))
        while at(text, space - 1) != _BAR:
            space -= 1
        room = place + LONGEST
        stop = _named(text, space, Murmur(0, 0, 0))[0]
        if stop > space:
            place = _copied(text, space, stop, out, place, room)
            if place < room:
                out[place] = _CARET
                place += 1
        place = _copied(text, begin, _named(text, begin, Murmur(0, 0, 0))[0], out, place, room)
        ends[i] = place


@part
def _copied(text: Bytes, begin: int, stop: int, out: Bytes, place: int, room: int) -> int:
    """Copy bytes to ``place``, none of them beyond ``room``; where they end there."""
    for i in range(begin, min(stop, begin + room - place)):
        out[place] = at(text, i)
        place += 1
    return place
