"""Views of streams for writers: numbered labels, and dense rows of sparse ones."""

from pathlib import Path

import numpy as np
import pytest

from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.writers.views import (
    _DENSE_CELLS,
    MAX_COLUMNS,
    DenseStream,
    NumberedStream,
    number_labels,
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


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
