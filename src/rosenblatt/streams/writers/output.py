"""Files written from a stream: text, plain or compressed, Parquet and Arrow."""

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

from rosenblatt.streams.arrow import require_pyarrow
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.registry import FORMATS, SUFFIXES, WRITTEN_FORMATS
from rosenblatt.streams.writers.views import NumberedStream

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
        raise ValueError(f"the stream {stream.name} has no labels: open it with labelled=True.")
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
