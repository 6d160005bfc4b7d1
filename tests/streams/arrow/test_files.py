"""Row groups of Parquet and Arrow files, on a disk and at URLs."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from range_server import range_server

from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.arrow.files import group_sizes
from rosenblatt.streams.core.access import NO_ACCESS

N = 40_000


@pytest.fixture(params=["parquet", "arrow"])
def table(tmp_path, request):
    """A file of four row groups, and its folder."""
    values = np.random.default_rng(0).normal(size=(N, 3))
    columns = {name: values[:, k] for k, name in enumerate("abc")}
    rows = pa.table({**columns, "y": np.arange(N) % 2})
    path = tmp_path / f"rows.{request.param}"
    if request.param == "parquet":
        parquet.write_table(rows, path, row_group_size=N // 4)
    else:
        with pa.ipc.new_file(path, rows.schema) as file:
            file.write_table(rows, max_chunksize=N // 4)
    return path


def rows_of(source, **options):
    return np.concatenate([batch.X for batch in open_stream(source, **options)])


def test_row_groups_share_out_the_rows(table):
    parts = [rows_of(f"{table}#row_groups={a}-{b}") for a, b in [(0, 1), (1, 3), (3, 4)]]
    assert list(map(len, parts)) == [N // 4, N // 2, N // 4]
    np.testing.assert_array_equal(np.concatenate(parts), rows_of(table))


def test_row_groups_at_a_url(table):
    with range_server(table.parent) as web:
        url = f"{web.url}/{table.name}"
        np.testing.assert_array_equal(
            rows_of(f"{url}#row_groups=1-3"), rows_of(f"{table}#row_groups=1-3")
        )
        assert web.sent < 0.8 * table.stat().st_size  # half of the rows, the footer, no more
        np.testing.assert_array_equal(rows_of(url), rows_of(table))


def test_only_columns_that_are_needed_are_fetched(table):
    if table.suffix != ".parquet":
        return
    with range_server(table.parent) as web:
        stream = open_stream(f"{web.url}/{table.name}", schema={"b": "skip", "c": "skip"})
        web.clear()
        assert sum(len(batch.y) for batch in stream) == N
        assert web.sent < 0.6 * table.stat().st_size
        assert len(web.asked) <= 8  # two for each row group, of columns apart


def test_the_footer_is_read_once(table):
    if table.suffix != ".parquet":
        return
    with range_server(table.parent) as web:
        stream = open_stream(f"{web.url}/{table.name}")
        web.clear()
        for _ in range(2):
            list(stream)
        assert web.sent <= 1.02 * 2 * table.stat().st_size


def test_names_of_row_groups_that_are_not_there(table, tmp_path):
    with pytest.raises(DataError, match="has 4 row groups, so no 3-5"):
        rows_of(f"{table}#row_groups=3-5")
    with pytest.raises(DataError, match="is no row groups of a file: expected #row_groups=A-B"):
        rows_of(f"{table}#row_groups=3-3")
    (tmp_path / "a.svm").write_text("1 1:1\n")
    with pytest.raises(DataError, match="only Parquet and Arrow files have row groups"):
        open_stream(f"{tmp_path}/a.svm#row_groups=0-1")
    with pytest.raises(DataError, match="has no byte ranges"):
        open_stream(f"{table}#bytes=0-10")


def test_sizes_of_row_groups(table, tmp_path):
    sizes = group_sizes(str(table), table.suffix[1:], NO_ACCESS)
    assert len(sizes) == 4
    assert sum(sizes) <= table.stat().st_size
    with pa.ipc.new_stream(tmp_path / "s.arrow", pa.schema({"y": pa.int64()})):
        pass
    assert group_sizes(str(tmp_path / "s.arrow"), "arrow", NO_ACCESS) == []


def test_a_server_without_ranges_sends_the_file(table):
    with range_server(table.parent) as web:
        web.has_ranges = False
        url = f"{web.url}/{table.name}"
        np.testing.assert_array_equal(rows_of(url), rows_of(table))
        with pytest.raises(DataError, match="the server sends no ranges of bytes: name the file"):
            open_stream(f"{url}#row_groups=0-1")


def test_a_file_that_is_gone_has_the_reason(table):
    with range_server(table.parent) as web:
        stream = open_stream(f"{web.url}/{table.name}#row_groups=0-2")
        web.answers = [403] * 9
        with pytest.raises(DataError, match=r"cannot be read: the server answers 403 Forbidden"):
            list(stream)
