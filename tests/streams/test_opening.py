import bz2
import csv
import gzip
import io
import lzma
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.streams import Batch, DataError, open_stream
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.features.encoding import Vocabulary
from rosenblatt.streams.formats.delimited import TableStream
from rosenblatt.streams.formats.svmlight import SvmlightStream
from rosenblatt.streams.io.files import File, Pipe
from rosenblatt.streams.io.lines import LineBlock, line_blocks
from rosenblatt.streams.io.prefetch import prefetch_map

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
COMPRESS = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": lambda data: pa.compress(data, "zstd", asbytes=True),
}


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def shared(name):
    path = DATA / name
    if not path.exists():
        if os.environ.get("ROSENBLATT_REQUIRE_DATA"):
            pytest.fail(f"ROSENBLATT_REQUIRE_DATA is set, but {path} is not there")
        pytest.skip(f"{path} is not there")
    return path


def rows_of(stream):
    """All rows as (dense values without trailing zeros, label), checking the batches on the way."""
    rows, width = [], 0
    for X, y, first_row, *_ in stream:
        assert first_row == len(rows)
        assert X.shape[0] == len(y) > 0
        assert X.shape[1] >= width
        assert X.dtype == np.float64
        width = X.shape[1]
        dense = X.toarray() if stream.sparse else X
        rows += [
            (np.trim_zeros(row, "b").tolist(), label)
            for row, label in zip(dense, y.tolist(), strict=True)
        ]
    return rows


def refused(source, message, line=None, column=None, **options):
    """The DataError that opening or reading ends with, checked."""
    with pytest.raises(DataError, match=message) as caught:
        list(open_stream(source, **options))
    error = caught.value
    assert (error.line, error.column) == (line, column)
    place = ":".join(str(part) for part in (error.source, line, column) if part is not None)
    assert str(error) == f"{place}: {error.problem}"
    assert error.problem[-1] in ".?"
    return error


# --- svmlight ------------------------------------------------------------------------------------

SVM = b"# made by hand\n+1 1:2 3:4\n-1\n\n-1 qid:1 5:0.5 2:1 # unsorted\n+1 1:1"
SVM_ROWS = [([2.0, 0.0, 4.0], 1), ([], -1), ([0.0, 1.0, 0.0, 0.0, 0.5], -1), ([1.0], 1)]


@pytest.mark.parametrize("suffix", [".svm", ".svmlight", ".libsvm", ".SVM", ".txt", "", ".t"])
def test_svmlight(write, suffix):
    stream = open_stream(write(f"data{suffix}", SVM))
    assert (stream.format, stream.sparse, stream.labelled) == ("svmlight", True, True)
    assert (stream.feature_names, stream.target, stream.index_base) == (None, None, None)
    assert rows_of(stream) == SVM_ROWS
    assert stream.index_base == 1
    assert rows_of(stream) == SVM_ROWS


def test_widths_grow_with_the_stream(write):
    stream = open_stream(write("a.svm", "1 2:1\n1 9:1\n1 1:1\n"), batch_bytes=1)
    assert [batch.X.shape for batch in stream] == [(1, 2), (1, 9), (1, 9)]
    assert [batch.first_row for batch in stream] == [0, 1, 2]


@pytest.mark.parametrize("index_base", [None, 0])
def test_indices_from_0(write, index_base):
    stream = open_stream(write("a.svm", "1 1:5\n1 0:2 1:3\n"), index_base=index_base)
    assert rows_of(stream) == [([0.0, 5.0], 1), ([2.0, 3.0], 1)]
    assert stream.index_base == 0


def test_indices_from_0_where_they_could_be_from_1(write):
    assert rows_of(open_stream(write("a.svm", "1 1:5"), index_base=0)) == [([0.0, 5.0], 1)]


def test_a_later_index_0_is_refused_with_advice(write):
    path = write("a.svm", "1 1:5\n\n1 2:2 0:3\n")
    for options in ({"batch_bytes": 1}, {"index_base": 1}):
        refused(path, "found index 0 .* set index_base=0", line=3, **options)


