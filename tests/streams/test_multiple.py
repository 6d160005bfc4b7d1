"""Several files and patterns as one stream: every row once, in order."""

import gzip
import os
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.streams import DataError, open_stream, write_arrow
from rosenblatt.streams.io.paths import expand_paths


@pytest.fixture
def put(tmp_path, monkeypatch):
    """Write files into the folder where the test works."""
    monkeypatch.chdir(tmp_path)

    def put(**files):
        for name, text in files.items():
            Path(name.replace("_", ".")).write_text(text)

    return put


def refused(source, message, name, line=None, **options):
    with pytest.raises(DataError, match=message) as caught:
        list(open_stream(source, **options))
    assert (caught.value.source, caught.value.line) == (name, line)


# --- which files, in which order -----------------------------------------------------------------


def test_patterns_are_sorted_and_lists_are_not(put):
    put(b_svm="2 1:1\n", a_svm="1 1:1\n", c_svm="3 1:1\n", c_txt="9 1:1\n")
    for source, labels in {
        "*.svm": [1, 2, 3],
        "[bc].svm": [2, 3],
        "?.svm": [1, 2, 3],
        ("c.svm", "a.svm"): [3, 1],
        ("b.svm", "[ac].svm"): [2, 1, 3],
        ("a.svm", "a.svm"): [1, 1],
        (Path("b.svm"),): [2],
    }.items():
        for _ in range(2):
            assert open_stream(source).read()[1].tolist() == labels


def test_patterns_match_nested_folders(put):
    put(a_svm="1 1:1\n")
    os.makedirs("deep/er")
    Path("deep/er/a.svm").write_text("2 1:1\n")
    assert expand_paths("**/*.svm") == ["a.svm", "deep/er/a.svm"]
    assert open_stream("deep/*/*.svm").name == "deep/er/a.svm"


def test_a_file_whose_name_looks_like_a_pattern(put):
    put(**{"[ab]_svm": "1 1:1\n", "a_svm": "2 1:1\n"})
    assert expand_paths("[ab].svm") == ["[ab].svm"]


def test_patterns_without_matches_are_refused(put):
    refused("*.svm", "no file matches", "*.svm")
    refused([], "no files: name one", "[]")
    put(a_svm="1 1:1\n")
    refused(["a.svm", "none.svm"], "cannot be read: No such file", "none.svm")
    os.mkdir("b.svm")
    refused("*.svm", "is a directory", "b.svm")


# --- one stream ----------------------------------------------------------------------------------


labels = st.integers(0, 2)
entries = st.dictionaries(st.integers(1, 9), st.integers(1, 9), max_size=3)


