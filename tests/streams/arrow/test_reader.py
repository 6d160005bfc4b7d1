"""Parquet and Arrow: columns of every type, sparse rows without a copy, damaged files."""

import json
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from scipy.sparse import csr_array

from rosenblatt import Perceptron
from rosenblatt.progressive import learn
from rosenblatt.streams import Batch, DataError, open_stream
from rosenblatt.streams.arrow.columns import first_not_increasing, sparse_layout
from rosenblatt.streams.core.batch import row_of
from rosenblatt.streams.core.options import ReadOptions

TREES = pa.table({"a": [1.5, 2.0, -3.0], "b": [1, 0, 7], "kind": ["oak", "elm", "oak"]})
ROWS = [[1.5, 1.0], [2.0, 0.0], [-3.0, 7.0]]


def write_file(table, path):
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


def write_stream(table, path):
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


WRITERS = {
    "a.parquet": pa.parquet.write_table,
    "a.arrow": write_file,
    "stream.arrow": write_stream,
    "a.feather": lambda table, path: pa.feather.write_feather(table, str(path)),
}


@pytest.fixture(params=WRITERS)
def put(request, tmp_path):
    """Write a table in one of the formats."""

    def put(table):
        path = tmp_path / request.param
        WRITERS[request.param](table, path)
        return path

    return put


@pytest.fixture
def file(tmp_path):
    """Write a table as an Arrow file."""

    def file(table):
        write_file(table, tmp_path / "a.arrow")
        return tmp_path / "a.arrow"

    return file


def sparse(indices, values, index=None, value=None, **more):
    types = [pa.list_(index or pa.int32()), pa.list_(value or pa.float64())]
    columns = [pa.array(part, kind) for part, kind in zip((indices, values), types, strict=True)]
    return pa.table({"indices": columns[0], "values": columns[1], **more})


def refused(path, message, **options):
    with pytest.raises(DataError, match=message) as caught:
        list(open_stream(path, **options))
    assert (caught.value.source, caught.value.line) == (str(path), None)
    assert caught.value.problem[-1] in ".?"


# --- dense columns -------------------------------------------------------------------------------


def test_dense_columns(put):
    stream = open_stream(put(TREES))
    assert (stream.sparse, stream.feature_names, stream.target) == (False, ["a", "b"], "kind")
    for _ in range(2):
        ((X, y, first_row, *_),) = stream
        assert (X.tolist(), y.tolist(), first_row) == (ROWS, ["oak", "elm", "oak"], 0)
        assert (X.dtype, X.flags.c_contiguous) == (np.float64, True)


@pytest.mark.parametrize(
    ("kind", "values", "want"),
    [
        (pa.int8(), [-1, 2], [-1.0, 2.0]),
        (pa.uint64(), [0, 2**63], [0.0, 2.0**63]),
        (pa.float32(), [0.5, 1e38], [0.5, float(np.float32(1e38))]),
        (pa.float16(), [0.5, 2.0], [0.5, 2.0]),
        (pa.bool_(), [True, False], [1.0, 0.0]),
        (pa.decimal128(5, 3), [Decimal("1.1"), Decimal("-0.003")], [1.1, -0.003]),
        (pa.decimal256(76, 40), [Decimal("0.1"), Decimal(10) ** 35 / 3], [0.1, 1e35 / 3]),
    ],
)
def test_numbers_of_every_type(file, kind, values, want):
    path = file(pa.table({"x": pa.array(values, kind), "y": [1, 2]}))
    X, y = open_stream(path).read()
    assert (X.ravel().tolist(), y.tolist()) == (want, [1, 2])


@pytest.mark.parametrize(
    ("labels", "kind", "want"),
    [
        (pa.array([1, -1], pa.int8()), "i", [1, -1]),
        (pa.array([True, False]), "i", [1, 0]),
        (pa.array([1.0, 2.5], pa.float32()), "f", [1.0, 2.5]),
        (pa.array(["é", "1"]), "U", ["é", "1"]),
        (pa.array(["a", "b"], pa.large_string()), "U", ["a", "b"]),
        (pa.array(["a", "b"], pa.string_view()), "U", ["a", "b"]),
        (pa.array(["b", "a"]).dictionary_encode(), "U", ["b", "a"]),
        (pa.array([Decimal(7), Decimal(-5)]), "i", [7, -5]),
        (pa.array([Decimal("7.50"), Decimal(1)]), "f", [7.5, 1.0]),
        (pa.array([7, 5]).dictionary_encode(), "i", [7, 5]),
    ],
)
def test_labels_of_every_type(file, labels, kind, want):
    ((_, y, *_),) = open_stream(file(pa.table({"x": [1.0, 2.0], "y": labels})))
    assert (y.dtype.kind, y.tolist()) == (kind, want)


