"""Cells of one column in memory: numbers, words, or values that are neither."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from itertools import repeat
from typing import Any, NamedTuple, TypeVar

import numpy as np

from rosenblatt.engine.text.categories import CategoryColumn
from rosenblatt.engine.text.delimited import TRUTHS
from rosenblatt.streams.core.batch import first_occurrences
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.features.labels import NUMBER
from rosenblatt.utils.arrays import Array, NDArray

T = TypeVar("T")

BLANKS = " \t"
"""Letters around a cell that do not count, as in CSV text."""

_LARGEST_WHOLE = 2.0**63  # floats from here on are spelled with an exponent
_LARGEST_EXACT = 2**53  # floats hold all whole numbers up to here
_MISSING_TYPES = ("NoneType", "NAType", "NaTType")


class ColumnName(NamedTuple):
    """A column of a source, for messages."""

    source: str
    name: str

    def error(self, row: int, problem: str) -> DataError:
        """Return the error of a row, counted from 0."""
        return DataError(self.source, f"column {self.name!r}, row {row:,} (from 0): {problem}")


class NumberCells(NamedTuple):
    """Numbers, or true and false.

    Parameters
    ----------
    values : array of integers, floats or booleans, of shape (rows,)
        NaN is a missing cell. An array of objects holds what no other array holds exactly: truth
        values among numbers, whole numbers beyond int64, and large ones among floats.
    missing : boolean array of shape (rows,), or None
        The other missing cells, whose values do not count.

    Examples
    --------
    >>> cells = NumberCells(np.array([3, 1, 3]), np.array([False, True, False]))
    >>> cells.numbers().tolist(), cells.words().words
    ([3.0, nan, 3.0], ['3', ''])
    """

    values: Array
    missing: NDArray[np.bool_] | None = None

    def numbers(self) -> NDArray[np.float64]:
        """Return one number per row, NaN where the cell is missing."""
        numbers = self.values.astype(np.float64)
        if self.missing is not None:
            numbers[self.missing] = np.nan
        return numbers

    @property
    def are_numbers(self) -> Iterable[bool] | None:
        """Whether each of the words stands for a number or a truth value: all do."""
        return repeat(True)

    def first_words(self, rows: int) -> list[str]:
        """Return the words of the first rows that are not missing."""
        values = (
            self.values[:rows] if self.missing is None else self.values[:rows][~self.missing[:rows]]
        )
        return [_spelled_number(value) for value in values.tolist()]

    def words(self) -> CategoryColumn:
        """Return one word per row, empty where the cell is missing."""
        if self.values.dtype == object:  # True and 1 are equal, and two words
            codes, words = encode_words([_spelled_number(value) for value in self.values])[:2]
        else:
            distinct, inverse = np.unique(self.values, return_inverse=True)
            codes = inverse.astype(np.int32)
            words = [_spelled_number(value) for value in distinct.tolist()]
        return CategoryColumn(*_with_missing(codes, words, self.missing, ""))


class WordCells(NamedTuple):
    """Words as codes.

    Parameters
    ----------
    codes : int32 array of shape (rows,)
    words : list of str
        Without blanks at their ends; empty for a missing cell.
    is_category : bool, default False
        Whether the type of the column says that these are categories.
    are_numbers : sequence of bool, or None
        Which words stand for numbers or truth values that are no text; None: none does.

    Examples
    --------
    >>> cells = WordCells(np.array([0, 1, 0], np.int32), ["2.5", "oak"])
    >>> cells.words().words
    ['2.5', 'oak']
    >>> cells.numbers(ColumnName("X", "size"))
    Traceback (most recent call last):
    rosenblatt.streams.core.errors.DataError: X: column 'size', row 1 (from 0): found 'oak', \
