"""Parquet and Arrow with columns of every kind: the rows, and the models, of the same CSV."""

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from sklearn.feature_extraction import FeatureHasher
from stream_rows import write_table

from rosenblatt import models
from rosenblatt.streams import DataError, open_stream

TREES = pa.table(
    {
        "size": [1.5, 0.0, 2.0],
        "colour": ["red", None, "blue"],
        "mid": ["a", None, "c"],
        "w": [1, 2, 1],
        "kind": ["oak", "elm", "oak"],
    }
)


KINDS = {"mid": "id", "w": "weight"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def alike(one, other):
    """Return whether two batches are equal."""
    assert (one.X.shape, one.y.tolist()) == (other.X.shape, other.y.tolist())
    assert (one.X != other.X).nnz == 0
    for name in ("weight", "ids"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
    return True


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_categories(name, size):
    stream = open_stream(write_table(TREES, name), schema=KINDS, batch_bytes=size)
    assert stream.schema == {"size": "number", "colour": "category"} | KINDS
    for _ in range(2):
        rows = stream.whole()
        assert rows.X.toarray().tolist() == [[1.5, 1, 0], [0, 0, 0], [2, 0, 1]]
        assert (rows.weight.tolist(), rows.ids.tolist()) == ([1, 2, 1], ["a", "", "c"])
    assert stream.feature_names == ["size", "colour=red", "colour=blue"]


cells = {
    "n": st.floats(-1e6, 1e6),
    "colour": st.sampled_from(["red", "blue", "", "grün"]),
    "code": st.sampled_from(["A", "b 7", "C"]),
    "body": st.sampled_from(["win a prize now", "see you at seven", "no"]),
    "kind": st.sampled_from(["oak", "elm"]),
}


@thorough(30)
@given(
    st.lists(st.fixed_dictionaries(cells), min_size=1, max_size=12),
    st.sampled_from([None, 6]),
    st.booleans(),
    st.sampled_from(["a.parquet", "a.arrow"]),
)
def test_rows_are_those_of_the_same_table_as_text(tmp_path_factory, rows, bits, texts, name):
    folder = tmp_path_factory.mktemp("kinds")
    rows = [{name: row[name] for name in cells} for row in rows]
    lines = [",".join([repr(row["n"]), *list(row.values())[1:]]) for row in rows]
    (folder / "a.csv").write_text("\n".join([",".join(cells), *lines]) + "\n", encoding="utf-8")
    table = pa.Table.from_pylist([row | {"colour": row["colour"] or None} for row in rows])
    typed = {"colour": table["colour"].cast(pa.string()), "code": table["code"].dictionary_encode()}
    for column, array in typed.items():
        table = table.set_column(table.column_names.index(column), column, array)
    write_table(table, str(folder / name))
    schema = {"colour": "category", "code": "category", "body": "text" if texts else "skip"}
    how = {"schema": schema, "bits": bits}
    streams = [open_stream(folder / one, **how) for one in ("a.csv", name)]
    assert alike(*(stream.whole() for stream in streams))
    assert streams[0].noted() | {"format": ""} == streams[1].noted() | {"format": ""}
    assert streams[0].feature_names == streams[1].feature_names


def test_hashed_rows_are_those_of_feature_hasher():
    stream = open_stream(write_table(TREES), schema=KINDS, bits=5)
    dicts = [{"size": 1.5, "colour=red": 1}, {}, {"size": 2.0, "colour=blue": 1}]
    want = FeatureHasher(32, input_type="dict").transform(dicts)
    assert (stream.read()[0] != want).nnz == 0
    assert (stream.bits, stream.feature_names) == (5, None)


def test_kinds_are_inferred_from_types_and_first_rows():
    long = ["win a prize now", "see you at seven", "all of us"]
    table = pa.table(
        {"n": [1, 2, 3], "zip": ["01", "02", "03"], "body": long, "new": [True] * 3, "y": [1, 2, 1]}
    )
    stream = open_stream(write_table(table))
    kinds = {"n": "number", "zip": "category", "body": "text", "new": "number"}
    assert (stream.schema, stream.bits, stream.text) == (kinds, 18, ("word:1-2",))


def test_skipped_columns_may_have_any_type():
    more = {"when": [date(2020, 1, 1)] * 3, "deep": [{"a": [1]}] * 3, "a.b": [None] * 3}
    table = pa.table(TREES.to_pydict() | more)
    for name in ("a.parquet", "a.arrow"):
        stream = open_stream(write_table(table, name), schema=KINDS | dict.fromkeys(more, "skip"))
        assert stream.read()[0].shape == (3, 3)
        stream = open_stream(name, schema={"size": "number", "*": "skip"}, target="kind")
        assert stream.read()[0].tolist() == [[1.5], [0.0], [2.0]]
        assert stream.left_out == ("colour", "mid", "w", *more)


def test_names_with_dots_are_names():
    table = pa.table({"a.b": [1.0], "a": [{"b": 2.0}], "y": [1]})
    for name in ("a.parquet", "a.arrow"):
        assert open_stream(write_table(table, name), schema={"a": "skip"}).read()[0].tolist() == [
            [1.0]
        ]


def test_several_files_share_their_names():
    write_table(TREES, "a.parquet")
    write_table(TREES.slice(2), "b.parquet")
    write_table(TREES.set_column(1, "colour", pa.array(["blue", "pink", "red"])), "c.parquet")
    stream = open_stream(["b.parquet", "a.parquet", "c.parquet"], schema=KINDS)
    X, _ = stream.read()
    assert stream.feature_names == ["size", *(f"colour={x}" for x in ("blue", "red", "pink"))]
    assert X[:, 1:].toarray().argmax(axis=1).tolist() == [0, 1, 0, 0, 0, 2, 1]


@pytest.mark.parametrize(
    ("column", "schema", "message"),
    [
        ([date(2020, 1, 1)], {"x": "time"}, r"holds date32\[day\], expected times of day, or text"),
        ([timedelta(1)], {}, r"holds duration\[us\], expected numbers: encode it, or leave it"),
        ([None], {}, "holds null, expected numbers"),
        ([b"a"], {}, "holds binary, expected numbers"),
        (["a"], {"x": "number"}, "holds string, expected numbers"),
        ([0.5], {"x": "category"}, "holds double, expected categories: text, whole numbers or"),
        ([[1]], {"x": "text"}, "holds list<.*>, expected texts"),
        ([None, 1.0], {"x": "number"}, r"row 0 \(from 0\): found null: fill it in"),
    ],
)
def test_columns_of_other_types(column, schema, message):
    path = write_table(
        pa.table({"x": column, "colour": ["red"] * len(column), "y": [1] * len(column)})
    )
    with pytest.raises(DataError, match=f"^a.parquet: column 'x',? {message}"):
        list(open_stream(path, schema=schema))


def test_categories_of_bad_rows_are_skipped():
    table = TREES.set_column(0, "size", pa.array([1.5, None, np.inf]))
    stream = open_stream(write_table(table), schema=KINDS, on_bad_row="skip")
    assert stream.read()[0].toarray().tolist() == [[1.5, 1.0]]
    assert (stream.bad_rows, stream.feature_names) == (2, ["size", "colour=red"])


def test_a_missing_column_is_refused():
    with pytest.raises(DataError, match=r"no column 'color' of the kind category.*mean 'colour'"):
        open_stream(write_table(TREES), schema={"color": "category"})


@pytest.mark.parametrize("more", [[], ["--bits", "9"]])
def test_models_of_both_are_the_same(call, more):
    write_table(TREES)
    Path("a.csv").write_text("size,colour,mid,w,kind\n1.5,red,a,1,oak\n0,,,2,elm\n2,blue,c,1,oak\n")
    for name in ("a.parquet", "a.csv"):
        told = call("train", name, "-m", f"{name}.m", "--schema", "mid:id,w:weight", *more)
        assert "columns: 1 number, 1 category (colour), ids in mid, weights in w" in told[2]
    one, other = (models.load(f"{name}.m") for name in ("a.parquet", "a.csv"))
    assert np.array_equal(one.coef_, other.coef_)
    answers = {
        call("predict", m, d)[:2]
        for m in ("a.parquet.m", "a.csv.m")
        for d in ("a.parquet", "a.csv")
    }
    assert len(answers) == 1
    assert answers.pop()[0] == 0


def test_new_categories_do_not_change_the_score(call):
    assert call("train", write_table(TREES), "-m", "m", "-q", "--schema", "mid:id,w:weight")[0] == 0
    new = TREES.set_column(1, "colour", pa.array(["pink", "blue", "red"])).drop_columns(["kind"])
    write_table(new.append_column("more", pa.array(["x", "y", "z"])), "new.parquet")
    status, out, err = call("predict", "m", "new.parquet")
    assert (status, len(out.splitlines())) == (0, 3)
    assert "ignored 1 column that the model does not know: more" in err
    assert "has features beyond the model's 3" in err
