"""Parser of Vowpal Wabbit text: labels, weights and hashed rows in one pass of the core.

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
features in a row is one feature more, as :mod:`rosenblatt.engine.text.hashing` says.

Every number is the float64 nearest to its decimal, as in :mod:`rosenblatt.engine.text.svmlight`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from rosenblatt._core import text as core
from rosenblatt.engine.text.hashing import (
    MAX_NAME_BYTES,
    Hashes,
    Interactions,
    NewHashes,
    RowError,
    SparseRows,
    add_products,
    encode_interactions,
    new_hashes,
    sort_and_sum,
)
from rosenblatt.engine.text.scanning import (
    MAX_TOKEN_BYTES,
    Bytes,
    Fault,
    error_at,
    locate_line,
    newline_terminated,
    quote_token,
    reason_of,
    rest_of_line,
    token_text,
)
from rosenblatt.utils.arrays import NDArray


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
    new_hashes : tuple of NewHashes
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
    seen: set[int] | None = None,
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
        The namespaces to cross, and those that count; they need not occur in the text.
    table : int32 array, optional
        The table of collisions (:mod:`rosenblatt.engine.text.hashing`): names that it does not have
        are returned as ``new_hashes``. None: no names are.
    written : bool, default False
        Whether to look for ``computed`` numbers.
    seen : set of int, optional
        The groups of the interactions that have features are added.

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
    crossed, has_groups = interactions.crosses, len(interactions.ends) > 0
    groups = interactions.names, interactions.ends, has_groups
    (labels, weights), arrays, (lines, plain), extras, deferred, error_begin = (
        core.scan_vowpal_wabbit(text, labelled, tagged, table is not None, *groups)
    )
    rows, (group, name_starts, tags) = SparseRows(*arrays), extras
    if seen is not None and has_groups:
        seen.update(np.flatnonzero(np.bincount(group + 1)[1:]).tolist())
    if len(deferred) or error_begin >= 0:
        faults, shorter = _rewrite_deferred(text, deferred[:, 2:].tolist())
        if error_begin >= 0:
            faults.append((error_begin, _explain_error(text, error_begin)))
        if faults:
            begin, reason = min(faults)
            before = text[: locate_line(text, begin)[1]]
            parse(before, bits, labelled, interactions=interactions)  # a row may add up to too much
            raise error_at(text, begin, reason, first_line=1)
        parsed = parse(shorter, bits, labelled, tagged, interactions, table)
        return parsed._replace(computed=written)
    if (counts := interactions.counts(group)) is not None:
        rows, group = _selected(rows, counts), group[counts]
        name_starts = name_starts if table is None else name_starts[counts]
    new: tuple[NewHashes, ...] = (
        () if table is None else (_new_names(text, rows, name_starts, table, bits),)
    )
    if crossed:
        try:
            rows, products = add_products(rows, group, interactions, bits, table)
        except RowError as error:
            raise error_at(text, _row_start(text, error.row), error.reason, 1) from error
        new = () if table is None else (*new, *products)
    values = rows.data.copy() if written else rows.data
    rows = sort_and_sum(rows, bits)
    summed = written and len(rows.data) < len(values) and not _has_exact_sums(values)
    finite = np.isfinite(rows.data)
    if not finite.all():
        row = int(np.searchsorted(rows.indptr, np.argmin(finite), side="right")) - 1
        raise error_at(text, _row_start(text, row), _SUM_TOO_LARGE, first_line=1)
    return Parsed(
        labels=labels,
        weights=weights,
        rows=rows,
        lines=lines,
        plain=plain,
        tags=_decode_spans(text, tags) if tagged else None,
        new_hashes=new,
        computed=written and bool(summed or crossed or _has_changed_values(text)),
    )


def _selected(rows: SparseRows, counts: NDArray[np.bool_]) -> SparseRows:
    """Return the entries of rows that a mask selects."""
    indptr = np.concatenate([[0], np.cumsum(counts)])[rows.indptr]
    return SparseRows(rows.columns[counts], rows.data[counts], indptr)


def _decode_spans(text: Bytes, spans: NDArray[np.int64]) -> NDArray[np.object_] | None:
    """Return the text of spans; None if all are empty."""
    if np.array_equal(spans[:, 0], spans[:, 1]):
        return None
    raw = text.tobytes()
    words = [raw[begin:stop].decode("utf-8", "replace") for begin, stop in spans.tolist()]
    return np.array(words, dtype=object)


def _new_names(
    text: Bytes, rows: SparseRows, name_starts: NDArray[np.int64], table: Hashes, bits: int
) -> NewHashes:
    """Return the names that may be new to the table."""
    positions = new_hashes(rows.columns, table, bits)
    letters, ends = core.write_names(text, name_starts[positions], MAX_NAME_BYTES)
    parents = np.zeros((len(positions), 2), np.int32)
    return NewHashes(rows.columns[positions], letters, ends, parents)


_CHANGED_VALUE = re.compile(
    rb":[+-]?[0-9.]{16}|:[+-]?[0-9.]+[eE]-[0-9]{3}|\|[^ \t|:\n]+:(?!1[ \t\r\n|])"
)


def _has_changed_values(text: Bytes) -> bool:
    """Return whether a float may not tell its value in Vowpal Wabbit text, or one is scaled.

    Examples
    --------
    >>> lines = b"1 | a:0.1", b"1 |n:2 a", b"1 | a:0.1000000000000000055"
    >>> [_has_changed_values(np.frombuffer(line, np.uint8)) for line in lines]
    [False, True, True]
    """
    return _CHANGED_VALUE.search(text.data) is not None


def _has_exact_sums(values: NDArray[np.float64]) -> bool:
    """Return whether all sums of some of the values are exact: they are small integers.

    Examples
    --------
    >>> _has_exact_sums(np.array([1.0, -2.0])), _has_exact_sums(np.array([0.5]))
    (True, False)
    """
    are_integers = bool((values == np.rint(values)).all())
    return are_integers and float(np.abs(values).sum()) < 2.0**53


# --- deferred numbers, explanations of errors ---------------------------------------------------


def _rewrite_deferred(text: Bytes, deferred: list[list[int]]) -> tuple[list[Fault], bytes]:
    """Rewrite the deferred numbers as Python prints them; also return faults for infinite ones."""
    raw = text.tobytes()
    faults, pieces, end = [], [], 0
    for begin, stop in deferred:
        token = raw[begin:stop]
        name = token[: token.rfind(b":") + 1]
        number = float(token[len(name) :])
        if np.isinf(number):
            reason = f"found {quote_token(token)}, expected a number that fits a float64."
            faults.append((begin, reason))
        pieces += [raw[end:begin], name, repr(number).encode()]
        end = stop
    return faults, b"".join([*pieces, raw[end:]])


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


_SUM_TOO_LARGE = "found values of one feature, or of two with one hash, whose sum fits no float64."


def _row_start(text: Bytes, row: int) -> int:
    """Return the start of the line of a row."""
    start = 0
    for line in text.tobytes().split(b"\n"):
        row -= bool(line.removesuffix(b"\r").strip(b" \t"))
        if row < 0:
            break
        start += len(line) + 1
    return start


def _explain_error(text: Bytes, begin: int) -> str:
    """Return the error in the token where the scan stopped, and what was expected."""
    start = locate_line(text, begin)[1]
    before, rest = text[start:begin].tobytes(), rest_of_line(text, begin)
    token = re.split(rb"[ \t|]", rest[:MAX_TOKEN_BYTES])[0]
    if b"|" in before:
        reasons = _BODY_REASONS
    elif b"|" not in rest:
        return _TORN
    elif not before.strip(b" \t") and rest[: len(token) + 1].startswith((b"|", b"'")):
        return _NO_LABEL
    elif not before.strip(b" \t") and rest[len(token) :].startswith(b"|"):
        return f"found {quote_token(token)}, {_TOUCHES}"
    else:
        reasons = _HEAD_REASONS[min(2, len(before.split()))]
    return f"found {quote_token(token)}, {reason_of(token_text(token), reasons)}"
