"""Entry point of reading: detection of a source's format, and its stream.

The reader of a format is imported where such a source is opened: a command starts sooner.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from rosenblatt.streams.core.access import NO_ACCESS, Access, StorageOptions
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.format import Format
from rosenblatt.streams.core.options import BATCH_BYTES, MAX_GROWTH, ReadOptions
from rosenblatt.streams.io.files import NamedFile, Text
from rosenblatt.streams.io.paths import (
    ListedFile,
    PathLike,
    address_of,
    expand_paths,
    list_files,
    path_of,
)
from rosenblatt.streams.io.sources import open_source
from rosenblatt.streams.registry import FORMAT_NAMES, FORMATS, SUFFIXES
from rosenblatt.streams.registry.delimited import recognise_layout

if TYPE_CHECKING:
    from rosenblatt.streams.core.bad_rows import OnBadRow
    from rosenblatt.streams.core.hashed_names import HashedNames
    from rosenblatt.streams.core.stream import Stream
    from rosenblatt.streams.features.vocabulary import Vocabulary


def open_stream(
    source: PathLike | Sequence[PathLike],
    *,
    format: str | None = None,
    target: str | None = None,
    labelled: bool = True,
    index_base: int | None = None,
    bits: int | None = None,
    tags: bool = False,
    batch_bytes: int = BATCH_BYTES,
    text: str | Sequence[str] = (),
    schema: dict[str, str] | None = None,
    interactions: Sequence[str] = (),
    names: HashedNames | None = None,
    on_bad_row: OnBadRow = "stop",
    separator: str | None = None,
    decimal: str | None = None,
    quotes: bool | None = None,
    header: bool | None = None,
    column_names: Sequence[str] = (),
    missing: str | Sequence[str] = (),
    impute: str | None = None,
    means: dict[str, float] | None = None,
    keep: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    storage_options: Mapping[str, Any] | None = None,
    cache_bytes: int | None = None,
) -> Stream:
    r"""Open a source of rows with labels.

    Parameters
    ----------
    source : str, path, or sequence of them
        A path, ``PATH#bytes=A-B`` for the lines of a text file that start at its bytes A to B − 1,
        ``PATH#row_groups=A-B`` for the row groups A to B − 1 of a Parquet file, or the record
        batches of an Arrow file,
        ``-`` for standard input, an address that fsspec reads (``https://…``, ``s3://…``),
        or ``sklearn:NAME`` for a data set of scikit-learn. Files named ``.gz``, ``.xz``, ``.bz2``
        or ``.zst`` are decompressed while reading, ``.zst`` by pyarrow. A pattern such as
        ``day-*.svm.gz`` stands for all files that match it, in sorted order; their rows, or those
        of a sequence, form one stream. So do the tables of a folder, as Dask, Spark and pandas
        write them, at any depth, on a disk or at a URL of no web server; names ``key=value`` of
        folders in it are columns: numbers where all values are, dates where all are, else
        categories. For a folder with one folder of texts or of mail per label, a mailbox, or an
        archive of such a folder see ``rosenblatt.streams.formats.folders.FolderStream``.
    format : str, optional
        The name of one of the ``rosenblatt.streams.registry.FORMATS``, such as "svmlight",
        "csv" or "folder". By default the suffix decides; folders have the format "folder". With
        another suffix, without one and on standard input the first lines decide, if they are clear:
        rows of ``label index:value ...``, rows of ``label |namespace feature ...``, objects
        ``{...}``, or a header that names two columns or more. Parquet and Arrow need pyarrow, the
        extra ``data``.
    target : str, optional
        Tables: the column of labels. By default the first of ``target``, ``label``, ``class``,
        ``y`` that names a column, in upper or lower case, else the last column. In ``.npy`` files
        columns are numbered from 0; in JSON lines there is no last key.
    labelled : bool, default True
        Tables, Vowpal Wabbit text, JSON lines and folders: False reads rows without labels. Every
        column of a table is then a feature, except ``target``, which is skipped if present.
        Svmlight text may then lack labels: it does if its first row begins with ``index:value``.
        Other formats always have labels.
    index_base : {0, 1}, optional
        Svmlight text: the index of the first column. By default 0 if the first batch has an
        index 0, else 1.
    bits : int, optional
        Names are hashed to 2^bits columns, 1 to 30; default 18 in Vowpal Wabbit text and with
        texts. Tables and JSON lines without texts are hashed only if ``bits`` is set, and so are
        the indices of svmlight text: the index i is in column i mod 2^bits.
    tags : bool, default False
        Vowpal Wabbit text: whether to read the tags of the rows as ``ids``; reading is slower.
    batch_bytes : int, default 4 MiB
        Approximate size of a batch: bytes of text, or of the array ``X``. With 1, each batch from
        a pipe has the rows that have arrived.
    text : str or sequence of str, optional
        Hashed n-grams of texts in folders, tables and JSON lines. ``word:1-2`` are words and pairs
        of words, ``char:3-5`` sequences of letters, ``char_wb:3-5`` those within words; several
        specs share the columns (``rosenblatt.streams.features.ngrams.NgramHasher``). By default
        ``word:1-2``.
    schema : dict, optional
        Tables and JSON lines: columns, or keys, with their kinds: ``number``, ``category``,
        ``text``, ``date``, ``date-dmy``, ``date-mdy``, ``time``, ``label``, ``id``, ``weight`` or
        ``skip``; ``*`` stands for all columns that it does not name. By default, the kinds are
        inferred from the first rows, and columns of ids are left out
        (``rosenblatt.streams.features.ids``); dates become the features of
        ``rosenblatt.streams.features.dates``.
    interactions : sequence of str, default none
        Products of features, each ``"a*b"`` or ``"a*b*c"``. Vowpal Wabbit text: all pairs of a
        feature of the namespace a with one of b, or all triples, hashed as in
        ``rosenblatt.engine.text.hashing``; an empty name beside a star is the namespace without a
        name. Tables and JSON lines: the product of the columns a and b, and of all columns
        ``a=value`` and ``a.key``. With ``bits`` the products are hashed, too; texts have no
        interactions. A name that is in no row is an error, in rows with labels.
    names : HashedNames, optional
        Records the names of hashed columns.
    on_bad_row : {"stop", "skip"} or callable, default "stop"
        The policy for rows that cannot be read: raise an error at the first; skip them, counted by
        ``bad_rows`` of the stream; or skip them and call a function with each, a
        :class:`rosenblatt.streams.BadRow`, in the order of the rows, in every pass. Problems of a
        whole source are always errors: a malformed header, a truncated archive, not a single row
        that can be read. Text, Parquet and Arrow have bad rows.
    separator : str, optional
        CSV and TSV: the character between two cells; a blank stands for any number of blanks and
        tabs. By default a comma in CSV, a tab in TSV, and blanks in a file without a known suffix
        whose first rows have no other separator.
    decimal : {".", ","}, default "."
        CSV and TSV: the mark before the decimals of numbers. With a comma the default separator of
        CSV is a semicolon.
    quotes : bool, optional
        CSV and TSV: whether a cell may be in double quotes, and then contain separators and ends of
        lines; if not, a quote is a character like any other. By default True; in TSV False if the
        first rows can only be read so.
    header : bool, default True
        CSV and TSV: False if the first line is a row. The columns are then ``column_names``, by
        default ``c1``, ``c2``, …
    column_names : sequence of str, optional
        CSV and TSV without a header line: the columns. Rows without labels may lack the column
        ``target``.
    missing : str or sequence of str, optional
        Tables and JSON lines: spellings of a missing cell besides the empty cell, ``NA``, ``N/A``,
        ``NaN``, ``nan``, ``null``, ``NULL``, ``?``, and null in JSON, Parquet and Arrow. A spelling
        that is a number stands for all cells of this value. Implies ``impute="mean"``.
    impute : {"mean", "zero", "indicator"}, optional
        Tables and JSON lines: the number in place of a missing one: the mean of the column in the
        rows before; 0; or 0 beside a feature ``column is missing`` of value 1. A missing category
        or text is no feature, with ``"indicator"`` a missing category is a feature ``column is
        missing``. A missing label or weight is always an error. By default a missing number of a
        table is an error, too, null in JSON lines is no feature, and ``?`` is a category like any
        other.
    means : dict, optional
        With ``impute="mean"``: the mean of each column, instead of that of the rows before. A
        model notes the means of its training data (:meth:`Stream.noted`).
    keep : str or sequence of str, optional
        Vowpal Wabbit text: the namespaces whose features are read, by their full names; those of
        all others are left out, of interactions, too. By default all are read.
    ignore : str or sequence of str, optional
        Vowpal Wabbit text: namespaces whose features are left out.
    storage_options : mapping, optional
        Options of fsspec's file system of a URL, such as ``{"key": …, "secret": …, "endpoint_url":
        …}`` of ``s3://``; by default those of its environment variables. They are in no note, no
        message and no file.
    cache_bytes : int ≥ 0, optional
        The budget of a cache on the disk, in ``TMPDIR``: what is read of a URL is kept there for
        the passes after the first, as far as it fits, until the process ends. By default the
        environment variable ``ROSENBLATT_CACHE``, else 0: every pass reads the URL again.

    Returns
    -------
    Stream

    Raises
    ------
    DataError
        The source does not exist, cannot be read, is empty, or its format is not clear; a table
        has a malformed header, no column ``target`` or no column of an interaction. Iterating
        raises it for bad rows.
    ValueError
        An option is out of range, or the format does not accept it.

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
    options = ReadOptions(
        format=format,
        target=target,
        index_base=index_base,
        bits=bits,
        labelled=labelled,
        tags=tags,
        batch_bytes=batch_bytes,
        text=(text,) if isinstance(text, str) else tuple(text),
        schema=schema,
        interactions=tuple(interactions),
        names=names,
        on_bad_row=on_bad_row,
        separator=separator,
        decimal=decimal,
        quotes=quotes,
        header=header,
        column_names=tuple(column_names),
        missing=(missing,) if isinstance(missing, str) else tuple(missing),
        impute=impute,
        means=means,
        keep=(keep,) if isinstance(keep, str) else tuple(keep),
        ignore=(ignore,) if isinstance(ignore, str) else tuple(ignore),
        storage_options=None if storage_options is None else StorageOptions(storage_options),
        cache_bytes=cache_bytes,
    )
    return open_with(source, options)


