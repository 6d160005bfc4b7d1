"""Encoding of numbers, categories and texts as sparse rows: by name, or hashed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np

from rosenblatt.engine.text.categories import CategoryColumn, ColumnMap, assemble_rows
from rosenblatt.engine.text.crossing import split_interaction
from rosenblatt.engine.text.hashing import murmur3_many, sort_and_sum
from rosenblatt.streams.core.batch import CSRArrays, csr, first_occurrences
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.missing import missing_name
from rosenblatt.streams.core.options import DATE_KINDS, DEFAULT_BITS, FEATURE_KINDS, ReadOptions
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.features.dates import PARTS, YEARS, Moment, date_fault, parse_date
from rosenblatt.streams.features.hashing_encoder import HashingEncoder
from rosenblatt.streams.features.ngrams import DEFAULT_NGRAMS
from rosenblatt.streams.features.schema import (
    column_of_kind,
    columns_of_kind,
    in_group,
    unknown_column,
)
from rosenblatt.streams.features.vocabulary import Vocabulary
from rosenblatt.utils.arrays import Array, NDArray


class Filled(NamedTuple):
    """Numbers of a batch of a table, none missing, and its dates.

    Parameters
    ----------
    numbers : float64 array of shape (rows, numbers)
        Those of the table, then the years of its dates.
    missing : boolean array like numbers, or None
        Which of them were missing; None without an imputer.
    dates : dict
        The features of the words of each column of dates.
    """

    numbers: NDArray[np.float64]
    missing: NDArray[np.bool_] | None
    dates: dict[str, list[Moment]]


class TableEncoder:
    """Encoder of a table's rows, which describes them in the attributes of their stream.

    Rows of numbers alone are dense. In sparse rows a number is a feature with its column's name; a
    category is a feature ``column=value`` of value 1; a date is a number ``column.years`` and the
    categories ``column.month``, ``column.weekday`` and ``column.hour``, a time of day the last of
    them (:func:`rosenblatt.streams.features.dates.parse_date`); the n-grams of a text are features.
    Zeros and empty cells are not stored; with an imputer, nor are missing categories and texts. If
    it has indicators, a missing number or category is a feature ``column is missing`` of value 1.
    Columns are created in the order in which names first appear, or names are hashed by
    :class:`HashingEncoder`.

    Parameters
    ----------
    stream : Stream
        Its attributes are set, ``schema`` and ``feature_names`` among them; its imputer fills in
        missing numbers.
    kinds : dict
        All columns with their kinds.
    options : ReadOptions
        With ``bits``, names are hashed to 2^bits columns; texts are always hashed, to 2^18 columns
        by default. ``text`` are the specs of n-grams. With ``missing_category`` a missing category
        is a feature ``column is missing`` under every policy.
    vocabulary : Vocabulary
        The columns so far; it grows if rows are sparse and names are not hashed. Categories that
        are not in a fixed one are no features.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> stream, vocabulary = open_stream("sklearn:wine"), Vocabulary()
    >>> kinds = {"x": "number", "colour": "category", "y": "label"}
    >>> encoder = TableEncoder(stream, kinds, ReadOptions(), vocabulary)
    >>> stream.sparse, stream.schema, stream.target
    (True, {'x': 'number', 'colour': 'category'}, 'y')
    >>> colours = CategoryColumn(np.array([0, 1, 2], np.int32), ["red", "", "blue"])
    >>> numbers = np.array([[0.5], [2.0], [0.0]])
    >>> encoder.rows(numbers, {"colour": colours}, 0).tocsr().toarray().tolist()
    [[0.5, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    >>> vocabulary.names
    ['x', 'colour=red', 'colour=blue']
    """

    def __init__(
        self, stream: Stream, kinds: dict[str, str], options: ReadOptions, vocabulary: Vocabulary
    ) -> None:
        self._source, self._vocabulary, self._imputer = stream.name, vocabulary, stream.imputer
        self._numbers, self._categories, self._texts = (
            columns_of_kind(kinds, kind) for kind in ("number", "category", "text")
        )
        self._dates = {name: kind for name, kind in kinds.items() if kind in DATE_KINDS}
        self._numbers += year_columns(kinds)
        self._words = columns_of_kind(kinds, "category", "text", "time")
        imputer = stream.imputer
        self._missing = ("",) if imputer is None else imputer.spellings
        self._has_indicators = imputer is not None and imputer.policy == "indicator"
        self._has_missing_category = self._has_indicators or options.missing_category
        check_interactions(stream.name, kinds, options.interactions)
        self._describe(stream, kinds, options)
        self._is_sparse = stream.sparse
        self._hasher: HashingEncoder | None = None
        if stream.bits is not None:
            options = options._replace(text=stream.text)
            self._hasher = HashingEncoder(stream.name, options, stream.bits, self._texts)
        if stream.sparse:  # numbers have the first columns
            self._create_columns(self._numbers, np.zeros(len(self._numbers)))

    def _describe(self, stream: Stream, kinds: dict[str, str], options: ReadOptions) -> None:
        """Set the attributes of a stream to those of the table."""
        schema = options.schema or {}
        stream.schema = {name: kind for name, kind in kinds.items() if kind != "label"}
        skipped = columns_of_kind(kinds, "skip")
        stream.left_out = tuple(name for name in skipped if name not in schema)
        stream.target, stream.weight_column, stream.id_column = (
            column_of_kind(kinds, kind) for kind in ("label", "weight", "id")
        )
        stream.text, stream.bits = (), options.bits
        if self._texts:
            stream.text, stream.bits = options.text or DEFAULT_NGRAMS, options.bits or DEFAULT_BITS
        has_categories = bool(self._categories or self._dates)
        stream.sparse = stream.bits is not None or has_categories or self._has_indicators
        if stream.bits is not None:
            stream.feature_names, stream.interactions = None, options.interactions
        else:
            stream.feature_names = self._vocabulary.names if stream.sparse else self._numbers

    def rows(
        self, numbers: NDArray[np.float64], words: dict[str, CategoryColumn], first_row: int
    ) -> NDArray[np.float64] | CSRArrays:
        """Encode the rows of one batch, with missing numbers filled in.

        Parameters
        ----------
        numbers : float64 array of shape (rows, numbers)
            NaN where a number is missing.
        words : dict
            The columns of categories, texts, dates and times, by name.
        first_row : int
            The number of the first row, from 0, for error messages.

        Raises
        ------
        DataError
            A cell of a column of dates is none, and not missing.
        """
        return self.assemble(self.fill(numbers, words), words, first_row)

    def fill(self, numbers: NDArray[np.float64], words: dict[str, CategoryColumn]) -> Filled:
        """Return the numbers of one batch, those of dates among them, with missing ones filled in.

        Raises
        ------
        DataError
            As :meth:`rows`.
        """
        dates = {name: self._moments(name, words[name].words) for name in self._dates}
        years = [
            np.array([np.nan if m.years is None else m.years for m in moments])[words[name].codes]
            for name, moments in dates.items()
            if self._dates[name] != "time"
        ]
        if years:
            numbers = np.ascontiguousarray(np.column_stack([numbers, *years]))
        missing = None
        if self._imputer is not None:
            of_words = {name: words[name] for name in self._words}
            missing = self._imputer.fill(self._source, self._numbers, numbers, of_words)
        return Filled(numbers, missing, dates)

    def assemble(
        self, filled: Filled, words: dict[str, CategoryColumn], first_row: int
    ) -> NDArray[np.float64] | CSRArrays:
        """Encode the rows of one batch as :meth:`rows` does, after :meth:`fill`."""
        numbers = filled.numbers
        if not self._is_sparse:
            return numbers
        columns, cells = self._word_cells(filled, words)
        names = [*self._numbers, *chain.from_iterable(cells)]
        first = len(self._numbers)
        indices = self._columns_of(names, columns)
        cell_columns = ColumnMap(
            indices[:first],
            indices[first:],
            (indices[first:] >= 0).astype(np.float64),
            np.cumsum([0, *map(len, cells)])[:-1],
        )
        codes = np.array([codes for codes, _ in columns], np.int32).reshape(-1, len(numbers))
        rows = assemble_rows(numbers, codes, cell_columns)
        if self._hasher is None:
            width = len(self._vocabulary.names)
            column_of, data, indptr = sort_and_sum(rows, max(1, (width - 1).bit_length()))
            return csr(data, column_of, indptr, width)
        texts = [
            text._replace(words=["" if word in self._missing else word for word in text.words])
            for text in (words[name] for name in self._texts)
        ]
        return self._hasher.rows(rows, names, first_row, texts)

    def add_names(self, filled: Filled, words: dict[str, CategoryColumn]) -> None:
        """Create the columns that :meth:`assemble` creates, without rows."""
        if self._is_sparse:
            columns, cells = self._word_cells(filled, words)
            self._columns_of([*self._numbers, *chain.from_iterable(cells)], columns)

    def _word_cells(
        self, filled: Filled, words: dict[str, CategoryColumn]
    ) -> tuple[list[CategoryColumn], list[list[str]]]:
        """Return the columns of words, and for each the names of its words, "" for no feature."""
        columns = [words[name] for name in self._categories]
        cells = []
        for name in self._categories:
            empty = missing_name(name) if self._has_missing_category else ""
            cells.append(
                [empty if w in self._missing else f"{name}={w}" for w in words[name].words]
            )
        for name, moments in filled.dates.items():
            parts = _cells_of_parts(name, moments)
            if self._dates[name] == "time" and self._has_missing_category:
                hours = parts or [[""] * len(moments)]  # no cell of the batch may have an hour
                parts = [[cell or missing_name(name) for cell in part] for part in hours]
            cells += parts
            columns += [words[name]] * len(parts)
        if self._has_indicators and filled.missing is not None:
            for j in np.flatnonzero(filled.missing.any(axis=0)).tolist():
                cells.append(["", missing_name(self._numbers[j])])
                columns.append(CategoryColumn(filled.missing[:, j].astype(np.int32), cells[-1]))
        return columns, cells

    def _columns_of(self, names: list[str], columns: list[CategoryColumn]) -> NDArray[np.int32]:
        """Return the columns of the names of numbers, then of words; create new ones."""
        first_rows = [first_occurrences(codes, len(words)) for codes, words in columns]
        numbers = np.zeros(len(self._numbers), np.int64)
        return self._create_columns(names, np.concatenate([numbers, *first_rows]))

    def _moments(self, name: str, words: list[str]) -> list[Moment]:
        """Return the features of the words of a column of dates, none for a missing cell."""
        kind, moments = self._dates[name], []
        for word in words:
            moment = parse_date(word, kind)
            if moment is None:
                if self._imputer is None or word not in self._missing:
                    raise DataError(self._source, date_fault(name, word, kind))
                moment = _NO_MOMENT
            moments.append(moment)
        return moments

    def _create_columns(self, names: list[str], rows: Array) -> NDArray[np.int32]:
        """Return the columns of names, each an own one if names are hashed later.

        New columns are created in the order of the first rows of their names, so that the order
        does not depend on the batches. An empty name has the column −1.
        """
        if self._hasher is not None:
            return np.array([i if names[i] else -1 for i in range(len(names))], np.int32)
        columns = np.full(len(names), -1, np.int32)
        for i in np.argsort(rows, kind="stable").tolist():
            if names[i]:
                columns[i] = self._vocabulary.column_of(names[i])
        return columns


_NO_MOMENT = Moment(None, ())  # of a missing cell


def year_columns(kinds: Mapping[str, str]) -> list[str]:
    """Return the columns of numbers that the columns of dates become.

    Examples
    --------
    >>> year_columns({"when": "date", "from": "time", "x": "number"})
    ['when.years']
    """
    return [f"{name}.{YEARS}" for name in columns_of_kind(kinds, *DATE_KINDS[:-1])]


def check_interactions(source: str, kinds: Mapping[str, str], interactions: Iterable[str]) -> None:
    """Refuse a group of an interaction that no column of a table is in.

    Parameters
    ----------
    source : str
    kinds : dict
        All columns of the table with their kinds.
    interactions : iterable of str

    Raises
    ------
    DataError

    Examples
    --------
    >>> kinds = {"colour": "category", "when": "date", "size": "number", "y": "label"}
    >>> check_interactions("a.csv", kinds, ["colour=red*when.month", "when*when*size"])
    >>> check_interactions("a.csv", kinds, ["color*size"])
    Traceback (most recent call last):
    rosenblatt.streams.core.errors.DataError: a.csv: no column 'color' for the interactions; the \
columns are 'colour', 'when', 'size'. Did you mean 'colour'?
    """
    columns = columns_of_kind(kinds, *FEATURE_KINDS)
    for group in chain.from_iterable(map(split_interaction, interactions)):
        if not any(in_group(name, group) or _is_part(group, name, kinds[name]) for name in columns):
            problem = unknown_column(group, "for the interactions", columns)
            raise DataError(source, problem)


def _is_part(group: str, name: str, kind: str) -> bool:
    """Return whether a group is a value of a category, or a part of a date."""
    if kind == "category":
        return group.startswith(f"{name}=") or group == missing_name(name)
    parts = [f"{name}.{part}" for part in PARTS] if kind in DATE_KINDS else []
    return any(in_group(group, part) for part in parts) or group == missing_name(name)


def _cells_of_parts(name: str, moments: list[Moment]) -> list[list[str]]:
    """Return the features of the moments for each of the parts that any has, empty for none."""
    names = dict.fromkeys(part for moment in moments for part, _ in moment.parts)
    parts = [dict(moment.parts) for moment in moments]
    return [
        [f"{name}.{part}={own[part]}" if part in own else "" for own in parts] for part in names
    ]


def number_columns(stream: Stream) -> list[int]:
    """Return the columns of the numbers of a table in its sparse rows.

    Dense rows and sources without a table's columns, such as svmlight text and JSON lines, have
    none.

    Parameters
    ----------
    stream : Stream
        Its first batch has been read.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> stream = open_stream("sklearn:wine")
    >>> kinds = {"colour": "category", "x": "number", "y": "label"}
    >>> _ = TableEncoder(stream, kinds, ReadOptions(), Vocabulary())
    >>> number_columns(stream)
    [0]
    """
    if not (stream.sparse and stream.schema) or (stream.origin or stream.format) == "jsonl":
        return []
    names = [*columns_of_kind(stream.schema, "number"), *year_columns(stream.schema)]
    if stream.bits is not None:
        hashes = murmur3_many([name.encode() for name in names]).astype(np.int64)
        used: list[int] = np.unique(np.abs(hashes) & (1 << stream.bits) - 1).tolist()
        return used
    columns = {name: column for column, name in enumerate(stream.feature_names or ())}
    return [columns[name] for name in names if name in columns]
