"""Objects and texts in memory, against the readers of the same rows in files."""

import datetime
import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.frames.object_reader import ObjectReader
from rosenblatt.streams.frames.reader import RowReader

ROWS = [
    {"n": 2.5, "in": {"a": True, "b": None}, "tags": ["x", "y", "x", 3]},
    {"n": 0, "kind": "oak", "big": 2**53 + 1},
    {},
    {"kind": "elm", "n": None, "in": {"a": False}},
    {"kind": "oak", "n": 7, "in": {"c": "é"}},
]
OPTIONS = [
    {},
    {"impute": "mean"},
    {"impute": "indicator", "missing": ("elm",)},
    {"bits": 5},
    {"bits": 5, "interactions": ("n*kind",)},
    {"interactions": ("n*kind", "in*in")},
    {"schema": {"n": "category", "tags": "skip"}},
]


def as_arrays(X):
    X = X.tocsr()
    return [X.data, X.indices, X.indptr, np.array(X.shape)]


def assert_same_bits(X, Y):
    for one, other in zip(as_arrays(X), as_arrays(Y), strict=True):
        assert_array_equal(one, other)


@pytest.fixture
def stream(tmp_path):
    def read(rows, **options):
        path = tmp_path / "a.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return open_stream(path, labelled=False, **options)

    return read


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("cut", [0, 2])
def test_objects_that_are_learned_are_those_of_the_reader(stream, options, cut):
    expected = stream(ROWS, **options)
    rows = expected.whole().X
    reader = RowReader(ReadOptions(**options))
    if cut:
        reader.learn(ROWS[:cut])
    assert_same_bits(reader.learn(ROWS[cut:]), rows[cut:])
    assert reader.names == expected.feature_names
    assert reader.noted() == expected.noted()


@pytest.mark.parametrize("options", OPTIONS)
def test_objects_that_are_read_have_the_columns_of_a_model(stream, options):
    training = stream(ROWS[:3], **options)
    training.whole()
    names = None if training.feature_names is None else list(training.feature_names)
    reader = RowReader.from_notes(training.noted(), names)
    X = reader.read(ROWS)
    means = {"means": training.noted()["means"]} if "means" in training.noted() else {}
    fresh = stream(ROWS, **options, **means)
    rows = fresh.whole().X
    if names is None:
        assert_same_bits(X, rows)
        return
    expected = np.zeros((len(ROWS), len(names)))
    for j, name in enumerate(fresh.feature_names):
        if name in names:
            expected[:, names.index(name)] = rows.toarray()[:, j]
    assert_array_equal(X.toarray(), expected)
    assert reader.names == names


def test_texts_under_a_key(stream):
    rows = [{"mail": {"body": f"win prize number {i} now"}, "n": i} for i in range(9)]
    expected = stream(rows, text=("word:1",))
    reader = RowReader(ReadOptions(text=("word:1",)))
    assert_same_bits(reader.learn(rows), expected.whole().X)
    assert reader.noted() == expected.noted()
    alone = RowReader.from_notes({"format": "jsonl", "schema": {"t": "text"}, "bits": 9}, None)
    assert_same_bits(alone.read(["win now"]), alone.read([{"t": "win now"}]))


def test_values_that_are_not_of_json():
    reader = ObjectReader(ReadOptions(labelled=False))
    row = {
        "f": np.float32(1.5),
        "i": np.int64(3),
        "b": np.bool_(True),
        "list": (1, np.array([2])),
        "day": datetime.date(2024, 5, 1),
        "gone": float("nan"),
        "lost": pd.NA,
    }
    X = reader.learn([row])
    assert dict(zip(reader.names, X.toarray()[0].tolist(), strict=True)) == {
        "f": 1.5,
        "i": 3.0,
        "b": 1.0,
        "list.0": 1.0,
        "list.1.0": 2.0,
        "day.years": 4.331368885055819,
        "day.month=5": 1.0,
        "day.weekday=Wed": 1.0,
    }


def deep(levels):
    """Lists in one another."""
    value = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"a": float("inf")}, r"row 1 \(from 0\): found Infinity, expected a finite number"),
        ({"a": "\ud800"}, r"row 1 \(from 0\): .* expected text"),
        ({"a": 10**5000}, r"row 1 \(from 0\): found a whole number of thousands of digits"),
        ({"a": [{"b": -(10**5000)}]}, r"row 1 \(from 0\): found a whole number of thousands"),
        ({"a": 10**400}, r"row 1 \(from 0\): found 'a' with 100.* that fits a float64"),
        ({"a": deep(5000)}, r"row 1 \(from 0\): is nested too deeply"),
        ({"a": {"b": 1}, "a.b": 2}, r"row 1 \(from 0\): found the feature 'a.b' twice"),
    ],
)
def test_an_error_names_the_row_and_changes_nothing(row, problem):
    reader = RowReader(ReadOptions(impute="mean"))
    reader.learn([{"x": 1.0}, {"y": 2.0}])
    notes, names = reader.noted(), list(reader.names)
    with pytest.raises(DataError, match=problem):
        reader.learn([{"new": 1.0}, row])
    assert (reader.noted(), reader.names) == (notes, names)


def test_a_value_of_another_class_is_refused():
    with pytest.raises(TypeError, match="a value of the type object"):
        RowReader(ReadOptions()).learn([{"a": object()}, {"b": 1}])


def test_a_table_for_a_model_of_objects():
    reader = RowReader(ReadOptions())
    reader.learn([{"n": 1}, {"kind": "oak"}])
    table = pd.DataFrame({"kind": ["oak", None], "n": [np.nan, 2.0], "other": [1, 1]})
    assert reader.read(table).toarray().tolist() == [[0.0, 1.0], [2.0, 0.0]]


def test_texts_are_those_of_files(tmp_path):
    texts = [
        "see you at noon",
        "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\nFrom: Ann\n\nWin!\n",
        "From ann\nSubject: hi\nTo: bob\n\nbody",
        "note: no mail",
        "",
        "é" * 600_000,
    ]
    for k, text in enumerate(texts):
        (tmp_path / f"{k}.txt").write_text(text)
    expected = open_stream(tmp_path, text=("word:1", "char:2"), bits=12, labelled=False)
    reader = RowReader(ReadOptions(text=("word:1", "char:2"), bits=12))
    X = expected.whole().X
    assert_same_bits(reader.learn(texts), X)
    assert_same_bits(reader.read([text.encode() for text in texts]), X)
    assert_same_bits(reader.read(pd.DataFrame({"mail": texts})), X)
    assert reader.noted() == expected.noted()


def test_a_value_that_is_no_date_is_an_error_with_the_options_of_python():
    rows = [{"when": "2024-05-31"}, {"when": "soon", "x": 1}]
    problem = r"row 1 \(from 0\): key 'when': found 'soon'.* schema=\{'when': 'skip'\}; .*='soon'\."
    with pytest.raises(DataError, match=problem):
        RowReader(ReadOptions(schema={"when": "date"})).learn(rows)
