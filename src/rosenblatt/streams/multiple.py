"""Several files as one stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from rosenblatt.streams.core.batch import Batch, with_width
from rosenblatt.streams.core.errors import DataError, NoRowsError
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.core.stream import Stream


class MultiFileStream(Stream):
    """Rows of several files, one after the other.

    The first file decides for all: the format, names of columns, the target, the index base of
    svmlight text, and whether labels are numbers or text. Integer labels become floats from the
    first batch with other numbers on. Files are opened when their rows are needed.

    Parameters
    ----------
    paths : list of str
    options : ReadOptions
        For the first file; the stream of the first file resolves them for the others.
    open_one : callable
        ``open_one(path, options, vocabulary)`` opens one file; ``vocabulary`` has the names of the
        columns so far, where columns are created as names appear.
    skips_empty : bool, default False
        Whether files without rows are left out, unless all are.

    Raises
    ------
    DataError
        A file cannot be read or does not agree with the first.

    Examples
    --------
    >>> from rosenblatt.streams.opening import open_one
    >>> stream = MultiFileStream(["sklearn:iris", "sklearn:iris"], ReadOptions(), open_one)
    >>> [batch.first_row for batch in stream]
    [0, 150]
    """

    def __init__(
        self,
        paths: list[str],
        options: ReadOptions,
        open_one: Callable[..., Stream],
        *,
        skips_empty: bool = False,
    ) -> None:
        name = f"{paths[0]} … {paths[-1]}"
        first, paths = _open_first(paths, options._replace(is_part=True), open_one, skips_empty)
        super().__init__(name, first.format, info=first.info)
        self._skips = (NoRowsError,) if skips_empty else ()
        self._paths, self._options, self._open_one = paths, options, open_one
        self._opened = {0: first}
        self._index = 0  # of the latest file of the pass
        self._latest = first

    def __iter__(self) -> Iterator[Batch]:
        first_row, width, kind = 0, 0, ""
        for index in range(len(self._paths)):
            for batch in self._batches(index):
                self.index_base = self._latest.index_base
                X, y = batch.rows, batch.y
                if self.sparse:
                    width = max(width, X.shape[1])
                    X = with_width(X, width)
                if y is not None:
                    y = aligned_labels(y, kind, self._latest.name)
                    kind = y.dtype.kind
                yield batch.replace(X=X, y=y, first_row=first_row)
                first_row += X.shape[0]
        if first_row == 0:
            raise NoRowsError(self.name, "no rows in any of the files.")

    def _batches(self, index: int) -> Iterator[Batch]:
        self._index = index
        with suppress(*self._skips):
            self._latest = self._open_at(index)
            yield from self._latest

    @property
    def bad_rows(self) -> int:
        """Number of skipped rows of all files that the latest pass has reached."""
        return sum(one.bad_rows for index, one in self._opened.items() if index <= self._index)

    def location(self, row: int) -> tuple[str, int | None]:
        """Return the file and the line of a row of the latest batch; None for an unknown line."""
        return self._latest.location(row)

    def _open_at(self, index: int) -> Stream:
        """Return the stream of a file, opened only once, as a pipe cannot be opened again."""
        if index not in self._opened:
            options = self._options.resolved(self.format, self.noted())
            options = options._replace(imputer=self.imputer)
            vocabulary = getattr(self._opened[0], "vocabulary", None)
            stream = self._open_one(self._paths[index], options, vocabulary)
            check_agreement(stream, shared_facts(self), self._paths[0])
            self._opened[index] = stream
        return self._opened[index]


def _open_first(
    paths: list[str], options: ReadOptions, open_one: Callable[..., Stream], skips_empty: bool
) -> tuple[Stream, list[str]]:
    """Return the stream of the first file that has rows, and this path and those after it."""
    for index, path in enumerate(paths):
        try:
            return open_one(path, options), paths[index:]
        except NoRowsError:
            if not skips_empty or index == len(paths) - 1:
                raise
    raise AssertionError  # there are paths


def shared_facts(stream: Stream) -> dict[str, object]:
    """Return what several files must have in common, as far as it is known."""
    return {name: getattr(stream, name) for name in _MUST_AGREE}


def check_agreement(
    stream: Stream, facts: Mapping[str, Any], first: str, advice: str = "read them separately"
) -> None:
    """Refuse a file whose columns differ from those of another.

    Parameters
    ----------
    stream : Stream
        Of the file.
    facts : dict
        :func:`shared_facts` of the other, or some of them.
    first : str
        Name of the other.
    advice : str
        End of the message.

    Raises
    ------
    DataError
    """
    for name, expected in facts.items():
        actual = getattr(stream, name)
        if None not in (expected, actual) and expected != actual:
            difference = f"{_shorten(actual)}, but {first} has {_shorten(expected)}"
            raise DataError(stream.name, f"has {_MUST_AGREE[name]} {difference}: {advice}.")


_MUST_AGREE = {
    "format": "the format",
    "sparse": "sparse rows:",
    "feature_names": "the columns",
    "index_base": "features counted from",
    "weight_column": "the weights in",
    "id_column": "the ids in",
}
_MAX_SHOWN = 100  # letters of a value in a message


def _shorten(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]} …"


def aligned_labels(
    y: Any, kind_before: str, source: str, before: str = "of the files before"
) -> Any:
    """Return labels of the type so far, or of a wider one.

    Parameters
    ----------
    y : array
    kind_before : str
        The kind of the dtype so far; "" for none.
    source : str
        The file of the labels, in messages.
    before : str
        Where the labels so far are from, in messages.

    Raises
    ------
    DataError
        The labels are text, and those before are numbers, or the other way round.

    Examples
    --------
    >>> aligned_labels(np.array([1, 2]), "f", "b.csv").tolist()
    [1.0, 2.0]
    """
    if kind_before and (kind_before == "U") != (y.dtype.kind == "U"):
        other, here = ("text", "a number") if kind_before == "U" else ("numbers", "text")
        problem = f"found the label {y[0]}, {here}, but all labels {before} are"
        raise DataError(source, f"{problem} {other}: labels of mixed types.")
    return y.astype(np.float64) if kind_before == "f" else y
