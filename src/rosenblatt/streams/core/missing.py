"""Missing cells of a table: their spellings, and the numbers that stand in for them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.streams.core.errors import DataError

POLICIES = ("mean", "zero", "indicator")
"""The values of the option ``impute``."""

SPELLINGS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")
"""The usual spellings of a missing cell."""

_Totals = dict[str, tuple[int, float]]
"""The count and the sum of the numbers of each column so far."""


class Imputer:
    """Replacement of the missing numbers of a table, in one pass.

    ``mean`` is the mean of the column in the rows before, 0 before the first number; ``zero`` is 0;
    ``indicator`` is 0, and a feature ``column is missing`` of value 1. Sums are taken row by row,
    so that the numbers do not depend on how the rows are cut into batches.

    Several files share one imputer. Each pass over a table starts with the totals of its first
    pass, so that every pass yields the same rows.

    Parameters
    ----------
    policy : {"mean", "zero", "indicator"}
    missing : sequence of str
        Spellings of a missing cell besides the usual ones. One that is a number stands for all
        cells of this value: ``-999`` also for ``-999.0``.
    means : dict, optional
        The mean of each column, as :meth:`noted` returns it. They replace the means so far; a
        column without one has the mean 0.

    Attributes
    ----------
    policy : str
    spellings : tuple of str
        All spellings of a missing cell.

    Examples
    --------
    >>> numbers = np.array([[1.0], [np.nan], [4.0], [np.nan]])
    >>> imputer = Imputer("mean")
    >>> imputer.fill("a.csv", ["x"], numbers).ravel().tolist()
    [False, True, False, True]
    >>> numbers.ravel().tolist(), imputer.noted()["means"]
    ([1.0, 1.0, 4.0, 2.5], {'x': 2.5})
    """

    def __init__(
        self, policy: str, missing: Sequence[str] = (), means: dict[str, float] | None = None
    ) -> None:
        self.policy, self._missing, self._means = policy, tuple(missing), means
        self.spellings = tuple(dict.fromkeys((*SPELLINGS, *missing)))
        self._numbers = _finite_numbers(missing)
        self._totals: _Totals = {}
        self._rows = self._most_rows = 0
        self._latest: _Totals = {}  # of the longest pass so far

    def begin(self, start: tuple[int, _Totals] | None) -> tuple[int, _Totals]:
        """Begin a pass over one table.

        Parameters
        ----------
        start : tuple or None
            What this method returned for the first pass; None in the first pass.
        """
        self._rows, self._totals = start or (self._rows, self._totals)
        return self._rows, self._totals

    def fill(
        self, source: str, names: list[str], numbers: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Replace the missing numbers of the next rows, which are NaN; return where they were.

        Parameters
        ----------
        source : str
            The table as error messages name it.
        names : list of str
            The columns.
        numbers : float64 array of shape (rows, columns)
            It is changed.

        Raises
        ------
        DataError
            A mean overflows float64.
        """
        for number in self._numbers:
            numbers[numbers == number] = np.nan
        missing = np.isnan(numbers)
        if self.policy != "mean":
            numbers[missing] = 0.0
        elif self._means is not None:
            means = np.array([self._means.get(name, 0.0) for name in names])
            numbers[missing] = np.broadcast_to(means, numbers.shape)[missing]
        else:
            numbers[missing] = self._means_before(names, numbers, missing)[missing]
            if not np.isfinite(numbers).all():
                name = names[int(np.argmin(np.isfinite(numbers).all(axis=0)))]
                problem = f"column {name!r}: its mean overflows float64: scale the column down."
                raise DataError(source, problem)
        return missing

    def _means_before(
        self, names: list[str], numbers: NDArray[np.float64], missing: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return the means of the rows before each row, and add the rows to the totals."""
        start = [self._totals.get(name, (0, 0.0)) for name in names]
        terms = np.vstack([[total for _, total in start], np.where(missing, 0.0, numbers)])
        present = np.vstack([[count for count, _ in start], ~missing])
        with np.errstate(over="ignore", invalid="ignore"):
            sums, counts = np.cumsum(terms, axis=0), np.cumsum(present, axis=0)
            means: NDArray[np.float64] = sums[:-1] / np.maximum(counts[:-1], 1)
        last = zip(counts[-1].tolist(), sums[-1].tolist(), strict=True)
        self._totals = self._totals | dict(zip(names, last, strict=True))
        self._rows += len(numbers)
        if self._rows >= self._most_rows:
            self._most_rows, self._latest = self._rows, self._totals
        return means

    def describe(self) -> str:
        """Describe the policy in one line.

        Examples
        --------
        >>> Imputer("zero", ["-"]).describe()
        'empty, NA, N/A, NaN, nan, null, NULL, ?, - read as 0'
        """
        means = "the mean of the column so far" if self._means is None else "the model's mean"
        values = {"mean": means, "zero": "0", "indicator": "0, with a feature 'COLUMN is missing'"}
        words = ", ".join(word or "empty" for word in self.spellings)
        return f"{words} read as {values[self.policy]}"

    def noted(self) -> dict[str, Any]:
        """Return the options that read new data alike: ``impute``, ``missing`` and ``means``."""
        noted: dict[str, Any] = {"impute": self.policy, "missing": self._missing}
        if self.policy == "mean":
            means = {name: total / max(count, 1) for name, (count, total) in self._latest.items()}
            noted["means"] = means if self._means is None else self._means
        return noted


def _finite_numbers(words: Sequence[str]) -> list[float]:
    numbers = []
    for word in words:
        with suppress(ValueError):
            numbers.append(float(word))
    return [number for number in numbers if math.isfinite(number)]


def missing_name(column: str) -> str:
    """Return the name of the feature of a missing cell.

    Examples
    --------
    >>> missing_name("age")
    'age is missing'
    """
    return f"{column} is missing"
