"""Files of NumPy and SciPy: rows and labels, memory mapping, refused pickles."""

import io
import json
import pickle
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from profiles import thorough

from rosenblatt.streams import DataError, open_stream, write_arrow, write_stream

ROWS = [[1.5, 2.0, 1.0], [0.5, 0.0, -1.0]]


@pytest.fixture
def npy(tmp_path):
    def npy(array, name="a.npy", **options):
        np.save(tmp_path / name, array, **options)
        return tmp_path / name

    return npy


@pytest.fixture
def npz(tmp_path):
    def npz(**named):
        np.savez(tmp_path / "a.npz", **named)
        return tmp_path / "a.npz"

    return npz


def refused(path, message, **options):
    with pytest.raises(DataError, match=message) as caught:
        list(open_stream(path, **options))
    assert (caught.value.source, caught.value.line) == (str(path), None)
    assert caught.value.problem[-1] in ".?"


# --- npy -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "X", "y"),
    [
        (None, [[1.5, 2], [0.5, 0]], [1, -1]),
        ("2", [[1.5, 2], [0.5, 0]], [1, -1]),
        ("1", [[1.5, 1], [0.5, -1]], [2, 0]),
        ("0", [[2, 1], [0, -1]], [1.5, 0.5]),
    ],
)
def test_the_label_is_a_column(npy, target, X, y):
    stream = open_stream(npy(ROWS), target=target)
    assert (stream.sparse, stream.feature_names) == (False, None)
    assert stream.target == (target or "2")
    for _ in range(2):
        ((found, labels, *_),) = stream
        assert (found.tolist(), labels.tolist()) == (X, y)
        assert (found.dtype, found.flags.c_contiguous) == (np.float64, True)
        assert labels.dtype.kind == ("f" if y == [1.5, 0.5] else "i")


def test_rows_without_labels(npy):
    path = npy(ROWS)
    for target, want in [(None, ROWS), ("3", ROWS), ("2", [[1.5, 2], [0.5, 0]])]:
        ((X, y, *_),) = open_stream(path, target=target, labelled=False)
        assert (X.tolist(), y) == (want, None)


def test_a_file_is_memory_mapped(npy):
    ((X, _, *_),) = open_stream(npy(ROWS), labelled=False)
    assert not X.flags.writeable
    assert not X.flags.owndata


@thorough(60)
@given(
    arrays.arrays(
        st.sampled_from([np.float64, np.float32, np.int8, np.uint16, np.bool_, ">f8"]),
        st.tuples(st.integers(1, 9), st.integers(2, 4)),
        elements={"allow_nan": False, "allow_infinity": False},
    ),
    st.booleans(),
    st.integers(1, 100),
)
def test_batches_change_no_row(tmp_path_factory, array, fortran, size):
    path = tmp_path_factory.mktemp("npy") / "a.npy"
    np.save(path, np.asfortranarray(array) if fortran else array)
    X, y = open_stream(path, batch_bytes=size).read()
    np.testing.assert_array_equal(X, array[:, :-1].astype(float))
    np.testing.assert_array_equal(y, array[:, -1].astype(float))


def test_labels_are_integers_until_the_first_fraction(npy):
    path = npy([[0.0, 1.0], [0.0, 2.5], [0.0, 3.0]])
    for _ in range(2):
        batches = list(open_stream(path, batch_bytes=8))
        assert [batch.y.dtype.kind for batch in batches] == ["i", "f", "f"]


