"""Policies for bad rows: all good rows are read, and each bad row is reported once."""

import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from command import spawn
from forked import Piped
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough

from rosenblatt.streams import DataError, open_stream, write_arrow
from rosenblatt.streams.io import prefetch

GOOD = {
    "svm": [b"1 1:2 3:4", b"-1 2:0.5", b"1 # none", b"-1 5:1e-3 2:7"],
    "vw": [b"1 |a x:2 y", b"-1 2 'tag| z", b"1 |b:2 x", b"-1 | caf\xc3\xa9"],
    "jsonl": [
        b'{"y": 1, "a": 2}',
        b'{"b": {"c": 3}, "y": -1}',
        b'{"y": 1}',
        b'{"y": -1, "t": "x"}',
    ],
}
BAD = {
    "svm": [
        b"1 1:x",
        b"nan 1:2",
        b"1 1:2 1:3",
        b"1 1:1e999",
        b"-1 2:\xff",
        b"-1 \x00 2:3",
        b"1,2 1:3",
    ],
    "vw": [b"1 x", b"x | a", b"1 | a:", b"| a", b"1 -2 | a", b"1 | \xff", b"1 |a:1e300 b:1e300"],
    "jsonl": [
        b'{"y": 1',
        b"[1]",
        b'{"a": 1}',
        b'{"y": 1, "q": 1e999}',
        b'{"y": "\xff"}',
        b'{"y": {}}',
    ],
}
FORMATS = {"svm": "svmlight", "vw": "vw", "jsonl": "jsonl"}


def rows_of(source, **options):
    """Return all rows as text, and the number, line and text of the skipped ones."""
    bad = []
    stream = open_stream(source, on_bad_row=bad.append, **options)
    rows = []
    for batch in stream:
        assert batch.first_row == len(rows)
        X = batch.X.toarray() if stream.sparse and batch.X.shape[1] < 999 else batch.X
        for k, label in enumerate(batch.y.tolist()):
            x = X[[k]]
            cells = (
                (x.indices.tolist(), x.data.tolist()) if hasattr(x, "data") and stream.bits else x
            )
            values = cells if stream.bits else np.trim_zeros(x[0], "b").tolist()
            rows.append((label, values))
    assert stream.bad_rows == len(bad)
    return rows, [(row.number, row.error.line, row.row) for row in bad]


@pytest.mark.parametrize("format", FORMATS)
@thorough(25)
@given(data=st.data())
def test_all_other_rows_are_read(format, data, tmp_path_factory):
    kinds = st.sampled_from(
        [("good", row) for row in GOOD[format]] + [("bad", row) for row in BAD[format]]
    )
    lines = [("good", GOOD[format][0]), *data.draw(st.lists(kinds, max_size=12))]
    if data.draw(st.booleans()):
        lines.reverse()
    end = data.draw(st.sampled_from([b"\n", b"\r\n"]))
    text = end.join(line for _, line in lines) + data.draw(st.sampled_from([b"", end]))
    folder = tmp_path_factory.mktemp("rows")
    some, only = folder / f"some.{format}", folder / f"only.{format}"
    some.write_bytes(text)
    only.write_bytes(b"\n".join(line for kind, line in lines if kind == "good"))
    options = {"batch_bytes": data.draw(st.integers(1, 200))}
    if format == "svm":
        options["index_base"] = 1
    if format == "jsonl":
        options["target"] = "y"
    rows, bad = rows_of(some, **options)
    assert rows == rows_of(only, **options)[0]
    wanted = [(k, line) for k, (kind, line) in enumerate(lines, 1) if kind == "bad"]
    assert [(number, row.encode(errors="surrogateescape")) for number, _, row in bad] == wanted
    assert all(number == line for number, line, _ in bad)


@pytest.mark.parametrize("format", FORMATS)
def test_the_first_bad_row_is_an_error_unless_rows_are_left_out(format, tmp_path):
    path = tmp_path / f"a.{format}"
    path.write_bytes(b"\n".join([*GOOD[format], *BAD[format]]))
    stream = open_stream(path)
    seen = []
    with pytest.raises(DataError) as caught:
        seen.extend(len(batch.y) for batch in stream)
    assert (sum(seen), caught.value.line) == (len(GOOD[format]), len(GOOD[format]) + 1)
    stream = open_stream(path, on_bad_row="skip")
    for _ in range(2):  # every pass counts anew
        assert sum(len(batch.y) for batch in stream) == len(GOOD[format])
        assert stream.bad_rows == len(BAD[format])


@pytest.mark.parametrize("format", FORMATS)
def test_a_source_without_a_good_row_is_an_error(format, tmp_path):
    path = tmp_path / f"a.{format}"
    path.write_bytes(b"\n".join(BAD[format]))
    with pytest.raises(DataError, match=r"none of its . rows can be read\. The first: ") as caught:
        list(open_stream(path, on_bad_row="skip", **({"target": "y"} if format == "jsonl" else {})))
    assert caught.value.line == 1


