import csv
import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rosenblatt.streams import DataError
from rosenblatt.streams.frames.rows import Objects, Texts, rows_of
from rosenblatt.streams.frames.tables import DictTable, Matrix


@pytest.mark.parametrize(
    "rows",
    [
        ["one", "two"],
        ("one", "two"),
        np.array(["one", "two"]),
        np.array(["one", "two"], object),
        pd.Series(["one", "two"]),
        pl.Series(["one", "two"]),
        pa.array(["one", "two"]),
        pa.chunked_array([["one"], ["two"]]),
        iter(["one", "two"]),
    ],
)
def test_texts(rows):
    texts = rows_of(rows)
    assert isinstance(texts, Texts)
    assert texts.words() == ["one", "two"]


def test_missing_texts_are_empty():
    assert rows_of(pd.Series(["one", None])) == ["one", ""]


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ([{"a": 1}, {"a": 2}], DictTable),
        ({"a": 1}, DictTable),
        (csv.DictReader(io.StringIO("a,b\n1,x\n")), DictTable),
        ([{"a": 1}, {"b": 2}], Objects),
        ([{"a": [1]}], Objects),
        ([{"a": {"b": 1}}], Objects),
        (np.eye(2), Matrix),
        ([[1, 2], [3, 4]], Matrix),
    ],
)
def test_what_rows_are(rows, kind):
    assert type(rows_of(rows)) is kind


@pytest.mark.parametrize(
    "rows", [5, None, [1, 2], [{"a": 1}, "x"], [[1], [1, 2]], np.zeros(3), {1, 2}]
)
def test_anything_else_is_refused(rows):
    with pytest.raises(TypeError, match="rows must be a DataFrame of pandas or polars"):
        rows_of(rows)


def test_one_text_is_refused():
    with pytest.raises(TypeError, match=r"not one text: give \[text\]"):
        rows_of("one")


def test_a_series_of_numbers_is_refused():
    with pytest.raises(TypeError, match=r"row 0 \(from 0\) must be a text; got 1"):
        rows_of(pd.Series([1, 2]))


@pytest.mark.parametrize(
    "rows", [[], pd.DataFrame({"a": []}), pa.table({"a": []}), np.ones((0, 1))]
)
def test_no_rows_are_refused(rows):
    with pytest.raises(DataError, match="no rows"):
        rows_of(rows)
