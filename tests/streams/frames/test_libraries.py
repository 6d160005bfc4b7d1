"""Columns of every type of pandas, polars and pyarrow have the same cells."""

import datetime
import json
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rosenblatt.streams import DataError
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.frames.cells import NumberCells, OtherCells, WordCells
from rosenblatt.streams.frames.reader import RowReader
from rosenblatt.streams.frames.rows import rows_of

DAY = datetime.date(2024, 5, 1)
NUMBERS = {
    "int8": pd.Series([3, 0, 1], dtype="int8"),
    "uint64": pd.Series([3, 0, 1], dtype="uint64"),
    "float32": pd.Series([3, 0, 1], dtype="float32"),
    "objects": pd.Series([3, 0.0, np.int64(1)], dtype=object),
    "decimals": pd.Series([Decimal(3), Decimal(0), Decimal(1)]),
    "Int64": pd.Series([3, 0, 1], dtype="Int64"),
    "UInt8": pd.Series([3, 0, 1], dtype="UInt8"),
    "Float32": pd.Series([3, 0, 1], dtype="Float32"),
    "sparse": pd.Series(pd.arrays.SparseArray([3, 0, 1])),
    "arrow": pd.Series([3, 0, 1], dtype="int64[pyarrow]"),
    "arrow decimal": pd.Series(
        [Decimal(3), Decimal(0), Decimal(1)], dtype=pd.ArrowDtype(pa.decimal128(5, 1))
    ),
    "pl int": pl.Series([3, 0, 1], dtype=pl.Int16),
    "pl float": pl.Series([3, 0, 1], dtype=pl.Float32),
    "pl decimal": pl.Series([Decimal(3), Decimal(0), Decimal(1)], dtype=pl.Decimal(5, 1)),
    "pa int": pa.array([3, 0, 1], pa.uint16()),
    "pa half": pa.array(np.array([3, 0, 1], np.float16)),
    "pa decimal": pa.array([Decimal(3), Decimal(0), Decimal(1)], pa.decimal128(5, 1)),
    "pa chunks": pa.chunked_array([[3], [0, 1]]),
    "pa no chunks first": pa.chunked_array([pa.array([], pa.int64()), pa.array([3, 0, 1])]),
}
WITH_MISSING = {
    "float64": pd.Series([3, np.nan, 1.0]),
    "objects": pd.Series([3, None, 1], dtype=object),
    "Int64": pd.Series([3, None, 1], dtype="Int64"),
    "Float64": pd.Series([3, None, 1], dtype="Float64"),
    "arrow": pd.Series([3, None, 1], dtype="int64[pyarrow]"),
    "pl int": pl.Series([3, None, 1]),
    "pl float": pl.Series([3.0, None, 1.0]),
    "pl nan": pl.Series([3.0, float("nan"), 1.0]),
    "pl decimal": pl.Series([Decimal(3), None, Decimal(1)], dtype=pl.Decimal(5, 1)),
    "pa int": pa.array([3, None, 1]),
    "pa float": pa.array([3.0, None, 1.0]),
    "pa decimal": pa.array([Decimal(3), None, Decimal(1)], pa.decimal128(5, 1)),
}
TRUTHS = {
    "bool": pd.Series([True, False, True]),
    "boolean": pd.Series([True, None, True], dtype="boolean"),
    "objects": pd.Series([True, None, True], dtype=object),
    "arrow": pd.Series([True, None, True], dtype="bool[pyarrow]"),
    "pl": pl.Series([True, None, True]),
    "pa": pa.array([True, None, True]),
}
WORDS = {
    "str": pd.Series(["oak", None, "elm ", "oak"], dtype="str"),
    "object": pd.Series(["oak", None, "elm ", "oak"], dtype=object),
    "object nan": pd.Series(["oak", np.nan, "elm ", "oak"], dtype=object),
    "object NA": pd.Series(["oak", pd.NA, "elm ", "oak"], dtype=object),
    "python": pd.Series(["oak", None, "elm ", "oak"], dtype="string[python]"),
    "pyarrow": pd.Series(["oak", None, "elm ", "oak"], dtype="string[pyarrow]"),
    "ArrowDtype": pd.Series(["oak", None, "elm ", "oak"], dtype=pd.ArrowDtype(pa.large_string())),
    "categorical": pd.Series(pd.Categorical(["oak", None, "elm ", "oak"], ["no", "elm ", "oak"])),
    "pl": pl.Series(["oak", None, "elm ", "oak"]),
    "pl categorical": pl.Series(["oak", None, "elm ", "oak"], dtype=pl.Categorical),
    "pl enum": pl.Series(["oak", None, "elm ", "oak"], dtype=pl.Enum(["no", "elm ", "oak"])),
    "pa": pa.array(["oak", None, "elm ", "oak"]),
    "pa view": pa.array(["oak", None, "elm ", "oak"], pa.string_view()),
    "pa dictionary": pa.array(["oak", None, "elm ", "oak"]).dictionary_encode(),
    "pa chunks": pa.chunked_array([["oak", None], ["elm ", "oak"]]),
}
OTHERS = {
    "dates": pd.Series(pd.to_datetime([DAY, None])),
    "zoned": pd.Series(pd.to_datetime([DAY]).tz_localize("UTC")),
    "spans": pd.Series(pd.to_timedelta([1], "D")),
    "periods": pd.Series(pd.period_range("2024", periods=2, freq="M")),
    "lists": pd.Series([[1], [2]]),
    "complex": pd.Series([1j]),
    "bytes": pd.Series([b"oak"]),
    "pl date": pl.Series([DAY, None]),
    "pl list": pl.Series([[1], [2]]),
    "pl struct": pl.Series([{"a": 1}]),
    "pl binary": pl.Series([b"oak"]),
    "pa date": pa.array([DAY, None]),
    "pa struct": pa.array([{"a": 1}]),
    "pa binary": pa.array([b"oak"]),
}