def test_labels_are_whole_until_one_is_not(write):
    stream = open_stream(write("a.svm", "1 1:1\n2.0 1:1\n2.5 1:1\n3 1:1\n"), batch_bytes=1)
    for _ in range(2):  # every epoch alike
        kinds = [batch.y.dtype.kind for batch in stream]
        assert kinds == ["i", "i", "f", "f"]
    labels = [batch.y.tolist() for batch in open_stream(write("b.svm", "1\n9007199254740994 1:1"))]
    assert labels == [[1.0, 9007199254740994.0]]


rows = st.lists(
    st.tuples(
        st.integers(-3, 3),
        st.dictionaries(
            st.integers(1, 30),
            st.floats(allow_nan=False, allow_infinity=False, width=64).filter(bool),
        ),
    ),
    min_size=1,
    max_size=15,
)


@settings(deadline=None)
@given(rows, st.integers(1, 200), st.booleans())
def test_chunks_change_no_row(rows, size, ends):
    lines = [" ".join([str(label), *(f"{j}:{x!r}" for j, x in row.items())]) for label, row in rows]
    text = "\n".join(lines).encode() + (b"\n" if ends else b"")
    pieces = (text[k : k + size] for k in range(0, len(text), size))
    read = rows_of(SvmlightStream(Pipe("made", pieces, size), ReadOptions(index_base=1)))
    assert read == [
        ([row.get(j, 0.0) for j in range(1, max(row, default=0) + 1)], label) for label, row in rows
    ]


@pytest.mark.parametrize("batch_bytes", [1, 7, 64, 1 << 20])
@pytest.mark.parametrize(
    ("content", "line", "column", "message"),
    [
        (b"1 1:2\n-1 1:1 3:", 2, 8, "'3:', expected a number after ':'; the line may be torn"),
        (b"1 1:2\n-1 1:1 3", 2, 8, "'3', expected index:value"),
        (b"1 1:2\n1 1:3 1:4\n", 2, 7, "has that index already"),
        (b"1 1:2\n1,2 1:3\n", 2, 1, "one label"),
        (b"1 1:2\n1 -4:3\n", 2, 3, "0 or more"),
        (b"1 1:2\nnan 1:3\n", 2, 1, "finite label"),
        (b"1 1:2\n1 2:inf\n", 2, 3, "finite value"),
        (b"1 1:2\n1 \x00 1:3\nx", 2, 3, "NUL byte, expected text"),
        (b"1 1:2\n1 1:3 # caf\xe9\n\x00", 2, 12, "byte 0xe9, expected UTF-8"),
        (b"1 1:x\n1 1:3 # caf\xe9\n", 1, 3, "expected a decimal number"),
        (b"\n# nothing\n", None, None, "no rows"),
    ],
)
def test_bad_svmlight(write, content, line, column, message, batch_bytes):
    path = write("bad.svm", content)
    error = refused(path, message, line, column, batch_bytes=batch_bytes)
    assert error.source == str(path)


@pytest.mark.parametrize(
    "name", ["a1a/a1a.xz", "heart_scale/heart_scale", "pendigits/pendigits.t.xz"]
)
def test_real_svmlight(name):
    from sklearn.datasets import load_svmlight_file

    path = shared(name)
    content = path.read_bytes()
    if path.suffix == ".xz":
        content = lzma.decompress(content)
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":  # plain Python is slow
        pytest.skip("the compiled parser's test")
    X, y = load_svmlight_file(io.BytesIO(content))
    batches = list(open_stream(path, batch_bytes=10_000))
    assert len(batches) > 1
    np.testing.assert_array_equal(np.concatenate([batch.y for batch in batches]), y)
    for batch in batches:
        want = X[batch.first_row : batch.first_row + len(batch.y), : batch.X.shape[1]]
        assert (want != batch.X).nnz == 0
    assert batches[-1].X.shape[1] == X.shape[1]


# --- archives and other sources ------------------------------------------------------------------


