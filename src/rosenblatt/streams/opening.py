"""Opening a stream: which format a source has, and which options go with it."""

from __future__ import annotations

import os
import re

from rosenblatt.streams.base import Stream
from rosenblatt.streams.errors import DataError
from rosenblatt.streams.samples import PREFIX, SampleStream
from rosenblatt.streams.sources import inner_suffix, open_source
from rosenblatt.streams.svmlight import SvmlightStream
from rosenblatt.streams.tables import DELIMITERS, TableStream
from rosenblatt.streams.wabbit import BITS, MOST_BITS, VwStream

BATCH_BYTES = 1 << 22

FORMATS = ("svmlight", "vw", "csv", "tsv")
_SUFFIXES = {
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".vw": "vw",
    ".csv": "csv",
    ".tsv": "tsv",
}
_NOT_YET = (".jsonl", ".parquet", ".arrow")


def open_stream(
    source: str | os.PathLike[str],
    *,
    format: str | None = None,
    target: str | None = None,
    labelled: bool = True,
    index_base: int | None = None,
    bits: int | None = None,
    batch_bytes: int = BATCH_BYTES,
) -> Stream:
    r"""Open a source of rows with labels.

    Parameters
    ----------
    source : str or path
        A path, ``-`` for standard input, or ``sklearn:NAME`` for a data set that scikit-learn
        ships. A path that ends in ``.gz``, ``.xz`` or ``.bz2`` is unpacked on the way.
    format : {"svmlight", "vw", "csv", "tsv"}, optional
        By default the suffix tells: ``.svm``, ``.svmlight``, ``.libsvm``; ``.vw`` (Vowpal Wabbit
        text); ``.csv``; ``.tsv``. With another suffix, with none and on standard input the first
        lines tell, if they are clear: rows of ``label index:value ...``, or a header with the names
        of two columns or more.
    target : str, optional
        Tables: the column with the labels. By default the first of ``target``, ``label``,
        ``class``, ``y`` that names a column, in any case of letters, else the last column.
    labelled : bool, default True
        Tables and Vowpal Wabbit text: False reads rows without labels. Every column of a table is
        then a feature, but for ``target``, which is left out where there is one. Other formats
        always have labels.
    index_base : {0, 1}, optional
        Svmlight text: the index of the first column. By default 0 if the first batch has an
        index 0, else 1.
    bits : int, optional
        Vowpal Wabbit text: names are hashed to 2^bits columns, 1 to 30; 18 by default.
    batch_bytes : int, default 4 MiB
        About how much a batch holds: bytes of text, or of the array ``X`` of a table.

    Returns
    -------
    Stream

    Raises
    ------
    DataError
        The source does not exist, cannot be read, is empty, or its format is not clear; a table
        has no good header or no column ``target``. Iterating raises it for bad rows.
    ValueError
        An option has a value that there is not, or does not go with the format.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "two.svm")
    ...     _ = path.write_text("+1 1:2 3:4\n-1 2:1\n")
    ...     batch = next(iter(open_stream(path)))
    >>> batch.X.toarray().tolist(), batch.y.tolist()
    ([[2.0, 0.0, 4.0], [0.0, 1.0, 0.0]], [1, -1])
    """
    name = os.fspath(source)
    _check_options(format, index_base, bits, batch_bytes)
    if name.startswith(PREFIX):
        kind = f"the data set {name}"
        _refuse(kind, format=format, target=target, index_base=index_base, bits=bits)
        return SampleStream(name, batch_bytes)
    opened = open_source(name, batch_bytes)
    head = opened.head()
    if head is None:
        raise DataError(opened.name, None, None, "no rows: it is empty.")
    format = format or _format_of(opened.name, head.text)
    if format == "svmlight":
        _refuse("svmlight text", target=target, bits=bits)
        return SvmlightStream(opened, index_base)
    if format == "vw":
        _refuse("Vowpal Wabbit text", target=target, index_base=index_base)
        return VwStream(opened, BITS if bits is None else bits, labelled)
    _refuse("a table", index_base=index_base, bits=bits)
    return TableStream(opened, format, head, target, labelled, batch_bytes)


def _check_options(
    format: str | None, index_base: int | None, bits: int | None, batch_bytes: int
) -> None:
    if format is not None and format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}; got {format!r}.")
    if index_base not in (None, 0, 1):
        raise ValueError(f"index_base must be 0, 1 or None; got {index_base!r}.")
    if bits is not None and not 1 <= bits <= MOST_BITS:
        raise ValueError(f"bits must be 1 to {MOST_BITS}; got {bits!r}.")
    if batch_bytes < 1:
        raise ValueError(f"batch_bytes must be 1 or more; got {batch_bytes!r}.")


def _refuse(kind: str, **options: object) -> None:
    for option, value in options.items():
        if value is not None:
            raise ValueError(f"{option} does not go with {kind}; got {value!r}.")


def _format_of(name: str, head: bytes) -> str:
    """The format by the suffix, else by the first lines."""
    suffix = inner_suffix(name)
    if suffix in _NOT_YET:
        problem = f"the format {suffix} is not read yet: convert it to svmlight text or CSV."
        raise DataError(name, None, None, problem)
    format = _SUFFIXES.get(suffix) or sniff(head)
    if format is None:
        problem = f"its format is not clear: set format to one of {', '.join(FORMATS)}."
        raise DataError(name, None, None, problem)
    return format


_DECIMAL = rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_SVMLIGHT = re.compile(
    _DECIMAL + rb"(?:[ \t]+qid:[0-9]+)?(?:[ \t]+[0-9]+:" + _DECIMAL + rb")*[ \t\r]*(?:#.*)?"
)
_NAME = re.compile(rb' *"?[A-Za-z_][\w .()/%-]*"?[ \r]*')
_SNIFFED_LINES = 20


def sniff(head: bytes) -> str | None:
    r"""The format that the first lines clearly have; None if it is not clear.

    Parameters
    ----------
    head : bytes

    Examples
    --------
    >>> sniff(b"# a comment\n1 2:3.5\n"), sniff(b"x1,x2,y\n"), sniff(b"x1\ty\n"), sniff(b"hello\n")
    ('svmlight', 'csv', 'tsv', None)
    """
    lines = [line.strip() for line in head.split(b"\n", 2 * _SNIFFED_LINES)]
    rows = [line for line in lines if line and not line.startswith(b"#")][:_SNIFFED_LINES]
    if any(b":" in row for row in rows) and all(map(_SVMLIGHT.fullmatch, rows)):
        return "svmlight"
    for format, delimiter in DELIMITERS.items():
        names = lines[0].split(delimiter.encode())
        if len(names) > 1 and all(map(_NAME.fullmatch, names)):
            return format
    return None