def test_bad_values_of_on_bad_row(tmp_path):
    with pytest.raises(
        ValueError, match="on_bad_row must be 'stop', 'skip' or a callable; got 'go'"
    ):
        open_stream(tmp_path / "a.svm", on_bad_row="go")


def test_sources_that_are_bad_as_a_whole_stay_errors(tmp_path):
    whole = b"".join(b"1 1:%d\n" % k for k in range(50_000))
    packed = gzip.compress(whole)
    (tmp_path / "a.svm.gz").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "b.svm").write_bytes(packed)
    (tmp_path / "c.svm").write_bytes(b"1 1:1\n1 0:1\n")
    for name, message, size in [
        ("a.svm.gz", "truncated", 1 << 20),
        ("b.svm", "found gzip data", 1 << 20),
        ("c.svm", "found index 0", 1),
    ]:
        with pytest.raises(DataError, match=message):
            list(open_stream(tmp_path / name, on_bad_row="skip", batch_bytes=size))


def test_exceptions_of_the_callback_are_raised(tmp_path):
    (tmp_path / "a.svm").write_bytes(b"1 1:1\nx\n")
    pa.parquet.write_table(pa.table({"a": [1.0, nan], "y": [1, 2]}), tmp_path / "a.parquet")

    def refuse(bad):
        raise OSError("the side file is full")

    for name in ("a.svm", "a.parquet"):
        with pytest.raises(OSError, match="the side file is full"):
            list(open_stream(tmp_path / name, on_bad_row=refuse))


def test_several_files_count_together(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.svm").write_bytes(b"1 1:1\nx\n1 1:2\n")
    bad = []
    stream = open_stream(tmp_path / "*.svm", on_bad_row=bad.append)
    assert [batch.y.tolist() for batch in stream] == [[1, 1], [1, 1]]
    assert stream.bad_rows == 2
    assert [(row.error.source[-5:], row.number) for row in bad] == [("a.svm", 2), ("b.svm", 2)]


@pytest.mark.parametrize("threads", [1, 2, 6])
def test_skipped_rows_do_not_depend_on_threads(threads, tmp_path, monkeypatch):
    monkeypatch.setattr(prefetch, "MAX_THREADS", threads)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(threads), raising=False)
    path = tmp_path / "a.svm"
    path.write_bytes(
        b"".join(b"1 1:%d\n" % k if k % 7 else b"%d\n\n1 x\n" % k for k in range(3000))
    )
    rows, bad = rows_of(path, batch_bytes=500)
    assert (len(rows), len(bad)) == (3000, 429)
    assert [number for number, *_ in bad] == [3 + 9 * k for k in range(429)]


def test_labels_of_another_type_are_skipped(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1, "y": 1}\n{"a": 2, "y": "b"}\n{"a": 3, "y": 2}\n')
    rows, bad = rows_of(path, batch_bytes=1)
    assert rows == [(1, [1.0]), (2, [3.0])]
    assert [number for number, *_ in bad] == [2]


def test_names_of_a_bad_row_create_no_features(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1, "y": 1}\n{"new": 2, "other": 1e999, "y": 1}\n{"odd": 3}\n')
    stream = open_stream(path, on_bad_row="skip")
    assert sum(len(batch.y) for batch in stream) == 1
    assert stream.feature_names == ["a"]


# --- Parquet and Arrow ---------------------------------------------------------------------------

nan, inf = float("nan"), float("inf")
DENSE = {"a": [1.0, None, 3.0, 4.0, nan, 6.0], "y": ["p", "q", None, "p", "q", " "]}
SPARSE = {
    "indices": [[0, 2], [1], [1, 1], [0], [], [-1]],
    "values": [[1.0, 2.0], [inf], [1.0, 2.0], [1.0, 2.0], [], [1.0]],
    "y": [1, 1, 1, 1, 2, 2],
}