def open_with(source: PathLike | Sequence[PathLike], options: ReadOptions) -> Stream:
    """Open a source of rows with labels, with options as :func:`open_stream` documents them.

    Examples
    --------
    >>> open_with("sklearn:wine", ReadOptions(interactions=("alcohol*hue",))).feature_names[-1]
    'alcohol*hue'
    """
    options.validate()
    files = list_files(source, options.access, format=options.format)
    options = with_listed_versions(files, with_partitions(files, options))
    names = [file.name for file in files]
    if len(names) == 1:
        stream = open_one(names[0], options)
    else:
        from rosenblatt.streams.multiple import MultiFileStream

        if options.format is None:
            check_suffixes(names)
        skips_empty = any(file.folder for file in files)
        stream = MultiFileStream(names, options, open_one, skips_empty=skips_empty)
        if len({file.folder for file in files}) == 1 and skips_empty:
            stream.name = files[0].folder
    if options.schema and stream.schema is not None:
        from rosenblatt.streams.features.schema import check_skipped_columns

        columns = [*stream.schema, *(() if stream.target is None else (stream.target,))]
        check_skipped_columns(stream.name, options.schema, columns)
    if options.interactions in ((), stream.interactions):
        return stream
    from rosenblatt.streams.interactions import InteractionStream

    may_lack = options.settled or not options.labelled
    return InteractionStream(stream, options.interactions, may_lack_groups=may_lack)


