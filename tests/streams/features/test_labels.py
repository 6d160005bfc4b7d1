"""Labels of every format, sample weights and ids of rows."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from stream_rows import refused

from rosenblatt import Perceptron, save
from rosenblatt.cli.display.confusion import ConfusionMatrix
from rosenblatt.streams import DataError, open_stream, write_arrow
from rosenblatt.streams.core.batch import CachedBatches
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.opening import open_one
from rosenblatt.streams.rechunk import ShuffledBatches, SplitBatches


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
def test_labels_keep_one_type(write, words, kinds):
    path = write("a.csv", "x,y\n" + "".join(f"1,{word}\n" for word in words))
    stream = open_stream(path, batch_bytes=1)
    for _ in range(2):
        assert "".join(batch.y.dtype.kind for batch in stream) == kinds


def test_labels_of_mixed_types_are_refused(write):
    path = write("a.csv", "x,y\n1,1\n1,2.5\n1,spam\n")
    refused(path, "column 'y': found 'spam', .* labels of mixed types", line=4, batch_bytes=1)


words = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


VW = "1 2 'a1|f x\n-1 |f y\n1 c3|f z\n-1 0.5 |f x y\n"
JSON = (
    '{"mid": "m1", "w": 2, "y": "ham", "n": 1}\n'
    '{"mid": 17, "w": 0.5, "y": "spam", "n": 2}\n'
    '{"w": 1, "y": "ham", "n": 3}\n'
)


def labelled_options(**how):
    """Return options with the id in ``mid`` and the weight in ``w``."""
    return ReadOptions(schema={"mid": "id", "w": "weight"}, **how)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.vw").write_text(VW)
    Path("a.jsonl").write_text(JSON)


def weights_and_ids(batches):
    """Return [(label, weight, id), ...]."""
    rows = []
    for batch in batches:
        n = batch.X.shape[0]
        weights = np.ones(n) if batch.weight is None else batch.weight
        ids = [""] * n if batch.ids is None else batch.ids
        y = [None] * n if batch.y is None else batch.y.tolist()
        rows += zip(y, weights.tolist(), ids, strict=True)
    return rows


VW_ROWS = [(1, 2.0, "a1"), (-1, 1.0, ""), (1, 1.0, "c3"), (-1, 0.5, "")]
JSON_ROWS = [("ham", 2.0, "m1"), ("spam", 0.5, 17), ("ham", 1.0, "")]


# --- from the source -----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 30, 1 << 22])
def test_tags_are_ids_on_request(size):
    stream = open_stream("a.vw", tags=True, batch_bytes=size)
    assert (stream.weight_column, stream.id_column) == ("importance", "tag")
    assert weights_and_ids(stream) == VW_ROWS
    plain = open_stream("a.vw", batch_bytes=size)
    assert plain.id_column is None
    assert {batch.ids is None for batch in plain} == {True}
    assert weights_and_ids(plain) == [(*row[:2], "") for row in VW_ROWS]


def test_tags_stay_with_their_rows_before_faults_and_with_long_decimals():
    hard = "0.1000000000000000055511151231257827021181583404541015625"
    Path("b.vw").write_text(f"1 'é| x:{hard}\n1 'b| x:{hard}\nwrong\n")
    batches = []
    with pytest.raises(DataError, match=r"b\.vw:3:1"):
        batches.extend(open_stream("b.vw", tags=True))
    assert weights_and_ids(batches) == [(1, 1.0, "é"), (1, 1.0, "b")]


def test_tags_of_rows_without_labels():
    Path("b.vw").write_text("'a|f x\n|f y\n")
    stream = open_stream("b.vw", tags=True, labelled=False)
    assert weights_and_ids(stream) == [(None, 1.0, "a"), (None, 1.0, "")]


@pytest.mark.parametrize("size", [1, 1 << 22])
def test_keys_of_json_lines(size):
    stream = open_one("a.jsonl", labelled_options(batch_bytes=size))
    assert (stream.weight_column, stream.id_column) == ("w", "mid")
    assert weights_and_ids(stream) == JSON_ROWS
    assert stream.feature_names == ["n"]
    unlabelled = open_one("a.jsonl", labelled_options(labelled=False, target="y", batch_bytes=size))
    assert weights_and_ids(unlabelled) == [(None, 1.0, id) for _, _, id in JSON_ROWS]
    assert unlabelled.feature_names == ["n"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('{"y": 1}', "key 'w': found nothing, expected a weight: a finite number of 0 or more"),
        ('{"y": 1, "w": -1}', "key 'w': found -1, expected a weight"),
        ('{"y": 1, "w": "2"}', "key 'w': found '2', expected a weight"),
        ('{"y": 1, "w": true}', "key 'w': found true, expected a weight"),
        ('{"y": 1, "w": 1e999}', "key 'w': found Infinity, expected a weight"),
        ('{"y": 1, "w": 1, "mid": 2.5}', "key 'mid': found 2.5, expected an id"),
        ('{"y": 1, "w": 1, "mid": ["a"]}', r"key 'mid': found \[\"a\"\], expected an id"),
        ('{"y": 1, "w": 1, "mid": "\\ud800"}', "key 'mid': found .*, expected an id"),
    ],
)
def test_invalid_weights_and_ids_of_json_lines(row, message):
    Path("b.jsonl").write_text(f'{{"y": 1, "w": 3, "mid": "first"}}\n{row}\n')
    batches = []
    with pytest.raises(DataError, match=rf"^b\.jsonl:2: {message}"):
        batches.extend(open_one("b.jsonl", labelled_options()))
    assert weights_and_ids(batches) == [(1, 3.0, "first")]


def table(**columns):
    rows = {"n": [1.0, 2.0, 3.0], "y": ["ham", "spam", "ham"]}
    return pa.table(rows | {"mid": ["m1", None, "m3"], "w": [2, 0, 1]} | columns)


def test_columns_of_parquet():
    pa.parquet.write_table(table(), "a.parquet")
    stream = open_one("a.parquet", labelled_options())
    assert (stream.weight_column, stream.id_column) == ("w", "mid")
    assert stream.feature_names == ["n"]
    assert weights_and_ids(stream) == [("ham", 2.0, "m1"), ("spam", 0.0, ""), ("ham", 1.0, "m3")]
    pa.parquet.write_table(table(mid=[7, 8, 9], w=[1.0, 1.0, 1.0]), "b.parquet")
    (batch,) = open_one("b.parquet", labelled_options())
    assert (batch.weight, batch.ids.tolist()) == (None, [7, 8, 9])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"w": [1.0, -0.5, 1]}, r"column 'w', row 1 \(from 0\): found -0.5, expected a weight"),
        ({"w": [1.0, 1, np.inf]}, r"column 'w', row 2 \(from 0\): found inf, expected a weight"),
        ({"w": [1.0, None, 1]}, r"column 'w', row 1 \(from 0\): found null"),
        ({"w": ["1", "2", "3"]}, "column 'w' holds string, expected weights: numbers"),
        ({"mid": [0.5, 1, 2]}, "column 'mid' holds double, expected ids: text or whole numbers"),
    ],
)
def test_invalid_weights_and_ids_of_parquet(columns, message):
    pa.parquet.write_table(table(**columns), "a.parquet")
    with pytest.raises(DataError, match=f"^a.parquet: {message}"):
        list(open_one("a.parquet", labelled_options()))


def test_missing_columns_of_weights_and_ids():
    pa.parquet.write_table(table().drop_columns(["mid", "w"]), "a.parquet")
    with pytest.raises(DataError, match="no column 'mid' of the kind id; the columns are 'n', 'y'"):
        open_one("a.parquet", labelled_options())
    (batch,) = open_one("a.parquet", labelled_options(labelled=False, target="y"))
    assert (batch.weight, batch.ids) == (None, None)


def test_only_one_column_of_a_kind():
    with pytest.raises(ValueError, match="found 2 columns of the kind id"):
        open_stream("a.jsonl", schema={"a": "id", "b": "id"})


# --- on their way --------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 1 << 22])
def test_weights_and_ids_stay_with_their_rows(size):
    stream = open_stream("a.vw", tags=True, batch_bytes=size)
    assert weights_and_ids(SplitBatches(stream, 3)) == VW_ROWS
    kept = CachedBatches(stream)
    assert weights_and_ids(kept) == weights_and_ids(kept) == VW_ROWS
    mixed = ShuffledBatches(stream, seed=1, max_rows=3)
    assert sorted(weights_and_ids(mixed)) == sorted(VW_ROWS)
    assert weights_and_ids(mixed) != VW_ROWS
    many = open_stream(["a.vw", "a.vw"], tags=True, batch_bytes=size)
    assert (many.weight_column, many.id_column) == ("importance", "tag")
    assert weights_and_ids(many) == VW_ROWS * 2


@pytest.mark.parametrize("size", [1, 1 << 22])
def test_the_whole_stream_has_weights_and_ids(size):
    whole = open_stream("a.vw", tags=True, batch_bytes=size).whole()
    assert weights_and_ids([whole]) == VW_ROWS
    X, y = open_stream("a.vw", batch_bytes=size).read()
    assert (X != whole.X).nnz == 0
    assert y.tolist() == whole.y.tolist()
    Path("b.vw").write_text("1 | x\n-1 | y\n")
    whole = open_stream("b.vw", tags=True).whole()
    assert (whole.weight, whole.ids) == (None, None)


# --- converted -----------------------------------------------------------------------------------

words = st.text(st.characters(codec="utf-8", exclude_characters="\t\n\r |'\0"), max_size=9)


@thorough(30)
@given(
    st.lists(st.tuples(st.integers(-9, 9), st.floats(0, 1e6), words), min_size=1, max_size=20),
    st.integers(1, 99),
)
def test_ids_and_weights_come_back(tmp_path_factory, rows, size):
    folder = tmp_path_factory.mktemp("convert")
    text = "".join(f"{y} {weight!r} '{tag}|f x y:{y}\n" for y, weight, tag in rows)
    (folder / "a.vw").write_text(text, encoding="utf-8")
    stream = open_stream(folder / "a.vw", tags=True, batch_bytes=size)
    assert write_arrow(stream, folder / "a.arrow") == len(rows)
    again = open_stream(folder / "a.arrow", batch_bytes=size)
    assert (again.weight_column, again.id_column) == ("importance", "tag")
    assert weights_and_ids(again) == weights_and_ids(stream) == rows
    X, Z = stream.whole().X, again.whole().X
    assert (X[:, : Z.shape[1]] != Z).nnz == 0


def test_weights_and_ids_that_begin_late():
    Path("b.vw").write_text("1 | x\n" * 9 + "1 3 'last| x\n")
    stream = open_stream("b.vw", tags=True, batch_bytes=12)
    write_arrow(stream, "b.arrow")
    assert weights_and_ids(open_stream("b.arrow")) == [(1, 1.0, "")] * 9 + [(1, 3.0, "last")]
    Path("b.vw").write_text("1 | x\n" * 9)
    write_arrow(open_stream("b.vw", tags=True), "b.arrow")
    whole = open_stream("b.arrow").whole()
    assert (whole.weight, whole.ids) == (None, None)


def test_columns_keep_their_names_and_json_its_kinds():
    pa.parquet.write_table(table(mid=[7, 8, 9]), "a.parquet")
    write_arrow(open_one("a.parquet", labelled_options()), "a.arrow")
    again = open_stream("a.arrow")
    assert (again.weight_column, again.id_column, again.target) == ("w", "mid", "y")
    assert again.feature_names == ["n"]
    assert weights_and_ids(again) == [("ham", 2.0, 7), ("spam", 0.0, 8), ("ham", 1.0, 9)]
    with pytest.raises(DataError, match=r"the ids from row 0 \(from 0\) on are not all .* text"):
        write_arrow(open_one("a.jsonl", labelled_options()), "b.arrow")
    assert not Path("b.arrow").exists()


def test_weights_without_a_column_name_are_written():
    Path("c.svm").write_text("1 1:1\n")
    Path("c.jsonl").write_text('{"y": 1, "n": 1}\n')
    write_arrow(open_stream("c.svm", index_base=0), "plain.arrow")
    write_arrow(open_stream("a.vw"), "weighted.arrow")
    both = open_stream(["plain.arrow", "weighted.arrow"])
    with pytest.raises(DataError, match=r"weights from row 1 \(from 0\) on, and none before"):
        write_arrow(both, "d.arrow")


# --- the command ---------------------------------------------------------------------------------


@pytest.fixture
def model():
    """Train a model on the tables' column n, and one on the words of Vowpal Wabbit text."""
    X, y = open_stream("a.vw").read()
    save(Perceptron().fit(X, y), "vw.rosenblatt", notes={"format": "vw", "bits": 18})


