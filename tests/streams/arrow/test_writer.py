"""``write_arrow`` and ``rosenblatt convert``: equal rows bit for bit, a whole file or none."""

import errno
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command import spawn
from forked import Piped, command
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough

from rosenblatt.streams import DataError, open_stream, write_arrow

SVM = "+1 1:2.5 7:4\n-1\n+1 3:1e-300\n"
CSV = "a,b,kind\n1,0.1,oak\n-2,3,elm\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.svm").write_text(SVM)
    Path("a.csv").write_text(CSV)
    return tmp_path


def same(stream, other):
    """Return whether two streams have equal rows, to the bit, and labels of one type."""
    (X, y), (Z, z) = stream.read(), other.read()
    assert stream.sparse == other.sparse
    assert (y.dtype.kind, y.tolist()) == (z.dtype.kind, z.tolist())
    assert X.shape == Z.shape
    if stream.sparse:
        for name in ("indptr", "indices", "data"):
            assert getattr(X, name).tobytes() == getattr(Z, name).tobytes()
    else:
        assert X.tobytes() == Z.tobytes()
    return True


values = st.floats(allow_nan=False, allow_infinity=False)


@thorough(40)
@given(
    st.lists(
        st.tuples(st.integers(-9, 9), st.dictionaries(st.integers(0, 50), values, max_size=5)),
        min_size=1,
        max_size=20,
    ),
    st.integers(1, 100),
)
def test_svmlight_comes_back(tmp_path_factory, rows, size):
    folder = tmp_path_factory.mktemp("convert")
    lines = [" ".join([f"{y}", *(f"{j}:{x!r}" for j, x in sorted(row.items()))]) for y, row in rows]
    (folder / "a.svm").write_text("\n".join(lines))
    stream = open_stream(folder / "a.svm", index_base=0, batch_bytes=size)
    assert write_arrow(stream, folder / "a.arrow") == len(rows)
    again = open_stream(folder / "a.arrow", batch_bytes=size)
    assert same(stream, again)
    assert again.index_base == 0


@thorough(40)
@given(
    st.lists(st.tuples(values, values, st.sampled_from("abcé")), min_size=1, max_size=20),
    st.integers(1, 100),
)
def test_tables_come_back(tmp_path_factory, rows, size):
    folder = tmp_path_factory.mktemp("convert")
    text = "".join(f"{a!r},{word},{b!r}\n" for a, b, word in rows)
    (folder / "a.csv").write_text(f"a,the kind,label\n{text}", encoding="utf-8")
    stream = open_stream(folder / "a.csv", target="the kind", batch_bytes=size)
    write_arrow(stream, folder / "a.arrow")
    again = open_stream(folder / "a.arrow")
    assert same(stream, again)
    assert (again.feature_names, again.target) == (["a", "label"], "the kind")


def test_labels_that_widen(folder):
    Path("whole.csv").write_text("x,y\n1,1\n1,2.0\n")
    stream = open_stream("whole.csv", batch_bytes=8)
    write_arrow(stream, "a.arrow")
    assert open_stream("a.arrow").read()[1].tolist() == [1, 2]
    Path("a.csv").write_text("x,y\n1,1\n1,2.5\n")
    with pytest.raises(DataError, match=r"whole numbers before row 1 \(from 0\), fractions after"):
        write_arrow(open_stream("a.csv", batch_bytes=8), "b.arrow")
    assert not Path("b.arrow").exists()


def test_streams_without_labels(folder):
    with pytest.raises(ValueError, match="has no labels: open it with"):
        write_arrow(open_stream("a.csv", labelled=False), "a.arrow")


def test_without_pyarrow(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r"written by pyarrow, .* pip install 'rosenblatt\[data\]'"):
        write_arrow(open_stream("a.csv"), "a.arrow")


# --- whole or not at all -------------------------------------------------------------------------