@pytest.mark.parametrize(
    ("names", "target", "chosen"), [("abc", None, "c"), ("ayc", None, "y"), ("ayc", "a", "a")]
)
def test_the_target(file, names, target, chosen):
    path = file(pa.table({name: [j] for j, name in enumerate(names)}))
    stream = open_stream(path, target=target)
    assert stream.target == chosen
    assert stream.read()[1].tolist() == [names.index(chosen)]
    assert stream.feature_names == [name for name in names if name != chosen]


def test_rows_without_labels(file):
    path = file(pa.table({"a": [1.0], "y": [2.0]}))
    for target, want in [(None, [1.0, 2.0]), ("y", [1.0]), ("none", [1.0, 2.0])]:
        ((X, y, *_),) = open_stream(path, target=target, labelled=False)
        assert (X.tolist(), y) == ([want], None)


def test_an_invalid_label_column_can_be_skipped(file):
    stream = open_stream(file(TREES), target="kind", labelled=False)
    assert stream.read()[0].tolist() == ROWS


def test_an_index_of_pandas_is_skipped(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "kind": [0, 1, 1, 0]})
    frame[frame.a != 3.0].to_parquet(tmp_path / "a.parquet")
    stored = pa.parquet.read_schema(tmp_path / "a.parquet").names
    assert stored[-1] == "__index_level_0__"  # else this test tests nothing
    stream = open_stream(tmp_path / "a.parquet")
    assert (stream.feature_names, stream.target) == (["a"], "kind")
    assert stream.read()[1].tolist() == [0, 1, 0]


def test_files_of_polars(tmp_path):
    frame = pl.DataFrame({"indices": [[0, 3], []], "values": [[0.5, 1.0], []], "y": ["a", "b"]})
    for name, write in {"a.arrow": frame.write_ipc, "a.parquet": frame.write_parquet}.items():
        write(tmp_path / name)
        X, y = open_stream(tmp_path / name).read()
        assert (X.toarray().tolist(), y.tolist()) == ([[0.5, 0, 0, 1], [0] * 4], ["a", "b"])


# --- pairs of lists ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.arrow", "a.parquet"])
def test_kinds_are_those_of_the_first_rows_not_of_the_first_batch(tmp_path, name):
    notes = [None] * 5 + [f"see you at {k}" for k in range(55)]
    codes = [f"K{k:03}" for k in range(60)]
    table = pa.table({"code": codes, "note": notes, "y": [0, 1] * 30})
    path = tmp_path / name
    if name == "a.parquet":
        pa.parquet.write_table(table, path, row_group_size=5)
    else:
        pa.feather.write_feather(table, str(path), chunksize=5)
    for batch_bytes in (1, 1 << 22):
        stream = open_stream(path, batch_bytes=batch_bytes)
        assert stream.schema == {"code": "skip", "note": "text"}
        assert stream.read()[0].shape == (60, 1 << 18)


def test_sparse_rows(put):
    path = put(sparse([[0, 2], [], [5]], [[1.5, -2.0], [], [3.0]], y=[1, -1, 1]))
    stream = open_stream(path)
    assert (stream.sparse, stream.feature_names, stream.target) == (True, None, "y")
    X, y = stream.read()
    assert X.toarray().tolist() == [[1.5, 0, -2.0, 0, 0, 0], [0] * 6, [0, 0, 0, 0, 0, 3.0]]
    assert y.tolist() == [1, -1, 1]


def test_sparse_rows_are_not_copied():
    table = sparse([[0], [1, 2], [2]], [[1.0], [2.0, 3.0], [4.0]], y=[1, -1, 1])
    (batch,) = table.to_batches()
    flat = [batch.column(name).values.to_numpy() for name in ("indices", "values")]
    for piece in (batch, batch.slice(1)):
        X = sparse_layout("a", batch.schema, ReadOptions()).rows(piece, 0).X
        assert X.shape == (len(piece), 3)
        assert np.shares_memory(X.indices, flat[0])
        assert np.shares_memory(X.data, flat[1])
    assert X.toarray().tolist() == [[0, 2, 3], [0, 0, 4]]


def test_an_arrow_file_is_memory_mapped(file):
    path = file(sparse([[0, 1]], [[1.0, 2.0]], y=[1]))
    before = pa.total_allocated_bytes()
    ((X, _, *_),) = open_stream(path)
    assert not X.data.flags.writeable
    assert pa.total_allocated_bytes() - before < X.data.nbytes


