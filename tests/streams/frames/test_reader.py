import csv
import io
import pickle
import subprocess
import sys
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from rosenblatt.streams import DataError
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.frames.reader import RowReader

TEXTS = ["win a prize now", "see you at noon", "win the lottery today"]


def test_kinds_of_columns_by_their_types():
    frame = pd.DataFrame({"x": [1, 2, 3], "b": [True, False, True], "c": list("aba"), "t": TEXTS})
    reader = RowReader(ReadOptions())
    reader.learn(frame)
    kinds = {"x": "number", "b": "number", "c": "category", "t": "text"}
    assert reader.noted()["schema"] == kinds
    for table in (pl.from_pandas(frame), pa.table(frame.to_dict("list"))):
        other = RowReader(ReadOptions())
        other.learn(table)
        assert other.noted() == reader.noted()


def test_numbers_written_as_text_are_codes_unless_all_cells_are_text():
    typed, text = RowReader(ReadOptions()), RowReader(ReadOptions())
    typed.learn(pd.DataFrame({"zip": ["01", "02"]}))
    text.learn(csv.DictReader(io.StringIO("zip,c\n01,a\n02,b\n")))
    assert typed.names == ["zip=01", "zip=02"]
    assert text.names == ["zip", "c=a", "c=b"]


def test_texts_for_a_model_of_a_table_with_one_column_of_texts():
    reader = RowReader(ReadOptions(bits=9))
    X = reader.learn(pd.DataFrame({"text": TEXTS}))
    assert_array_equal(reader.read(TEXTS).toarray(), X.toarray())
    wide = RowReader(ReadOptions())
    wide.learn(pd.DataFrame({"text": TEXTS, "n": [1, 2, 3]}))
    with pytest.raises(DataError, match="found texts, expected rows with names of columns: 'text'"):
        wide.read(TEXTS)


def test_a_table_for_a_model_of_texts_has_one_column():
    reader = RowReader(ReadOptions())
    reader.learn(TEXTS)
    with pytest.raises(DataError, match="found 2 columns, expected texts"):
        reader.read(pd.DataFrame({"a": TEXTS, "b": TEXTS}))
    assert reader.read(pd.DataFrame({"a": [date(2024, 5, 31)]})).nnz == 5  # three words, two pairs
    with pytest.raises(
        DataError, match=r"column 'a', row 0 \(from 0\): found \[1\], expected a word"
    ):
        reader.read(pd.DataFrame({"a": [[1]]}))


def test_an_option_for_texts_needs_texts():
    reader = RowReader(ReadOptions(text=("word:1",)))
    with pytest.raises(DataError, match=r"no column is read as text: schema=\{'COLUMN': 'text'\}"):
        reader.learn([{"a": 1}])
    phrases = [{"mail": words} for words in ("win a prize", "call me", "call me", "call me")]
    reader.learn(phrases)  # categories of several words become texts, as in the command
    assert reader.noted()["schema"] == {"mail": "text"}


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"b": "number"}, "no column 'b' of the kind number"),
        ({"b": "skip"}, "no column 'b' of the kind skip"),
        ({"a": "skip"}, "no column with features"),
    ],
)
def test_a_schema_that_does_not_fit(schema, problem):
    with pytest.raises(DataError, match=problem):
        RowReader(ReadOptions(schema=schema)).learn([{"a": 1}])


def test_the_label_in_the_schema_is_no_feature():
    reader = RowReader(ReadOptions(schema={"y": "label"}))
    rows = pd.DataFrame({"y": ["a", "b"], "x": [1.0, 2.0]})
    assert reader.learn(rows).tolist() == [[1.0], [2.0]]
    assert (reader.columns, reader.noted()["target"]) == (["x"], "y")
    assert reader.read(rows[["x"]]).tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize("format", ["svmlight", "vw", "npy", None])
def test_models_of_numbered_columns_have_no_encoder(format):
    with pytest.raises(ValueError, match="has no encoder of raw rows"):
        RowReader.from_notes({"format": format}, None)


def test_notes_of_a_data_set_name_its_numbers():
    reader = RowReader.from_notes({"format": "sklearn", "schema": None}, ["a", "b"])
    assert reader.read([{"b": 2, "a": 1}]).tolist() == [[1.0, 2.0]]
    with pytest.raises(ValueError, match="the notes name no columns"):
        RowReader.from_notes({"format": "csv"}, None)


def test_nothing_is_read_before_the_first_rows():
    with pytest.raises(ValueError, match="no rows have been learned yet"):
        RowReader(ReadOptions()).read([{"a": 1}])


def test_first_rows_that_fail_decide_nothing():
    reader = RowReader(ReadOptions())
    with pytest.raises(DataError):
        reader.learn([{"a": float("nan")}])
    reader.learn(TEXTS)
    assert reader.noted()["format"] == "folder"


@pytest.mark.parametrize("rows", [TEXTS, [{"a": 1}, {"b": "x"}], [{"a": 1, "c": "x"}]])
def test_a_reader_is_pickled(rows):
    reader = RowReader(ReadOptions(interactions=()))
    reader.learn(rows)
    copy = pickle.loads(pickle.dumps(reader))
    assert_array_equal(copy.read(rows).toarray(), reader.read(rows).toarray())
    assert copy.noted() == reader.noted()
    copy.learn(rows)
    assert np.array_equal(copy.read(rows).toarray(), reader.read(rows).toarray())


def test_no_library_of_tables_is_imported():
    """A table of theirs shows that they are there; scikit-learn imports pandas by itself."""
    program = (
        "import sys; from rosenblatt.streams.core.options import ReadOptions;"
        "from rosenblatt.streams.frames.reader import RowReader;"
        "RowReader(ReadOptions()).learn([{'x': 1, 'c': 'a'}]);"
        "RowReader(ReadOptions()).learn(['a text']);"
        "print([name for name in ('pandas', 'polars', 'pyarrow') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr
