"""Columns in the paths of files, ``day=2026-11-01/country=CH/a.parquet``: partition columns."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np

from rosenblatt.engine.text.categories import CategoryColumn
from rosenblatt.engine.text.delimited import Parsed
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.missing import FILL_IN
from rosenblatt.streams.core.options import WILDCARD, ReadOptions
from rosenblatt.streams.features.dates import infer_date
from rosenblatt.streams.features.labels import NUMBER
from rosenblatt.streams.io.paths import ListedFile, path_of

MISSING = "__HIVE_DEFAULT_PARTITION__"
"""The value of a missing cell, as Hive, Spark, Dask and pandas write it."""

_INTEGER = re.compile("[+-]?[0-9]{1,18}")
_END = re.compile(rb"(?m)(?<=[^\s{])[ \t]*\}[ \t\r]*$")  # of an object that has keys
_EMPTY = re.compile(rb"(?m)^[ \t]*\{[ \t]*\}[ \t\r]*$")


def kinds_of_partitions(files: Sequence[ListedFile]) -> dict[str, str]:
    """Return the columns in the paths of the files of folders, and their kinds.

    They are the names ``key=value`` below the folder, and at the end of its own path. A column is
    of numbers if all its values are; of dates, or times, as a column of text is; else of
    categories.

    Parameters
    ----------
    files : sequence of ListedFile
        Those that are named themselves have no such columns.

    Raises
    ------
    DataError
        A file of a folder has other columns in its path than the first, or one twice.

    Examples
    --------
    >>> files = [ListedFile(f"pq/day={day}/part.csv", "pq") for day in ("7", MISSING)]
    >>> kinds_of_partitions([*files, ListedFile("b=2/a.csv")])
    {'day': 'number'}
    """
    values: dict[str, dict[str, None]] = {}
    first: tuple[list[str], str] | None = None
    for file in files:
        if not file.folder:
            continue
        pairs = list(_pairs_below(file))
        keys = [key for key, _ in pairs]
        if len(set(keys)) < len(keys):
            raise DataError(file.name, "has a column twice in its path: rename one folder.")
        first = first or (keys, file.name)
        if set(keys) != set(first[0]):
            problem = f"its path has {_listed(keys)}, but that of {first[1]} {_listed(first[0])}"
            raise DataError(file.name, f"{problem}: read them separately.")
        for key, value in pairs:
            values.setdefault(key, {})[value] = None
    return {key: _kind([word for word in words if word]) for key, words in values.items()}


def _listed(keys: list[str]) -> str:
    return f"the columns {', '.join(keys)}" if keys else "no columns"


def _kind(words: list[str]) -> str:
    if words and all(map(NUMBER.fullmatch, words)):
        return "number"
    return infer_date(words) or "category"


def _pairs_below(file: ListedFile) -> Iterator[tuple[str, str]]:
    own = _names(file.folder)
    start = len(own)
    while start and _pair(own[start - 1]):
        start -= 1
    return filter(None, map(_pair, _names(file.name)[start:-1]))


def _names(path: str) -> list[str]:
    return [name for name in path.replace(os.sep, "/").split("/") if name not in ("", ".")]


def _pair(name: str) -> tuple[str, str] | None:
    """Return the column and the value that the name of a folder has; empty for a missing one."""
    key, equals, value = name.partition("=")
    if not (key and equals):
        return None
    return unquote(key), "" if value == MISSING else unquote(value)


class Partition(NamedTuple):
    """Words of one file in the columns of its path; a missing cell is an empty word.

    Parameters
    ----------
    source : str
        The file as error messages name it.
    added : dict
        The columns that the file itself lacks.
    shared : dict
        The columns that the file has, too.
    kinds : dict
        The kinds of the added columns, if no schema says others.
    numeric : tuple of str
        The added columns whose cells are numbers.
    missing : tuple of str
        Spellings of a missing number; empty where it is an error.

    Examples
    --------
    >>> options = ReadOptions(partitions={"day": "number", "y": "category"})
    >>> partition = Partition.of("pq/day=7/y=a/a.csv", options, ["x", "y"])
    >>> partition.added, partition.shared, partition.number("day")
    ({'day': '7'}, {'y': 'a'}, 7.0)
    """

    source: str
    added: dict[str, str]
    shared: dict[str, str]
    kinds: dict[str, str]
    numeric: tuple[str, ...]
    missing: tuple[str, ...]

    @classmethod
    def of(cls, source: str, options: ReadOptions, names: Iterable[str]) -> Partition:
        """Return the words that the path of a file has for the columns ``options.partitions``.

        Parameters
        ----------
        source : str
        options : ReadOptions
        names : iterable of str
            The columns of the file.
        """
        kinds, schema, imputer = options.partitions or {}, options.schema or {}, options.imputer
        pairs = map(_pair, _names(path_of(source))[:-1]) if kinds else ()
        words = {pair[0]: pair[1] for pair in pairs if pair is not None and pair[0] in kinds}
        own = set(names)
        added = {key: word for key, word in words.items() if key not in own}
        shared = {key: word for key, word in words.items() if key in own}
        numeric = [
            key
            for key in added
            if schema.get(key, schema.get(WILDCARD, kinds[key])) in ("number", "weight")
        ]
        missing = () if imputer is None else imputer.spellings
        return cls(
            source, added, shared, {key: kinds[key] for key in added}, tuple(numeric), missing
        )

    def number(self, name: str) -> float:
        """Return the number in an added column, NaN for a missing one.

        Raises
        ------
        DataError
            The path has no finite number.
        """
        word = self.added[name]
        if word in self.missing:
            return math.nan
        if NUMBER.fullmatch(word) and math.isfinite(float(word)):
            return float(word)
        shown = repr(word) if word else "nothing"
        problem = f"column {name!r}: found {shown} in its path, expected a finite number"
        raise DataError(self.source, f"{problem}." if word else f"{problem}; {FILL_IN}.")

    def cells(self) -> dict[str, float | str | None]:
        """Return the added cells as values of JSON; a missing one is None."""
        return {name: self._cell(name) for name in self.added}

    def _cell(self, name: str) -> float | str | None:
        if name not in self.numeric:
            return self.added[name] or None
        word = self.added[name]
        number = None if word in ("", *self.missing) else self.number(name)
        return int(word) if number is not None and _INTEGER.fullmatch(word) else number

    def with_keys(self, text: bytes) -> bytes:
        r"""Return lines of JSON with the added cells as their last keys.

        Examples
        --------
        >>> options = ReadOptions(partitions={"day": "number"})
        >>> partition = Partition.of("day=7/a.jsonl", options, [])
        >>> partition.with_keys(b'{"x": {"z": 1}}\n{ }\n')
        b'{"x": {"z": 1},"day": 7}\n{"day": 7}\n'
        """
        if not self.added:
            return text
        pairs = json.dumps(self.cells())[1:-1].encode().replace(b"\\", rb"\\")
        return _EMPTY.sub(b"{" + pairs + b"}", _END.sub(b"," + pairs + b"}", text))

    def check_words(self, name: str, words: Iterable[str | None]) -> None:
        """Refuse cells of the file that are not those of its path.

        Parameters
        ----------
        name : str
            A column.
        words : iterable of str or None
            Its distinct cells.

        Raises
        ------
        DataError
        """
        if name not in self.shared:
            return
        expected = self.shared[name]
        for word in ("" if word is None else word for word in words):
            if word != expected and not _are_equal(word, expected):
                problem = f"column {name!r}: found {word!r}, but its folder says {expected!r}"
                raise DataError(self.source, f"{problem}: rename the folder, or the column.")

    def check(self, parsed: Parsed, numbers: list[str], words: list[str]) -> None:
        """Refuse records whose cells are not those of the path, as :meth:`check_words` does.

        Parameters
        ----------
        parsed : Parsed
        numbers, words : list of str
            Its columns.
        """
        for name in self.shared:
            if name in numbers:
                cells = np.unique(parsed.numbers[:, numbers.index(name)]).tolist()
                self.check_words(name, ["" if math.isnan(x) else repr(x) for x in cells])
            elif name in words:
                self.check_words(name, parsed.words[words.index(name)].words)

    def complete(self, parsed: Parsed, numbers: list[str], words: list[str]) -> Parsed:
        """Return records with the columns of the path.

        Parameters
        ----------
        parsed : Parsed
            The columns of the file, in these orders.
        numbers, words : list of str
            All columns of numbers and of words.
        """
        if not self.added:
            return parsed
        rows = len(parsed.starts)
        places = np.array([k for k, name in enumerate(numbers) if name not in self.added], int)
        X = np.empty((rows, len(numbers)))
        X[:, places] = parsed.numbers
        for k, name in enumerate(numbers):
            if name in self.added:
                X[:, k] = self.number(name)
        own = iter(parsed.words)
        columns = [
            CategoryColumn(np.zeros(rows, np.int32), [self.added[name]])
            if name in self.added
            else next(own)
            for name in words
        ]
        long = parsed.long._replace(columns=places[parsed.long.columns])
        return parsed._replace(numbers=X, words=columns, long=long)


def _are_equal(word: str, other: str) -> bool:
    return all(map(NUMBER.fullmatch, (word, other))) and float(word) == float(other)
