"""Files as shards: cutting, formats, and what shards cannot share."""

import gzip
import json

import numpy as np
import pytest

from rosenblatt.cluster.reading import read_options
from rosenblatt.cluster.sources import FileShard, cut, list_shards
from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.core.options import ReadOptions

ROWS = [f"{i % 2} 1:{i} 2:0.5\n" for i in range(100)]


def rows_of(shards):
    return [np.concatenate([batch.y for batch in one.batches()]) for one in shards]


@pytest.mark.parametrize("shards", [1, 2, 3, 7, 20])
def test_shards_share_out_the_rows_in_order(tmp_path, shards):
    for k, size in enumerate((50, 3, 30, 17)):
        start = (0, 50, 53, 83)[k]
        (tmp_path / f"{k}.svm").write_text("".join(ROWS[start : start + size]))
    listed = list_shards(str(tmp_path / "*.svm"), shards, ReadOptions())
    parts, width = listed.rows, listed.features
    _, y = open_stream(str(tmp_path / "*.svm")).read()
    assert len(parts) == shards
    assert width is None
    np.testing.assert_array_equal(np.concatenate(rows_of(parts)), y)
    sizes = [len(one) for one in rows_of(parts)]
    assert max(sizes) - min(sizes) <= 2


def test_compressed_files_stay_whole(tmp_path):
    for k in range(4):
        with gzip.open(tmp_path / f"{k}.svm.gz", "wt") as file:
            file.writelines(ROWS[25 * k : 25 * k + 25])
    names = sorted(map(str, tmp_path.glob("*.gz")))
    assert cut(names, 2, "svmlight") == [tuple(names[:2]), tuple(names[2:])]
    with pytest.raises(ValueError, match="cannot be cut into so many"):
        cut(names, 5, "svmlight")


def test_a_table_is_cut_with_its_header_and_kinds(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        "a,b,kind\n" + "".join(f"{i},{i / 2},{['no', 'yes'][i % 2]}\n" for i in range(60))
    )
    listed = list_shards(path, 4, ReadOptions())
    parts, width = listed.rows, listed.features
    assert width == 2
    np.testing.assert_array_equal(np.concatenate(rows_of(parts)), open_stream(path).read()[1])


