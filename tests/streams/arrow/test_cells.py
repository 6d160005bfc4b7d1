"""Arrow columns: words in the order of their first appearance, integers, booleans."""

import pyarrow as pa
import pyarrow.parquet
import pytest
from stream_rows import write_table

from rosenblatt.streams import open_stream
from rosenblatt.streams.arrow.cells import Column


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "array",
    [
        pa.array(["b", " a", None, "b", "", "a"]),
        pa.array(["b", " a", None, "b", "", "a"], pa.string_view()),
        pa.array(["b", " a", None, "b", "", "a"], pa.large_string()),
        pa.DictionaryArray.from_arrays(
            pa.array([2, 1, None, 2, 3, 0], pa.int8()), ["a", " a", "b", None, "unused"]
        ),
        pa.array([None, "x", "b", " a", None, "b", "", "a"]).dictionary_encode()[2:],
    ],
)
def test_words_are_encoded_in_the_order_of_appearance(array):
    codes, words = Column("a", "x", array, 0).words()
    assert [words[code] for code in codes] == ["b", "a", "", "b", "", "a"]
    firsts = [codes.tolist().index(code) for code in range(len(words))]
    assert firsts == sorted(firsts)


def test_whole_numbers_and_booleans_may_be_categories():
    table = pa.table({"zip": [7, None, 10], "new": [True, False, None], "y": [1, 2, 1]})
    stream = open_stream(write_table(table), schema={"zip": "category", "new": "category"})
    X, _ = stream.read()
    assert stream.feature_names == ["zip=7", "new=True", "new=False", "zip=10"]
    assert X.toarray().tolist() == [[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