def test_predictions_begin_with_the_id(model, call):
    status, out, error = call("predict", "vw.rosenblatt", "a.vw")
    assert (status, error) == (0, "")
    assert [line.split("\t")[0] for line in out.splitlines()] == ["a1", "", "c3", ""]
    assert {line.split("\t")[1] for line in out.splitlines()} <= {"1", "-1"}
    _, out, _ = call("predict", "vw.rosenblatt", "a.vw", "--scores", "--json")
    answers = [json.loads(line) for line in out.splitlines()]
    assert [list(answer) for answer in answers] == [
        ["id", "prediction", "score"],
        ["prediction", "score"],
    ] * 2
    assert [answer.get("id") for answer in answers] == ["a1", None, "c3", None]
    Path("b.vw").write_text(VW.replace("'a1", "").replace("c3", ""))
    assert set(call("predict", "vw.rosenblatt", "b.vw")[1].splitlines()) <= {"1", "-1"}


def test_a_converted_file_gets_equal_predictions(call):
    assert call("convert", "a.vw", "a.arrow", "-q") == (0, "", "")
    stream = open_stream("a.arrow")
    save(Perceptron().fit(*stream.read()), "m.rosenblatt", notes=stream.noted())
    _, out, _ = call("predict", "m.rosenblatt", "a.arrow", "-q")
    assert [line.split("\t")[0] for line in out.splitlines()] == ["a1", "", "c3", ""]


def test_evaluate_reports_the_weighted_error(call):
    Path("t.vw").write_text("1 |f x\n-1 |f y\n" * 9)
    assert call("train", "t.vw", "-m", "m.rosenblatt", "-q")[0] == 0
    Path("e.vw").write_text("1 3 |f x\n-1 5 |f x\n-1 |f y\n1 |f y\n")
    record = json.loads(call("evaluate", "m.rosenblatt", "e.vw", "--json")[1])
    assert (record["error"], record["weighted_error"]) == (0.5, 0.6)
    out = call("evaluate", "m.rosenblatt", "e.vw")[1]
    assert "60.0 % of the total weight of the rows" in out
    plain = json.loads(call("evaluate", "m.rosenblatt", "t.vw", "--json")[1])
    assert plain["weighted_error"] is None
    assert "weight" not in call("evaluate", "m.rosenblatt", "t.vw")[1]


def test_confusions_of_batches_with_and_without_weights():
    tally = ConfusionMatrix(["a", "b"])
    tally.add(["a", "b"], ["a", "a"])
    assert tally.weighted_error is None
    tally.add(["a", "b"], ["b", "b"], np.array([4.0, 2.0]))
    assert tally.weighted_error == 5 / 8
    assert tally.error == 2 / 4