@pytest.mark.parametrize("index", [pa.int64(), pa.uint8(), pa.int32()])
@pytest.mark.parametrize("value", [pa.float32(), pa.int16(), pa.float64(), pa.bool_()])
def test_lists_of_other_numbers(file, index, value):
    ones = [[1, 0], [1]] if value != pa.bool_() else [[True, False], [True]]
    X, _ = open_stream(file(sparse([[0, 2], [1]], ones, index, value, y=[1, 2]))).read()
    assert (X.toarray().tolist(), X.dtype) == ([[1, 0, 0], [0, 1, 0]], np.float64)
    assert X.nnz == 3


def test_lists_in_any_order(file):
    X, _ = open_stream(file(sparse([[2, 0], [1]], [[3.0, 1.0], [2.0]], y=[1, 2]))).read()
    assert X.toarray().tolist() == [[1, 0, 3], [0, 2, 0]]


@pytest.mark.parametrize("labelled", [True, False])
def test_the_label_beside_sparse_rows(file, labelled):
    path = file(sparse([[0]], [[1.0]], kind=["a"]))
    for target in (None, "kind"):
        ((X, y, *_),) = open_stream(path, target=target, labelled=labelled)
        assert (X.toarray().tolist(), y) == ([[1.0]], ["a"] if labelled else None)
    ((_, y, *_),) = open_stream(file(sparse([[0]], [[1.0]])), labelled=False)
    assert y is None


rows = st.lists(
    st.tuples(
        st.dictionaries(
            st.integers(0, 40), st.floats(allow_nan=False, allow_infinity=False), max_size=6
        ),
        st.integers(-3, 3),
    ),
    min_size=1,
    max_size=20,
)


@thorough(40)
@given(rows, st.integers(1, 300), st.sampled_from(["a.parquet", "a.arrow"]), st.integers(1, 7))
def test_batches_change_no_row(tmp_path_factory, rows, size, name, group):
    path = tmp_path_factory.mktemp("rows") / name
    table = sparse(
        [list(row) for row, _ in rows],
        [list(row.values()) for row, _ in rows],
        y=[label for _, label in rows],
    )
    if name == "a.parquet":
        pa.parquet.write_table(table, path, row_group_size=group)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, group)
    found, width = [], 0
    for X, y, first_row, *_ in open_stream(path, batch_bytes=size):
        assert first_row == len(found)
        assert X.shape[1] >= width
        width = X.shape[1]
        for k, label in enumerate(y.tolist()):
            part = slice(X.indptr[k], X.indptr[k + 1])
            values = zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)
            found.append((dict(values), label))
    assert found == rows


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_memory_is_bounded_by_batches(tmp_path, name):
    table = pa.table({"x": np.arange(1000.0), "y": np.arange(1000) % 2})
    WRITERS[name](table, tmp_path / name)
    batches = list(open_stream(tmp_path / name, batch_bytes=1600))
    assert 90 < max(len(batch.y) for batch in batches) <= 100
    assert np.concatenate([batch.X.ravel() for batch in batches]).tolist() == list(range(1000))


def test_learning_from_a_mapped_file(file, rng):
    X = rng.normal(size=(300, 5)) * (rng.random((300, 5)) < 0.5)
    y = np.where(X @ [1, 2, -1, 0, 1] > 0, 1, -1)
    lists = [[np.flatnonzero(row).tolist() for row in X], [row[row != 0].tolist() for row in X]]
    model = Perceptron(shuffle=False)
    learn(model, open_stream(file(sparse(*lists, y=y)), batch_bytes=1000))
    want = Perceptron(shuffle=False)
    learn(want, [Batch(csr_array(X), y, 0)])
    np.testing.assert_array_equal(model.coef_, want.coef_)