@pytest.mark.parametrize(
    ("array", "options", "message"),
    [
        (np.zeros((0, 3)), {}, "no rows"),
        (np.zeros((3, 1)), {}, "single column, expected features and a label"),
        (np.zeros((3, 0)), {}, "has no columns"),
        (np.zeros(3), {}, r"shape \(3,\) and type float64, expected a matrix of numbers"),
        (np.zeros((2, 2, 2)), {}, r"shape \(2, 2, 2\)"),
        (np.array([["a", "b"]]), {}, "type <U1, expected a matrix of numbers"),
        (np.zeros((2, 2), complex), {}, "type complex128"),
        (np.zeros((2, 2), "M8[s]"), {}, "type datetime64"),
        (np.zeros(2, [("a", float), ("y", int)]), {}, r"shape \(2,\)"),
        (np.zeros((2, 2)), {"target": "2"}, "no column 2 for the labels; the columns are 0 to 1"),
        (np.zeros((2, 2)), {"target": "y"}, "target is 'y', expected the number of a column"),
        (np.zeros((2, 2)), {"target": "-1"}, "target is '-1', expected the number"),
        ([[0, 1, 2], [0, np.nan, 1]], {}, r"row 1, column 1 \(from 0\): found nan"),
        ([[0, 1, 2], [0, 1, np.inf]], {"target": "0"}, "row 1, column 2 .*found inf, expected a f"),
        ([[0, 1, 2], [0, 1, np.inf]], {}, r"row 1 \(from 0\): found inf, expected a label"),
    ],
)
@pytest.mark.parametrize("batch_bytes", [1, 1 << 20])
def test_bad_arrays(npy, array, options, message, batch_bytes):
    refused(npy(array), message, batch_bytes=batch_bytes, **options)


# --- npz -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "kind"), [([1, -1], "i"), ([1.0, 2.0], "i"), ([0.5, 1], "f"), (["a", "é"], "U")]
)
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_X_and_y(tmp_path, y, kind, save):
    save(tmp_path / "a.npz", X=np.array([[1, 2], [3, 4]], np.float32), y=np.array(y))
    stream = open_stream(tmp_path / "a.npz", batch_bytes=16)
    assert (stream.sparse, stream.target, stream.feature_names) == (False, None, None)
    X, labels = stream.read()
    assert (X.tolist(), X.dtype) == ([[1, 2], [3, 4]], np.float64)
    assert (labels.tolist(), labels.dtype.kind) == (y, kind)
    assert [batch.y for batch in open_stream(tmp_path / "a.npz", labelled=False)] == [None]


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
def test_sparse_matrices(tmp_path, form):
    dense = np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0]])
    sp.save_npz(tmp_path / "a.npz", sp.csr_array(dense).asformat(form))
    stream = open_stream(tmp_path / "a.npz", labelled=False, batch_bytes=1)
    assert stream.sparse
    assert stream.read()[0].toarray().tolist() == dense.tolist()
    refused(tmp_path / "a.npz", "has no array y, and so no labels: add it")
    parts = dict(np.load(tmp_path / "a.npz"))
    np.savez(tmp_path / "a.npz", **parts, y=[1, 2, 1])
    assert open_stream(tmp_path / "a.npz").read()[1].tolist() == [1, 2, 1]


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"X": np.zeros((2, 2))}, "has no array y"),
        ({"X": np.zeros((2, 2)), "y": [1, 2, 3]}, r"y of shape \(3,\) and type int64, .* 2 rows"),
        ({"X": np.zeros((2, 2)), "y": [[1, 2]]}, r"y of shape \(1, 2\)"),
        ({"X": np.zeros((2, 2)), "y": np.zeros(2, complex)}, "type complex128, expected numbers"),
        ({"X": np.zeros((2, 2)), "y": ["a", " "]}, r"row 1 \(from 0\): found ' ', expected a lab"),
        ({"X": np.zeros((2, 2)), "y": [1, np.nan]}, r"row 1 \(from 0\): found nan"),
        ({"X": np.zeros(2), "y": [1, 2]}, "expected a matrix of numbers"),
        ({"data": np.zeros(2), "labels": [1]}, "found data, labels"),
        ({}, "found none"),
    ],
)
def test_bad_archives(npz, named, message):
    refused(npz(**named), message)


