"""Category columns: integer codes of text cells, and sparse rows of numbers and categories."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import at
from rosenblatt.engine.jit import inlined
from rosenblatt.engine.text.decimals import Bytes
from rosenblatt.engine.text.hashed_rows import SparseRows
from rosenblatt.engine.text.murmur import Murmur, absorb_text, finalize
from rosenblatt.engine.text.scanning import scanner


class CategoryColumn(NamedTuple):
    """A column of words, as integer codes.

    Parameters
    ----------
    codes : int32 array of shape (rows,)
        Index of each row's word in ``words``.
    words : list of str
        The distinct words, in the order of their first appearance.

    Examples
    --------
    >>> CategoryColumn(np.array([0, 1, 0], np.int32), ["oak", "elm"]).words
    ['oak', 'elm']
    """

    codes: NDArray[np.int32]
    words: list[str]


def encode_categories(
    text: Bytes, begins: NDArray[np.int64], stops: NDArray[np.int64]
) -> CategoryColumn:
    """Encode the words of a column.

    The time is linear: a hash table, at most half full.

    Parameters
    ----------
    text : uint8 array
        UTF-8; invalid bytes are replaced.
    begins, stops : int64 array of shape (rows,)
        Start of each word, and the position after it.

    Examples
    --------
    >>> text = np.frombuffer(b"oak,elm,oak", np.uint8)
    >>> words = encode_categories(text, np.array([0, 4, 8]), np.array([3, 7, 11]))
    >>> words.codes.tolist(), words.words
    ([0, 1, 0], ['oak', 'elm'])
    """
    rows = len(begins)
    codes, firsts = np.empty((2, rows), np.int32)
    table = np.full(1 << (2 * rows).bit_length(), -1, np.int32)
    distinct = _encode(text, begins, stops, codes, firsts, table)
    first = firsts[:distinct]
    cells = zip(begins[first].tolist(), stops[first].tolist(), strict=True)
    raw = text.data
    return CategoryColumn(codes, [str(raw[a:b], "utf-8", "replace") for a, b in cells])


class ColumnMap(NamedTuple):
    """The columns of a table's numbers and words in sparse rows.

    Parameters
    ----------
    numbers : int32 array of shape (numbers,)
        Column of each number.
    words : int32 array
        Column of each word; the words of one text column follow those of the one before.
    values : float64 array of shape (words,)
        Value of each word; 0 omits it.
    starts : int64 array of shape (columns,)
        Start of the words of each text column.

    Examples
    --------
    >>> ColumnMap(*np.zeros((2, 1), np.int32), np.ones(1), np.zeros(1, np.int64)).values.tolist()
    [1.0]
    """

    numbers: NDArray[np.int32]
    words: NDArray[np.int32]
    values: NDArray[np.float64]
    starts: NDArray[np.int64]


def assemble_rows(
    numbers: NDArray[np.float64], codes: NDArray[np.int32], column_map: ColumnMap
) -> SparseRows:
    """Assemble sparse rows of numbers and words, without zeros, the numbers first.

    Parameters
    ----------
    numbers : C-ordered float64 array of shape (rows, numbers)
    codes : C-ordered int32 array of shape (columns, rows)
    column_map : ColumnMap

    Examples
    --------
    >>> words = np.array([1, 2], np.int32), np.ones(2), np.array([0])
    >>> places = ColumnMap(np.array([0], np.int32), *words)
    >>> rows = assemble_rows(np.array([[0.5], [0.0]]), np.array([[1, 0]], np.int32), places)
    >>> rows.columns.tolist(), rows.data.tolist(), rows.indptr.tolist()
    ([0, 2, 1], [0.5, 1.0, 1.0], [0, 2, 3])
    """
    rows, capacity = len(numbers), numbers.size + codes.size
    out = SparseRows(np.empty(capacity, np.int32), np.empty(capacity), np.zeros(rows + 1, np.int64))
    entries = _assemble(numbers, codes, column_map, out)
    return out._replace(columns=out.columns[:entries], data=out.data[:entries])


# --- compiled ------------------------------------------------------------------------------------


@inlined
def _equal_bytes(text: Bytes, one: int, other: int, size: int) -> bool:
    k = 0
    while k < size and at(text, one + k) == at(text, other + k):
        k += 1
    return k == size


@scanner
def _encode(
    text: Bytes,
    begins: NDArray[np.int64],
    stops: NDArray[np.int64],
    codes: NDArray[np.int32],
    firsts: NDArray[np.int32],
    table: NDArray[np.int32],
) -> int:
    """Write the codes, and the first row of each word; return the number of words."""
    distinct = 0
    for row in range(len(begins)):
        begin = int(at(begins, row))
        size = int(at(stops, row)) - begin
        slot = finalize(absorb_text(Murmur(0, 0, 0), text, begin, begin + size)) & len(table) - 1
        while at(table, slot) >= 0:
            first = at(firsts, at(table, slot))
            start = at(begins, first)
            if at(stops, first) - start == size and _equal_bytes(text, begin, start, size):
                break
            slot = slot + 1 & len(table) - 1
        if at(table, slot) < 0:
            table[slot], firsts[distinct] = distinct, row
            distinct += 1
        codes[row] = at(table, slot)
    return distinct


@scanner
def _assemble(
    numbers: NDArray[np.float64], codes: NDArray[np.int32], column_map: ColumnMap, out: SparseRows
) -> int:
    """Write the rows to ``out``; return the number of entries."""
    columns, data, indptr = out
    entries = 0
    for row in range(len(numbers)):
        for j in range(len(column_map.numbers)):
            x = numbers[row, j]
            if x != 0.0:
                columns[entries], data[entries] = at(column_map.numbers, j), x
                entries += 1
        for c in range(len(codes)):
            word = at(column_map.starts, c) + codes[c, row]
            value = at(column_map.values, word)
            if value != 0.0:
                columns[entries], data[entries] = at(column_map.words, word), value
                entries += 1
        indptr[row + 1] = entries
    return entries