@pytest.mark.parametrize("batch_bytes", [1, 50, 1 << 20])
@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize(
    ("columns", "good"), [(DENSE, [0, 3]), (SPARSE, [0, 4])], ids=["dense", "sparse"]
)
def test_bad_rows_of_tables(columns, good, suffix, batch_bytes, tmp_path):
    table, path = pa.table(columns), tmp_path / f"a.{suffix}"
    if suffix == "parquet":
        pa.parquet.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    bad = []
    stream = open_stream(path, on_bad_row=bad.append, batch_bytes=batch_bytes)
    batches = list(stream)
    X = np.concatenate(
        [
            np.resize(b.X.toarray() if stream.sparse else b.X, (len(b.y), b.X.shape[1]))[:, :1]
            for b in batches
        ]
    )
    assert [batch.first_row for batch in batches] == [
        sum(len(b.y) for b in batches[:k]) for k in range(len(batches))
    ]
    assert np.concatenate([batch.y for batch in batches]).tolist() == [
        columns["y"][k] for k in good
    ]
    assert X.shape == (2, 1)
    assert [row.number for row in bad] == [k for k in range(6) if k not in good]
    assert all(f"row {row.number} (from 0): found" in str(row.error) for row in bad)
    assert repr(json.loads(bad[0].row)) == repr(table.slice(bad[0].number, 1).to_pylist()[0])
    with pytest.raises(DataError, match=r"row \d "):
        list(open_stream(path))


def test_a_table_without_one_good_row(tmp_path):
    pa.parquet.write_table(pa.table({"a": [nan, nan], "y": [1, 2]}), tmp_path / "a.parquet")
    with pytest.raises(DataError, match=r"none of its 2 rows can be read\. The first: column 'a'"):
        list(open_stream(tmp_path / "a.parquet", on_bad_row="skip"))


# --- the command ---------------------------------------------------------------------------------

SVM = b"1 1:1\n-1 2:1\n1 1:x\n1 1:2 3:4\n-1 2:\xff3\n-1 2:3"
WANTED = [
    ("a.svm", 3, 3, "found '1:x', expected a decimal number after ':'.", "1 1:x"),
    (
        "a.svm",
        5,
        6,
        "found the byte 0xff, expected UTF-8: convert the file, for instance with "
        "iconv -f cp1252 -t utf-8.",
        "-1 2:\udcff3",
    ),
]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.svm").write_bytes(SVM)
    return tmp_path


def side_file(path):
    return [tuple(json.loads(line).values()) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("more", [[], ["--epochs", "3"], ["--certify"], ["--shuffle"]], ids=str)
def test_the_bad_row_file_has_each_row_once(here, call, more):
    status, out, err = call("train", "a.svm", "-m", "m", "--on-bad-row", "skip", "--json", *more)
    record = json.loads(out)
    assert (status, record["examples"], record["bad_rows"]) == (0, 4, 2)
    assert side_file(here / "bad-rows.jsonl") == WANTED
    assert "warning: skipped 2 rows that could not be parsed, written to bad-rows.jsonl. " in err
    assert "The first: a.svm:3:3: found '1:x'" in err


def test_every_command_that_reads_rows_can_skip_bad_ones(here, call):
    skip = ("--on-bad-row", "skip", "--bad-rows", "side")
    assert call("train", "a.svm", "-m", "m", *skip, "-q")[0] == 0
    for command, rows in [
        (("predict", "m", "a.svm"), None),
        (("evaluate", "m", "a.svm", "--json"), "examples"),
        (("convert", "a.svm", "a.arrow", "--json"), "examples"),
        (("certify", "a.svm", "--json"), None),
    ]:
        (here / "side").unlink()
        status, out, err = call(*command, *skip)
        assert (status, "skipped 2 rows" in err) == (0, True)
        assert side_file(here / "side") == WANTED
        if rows:
            assert (json.loads(out)[rows], json.loads(out)["bad_rows"]) == (4, 2)
    lines = call("predict", "m", "a.svm", *skip)[1].splitlines()
    assert (len(lines), lines.count("")) == (6, 2)


def test_no_bad_rows_no_file_and_no_message(here, call):
    (here / "b.svm").write_bytes(b"1 1:1\n-1 2:1\n")
    status, out, err = call("train", "b.svm", "-m", "m", "--on-bad-row", "skip", "--json")
    assert (status, json.loads(out)["bad_rows"], "skipped" in err) == (0, 0, False)
    assert not (here / "bad-rows.jsonl").exists()


def test_other_files_are_not_overwritten(here, call):
    (here / "mine").write_text('{"a": 1}\n')
    train = ("train", "a.svm", "-m", "m", "--on-bad-row", "skip", "--bad-rows")
    for path, message in [
        ("mine", "mine: exists and is no list of bad rows, so it is not overwritten"),
        ("a.svm", "a.svm: is the input data"),
        ("none/side", "there is no folder"),
    ]:
        status, _, err = call(*train, path)
        assert (status, message in err) == (1, True)
    assert (here / "mine").read_text() == '{"a": 1}\n'
    assert not (here / "m").exists()
    status, _, err = call("train", "a.svm", "-m", "m", "--bad-rows", "side")
    assert (status, "--bad-rows goes with --on-bad-row skip" in err) == (2, True)


def test_bad_rows_are_written_before_the_stream_ends(here):
    """Write rows until the bad row is in the file."""
    skip = ["--on-bad-row", "skip", "--json", "-q"]
    pipes = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
    process = spawn("train", "-", "--format", "svmlight", "-m", "m", *skip, **pipes)
    process.stdin.write("x\n" + "1 1:1\n-1 2:1\n" * 60_000)
    process.stdin.flush()
    bad, deadline = here / "bad-rows.jsonl", time.monotonic() + 60
    while not (bad.exists() and bad.read_text().endswith("\n")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    record = json.loads(process.communicate("y\n")[0])
    assert (record["examples"], record["bad_rows"]) == (120_000, 2)


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits")
def test_a_full_disk_is_reported(here):
    (here / "a.svm").write_bytes(SVM + b"\nx" * 9_000)
    code = (
        "import resource, sys\nfrom rosenblatt.cli.main import run\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))\n"
        "sys.exit(run(['train', 'a.svm', '-m', 'm', '--on-bad-row', 'skip']))\n"
    )
    process = Piped(code, stderr=subprocess.PIPE)
    assert "error: bad-rows.jsonl: File too large." in process.communicate()[1]
    assert process.returncode == 1
    assert not (here / "m").exists()


def test_converted_rows_are_the_good_ones(here):
    assert write_arrow(open_stream("a.svm", on_bad_row="skip"), "a.arrow") == 4


def test_records_of_several_lines_are_skipped_whole(tmp_path):
    good = [f'{k},"a\nb ""{k}""",x' for k in range(3000)]
    lines = [*good[:5], '7,"a,\n1,2,3\n",x,9', 'no,"\n",x', *good[5:], '8,"torn', "9,b,y"]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["n,word,y", *lines, ""]))
    bad = []
    stream = open_stream(path, on_bad_row=bad.append, schema={"word": "category", "n": "number"})
    X, y = stream.read()
    assert X[:, [0]].toarray().ravel().tolist() == [*range(3000), 9]
    assert y.tolist() == ["x"] * 3000 + ["y"]
    assert [row.row for row in bad] == ['7,"a,\n1,2,3\n",x,9', 'no,"\n",x', '8,"torn']
    assert [row.number for row in bad] == [12, 15, 2 + 2 * 3000 + 5]