def with_partitions(files: Sequence[ListedFile], options: ReadOptions) -> ReadOptions:
    """Return the options with the columns in the paths of the files of folders.

    Kinds that the options have already, those of a model, stay.

    Examples
    --------
    >>> files = [ListedFile("pq/day=7/a.csv", "pq")]
    >>> with_partitions(files, ReadOptions()).partitions
    {'day': 'number'}
    """
    if not any(file.folder and "=" in file.name for file in files):
        return options
    from rosenblatt.streams.features.partitions import kinds_of_partitions

    kinds = kinds_of_partitions(files) | (options.partitions or {})
    return options._replace(partitions=kinds or None)


def with_listed_versions(files: Sequence[ListedFile], options: ReadOptions) -> ReadOptions:
    """Return the options with the versions of URLs, as they were listed; those it has stay."""
    versions = {path_of(file.name): file.version for file in files if file.version is not None}
    return options._replace(versions={**versions, **(options.versions or {})} or None)


def open_one(name: str, options: ReadOptions, vocabulary: Vocabulary | None = None) -> Stream:
    """Open one file, standard input, or one data set.

    Parameters
    ----------
    name : str
    options : ReadOptions
    vocabulary : Vocabulary, optional
        The columns so far, where columns are created as names appear.

    Raises
    ------
    DataError, ValueError
        As in :func:`open_stream`.

    Examples
    --------
    >>> open_one("sklearn:iris", ReadOptions()).feature_names[0]
    'sepal length (cm)'
    """
    by_name = _format_by_name(name)
    if by_name is not None and by_name.prefix and options.format is not None:
        raise ValueError(f"format does not go with {name}; got {options.format!r}.")
    format = by_name if options.format is None else FORMATS[options.format]
    if format is not None and format.open_file is not None:
        options.check_format(format.name)
        file: Stream = format.open_file(NamedFile(format.name, name, options, vocabulary))
        return file
    # rows with interactions may be many times as long as their text
    size = options.batch_bytes // MAX_GROWTH if options.interactions else options.batch_bytes
    source = open_source(name, max(1, size), options.access)
    head = source.head(options.on_bad_row != "stop")
    if format is None:
        format, options = _recognise(source.name, head.text, options)
    options.check_format(format.name)
    assert format.open_lines is not None  # a format has one of both functions
    text: Stream = format.open_lines(Text(format.name, source, head, options, vocabulary))
    return text


