"""Category columns: integer codes of text cells, and sparse rows of numbers and categories."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosenblatt._core import text as core
from rosenblatt.engine.text.hashing import SparseRows
from rosenblatt.engine.text.scanning import Bytes
from rosenblatt.utils.arrays import NDArray


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
    codes, first = core.encode_words(text, begins, stops)
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
    return SparseRows(*core.assemble_rows(numbers, codes, *column_map))
