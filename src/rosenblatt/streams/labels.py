"""Labels of a table as they come: whole numbers, numbers or text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.streams.errors import DataError

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_LONG = re.compile(r"[+-]?[0-9]{19,}")


class Labels:
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
    >>> labels = Labels("a.csv", "y")
    >>> labels.read(["1", "-1"], [2, 3])
    array([ 1, -1])
    >>> labels.read(["0.5"], [4])
    array([0.5])
    """

    def __init__(self, source: str, target: str) -> None:
        self._source, self._target = source, target
        self._kind: type | None = None

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
        places = {word: place for place, word in enumerate(dict.fromkeys(words))}
        codes = np.array([places[word] for word in words], np.int32)
        return self.of(list(places), codes, lines.__getitem__)

    def of(
        self, words: list[str], codes: NDArray[np.int32], line_of: Callable[[int], int]
    ) -> NDArray[Any]:
        """The labels of one batch, where equal ones have one code.

        Parameters
        ----------
        words : list of str
            The distinct labels as written.
        codes : int32 array of shape (rows,)
            The place of each row's label among them.
        line_of : callable
            ``line_of(row)`` is the line of a row, for error messages.

        Raises
        ------
        DataError
            As :meth:`read`.
        """
        words = [word.strip() for word in words]
        kinds = [_kind(word) for word in words]
        for place, (word, kind) in enumerate(zip(words, kinds, strict=True)):
            if kind is None or (kind is str and self._kind in (int, float)):
                reason = "but all labels before are numbers: labels of mixed types."
                reason = "expected a label." if kind is None else reason
                raise self._error(line_of(int(np.argmax(codes == place))), word, reason)
        widths = [_KINDS.index(kind) for kind in (self._kind, *kinds) if kind is not None]
        self._kind = kind = _KINDS[max(widths)]
        labels: NDArray[Any] = np.array([kind(word) for word in words])[codes]
        return labels

    def _error(self, line: int, word: str, reason: str) -> DataError:
        found = f"found {word!r}" if word else "found nothing"
        return DataError(self._source, line, None, f"column {self._target!r}: {found}, {reason}")


class WholeLabels:
    """Labels as int64 as long as all so far are whole numbers that a float64 holds, then float64.

    Examples
    --------
    >>> labels = WholeLabels()
    >>> labels.of(np.array([1.0])), labels.of(np.array([0.5])), labels.of(np.array([1.0]))
    (array([1]), array([0.5]), array([1.]))
    """

    def __init__(self) -> None:
        self._whole = True

    def of(self, y: NDArray[Any]) -> NDArray[Any]:
        """The next labels, floats."""
        whole = (y == np.floor(y)) & (np.abs(y) <= _LARGEST_WHOLE)
        self._whole = self._whole and bool(np.all(whole))
        return y.astype(np.int64 if self._whole else np.float64, copy=False)


_LARGEST_WHOLE = 2**53
_KINDS: tuple[type, ...] = (int, float, str)  # the wider, the later


def _kind(word: str) -> type | None:
    """What the label is; None where it is none."""
    if _WHOLE.fullmatch(word):
        return int
    if not word or NOT_FINITE.fullmatch(word):
        return None
    if NUMBER.fullmatch(word) and not _LONG.fullmatch(word):
        return float if math.isfinite(float(word)) else None
    return str
