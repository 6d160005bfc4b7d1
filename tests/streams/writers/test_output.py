"""Files written from streams, and views of streams."""

import bz2
import gzip
import lzma
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from sklearn.datasets import load_svmlight_file

from rosenblatt.engine.text.hashing import murmur3
from rosenblatt.streams import DataError, open_stream, write_stream
from rosenblatt.streams.registry import FORMATS, WRITTEN_FORMATS
from rosenblatt.streams.writers.output import (
    _DENSE_CELLS,
    MAX_COLUMNS,
    DenseStream,
    NumberedStream,
    number_labels,
    written_format,
)

SUFFIXES = {name: FORMATS[name].suffixes[0] for name in WRITTEN_FORMATS}
NAMES = ["height", "petal length (cm)", "a:b|100%", "größe"]
VALUES = np.array(
    [[1.0, 0.1, -2.5, 1e-300], [1 / 3, 5e-324, 1.7976931348623157e308, 1.0], [0, 0, 0, -1e-5]]
)
WEIGHTS = [1.0, 2.5, 0.1]
LABELS = {"numbers": [3, -7, 3], "text": ["oak", 'a \'b, "c"', "oak"]}


def write_first(format, labels="numbers", weights=None):
    """Write the table of this file in a format, without ``write_stream``."""
    table = pd.DataFrame(VALUES, columns=NAMES) if format != "svmlight" else None
    path = f"first{SUFFIXES[format]}"
    if table is None:
        rows = [
            " ".join([str(y), *(f"{j + 1}:{x!r}" for j, x in enumerate(row) if x)])
            for y, row in zip(LABELS[labels], VALUES.tolist(), strict=True)
        ]
        Path(path).write_text("\n".join(rows) + "\n")
        return path
    if weights is not None:
        table["importance"] = weights
    table["kind"] = LABELS[labels]
    if format == "parquet":
        table.to_parquet(path)
    elif format == "arrow":
        table.to_feather(path, compression="uncompressed")
    else:
        table.to_csv(path, index=False, sep="\t" if format == "tsv" else ",")
    return path


def as_rows(path, format, **options):
    """Return values by column, and labels; Vowpal Wabbit text is hashed as its reader does."""
    batch = open_stream(path, **options).whole()
    X = batch.X.toarray() if hasattr(batch.X, "indptr") else batch.X
    if format == "vw":
        X = X[:, NAME_COLUMNS] * NAME_SIGNS + 0.0  # zeros have no sign
    return X.tobytes(), batch.y.tolist(), None if batch.weight is None else batch.weight.tolist()


ESCAPED = ["height", "petal%20length%20(cm)", "a%3Ab%7C100%25", "größe"]
HASHES = np.array([murmur3(name.encode()) for name in ESCAPED])
NAME_COLUMNS = np.abs(HASHES) & (1 << 18) - 1
NAME_SIGNS = np.where(HASHES >= 0, 1.0, -1.0)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- round trips ---------------------------------------------------------------------------------


@pytest.mark.parametrize("target", WRITTEN_FORMATS)
@pytest.mark.parametrize("source", [name for name in WRITTEN_FORMATS if name != "vw"])
def test_values_and_labels_come_back(source, target):
    path = write_first(source)
    stream = open_stream(path)
    if source == "svmlight" and target == "vw":
        stream.feature_names = NAMES  # indices are no names
    assert write_stream(stream, f"second{SUFFIXES[target]}") == 3
    assert as_rows(f"second{SUFFIXES[target]}", target) == (VALUES.tobytes(), [3, -7, 3], None)


@pytest.mark.parametrize("target", ["csv", "tsv", "parquet", "arrow"])
@pytest.mark.parametrize("source", ["csv", "tsv", "parquet", "arrow"])
def test_names_text_labels_and_weights_come_back(source, target):
    schema = {"importance": "weight"}
    stream = open_stream(write_first(source, "text", WEIGHTS), schema=schema)
    write_stream(stream, f"second{SUFFIXES[target]}")
    again = open_stream(f"second{SUFFIXES[target]}", schema=schema)
    assert (again.feature_names, again.target) == (NAMES, "kind")
    expected = (VALUES.tobytes(), LABELS["text"], WEIGHTS)
    assert as_rows(f"second{SUFFIXES[target]}", target, schema=schema) == expected