# --- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize("batch_bytes", [1, 1 << 20])
@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            pa.table({"x": [1.0, None], "y": [1, 2]}),
            r"column 'x', row 1 \(from 0\): found null: fill it in",
        ),
        (pa.table({"x": [1.0, 2.0], "y": [1, None]}), r"column 'y', row 1 \(from 0\): found null"),
        (pa.table({"x": [1.0, np.nan], "y": [1, 2]}), r"'x', row 1 \(from 0\): found nan, expect"),
        (pa.table({"x": [1.0, 2.0], "y": [1, np.inf]}), "'y', row 1 .*found inf, expected a label"),
        (pa.table({"x": [1.0, 2.0], "y": ["a", " "]}), "row 1 .*found ' ', expected a label"),
        (pa.table({"x": [1.0, 2.0], "y": ["a", "b\0"]}), "row 1 .*, expected a label"),
        (pa.table({"x": [None, None], "y": [1, 2]}), "'x' holds null, expected numbers"),
        (pa.table({"x": [[1.0], [2.0]], "y": [1, 2]}), "'x' holds list<.*, expected numbers"),
        (pa.table({"x": [{"a": 1}], "y": [1]}), "'x' holds struct<.*, expected numbers"),
        (pa.table({"x": [1.0], "y": [[1]]}), "'y' holds list<.*, expected labels"),
        (
            pa.table({"x": [1.0], "y": pa.array([1], pa.timestamp("s"))}),
            r"'y' holds timestamp\[s\], expected labels",
        ),
        (
            pa.table({"x": [1.0], "y": pa.array([2**63], pa.uint64())}),
            "'y': a label is too large for 64 bits",
        ),
        (pa.table([[1.0], [2.0], [1]], ["x", "x", "y"]), "found the column 'x' twice: rename one"),
        (pa.table({"y": [1]}), "found no column with features besides the label"),
        (pa.table({"x": pa.array([], pa.float64()), "y": pa.array([], pa.int8())}), "no rows"),
        (sparse([[0], [1]], [[1.0], None], y=[1, 2]), "'values', row 1 .*found null"),
        (sparse([[0], [1]], [[1.0], [None]], y=[1, 2]), "'values', row 1 .*null in the list"),
        (sparse([[0], [1]], [[1.0], [np.inf]], y=[1, 2]), "'values', row 1 .*found inf"),
        (
            sparse([[0], [1]], [[1.0], [1.0, 2.0]], y=[1, 2]),
            "row 1 .*found 2 values for 1 index",
        ),
        (sparse([[0], [-1]], [[1.0], [1.0]], y=[1, 2]), "'indices', row 1 .*index -1, expected 0"),
        (sparse([[0], [2**31 - 1]], [[1.0], [1.0]], y=[1, 2]), "'indices', row 1 .*2147483647"),
        (
            sparse([[0], [2**63]], [[1.0], [1.0]], pa.uint64(), y=[1, 2]),
            "'indices', row 1 .*9223372036854775808, expected 0 to 2147483646",
        ),
        (
            sparse([[0], [2**27 + 1]], [[1.0], [1.0]], y=[1, 2]),
            "found the column 134217729, expected 134,217,728 at most: number the features",
        ),
        (sparse([[5, 6], [4, 3, 4]], [[1.0] * 2, [1.0] * 3], y=[1, 2]), "row 1 .*index 4 twice"),
        (sparse([["a"]], [[1.0]], pa.string(), y=[1]), "'indices' holds lists of string"),
        (sparse([[0]], [["a"]], value=pa.string(), y=[1]), "'values' holds lists of string"),
        (sparse([[0]], [[1.0]]), "no column for the labels besides indices and values"),
        (
            sparse([[0]], [[1.0]], age=[3], y=[1]),
            "'age' is neither the label nor indices or values",
        ),
    ],
)
def test_bad_columns(file, table, message, batch_bytes):
    refused(file(table), message, batch_bytes=batch_bytes)


def test_a_missing_target(file):
    refused(file(TREES), "no column 'knd' for the labels.*Did you mean 'kind'", target="knd")


