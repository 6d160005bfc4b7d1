"""Parser of Vowpal Wabbit text: labels, weights and hashed rows in one compiled pass.

The grammar of a line, after Vowpal Wabbit's wiki, "Input format"::

    line      = [label [importance]] [tag] {"|" namespace}
    namespace = [name [":" scale]] {" " [feature]}
    feature   = name [":" value]

A line needs a bar; the name of a namespace directly follows a bar, a blank there means that it has
none. Names are all bytes but blanks, tabs, ``:``, ``|`` and ends of lines. A tag is a word
that begins with ``'`` or touches the first bar, as in ``1 'mail7|f x``: it names the row. Values
and scales are decimal numbers, 1 where there is none; so is an importance, which is not negative.
Separators are blanks and tabs, lines end with LF or CRLF, blank lines are skipped.

The column of a feature is the hash of its name, or of ``namespace^name`` where the namespace has
one, as in scikit-learn's ``FeatureHasher``. Names that are numbers are hashed
like all others. A value counts with its namespace's scale and the sign of the hash; zeros are left
out, and values of one column in a row are added up. Namespaces may be crossed: every pair of their
features in a row is one feature more, as :mod:`rosenblatt.engine.text.interactions` says.

Every number is the float64 nearest to its decimal, as in :mod:`rosenblatt.engine.text.svmlight`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import at, trailing_zeros
from rosenblatt.engine.jit import called, inlined
from rosenblatt.engine.text.collisions import MAX_NAME_BYTES, Hashes, NewHashes, new_hashes
from rosenblatt.engine.text.decimals import Bytes, Decimal, parse_decimal, word_at
from rosenblatt.engine.text.hashed_rows import SparseRows, sort_and_sum
from rosenblatt.engine.text.interactions import (
    Interactions,
    RowError,
    add_pairs,
    encode_interactions,
    find_group,
)
from rosenblatt.engine.text.murmur import Murmur, absorb, finalize
from rosenblatt.engine.text.scanning import (
    BLANK,
    NEWLINE,
    RETURN,
    TAB,
    count_bytes,
    error_at,
    locate_line,
    newline_terminated,
    scanner,
    skip_blanks,
)
from rosenblatt.engine.text.vowpal_wabbit_errors import (
    SUM_TOO_LARGE,
    explain_error,
    rewrite_deferred,
    row_start,
)
from rosenblatt.engine.text.written import has_changed_values, has_exact_sums

_COLON, _BAR, _QUOTE, _CARET = (ord(c) for c in ":|'^")
_MIN_DEFERRED_BYTES = 5  # bytes of a number that is not decided at once: 9e308


class Parsed(NamedTuple):
    r"""Rows of Vowpal Wabbit text.

    Parameters
    ----------
    labels : float64 array of shape (rows,)
        NaN where a row has none.
    weights : float64 array of shape (rows,)
        The importances, 1 where a row has none.
    rows : SparseRows
        The arrays of a CSR matrix: columns increase strictly within a row.
    lines : int
        Number of lines, blank lines included.
    plain : bool
        Whether all bytes are ASCII without NUL.
    tags : object array of shape (rows,), or None
        The tags as text without ``'``, empty if a row has none; None if no row has one, or they
        are not requested.
    new_hashes : tuple of Fresh
        Names, and pairs, that may be new to ``table``.
    computed : bool
        Whether a number of the rows may be another than in the text, if that is asked: a sum, a
        product, or rounded so that the float does not tell the decimal.

    Examples
    --------
    >>> parsed = parse(b"1 2.5 'mail7| x\n", 18, tagged=True)
    >>> parsed.weights.tolist(), parsed.tags.tolist()
    ([2.5], ['mail7'])
    """

    labels: NDArray[np.float64]
    weights: NDArray[np.float64]
    rows: SparseRows
    lines: int
    plain: bool
    tags: NDArray[np.object_] | None = None
    new_hashes: tuple[NewHashes, ...] = ()
    computed: bool = False


_NO_INTERACTIONS = encode_interactions(())


def parse(
    buffer: bytes | memoryview | Bytes,
    bits: int,
    labelled: bool = True,
    tagged: bool = False,
    interactions: Interactions = _NO_INTERACTIONS,
    table: Hashes | None = None,
    written: bool = False,
) -> Parsed:
    r"""Parse all rows of Vowpal Wabbit text, each number as exactly as Python's ``float``.

    Parameters
    ----------
    buffer : bytes, memoryview or uint8 array of one dimension
        Whole lines. Nothing is copied if the last byte ends a line.
    bits : int
        All columns are below 2^bits, 1 ≤ bits ≤ 30.
    labelled : bool, default True
        Whether a row without a label is an error.
    tagged : bool, default False
        Whether to return the tags.
    interactions : Interactions, default none
        The namespaces to cross; they need not occur in the text.
    table : int32 array, optional
        The table of :mod:`rosenblatt.engine.text.collisions`: names that it does not have are
        returned as ``new_hashes``. None: no names are.
    written : bool, default False
        Whether to look for ``computed`` numbers.

    Returns
    -------
    Parsed

    Raises
    ------
    TextError
        A token is malformed, a line has no bar or no label, a number is not finite or does not fit
        a float64, nor does what the values of one column add up to. The error names the first
        of these; or a line has too many pairs, or a pair with an infinite product.

    Examples
    --------
    >>> parsed = parse(b"1 |mail spam:2 offer\n-1 'a7| hello\n", 4)
    >>> parsed.labels.tolist(), parsed.rows.indptr.tolist()
    ([1.0, -1.0], [0, 2, 3])
    >>> parse(b"1 | x\nx | y\n", 18)  # doctest: +NORMALIZE_WHITESPACE
    Traceback (most recent call last):
        ...
    rosenblatt.engine.text.scanning.TextError: line 2, column 1: found 'x', expected a number as
    the label.
    """
    text = newline_terminated(buffer)
    max_rows, max_entries, plain = count_bytes(text, BLANK, np.less_equal)
    out = Parsed(
        labels=np.empty(max_rows),
        weights=np.empty(max_rows),
        rows=SparseRows(
            columns=np.empty(max_entries, np.int32),
            data=np.empty(max_entries),
            indptr=np.empty(max_rows + 1, np.int64),
        ),
        lines=max_rows,
        plain=plain,
    )
    deferred = np.empty((len(text) // (_MIN_DEFERRED_BYTES + 1), 2), np.int64)
    extras = _Extras(
        interactions=interactions,
        groups=np.empty(max_entries if len(interactions.pairs) else 0, np.int16),
        name_starts=np.empty(0 if table is None else max_entries, np.int64),
        tags=np.empty((max_rows if tagged else 0, 2), np.int64),
    )
    rows, entries, n_deferred, error_begin = _scan(text, labelled, out, extras, deferred)
    if n_deferred or error_begin >= 0:
        faults, shorter = rewrite_deferred(text, deferred[:n_deferred].tolist())
        if error_begin >= 0:
            faults.append((error_begin, explain_error(text, error_begin)))
        if faults:
            begin, reason = min(faults)
            before = text[: locate_line(text, begin)[1]]
            parse(before, bits, labelled, interactions=interactions)  # a row may add up to too much
            raise error_at(text, begin, reason, first_line=1)
        parsed = parse(shorter, bits, labelled, tagged, interactions, table)
        return parsed._replace(computed=written)
    hashes, data, indptr = out.rows
    entry_rows = SparseRows(hashes[:entries], data[:entries], indptr[: rows + 1])
    new = () if table is None else (_new_names(text, entry_rows, extras, table, bits),)
    if len(interactions.pairs):
        try:
            entry_rows, pairs = add_pairs(
                entry_rows, extras.groups[:entries], interactions, bits, table
            )
        except RowError as error:
            raise error_at(text, row_start(text, error.row), error.reason, 1) from error
        new = () if table is None else (*new, pairs)
    values = entry_rows.data.copy() if written else entry_rows.data
    entry_rows = sort_and_sum(entry_rows, bits)
    summed = written and len(entry_rows.data) < len(values) and not has_exact_sums(values)
    finite = np.isfinite(entry_rows.data)
    if not finite.all():
        row = int(np.searchsorted(entry_rows.indptr, np.argmin(finite), side="right")) - 1
        raise error_at(text, row_start(text, row), SUM_TOO_LARGE, first_line=1)
    return out._replace(
        labels=out.labels[:rows],
        weights=out.weights[:rows],
        rows=entry_rows,
        tags=_decode_spans(text, extras.tags[:rows]) if tagged else None,
        new_hashes=new,
        computed=written and bool(summed or len(interactions.pairs) or has_changed_values(text)),
    )


def _decode_spans(text: Bytes, spans: NDArray[np.int64]) -> NDArray[np.object_] | None:
    """Return the text of spans; None if all are empty."""
    if np.array_equal(spans[:, 0], spans[:, 1]):
        return None
    raw = text.tobytes()
    words = [raw[begin:stop].decode("utf-8", "replace") for begin, stop in spans.tolist()]
    return np.array(words, dtype=object)


def _new_names(
    text: Bytes, rows: SparseRows, extras: _Extras, table: Hashes, bits: int
) -> NewHashes:
    """Return the names that may be new to the table."""
    positions = new_hashes(rows.columns, table, bits)
    letters, ends = (
        np.empty(len(positions) * MAX_NAME_BYTES, np.uint8),
        np.empty(len(positions), np.int64),
    )
    _write_names(text, extras.name_starts[positions], letters, ends)
    size = int(ends[-1]) if len(positions) else 0
    parents = np.zeros((len(positions), 2), np.int32)
    return NewHashes(rows.columns[positions], letters[:size].tobytes(), ends, parents)


# --- compiled ------------------------------------------------------------------------------------

_ONES = 0x0101010101010101
_HIGH_BITS = -0x7F7F7F7F7F7F7F80


@inlined
def _bytes_below(word: int, bound: int) -> int:
    """Mark the high bit of each byte below ``bound`` ≤ 128; bytes after the first may be wrong."""
    return word - bound * _ONES & ~word & _HIGH_BITS


@inlined
def _count_name_bytes(word: int) -> int:
    """Return the number of bytes at the start of the word, 0 to 8, that must belong to a name."""
    colons, bars = word ^ _COLON * _ONES, word ^ _BAR * _ONES
    return (
        trailing_zeros(
            _bytes_below(word, BLANK + 1) | _bytes_below(colons, 1) | _bytes_below(bars, 1)
        )
        >> 3
    )


@inlined
def _ends_line(text: Bytes, i: int) -> bool:
    byte = at(text, i)
    return bool(byte == NEWLINE or (byte == RETURN and at(text, i + 1) == NEWLINE))


@inlined
def _ends_token(text: Bytes, i: int) -> bool:
    return at(text, i) in (BLANK, TAB, _BAR) or _ends_line(text, i)


@inlined
def _hash_name(text: Bytes, i: int, state: Murmur) -> tuple[int, Murmur]:
    """Return the end of the name at i (i if there is none), and the hash with its bytes."""
    word = word_at(text, i)
    n = _count_name_bytes(word)
    while n == 8 or not (at(text, i + n) == _COLON or _ends_token(text, i + n)):
        n = min(n + 1, 8)  # a control character, part of the name
        state = absorb(state, word, n)
        i += n
        word = word_at(text, i)
        n = _count_name_bytes(word)
    return i + n, absorb(state, word, n)


@inlined
def _parse_optional_number(text: Bytes, colon: int) -> Decimal:
    """Parse the number after a colon, 1 without one; it stops at −1 if it is malformed."""
    if at(text, colon) != _COLON:
        return Decimal(colon, 1.0, True)
    number = parse_decimal(text, colon + 1)
    if number.stop == colon + 1 or not _ends_token(text, number.stop):
        return Decimal(-1, 0.0, False)
    return number


@inlined
def _skip_tag(text: Bytes, i: int) -> int:
    """Return the end of the tag at i, or i if there is none."""
    stop = i
    while not _ends_token(text, stop):
        stop += 1
    return stop if at(text, i) == _QUOTE or at(text, stop) == _BAR else i


class _Namespace(NamedTuple):
    """A namespace: the end of its name, its scale, and the hash that its features continue."""

    stop: int
    scale: Decimal
    hash: Murmur


class _Feature(NamedTuple):
    """A feature: its end, hash and value, and whether the value is exact."""

    stop: int
    hash: int
    value: float
    exact: bool


class _Extras(NamedTuple):
    """Optional output besides the rows.

    ``groups`` has the group of each entry, ``name_starts`` where its name begins; ``tags`` where
    the tag of each row begins and stops.
    """

    interactions: Interactions
    groups: NDArray[np.int16]
    name_starts: NDArray[np.int64]
    tags: NDArray[np.int64]


@called
def _parse_head_number(text: Bytes, begin: int, default: float) -> Decimal:
    """Parse the number at ``begin``, ``default`` at a tag or a bar; it stops at −1 if malformed."""
    if at(text, begin) == _BAR or _skip_tag(text, begin) > begin:
        return Decimal(begin, default, True)
    number = parse_decimal(text, begin)
    if number.stop == begin or at(text, number.stop) not in (BLANK, TAB):
        return Decimal(-1, 0.0, False)
    return number


@called
def _parse_namespace(text: Bytes, begin: int) -> _Namespace:
    """Parse ``[name[:scale]]`` at ``begin``; the scale stops at −1 if it is malformed."""
    stop, state = _hash_name(text, begin, Murmur(0, 0, 0))
    scale = _parse_optional_number(text, stop)
    if stop > begin:
        state = absorb(state, _CARET, 1)
    elif scale.stop > stop:
        scale = Decimal(-1, 0.0, False)
    return _Namespace(stop, scale, state)


@inlined
def _parse_feature(text: Bytes, begin: int, namespace: _Namespace) -> _Feature:
    """Parse ``name[:value]`` at ``begin``; it stops at −1 if malformed or if it fits no float64."""
    stop, state = _hash_name(text, begin, namespace.hash)
    number = _parse_optional_number(text, stop)
    value = number.value * namespace.scale.value
    too_large = abs(value) == np.inf and number.exact and namespace.scale.exact
    if stop == begin or too_large:
        return _Feature(-1, 0, 0.0, False)
    return _Feature(number.stop, finalize(state), value, number.exact)


@inlined
def _defer(deferred: NDArray[np.int64], n_deferred: int, begin: int, stop: int, exact: bool) -> int:
    """Defer a token whose number needs ``float``; return the number of deferred tokens."""
    if not exact:
        deferred[n_deferred, 0], deferred[n_deferred, 1] = begin, stop
        n_deferred += 1
    return n_deferred


@scanner
def _scan(
    text: Bytes, labelled: bool, out: Parsed, extras: _Extras, deferred: NDArray[np.int64]
) -> tuple[int, int, int, int]:
    """Write the arrays of ``out`` from the text, with hashes as columns.

    The start and end of a token whose number needs ``float`` are written to ``deferred``.

    Return the numbers of rows, of entries and of deferred numbers, and the start of the token where
    the scan stopped (−1: no error).
    """
    labels, weights, (hashes, data, indptr), _, _, _, _, _ = out
    with_groups, with_names = len(extras.groups) > 0, len(extras.name_starts) > 0
    with_tags = len(extras.tags) > 0
    rows = entries = n_deferred = i = 0
    indptr[0] = 0
    while i < len(text):
        i = skip_blanks(text, i)
        if not _ends_line(text, i):
            label = _parse_head_number(text, i, np.nan)
            if label.stop < 0 or (labelled and np.isnan(label.value)):
                return rows, entries, n_deferred, i
            n_deferred = _defer(deferred, n_deferred, i, label.stop, label.exact)
            i = skip_blanks(text, label.stop)
            weight = _parse_head_number(text, i, 1.0)
            if weight.stop < 0 or weight.value < 0.0:
                return rows, entries, n_deferred, i
            n_deferred = _defer(deferred, n_deferred, i, weight.stop, weight.exact)
            i = skip_blanks(text, weight.stop)
            stop = _skip_tag(text, i)
            if with_tags:
                extras.tags[rows, 0] = i + (at(text, i) == _QUOTE)
                extras.tags[rows, 1] = stop
            i = skip_blanks(text, stop)
            if at(text, i) != _BAR:
                return rows, entries, n_deferred, i
            labels[rows], weights[rows] = label.value, weight.value
            rows += 1
            while at(text, i) == _BAR:
                begin = i + 1
                namespace = _parse_namespace(text, begin)
                if namespace.scale.stop < 0:
                    return rows, entries, n_deferred, begin
                n_deferred = _defer(
                    deferred, n_deferred, begin, namespace.scale.stop, namespace.scale.exact
                )
                group = (
                    find_group(text, begin, namespace.stop, extras.interactions)
                    if with_groups
                    else -1
                )
                i = skip_blanks(text, namespace.scale.stop)
                while not (at(text, i) == _BAR or _ends_line(text, i)):
                    begin = i
                    feature = _parse_feature(text, begin, namespace)
                    if feature.stop < 0:
                        return rows, entries, n_deferred, begin
                    n_deferred = _defer(deferred, n_deferred, begin, feature.stop, feature.exact)
                    hashes[entries], data[entries] = feature.hash, feature.value
                    if with_groups:
                        extras.groups[entries] = group
                    if with_names:
                        extras.name_starts[entries] = begin
                    entries += feature.value != 0.0
                    i = skip_blanks(text, feature.stop)
            indptr[rows] = entries
        while at(text, i) != NEWLINE:
            i += 1
        i += 1
    return rows, entries, n_deferred, -1


@scanner
def _write_names(
    text: Bytes, name_starts: NDArray[np.int64], out: Bytes, ends: NDArray[np.int64]
) -> None:
    """Write the names at these positions, each with its namespace, up to ``MAX_NAME_BYTES``.

    The positions increase: a name without a bar after the last one has the same namespace.
    """
    end = last = space = 0
    for i in range(len(ends)):
        begin = bar_end = int(at(name_starts, i))
        while bar_end > last and at(text, bar_end - 1) != _BAR:
            bar_end -= 1
        if bar_end > last:
            space = bar_end
        last = begin
        limit = end + MAX_NAME_BYTES
        stop = _hash_name(text, space, Murmur(0, 0, 0))[0]
        if stop > space:
            end = _copy_bytes(text, space, stop, out, end, limit)
            if end < limit:
                out[end] = _CARET
                end += 1
        end = _copy_bytes(text, begin, _hash_name(text, begin, Murmur(0, 0, 0))[0], out, end, limit)
        ends[i] = end


@inlined
def _copy_bytes(text: Bytes, begin: int, stop: int, out: Bytes, end: int, limit: int) -> int:
    """Copy bytes to ``end``, none beyond ``limit``; return the new end."""
    for i in range(begin, min(stop, begin + limit - end)):
        out[end] = at(text, i)
        end += 1
    return end