@pytest.mark.parametrize("target", WRITTEN_FORMATS)
def test_categories_become_columns(target):
    Path("first.csv").write_text("width,bark,y\n0.5,rough bark,1\n,smooth,0\n2,smooth,1\n")
    stream = open_stream("first.csv", schema={"width": "number", "bark": "category"}, impute="zero")
    write_stream(stream, f"second{SUFFIXES[target]}")
    names = ["width", "bark=rough bark", "bark=smooth"]
    wanted = [[0.5, 1, 0], [0, 0, 1], [2, 0, 1]]
    again = open_stream(f"second{SUFFIXES[target]}")
    X, y = again.read()
    X = X.toarray() if again.sparse else X
    if target == "vw":
        hashes = np.array([murmur3(name.replace(" ", "%20").encode()) for name in names])
        X = X[:, np.abs(hashes) & (1 << 18) - 1] * np.where(hashes >= 0, 1, -1)
    elif target != "svmlight":
        assert again.feature_names == names
    assert (X.tolist(), y.tolist()) == (wanted, [1, 0, 1])


def test_hashed_rows_come_back_from_sparse_formats():
    Path("a.vw").write_text("1 |mail spam:2 offer\n-1 'm7|mail hello |x big:0.1\n", "ascii")
    wanted, labels = open_stream("a.vw").read()
    for path in ("b.svm", "b.parquet", "b.arrow"):
        write_stream(open_stream("a.vw"), path)
        X, y = open_stream(path).read()
        assert (X.data.tobytes(), y.tolist()) == (wanted.data.tobytes(), labels.tolist())
        assert X.indices.tolist() == wanted.indices.tolist()
    write_stream(open_stream("b.svm"), "c.vw")
    assert Path("c.vw").read_text().startswith("1 | ")


@pytest.mark.parametrize("base", [0, 1])
def test_indices_stay_as_they_are(base):
    text = f"1 {base}:2 7:0.5\n-1 3:0\n"
    Path("a.svm").write_text(text)
    write_stream(open_stream("a.svm"), "b.svm")
    assert Path("b.svm").read_text() == text
    write_stream(open_stream("a.svm"), "b.csv")
    assert open_stream("b.csv").feature_names == [f"x{j}" for j in range(base, 8)]


def test_ids_and_weights_become_tags_and_importances():
    Path("a.csv").write_text("x,mail,w,y\n1,a 1,2.5,1\n2,,1,-1\n")
    stream = open_stream("a.csv", schema={"mail": "id", "w": "weight"})
    write_stream(stream, "a.vw")
    assert Path("a.vw").read_text() == "1 2.5 'a%201| x\n-1 1 | x:2\n"
    rows = open_stream("a.vw", tags=True).whole()
    assert (rows.weight.tolist(), rows.ids.tolist()) == ([2.5, 1], ["a%201", ""])
    write_stream(stream, "b.csv")
    again = open_stream("b.csv", schema={"mail": "id", "w": "weight"}).whole()
    assert (again.weight.tolist(), again.ids.tolist()) == ([2.5, 1], ["a 1", ""])


values = st.floats(allow_nan=False, allow_infinity=False)


@thorough(30)
@given(
    st.lists(
        st.tuples(st.integers(-9, 9), st.dictionaries(st.integers(1, 50), values, max_size=5)),
        min_size=1,
        max_size=20,
    ),
    st.integers(1, 100),
    st.sampled_from(["svmlight", "csv", "parquet"]),
)
def test_every_float_comes_back(tmp_path_factory, rows, size, format):
    folder = tmp_path_factory.mktemp("floats")
    lines = [
        " ".join([f"{y}", "99:1", *(f"{j}:{x!r}" for j, x in sorted(row.items()))])
        for y, row in rows
    ]
    (folder / "a.svm").write_text("\n".join(lines))
    stream = open_stream(folder / "a.svm", batch_bytes=size)
    path = folder / f"b{SUFFIXES[format]}"
    assert write_stream(stream, path) == len(rows)
    (X, y), (Z, z) = stream.read(), open_stream(path).read()
    Z = Z.toarray() if hasattr(Z, "indptr") else Z
    assert y.tolist() == z.tolist()
    assert (X.toarray() + 0.0).tobytes() == (Z + 0.0).tobytes()  # zeros have no sign


@pytest.mark.parametrize("path", ["b.svm", "b.vw"])
def test_labels_may_become_fractions(path):
    Path("a.svm").write_text("1 1:1\n-1 1:2\n0.1 1:1\n")
    write_stream(open_stream("a.svm", batch_bytes=6), path)
    assert open_stream(path).read()[1].tolist() == [1, -1, 0.1]