@settings(deadline=None)
@given(st.lists(st.lists(st.tuples(labels, entries), min_size=1), min_size=1, max_size=4))
def test_several_files_match_one_file(tmp_path_factory, files):
    folder = tmp_path_factory.mktemp("many")
    texts = [
        "".join(
            " ".join([str(y), *(f"{j}:{x}" for j, x in sorted(row.items()))]) + "\n"
            for y, row in rows
        )
        for rows in files
    ]
    for k, text in enumerate(texts):
        (folder / f"{k}.svm.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "all.svm").write_text("".join(texts))
    many, one = open_stream(f"{folder}/*.svm.gz", index_base=1), open_stream(folder / "all.svm")
    seen = width = 0
    for X, y, first_row, *_ in many:
        assert (first_row, X.shape[0]) == (seen, len(y))
        assert X.shape[1] >= width
        seen, width = seen + len(y), X.shape[1]
    (X, y), (Z, z) = many.read(), one.read()
    assert X.toarray().tolist() == Z.toarray().tolist()
    assert (y.dtype, y.tolist()) == (z.dtype, z.tolist())


def test_tables(put):
    put(a_csv="x,kind\n1,oak\n", b_csv="x,kind\n2,elm\n")
    stream = open_stream("*.csv", target="kind")
    assert (stream.format, stream.feature_names, stream.target) == ("csv", ["x"], "kind")
    assert stream.name == "a.csv … b.csv"
    assert [(X.tolist(), y.tolist(), first) for X, y, first, *_ in stream] == [
        ([[1.0]], ["oak"], 0),
        ([[2.0]], ["elm"], 1),
    ]
    stream = open_stream("*.csv", target="kind", labelled=False)
    assert [batch.y for batch in stream] == [None, None]


def test_arrow_files(put):
    put(a_svm="1 1:1\n", b_svm="2 5:1\n")
    for name in "ab":
        write_arrow(open_stream(f"{name}.svm"), f"{name}.arrow")
    X, y = open_stream("*.arrow").read()
    assert (X.toarray().tolist(), y.tolist()) == ([[1, 0, 0, 0, 0], [0, 0, 0, 0, 1]], [1, 2])
    write_arrow(open_stream("b.svm", index_base=0), "b.arrow")
    refused(
        "*.arrow", "features counted from 0, but a.arrow has 1: read them separately", "b.arrow"
    )


def test_labels_widen_over_files(put):
    put(a_csv="x,y\n1,1\n", b_csv="x,y\n1,0.5\n", c_csv="x,y\n1,3\n")
    for _ in range(2):
        kinds = [batch.y.dtype.kind for batch in open_stream("*.csv")]
        assert kinds == ["i", "f", "f"]
    assert open_stream("*.csv").read()[1].tolist() == [1, 0.5, 3]


def test_the_first_file_decides_the_index_base(put):
    put(a_svm="1\n", b_svm="1 1:1\n", c_svm="1 2:1\n")
    stream = open_stream("*.svm")
    assert stream.index_base is None
    assert stream.read()[0].toarray().tolist() == [[0, 0], [1, 0], [0, 1]]
    assert stream.index_base == 1
    put(c_svm="1 2:1\n1 0:1\n")
    refused("*.svm", "found index 0 .* set index_base=0", "c.svm", 2)
    put(a_svm="1 0:1\n", c_svm="1 2:1\n")
    stream = open_stream("*.svm")
    assert stream.read()[0].toarray().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert stream.index_base == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_pipes_can_be_read_only_once(put):
    put(a_svm="1 1:1\n")
    os.mkfifo("b")
    writer = threading.Thread(target=Path("b").write_bytes, args=(b"2 2:1\n",))
    writer.start()
    stream = open_stream(["a.svm", "b"], format="svmlight")
    assert stream.read()[1].tolist() == [1, 2]
    writer.join()
    with pytest.raises(DataError, match="b: can be read only once"):
        list(stream)


# --- files that do not go together ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "message", "line"),
    [
        (
            {"a_csv": "x,y\n1,1\n", "b_csv": "x,z,y\n1,1,1\n"},
            "columns x, z, but a.csv has x:",
            None,
        ),
        ({"a_csv": "x,z,y\n1,1,1\n", "b_csv": "z,x,y\n1,1,1\n"}, "columns z, x, but", None),
        ({"a_csv": "x,y\n1,1\n", "b_csv": "x,z\n1,1\n"}, "no column 'y' for the labels", 1),
        ({"a_csv": "x,y\n1,1\n", "b_csv": "1 1:1\n"}, "found a single column", 1),
        (
            {"a_csv": "x,y\n1,1\n", "b_svm": "1 1:1\n"},
            "is svmlight, but a.csv is csv: read them separately",
            None,
        ),
        ({"a_csv": "x,y\n1,1\n", "b_csv": "x,y\n1,a\n"}, "label a, text, but all .* numbers", None),
        (
            {"a_csv": "x,y\n1,a\n", "b_csv": "x,y\n1,1\n"},
            "label 1, a number, but all .* text",
            None,
        ),
        (
            {"a_csv": "x,y\n1,1\n", "b_csv": "x,y\n1,1\n\n1,\n"},
            "found nothing, expected a label",
            4,
        ),
        ({"a_csv": "x,y\n1,1\n", "b_csv": ""}, "no rows: it is empty", None),
        ({"a_csv": "x,y\n1,1\n", "b_csv": "x,y\n"}, "no rows: found a header only", None),
    ],
)
def test_files_that_disagree_are_refused(put, files, message, line):
    put(**files)
    refused("[ab].*", message, list(files)[1].replace("_", "."), line)


def test_rows_before_a_fault_are_yielded_first(put):
    put(a_svm="1 1:1\n", b_svm="1 2:2\n1 x\n")
    seen = []
    with pytest.raises(DataError, match=r"b\.svm:2:3"):
        seen.extend(batch.X.shape[0] for batch in open_stream("*.svm"))
    assert seen == [1, 1]


# --- the command ---------------------------------------------------------------------------------


def test_the_command(put, call):
    put(a_svm="1 1:1\n-1 2:1\n", b_svm="1 1:2\n-1 2:3\n")
    assert call("train", "*.svm", "-m", "m", "-q", "--epochs", "5")[0] == 0
    assert call("predict", "m", "*.svm")[1].split() == ["1", "-1"] * 2
    assert call("certify", "*.svm", "-q")[0] == 0
    assert call("convert", "*.svm", "all.arrow", "-q")[0] == 0
    np.testing.assert_array_equal(open_stream("all.arrow").read()[1], [1, -1, 1, -1])
    status, _, err = call("convert", "*.arrow", "all.arrow")
    assert (status, "all.arrow: is the input data" in err) == (1, True)
    status, _, err = call("train", "none-*.svm", "-m", "m")
    assert (status, err) == (3, "error: none-*.svm: no file matches this pattern.\n")


def test_bad_rows_are_those_of_the_latest_pass(put):
    put(a_csv="x,y\n1,a\nz,a\n", b_csv="x,y\n2,b\nz,b\n")
    stream = open_stream("*.csv", schema={"x": "number"}, on_bad_row="skip")
    for _ in range(2):
        assert [stream.bad_rows for _ in stream] == [0, 1]
        assert stream.bad_rows == 2
