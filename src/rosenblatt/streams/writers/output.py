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
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, cast

from rosenblatt.streams.arrow.writer import check_writable, write_batches
from rosenblatt.streams.core.batch import Batch
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.registry import FORMATS, SUFFIXES, WRITTEN_FORMATS
from rosenblatt.streams.writers.views import DenseStream, NumberedStream
from rosenblatt.utils.atomic import atomic_write

if TYPE_CHECKING:
    import pyarrow as pa


class Lines(Protocol):
    """Formatter of the batches of a stream as lines of text."""

    title: str

    def __init__(self, stream: Stream) -> None: ...

    def __call__(self, batch: Batch) -> memoryview:
        """Return the lines of a batch."""


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
    write = FORMATS[written_format(os.fspath(path), format)].write
    assert write is not None  # as of all formats that are written
    rows: int = write(NumberedStream(stream, labels) if labels else stream, path)
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


def write_table(stream: Stream, path: str | os.PathLike[str], *, kind: str, delimiter: str) -> int:
    """Write the rows as delimited text, below a line of names; sparse rows become dense.

    Parameters
    ----------
    stream : Stream
    path : str or path
    kind : str
        Kind of file, for messages.
    delimiter : str
    """
    check_writable(stream, path, kind)
    from pyarrow import csv

    options = csv.WriteOptions(delimiter=delimiter)

    @contextmanager
    def open_writer(file: BinaryIO, schema: pa.Schema) -> Iterator[Any]:
        with (
            _compressed(path, file) as text,
            csv.CSVWriter(text, schema, write_options=options) as writer,
        ):
            yield writer

    dense = DenseStream(stream) if stream.sparse else stream
    return write_batches(dense, path, kind, open_writer)


def write_lines(stream: Stream, path: str | os.PathLike[str], lines: type[Lines]) -> int:
    """Write the rows as text, a line each.

    Parameters
    ----------
    stream : Stream
    path : str or path
    lines : class
        Its instances, made of a stream, return the text of a batch; ``title`` is their kind.
    """
    check_writable(stream, path, lines.title)
    as_lines, batches, rows = lines(stream), iter(stream), 0
    first = next(batches)  # a stream without rows is a DataError
    head = as_lines(first)  # labels that are text are refused before any file is made
    with atomic_write(path, lines.title) as file, _compressed(path, file) as text:
        text.write(head)
        rows += len(first.y)
        for batch in batches:
            text.write(as_lines(batch))
            rows += len(batch.y)
    return rows


@contextmanager
def _compressed(path: str | os.PathLike[str], file: BinaryIO) -> Iterator[BinaryIO]:
    """Open a compressor of ``file`` if the suffix of ``path`` names one."""
    compressor = _COMPRESSORS.get(Path(path).suffix.lower())
    if compressor is None:
        yield file
        return
    with compressor(file) as text:
        yield cast(BinaryIO, text)