# --- other readers -------------------------------------------------------------------------------


def test_scikit_learn_reads_the_svmlight_text():
    write_stream(open_stream(write_first("csv")), "a.svm")
    X, y = load_svmlight_file("a.svm")
    assert (X.toarray().tobytes(), y.tolist()) == (VALUES.tobytes(), [3, -7, 3])


@pytest.mark.parametrize(("suffix", "separator"), [("csv", ","), ("tsv", "\t")])
def test_pandas_reads_the_tables(suffix, separator):
    write_stream(open_stream(write_first("parquet", "text")), f"a.{suffix}")
    table = pd.read_csv(f"a.{suffix}", sep=separator)
    assert list(table.columns) == [*NAMES, "kind"]
    assert table[NAMES].to_numpy().tobytes() == VALUES.tobytes()
    assert table["kind"].tolist() == LABELS["text"]


def test_pandas_reads_parquet():
    write_stream(open_stream(write_first("csv", "text")), "a.parquet")
    table = pd.read_parquet("a.parquet")
    assert table[NAMES].to_numpy().tobytes() == VALUES.tobytes()
    write_stream(open_stream(write_first("svmlight")), "b.parquet")
    sparse = pd.read_parquet("b.parquet")
    assert [row.tolist() for row in sparse["indices"]] == [[0, 1, 2, 3], [0, 1, 2, 3], [3]]


@pytest.mark.parametrize(
    ("suffix", "unpack"), [(".gz", gzip.open), (".xz", lzma.open), (".bz2", bz2.open)]
)
@pytest.mark.parametrize("format", ["svmlight", "vw", "csv", "tsv"])
def test_text_is_compressed(format, suffix, unpack):
    plain, packed = (f"a{SUFFIXES[format]}{end}" for end in ("", suffix))
    for path in (plain, packed):
        write_stream(open_stream(write_first("parquet")), path)
    with unpack(packed) as file:
        assert file.read() == Path(plain).read_bytes()
    first = Path(packed).read_bytes()
    write_stream(open_stream(write_first("parquet")), packed)
    assert Path(packed).read_bytes() == first


# --- refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "format", "message"),
    [
        ("a.jsonl", None, r"its name tells no format: let it end in \.svm, \.vw, \.csv"),
        ("a", None, "its name tells no format"),
        ("a.svm.zst", None, r"no svmlight text is written with \.zst: choose \.gz, \.xz or \.bz2"),
        ("a.parquet.gz", None, r"no Parquet file is written with \.gz: leave it out"),
        ("a.gz", "arrow", r"no Arrow file is written with \.gz: leave it out"),
    ],
)
def test_names_that_are_refused(path, format, message):
    with pytest.raises(ValueError, match=message):
        written_format(path, format)


def test_the_format_can_be_named():
    assert (written_format("a.txt", "csv"), written_format("a.GZ", "vw")) == ("csv", "vw")


@pytest.mark.parametrize("path", ["a.svm", "a.vw"])
def test_text_labels_are_refused_before_a_file_is_made(path):
    stream = open_stream("sklearn:iris")
    with pytest.raises(DataError, match="--labels setosa,versicolor,virginica numbers them"):
        write_stream(stream, path)
    assert os.listdir() == []


def test_weights_are_refused_in_svmlight_text():
    stream = open_stream(write_first("csv", weights=WEIGHTS), schema={"importance": "weight"})
    message = r"row 1 \(from 0\) has the weight 2\.5, .* --schema importance:skip\.$"
    with pytest.raises(DataError, match=message):
        write_stream(stream, "a.svm")
    Path("a.vw").write_text("1 | x\n-1 3 | x\n")
    with pytest.raises(DataError, match=r"weight 3, .*: write Parquet \(\.parquet\)\.$"):
        write_stream(open_stream("a.vw"), "a.svm")


def test_vowpal_wabbit_text_is_not_written_again():
    Path("a.vw").write_text("1 | x\n")
    with pytest.raises(DataError, match="is Vowpal Wabbit text already"):
        write_stream(open_stream("a.vw"), "b.vw")


def test_without_labels_or_pyarrow(monkeypatch):
    stream = open_stream(write_first("csv"), labelled=False)
    with pytest.raises(ValueError, match="has no labels: open it with"):
        write_stream(stream, "a.svm")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r"svmlight text is written by pyarrow, .* pip install"):
        write_stream(open_stream("first.csv"), "a.svm")


