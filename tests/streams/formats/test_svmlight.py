"""Svmlight text: rows, labels, the index base, and every malformed line."""

import io
import lzma

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from real_data import real_data
from stream_rows import SVM, SVM_ROWS, refused, rows_of

from rosenblatt.streams import open_stream
from rosenblatt.streams.core.options import MAX_SPARSE_COLUMNS, ReadOptions
from rosenblatt.streams.formats.svmlight import SvmlightStream
from rosenblatt.streams.io.files import Pipe, Text
from rosenblatt.streams.io.lines import LineBlock


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


def test_an_index_out_of_proportion_is_refused_before_anything_is_allocated(write):
    """An index of 2^31 − 2 would need 17 GB of weights."""
    path = write("a.svm", f"1 {MAX_SPARSE_COLUMNS}:5\n1 2:2 2147483646:3\n")
    refused(path, "2147483646:3.* at most 134217728: number .* or set bits to hash them", 2, 7)
    stream = open_stream(path, on_bad_row="skip")
    assert [batch.X.shape for batch in stream] == [(1, MAX_SPARSE_COLUMNS)]
    assert stream.bad_rows == 1


def test_indices_are_hashed_to_the_columns_of_bits(write):
    path = write("a.svm", "1 2147483646:3 6:5 1:7\n-1 0:1 1:2 9:-2\n")
    stream = open_stream(path, bits=3)
    X, _ = stream.read()
    assert X.toarray().tolist() == [[0, 7, 0, 0, 0, 0, 8, 0], [1, 0, 0, 0, 0, 0, 0, 0]]
    assert X.has_canonical_format
    assert (stream.bits, stream.index_base, stream.noted()["bits"]) == (3, None, 3)


def test_labels_are_integers_until_the_first_fraction(write):
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
    source, head = Pipe("made", pieces, size), LineBlock(1, b"")
    read = rows_of(SvmlightStream(Text("svmlight", source, head, ReadOptions(index_base=1))))
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

    path = real_data(name)
    content = path.read_bytes()
    if path.suffix == ".xz":
        content = lzma.decompress(content)
    X, y = load_svmlight_file(io.BytesIO(content))
    batches = list(open_stream(path, batch_bytes=10_000))
    assert len(batches) > 1
    np.testing.assert_array_equal(np.concatenate([batch.y for batch in batches]), y)
    for batch in batches:
        want = X[batch.first_row : batch.first_row + len(batch.y), : batch.X.shape[1]]
        assert (want != batch.X).nnz == 0
    assert batches[-1].X.shape[1] == X.shape[1]


@pytest.mark.parametrize("suffix", [".svm", ".txt"])
def test_rows_without_labels(write, suffix):
    path = write(f"a{suffix}", "# no labels\n\n1:0.5 3:2\n2:1\n")
    stream = open_stream(path, labelled=False)
    assert (stream.format, stream.labelled) == ("svmlight", False)
    (batch,) = stream
    assert batch.X.toarray().tolist() == [[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]]
    assert batch.y is None
    refused(path, "expected a label before the first index:value", 3, 1)
    labelled = open_stream(write("b.svm", "1 1:0.5\n-1 2:1\n"), labelled=False)
    assert (labelled.labelled, next(iter(labelled)).y.tolist()) == (True, [1, -1])
