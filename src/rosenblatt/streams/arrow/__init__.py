"""Parquet and Arrow files, read and written by pyarrow, which may be missing."""

from __future__ import annotations

from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.io.files import NamedFile
from rosenblatt.streams.registry import FORMATS


def require_pyarrow(name: str, task: str) -> None:
    """Refuse a file that is read or written by pyarrow, if it is missing."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        problem = f"{task} by pyarrow, which is missing: pip install 'rosenblatt[data]'."
        raise DataError(name, problem) from None


def open_file(file: NamedFile) -> Stream:
    """Return the rows of a Parquet or Arrow file."""
    title = FORMATS[file.format].title
    require_pyarrow(file.name, f"{title} is read")
    from rosenblatt.streams.arrow.files import open_columnar
    from rosenblatt.streams.arrow.reader import ArrowStream

    return ArrowStream(file, open_columnar(file.name, file.format, file.options.access))
