"""Folders of Parquet and Arrow files as pandas, Dask, pyarrow and Spark write them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import dataset, feather, parquet

from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.features.partitions import MISSING
from rosenblatt.streams.reopening import reopen

ROWS = pd.DataFrame(
    {
        "day": np.repeat(["2026-11-01", "2026-11-02"], 4),
        "hour": np.tile([0, 0, 7, 7], 2),
        "x": np.arange(8) / 8,
        "kind": ["oak", "elm"] * 4,
        "y": ["a", "b", "b", "a"] * 2,
    }
)
KEYS = ["day", "hour"]


def by_pandas(path):
    ROWS.to_parquet(path, partition_cols=KEYS)


def by_dask(path):
    dd = pytest.importorskip("dask.dataframe")
    frame = dd.from_pandas(ROWS, npartitions=2, sort=False)
    frame.to_parquet(path, partition_on=KEYS, write_index=False, write_metadata_file=True)


def by_pyarrow(path):
    parts = dataset.partitioning(
        flavor="hive", schema=pa.schema([("day", "string"), ("hour", "int8")])
    )
    table = pa.Table.from_pandas(ROWS)
    dataset.write_dataset(table, path, format="feather", partitioning=parts)
    for file in list(path.rglob("*.feather")):
        file.rename(file.with_suffix(".arrow"))


def by_spark(path):
    for (day, hour), rows in ROWS.groupby(KEYS):
        file = path / f"day={day}" / f"hour={hour}" / "part-00000-3f.c000.snappy.parquet"
        file.parent.mkdir(parents=True)
        table = pa.Table.from_pandas(rows.drop(columns=KEYS), preserve_index=False)
        parquet.write_table(table, file, compression="snappy")
        (file.parent / f".{file.name}.crc").write_bytes(b"crc\0")
        parquet.write_table(table[:0], file.with_name("part-00001-3f.c000.snappy.parquet"))
    for name in ("_SUCCESS", "._SUCCESS.crc", "_committed_17", "_started_17"):
        (path / name).touch()


WRITERS = pytest.mark.parametrize("write", [by_pandas, by_dask, by_pyarrow, by_spark])


def by_name(stream):
    X, y = stream.read()
    columns = dict(zip(stream.feature_names, X.toarray().T.tolist(), strict=True))
    return columns, y.tolist()


@WRITERS
def test_the_rows_are_those_of_one_table(tmp_path, write):
    write(tmp_path / "pq")
    ROWS.to_csv(tmp_path / "flat.csv", index=False)
    stream = open_stream(tmp_path / "pq", target="y")
    assert stream.partitions == {"day": "date", "hour": "number"}
    flat = open_stream(tmp_path / "flat.csv", target="y")
    assert by_name(stream) == by_name(flat)
    again, _ = reopen(flat.noted(), flat.feature_names, tmp_path / "pq").read()
    assert again.toarray().tolist() == flat.read()[0].toarray().tolist()


@pytest.mark.parametrize(("target", "kind"), [("hour", "i"), ("day", "U")])
def test_a_column_of_the_path_may_be_the_target(tmp_path, target, kind):
    by_pandas(tmp_path / "pq")
    X, y = open_stream(tmp_path / "pq", target=target).read()
    assert (y.dtype.kind, y.tolist()) == (kind, ROWS[target].tolist())
    assert target not in X.columns


def test_options_of_columns_hold_for_those_of_the_path(tmp_path):
    by_pandas(tmp_path / "pq")
    schema = {"hour": "category", "day": "id"}
    stream = open_stream(tmp_path / "pq", target="y", schema=schema)
    assert {"hour=0", "hour=7"} <= set(stream.read()[0].columns)
    assert stream.whole().ids.tolist() == ROWS["day"].tolist()
    weights = open_stream(tmp_path / "pq", target="y", schema={"hour": "weight"}).whole().weight
    assert weights.tolist() == ROWS["hour"].tolist()


def test_missing_cells(tmp_path):
    for value in (4, 8, MISSING):
        file = tmp_path / "pq" / f"hour={value}" / "a.parquet"
        file.parent.mkdir(parents=True)
        ROWS[["x", "y"]].to_parquet(file)
    X, _ = open_stream(tmp_path / "pq", target="y", impute="mean").read()
    assert X[:, X.columns.index("hour")].tolist() == [4] * 8 + [8] * 8 + [6] * 8
    with pytest.raises(DataError, match=r"column 'hour', row 0 .* found null: .*--impute mean"):
        open_stream(tmp_path / "pq", target="y").read()


def test_a_column_of_the_file_must_be_that_of_its_path(tmp_path):
    file = tmp_path / "pq" / "day=2026-11-01" / "hour=00" / "a.parquet"
    file.parent.mkdir(parents=True)
    ROWS[:2].to_parquet(file)
    assert open_stream(tmp_path / "pq", target="y").read()[1].tolist() == ["a", "b"]
    ROWS[:4].to_parquet(file)
    with pytest.raises(DataError, match=r"column 'hour': found '7', but its folder says '00'"):
        open_stream(tmp_path / "pq", target="y").read()


def test_a_model_reads_one_file_by_its_path_and_old_models_do_not(tmp_path):
    by_pandas(tmp_path / "pq")
    stream = open_stream(tmp_path / "pq", target="y")
    X, _ = stream.read()
    (part,) = Path(tmp_path, "pq", "day=2026-11-02", "hour=0").glob("*.parquet")
    again, _ = reopen(stream.noted(), list(X.columns), part).read()
    assert again.toarray().tolist() == X.toarray()[4:6].tolist()
    assert open_stream(part, target="y").partitions is None


def test_an_arrow_file_of_the_path_is_not_copied_in_memory(tmp_path):
    file = tmp_path / "day=7" / "a.arrow"
    file.parent.mkdir()
    feather.write_feather(
        pa.table({"x": [1.5, 2.5], "y": [0, 1]}), file, compression="uncompressed"
    )
    X, y = open_stream(tmp_path / "day=7").read()
    assert (X.columns, X.tolist(), y.tolist()) == (("day", "x"), [[7, 1.5], [7, 2.5]], [0, 1])
