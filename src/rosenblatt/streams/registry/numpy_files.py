"""Files of NumPy and SciPy: ``.npy`` and ``.npz``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rosenblatt.streams.core.format import Format

if TYPE_CHECKING:
    from rosenblatt.streams.core.stream import Stream
    from rosenblatt.streams.io.asked import NamedFile


def open_file(format: str, file: NamedFile) -> Stream:
    """Return the rows of an array, mapped into memory if it is a single one."""
    from rosenblatt.streams.formats.numpy_files import ArrayStream

    return ArrayStream(file.name, format, file.options)


FORMATS = tuple(
    Format(
        name=name,
        title=title,
        contents="arrays, dense and sparse",
        page="arrays",
        options=options,
        rank=60,
        suffixes=(f".{name}",),
        open_file=partial(open_file, name),
    )
    for name, title, options in (("npy", "an array", ("target",)), ("npz", "X and y", ()))
)