@pytest.mark.parametrize("suffix", COMPRESS)
def test_archives(write, suffix):
    path = write(f"a.svm{suffix}", COMPRESS[suffix](SVM))
    assert rows_of(open_stream(path)) == SVM_ROWS
    assert rows_of(open_stream(write(f"a.csv{suffix}", COMPRESS[suffix](b"x,y\n1,2\n")))) == [
        ([1.0], 2)
    ]
    assert rows_of(open_stream(write(f"a{suffix}", COMPRESS[suffix](SVM)))) == SVM_ROWS


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_truncated_archive_names_the_last_whole_line(write, suffix):
    whole = "".join(f"{k % 2} {k % 7 + 1}:{k}.5\n" for k in range(150_000)).encode()
    packed = COMPRESS[suffix](whole)
    source = File(str(write(f"a.svm{suffix}", packed[: len(packed) * 4 // 5])), 1 << 18)
    read: list[LineBlock] = []
    with pytest.raises(DataError, match="the archive is truncated or damaged after line") as caught:
        read.extend(line_blocks(source.name, source.chunks()))
    text = b"".join(block.text for block in read)
    assert 0 < len(text) < len(whole)
    assert whole.startswith(text)
    assert caught.value.line == text.count(b"\n")
    assert f"after line {caught.value.line} " in str(caught.value)


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_damaged_archive(write, suffix):
    wrong = (
        "truncated or damaged before its first|damaged from its first byte on, or not compressed"
    )
    refused(write(f"a.svm{suffix}", b"1 1:2\n"), wrong)
    refused(
        write(f"b.svm{suffix}", COMPRESS[suffix](b"1 1:2\n")[:8]), "truncated or damaged before"
    )


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (b"\x1f\x8b\x08\xff", "gzip"),
        (b"\xfd7zXZ\x00", "xz"),
        (b"PK\x03\x04\xff", "zip"),
        (b"\x28\xb5\x2f\xfd", "zstandard"),
    ],
)
def test_an_archive_under_another_name_is_recognised(write, start, kind):
    refused(write("a.svm", start + b"\xfe"), f"found {kind} data, expected text", 1, 1)


def test_zstd_without_pyarrow(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    refused(
        write("a.svm.zst", b"x"), r"pyarrow, which is missing: pip install 'rosenblatt\[data\]'"
    )


def test_archives_of_several_frames(write):
    packed = COMPRESS[".zst"](SVM + b"\n")
    assert len(rows_of(open_stream(write("a.svm.zst", packed * 3)))) == 3 * len(SVM_ROWS)


def test_a_table_with_another_separator_is_guessed(write):
    refused(write("a.csv", b"a;b;y\n1;2;3\n"), "Is ';' the separator", 1)


def test_what_is_no_file(tmp_path, write, monkeypatch):
    refused(tmp_path / "none.svm", "cannot be read: No such file or directory")
    refused(tmp_path, "has no folders in it")
    refused(tmp_path, "is a directory", format="csv")
    refused(write("a.svm", b""), "no rows: it is empty")
    refused(
        write("a.txt", b"hello\n"),
        "its format is not clear: set format to one of svmlight, vw, csv",
    )

    def denied(*args):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("rosenblatt.streams.io.files.open", denied, raising=False)
    refused(write("b.svm", SVM), "cannot be read: Permission denied")


def script(source):
    code = f"""
import sys
from rosenblatt.streams import open_stream
stream = open_stream({source!r})
print(stream.name, stream.format, [b.y.tolist() for b in stream])
try:
    list(stream)
except Exception as error:
    print(type(error).__name__, error)
"""
    return [sys.executable, "-W", "error", "-c", code]


@pytest.mark.parametrize(
    ("content", "format", "labels"),
    [(SVM, "svmlight", [1, -1, -1, 1]), (b"x\ty\n1\ta\n", "tsv", ["a"])],
)
def test_stdin_passes_once(content, format, labels):
    done = subprocess.run(script("-"), input=content, capture_output=True, check=True)
    first, second = done.stdout.decode().splitlines()
    assert first == f"stdin {format} [{labels}]"
    assert second == "DataError stdin: can be read only once: for several epochs, give a file."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_a_fifo_is_a_pipe(tmp_path):
    path = tmp_path / "rows"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(SVM,))
    writer.start()
    stream = open_stream(path)
    assert rows_of(stream) == SVM_ROWS
    writer.join()
    with pytest.raises(DataError, match="can be read only once"):
        list(stream)


def test_a_closed_stdin(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    refused("-", "standard input is closed")


def test_a_byte_order_mark_is_dropped(write):
    assert rows_of(open_stream(write("a.svm", b"\xef\xbb\xbf" + SVM))) == SVM_ROWS
    stream = open_stream(write("a.csv", b"\xef\xbb\xbfx,y\n1,2\n"))
    assert stream.feature_names == ["x"]
    assert rows_of(stream) == [([1.0], 2)]


# --- tables --------------------------------------------------------------------------------------

CSV = 'age,"height, m",kind\r\n1, 2.5 ,oak\r\n\r\n-3,.5e1,"elm ""old"""\r\n'
CSV_ROWS = [([1.0, 2.5], "oak"), ([-3.0, 5.0], 'elm "old"')]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt"])
def test_tables(write, name):
    text = CSV.replace(",", "\t").replace('height\t m"', 'height, m"') if "tsv" in name else CSV
    format = None if name != "a.txt" else "csv"
    stream = open_stream(write(name, text), format=format)
    assert stream.format == name[2:].replace("txt", "csv")
    assert (stream.feature_names, stream.target) == (["age", "height, m"], "kind")
    assert (stream.sparse, stream.labelled, stream.index_base) == (False, True, None)
    assert rows_of(stream) == CSV_ROWS == rows_of(stream)
    (batch,) = stream
    assert isinstance(batch, Batch)
    assert batch.X.flags.c_contiguous


@pytest.mark.parametrize(
    ("header", "target", "chosen"),
    [
        ("a,b,c", None, "c"),
        ("a,y,c", None, "y"),
        ("y,Class,c", None, "Class"),
        ("class,label,c", None, "label"),
        ("label,TARGET,c", None, "TARGET"),
        ("label,b,c", "b", "b"),
        ("0,1,2", None, "2"),
        ("label,1,2", None, "label"),
    ],
)
def test_the_target(write, header, target, chosen):
    stream = open_stream(write("a.csv", f"{header}\n1,2,3\n"), target=target)
    assert stream.target == chosen
    assert stream.feature_names == [name for name in header.split(",") if name != chosen]
    assert rows_of(stream)[0][1] == header.split(",").index(chosen) + 1


def test_tables_without_labels(write):
    path = write("a.csv", "a,y\n1,2\n")
    for target, names, values in [(None, ["a", "y"], [1.0, 2.0]), ("y", ["a"], [1.0])]:
        stream = open_stream(path, target=target, labelled=False)
        assert (stream.labelled, stream.feature_names) == (False, names)
        assert [(batch.X.tolist(), batch.y) for batch in stream] == [([values], None)]
    stream = open_stream(path, target="kind", labelled=False)
    assert (stream.feature_names, stream.target) == (["a", "y"], None)


@pytest.mark.parametrize(
    ("words", "dtype", "labels"),
    [
        (["1", "-2", "+3", " 007"], "i", [1, -2, 3, 7]),
        (["1", "2.0"], "f", [1.0, 2.0]),
        (["1", "spam"], "U", ["1", "spam"]),
        (["1", "1234567890123456789"], "U", ["1", "1234567890123456789"]),
        (["é", "Ω"], "U", ["é", "Ω"]),
    ],
)
def test_labels_of_tables(write, words, dtype, labels):
    (batch,) = open_stream(write("a.csv", "x,y\n" + "".join(f"1,{word}\n" for word in words)))
    assert (batch.y.dtype.kind, batch.y.tolist()) == (dtype, labels)


@pytest.mark.parametrize(
    ("words", "kinds"), [(["1", "2.5", "3"], "iff"), (["a", "2"], "UU"), (["1.5", "2"], "ff")]
)
def test_labels_stay_of_one_kind(write, words, kinds):
    path = write("a.csv", "x,y\n" + "".join(f"1,{word}\n" for word in words))
    stream = open_stream(path, batch_bytes=1)
    for _ in range(2):
        assert "".join(batch.y.dtype.kind for batch in stream) == kinds


def test_labels_of_mixed_types_are_refused(write):
    path = write("a.csv", "x,y\n1,1\n1,2.5\n1,spam\n")
    refused(path, "column 'y': found 'spam', .* labels of mixed types", line=4, batch_bytes=1)


@pytest.mark.parametrize("batch_bytes", [1, 8, 1 << 20])
@pytest.mark.parametrize(
    ("content", "line", "column", "message"),
    [
        (
            "x,y\n1,1\nabc,1\n",
            3,
            1,
            "column 'x': found 'abc', expected a number: encode the column",
        ),
        ("x,y\n1,1\n1_0,1\n", 3, 1, "column 'x': found '1_0', expected a number"),
        ("x,y\n1,1\n\u0661,1\n", 3, 1, "column 'x': found '\u0661', expected a number"),
        ("x,y\n1,1\n,1\n", 3, 1, "column 'x': found nothing, expected a number: fill it in"),
        ("x,y\n1,1\nNaN,1\n", 3, 1, "column 'x': found 'NaN', expected a finite number"),
        ("x,y\n1,1\n-inf,1\n", 3, 1, "column 'x': found '-inf', expected a finite number"),
        ("x,y\n1,1\n1e999,1\n", 3, 1, "column 'x': found '1e999', .* fits a float64"),
        ("x,y\n1,1\n2,\n", 3, None, "column 'y': found nothing, expected a label"),
        ("x,y\n1,1\n2,nan\n", 3, None, "column 'y': found 'nan', expected a label"),
        ("x,y\n1,1\n2\n", 3, 1, "found 1 fields, expected the 2 of the header"),
        ("x,y\n1,1\n2,3,4\n", 3, 1, "found 3 fields, expected the 2 of the header"),
        ("x,y\n1,a\nb,a\n2\n", 3, 1, "column 'x': found 'b'"),
        ('x,y\n1,"a\nb"\n\n2,"a\nb"\nz,c\n', 7, 1, "column 'x': found 'z'"),
        ('x,y\n1,"a\n2,b\n', 2, 4, "a field that cannot be read .* check its quotes"),
        ('x,y\n1,"a"b\n', 2, 4, "a field that cannot be read .* check its quotes"),
        ("x,y\n1,a\r2,b\r", 2, 3, "a field that cannot be read"),
        ("x,y\n", None, None, "no rows: found a header only"),
        ("\n\n", None, None, "no rows"),
        ("y\n1\n", 1, None, "a single column in the header"),
        ("x,,y\n1,2,3\n", 1, None, "column 2 of the header has no name"),
        ("x, x,y\n1,2,3\n", 1, None, "found the column 'x' twice"),
        ("5.1,3.5,oak\n1,2,elm\n", 1, None, "found the number '5.1', expected a header line"),
        ("1,1,0\n1,2,1\n", 1, None, "found the number '1', expected a header line"),
    ],
)
def test_bad_tables(write, content, line, column, message, batch_bytes):
    refused(write("bad.csv", content), message, line, column, batch_bytes=batch_bytes)


def test_bad_bytes_in_tables(write):
    refused(write("a.csv", b"x,y\n1,caf\xe9\n"), "byte 0xe9, expected UTF-8", 2, 6)
    refused(write("b.csv", b"x,y\n1,a\n1,\x00\n"), "NUL byte", 3, 3)
    refused(write("c.csv", "x,y\n1,2\n".encode("utf-16")), "byte 0xff, expected UTF-8", 1, 1)


def test_a_missing_target(write):
    path = write("a.csv", "petal,species\n1,2\n")
    refused(
        path,
        "no column 'specis' .* 'petal', 'species'. Did you mean 'species'?",
        1,
        target="specis",
    )
    refused(path, "the columns are 'petal', 'species'.$", 1, target="zzz")


cells = st.floats(allow_nan=False, allow_infinity=False)
words = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


@settings(deadline=None)
@given(st.lists(st.tuples(cells, words, cells), min_size=1), st.integers(1, 100))
def test_written_tables_come_back(rows, size):
    written = io.StringIO(newline="")
    csv.writer(written).writerows(
        [("a", "kind", "b"), *((x, f"'{word}'", z) for x, word, z in rows)]
    )
    text = written.getvalue().encode()
    pieces = (text[k : k + size] for k in range(0, len(text), size))
    head = LineBlock(1, text[: text.index(b"\n") + 1])
    how = ReadOptions(target="kind", batch_bytes=size)
    stream = TableStream(Pipe("made", pieces, size), "csv", head, how, Vocabulary())
    read = [
        (x, label, z)
        for X, y, *_ in stream
        for (x, z), label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    assert repr(read) == repr([(x, f"'{word}'", z) for x, word, z in rows])


# --- data sets of scikit-learn, options ----------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "shape", "classes"),
    [
        ("digits", (1797, 64), list(range(10))),
        ("breast_cancer", (569, 30), ["benign", "malignant"]),
        ("iris", (150, 4), ["setosa", "versicolor", "virginica"]),
        ("wine", (178, 13), ["class_0", "class_1", "class_2"]),
    ],
)
def test_data_sets_of_scikit_learn(name, shape, classes):
    stream = open_stream(f"sklearn:{name}", batch_bytes=20_000)
    assert (stream.name, stream.format, stream.target) == (f"sklearn:{name}", "sklearn", "target")
    assert len(stream.feature_names) == shape[1]
    batches = list(stream)
    assert sum(len(batch.y) for batch in batches) == shape[0]
    assert all(batch.X.flags.c_contiguous and batch.X.dtype == float for batch in batches)
    assert np.unique(np.concatenate([batch.y for batch in batches])).tolist() == classes
    assert rows_of(stream) == rows_of(open_stream(f"sklearn:{name}"))


def test_unknown_data_sets_are_listed():
    refused("sklearn:mnist", "no such data set; there are sklearn:breast_cancer, sklearn:digits")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("a.svm", {"target": "y"}, "target does not go with svmlight text"),
        ("a.csv", {"index_base": 1}, "index_base does not go with a table"),
        ("sklearn:iris", {"target": "y"}, "target does not go with a data set of scikit-learn"),
        ("sklearn:iris", {"format": "csv"}, "format does not go with"),
        (
            "a.svm",
            {"format": "arff"},
            "format must be one of svmlight, vw, csv, tsv, .*; got 'arff'",
        ),
        ("a.svm", {"index_base": 2}, "index_base must be 0, 1 or None; got 2"),
        ("a.svm", {"batch_bytes": 0}, "batch_bytes must be 1 or more; got 0"),
    ],
)
def test_wrong_options(write, name, options, message):
    path = name if ":" in name else write(name, "x,y\n1,2\n" if "csv" in name else "1 1:2\n")
    with pytest.raises(ValueError, match=message) as caught:
        open_stream(path, **options)
    assert not isinstance(caught.value, DataError)


def test_errors_travel_between_processes():
    error = pickle.loads(pickle.dumps(DataError("a.svm", "no.", 3)))
    assert (str(error), error.source, error.line, error.column) == (
        "a.svm:3: no.",
        "a.svm",
        3,
        None,
    )


def test_importing_loads_neither_numba_nor_scikit_learn():
    code = "import sys, rosenblatt.streams; print({'numba', 'sklearn', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.strip() == b"set()"


# --- reading ahead -------------------------------------------------------------------------------


def test_reading_ahead_keeps_the_order_and_what_precedes_a_failure():
    def items():
        yield from range(20)
        raise OSError("gone")

    came = []
    with pytest.raises(OSError, match="gone"):
        list(ahead_of(lambda x: 2 * x, items(), came))
    assert came == [2 * x for x in range(20)]

    came.clear()
    with pytest.raises(ZeroDivisionError):
        list(ahead_of(lambda x: 6 // (3 - x), range(20), came))
    assert came == [2, 3, 6], "nothing behind the failure comes out"


def ahead_of(work, items, came):
    for item, result in prefetch_map(work, items):
        came.append(result)
        yield item, result


def test_reading_ahead_may_be_left_early():
    endless = prefetch_map(str, iter(int, 1))
    assert next(endless) == (0, "0")
    endless.close()
