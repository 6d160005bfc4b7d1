"""Missing cells of a source: their spellings, their number, and the numbers in their place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rosenblatt.engine.text.delimited import SPELLINGS
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.notes import Notes
from rosenblatt.utils.arrays import NDArray

if TYPE_CHECKING:
    from rosenblatt.engine.text.categories import CategoryColumn

POLICIES = ("mean", "zero", "indicator")
"""The values of the option ``impute``."""

_MAX_COLUMNS = 8  # in a description

FILL_IN = "--impute mean (or zero, indicator) fills in missing cells"
"""The remedy, in messages on a missing cell."""

FILL_IN_ROWS = "impute='mean' (or 'zero', 'indicator') fills in missing cells"
"""The remedy, in messages on rows in memory."""


class _Tally(NamedTuple):
    """Counts of a pass so far.

    Parameters
    ----------
    rows : int
    totals : dict
        The count and the sum of the numbers of each column.
    missing : dict
        The number of missing cells of each column.
    """

    rows: int
    totals: dict[str, tuple[int, float]]
    missing: dict[str, int]

    def copy(self) -> _Tally:
        return _Tally(self.rows, dict(self.totals), dict(self.missing))


class Imputer:
    """Replacement of the missing numbers of a source, in one pass.

    ``mean`` is the mean of the column in the rows before, 0 before the first number; ``zero`` is 0;
    ``indicator`` is 0, and a feature ``column is missing`` of value 1. Sums are taken row by row,
    so that the numbers do not depend on how the rows are cut into batches, nor on the format.

    Several files share one imputer. Each pass over a file starts with the tally of its first pass,
    so that every pass yields the same rows.

    Parameters
    ----------
    policy : {"mean", "zero", "indicator"}
    missing : sequence of str
        Spellings of a missing cell besides the usual ones. One that is a number stands for all
        cells of this value: ``-999`` also for ``-999.0``.
    means : dict, optional
        The mean of each column, as :meth:`noted` returns it. They replace the means so far; a
        column without one has the mean 0.
    totals : mapping, optional
        The count and the sum of the numbers of each column in rows before the first, as
        :meth:`noted` returns them: the means go on from there.
    missing_category : bool, default False
        Whether a missing category is a feature under every policy; for descriptions.

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
    >>> numbers.ravel().tolist(), imputer.noted()["means"], imputer.counts
    ([1.0, 1.0, 4.0, 2.5], {'x': 2.5}, {'x': 2})
    """

    def __init__(
        self,
        policy: str,
        missing: Sequence[str] = (),
        means: dict[str, float] | None = None,
        missing_category: bool = False,
        totals: Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        self.policy, self._missing, self._means = policy, tuple(missing), means
        self._missing_category = missing_category
        self.spellings = tuple(dict.fromkeys((*SPELLINGS, *missing)))
        self._numbers = finite_numbers(missing)
        before = {name: (int(count), total) for name, (count, total) in (totals or {}).items()}
        self._tally = self._longest = _Tally(0, before, {})

    def begin(self, start: _Tally | None) -> _Tally:
        """Begin a pass over one file.

        Parameters
        ----------
        start : tally or None
            What this method returned for the first pass; None in the first pass.
        """
        start = start or self._tally
        self._tally = start.copy()
        return start

    def tallies(self) -> tuple[_Tally, _Tally]:
        """Return the counts so far, which :meth:`restore` takes."""
        return self._tally.copy(), self._longest.copy()

    def restore(self, tallies: tuple[_Tally, _Tally]) -> None:
        """Go back to earlier counts."""
        self._tally, self._longest = tallies

    def go_on(self, totals: Mapping[str, Sequence[float]]) -> None:
        """Take over the count and the sum of each column after rows that another imputer filled."""
        after = {name: (int(count), total) for name, (count, total) in totals.items()}
        self._tally = self._longest = self._tally._replace(totals=after)

    def _count(self, rows: int, missing: Iterable[tuple[str, int]]) -> None:
        """Count rows, and the missing cells of columns."""
        for name, number in missing:
            if number:
                self._tally.missing[name] = self._tally.missing.get(name, 0) + number
        self._tally = self._tally._replace(rows=self._tally.rows + rows)
        if self._tally.rows >= self._longest.rows:
            self._longest = self._tally

    # --- rows of a table -------------------------------------------------------------------------

    def is_missing(self, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which numbers spell a missing cell."""
        return np.isin(numbers, list(self._numbers))

    def fill(
        self,
        source: str,
        names: list[str],
        numbers: NDArray[np.float64],
        words: Mapping[str, CategoryColumn] | None = None,
    ) -> NDArray[np.bool_]:
        """Replace the missing numbers of the next rows, which are NaN; return where they were.

        Parameters
        ----------
        source : str
            The table as error messages name it.
        names : list of str
            The columns of numbers.
        numbers : float64 array of shape (rows, columns)
            It is changed.
        words : mapping, optional
            The columns of categories and texts, whose missing cells are counted.

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
            numbers[missing] = self._means_before(names, numbers, missing)
            if not np.isfinite(numbers).all():
                name = names[int(np.argmin(np.isfinite(numbers).all(axis=0)))]
                raise _overflow(source, name)
        counts = [*zip(names, missing.sum(axis=0).tolist(), strict=True)]
        counts += [(name, self._count_words(*column)) for name, column in (words or {}).items()]
        self._count(len(numbers), counts)
        return missing

    def _means_before(
        self, names: list[str], numbers: NDArray[np.float64], missing: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return the mean of the rows before each missing number; add all rows to the totals."""
        totals = self._tally.totals
        start = [totals.get(name, (0, 0.0)) for name in names]
        terms = np.vstack([[total for _, total in start], np.where(missing, 0.0, numbers)])
        present = np.vstack([[count for count, _ in start], ~missing])
        with np.errstate(over="ignore", invalid="ignore"):
            sums, counts = np.cumsum(terms, axis=0, out=terms), np.cumsum(present, axis=0)
            means: NDArray[np.float64] = sums[:-1][missing] / np.maximum(counts[:-1][missing], 1)
        last = zip(counts[-1].tolist(), sums[-1].tolist(), strict=True)
        totals.update(zip(names, last, strict=True))
        return means

    def _count_words(self, codes: NDArray[np.int32], words: list[str]) -> int:
        is_missing = np.array([word in self.spellings for word in words], np.bool_)
        return int(np.count_nonzero(is_missing[codes]))

    # --- rows with names -------------------------------------------------------------------------

    def fill_row(
        self, source: str, features: dict[str, float], numbers: Sequence[str]
    ) -> dict[str, float]:
        """Return the features of the next row with its missing numbers, which are NaN, replaced.

        A missing cell of a name that had no number yet is no feature.

        Parameters
        ----------
        source : str
            The source as error messages name it.
        features : dict
            Numbers by name, in order.
        numbers : sequence of str
            The names that stand for numbers of the source, not for words.

        Raises
        ------
        DataError
            A mean overflows float64.

        Examples
        --------
        >>> imputer = Imputer("mean")
        >>> imputer.fill_row("a.jsonl", {"x": 3.0, "kind=oak": 1.0}, ["x"])
        {'x': 3.0, 'kind=oak': 1.0}
        >>> imputer.fill_row("a.jsonl", {"x": math.nan, "kind": math.nan}, ["x", "kind"])
        {'x': 3.0}
        """
        totals, missing = self._tally.totals, []
        for name in numbers:
            value = features[name]
            if math.isnan(value) or value in self._numbers:
                missing.append(name)
            elif self._means is None:
                count, total = totals.get(name, (0, 0.0))
                totals[name] = count + 1, total + value
        self._count(1, ((name, 1) for name in missing))
        return self._without_missing(source, features, missing) if missing else features

    def _without_missing(
        self, source: str, features: dict[str, float], missing: list[str]
    ) -> dict[str, float]:
        """Return features with replaced numbers; indicators of numbers are the last."""
        filled: dict[str, float] = {}
        last: dict[str, float] = {}
        for name, value in features.items():
            if name not in missing:
                filled[name] = value
            elif self.policy == "indicator":
                target = last if name in self._tally.totals else filled
                target[missing_name(name)] = 1.0
            elif self.policy == "mean" and (mean := self._mean_of(name)) is not None:
                if not math.isfinite(mean):
                    raise _overflow(source, name)
                filled[name] = mean
        return filled | last

    def _mean_of(self, name: str) -> float | None:
        """Return the mean of a column; None before its first number."""
        if self._means is not None:
            return self._means.get(name)
        count, total = self._tally.totals.get(name, (0, 0.0))
        return total / count if count else None

    # --- description -----------------------------------------------------------------------------

    @property
    def counts(self) -> dict[str, int]:
        """The number of missing cells of each column that has any, in the longest pass so far."""
        return dict(self._longest.missing)

    def describe(self, *, of_all_rows: bool = False) -> str:
        """Describe the policy in one line, for means so far or those of all rows.

        Examples
        --------
        >>> Imputer("zero", ["-"]).describe()
        'empty, NA, N/A, NaN, nan, null, NULL, ?, - read as 0'
        """
        are_of_all = of_all_rows or self._means is not None
        means = "the column's mean" if are_of_all else "the mean of the column so far"
        values = {"mean": means, "zero": "0", "indicator": "0, with a feature 'COLUMN is missing'"}
        words = ", ".join(word or "empty" for word in self.spellings)
        return f"{words} read as {values[self.policy]}"

    def describe_counts(self) -> str | None:
        """Describe the missing cells in one line; None if there are none.

        Examples
        --------
        >>> imputer = Imputer("mean")
        >>> _ = imputer.fill("a.csv", ["age", "pay"], np.array([[np.nan, 2.0], [3.0, np.nan]] * 2))
        >>> imputer.describe_counts()
        '4 missing cells: age 2, pay 2 (numbers read as the mean so far, categories left out)'
        """
        counts = sorted(self.counts.items(), key=lambda item: -item[1])
        if not counts:
            return None
        shown = ", ".join(f"{name} {number:,}" for name, number in counts[:_MAX_COLUMNS])
        more = len(counts) - _MAX_COLUMNS
        shown += f" and {more:,} more columns" if more > 0 else ""
        total = sum(self.counts.values())
        mean = "the mean so far" if self._means is None else "the column's mean"
        kind = "a feature 'COLUMN is missing'"
        categories = f"categories {kind if self._missing_category else 'left out'}"
        treatments = {
            "mean": f"numbers read as {mean}, {categories}",
            "zero": f"numbers read as 0, {categories}",
            "indicator": f"each {kind}",
        }
        noun = "missing cell" if total == 1 else "missing cells"
        return f"{total:,} {noun}: {shown} ({treatments[self.policy]})"

    def noted(self) -> Notes:
        """Return the options that read new data alike: ``impute``, ``missing`` and ``means``.

        Of running means there are ``totals``, too: the count and the sum of each column, exactly.

        Examples
        --------
        >>> imputer = Imputer("mean", totals={"x": [2, 3.0]})
        >>> _ = imputer.begin(None), imputer.fill("a.csv", ["x"], np.array([[6.0]]))
        >>> imputer.noted()["means"], imputer.noted()["totals"]
        ({'x': 3.0}, {'x': (3, 9.0)})
        """
        noted: Notes = {"impute": self.policy, "missing": self._missing}
        if self.policy == "mean":
            if self._means is not None:
                return noted | {"means": self._means}
            totals = dict(self._longest.totals)
            means = {name: total / max(count, 1) for name, (count, total) in totals.items()}
            noted |= {"means": means, "totals": totals}
        return noted


def _overflow(source: str, name: str) -> DataError:
    problem = f"column {name!r}: its mean overflows float64: scale the column down."
    return DataError(source, problem)


def finite_numbers(words: Sequence[str]) -> list[float]:
    """Return the words that are finite numbers.

    Examples
    --------
    >>> finite_numbers(["-999", "none", "inf"])
    [-999.0]
    """
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
