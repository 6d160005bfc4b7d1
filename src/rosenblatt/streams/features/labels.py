"""Labels of a stream, as integers, floats or text; sample weights; and ids of rows."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.streams.core.errors import DataError
from rosenblatt.utils.arrays import Array, NDArray

NUMBER = re.compile(r"[+-]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
WITH_COMMAS = re.compile(
    r"[+-]?[0-9]+(,[0-9]{3})*(\.[0-9]*)?"
    r"|[+-]?([0-9]+(\.[0-9]{3})*)?,[0-9]+([eE][+-]?[0-9]+)?"
)
"""Numbers with separators of thousands, or with a comma as the decimal point."""
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_LONG_INTEGER = re.compile(r"[+-]?[0-9]{19,}")

EXPECTED_WEIGHT = "expected a weight: a finite number of 0 or more."


def is_encodable(word: str) -> bool:
    r"""Return whether a word is text in UTF-8 without NUL.

    Examples
    --------
    >>> [is_encodable(word) for word in ("é", "a\0b", "\ud800")]
    [True, False, False]
    """
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in word


class LabelReader:
    """Conversion of the words of a label column to arrays of one type for the whole stream.

    The first batch decides: integers if all its labels are integers, else floats if all are
    numbers, else text. Integers become floats from the first batch with other numbers on; text
    after batches of numbers is an error. Blanks around a label are ignored; an integer of more than
    18 digits is a name, that is, text.

    Parameters
    ----------
    source : str
    target : str
        The name of the column, for error messages.
    missing : sequence of str, default none
        Spellings of a missing cell, which are no labels.

    Examples
    --------
    >>> labels = LabelReader("a.csv", "y")
    >>> labels.read(["1", "-1"], [2, 3])
    array([ 1, -1])
    >>> labels.read(["0.5"], [4])
    array([0.5])
    """

    def __init__(self, source: str, target: str, missing: Sequence[str] = ()) -> None:
        self._source, self._target, self._missing = source, target, missing
        self._type: type | None = None

    def read(self, words: list[str], lines: list[int]) -> Array:
        """Convert the labels of one batch.

        Parameters
        ----------
        words, lines : list
            The labels as written, and the line of each.

        Raises
        ------
        DataError
            A label is missing or not finite, or is text after batches of numbers.
        """
        codes = {word: code for code, word in enumerate(dict.fromkeys(words))}
        first = dict(zip(reversed(words), reversed(lines), strict=True))
        for word in codes:
            self.check(word, first[word])
        return self.decode(list(codes), np.array([codes[word] for word in words], np.int32))

    def decode(self, words: list[str], codes: NDArray[np.int32]) -> Array:
        """Return the labels of one batch, categorically encoded.

        Parameters
        ----------
        words : list of str
            The distinct labels as written, none with a :meth:`problem`.
        codes : int32 array of shape (rows,)
            The index of each row's label in ``words``.
        """
        words = [word.strip() for word in words]
        types = [self._type, *map(_type_of, words)]
        self._type = label_type = max(
            (candidate for candidate in types if candidate is not None), key=_TYPES.index
        )
        labels: Array = np.array([label_type(word) for word in words])[codes]
        return labels

    def check(self, word: str, line: int) -> None:
        """Refuse a word that is no label of this stream.

        Raises
        ------
        DataError
            As :meth:`read`.
        """
        if (problem := self.problem(word)) is not None:
            raise DataError(self._source, problem, line)

    def problem(self, word: str) -> str | None:
        """Return the problem of a label, or None."""
        word = word.strip()
        kind = _type_of(word)
        problem = f"column {self._target!r}: found {repr(word) if word else 'nothing'}"
        if kind is None or word in self._missing:
            return f"{problem}, expected a label."
        if kind is str and self._type in (int, float):
            return f"{problem}, but all labels before are numbers: labels of mixed types."
        return None


class NumericLabels:
    """Labels as int64 while all so far are integers that float64 represents, then as float64.

    Examples
    --------
    >>> labels = NumericLabels()
    >>> [labels.convert(np.array([y])) for y in (1.0, 0.5, 1.0)]
    [array([1]), array([0.5]), array([1.])]
    """

    def __init__(self) -> None:
        self._integral = True

    def convert(self, y: Array) -> Array:
        """Convert the labels of the next batch, floats."""
        y = y.astype(np.float64, copy=False)  # 2^53 is beyond half precision
        integral = (y == np.floor(y)) & (np.abs(y) <= _MAX_EXACT_INTEGER)
        self._integral = self._integral and bool(np.all(integral))
        return y.astype(np.int64 if self._integral else np.float64, copy=False)


_MAX_EXACT_INTEGER = 2**53
_TYPES: tuple[type, ...] = (int, float, str)  # in the order of generality


def _type_of(word: str) -> type | None:
    """Return the type of a label; None if the word is no label."""
    if _INTEGER.fullmatch(word):
        return int
    if not word or NOT_FINITE.fullmatch(word):
        return None
    if NUMBER.fullmatch(word) and not _LONG_INTEGER.fullmatch(word):
        return float if math.isfinite(float(word)) else None
    return str


# --- weights and ids -----------------------------------------------------------------------------


def is_weight(value: Any) -> bool:
    """Return whether a value is a finite number of 0 or more.

    Examples
    --------
    >>> [is_weight(value) for value in (0, 2.5, -1, float("nan"), 10**400, "1", True)]
    [True, True, False, False, False, False, False]
    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= value <= sys.float_info.max


def weights_or_none(weights: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the weights of a batch; None if all are 1.

    Examples
    --------
    >>> weights_or_none(np.array([1.0, 2.0])), weights_or_none(np.array([1.0, 1.0]))
    (array([1., 2.]), None)
    """
    return None if np.all(weights == 1.0) else weights


def ids_or_none(ids: Sequence[str | int]) -> NDArray[np.object_] | None:
    """Return the ids of a batch; None if no row has one.

    Examples
    --------
    >>> ids_or_none(["a", "", 7]), ids_or_none(["", ""])
    (array(['a', '', 7], dtype=object), None)
    """
    return np.array(ids, dtype=object) if any(id != "" for id in ids) else None
