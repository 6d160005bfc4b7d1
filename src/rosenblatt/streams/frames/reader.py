"""Reader of raw rows in memory, whatever they are: fresh, or as a model's notes say."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.hashed_names import HashedNames
from rosenblatt.streams.core.missing import Imputer
from rosenblatt.streams.core.notes import Notes
from rosenblatt.streams.core.options import (
    FEATURE_KINDS,
    FEATURE_OPTIONS,
    ReadOptions,
    noted_option,
)
from rosenblatt.streams.features.schema import columns_of_kind
from rosenblatt.streams.frames.kinds import kinds_of_notes, table_kinds
from rosenblatt.streams.frames.notes import TABLES, check_notes
from rosenblatt.streams.frames.object_reader import ObjectReader, TextReader
from rosenblatt.streams.frames.rows import Objects, Texts, rows_of
from rosenblatt.streams.frames.table_reader import Change, TableReader
from rosenblatt.streams.frames.tables import SOURCE, DictTable, Table, TextTable, words_of
from rosenblatt.utils.arrays import Matrix

Reader = TableReader | ObjectReader | TextReader


class RowReader:
    """Reader of rows of a DataFrame, of dicts or of texts as the command reads a file of them.

    The first rows that are learned decide what rows are, as the first rows of a file do; the notes
    of a model have decided.

    Parameters
    ----------
    options : ReadOptions

    Attributes
    ----------
    reader : TableReader, ObjectReader, TextReader or None
        None before the first rows.

    Examples
    --------
    >>> reader = RowReader(ReadOptions())
    >>> reader.learn([{"colour": "red", "size": 2}, {"colour": "blue", "size": 1}]).toarray()
    array([[2., 1., 0.],
           [1., 0., 1.]])
    >>> reader.read({"colour": "blue", "size": 0.5}).toarray().tolist(), reader.names
    ([[0.5, 0.0, 1.0]], ['size', 'colour=red', 'colour=blue'])
    """

    def __init__(self, options: ReadOptions) -> None:
        self._options = options._replace(labelled=False)
        self.reader: Reader | None = None

    @classmethod
    def from_notes(cls, notes: Notes, names: object, recorder: HashedNames | None = None) -> Self:
        """Return the reader of a model's rows.

        Parameters
        ----------
        notes : dict
            :meth:`rosenblatt.streams.Stream.noted` of the training data.
        names : sequence of str, or None
            The columns of the model; None where they are hashed.
        recorder : HashedNames, optional
            Records the names of hashed columns.

        Raises
        ------
        ValueError
            The notes are not those of tables, JSON lines or texts.

        Examples
        --------
        >>> notes = {"format": "csv", "target": "y", "schema": {"colour": "category"}}
        >>> reader = RowReader.from_notes(notes, ["colour=red", "colour=blue"])
        >>> reader.read([{"colour": "blue"}, {"colour": "green"}]).toarray().tolist()
        [[0.0, 1.0], [0.0, 0.0]]
        """
        check_notes(notes)
        format = notes.get("format")
        options = ReadOptions(labelled=False, settled=True)._replace(
            **{name: noted_option(notes, name) for name in FEATURE_OPTIONS if name in notes},
            names=recorder,
        )
        reader = cls(options)
        imputer = _imputer_of_notes(notes, options)
        if format in TABLES:
            kinds = kinds_of_notes(notes, names)
            reader.reader = TableReader(kinds, options, names, notes, imputer)
        elif format == "jsonl":
            reader.reader = ObjectReader(options, names, imputer)
        elif format == "folder":
            reader.reader = TextReader(options)
        else:
            raise ValueError(
                f"a model of {format or 'rows without notes'} has no encoder of raw rows: its "
                "columns have numbers, or names of that format alone; give it a matrix."
            )
        return reader

    @property
    def names(self) -> list[str] | None:
        """The columns of the matrices so far; None where names are hashed."""
        return self._fitted().names

    def add_names(self, names: Sequence[str]) -> None:
        """Add columns after those so far, which a stream has created."""
        reader = self._fitted()
        assert not isinstance(reader, TextReader)  # its columns are hashed
        reader.add_names(names)

    def go_on(self, totals: Mapping[str, Sequence[float]]) -> None:
        """Let means go on from the totals of rows that a stream has read."""
        reader = self._fitted()
        if reader.imputer is not None:
            reader.imputer.go_on(totals)
        if isinstance(reader, TableReader):
            reader.forget_means()

    @contextmanager
    def unchanged_on_error(self) -> Iterator[None]:
        """Leave names and means as they were, if what is done within fails."""
        reader = self.reader
        if reader is None or isinstance(reader, TextReader):
            yield
            return
        with reader.unchanged_on_error():
            yield

    @property
    def imputer(self) -> Imputer | None:
        """The replacement of missing cells, with the means so far."""
        return self._fitted().imputer

    @property
    def columns(self) -> list[str] | None:
        """The columns of a table without the label; None of objects and texts."""
        reader = self._fitted()
        if not isinstance(reader, TableReader):
            return None
        return [name for name, kind in reader.kinds.items() if kind != "label"]

    def noted(self) -> Notes:
        """Return the notes of a model of these rows, as :meth:`rosenblatt.streams.Stream.noted`."""
        return self._fitted().stream.noted()

    def learn(self, rows: object, change: Change | None = None) -> Matrix:
        """Return rows as the command reads them while it trains; names are added, means go on.

        Parameters
        ----------
        rows : DataFrame, table, matrix, dicts, or texts
        change : callable, optional
            Function that returns a matrix in the place of another: of the numbers of a table, none
            missing, before products, hashes and categories; of the whole matrix of objects.

        Returns
        -------
        X : csr_array, or array where all columns are numbers

        Raises
        ------
        TypeError, DataError
        """
        as_found = rows_of(rows)
        reader = self.reader or self._new_reader(as_found)
        X = reader.learn(_as_rows_for(reader, as_found), change)
        self._keep(reader)
        return X

    def note(self, rows: object) -> None:
        """Learn rows as :meth:`learn` does, without returning them: faster.

        Raises
        ------
        TypeError, DataError
        """
        as_found = rows_of(rows)
        reader = self.reader or self._new_reader(as_found)
        reader.note(_as_rows_for(reader, as_found))
        self._keep(reader)

    def read(self, rows: object, change: Change | None = None) -> Matrix:
        """Return rows with the columns so far, as the command reads them to predict.

        Raises
        ------
        TypeError, DataError
        """
        reader = self._fitted()
        return reader.read(_as_rows_for(reader, rows_of(rows)), change)

    def _keep(self, reader: Reader) -> None:
        """Keep the reader that has learned rows; warn of the keys of first objects."""
        if self.reader is None and isinstance(reader, ObjectReader):
            for remark in reader.remarks:
                warnings.warn(remark, UserWarning, stacklevel=5)
        self.reader = reader

    def _fitted(self) -> Reader:
        if self.reader is None:
            raise ValueError("no rows have been learned yet.")
        return self.reader

    def _new_reader(self, rows: Table | Objects | Texts) -> Reader:
        options = self._options
        if isinstance(rows, Texts):
            return TextReader(options)
        if isinstance(rows, Objects):
            return ObjectReader(options)
        return TableReader(table_kinds(rows, options), options)


def _imputer_of_notes(notes: Notes, options: ReadOptions) -> Imputer | None:
    """Return the imputer of a model: its means go on from its totals, else they stay."""
    totals = notes.get("totals")
    if options.impute != "mean" or not totals:
        return options.new_imputer()
    return Imputer("mean", options.missing, totals=totals)


def _as_rows_for(reader: Reader, rows: Table | Objects | Texts) -> Any:
    """Return rows in the form that a reader takes."""
    if isinstance(reader, TextReader):
        return _texts_of(rows)
    if isinstance(reader, ObjectReader):
        if isinstance(rows, Texts):
            return _one_column(reader.text_keys, rows).objects()
        return rows.objects() if isinstance(rows, Table) else rows
    if isinstance(rows, Texts):
        return _one_column(columns_of_kind(reader.kinds, *FEATURE_KINDS), rows)
    return DictTable(rows) if isinstance(rows, Objects) else rows


def _one_column(names: list[str], texts: Texts) -> TextTable:
    """Return texts as the only column of texts."""
    if len(names) != 1:
        listed = ", ".join(map(repr, names[:5])) + (", …" if len(names) > 5 else "")
        problem = "found texts, expected rows with names of columns"
        raise DataError(SOURCE, f"{problem}: {listed}." if names else f"{problem}.")
    return TextTable(names[0], texts.words())


def _texts_of(rows: Table | Objects | Texts) -> Texts:
    if isinstance(rows, Texts):
        return rows
    table = DictTable(rows) if isinstance(rows, Objects) else rows
    if len(table.names) != 1:
        problem = f"found {len(table.names)} columns, expected texts: a list, or one column."
        raise DataError(SOURCE, problem)
    codes, words = words_of(table, table.names[0])
    return Texts(words[code] for code in codes.tolist())
