"""Files, pipes and tables as batches of rows with labels, in constant memory.

:func:`open_stream` opens svmlight text, CSV, TSV and JSON lines (plain, or as ``.gz``, ``.xz``,
``.bz2``, ``.zst``), Parquet and Arrow files, NumPy's and SciPy's, several files as one, standard
input, and the data sets of scikit-learn; :func:`reopen` reads new data for a model as its training
data were read; :func:`write_stream` writes any of them as svmlight or
Vowpal Wabbit text, CSV, Parquet or Arrow. A :class:`DataError` names the file, line and column of
data that cannot be read.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.streams.core.bad_rows import BadRow as BadRow
    from rosenblatt.streams.core.batch import Batch as Batch
    from rosenblatt.streams.core.errors import DataError as DataError
    from rosenblatt.streams.core.hashed_names import Collisions as Collisions
    from rosenblatt.streams.core.hashed_names import HashedNames as HashedNames
    from rosenblatt.streams.core.stream import Stream as Stream
    from rosenblatt.streams.opening import open_stream as open_stream
    from rosenblatt.streams.reopening import reopen as reopen
    from rosenblatt.streams.writers.output import write_arrow as write_arrow
    from rosenblatt.streams.writers.output import write_stream as write_stream

_HOMES = {
    "BadRow": "core.bad_rows",
    "Batch": "core.batch",
    "Collisions": "core.hashed_names",
    "DataError": "core.errors",
    "HashedNames": "core.hashed_names",
    "Stream": "core.stream",
    "open_stream": "opening",
    "reopen": "reopening",
    "write_arrow": "writers.output",
    "write_stream": "writers.output",
}
"""Names whose modules are imported on first use: the help of the command needs none of them."""

__all__ = tuple(_HOMES)


def __getattr__(name: str) -> Any:
    if module := _HOMES.get(name):
        return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