@pytest.mark.parametrize("path", ["b.svm", "b.svm.gz", "b.csv", "b.parquet"])
def test_bad_rows_leave_the_old_file(path):
    Path("a.svm").write_text("1 1:1\n" * 50 + "1 x")
    Path(path).write_bytes(b"before")
    with pytest.raises(DataError, match=r"a\.svm:51"):
        write_stream(open_stream("a.svm", batch_bytes=20), path)
    assert Path(path).read_bytes() == b"before"
    assert sorted(os.listdir()) == ["a.svm", path]


def numbered(labels, names, **options):
    Path("a.csv").write_text("".join(["x,y\n", *(f"1,{label}\n" for label in labels)]))
    return NumberedStream(open_stream("a.csv", **options), names).read()[1].tolist()


def test_two_labels_are_minus_one_and_one_more_count_from_one():
    assert numbered(["no", "yes", "no"], ["no", "yes"]) == [-1, 1, -1]
    assert numbered(["c", "a", "b"], ["a", "b", "c"]) == [3, 1, 2]


def test_labels_that_are_numbers_are_named_by_value():
    assert numbered([0, 1], ["0", "1"]) == [-1, 1]
    assert numbered([0.5, 1], ["+1", ".5"]) == [1, -1]
    assert numbered([2, 9, 7], ["7", "2", "9"], batch_bytes=4) == [2, 3, 1]


@pytest.mark.parametrize("labels", [[], ["a"], ["a", "b", "a"]])
def test_labels_that_are_refused(labels):
    with pytest.raises(ValueError, match="labels must be two or more distinct labels; got"):
        number_labels(labels)


@pytest.mark.parametrize(("words", "row"), [(["a", "b", "c", "b"], 2), ([1, 2, 2, 3], 3)])
def test_another_label_is_named_with_its_row(words, row):
    names = [str(word) for word in words[:2]]
    message = rf"a\.csv: row {row} \(from 0\): found the label '{words[row]}', which --labels"
    with pytest.raises(DataError, match=message):
        numbered(words, names, batch_bytes=4)


def test_dense_rows_are_as_wide_as_the_widest_and_not_too_many():
    rows = _DENSE_CELLS // 5000 + 10
    Path("a.svm").write_text("1 1:1\n" * rows + "-1 5000:2\n")
    stream = DenseStream(open_stream("a.svm"))
    batches = list(stream)
    assert {batch.X.shape[1] for batch in batches} == {5000}
    assert max(batch.X.size for batch in batches) <= _DENSE_CELLS
    firsts = np.cumsum([0, *(len(batch.y) for batch in batches)])
    assert [batch.first_row for batch in batches] == firsts[:-1].tolist()
    assert firsts[-1] == rows + 1
    assert batches[-1].X[-1, 4999] == 2.0
    assert stream.feature_names[::4999] == ["x1", "x5000"]


def test_names_are_those_of_all_rows():
    Path("a.jsonl").write_text('{"b": 1, "y": 0}\n{"a": 2, "y": 1}\n')
    stream = DenseStream(open_stream("a.jsonl", target="y", batch_bytes=10))
    assert stream.feature_names == ["b", "a"]
    assert stream.read()[0].tolist() == [[1, 0], [0, 2]]


def test_too_many_columns_are_refused():
    for index in (MAX_COLUMNS, MAX_COLUMNS + 1):
        Path(f"{index}.svm").write_text(f"1 {index}:1\n")
    assert len(DenseStream(open_stream("10000.svm")).feature_names) == MAX_COLUMNS
    with pytest.raises(DataError, match=r"more than 10,000 columns, .* svmlight text \(\.svm\)"):
        DenseStream(open_stream("10001.svm"))
    Path("a.vw").write_text("1 | x\n")
    with pytest.raises(DataError, match=r"2\^18 hashed columns"):
        DenseStream(open_stream("a.vw"))


def test_skipped_rows_are_counted():
    Path("a.csv").write_text("x,y\n1,a\nb,a\n2,b\n")
    schema = {"x": "number"}
    stream = NumberedStream(open_stream("a.csv", schema=schema, on_bad_row="skip"), ["a", "b"])
    assert stream.read()[1].tolist() == [-1, 1]
    assert stream.bad_rows == 1
