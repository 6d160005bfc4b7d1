"""Rows of tables in memory as matrices, through the encoder of the command's reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from copy import copy
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.engine.text.categories import CategoryColumn
from rosenblatt.streams.core.batch import Batch, as_scipy, first_not_finite
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.missing import FILL_IN_ROWS, Imputer
from rosenblatt.streams.core.notes import Notes
from rosenblatt.streams.core.options import DATE_KINDS, ReadOptions
from rosenblatt.streams.core.stream import Stream, StreamInfo
from rosenblatt.streams.features.dates import date_fault, parse_date
from rosenblatt.streams.features.encoding import TableEncoder
from rosenblatt.streams.features.labels import NUMBER
from rosenblatt.streams.features.schema import columns_of_kind, unknown_column
from rosenblatt.streams.features.vocabulary import FixedVocabulary, Vocabulary
from rosenblatt.streams.frames.cells import ColumnName, NumberCells, OtherCells
from rosenblatt.streams.frames.columns import (
    add_names,
    fixed_imputer,
    unchanged_on_error,
    with_names,
)
from rosenblatt.streams.frames.tables import SOURCE, Table, words_of
from rosenblatt.streams.interactions import InteractionStream
from rosenblatt.utils.arrays import Matrix, NDArray

Change = Callable[[Matrix], Matrix]
"""Function of a matrix that returns another of its shape."""


class FrameStream(Stream):
    """Stream of the rows of one table, which the encoder describes.

    Parameters
    ----------
    imputer : Imputer or None
    format : str, default "csv"
    info : StreamInfo, optional
        A description of the rows.
    """

    def __init__(
        self, imputer: Imputer | None, format: str = "csv", info: StreamInfo | None = None
    ) -> None:
        super().__init__(SOURCE, format, info=info)
        self.labelled, self.imputer = False, imputer
        self._encode: Callable[[], Matrix] | None = None

    def __iter__(self) -> Iterator[Batch]:
        if self._encode is not None:
            yield Batch(self._encode(), None, 0)

    def rows(self, view: Stream, encode: Callable[[], Matrix]) -> Matrix:
        """Return the rows that a function encodes, as a view of this stream shows them.

        The view begins before the rows are encoded: names that are there then come first.
        """
        self._encode = encode
        try:
            return next(iter(view)).rows
        finally:
            self._encode = None


class TableReader:
    """Reader of tables: kinds and names of columns, and the means so far.

    Parameters
    ----------
    kinds : dict
        All columns with their kinds.
    options : ReadOptions
    names : sequence of str, optional
        The columns of the matrices so far.
    notes : dict, optional
        Of a model: how text is laid out, which only its notes repeat.

    Examples
    --------
    >>> from rosenblatt.streams.frames.rows import rows_of
    >>> reader = TableReader({"x": "number", "colour": "category"}, ReadOptions())
    >>> first, second = rows_of([{"x": 1, "colour": "red"}]), rows_of([{"x": 2, "colour": "blue"}])
    >>> reader.learn(first).toarray().tolist(), reader.read(second).toarray().tolist()
    ([[1.0, 1.0]], [[2.0, 0.0]])
    >>> reader.names
    ['x', 'colour=red']
    """

    def __init__(
        self,
        kinds: dict[str, str],
        options: ReadOptions,
        names: Any = None,
        notes: Notes | None = None,
        imputer: Imputer | None = None,
    ) -> None:
        self.kinds, self._options = kinds, options
        self._numbers, self._words = (
            columns_of_kind(kinds, *group)
            for group in (("number",), ("category", "text", *DATE_KINDS))
        )
        self._imputer = imputer or options.new_imputer()
        crosses = bool(options.interactions) and options.bits is None
        self._vocabulary = Vocabulary()
        self._crossed = Vocabulary()  # the columns with products, where they are not hashed
        pairs = options.interactions if crosses else ()
        vocabulary = self._vocabulary if self._is_sparse() else Vocabulary()
        add_names(list(names or ()), vocabulary, self._crossed, pairs)
        self._stream = FrameStream(self._imputer, (notes or {}).get("format", "csv"))
        for name in ("separator", "decimal", "quotes", "header"):
            setattr(self._stream, name, (notes or {}).get(name))
        self._stream.column_names = tuple((notes or {}).get("column_names") or ())
        self._encoder = TableEncoder(self._stream, kinds, options, self._vocabulary)
        self._stream.target = options.target or self._stream.target
        self._fixed: tuple[FrameStream, TableEncoder] | None = None  # while nothing is learned
        self._spellings: dict[str, tuple[int, dict[Any, str]]] = {}
        self._crosses = crosses and self._stream.bits is None

    def _is_sparse(self) -> bool:
        policy = None if self._imputer is None else self._imputer.policy
        return bool(columns_of_kind(self.kinds, "category", *DATE_KINDS)) or policy == "indicator"

    # --- description -----------------------------------------------------------------------------

    @property
    def names(self) -> list[str] | None:
        """The columns of the matrices so far; None where names are hashed."""
        if self._crosses and self._stream.sparse:
            return self._crossed.names
        return self._view().feature_names

    @property
    def stream(self) -> Stream:
        """A stream whose description is that of the rows."""
        return self._view()

    def _view(self) -> Stream:
        if not self._crosses:
            return self._stream
        return self._crossing(self._stream, self._crossed)

    def _crossing(self, stream: Stream, vocabulary: Vocabulary | None = None) -> InteractionStream:
        """Return a view of a stream with products; the encoder has checked their columns."""
        pairs = self._options.interactions
        return InteractionStream(stream, pairs, vocabulary, may_lack_groups=True)

    @property
    def imputer(self) -> Imputer | None:
        """The replacement of missing cells, with the means so far."""
        return self._imputer

    def add_names(self, names: Sequence[str]) -> None:
        """Add columns of sparse rows after those so far."""
        pairs = self._options.interactions if self._crosses else ()
        add_names(names, self._vocabulary, self._crossed, pairs)

    # --- rows ------------------------------------------------------------------------------------

    def learn(self, table: Table, change: Change | None = None) -> Matrix:
        """Return the rows, as the command reads them while it trains: new names are added.

        Missing numbers are replaced by the means of the rows before.

        Parameters
        ----------
        table : Table
        change : callable, optional
            Function of all numbers, none missing, that returns others instead.

        Raises
        ------
        DataError
            A column is missing, or a cell cannot be read.
        """
        numbers, words = self._cells(table)
        self._fixed = None
        with self.unchanged_on_error():
            encode = partial(_encoded, self._encoder, numbers, words, change)
            return as_scipy(self._stream.rows(self._view(), encode))

    def note(self, table: Table) -> None:
        """Learn the names and means of rows as :meth:`learn` does, without returning them.

        Raises
        ------
        DataError
            As :meth:`learn`.
        """
        if self._crosses:
            self.learn(table)
            return
        numbers, words = self._cells(table)
        self._fixed = None
        with self.unchanged_on_error():
            self._encoder.add_names(self._encoder.fill(numbers, words), words)

    def unchanged_on_error(self) -> AbstractContextManager[None]:
        """Leave names and means as they were, if what is done within fails."""
        self.forget_means()
        return unchanged_on_error([self._vocabulary, self._crossed], self._imputer)

    def forget_means(self) -> None:
        """Let the next rows that are read take the means as they are then."""
        self._fixed = None

    def read(self, table: Table, change: Change | None = None) -> Matrix:
        """Return the rows with the columns so far, as the command reads them to predict.

        New categories are ignored, and missing numbers are replaced by the means of all rows so
        far.

        Raises
        ------
        DataError
            As :meth:`learn`.
        """
        numbers, words = self._cells(table)
        if self._crosses and self._stream.sparse:
            return self._read_crossed(numbers, words, change)
        if self._fixed is None:
            self._fixed = self._new_encoder(FixedVocabulary(self._vocabulary))
        stream, encoder = self._fixed
        encode = partial(_encoded, encoder, numbers, words, change)
        if not self._crosses:
            return as_scipy(encode())
        stream = copy(stream)  # another thread may read, too
        return as_scipy(stream.rows(self._crossing(stream), encode))

    def _new_encoder(self, vocabulary: Vocabulary) -> tuple[FrameStream, TableEncoder]:
        """Return a stream of its own, with the means so far, and its encoder."""
        stream = FrameStream(fixed_imputer(self._imputer))
        return stream, TableEncoder(stream, self.kinds, self._options, vocabulary)

    def _read_crossed(
        self,
        numbers: NDArray[np.float64],
        words: dict[str, CategoryColumn],
        change: Change | None,
    ) -> Matrix:
        stream, encoder = self._new_encoder(Vocabulary())
        crossed = self._crossing(stream)
        X = stream.rows(crossed, partial(_encoded, encoder, numbers, words, change))
        return with_names(X, crossed.feature_names or [], FixedVocabulary(self._crossed))

    def _cells(self, table: Table) -> tuple[NDArray[np.float64], dict[str, CategoryColumn]]:
        """Return the numbers and the words of a table."""
        names = set(table.names)
        for name in (*self._numbers, *self._words):
            if name not in names:
                problem = unknown_column(name, f"of the kind {self.kinds[name]}", table.names)
                if table.missing_cell:
                    problem += f" A missing cell is {table.missing_cell}, and its column is there."
                raise DataError(SOURCE, problem)
        numbers = np.empty((table.rows, len(self._numbers)))
        for j, name in enumerate(self._numbers):
            numbers[:, j] = self._number_column(table, name)
        self._check_finite(numbers)
        return numbers, {name: self._word_column(table, name) for name in self._words}

    def _number_column(self, table: Table, name: str) -> NDArray[np.float64]:
        cells, column = table.cells(name), ColumnName(SOURCE, name)
        if isinstance(cells, NumberCells):
            return cells.numbers()
        if isinstance(cells, OtherCells):
            raise cells.fault(column, "numbers")
        missing = ("",) if self._imputer is None else self._imputer.spellings
        return cells.numbers(column, missing, self._stream.decimal or ".")

    def _check_finite(self, numbers: NDArray[np.float64]) -> None:
        fills = self._imputer is not None
        filled = np.where(np.isnan(numbers), 0.0, numbers) if fills else numbers
        if (entry := first_not_finite(filled)) is not None:
            row, j, value = entry
            shown = "nothing (NaN)" if np.isnan(value) else str(value)
            problem = f"found {shown}, expected a finite number: fill it in, or leave the row out"
            problem += f"; {FILL_IN_ROWS}." if np.isnan(value) else "."
            raise ColumnName(SOURCE, self._numbers[j]).error(row, problem)

    def _word_column(self, table: Table, name: str) -> CategoryColumn:
        column = words_of(table, name)
        if self.kinds[name] in DATE_KINDS:
            self._check_dates(name, column)
        is_category = self.kinds[name] == "category" and self._stream.bits is None
        if not is_category:
            return column
        are_numbers = table.cells(name).are_numbers
        if are_numbers is None:
            return column
        spellings = self._spellings_of(name)
        pairs = zip(column.words, are_numbers, strict=False)
        words = [_respelled(word, spellings) if number else word for word, number in pairs]
        return column._replace(words=words)

    def _check_dates(self, name: str, column: CategoryColumn) -> None:
        kind, missing = self.kinds[name], () if self._imputer is None else self._imputer.spellings
        for code, word in enumerate(column.words):
            if word not in missing and parse_date(word, kind) is None:
                row = int(np.argmax(column.codes == code))
                problem = date_fault(name, word, kind, in_python=True)
                raise DataError(SOURCE, f"row {row:,} (from 0): {problem}")

    def _spellings_of(self, name: str) -> dict[Any, str]:
        """Return the words of a column so far, by themselves, (word,), and by value."""
        names = self._vocabulary.names
        size, spellings = self._spellings.get(name, (0, {}))
        begin = f"{name}="
        for full in names[size:]:
            if full.startswith(begin):
                word = full[len(begin) :]
                spellings[(word,)] = word
                spellings.setdefault(_value_of(word), word)
        self._spellings[name] = len(names), spellings
        return spellings


def _encoded(
    encoder: TableEncoder,
    numbers: NDArray[np.float64],
    words: dict[str, CategoryColumn],
    change: Change | None,
) -> Matrix:
    """Return rows of an encoder, with other numbers instead of those that are filled in."""
    filled = encoder.fill(numbers, words)
    if change is not None:
        filled = filled._replace(numbers=np.ascontiguousarray(change(filled.numbers)))
    return encoder.assemble(filled, words, 0)


def _value_of(word: str) -> Any:
    """Return the value that a word spells: a number, exactly if whole, true or false; or itself."""
    if NUMBER.fullmatch(word):
        is_whole = word.lstrip("+-").isdecimal()
        return Decimal(word) if is_whole else float(word)  # int has a limit of digits
    return word.lower() if word.lower() in ("true", "false") else word


def _respelled(word: str, spellings: dict[Any, str]) -> str:
    """Return a number's shortest spelling if it is a word of the column, else one of its value."""
    return spellings.get((word,)) or spellings.get(_value_of(word), word)