def test_rows_without_a_label_come_in_order_with_those_that_cannot_be_parsed(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n1,a\nbad,b\n2,b\n3,\n4,a\n")
    bad = []
    X, _ = open_stream(path, on_bad_row=bad.append).read()
    assert X.ravel().tolist() == [1.0, 2.0, 4.0]
    assert [(row.number, row.row) for row in bad] == [(3, "bad,b"), (5, "3,")]


@pytest.mark.parametrize("torn", ['1,"oak,a', '"1"2,oak,a'])
def test_kinds_are_inferred_from_the_good_rows(tmp_path, torn):
    path = tmp_path / "a.csv"
    path.write_text(f"x,tree,y\n{torn}\n" + "1,oak,a\n2,elm,b\n" * 6)
    stream = open_stream(path, on_bad_row="skip")
    X, _ = stream.read()
    assert (X.shape, stream.bad_rows) == ((12, 3), 1)
    assert stream.schema == {"x": "number", "tree": "category"}


def test_a_header_that_cannot_be_read_is_an_error(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"pr\xe9nom,y\nanna,a\nbert,b\n")
    with pytest.raises(DataError, match=r"a\.csv:1:3: found the byte 0xe9"):
        open_stream(path, on_bad_row="skip")


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (["train", "a.svm", "-m", "./one"], "--model"),
        (["train", "a.svm", "-m", "m", "--report", "one"], "--report"),
        (["validate", "a.svm", "--lines", "one"], "--lines"),
        (["certify", "a.svm", "--proof", "one"], "--proof"),
        (["convert", "a.svm", "one.arrow"], "OUT"),
    ],
)
def test_the_bad_row_file_must_not_be_an_input_or_output(
    call, tmp_path, monkeypatch, command, option
):
    monkeypatch.chdir(tmp_path)
    Path("a.svm").write_text("1 1:1\n-1 1:x\n-1 1:-1\n")
    name = "one.arrow" if option == "OUT" else "one"
    status, _, err = call(*command, "--on-bad-row", "skip", "--bad-rows", name)
    assert status == 2
    assert "--bad-rows" in err
    assert option in err
    assert "name the same file: give two different files." in " ".join(err.split())
    assert os.listdir() == ["a.svm"]


def test_the_default_bad_row_file_is_no_other_file(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.svm").write_text("1 1:1\n-1 1:-1\n")
    status, _, err = call("train", "a.svm", "-m", "bad-rows.jsonl", "--on-bad-row", "skip")
    assert (status, os.listdir()) == (2, ["a.svm"])
    assert "--model and --bad-rows name the same file" in err
