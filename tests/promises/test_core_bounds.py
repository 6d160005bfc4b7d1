"""The core checks every length and index before it reads or writes."""

import numpy as np
import pytest

from rosenblatt._core import linear, matrices
from rosenblatt._core import text as core
from rosenblatt.engine import state

LINES = np.frombuffer(b"1 2:3\n", np.uint8)
OPEN = np.frombuffer(b"1 2:3", np.uint8)
NONE = np.zeros(0, np.uint8)


def ints(*numbers, dtype=np.int64):
    return np.array(numbers, dtype)


def rows(columns, data, indptr):
    return ints(*columns, dtype=np.int32), np.array(data, float), ints(*indptr)


ONE_ROW = rows([5, 3], [1, 2], [0, 2])
GROUPS, PAIRS = ints(0, 1, dtype=np.int16), ints(0, 1).reshape(1, 2)

REFUSED = {
    "svmlight without an end": lambda: core.scan_svmlight(OPEN, True, 9, False),
    "an index beyond 31 bits": lambda: core.scan_svmlight(LINES, True, 2**31, False),
    "a negative largest index": lambda: core.scan_svmlight(LINES, True, -1, False),
    "a table without an end": lambda: core.scan_delimited(
        OPEN, ints(0), ints(-1), 44, 34, NONE, False
    ),
    "a field beyond the fields": lambda: core.scan_delimited(
        LINES, ints(1), ints(-1), 44, 34, NONE, False
    ),
    "fields of two lengths": lambda: core.scan_delimited(
        LINES, ints(0), ints(-1, 0), 44, 34, NONE, False
    ),
    "no fields": lambda: core.scan_delimited(LINES, ints(), ints(), 44, 34, NONE, False),
    "a separator of two bytes": lambda: core.scan_delimited(
        LINES, ints(0), ints(-1), 300, 34, NONE, False
    ),
    "an open spelling": lambda: core.scan_delimited(LINES, ints(0), ints(-1), 44, 34, OPEN, False),
    "a cell behind the text": lambda: core.parse_cell(LINES, 6, 44, 34),
    "a cell before the text": lambda: core.parse_cell(LINES, -1, 44, 34),
    "vw without an end": lambda: core.scan_vowpal_wabbit(
        OPEN, True, False, False, NONE, ints(), False
    ),
    "names beyond their bytes": lambda: core.scan_vowpal_wabbit(
        LINES, True, False, False, LINES, ints(9), True
    ),
    "ends that fall": lambda: core.scan_vowpal_wabbit(
        LINES, True, False, False, LINES, ints(4, 2), True
    ),
    "a name behind the text": lambda: core.write_names(LINES, ints(0, 6), 9),
    "names out of order": lambda: core.write_names(LINES, ints(3, 2), 9),
    "a span behind the text": lambda: core.read_written(OPEN, ints(4, 5).reshape(1, 2)),
    "an empty span": lambda: core.read_written(LINES, ints(2, 2).reshape(1, 2)),
    "spans of three": lambda: core.read_written(LINES, ints(0, 1, 2).reshape(1, 3)),
    "a number behind the text": lambda: core.parse_decimal(LINES, 6),
    "an integer before the text": lambda: core.parse_int(LINES, -1),
    "a decimal beyond the text": lambda: core.tells_written(LINES, 0, 7, 1.0),
    "a hash behind the names": lambda: core.hash_names(LINES, ints(7)),
    "names that shrink": lambda: core.hash_names(LINES, ints(3, 2)),
    "a word of nine bytes": lambda: core.hash_pieces(ints(1, dtype=np.uint64), ints(9)),
    "no bits": lambda: core.column_of(1, 0),
    "too many bits": lambda: core.sort_and_sum(*ONE_ROW, 31),
    "rows beyond their values": lambda: core.sort_and_sum(*rows([5], [1], [0, 2]), 9),
    "rows that shrink": lambda: core.sort_and_sum(*rows([5, 3], [1, 2], [0, 2, 1]), 9),
    "rows from one": lambda: core.sort_and_sum(*rows([5, 3], [1, 2], [1, 2]), 9),
    "columns without values": lambda: core.sort_and_sum(*rows([5, 3], [1], [0, 1]), 9),
    "a group beyond the groups": lambda: core.add_pairs(*ONE_ROW, GROUPS, PAIRS, 1, False),
    "a negative pair": lambda: core.add_pairs(*ONE_ROW, GROUPS, -PAIRS, 2, False),
    "entries without a group": lambda: core.add_pairs(*ONE_ROW, GROUPS[:1], PAIRS, 2, False),
    "a short table": lambda: core.new_hashes(ONE_ROW[0], np.zeros(7, np.int32), 2),
    "a long table": lambda: core.insert_hashes(
        np.zeros(9, np.int32), 2, ONE_ROW[0], np.zeros(2, bool)
    ),
    "hashes without a mark": lambda: core.insert_hashes(
        np.zeros(8, np.int32), 2, ONE_ROW[0], np.zeros(1, bool)
    ),
    "a newline as a mark": lambda: core.scan_delimited(
        LINES, ints(0), ints(-1), ord(","), 10, NONE, False
    ),
    "cells between newlines": lambda: core.parse_cell(LINES, 0, 10, -1),
    "decimals without an end": lambda: core.read_written(OPEN, ints(0, 1).reshape(1, 2)),
    "a word behind the text": lambda: core.encode_words(LINES, ints(2), ints(7)),
    "a word that ends before": lambda: core.encode_words(LINES, ints(2), ints(1)),
    "codes without a row": lambda: core.assemble_rows(
        np.zeros((2, 1)),
        np.zeros((1, 1), np.int32),
        ints(0, dtype=np.int32),
        ints(1, dtype=np.int32),
        np.ones(1),
        ints(0),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused(name):
    with pytest.raises(ValueError, match=r"must|every|rows|fields|group|a "):
        REFUSED[name]()


@pytest.mark.parametrize("code", [-1, 1])
def test_a_code_without_a_word_is_refused(code):
    codes = ints(code, dtype=np.int32).reshape(1, 1)
    column = ints(0, dtype=np.int32)
    with pytest.raises(IndexError, match="a code has no word"):
        core.assemble_rows(np.zeros((1, 1)), codes, column, column, np.ones(1), ints(0))


@pytest.mark.parametrize(
    "array", [LINES.astype(np.int8), LINES[::2], LINES.reshape(2, 3), LINES.astype(np.int64)]
)
def test_only_bytes_in_order_are_a_text(array):
    with pytest.raises(TypeError):
        core.scan_svmlight(array, True, 9, False)


SPEC = ("PA", (), "none", np.ones(1), 0.0, True, 1.0, None, False, False, None)
"""A rule and its options, as engine/linear/core.py gives them."""

ORDER, ONE = np.zeros(1, np.int64), np.ones(1)
X = np.ones((1, 2))


def epoch(rows, order=ORDER, spec=SPEC):
    memory = state.empty(2, 1)
    learner = linear.Learner((*memory[: len(state.FIELDS)], ()), spec)
    return learner.epoch(rows, ONE, ONE, order, None)


def sparse(*indptr, column=1):
    return np.ones(1), np.array([column], np.uint32), np.array(indptr, np.int64)


REFUSED_ROWS = {
    "no rows": lambda: epoch(()),
    "rows of two arrays": lambda: epoch((X, X)),
    "rows of three columns": lambda: epoch((np.ones((1, 3)),)),
    "rows of another type": lambda: epoch((X.astype(np.float32),)),
    "a row that is not there": lambda: epoch((X,), np.ones(1, np.int64)),
    "entries that are not there": lambda: epoch(sparse(0, 2)),
    "entries that end before": lambda: epoch(sparse(1, 0)),
    "a rule without options": lambda: epoch((X,), spec=("PA",)),
    "a rule of nobody": lambda: epoch((X,), spec=("Mine", *SPEC[1:])),
    "a penalty without numbers": lambda: epoch((X,), spec=(*SPEC[:7], (), *SPEC[8:])),
    "a calibration without arrays": lambda: epoch((X,), spec=(*SPEC[:10], (False,))),
    "no rows to measure": lambda: matrices.largest_sqnorm((), 0),
    "columns that are not there": lambda: matrices.products(
        sparse(0, 1, column=9), np.ones((2, 1)), np.zeros((1, 1))
    ),
}


def test_rows_that_fit_are_learned():
    assert epoch((X,)) == epoch(sparse(0, 1)) == -1


@pytest.mark.parametrize("name", REFUSED_ROWS)
def test_rows_that_do_not_fit_are_refused(name):
    with pytest.raises(ValueError, match=r"must|outside"):
        REFUSED_ROWS[name]()
