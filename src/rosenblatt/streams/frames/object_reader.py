"""Rows of objects and of texts in memory as matrices: as JSON lines, and as files of texts."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

import numpy as np

from rosenblatt.streams.core.batch import as_scipy, concat_batches
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.missing import Imputer
from rosenblatt.streams.core.options import DEFAULT_BITS, ReadOptions
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.features.dates import DateError, date_fault
from rosenblatt.streams.features.ngrams import DEFAULT_NGRAMS, NgramHasher
from rosenblatt.streams.features.schema import columns_of_kind
from rosenblatt.streams.features.vocabulary import FixedVocabulary, Vocabulary
from rosenblatt.streams.formats.folders import MAX_BYTES
from rosenblatt.streams.formats.json_rows import TOO_DEEP
from rosenblatt.streams.formats.jsonl import JsonLinesStream
from rosenblatt.streams.formats.mail import extract_text
from rosenblatt.streams.frames.cells import is_missing, of_numpy, spelled
from rosenblatt.streams.frames.columns import (
    add_names,
    fixed_imputer,
    unchanged_on_error,
    with_names,
)
from rosenblatt.streams.frames.rows import Texts
from rosenblatt.streams.frames.table_reader import Change, FrameStream
from rosenblatt.streams.frames.tables import SOURCE
from rosenblatt.streams.interactions import InteractionStream
from rosenblatt.streams.io.files import Pipe, Text
from rosenblatt.utils.arrays import Matrix


class ObjectReader:
    """Reader of objects: each is read as a line of JSON.

    Parameters
    ----------
    options : ReadOptions
        Without labels.
    names : sequence of str, optional
        The columns of the matrices so far.

    Examples
    --------
    >>> reader = ObjectReader(ReadOptions(labelled=False))
    >>> reader.learn([{"n": 2.5, "in": {"a": True}}]).toarray().tolist(), reader.names
    ([[2.5, 1.0]], ['n', 'in.a'])
    >>> reader.read([{"in": {"a": True}, "new": 1}]).toarray().tolist()
    [[0.0, 1.0]]

    Attributes
    ----------
    remarks : tuple of str
        What is to be said about the keys of the first rows, of which some may be left out.
    """

    remarks: tuple[str, ...] = ()

    def __init__(
        self, options: ReadOptions, names: Any = None, imputer: Imputer | None = None
    ) -> None:
        self._imputer = imputer or options.new_imputer()
        self._options = options._replace(imputer=self._imputer, labelled=False)
        self._vocabulary, self._crossed = Vocabulary(), Vocabulary()
        self.add_names(names or ())
        self._stream: Stream | None = None

    @property
    def stream(self) -> Stream:
        """A stream whose description is that of the rows."""
        if self._stream is None:
            self._describe(self._open([{}], self._options, self._vocabulary, self._crossed))
        assert self._stream is not None
        return self._stream

    def _describe(self, stream: Stream) -> None:
        """Keep the description of a stream, without its source."""
        self._stream = FrameStream(self._imputer, stream.format, stream.info)

    @property
    def names(self) -> list[str] | None:
        """The columns of the matrices so far; None where names are hashed."""
        return self.stream.feature_names

    def add_names(self, names: Sequence[str]) -> None:
        """Add columns of sparse rows after those so far."""
        add_names(names, self._vocabulary, self._crossed, self._options.interactions)

    @property
    def imputer(self) -> Imputer | None:
        """The replacement of missing cells, with the means so far."""
        return self._imputer

    @property
    def text_keys(self) -> list[str]:
        """The keys of texts."""
        return columns_of_kind(self.stream.schema or {}, "text")

    def learn(self, rows: list[dict[str, Any]], change: Change | None = None) -> Matrix:
        """Return the rows, as the command reads them while it trains: new names are added.

        Parameters
        ----------
        rows : list of dict
        change : callable, optional
            Function of the matrix that returns another in its place.

        Raises
        ------
        DataError
            A value is not one of JSON.
        """
        with self.unchanged_on_error():
            stream = self._open(rows, self._options, self._vocabulary, self._crossed)
            X = _matrix(stream)
        noted = stream.noted()
        self._describe(stream)
        self._options = self._options._replace(
            settled=True, schema=noted["schema"], text=tuple(noted["text"]), bits=noted["bits"]
        )
        return _changed(as_scipy(X), change)

    def unchanged_on_error(self) -> AbstractContextManager[None]:
        """Leave names and means as they were, if what is done within fails."""
        return unchanged_on_error([self._vocabulary, self._crossed], self._imputer)

    def note(self, rows: list[dict[str, Any]]) -> None:
        """Learn the names and means of rows as :meth:`learn` does."""
        self.learn(rows)

    def read(self, rows: list[dict[str, Any]], change: Change | None = None) -> Matrix:
        """Return the rows with the columns so far, as the command reads them to predict.

        Raises
        ------
        DataError
            As :meth:`learn`.
        """
        options = self._options._replace(imputer=fixed_imputer(self._imputer))
        stream = self._open(rows, options, Vocabulary(), Vocabulary())
        X = _matrix(stream)
        if stream.feature_names is None:
            return _changed(as_scipy(X), change)
        own = self._crossed if self._options.interactions else self._vocabulary
        return _changed(with_names(X, stream.feature_names, FixedVocabulary(own)), change)

    def _open(
        self,
        rows: list[dict[str, Any]],
        options: ReadOptions,
        vocabulary: Vocabulary,
        crossed: Vocabulary,
    ) -> Stream:
        text = "".join(f"{_line(row, number)}\n" for number, row in enumerate(rows)).encode()
        source = Pipe(SOURCE, iter([text]), len(text))
        with _errors_of_rows():
            stream = JsonLinesStream(Text("jsonl", source, source.head(), options, vocabulary))
        self.remarks = self.remarks or stream.remarks_in_python
        if options.interactions in ((), stream.interactions):
            return stream
        pairs, settled = options.interactions, options.settled  # later rows may lack a group
        return InteractionStream(stream, pairs, crossed, may_lack_groups=settled)


def _changed(X: Matrix, change: Change | None) -> Matrix:
    return X if change is None else change(X)


def _matrix(stream: Stream) -> Matrix:
    """Return all rows of a stream."""
    with _errors_of_rows():
        return concat_batches(stream).rows


@contextmanager
def _errors_of_rows() -> Iterator[None]:
    """Turn the lines of errors into rows."""
    try:
        yield
    except DataError as error:
        if error.line is None:
            raise
        problem, cause = error.problem, error.__cause__
        if isinstance(cause, DateError):
            problem = date_fault(*cause.args, in_python=True).replace("column", "key", 1)
        raise DataError(SOURCE, f"row {error.line - 1:,} (from 0): {problem}") from error


def _line(row: dict[str, object], number: int) -> str:
    """Return a row as a line of JSON; missing values are null."""
    try:
        with suppress(ValueError):  # a NaN, or a number of too many digits
            return json.dumps(row, allow_nan=False, default=_plain)
        return json.dumps(_without_missing(row), default=_plain)
    except ValueError as error:
        problem = "found a whole number of thousands of digits, expected one that fits a float64."
        raise DataError(SOURCE, f"row {number:,} (from 0): {problem}") from error
    except RecursionError as error:
        raise DataError(SOURCE, f"row {number:,} (from 0): {TOO_DEEP}") from error


def _plain(value: object) -> Any:
    """Return a value of NumPy, a date, or a missing one as a value of JSON."""
    if is_missing(value):
        return None
    if isinstance(value, np.ndarray | np.generic):
        return of_numpy(value)
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    if (word := spelled(value)) is not None:
        return word
    raise TypeError(f"found a value of the type {type(value).__name__}, expected one of JSON.")


def _without_missing(value: object) -> Any:
    if isinstance(value, dict):
        return {key: _without_missing(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_missing(inner) for inner in value]
    return None if isinstance(value, float) and math.isnan(value) else value


class TextReader:
    """Reader of texts: hashed n-grams, as of a folder of texts.

    Parameters
    ----------
    options : ReadOptions

    Examples
    --------
    >>> TextReader(ReadOptions(bits=10)).read(Texts(["see you", "win"])).shape
    (2, 1024)
    """

    names: list[str] | None = None
    imputer: Imputer | None = None

    def __init__(self, options: ReadOptions) -> None:
        stream = FrameStream(None, "folder")
        stream.sparse = True
        stream.text, stream.bits = options.text or DEFAULT_NGRAMS, options.bits or DEFAULT_BITS
        self.stream = stream
        self._hasher = NgramHasher(stream.text, stream.bits, options.names)

    def read(self, texts: Texts, change: Change | None = None) -> Matrix:
        """Return the n-grams of texts, all of value 1: ``change`` does not concern them."""
        return as_scipy(self._hasher.rows([*map(_text_of_file, texts)]))

    learn = read

    def note(self, texts: Texts) -> None:
        """Do nothing: hashes do not depend on the texts before."""


def _text_of_file(text: str | bytes) -> str:
    """Return the text of a file with this content: of a mail, its readable parts."""
    if isinstance(text, str):
        first = text[: text.find("\n") + 1] or text
        has_headers = ":" in first or first.startswith("From ")
        if not has_headers and len(text) <= MAX_BYTES // 4:  # neither a mail nor cut
            return text
        text = text.encode(errors="replace")
    return extract_text(text[:MAX_BYTES])