def _format_by_name(name: str) -> Format | None:
    """Return the format of a prefix, of the suffix, or of a folder, else None."""
    if ":" in name:
        for format in FORMATS.values():
            if format.prefix and name.startswith(format.prefix):
                return format
    address = address_of(name)
    if address.suffix in SUFFIXES:
        return FORMATS[SUFFIXES[address.suffix]]
    return next((one for one in FORMATS.values() if one.has_folders and os.path.isdir(name)), None)


def _recognise(name: str, head: bytes, options: ReadOptions) -> tuple[Format, ReadOptions]:
    """Return the format by the first lines, and the options of its layout; or refuse the source."""
    is_plain = options.separator is None and options.has_header
    format = sniff(head) if is_plain else None
    if format is None:
        rows = [row for row in head.split(b"\n", SNIFFED_LINES)[:SNIFFED_LINES] if row.strip()]
        format, options = recognise_layout(rows, options)
    if format is None:
        raise _unclear(name)
    return FORMATS[format], options


def _unclear(name: str) -> DataError:
    problem = f"its format is not clear: set format to one of {', '.join(FORMAT_NAMES)}."
    table = "For a table without a header line: --no-header; with another separator"
    return DataError(name, f"{problem} {table}: --separator.")


SNIFFED_LINES = 20
"""So many rows decide the format of a text."""

_NO_COMMENT = re.compile(b"[^#%]")


def sniff(head: bytes) -> str | None:
    r"""Detect the format from the first lines; None if it is not clear.

    Parameters
    ----------
    head : bytes

    Examples
    --------
    >>> [sniff(head) for head in (b"# a comment\n1 2:3.5\n", b"x1,x2,y\n", b"x1\ty\n", b"{}", b"a")]
    ['svmlight', 'csv', 'tsv', 'jsonl', None]
    >>> sniff(b"1 2.5 'mail7|words spam offer:2\n-1 |words hello\n")
    'vw'
    """
    lines = (line.strip() for line in io.BytesIO(head))
    rows = list(islice(filter(_NO_COMMENT.match, lines), SNIFFED_LINES))
    first = head.partition(b"\n")[0].strip()
    for name, format in FORMATS.items():
        if format.begins is not None and format.begins(first, rows):
            return name
    return None


def format_of(source: PathLike | Sequence[PathLike], access: Access = NO_ACCESS) -> str:
    """Return the format in which :func:`open_stream` reads a source that is no pipe.

    Parameters
    ----------
    source : str, path, or sequence of them
    access : Access
        How a URL is read.

    Raises
    ------
    DataError
        The format is not clear, or the source cannot be read.

    Examples
    --------
    >>> format_of("mail.svm.gz"), format_of("sklearn:iris")
    ('svmlight', 'sklearn')
    """
    name = expand_paths(source, access)[0]
    by_name = _format_by_name(name)
    if by_name is not None:
        return by_name.name
    format = sniff(open_source(name, BATCH_BYTES, access).head().text)
    if format is None:
        raise _unclear(name)
    return format


def first_line(
    source: PathLike | Sequence[PathLike], access: Access = NO_ACCESS, format: str | None = None
) -> str:
    """Return the first line of text of a source that is no pipe, of a format if it is said.

    Raises
    ------
    DataError
        The source is empty, or cannot be read.
    """
    name = expand_paths(source, access, format=format)[0]
    head = open_source(name, BATCH_BYTES, access).head(skips=True)
    return head.text.partition(b"\n")[0].decode(errors="replace")


def check_suffixes(names: list[str]) -> None:
    """Refuse files whose suffixes mean different formats, before any of them is read."""
    formats = {name: one.name for name in names if (one := _format_by_name(name)) is not None}
    first = next(iter(formats), "")
    for name, format in formats.items():
        if format != formats[first]:
            problem = f"is {format}, but {first} is {formats[first]}"
            raise DataError(name, f"{problem}: read them separately, or set format.")
