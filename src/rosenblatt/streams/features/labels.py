"""Labels of a table as they come: whole numbers, numbers or text."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.streams.core.errors import DataError

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_LONG_INTEGER = re.compile(r"[+-]?[0-9]{19,}")


class LabelReader:
    """Turns the words of a label column into an array, of the same kind for the whole stream.

    The first batch decides: whole numbers if all its labels are whole numbers, else numbers if all
    are numbers, else text. Whole numbers become floats from the first batch that has others on;
    a label that is no number, after labels that all were, is an error. Blanks around a label do
    not count; a whole number of more than 18 digits is a name, that is, text.

    Parameters
    ----------
    source : str
    target : str
        The name of the column, for error messages.

    Examples
    --------
    >>> labels = LabelReader("a.csv", "y")
    >>> labels.read(["1", "-1"], [2, 3])
    array([ 1, -1])
    >>> labels.read(["0.5"], [4])
    array([0.5])
    """

    def __init__(self, source: str, target: str) -> None:
        self._source, self._target = source, target
        self._type: type | None = None

    def read(self, words: list[str], lines: list[int]) -> NDArray[Any]:
        """The labels of one batch.

        Parameters
        ----------
        words, lines : list
            The labels as written, and the line of each.

        Raises
        ------
        DataError
            A label is missing or not finite, or is no number after labels that all were.
        """
        codes = {word: code for code, word in enumerate(dict.fromkeys(words))}
        first = dict(zip(reversed(words), reversed(lines), strict=True))
        for word in codes:
            self.check(word, first[word])
        return self.of(list(codes), np.array([codes[word] for word in words], np.int32))

    def of(self, words: list[str], codes: NDArray[np.int32]) -> NDArray[Any]:
        """The labels of one batch, where equal ones have one code.

        Parameters
        ----------
        words : list of str
            The distinct labels as written, none with a :meth:`problem`.
        codes : int32 array of shape (rows,)
            The place of each row's label among them.
        """
        words = [word.strip() for word in words]
        types = [self._type, *map(_type_of, words)]
        self._type = label_type = max(
            (candidate for candidate in types if candidate is not None), key=_TYPES.index
        )
        labels: NDArray[Any] = np.array([label_type(word) for word in words])[codes]
        return labels

    def check(self, word: str, line: int) -> None:
        """Refuse what is no label of the stream.

        Raises
        ------
        DataError
            As :meth:`read`.
        """
        if (problem := self.problem(word)) is not None:
            raise DataError(self._source, problem, line)

    def problem(self, word: str) -> str | None:
        """What is wrong with a label; None where nothing is."""
        word = word.strip()
        kind = _type_of(word)
        problem = f"column {self._target!r}: found {repr(word) if word else 'nothing'}"
        if kind is None:
            return f"{problem}, expected a label."
        if kind is str and self._type in (int, float):
            return f"{problem}, but all labels before are numbers: labels of mixed types."
        return None


class NumericLabels:
    """Labels as int64 as long as all so far are whole numbers that a float64 holds, then float64.

    Examples
    --------
    >>> labels = NumericLabels()
    >>> labels.of(np.array([1.0])), labels.of(np.array([0.5])), labels.of(np.array([1.0]))
    (array([1]), array([0.5]), array([1.]))
    """

    def __init__(self) -> None:
        self._integral = True

    def of(self, y: NDArray[Any]) -> NDArray[Any]:
        """The next labels, floats."""
        integral = (y == np.floor(y)) & (np.abs(y) <= _MAX_EXACT_INTEGER)
        self._integral = self._integral and bool(np.all(integral))
        return y.astype(np.int64 if self._integral else np.float64, copy=False)


_MAX_EXACT_INTEGER = 2**53
_TYPES: tuple[type, ...] = (int, float, str)  # the wider, the later


def _type_of(word: str) -> type | None:
    """What the label is; None where it is none."""
    if _INTEGER.fullmatch(word):
        return int
    if not word or NOT_FINITE.fullmatch(word):
        return None
    if NUMBER.fullmatch(word) and not _LONG_INTEGER.fullmatch(word):
        return float if math.isfinite(float(word)) else None
    return str
