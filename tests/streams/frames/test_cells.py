import datetime
from decimal import Decimal

import numpy as np
import pytest

from rosenblatt.streams import DataError
from rosenblatt.streams.frames.cells import (
    ColumnName,
    NumberCells,
    OtherCells,
    WordCells,
    cells_of_values,
    encode_words,
    spelled,
)

COLUMN = ColumnName("X", "c")


def words_of(cells):
    codes, words = cells.words()
    return [words[code] for code in codes]


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (3, "3"),
        (3.0, "3"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e300, "1e+300"),
        (2**70, str(2**70)),
        (np.float64(2.0), "2"),
        (np.int8(-4), "-4"),
        (np.bool_(True), "True"),
        (False, "False"),
        (Decimal("1.50"), "1.50"),
        (datetime.date(2024, 5, 1), "2024-05-01"),
        (datetime.datetime(2024, 5, 1), "2024-05-01"),
        (datetime.datetime(2024, 5, 1, 6, 7), "2024-05-01 06:07:00"),
        (float("nan"), ""),
        (None, ""),
        ([1], None),
        (b"oak", None),
    ],
)
def test_spelled(value, word):
    assert spelled(value) == word


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        ([1, 2.5, None], [1.0, 2.5, np.nan]),
        ([1, None], [1.0, np.nan]),
        ([True, False, None], [1.0, 0.0, np.nan]),
        ([Decimal("0.1"), 3], [0.1, 3.0]),
        ([np.int64(3), float("nan")], [3.0, np.nan]),
        ([10**30], [1e30]),
        ([None, None], [np.nan, np.nan]),
    ],
)
def test_numbers_of_values(values, numbers):
    cells = cells_of_values(COLUMN, values)
    assert isinstance(cells, NumberCells)
    np.testing.assert_array_equal(cells.numbers(), numbers)


def test_a_number_too_large_is_an_error_of_its_row():
    with pytest.raises(DataError, match=r"column 'c', row 1 \(from 0\): .* fits a float64"):
        cells_of_values(COLUMN, [1, 10**400])


def test_whole_numbers_beyond_floats_are_spelled_exactly():
    cells = cells_of_values(COLUMN, [2**60 + 1, None, 2**60 + 1])
    assert words_of(cells) == [str(2**60 + 1), "", str(2**60 + 1)]


@pytest.mark.parametrize(
    ("values", "words", "numbers"),
    [
        ([True, 1, 1.0, False, None], ["True", "1", "1", "False", ""], [1, 1, 1, 0, np.nan]),
        ([np.bool_(True), np.int8(2)], ["True", "2"], [1, 2]),
        ([2**60 + 1, 2.5, np.nan], [str(2**60 + 1), "2.5", ""], [2.0**60, 2.5, np.nan]),
        ([np.uint64(2**63 + 1)], [str(2**63 + 1)], [2.0**63]),
        ([-(2**63) - 1, 7], [str(-(2**63) - 1), "7"], [-(2.0**63), 7]),
        ([Decimal(2**60 + 1), Decimal("0.1")], [str(2**60 + 1), "0.1"], [2.0**60, 0.1]),
        ([True, Decimal("inf")], ["True", "inf"], [1, np.inf]),
    ],
)
def test_a_number_among_others_is_spelled_as_it_is_alone(values, words, numbers):
    cells = cells_of_values(COLUMN, values)
    assert isinstance(cells, NumberCells)
    assert words_of(cells) == words
    assert cells.first_words(2) == words[:2]
    np.testing.assert_array_equal(cells.numbers(), numbers)
    alone = [words_of(cells_of_values(COLUMN, [value])) for value in values]
    assert [word for (word,) in alone] == words


@pytest.mark.parametrize("other", [1, 2.5, True, "oak", datetime.date(2024, 5, 1)])
def test_a_number_too_large_is_an_error_beside_every_other_value(other):
    with pytest.raises(DataError, match=r"column 'c', row 1 \(from 0\): .* fits a float64"):
        cells_of_values(COLUMN, [other, 10**5000])


def test_words_in_the_order_of_their_first_appearance():
    cells = NumberCells(np.array([3.0, 1.5, np.nan, 3.0]))
    assert cells.words().words == ["3", "1.5", ""]


def test_words_lose_blanks_and_tabs_as_in_csv_and_nothing_else():
    assert words_of(encode_words([" oak\t", "oak", "\u00a0oak"])) == ["oak", "oak", "\u00a0oak"]


def test_numbers_among_words_are_words_that_stand_for_numbers():
    cells = cells_of_values(COLUMN, ["oak", 2.0, None, True])
    assert words_of(cells) == ["oak", "2", "", "True"]
    assert cells.are_numbers == [False, True, True, True]
    numbers = cells_of_values(COLUMN, ["1.5", 2, True]).numbers(COLUMN)
    assert numbers.tolist() == [1.5, 2.0, 1.0]


@pytest.mark.parametrize("word", ["1,5", "inf", "nan", "0x10", "1_000", "two", "1e999", "tRUE"])
def test_a_word_that_is_no_number_is_an_error_of_its_row(word):
    cells = encode_words(["2", word])
    with pytest.raises(DataError, match=r"column 'c', row 1 \(from 0\): found .* expected a num"):
        cells.numbers(COLUMN)


def test_spellings_of_missing_cells_and_decimal_commas():
    cells = encode_words(["1,5", "?", "", "-1.e3"])
    with pytest.raises(DataError):
        cells.numbers(COLUMN, ("", "?"), ".")
    with pytest.raises(DataError, match=r"found '[^']*', expected a number with a comma before"):
        cells.numbers(COLUMN, ("", "?"), ",")
    numbers = encode_words(["1,5", "?", ""]).numbers(COLUMN, ("", "?"), ",")
    np.testing.assert_array_equal(numbers, [1.5, np.nan, np.nan])


def test_a_surrogate_is_an_error():
    with pytest.raises(DataError, match=r"row 1 \(from 0\): found '\\ud800', expected text"):
        cells_of_values(COLUMN, ["a", "\ud800"])


def test_other_values_say_how_to_leave_them_out():
    cells = cells_of_values(COLUMN, [{"a": 1}])
    assert isinstance(cells, OtherCells)
    assert "schema={'c': 'skip'}" in str(cells.fault(COLUMN, "numbers"))
    with pytest.raises(DataError, match=r"row 0 \(from 0\): found \{'a': 1\}, expected a word"):
        cells.words(COLUMN)


def test_word_cells_keep_their_codes():
    cells = WordCells(np.array([1, 0], np.int32), ["a", "b"])
    assert words_of(cells) == ["b", "a"]
