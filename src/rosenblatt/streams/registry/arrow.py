"""Parquet and Arrow files, by pyarrow."""

from __future__ import annotations

from rosenblatt.streams.core.format import TABLE_OPTIONS, Format, late

FORMATS = tuple(
    Format(
        name=name,
        title=name.title(),
        contents="columnar files, memory-mapped where possible; extra `data`",
        page="parquet",
        options=TABLE_OPTIONS,
        rank=50 + k,
        suffixes=suffixes,
        open_file=late("arrow", "open_file"),
        write=late("arrow.writer", f"write_{name}"),
        written=f"{name.title()} file",
        written_as="columns",
    )
    for k, (name, suffixes) in enumerate(
        [("parquet", (".parquet",)), ("arrow", (".arrow", ".feather"))]
    )
)