def cells_of(column):
    if isinstance(column, pd.Series):
        table = pd.DataFrame({"c": column})
    else:
        table = (pl.DataFrame if isinstance(column, pl.Series) else pa.table)({"c": column})
    return rows_of(table).cells("c")


def words_of(cells):
    codes, words = cells.words()
    return [words[code] for code in codes]


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name):
    cells = cells_of(NUMBERS[name])
    assert isinstance(cells, NumberCells)
    assert cells.numbers().tolist() == [3.0, 0.0, 1.0]
    assert words_of(cells) == ["3", "0", "1"]


@pytest.mark.parametrize("name", WITH_MISSING)
def test_numbers_with_a_missing_cell(name):
    cells = cells_of(WITH_MISSING[name])
    assert isinstance(cells, NumberCells)
    np.testing.assert_array_equal(cells.numbers(), [3.0, np.nan, 1.0])
    assert words_of(cells) == ["3", "", "1"]


@pytest.mark.parametrize("name", TRUTHS)
def test_true_and_false(name):
    cells = cells_of(TRUTHS[name])
    assert isinstance(cells, NumberCells)
    assert cells.numbers()[[0, 2]].tolist() == [1.0, 1.0]
    assert words_of(cells) == ["True", "False" if name == "bool" else "", "True"]


@pytest.mark.parametrize("name", WORDS)
def test_words(name):
    cells = cells_of(WORDS[name])
    assert isinstance(cells, WordCells)
    assert words_of(cells) == ["oak", "", "elm", "oak"]
    assert cells.is_category == ("categorical" in name or "enum" in name)
    assert cells.are_numbers is None


@pytest.mark.parametrize("dtype", ["int64", "Int64", "float64", "category", object])
def test_categories_of_numbers(dtype):
    assert words_of(cells_of(pd.Series([3, 1, 3]).astype(dtype))) == ["3", "1", "3"]


def test_a_categorical_of_numbers_has_words_that_stand_for_numbers():
    cells = cells_of(pd.Series(pd.Categorical([3.0, None, 1.5])))
    assert words_of(cells) == ["3", "", "1.5"]
    assert cells.is_category
    assert cells.are_numbers == [True, False, True]


@pytest.mark.parametrize("values", [pd.cut([1, 5, 9], 3), pd.Categorical(["oak", (1, 2)])])
def test_a_categorical_of_other_values_is_that_of_its_objects(values):
    column = pd.Series(values)
    cells = cells_of(column)
    assert isinstance(cells, OtherCells)
    assert cells == cells_of(column.astype(object))
    learned = RowReader(ReadOptions())
    with pytest.raises(DataError, match=f"holds {cells.type}, expected numbers, words"):
        learned.learn(pd.DataFrame({"c": column}))
    learned.learn([{"c": "oak"}])
    with pytest.raises(DataError, match=r"column 'c', row \d .*, expected a word"):
        learned.read(pd.DataFrame({"c": column}))


def test_a_category_that_is_no_text_is_an_error():
    codes = pd.Categorical.from_codes([1, 0, 1], pd.Index(["\ud800", "oak"], object))
    with pytest.raises(DataError, match=r"row 1 \(from 0\): found '\\ud800', expected text"):
        cells_of(pd.Series(codes))
    unused = pd.Series(pd.Categorical.from_codes([1], pd.Index(["\ud800", "oak"], object)))
    assert words_of(cells_of(unused)) == ["oak"]


def test_a_category_that_no_cell_has_may_be_any_value():
    column = pd.Series(pd.Categorical(["oak"], ["oak", (1, 2)]))
    assert cells_of(column).is_category
    assert words_of(cells_of(column)) == ["oak"]


@pytest.mark.parametrize("name", OTHERS)
def test_other_types_are_others(name):
    assert isinstance(cells_of(OTHERS[name]), OtherCells)


@pytest.mark.parametrize("name", ["dates", "pl date", "pa date"])
def test_dates_as_words(name):
    cells = cells_of(OTHERS[name])
    codes, words = cells.words(None)
    assert [words[code] for code in codes] == ["2024-05-01", ""]


def test_words_without_a_cell_have_numbers_as_in_csv():
    for column in (pl.Series([None, None]), pa.nulls(2), pd.Series([None, None])):
        assert np.isnan(cells_of(column).numbers()).all()


def test_names_of_columns():
    assert rows_of(pd.DataFrame([[1, 2]])).names == ["0", "1"]
    with pytest.raises(DataError, match="column 'a' twice"):
        rows_of(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_the_index_of_pandas_is_no_column():
    frame = pd.DataFrame({"x": [1, 2]}, index=["a", "b"])
    assert rows_of(frame.iloc[1:]).cells("x").numbers().tolist() == [2.0]


def test_plain_types_need_no_pyarrow():
    """A DataFrame is read where pyarrow is not installed."""
    program = """
import sys
sys.modules["pyarrow"] = None
import pandas, polars
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.frames.reader import RowReader
for library in pandas, polars:
    frame = library.DataFrame(
        {"x": [1.5, None, 2.5], "n": [1, 2, 3], "b": [True, False, True], "c": ["oak", None, "elm"]}
    )
    print(RowReader(ReadOptions(impute="indicator")).learn(frame).toarray().tolist())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = [[1.5, 1, 1, 1, 0, 0, 0], [0, 2, 0, 0, 1, 1, 0], [2.5, 3, 1, 0, 0, 0, 1]]
    for found in done.stdout.splitlines():
        assert [[*map(float, row)] for row in rows] == json.loads(found)
    assert len(done.stdout.splitlines()) == 2
