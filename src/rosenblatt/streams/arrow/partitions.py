"""Columns in the paths of files, as columns of Arrow."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from rosenblatt.streams.features.partitions import Partition


def added_types(partition: Partition) -> dict[str, pa.DataType]:
    """Return the types of the columns that the path of a file adds to it.

    Examples
    --------
    >>> from rosenblatt.streams.core.options import ReadOptions
    >>> options = ReadOptions(partitions={"day": "number", "land": "category"})
    >>> added_types(Partition.of("day=7/land=CH/a.parquet", options, ["x"]))
    {'day': DataType(int64), 'land': DataType(string)}
    """
    types = {}
    for name, word in partition.cells().items():
        number = pa.int64() if isinstance(word, int) else pa.float64()
        types[name] = number if name in partition.numeric else pa.string()
    return types


def with_partition(batch: pa.RecordBatch, partition: Partition) -> pa.RecordBatch:
    """Return a record batch with the columns of the path before its own.

    Raises
    ------
    DataError
        A column of the batch has other cells than the path, or the path has no number.
    """
    for name in partition.shared:
        if name in batch.schema.names:
            cells = pc.unique(batch.column(name)).to_pylist()
            partition.check_words(name, [None if cell is None else str(cell) for cell in cells])
    arrays, names, cells = [], [], partition.cells()
    for name, type in added_types(partition).items():
        arrays.append(pa.repeat(pa.scalar(cells[name], type), batch.num_rows))
        names.append(name)
    if not names:
        return batch
    return pa.RecordBatch.from_arrays(
        [*arrays, *batch.columns], names=[*names, *batch.schema.names]
    )
