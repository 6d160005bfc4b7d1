"""Parquet and Arrow files, whole or some of their row groups, on a disk or at a URL.

A Parquet file at a URL is read by ranges of bytes, so that only the columns and row groups that are
needed are. A whole Arrow file is copied first, as it is memory-mapped.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pyarrow as pa
from pyarrow import parquet

from rosenblatt.streams.core.access import Access, Version
from rosenblatt.streams.core.errors import DataError, damaged_file
from rosenblatt.streams.io.files import local_file
from rosenblatt.streams.io.lines import read_error
from rosenblatt.streams.io.paths import RowGroups, address_of
from rosenblatt.streams.io.ranges import open_seekable
from rosenblatt.streams.io.remote import RemoteError, TemporaryCopy, find_version
from rosenblatt.streams.registry import FORMATS

FILE_MAGIC = b"ARROW1"

_footers: OrderedDict[tuple[str, Version], Any] = OrderedDict()
_FOOTERS = 64  # files at URLs whose metadata a process keeps: a task reads no footer again


class ColumnarFile(NamedTuple):
    """A Parquet or Arrow file, or some of its row groups.

    Attributes
    ----------
    format : {"parquet", "arrow"}
    path : str
        Where it is read: a path, or a URL.
    groups : range or None
        The row groups, or record batches; None: all.
    version : Version or None
        That of a URL; None of a file on a disk.
    access : Access
    copy : TemporaryCopy or None
        What ``path`` is, if it is a copy.
    """

    format: str
    path: str
    groups: range | None
    version: Version | None
    access: Access
    copy: TemporaryCopy | None = None

    def open_parquet(self) -> parquet.ParquetFile:
        """Open a Parquet file; at a URL the metadata are read once."""
        if self.version is None:
            return parquet.ParquetFile(self.path, pre_buffer=False)
        key = self.path, self.version
        source, footer = self._remote(), _footers.get(key)
        file = parquet.ParquetFile(source, metadata=footer, pre_buffer=True)
        if footer is None and self.version.tag:
            _footers[key] = file.metadata
            while len(_footers) > _FOOTERS:
                _footers.popitem(last=False)
        return file

    @contextmanager
    def open_arrow(self) -> Iterator[Any]:
        """Open an Arrow file or stream; its reader has ``num_record_batches`` if it is a file."""
        with pa.memory_map(self.path) if self.version is None else self._remote() as file:
            is_file = file.read(len(FILE_MAGIC)) == FILE_MAGIC
            file.seek(0)
            yield (pa.ipc.open_file if is_file else pa.ipc.open_stream)(file)

    def group_numbers(self, number: int) -> range:
        """Return the row groups that are read, of a file that has so many.

        Raises
        ------
        DataError
            The file has fewer.
        """
        groups = range(number) if self.groups is None else self.groups
        if groups.stop > number:
            raise DataError(
                self.path, f"has {number} row groups, so no {groups.start}-{groups.stop}."
            )
        return groups

    def _remote(self) -> pa.PythonFile:
        assert self.version is not None  # of a URL
        return pa.PythonFile(open_seekable(self.path, self.access, self.version), mode="r")


def open_columnar(name: str, format: str, access: Access) -> ColumnarFile:
    """Return a file by its name, which may have row groups.

    Raises
    ------
    DataError
        The file is not there, is compressed or empty, or a server sends no ranges of it.
    """
    address, title = address_of(name), FORMATS[format].title
    part = address.part if isinstance(address.part, RowGroups) else None
    groups = None if part is None else range(part.start, part.stop)
    path = name if part is None else part.path
    if address.is_url and not address.packing and (format == "parquet" or part is not None):
        version, problem = access.versions.get(path), ""
        if version is None:
            try:
                version, problem = find_version(path, access)
            except OSError as error:
                raise read_error(name, 1, error) from None
        if version.size and not problem:
            return ColumnarFile(format, path, groups, version, access)
        if part is not None:
            raise DataError(name, f"{problem or 'it is empty'}: name the file alone.")
    file = local_file(path, title, access)
    return ColumnarFile(format, file.path, groups, None, access, file.copy)


def group_sizes(name: str, format: str, access: Access) -> list[int]:
    """Return the compressed bytes of each row group of a file that is not empty.

    Of an Arrow file the record batches count alike; none can be read alone if it is a stream.

    Raises
    ------
    DataError
        The file cannot be read.
    """
    file = open_columnar(name, format, access)
    with data_errors(name, format):
        if format == "parquet":
            with file.open_parquet() as opened:
                groups = map(opened.metadata.row_group, range(opened.metadata.num_row_groups))
                return [
                    sum(one.column(k).total_compressed_size for k in range(one.num_columns))
                    for one in groups
                ]
        with file.open_arrow() as reader:
            return [1] * getattr(reader, "num_record_batches", 0)


@contextmanager
def data_errors(name: str, format: str) -> Iterator[None]:
    """Turn the exceptions of pyarrow into errors of the file."""
    try:
        yield
    except DataError:
        raise
    except RemoteError as error:
        raise read_error(name, 1, error) from None
    except (
        pa.ArrowException,
        OSError,
        ValueError,
    ) as error:  # ValueError: damaged names or metadata
        raise damaged_file(name, FORMATS[format].title, error) from error