def parts(**changed):
    """Return the bytes of ``save_npz`` with some arrays changed."""
    matrix = sp.csr_array(np.array([[1.0, 0, 2], [0, 3, 0]]))
    kept = {name: getattr(matrix, name) for name in ("data", "indices", "indptr")}
    return {"format": b"csr", "shape": np.array([2, 3]), **kept, **changed}


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (parts(indices=np.array([0, 9, 1])), "damaged or of another kind"),
        (parts(indices=np.array([0, -1, 1])), "damaged or of another kind"),
        (parts(indptr=np.array([0, 9, 3])), "damaged or of another kind"),
        (parts(indptr=np.array([0, 1])), "damaged or of another kind"),
        (
            parts(shape=np.array([2, 2**27 + 1])),
            "has 134,217,729 columns, expected 134,217,728 at most: leave out empty ones",
        ),
        (parts(format=b"xyz"), "damaged or of another kind"),
        (parts(format=b"csc"), "damaged or of another kind"),
        (parts(data=np.array([1.0, np.nan, 1])), r"row 0, column 2 \(from 0\): found nan"),
        (parts(data=np.array([1.0, 2, np.inf])), r"row 1, column 1 \(from 0\): found inf"),
    ],
)
def test_damaged_matrices(npz, named, message):
    refused(npz(**named), message, labelled=False)


# --- files ---------------------------------------------------------------------------------------


class Trap:
    """Fail the test when unpickled."""

    def __reduce__(self):
        return (pytest.fail, ("something was unpickled",))


def test_pickles_are_refused(npy, npz, tmp_path):
    objects = np.array([[Trap(), 1]], dtype=object)
    refused(npy(objects, allow_pickle=True), "cannot be read as NumPy.*[Oo]bject")
    np.savez(tmp_path / "a.npz", X=objects, y=[1])
    refused(tmp_path / "a.npz", "cannot be read as NumPy.*[Oo]bject")
    for name in ("b.npy", "b.npz"):
        (tmp_path / name).write_bytes(pickle.dumps(Trap()))
        refused(tmp_path / name, "cannot be read as NumPy")


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
def test_damaged_files(tmp_path, name):
    path = tmp_path / name
    if name == "a.npy":
        np.save(path, np.ones((50, 3)))
    else:
        np.savez(path, X=np.ones((50, 3)), y=np.ones(50))
    whole = path.read_bytes()
    path.write_bytes(b"")
    refused(path, "no rows: it is empty")
    for content in (whole[:5], whole[:60], whole[:-8], b"x,y\n1,2\n" * 20):
        path.write_bytes(content)
        refused(path, "cannot be read as NumPy: it is truncated, damaged")


def test_npz_data_in_a_npy_file_and_vice_versa(tmp_path, npy, npz):
    (tmp_path / "b.npz").write_bytes(npy(ROWS).read_bytes())
    refused(tmp_path / "b.npz", "cannot be read as NumPy")
    (tmp_path / "b.npy").write_bytes(npz(X=ROWS, y=[1, 2]).read_bytes())
    refused(tmp_path / "b.npy", "cannot be read as NumPy")


@thorough(100)
@given(st.data())
def test_any_damage_is_an_error_or_harmless(tmp_path_factory, data):
    """Changed bytes yield other rows or a DataError, never another exception."""
    held = io.BytesIO()
    name = data.draw(st.sampled_from(["a.npy", "a.npz", "sparse.npz"]))
    if name == "a.npy":
        np.save(held, ROWS)
    elif name == "a.npz":
        np.savez_compressed(held, X=ROWS, y=[1, 2])
    else:
        np.savez(held, **parts(), y=["a", "b"])
    content = bytearray(held.getvalue())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("damaged") / name
    path.write_bytes(content)
    try:
        X, y = open_stream(path).read()
    except DataError:
        return
    assert X.shape[0] == len(y)


def test_an_impossible_shape_is_refused(tmp_path):
    """A header with a huge shape is an error, and allocates no memory."""
    held = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        held, {"descr": "<f8", "fortran_order": False, "shape": (10**12, 3)}
    )
    (tmp_path / "a.npy").write_bytes(held.getvalue() + bytes(64))
    refused(tmp_path / "a.npy", "cannot be read as NumPy")
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("X.npy", held.getvalue() + bytes(64))
        archive.writestr("y.npy", held.getvalue())
    refused(tmp_path / "a.npz", "cannot be read as NumPy")