expected a number.
    """

    codes: NDArray[np.int32]
    distinct: list[str]
    is_category: bool = False
    are_numbers: Sequence[bool] | None = None

    def words(self) -> CategoryColumn:
        """Return one word per row."""
        return CategoryColumn(self.codes, self.distinct)

    def numbers(
        self, column: ColumnName, missing: Sequence[str] = ("",), mark: str = "."
    ) -> NDArray[np.float64]:
        """Return one number per row, NaN where the cell is missing.

        Parameters
        ----------
        column : ColumnName
        missing : sequence of str
            Spellings of a missing cell.
        mark : {".", ","}, default "."
            The mark before decimals.

        Raises
        ------
        DataError
            A word is no number.
        """
        values = [self._number(word, missing, mark) for word in self.distinct]
        bad = [code for code, value in enumerate(values) if value is None]
        for code in bad:
            rows = np.flatnonzero(self.codes == code)
            if len(rows):
                word = self.distinct[code]
                raise column.error(int(rows[0]), f"found {word!r:.60}, {_expected(word, mark)}")
        numbers = np.array([math.nan if value is None else value for value in values], np.float64)
        return numbers[self.codes]

    @staticmethod
    def _number(word: str, missing: Sequence[str], mark: str) -> float | None:
        if word == "" or word in missing:
            return math.nan
        if word in TRUTHS:
            return TRUTHS[word]
        spelled = word.translate(_SWAPPED) if mark == "," else word
        if not NUMBER.fullmatch(spelled):
            return None
        number = float(spelled)
        return number if math.isfinite(number) else None


class OtherCells(NamedTuple):
    """Values that are neither numbers nor words, such as dates.

    Parameters
    ----------
    values : list
    type : str
        Their type, for messages.
    """

    values: list[Any]
    type: str

    @property
    def kind(self) -> str | None:
        """The kind of a column of dates or times; None for other values."""
        types = {type(value) for value in self.values if not is_missing(value)}
        if types and all(issubclass(one, date) for one in types):  # datetime and Timestamp are
            return "date"
        return "time" if types and types <= {time} else None

    def words(self, column: ColumnName) -> CategoryColumn:
        """Return the values as words: dates in the form of ISO 8601.

        Raises
        ------
        DataError
            A value is no date, time, number or word.
        """
        words = []
        for row, value in enumerate(self.values):
            word = spelled(value)
            if word is None:
                raise column.error(row, f"found {value!r:.60}, expected a word.")
            words.append(word)
        return encode_words(words).words()

    @property
    def are_numbers(self) -> Iterable[bool] | None:
        """Whether each of the words stands for a number: none does."""
        return None

    def fault(self, column: ColumnName, expected: str) -> DataError:
        """Return the error of a column that holds such values."""
        remedy = f"encode it, or leave it out: schema={{{column.name!r}: 'skip'}}."
        problem = f"column {column.name!r} holds {self.type}, expected {expected}: {remedy}"
        return DataError(column.source, problem)


Cells = NumberCells | WordCells | OtherCells

_SWAPPED = str.maketrans(",.", ".,")


def _expected(word: str, mark: str) -> str:
    """Return what is expected instead of a word, in numbers with a mark before decimals."""
    if NUMBER.fullmatch(word.translate(_SWAPPED) if mark == "," else word):
        return "expected a number that fits a float64."
    comma = " with a comma before its decimals" if mark == "," else ""
    return f"expected a number{comma}."


def encode_words(words: Sequence[Any]) -> WordCells:
    """Return words as codes, in the order of their first appearance; values that are missing, too.

    Examples
    --------
    >>> encode_words([" oak", None, "oak"])[:2]
    (array([0, 1, 2], dtype=int32), ['oak', '', 'oak'])
    """
    codes: dict[Any, int] = {}
    numbered = [codes.setdefault(word, len(codes)) for word in words]
    distinct = ["" if is_missing(word) else word.strip(BLANKS) for word in codes]
    return WordCells(np.array(numbered, np.int32), distinct)


def encode_values(values: Sequence[Any]) -> WordCells:
    """Return words and numbers as codes of words.

    Examples
    --------
    >>> cells = encode_values([1.0, "1", "oak"])
    >>> cells.codes.tolist(), cells.distinct, cells.are_numbers
    ([0, 1, 2], ['1', '1', 'oak'], [True, False, False])
    """
    codes: dict[tuple[str, bool], int] = {}
    pairs = [((spelled(v) or "").strip(BLANKS), not isinstance(v, str)) for v in values]
    numbered = [codes.setdefault(pair, len(codes)) for pair in pairs]
    distinct, are_numbers = zip(*codes, strict=True)
    return WordCells(np.array(numbered, np.int32), [*distinct], are_numbers=[*are_numbers])


def coded_words(codes: Array, words: Sequence[Any], *, is_category: bool) -> WordCells:
    """Return words of a library's codes, −1 for a missing cell.

    Parameters
    ----------
    codes : integer array of shape (rows,)
    words : sequence
        Values that :func:`spelled` spells.
    is_category : bool

    Examples
    --------
    >>> cells = coded_words(np.array([1, -1]), ["elm", "oak"], is_category=True)
    >>> cells.codes.tolist(), cells.distinct
    ([0, 1], ['oak', ''])
    """
    pairs = [((spelled(word) or "").strip(BLANKS), not isinstance(word, str)) for word in words]
    codes, pairs = _with_missing(codes.astype(np.int32), pairs, codes < 0, ("", False))
    are_numbers = [is_number for _, is_number in pairs]
    distinct = [word for word, _ in pairs]
    return WordCells(codes, distinct, is_category, are_numbers if any(are_numbers) else None)


def _with_missing(
    codes: NDArray[np.int32], words: list[T], missing: NDArray[np.bool_] | None, empty: T
) -> tuple[NDArray[np.int32], list[T]]:
    """Return the words that occur, in the order of their first appearance, ``empty`` if missing."""
    if missing is not None and missing.any():
        codes = np.where(missing, np.int32(len(words)), codes).astype(np.int32)
        words = [*words, empty]
    first = first_occurrences(codes, len(words))
    used = np.flatnonzero(first < len(codes))
    used = used[np.argsort(first[used])]
    code_of = np.zeros(len(words), np.int32)
    code_of[used] = np.arange(len(used))
    return code_of[codes], [words[code] for code in used.tolist()]


def _spelled_number(value: object) -> str:
    """Return the shortest spelling of a number: whole ones without a point; "" for NaN."""
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        if value.is_integer() and abs(value) < _LARGEST_WHOLE:
            return str(int(value))
    return str(value)


def is_missing(value: object) -> bool:
    """Return whether a value stands for a missing cell: None, NaN, and those of pandas.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), 0, "")]
    [True, True, False, False]
    """
    if isinstance(value, float):
        return math.isnan(value)
    return type(value).__name__ in _MISSING_TYPES


def spelled(value: object) -> str | None:
    """Return a value as a word: empty if it is missing, None if it is no word.

    Examples
    --------
    >>> [spelled(value) for value in ("oak", 2.0, 2.5, True, None, date(2024, 5, 1), [])]
    ['oak', '2', '2.5', 'True', '', '2024-05-01', None]
    """
    if isinstance(value, str):
        return value
    if is_missing(value):
        return ""
    if isinstance(value, np.generic):
        value = of_numpy(value)
    if isinstance(value, bool | int | float):
        return _spelled_number(value)
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, datetime):
        at_midnight = value.time() == time() and value.tzinfo is None
        return value.date().isoformat() if at_midnight else value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    return None


def of_numpy(values: np.generic | Array) -> Any:
    """Return a value, or an array, of NumPy as values of Python: dates as such in any unit.

    Examples
    --------
    >>> of_numpy(np.float32(0.5)), of_numpy(np.array(["2024-05-01"], "datetime64[ns]"))
    (0.5, [datetime.datetime(2024, 5, 1, 0, 0)])
    """
    if values.dtype.kind in "mM" and values.dtype.name.endswith("[ns]"):
        values = values.astype(f"{values.dtype.kind}8[us]")  # nanoseconds would be whole numbers
    return values.tolist()


_MAYBE_WORDS, _PLAIN_FLOATS = {str, type(None), float}, {float, type(None)}
_PLAIN_NUMBERS = {int, float, bool}
_NUMBER_TYPES = (int, float, bool, Decimal, np.number, np.bool_)


def cells_of_values(column: ColumnName, values: list[Any]) -> Cells:
    """Return the cells of a list of Python's values.

    Words among numbers make all cells words. A column without any value has numbers.

    Examples
    --------
    >>> cells_of_values(ColumnName("X", "x"), [1, None, 2.5]).numbers().tolist()
    [1.0, nan, 2.5]
    >>> cells_of_values(ColumnName("X", "x"), [1, "b"]).words().words
    ['1', 'b']
    """
    types = set(map(type, values))
    if str in types and types <= _MAYBE_WORDS and _are_words(values, types):
        return _checked(column, encode_words(values))
    if types <= _PLAIN_FLOATS:
        return NumberCells(np.array(values, np.float64))  # None becomes NaN
    missing = np.array([is_missing(value) for value in values], np.bool_)
    types = {type(value) for value, gone in zip(values, missing, strict=True) if not gone}
    if any(issubclass(one, int) for one in types):
        _check_fits(column, values)
    if all(issubclass(one, _NUMBER_TYPES) for one in types):
        return NumberCells(_number_array(values, missing, types), missing)
    if all(issubclass(one, (str, *_NUMBER_TYPES)) for one in types):
        return _checked(column, encode_values(values))
    other = next(one for one in types if not issubclass(one, (str, *_NUMBER_TYPES)))
    return OtherCells(values, f"values of the type {other.__name__}")


def _are_words(values: list[Any], types: set[type]) -> bool:
    """Return whether values are words or missing: no number among them."""
    return float not in types or not any(type(v) is float and v == v for v in values)


def _number_array(values: list[Any], missing: NDArray[np.bool_], types: set[type]) -> Array:
    """Return numbers as an array that holds each exactly, 0 where they are missing."""
    plain = [0 if gone else value for value, gone in zip(values, missing, strict=True)]
    if not types <= _PLAIN_NUMBERS:
        plain = [*map(_plain, plain)]
    truths = sum(issubclass(one, bool | np.bool_) for one in types)
    if truths:
        return np.array(plain, np.bool_ if truths == len(types) else object)
    integers = [value for value in plain if isinstance(value, int)]
    largest = max(map(abs, integers), default=0)
    if len(integers) < len(plain):
        return np.array(plain, np.float64 if largest <= _LARGEST_EXACT else object)
    return np.array(plain, np.int64 if largest < _LARGEST_WHOLE else object)


def _plain(value: Any) -> bool | int | float:
    """Return a number as one of Python: decimals as whole numbers or the nearest float."""
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, np.bool_ | np.integer):
        return bool(value) if isinstance(value, np.bool_) else int(value)
    number = float(value)
    is_large = isinstance(value, Decimal) and _LARGEST_EXACT < abs(number) < math.inf
    return int(value) if is_large and value == value.to_integral_value() else number


def _check_fits(column: ColumnName, values: list[Any]) -> None:
    """Refuse whole numbers beyond float64."""
    for row, value in enumerate(values):
        if isinstance(value, int) and abs(value) > sys.float_info.max:
            problem = "found a whole number, expected one that fits a float64."
            raise column.error(row, problem)


def _checked(column: ColumnName, cells: WordCells) -> WordCells:
    check_words(column, cells)
    return cells


def check_words(column: ColumnName, cells: WordCells) -> None:
    r"""Refuse words that are no text: with unpaired surrogates.

    Examples
    --------
    >>> check_words(ColumnName("X", "a"), encode_words(["\ud800"]))
    Traceback (most recent call last):
    rosenblatt.streams.core.errors.DataError: X: column 'a', row 0 (from 0): found '\ud800', ...
    """
    try:
        "".join(cells.distinct).encode()
    except UnicodeEncodeError:
        for code, word in enumerate(cells.distinct):
            try:
                word.encode()
            except UnicodeEncodeError:
                row = int(np.argmax(cells.codes == code))
                raise column.error(row, f"found {word!a:.60}, expected text.") from None