@pytest.mark.parametrize("name", WRITERS)
def test_files_that_are_damaged(tmp_path, name):
    path = tmp_path / name
    table = pa.table({"x": np.arange(5000.0), "y": ["a", "b"] * 2500})
    WRITERS[name](table, path)
    whole = path.read_bytes()
    path.write_bytes(b"")
    refused(path, "no rows: it is empty")
    for content in (whole[:3], whole[:100], whole[: len(whole) // 2], b"x1,y\n1,2\n" * 20):
        path.write_bytes(content)
        refused(path, "truncated, damaged or of another kind")


@thorough(60)
@given(st.data())
def test_any_damage_is_an_error_or_harmless(tmp_path_factory, data):
    """Changed bytes yield other rows or a DataError, never another exception."""
    name = data.draw(st.sampled_from(["a.parquet", "a.arrow"]))
    path = tmp_path_factory.mktemp("damaged") / name
    WRITERS[name](sparse([[0, 1], [1], []], [[1.0, 2.0], [3.0], []], y=["a", "b", "a"]), path)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    try:
        X, y = open_stream(path).read()
    except DataError:
        return
    assert X.shape[0] == len(y)
    assert np.isfinite(X.data).all()


def test_lists_with_offsets_out_of_range(tmp_path):
    """A file whose offsets were changed is refused, and never read beyond its end."""
    path = tmp_path / "a.arrow"
    write_file(sparse([[0, 1], [1]], [[1.0, 2.0], [3.0]], y=[1, 2]), path)
    offsets = np.array([0, 2, 3], np.int32).tobytes()
    content = path.read_bytes()
    assert content.count(offsets) == 2
    path.write_bytes(content.replace(offsets, np.array([0, 2, 10**9], np.int32).tobytes()))
    refused(path, "truncated, damaged or of another kind")


@pytest.mark.parametrize("new", [pa.ipc.new_file, pa.ipc.new_stream])
@pytest.mark.parametrize("stop", [6, 10**9, -1])
def test_text_with_offsets_out_of_range(tmp_path, new, stop):
    """The first cells, from which kinds are inferred, are not read before they are validated."""
    path = tmp_path / "a.arrow"
    with new(path, (table := pa.table({"x": ["oak", "elm"], "y": [1, 2]})).schema) as writer:
        writer.write_table(table)
    offsets = np.array([0, 3, 6], np.int32)
    content = path.read_bytes()
    assert content.count(offsets.tobytes()) == 1
    damaged = np.array([0, stop, 6 if stop == 6 else 10**9], np.int32)
    path.write_bytes(content.replace(offsets.tobytes(), damaged.tobytes()))
    if stop == 6:
        assert open_stream(path).read()[0].shape == (2, 1)
    else:
        refused(path, "truncated, damaged or of another kind")


def test_sources_that_cannot_be_opened(tmp_path):
    refused(tmp_path / "none.arrow", "cannot be read: No such file")
    (tmp_path / "folder.arrow").mkdir()
    refused(tmp_path / "folder.arrow", "is a directory")
    (tmp_path / "a.parquet.gz").write_bytes(b"x")
    refused(tmp_path / "a.parquet.gz", "Parquet is read as it is: decompress it first")
    with pytest.raises(DataError, match="stdin: Arrow is read from files only"):
        open_stream("-", format="arrow")
    with pytest.raises(ValueError, match="index_base does not go with Parquet"):
        open_stream(tmp_path / "a.parquet", index_base=1)


def test_the_advice_for_a_wrong_suffix(file, tmp_path):
    for name, suffix in {"a.parquet": "parquet", "a.arrow": "arrow"}.items():
        WRITERS[name](TREES, tmp_path / "data")
        with pytest.raises(DataError, match=rf"expected text: name it ….{suffix}"):
            open_stream(tmp_path / "data")
        assert open_stream(tmp_path / "data", format=suffix).read()[0].tolist() == ROWS


def test_without_pyarrow(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    refused(file(TREES), r"Arrow is read by pyarrow, which is missing: pip install 'rosenblatt\[da")


def test_text_is_read_without_pyarrow(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    code = (
        "import sys; from rosenblatt.streams import open_stream\n"
        f"open_stream({str(tmp_path / 'a.csv')!r}).read()\n"
        "assert 'pyarrow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_rows_and_entries():
    indptr = np.array([0, 0, 2, 2, 3])
    assert [row_of(indptr, entry) for entry in range(3)] == [1, 1, 3]
    assert first_not_increasing(np.array([1, 2, 0]), indptr) is None
    assert first_not_increasing(np.array([2, 2, 0]), indptr) == 1


# --- the command ---------------------------------------------------------------------------------

LEARN = ["--rule", "perceptron", "--epochs", "9", "-q"]
"""Options that learn a few rows by heart."""


def test_the_command(put, tmp_path, call, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = put(TREES)
    assert call("train", path, "-m", "m", *LEARN)[0] == 0
    status, out, _ = call("evaluate", "m", path, "--json")
    assert (status, json.loads(out)["examples"]) == (0, 3)
    assert call("predict", "m", path)[1].split() == ["oak", "elm", "oak"]
    assert call("certify", path, "-q")[0] == 0


def test_the_command_finds_columns_by_name(file, tmp_path, call, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call("train", file(TREES), "-m", "m", *LEARN)[0] == 0
    (tmp_path / "a.csv").write_text("kind,b,a\noak,1,1.5\n")
    assert call("predict", "m", "a.csv")[1] == "oak\n"
    status, _, err = call("train", file(TREES), "-m", "m", "--target", "knd")
    assert (status, "Did you mean 'kind'" in err) == (3, True)
