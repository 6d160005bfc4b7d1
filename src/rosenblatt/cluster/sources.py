"""Shards of rows; of files, names and byte ranges, which the task that learns one reads itself."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from distributed import get_worker

from rosenblatt.cluster.cutting import Located, can_be_quoted, cut, deal, known_versions, locate
from rosenblatt.cluster.reading import FitReading, options_of_fit
from rosenblatt.learning.tuning.held_out import RowChoice
from rosenblatt.streams.aligning import AlignedStream, ColumnAligner
from rosenblatt.streams.core.access import Access, shown
from rosenblatt.streams.core.bad_rows import BadRow
from rosenblatt.streams.core.batch import Batch
from rosenblatt.streams.core.errors import DataError, NoRowsError
from rosenblatt.streams.core.notes import Notes
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.formats.delimited import cell_separator
from rosenblatt.streams.formats.records import CUT_BETWEEN_RECORDS
from rosenblatt.streams.io.listing import one_listing
from rosenblatt.streams.io.paths import ByteRange, byte_range, list_files, path_of
from rosenblatt.streams.io.positions import count_lines_before, is_in_quotes
from rosenblatt.streams.io.remote import is_url
from rosenblatt.streams.multiple import check_agreement, shared_facts
from rosenblatt.streams.opening import (
    check_suffixes,
    open_with,
    with_listed_versions,
    with_partitions,
)
from rosenblatt.streams.registry.sklearn_sets import PREFIX


class Facts(NamedTuple):
    """Facts on the columns of files, as all of them must have them.

    Attributes
    ----------
    values : dict
        :func:`rosenblatt.streams.multiple.shared_facts`.
    source : str
        Name of the file that has them.
    advice : str
        End of the message where a file has others.
    """

    values: dict[str, object]
    source: str
    advice: str = "read them separately"


class FileShard(NamedTuple):
    """A shard of files: the names of its parts, and how all files are read.

    Attributes
    ----------
    names : tuple of str
    options : ReadOptions
    size : int
        Bytes of the files that have its parts, when they were listed.
    facts : Facts or None
        What the columns of all parts must have in common.
    columns : tuple of str or None
        The columns of all shards, where names get columns as they appear; None: those of the part.
    choice : RowChoice or None
        Which rows of the parts these are, where some are held out.

    Examples
    --------
    >>> str(FileShard(("a.svm", "b.svm#bytes=0-99"), ReadOptions()))
    'a.svm … b.svm#bytes=0-99'
    """

    names: tuple[str, ...]
    options: ReadOptions
    size: int = 0
    facts: Facts | None = None
    columns: tuple[str, ...] | None = None
    choice: RowChoice | None = None

    def __str__(self) -> str:
        first, last = shown(self.names[0]), shown(self.names[-1])
        return first if first == last else f"{first} … {last}"

    def __repr__(self) -> str:
        return f"FileShard({self})"  # logs of workers have it: no secrets

    def batches(self) -> Iterator[Batch]:
        """Yield the rows, as :meth:`read` does."""
        return (batch for _, batch in self.read())

    def read(self) -> Iterator[tuple[Stream, Batch]]:
        """Yield the rows, with the stream that they are from; a part without rows yields none.

        Held-out rows are chosen as of one stream of all parts.

        Raises
        ------
        DataError
            A row cannot be read, or the columns are others; the message names the file, and the
            line.
        """
        latest: list[Stream] = []

        def batches() -> Iterator[Batch]:
            for stream, batch in self._read():
                latest[:] = [stream]
                yield batch

        if self.choice is None:
            return self._read()
        return ((latest[0], batch) for batch in self.choice.of(batches()))

    def _read(self) -> Iterator[tuple[Stream, Batch]]:
        options = self.options._replace(cache_folder=_cache_folder())
        with _naming_worker():
            for name in self.names:
                with suppress(NoRowsError):
                    stream = open_with(name, options)
                    if self.facts is not None:
                        check_agreement(stream, *self.facts)
                    if self.columns is not None:
                        stream = AlignedStream(stream, ColumnAligner(stream, list(self.columns)))
                    for batch in _batches(stream, options):
                        yield stream, batch

    def count_bad_rows(self) -> int:
        """Read the rows, and return the number of those that cannot be read."""
        number = 0

        def add(bad: BadRow) -> None:
            nonlocal number
            number += 1

        for _ in self._replace(options=self.options._replace(on_bad_row=add)).batches():
            pass
        return number


class Shards(NamedTuple):
    """Shards of rows that workers have, or can make.

    Attributes
    ----------
    names : list of str
        As errors name them.
    rows : list
        Rows of each, see :mod:`rosenblatt.cluster.tasks`; arrays are delayed.
    feature_names : sequence of str or None
        Names of the columns of a DataFrame, or of a table in a file.
    labels : list or None
        The labels of each alone, where they can be read without the rows.
    features : int or None
        Number of columns, where it is known before the rows are read.
    dtype : str or None
        The type of the weights, "float32" or "float64", where it is known.
    noted : dict or None
        Notes on how files are read, :meth:`rosenblatt.streams.Stream.noted`.
    grows : bool
        Whether names of files get columns as they appear: all rows tell which there are.
    """

    names: list[str]
    rows: list[Any]
    feature_names: Sequence[str] | None = None
    labels: list[object] | None = None
    features: int | None = None
    dtype: str | None = None
    noted: Notes | None = None
    grows: bool = False

    @property
    def are_files(self) -> bool:
        """Whether tasks read the rows from files."""
        return isinstance(self.rows[0], FileShard)

    @property
    def are_delayed(self) -> bool:
        """Whether the rows are those of delayed batches."""
        return self.noted is None and self.features is None and self.dtype is None

    @property
    def lacks_means(self) -> bool:
        """Whether missing cells are to be means of columns that only all rows tell."""
        options = self.rows[0].options if self.are_files else ReadOptions()
        return options.impute == "mean" and options.means is None


@contextmanager
def _naming_worker() -> Iterator[None]:
    """Name the worker in errors of files that it does not see."""
    try:
        yield
    except NoRowsError:
        raise
    except DataError as error:
        path = path_of(error.source)
        if os.path.exists(path) or is_url(path) or path.startswith(PREFIX):
            raise
        try:
            worker = f"the worker {get_worker().address}"
        except ValueError:
            raise error from None
        problem = f"{error.problem} So it is on {worker}; all workers must see the same files."
        raise DataError(error.source, problem, error.line, error.column) from error


@_naming_worker()
def list_shards(
    sources: Any, shards: int | None, options: ReadOptions, interleave: bool = False
) -> Shards:
    """Return the shards of files, patterns, folders and ranges, in the order of their rows.

    The number of columns is None where only all rows tell it.

    Parameters
    ----------
    sources : str, path, or sequence of them
    shards : int or None
        None: one for each file or range. Else files are cut, or several are put together, so that
        shards have about as many bytes.
    interleave : bool
        Shards are made of parts from everywhere, see
        :func:`rosenblatt.cluster.cutting.deal`.
    options : ReadOptions
        As the user gave them; what they leave open, the first file with rows decides for all.

    Raises
    ------
    DataError
        A file cannot be read.
    ValueError
        The files cannot be cut into so many shards.
    """
    listed = list_files(sources, options.access, format=options.format)
    options = with_listed_versions(listed, with_partitions(listed, options))
    names = [file.name for file in listed]
    if options.format is None:
        check_suffixes(names)
    located = locate(names, options.access)
    options = options._replace(versions=known_versions(located))
    stream, first = _first_batch(names, options)  # the index base of svmlight text is known now
    width = None if stream.sparse and stream.bits is None else int(first.X.shape[1])
    grows = width is None and stream.feature_names is not None
    # the means of the first rows are no means of all
    resolved = options.resolved(stream.format, stream.noted())._replace(means=options.means)
    if interleave:
        parts = deal(names, shards or len(names), stream.format, resolved, located)
    elif shards is not None:
        parts = cut(names, shards, stream.format, resolved, located)
    else:
        parts = [(name,) for name in names]
    shared = shared_facts(stream) | ({"feature_names": None} if grows else {})
    facts = Facts(shared, path_of(stream.name))
    files = [
        FileShard(part, _for_parts(resolved, part), _size(part, located), facts) for part in parts
    ]
    return Shards(
        [str(file) for file in files],
        files,
        None if grows else stream.feature_names,
        features=width,
        dtype="float64",
        noted=stream.noted(),
        grows=grows,
    )


@one_listing()
def list_new_shards(
    sources: Any,
    number: int | None,
    reading: dict[str, object],
    fit: FitReading,
    interleave: bool = False,
) -> Shards:
    """Return the shards of new files for the model of a fit, as :func:`list_shards` does."""
    shards = list_shards(sources, number, options_of_fit(sources, reading, fit), interleave)
    if shards.grows and fit.feature_names is not None:
        columns = tuple(fit.feature_names)
        return shards._replace(
            rows=[shard._replace(columns=columns) for shard in shards.rows],
            feature_names=columns,
            features=len(columns),
            grows=False,
        )
    advice = "give files with the columns of the fit, in their order"
    facts = Facts({"feature_names": fit.feature_names}, "the fit", advice)
    return shards._replace(rows=[shard._replace(facts=facts) for shard in shards.rows])


def _for_parts(options: ReadOptions, names: Sequence[str]) -> ReadOptions:
    """Return options with the versions of these files alone."""
    versions = options.versions or {}
    paths = {*map(path_of, names)} & versions.keys()
    return options._replace(versions={path: versions[path] for path in paths})


def _size(names: Sequence[str], located: Located) -> int:
    paths = {*map(path_of, names)}
    sizes = [located[path][0].size or 0 for path in paths if path in located]
    return sum(sizes) + sum(os.path.getsize(path) for path in paths if os.path.isfile(path))


def _cache_folder() -> str | None:
    """Return the folder of this worker; None outside of workers."""
    try:
        return str(get_worker().local_directory)
    except ValueError:
        return None


def _first_batch(names: Sequence[str], options: ReadOptions) -> tuple[Stream, Batch]:
    """Return the stream of the first source with rows, which decides for all, and its rows."""
    options.validate()
    for name in names:
        try:
            stream = open_with(name, options)
            first = next(_batches(stream, options))
        except NoRowsError:
            continue
        return stream, first
    raise NoRowsError(f"{names[0]} … {names[-1]}", "no rows in any of the files.")


def _batches(stream: Stream, options: ReadOptions) -> Iterator[Batch]:
    """Yield the rows of a stream; errors in a byte range have the lines of the file."""
    try:
        yield from stream
    except DataError as error:
        part = byte_range(stream.name)
        if part is None or error.line is None:
            raise
        problem = f"{error.problem} It is in the range {part}."
        if can_be_quoted(stream.format, options):
            problem += _crossing_cell(part, cell_separator(stream.format, options), options.access)
        line = count_lines_before(part, options.access) + error.line
        raise DataError(part.path, problem, line, error.column) from error


def _crossing_cell(part: ByteRange, separator: str, access: Access) -> str:
    """Return advice on a quoted cell at the ends of a range; the file is read up to there."""
    for name, position in (("start", part.start), ("end", part.stop)):
        if is_in_quotes(part.path, position, separator, access):
            return f" A quoted cell crosses its {name}: {CUT_BETWEEN_RECORDS}"
    return ""
