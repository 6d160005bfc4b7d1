import numpy as np
import pytest

from rosenblatt.streams import DataError
from rosenblatt.streams.core.named import with_columns
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.frames.reader import RowReader
from rosenblatt.streams.frames.tables import DictTable, Matrix, TextTable, words_of


def test_keys_of_dicts_in_the_order_of_their_first_appearance():
    table = DictTable([{"b": 1}, {"a": 2, "b": 3}])
    assert table.names == ["b", "a"]
    np.testing.assert_array_equal(table.cells("a").numbers(), [np.nan, 2.0])


@pytest.mark.parametrize(
    ("row", "is_text"),
    [
        ({"a": "1", "b": "x"}, True),
        ({"a": "1", "b": None}, True),
        ({"a": "1", "b": 2}, False),
        ({"a": None}, False),
    ],
)
def test_rows_of_text_alone_are_text(row, is_text):
    assert DictTable([row]).is_text == is_text


def test_keys_must_be_text():
    with pytest.raises(TypeError, match="keys of rows must be names of columns; got 3"):
        DictTable([{3: 1}])


def test_words_of_a_key_that_no_row_has():
    assert words_of(DictTable([{"a": 1}, {"a": 2}]), "b").words == [""]


def test_a_matrix_knows_the_names_of_a_stream():
    named = Matrix(with_columns(np.eye(2), ["a", "b"]))
    assert (named.names, named.is_named) == (["a", "b"], True)
    assert (Matrix(np.eye(2)).names, Matrix(np.eye(2)).is_named) == (["x0", "x1"], False)


def test_a_matrix_of_objects():
    table = Matrix(np.array([["oak", 1.5], ["elm", 2]], object))
    assert table.cells("x0").words().words == ["oak", "elm"]
    assert table.cells("x1").numbers().tolist() == [1.5, 2.0]


def test_tables_as_objects():
    assert Matrix(np.array([[1.0, 2.0]])).objects() == [{"x0": 1.0, "x1": 2.0}]
    assert TextTable("mail", ["hello"]).objects() == [{"mail": "hello"}]
    assert DictTable([{"a": 1}]).objects() == [{"a": 1}]


@pytest.mark.parametrize("unit", ["D", "s", "us", "ns"])
def test_dates_of_numpy_are_dates_in_every_unit(unit):
    """Nanoseconds were numbers of the size of 10^18."""
    days = np.array([["2024-05-31"], ["2024-06-01"]], f"datetime64[{unit}]")
    X = RowReader(ReadOptions()).learn(days)
    expected = RowReader(ReadOptions()).learn([{"x0": "2024-05-31"}, {"x0": "2024-06-01"}])
    assert X.toarray().tolist() == expected.toarray().tolist()
    objects = RowReader(ReadOptions())
    objects.learn([{"x0": day, "more": [1]} for (day,) in days])
    assert objects.names[:3] == ["x0.years", "x0.month=5", "x0.weekday=Fri"]
    with pytest.raises(DataError, match="column 'x0' holds values of the type timedelta"):
        RowReader(ReadOptions()).learn(days - days[0])