def test_ranges_are_cut_further_and_empty_parts_have_no_rows(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("".join(ROWS))
    parts = list_shards(f"{path}#bytes=100-500", 3, ReadOptions()).rows
    assert parts[0].names[0].endswith("#bytes=100-233")
    assert list(FileShard((f"{path}#bytes=1-3",), parts[0].options).batches()) == []


def test_a_folder_is_a_shard_for_each_of_its_tables(tmp_path):
    for day in (1, 2, 3):
        file = tmp_path / "pq" / f"day={day}" / "part.0.csv"
        file.parent.mkdir(parents=True)
        file.write_text("x,kind\n" + f"{day}.5,a\n" * (day > 1) + "0.5,b\n" * (day > 1))
    (tmp_path / "pq" / "_SUCCESS").touch()
    listed = list_shards(tmp_path / "pq", None, ReadOptions())
    assert [len(shard.names) for shard in listed.rows] == [1, 1, 1]
    assert (list(listed.feature_names), listed.features) == (["day", "x"], 2)
    assert listed.noted["partitions"] == {"day": "number"}
    batches = [list(shard.batches()) for shard in listed.rows]
    assert [[batch.X.tolist() for batch in one] for one in batches] == [
        [],  # a table without rows is a shard without them
        [[[2, 2.5], [2, 0.5]]],
        [[[3, 3.5], [3, 0.5]]],
    ]
    (half, other) = list_shards(tmp_path / "pq", 2, ReadOptions()).rows
    rows = np.concatenate([batch.X for one in (half, other) for batch in one.batches()])
    assert rows.tolist() == open_stream(tmp_path / "pq").read()[0].tolist()


def test_the_first_file_decides_the_index_base(tmp_path):
    (tmp_path / "a.svm").write_text("1 0:1 3:1\n0 1:1\n")
    (tmp_path / "b.svm").write_text("1 1:1\n0 3:1\n")
    parts = list_shards([tmp_path / "a.svm", tmp_path / "b.svm"], None, ReadOptions()).rows
    (batch,) = parts[1].batches()
    assert batch.X.toarray()[0].tolist() == [0.0, 1.0, 0.0, 0.0]


def test_shards_say_what_only_all_rows_tell(tmp_path):
    rows, table = tmp_path / "a.jsonl", tmp_path / "a.csv"
    rows.write_text("".join(json.dumps({"y": i % 2, f"w{i}": 1}) + "\n" for i in range(9)))
    table.write_text("a,b,y\n1,,no\n2,3,yes\n")
    listed = list_shards(rows, None, ReadOptions())
    assert (listed.grows, listed.features, listed.feature_names) == (True, None, None)
    hashed = list_shards(rows, None, ReadOptions(bits=6))
    assert (hashed.grows, hashed.features) == (False, 64)
    for reading, lacks_means in (
        ({"impute": "mean"}, True),
        ({"impute": "mean", "means": {"b": 1.0}}, False),
        ({"missing": "none"}, True),
        ({"impute": "zero"}, False),
    ):
        listed = list_shards(table, None, read_options(reading))
        assert (listed.lacks_means, listed.features) == (lacks_means, 2)


def test_quoted_line_ends_do_not_cut_a_record(tmp_path):
    path = tmp_path / "mail.csv"
    rows = [f'"line {i}\nof ""two"" lines",{i},{"ab"[i % 2]}' for i in range(200)]
    path.write_text("text,x,label\n" + "\n".join(rows) + "\n")
    options = ReadOptions(schema={"text": "skip"})
    for shards in (2, 3, 7):
        parts = list_shards(str(path), shards, options).rows
        X = [batch.X for part in parts for batch in part.batches()]
        assert np.concatenate(X).ravel().tolist() == list(range(200))


@pytest.mark.parametrize(("suffix", "tab"), [("csv", ","), ("tsv", "\t")])
def test_quotes_within_a_cell_open_none(tmp_path, suffix, tab):
    path = tmp_path / f"disks.{suffix}"
    cells = [f'{i}" disk' if i % 4 else f'"a {"wide " * 20}\ndisk"""' for i in range(200)]
    rows = [tab.join([cell, str(i), "ab"[i % 2]]) for i, cell in enumerate(cells)]
    path.write_text("\n".join([tab.join(["text", "x", "label"]), *rows, ""]))
    for shards in (2, 5, 9):
        parts = list_shards(path, shards, ReadOptions(schema={"text": "skip"}, quotes=True)).rows
        X = [batch.X for part in parts for batch in part.batches()]
        assert np.concatenate(X).ravel().tolist() == list(range(200))


@pytest.fixture(params=["and on", "b,c,d"])
def late(tmp_path, request):
    """A table with quotes after its first megabyte, whose middle is between lines of a record."""
    path = tmp_path / "late.csv"
    plain = [f"word{i % 7} and another,{i},{'ab'[i % 2]}\n" for i in range(60_000)]
    quoted = [f'"said 5"" of it,-1,c\n{request.param}",{i},{"ab"[i % 2]}\n' for i in range(60_000)]
    for pad in range(100):
        text = "".join(["text,x,label\n", "w" * pad, *plain, *quoted])
        line = text.index("\n", len(text) // 2 - 1) + 1
        if text.startswith(request.param, line):
            break
    path.write_text(text)
    return path


SKIPPED = {"schema": {"text": "skip"}}


@pytest.mark.parametrize("on_bad_row", ["stop", "skip"])
def test_quotes_that_come_late_give_no_wrong_rows(late, on_bad_row):
    parts = list_shards(late, 2, ReadOptions(**SKIPPED, on_bad_row=on_bad_row)).rows
    with pytest.raises(DataError, match=r"quoted cell crosses its end: .* --quotes") as caught:
        list(parts[0].batches())
    if on_bad_row == "stop":
        text, end = late.read_text(), int(str(parts[0]).rpartition("-")[2])
        assert caught.value.line == text.count("\n", 0, text.index("\n", end - 1) + 1)
        if "b,c,d" in text:  # else the next line is a row like any other
            with pytest.raises(DataError, match="A quoted cell crosses its start: "):
                list(parts[1].batches())


def test_with_the_option_quotes_a_table_is_cut_between_records(late):
    for shards in (2, 5):
        parts = list_shards(late, shards, ReadOptions(**SKIPPED, quotes=True)).rows
        assert np.concatenate(rows_of(parts)).tolist() == ["a", "b"] * 60_000


FAULTS = {
    "svm": ("1 1:2\n", "1 1:\n", ":3: found '1:'"),
    "vw": ("1 |a b:2\n", "1 |a b:\n", ":"),
    "csv": ("1,a\n", "z,a\n", ":1: column 'x': found 'z'"),
    "jsonl": ('{"x": 1, "y": 1}\n', '{"x": 1, "y": \n', ":15: is not JSON"),
}


@pytest.mark.parametrize("suffix", FAULTS)
def test_a_bad_line_of_a_range_has_its_line_in_the_file(tmp_path, suffix):
    row, fault, problem = FAULTS[suffix]
    path = tmp_path / f"a.{suffix}"
    rows = [row] * 100
    rows[70] = fault
    path.write_text("x,y\n" * (suffix == "csv") + "".join(rows))
    line = 71 + (suffix == "csv")
    parts = list_shards(path, 4, ReadOptions(bits=None if suffix == "csv" else 6)).rows
    with pytest.raises(DataError) as caught:
        rows_of(parts)
    error = caught.value
    assert (error.source, error.line) == (str(path), line)
    assert f"a.{suffix}:{line}{problem}" in str(error)
    assert str(error).endswith(f" It is in the range {parts[2]}.")
    with pytest.raises(DataError, match=rf"a\.{suffix}:{line}:"):
        list_shards(f"{path}#bytes={path.stat().st_size * 7 // 10}-1000000", None, parts[0].options)
