"""Files of NumPy and SciPy: ``.npy`` and ``.npz``."""

from __future__ import annotations

from rosenblatt.streams.core.format import Format, late

FORMATS = tuple(
    Format(
        name=name,
        title=title,
        contents="arrays, dense and sparse",
        page="arrays",
        options=options,
        rank=60,
        suffixes=(f".{name}",),
        open_file=late("formats.numpy_files", "ArrayStream"),
    )
    for name, title, options in (("npy", "an array", ("target",)), ("npz", "X and y", ()))
)
