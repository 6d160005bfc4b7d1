"""Parquet and Arrow files as a stream of batches, through pyarrow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rosenblatt.streams.ahead import mapped_ahead
from rosenblatt.streams.base import Batch, Stream
from rosenblatt.streams.beside import column_of
from rosenblatt.streams.columns import layout
from rosenblatt.streams.errors import DataError, damaged
from rosenblatt.streams.holding import as_wide
from rosenblatt.streams.settings import Settings
from rosenblatt.streams.sound import Sound, sound_rows
from rosenblatt.streams.sources import OnDisk, on_disk

if TYPE_CHECKING:
    import pyarrow as pa

KINDS = {"parquet": "Parquet", "arrow": "Arrow"}
TARGET, INDEX_BASE = b"rosenblatt.target", b"rosenblatt.index_base"
NAMES = b"rosenblatt.feature_names"
WEIGHT, ID = b"rosenblatt.weight", b"rosenblatt.id"
"""What a schema that :func:`rosenblatt.streams.write_arrow` made notes of the rows' source."""
_FILE_MAGIC = b"ARROW1"
_AT_ONCE = 4  # batches of Parquet decoded in one go, which is faster than one by one


class ArrowStream(Stream):
    """Rows of a Parquet file, or of an Arrow file or stream (IPC), which is memory-mapped.

    Columns of numbers and of booleans are features; or two columns of lists are sparse rows:
    ``indices``, the columns from 0, and ``values``. Float64 values of an Arrow file that is not
    compressed are learned where they lie, without a copy. Labels are numbers, text or a dictionary
    of either.

    Parameters
    ----------
    name : str
        The path.
    format : {"parquet", "arrow"}
    settings : Settings
        ``target`` is the column with the labels; None: what the file notes of it, where
        ``rosenblatt convert`` wrote it; else the first of ``target``, ``label``, ``class``, ``y``
        that names a column, in any case of letters, else the last column. Not ``labelled``: the
        rows have no labels, and the column ``target`` is left out where there is one; beside a pair
        of lists every label is. Columns of the kinds ``weight`` and ``id``, or what the file notes
        as such, hold how much a row counts, and what it is called. A batch has at most
        ``batch_bytes``.

    Raises
    ------
    DataError
        pyarrow is not installed, the path is no file of that format, or a column is neither
        numbers, nor a label, nor half of a pair of lists.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.parquet, tempfile
    >>> rows = pa.table({"a": [1.5, 2.0], "b": [True, False], "kind": ["oak", "elm"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pa.parquet.write_table(rows, f"{folder}/trees.parquet")
    ...     stream = ArrowStream(f"{folder}/trees.parquet", "parquet", Settings())
    ...     [(batch.X.tolist(), batch.y.tolist()) for batch in stream]
    [([[1.5, 1.0], [2.0, 0.0]], ['oak', 'elm'])]
    """

    def __init__(self, name: str, format: str, settings: Settings) -> None:
        super().__init__(name, format, settings.on_bad_row)
        self.labelled, target = settings.labelled, settings.target
        self._batch_bytes = settings.batch_bytes
        self._file = _file(name, format)
        with _explained(name, format):
            schema = _schema(self._file.path, format)
            noted = schema.metadata or {}
            target = _text(noted.get(TARGET)) if target is None else target
            if INDEX_BASE in noted:
                self.index_base = int(noted[INDEX_BASE])
            weight, id = (
                column_of(settings, kind) or _text(noted.get(note))
                for kind, note in (("weight", WEIGHT), ("id", ID))
            )
            self._layout = layout(name, schema, target, self.labelled, weight, id)
            self.weight_column, self.id_column = self._layout.weight, self._layout.id
            self.sparse, self.target = self._layout.sparse, self._layout.target
            if not self.sparse:
                self.feature_names = self._layout.features
            elif NAMES in noted:
                self.feature_names = [str(feature) for feature in json.loads(noted[NAMES])]

    def __iter__(self) -> Iterator[Batch]:
        first_row, width = 0, len(self.feature_names or ())
        self._bad.begin()
        for batch, bad in self._read():
            for row in bad:
                self._bad.leave_out(row)
            if batch is None:
                continue
            X = batch.X
            if self.feature_names is not None and X.shape[1] > len(self.feature_names):
                problem = f"found the column {X.shape[1] - 1}, which has no name."
                raise DataError(self.name, None, None, f"{problem} Convert the rows again.")
            width = max(width, X.shape[1])
            X = as_wide(X, width) if self.sparse else X
            yield batch._replace(X=X, first_row=first_row)
            first_row += X.shape[0]
        self._bad.end(first_row)

    def _read(self) -> Iterator[Sound]:
        with _explained(self.name, self.format):
            for _, sound in mapped_ahead(self._sound, self._pieces()):
                yield sound

    def _sound(self, numbered: tuple[int, pa.RecordBatch]) -> Sound:
        first_row, piece = numbered
        return sound_rows(self._layout, piece, first_row, self._bad.skips)

    def _pieces(self) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Record batches cut to the size of a batch, each with the number of its first row."""
        first_row = 0
        read = _parquet if self.format == "parquet" else _arrow
        for batch in read(self._file.path, self._batch_bytes):
            size = max(batch.nbytes, 8 * batch.num_columns * batch.num_rows, 1)
            most = max(1, batch.num_rows * self._batch_bytes // size)
            for start in range(0, batch.num_rows, most):
                piece = batch.slice(start, most)
                yield first_row, piece
                first_row += len(piece)


def _text(note: bytes | None) -> str | None:
    return None if note is None else note.decode()


def _file(name: str, format: str) -> OnDisk:
    kind = KINDS[format]
    file = on_disk(name, kind)
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        problem = f"{kind} is read by pyarrow, which is missing: pip install 'rosenblatt[data]'."
        raise DataError(name, None, None, problem) from None
    return file


@contextmanager
def _explained(name: str, format: str) -> Iterator[None]:
    """Tell what pyarrow finds wrong with a file."""
    import pyarrow as pa

    try:
        yield
    except DataError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:  # names may be damaged, and notes
        raise damaged(name, KINDS[format], error) from error


def _schema(path: str, format: str) -> pa.Schema:
    import pyarrow as pa
    from pyarrow import parquet

    if format == "parquet":
        return parquet.read_schema(path)
    with pa.memory_map(path) as file:
        return (pa.ipc.open_file if _is_file(path) else pa.ipc.open_stream)(file).schema


def _parquet(path: str, batch_bytes: int) -> Iterator[pa.RecordBatch]:
    """Record batches of about the size of a few batches, which may span row groups."""
    from pyarrow import parquet

    with parquet.ParquetFile(path, pre_buffer=False) as file:
        about = file.metadata
        size = sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups))
        row = max(size // max(1, about.num_rows), 8 * about.num_columns, 1)
        yield from file.iter_batches(batch_size=max(1, _AT_ONCE * batch_bytes // row))


def _arrow(path: str, batch_bytes: int) -> Iterator[pa.RecordBatch]:
    """Record batches as they were written."""
    import pyarrow as pa

    with pa.memory_map(path) as file:
        if _is_file(path):
            reader = pa.ipc.open_file(file)
            for k in range(reader.num_record_batches):
                yield reader.get_batch(k)
        else:
            yield from pa.ipc.open_stream(file)


def _is_file(path: str) -> bool:
    """Whether it is in the file form of IPC, not in the stream form."""
    with Path(path).open("rb") as file:
        return file.read(len(_FILE_MAGIC)) == _FILE_MAGIC
