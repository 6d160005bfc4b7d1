"""Parquet and Arrow files, by pyarrow."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from rosenblatt.streams.core.format import TABLE_OPTIONS, Format

if TYPE_CHECKING:
    from rosenblatt.streams.core.stream import Stream
    from rosenblatt.streams.io.asked import NamedFile


def open_file(format: str, file: NamedFile) -> Stream:
    """Return the rows of a table, or of two columns of lists."""
    from rosenblatt.streams.arrow.reader import ArrowStream

    return ArrowStream(file.name, format, file.options, file.vocabulary)


def write_parquet(stream: Stream, path: str | os.PathLike[str]) -> int:
    """Write the rows as columns, compressed."""
    from rosenblatt.streams.arrow import writer

    return writer.write_parquet(stream, path)


def write_arrow(stream: Stream, path: str | os.PathLike[str]) -> int:
    """Write the rows as columns that readers map into memory."""
    from rosenblatt.streams.arrow import writer

    return writer.write_arrow(stream, path)


FORMATS = tuple(
    Format(
        name=name,
        title=name.title(),
        contents="columnar files, memory-mapped where possible; extra `data`",
        page="parquet",
        options=TABLE_OPTIONS,
        rank=50 + k,
        suffixes=suffixes,
        open_file=partial(open_file, name),
        write=write,
        written=f"{name.title()} file",
        written_as="columns",
    )
    for k, (name, suffixes, write) in enumerate(
        [
            ("parquet", (".parquet",), write_parquet),
            ("arrow", (".arrow", ".feather"), write_arrow),
        ]
    )
)
