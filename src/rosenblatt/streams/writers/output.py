"""Files written from a stream, and views of the stream for them: other labels, dense rows."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from rosenblatt.streams.arrow import require_pyarrow
from rosenblatt.streams.core.access import shown
from rosenblatt.streams.core.batch import Batch, take_rows, with_width
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.stream import Stream, StreamView
from rosenblatt.streams.registry import FORMATS, SUFFIXES, WRITTEN_FORMATS
from rosenblatt.utils.arrays import NDArray

MAX_COLUMNS = 10_000
"""Limit of the columns of sparse rows that are written as a table."""

_DENSE_CELLS = 1 << 19  # of a dense batch: 4 MiB

_GZIP_LEVEL = 6
_COMPRESSORS: dict[str, Callable[[BinaryIO], Any]] = {
    # without a name and a time, so that equal rows give equal files
    ".gz": lambda file: gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0),
    ".xz": partial(lzma.LZMAFile, mode="wb"),
    ".bz2": partial(bz2.BZ2File, mode="wb"),
}


def write_stream(
    stream: Stream,
    path: str | os.PathLike[str],
    format: str | None = None,
    labels: Sequence[str] = (),
) -> int:
    r"""Write the rows of a stream to a file, in memory that does not grow with the data.

    Every number is written so that it reads back as the same float64. The file is written under a
    temporary name beside ``path``, flushed to disk, then renamed.

    - **Svmlight text** has the nonzero values of dense rows, the stored ones of sparse rows.
      Indices are those of the source if it is svmlight text, else they start at 1. Ids are left
      out, weights are refused.
    - **Vowpal Wabbit text** has the names of the features, or their indices, in the namespace
      without a name, and weights and ids as importances and tags. Blanks, tabs, ends of lines,
      ``:``, ``|`` and ``%`` in names and ids become ``%`` and two hexadecimal digits.
    - **CSV and TSV** have one column per feature, with its name, or ``x`` and its index, then ids,
      weights and labels. Sparse rows become dense; they are read twice, and may have 10,000
      columns, which are not hashed.
    - **Parquet and Arrow** are described in :func:`write_arrow`.

    Parameters
    ----------
    stream : Stream
        A stream with labels.
    path : str or path
        The suffix ``.gz``, ``.xz`` or ``.bz2`` compresses text.
    format : str, optional
        The name of a format that is written: "svmlight", "csv", "arrow", … By default the suffix
        decides, as in :func:`open_stream`.
    labels : sequence of str, optional
        All labels, to be written as numbers in this order: −1 and 1 for two labels, 1 to K for
        more. Svmlight and Vowpal Wabbit text need them if the labels are text.

    Returns
    -------
    int
        The number of rows.

    Raises
    ------
    DataError
        The stream cannot be read, pyarrow is not installed, or the format cannot hold the rows.
    ValueError
        The stream has no labels, the suffix names no format, or ``labels`` are not two or more
        distinct labels.
    OSError
        The file cannot be written; an old file at ``path`` stays as it was.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt.streams import open_stream
    >>> species = ["setosa", "versicolor", "virginica"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "iris.svm")
    ...     rows = write_stream(open_stream("sklearn:iris"), path, labels=species)
    ...     print(rows, path.read_text().splitlines()[0])
    150 1 1:5.1 2:3.5 3:1.4 4:0.2
    """
    format = written_format(os.fspath(path), format)
    return _write(NumberedStream(stream, labels) if labels else stream, path, format)


def write_arrow(stream: Stream, path: str | os.PathLike[str]) -> int:
    """Write the rows of a stream as an Arrow file (IPC), which reads back bit for bit.

    Sparse rows are two columns of lists, ``indices`` and ``values``; dense rows have one column per
    feature, with its name, or ``x0``, ``x1``, … without names. Ids, weights and labels are the last
    columns. The metadata of the file describe the source (:meth:`Stream.noted`), so that a model
    trained on one accepts the other. JSON lines are read twice, as the metadata at the beginning of
    the file have the names of all columns. The file is written under a temporary name beside
    ``path``, flushed to disk, then renamed.

    Parameters
    ----------
    stream : Stream
        A stream with labels.
    path : str or path
        Should end in ``.arrow``, so that :func:`rosenblatt.streams.open_stream` detects it.

    Returns
    -------
    int
        The number of rows.

    Raises
    ------
    DataError
        The stream cannot be read, pyarrow is not installed, or labels or ids change from integers
        to another type.
    ValueError
        The stream has no labels.
    OSError
        The file cannot be written; an old file at ``path`` stays as it was.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt.streams import open_stream
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = write_arrow(open_stream("sklearn:iris"), f"{folder}/iris.arrow")
    ...     X, y = open_stream(f"{folder}/iris.arrow").read()
    >>> rows, X.shape, str(y[0])
    (150, (150, 4), 'setosa')
    """
    return _write(stream, path, "arrow")


def _write(stream: Stream, path: str | os.PathLike[str], format: str) -> int:
    if not stream.labelled:
        name = shown(stream.name)
        raise ValueError(f"the stream {name} has no labels: open it with labelled=True.")
    declared = FORMATS[format]
    title = declared.title if declared.written_as == "columns" else declared.written
    require_pyarrow(os.fspath(path), f"{title} is written")
    assert declared.write is not None  # as of all formats that are written
    rows: int = declared.write(stream, path)
    return rows


def written_format(path: str, format: str | None = None) -> str:
    """Return the format of a file to be written: ``format``, else that of the suffix.

    Raises
    ------
    ValueError
        The suffix names no format that can be written, or a compression that cannot.

    Examples
    --------
    >>> written_format("a.svm.gz"), written_format("a", "vw"), written_format("a.parquet")
    ('svmlight', 'vw', 'parquet')
    """
    suffix, compression = Path(path).suffix.lower(), ""
    if suffix in (*_COMPRESSORS, ".zst"):
        suffix, compression = Path(Path(path).stem).suffix.lower(), suffix
    format = SUFFIXES.get(suffix) if format is None else format
    if format not in WRITTEN_FORMATS:
        *suffixes, last = (FORMATS[name].suffixes[0] for name in WRITTEN_FORMATS)
        remedy = f"let it end in {', '.join(suffixes)} or {last}"
        raise ValueError(f"{path}: its name tells no format: {remedy}.")
    is_text = FORMATS[format].written_as != "columns"
    if compression and not (is_text and compression in _COMPRESSORS):
        remedy = "choose .gz, .xz or .bz2" if is_text else "leave it out"
        kind = WRITTEN_FORMATS[format]
        raise ValueError(f"{path}: no {kind} is written with {compression}: {remedy}.")
    return format


def reads_twice(stream: Stream, format: str) -> bool:
    """Return whether the rows are read twice, to know all columns and means before the first row.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> reads_twice(open_stream("sklearn:iris"), "csv")
    False
    """
    kind = FORMATS[format].written_as
    if kind == "lines" or stream.bits is not None:
        return False
    if not stream.sparse:
        return stream.imputer is not None
    return kind == "table" or stream.feature_names is not None


@contextmanager
def compressed(path: str | os.PathLike[str], file: BinaryIO) -> Iterator[BinaryIO]:
    """Open a compressor of ``file`` if the suffix of ``path`` names one."""
    compressor = _COMPRESSORS.get(Path(path).suffix.lower())
    if compressor is None:
        yield file
        return
    with compressor(file) as text:
        yield cast(BinaryIO, text)


# --- views of a stream ----------------------------------------------------------------------------


class NumberedStream(StreamView):
    """Rows whose labels are replaced by numbers: −1 and 1 for two labels, 1 to K for more.

    Parameters
    ----------
    stream : Stream
    labels : sequence of str
        All labels, in the order of their numbers. Labels that are numbers are equal if their values
        are.

    Raises
    ------
    ValueError
        There are fewer than two labels, or one occurs twice.
    DataError
        When iterating: a row has another label.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> stream = NumberedStream(
    ...     open_stream("sklearn:iris"), ["setosa", "versicolor", "virginica"]
    ... )
    >>> np.unique(stream.read()[1]).tolist()
    [1, 2, 3]
    """

    def __init__(self, stream: Stream, labels: Sequence[str]) -> None:
        super().__init__(stream)
        self._numbers = number_labels(labels)

    def __iter__(self) -> Iterator[Batch]:
        for batch in self._stream:
            self.index_base = self._stream.index_base
            self.feature_names = self._stream.feature_names
            yield batch.replace(y=self._numbered(batch))

    def _numbered(self, batch: Batch) -> NDArray[np.int64]:
        labels, codes = np.unique(batch.y, return_inverse=True)
        numbers = [self._number(label) for label in labels.tolist()]
        if None in numbers:
            code = numbers.index(None)
            row = batch.first_row + int(np.argmax(codes == code))
            problem = f"found the label {str(labels[code])!r}, which --labels does not name"
            raise DataError(
                self.name,
                f"row {row:,} (from 0): {problem}: it names {','.join(self._numbers)}.",
            )
        return np.array(numbers, np.int64)[codes]

    def _number(self, label: object) -> int | None:
        if isinstance(label, str):
            return self._numbers.get(label)
        return next((n for word, n in self._numbers.items() if _value(word) == label), None)


def number_labels(labels: Sequence[str]) -> dict[str, int]:
    """Return the number of each label: −1 and 1 for two, 1 to K for more.

    Raises
    ------
    ValueError
        There are fewer than two labels, or one occurs twice.

    Examples
    --------
    >>> number_labels(["ham", "spam"]), number_labels(["a", "b", "c"])
    ({'ham': -1, 'spam': 1}, {'a': 1, 'b': 2, 'c': 3})
    """
    if len(labels) < 2 or len(set(labels)) < len(labels):
        listed = ",".join(labels)
        raise ValueError(f"labels must be two or more distinct labels; got {listed!r}.")
    numbers = (-1, 1) if len(labels) == 2 else range(1, len(labels) + 1)
    return dict(zip(labels, numbers, strict=True))


def _value(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


class DenseStream(StreamView):
    r"""Sparse rows as dense ones, with a name for every column.

    The rows are read twice, as the columns are known after the last row. A column without a name is
    ``x`` and its index, which starts at ``index_base`` in svmlight text.

    Parameters
    ----------
    stream : Stream

    Raises
    ------
    DataError
        The columns are hashed, or number more than 10,000; or the stream cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt.streams import open_stream
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "two.svm")
    ...     _ = path.write_text("1 3:0.5\n-1 1:2\n")
    ...     stream = DenseStream(open_stream(path))
    ...     print(stream.feature_names, stream.read()[0].tolist())
    ['x1', 'x2', 'x3'] [[0.0, 0.0, 0.5], [2.0, 0.0, 0.0]]
    """

    def __init__(self, stream: Stream) -> None:
        if stream.bits is not None:
            raise DataError(stream.name, _too_wide(f"2^{stream.bits} hashed columns"))
        width = 0
        for batch in stream:
            width = max(width, batch.X.shape[1])
            if width > MAX_COLUMNS:
                raise DataError(stream.name, _too_wide(f"more than {MAX_COLUMNS:,} columns"))
        base = stream.index_base or 0
        names = stream.feature_names or [f"x{j + base}" for j in range(width)]
        super().__init__(stream, sparse=False, feature_names=list(names))

    def __iter__(self) -> Iterator[Batch]:
        width = len(self.feature_names or ())
        rows = max(1, _DENSE_CELLS // max(1, width))
        for batch in self._stream:
            for start in range(0, batch.X.shape[0], rows):
                part = take_rows(batch, slice(start, start + rows), batch.first_row + start)
                yield part.replace(X=with_width(part.rows, width).tocsr().toarray())


def _too_wide(columns: str) -> str:
    return (
        f"its rows are sparse, with {columns}, too many for a table: write svmlight text (.svm) or "
        "Parquet (.parquet) instead."
    )