def test_bad_rows_leave_no_file(folder):
    Path("b.svm").write_text("1 1:1\n" * 50 + "1 x")
    Path("a.arrow").write_bytes(b"before")
    with pytest.raises(DataError, match=r"b\.svm:51"):
        write_arrow(open_stream("b.svm", batch_bytes=20), "a.arrow")
    assert Path("a.arrow").read_bytes() == b"before"
    assert sorted(os.listdir()) == ["a.arrow", "a.csv", "a.svm", "b.svm"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_disk_that_fails_leaves_the_old_file(folder, monkeypatch, call):
    write_arrow(open_stream("a.svm"), "a.arrow")
    before = Path("a.arrow").read_bytes()

    def fail(*arguments):
        raise OSError(errno.EIO, "the disk is on fire")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        with pytest.raises(OSError, match=r"Arrow file was not saved \(the disk is on fire"):
            write_arrow(open_stream("a.csv"), "a.arrow")
    assert Path("a.arrow").read_bytes() == before
    assert len(os.listdir()) == 3


def test_a_disk_that_fills(folder):
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
    Path("long.svm").write_text("1 1:1 2:2\n" * 5000)
    process = Piped(limit + command("convert", "long.svm", "a.arrow"), stderr=subprocess.PIPE)
    assert "The Arrow file was not saved (File too large)" in process.communicate()[1]
    assert process.returncode == 1
    assert sorted(os.listdir()) == ["a.csv", "a.svm", "long.svm"]


# --- the command ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "options"), [("a.svm", []), ("a.csv", ["--target", "kind"]), ("sklearn:iris", [])]
)
def test_the_command(folder, call, data, options):
    status, out, err = call("convert", data, "a.arrow", "--json", *options)
    found = json.loads(out)
    wanted = open_stream(data, target="kind" if options else None)
    assert status == 0
    assert found.pop("seconds") > 0
    rows = len(wanted.read()[1])
    size = os.path.getsize("a.arrow")
    names = {"file": "a.arrow", "format": "arrow"}
    assert found == {"examples": rows, "bytes": size, "bad_rows": 0, **names}
    assert err.startswith(f"written: a.arrow ({rows} rows, ")
    assert same(wanted, open_stream("a.arrow"))
    assert call("convert", data, "a.arrow", "-q", *options) == (0, "", "")  # replaced


def test_the_command_reads_pipes(folder, call):
    Path("a.svm.gz").write_bytes(gzip.compress(SVM.encode()))
    assert call("convert", "a.svm.gz", "a.arrow")[0] == 0
    process = spawn("convert", "-", "b.arrow", stdin=subprocess.PIPE)
    process.communicate(SVM)
    assert process.returncode == 0
    assert same(open_stream("a.arrow"), open_stream("b.arrow"))


def test_a_model_of_text_and_one_of_arrow_are_the_same(folder, call):
    rng = np.random.default_rng(0)
    lines = [
        f"{2 * (k % 2) - 1} " + " ".join(f"{j}:{rng.normal():.3f}" for j in range(1, 9))
        for k in range(200)
    ]
    Path("b.svm").write_text("\n".join(lines))
    assert call("convert", "b.svm", "b.arrow")[0] == 0
    for data in ("b.svm", "b.arrow"):
        assert call("train", data, "-m", data + ".model", "-q")[0] == 0
    answers = {
        call("predict", f"{model}.model", data, "--scores")[1]
        for model in ("b.svm", "b.arrow")
        for data in ("b.svm", "b.arrow")
    }
    assert len(answers) == 1
    inspected = [call("inspect", f"{data}.model", "--json")[1] for data in ("b.svm", "b.arrow")]
    features = [json.loads(text)["features"] for text in inspected]
    assert features[0] == features[1]


def test_another_index_base_is_refused(folder, call):
    assert call("train", "a.svm", "-m", "m", "-q")[0] == 0
    assert call("convert", "a.svm", "a.arrow", "--index-base", "0")[0] == 0
    status, _, err = call("evaluate", "m", "a.arrow")
    assert status == 3
    assert "counted from 0 when it was converted, the model's from 1: convert it again" in err


@pytest.mark.parametrize(
    ("out", "status", "message"),
    [
        ("a.npy", 2, "OUT: a.npy: its name tells no format: let it end in .svm, .vw, .csv"),
        ("data.arrow", 1, "data.arrow: is the input data: give OUT another file"),
        (
            "notes.arrow",
            1,
            "exists and is no Arrow file, so it is not overwritten: give OUT another",
        ),
        ("none/a.arrow", 1, "there is no folder"),
        ("folder.arrow", 1, "is a folder: give OUT a file in it"),
    ],
)
def test_conversions_that_the_command_refuses(folder, call, out, status, message):
    write_arrow(open_stream("a.svm"), "data.arrow")
    Path("notes.arrow").write_text("notes")
    Path("folder.arrow").mkdir()
    found, _, err = call("convert", "data.arrow", out)
    assert (found, message in err) == (status, True), err
    assert Path("notes.arrow").read_text() == "notes"