def test_options_that_arrays_do_not_accept(npy, npz):
    with pytest.raises(ValueError, match="target does not go with X and y"):
        open_stream(npz(X=ROWS, y=[1, 2]), target="y")
    with pytest.raises(ValueError, match="index_base does not go with an array"):
        open_stream(npy(ROWS), index_base=0)


# --- the command ---------------------------------------------------------------------------------


def test_the_command(npy, npz, tmp_path, call, monkeypatch):
    monkeypatch.chdir(tmp_path)
    npy(ROWS)
    npz(X=[row[:2] for row in ROWS], y=[1, -1])
    assert call("train", "a.npy", "-m", "m", "--epochs", "9", "-q")[0] == 0
    for data in ("a.npy", "a.npz"):
        assert json.loads(call("evaluate", "m", data, "--json")[1])["errors"] == 0
        assert call("predict", "m", data)[1].split() == ["1", "-1"]
    npy([row[:2] for row in ROWS], "bare.npy")
    assert call("predict", "m", "bare.npy")[1].split() == ["1", "-1"]
    npy(np.ones((2, 5)), "wide.npy")
    status, _, err = call("predict", "m", "wide.npy")
    assert (status, "has 4 features, but the model has 2, and no names" in err) == (3, True)


def test_arrays_are_converted(npy, tmp_path):
    write_arrow(open_stream(npy(ROWS)), tmp_path / "a.arrow")
    stream = open_stream(tmp_path / "a.arrow")
    assert (stream.feature_names, stream.target) == (["x0", "x1"], "2")
    assert stream.read()[0].tolist() == [row[:2] for row in ROWS]
    for source in ("a.npy", "a.arrow"):  # a header with the number 2 would look like a row
        write_stream(open_stream(tmp_path / source), tmp_path / "a.csv")
        table = open_stream(tmp_path / "a.csv")
        assert (table.feature_names, table.target) == (["x0", "x1"], "label")
        assert table.read()[0].tolist() == [row[:2] for row in ROWS]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (
            np.array([1, 2**64 - 1], np.uint64),
            "found 18446744073709551615, expected a label: .*2.63",
        ),
        (np.array([1, np.inf], np.float16), "found inf, expected a label: a finite number"),
        (
            np.array([1, 2], np.longdouble) * [1, np.longdouble("1e400")],
            "found inf, expected a label",
        ),
        (np.array(["a", "b\0c"]), r"found 'b\\x00c', expected a label"),
        (np.array(["a", "\ud800"]), r"found '\\ud800', expected a label"),
        (np.array(["a", "  "]), "found '  ', expected a label"),
    ],
)
def test_labels_that_no_stream_can_represent(tmp_path, y, message):
    np.savez(tmp_path / "a.npz", X=np.eye(2), y=y)
    with pytest.raises(DataError, match=rf"row 1 .from 0.: {message}"):
        list(open_stream(tmp_path / "a.npz"))


def test_labels_of_half_and_extended_precision(tmp_path):
    for kind in (np.float16, np.longdouble):
        np.savez(tmp_path / "a.npz", X=np.eye(2), y=np.array([1, 2], kind))
        (batch,) = open_stream(tmp_path / "a.npz")
        assert (batch.y.dtype, batch.y.tolist()) == (np.int64, [1, 2])


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, np.float32])
def test_sparse_values_of_any_type_become_float64(tmp_path, kind):
    matrix = sp.csr_array(np.array([[1, 0], [0, 1]])).astype(kind)
    matrix.data[:] = matrix.data * kind(0.1) if kind is np.float32 else matrix.data
    sp.save_npz(tmp_path / "a.npz", matrix)
    np.savez(tmp_path / "a.npz", **dict(np.load(tmp_path / "a.npz")), y=[1, -1])
    write_stream(open_stream(tmp_path / "a.npz"), tmp_path / "a.svm")
    for name in ("a.npz", "a.svm"):
        X = open_stream(tmp_path / name).read()[0]
        assert (X.dtype, X.toarray().tolist()) == (
            np.float64,
            matrix.astype(float).toarray().tolist(),
        )
