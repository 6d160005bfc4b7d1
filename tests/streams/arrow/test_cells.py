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


def test_words_lose_blanks_and_tabs_as_in_csv_and_nothing_else(folder):
    words = [" oak\t", "oak", "\u00a0oak", "oak\u2003", "\u00a0", "\u000boak"]
    table = pa.table({"c": words, "y": [1, 2] * 3})
    lines = "".join(f"{word},{label}\n" for word, label in zip(words, [1, 2] * 3, strict=True))
    (folder / "a.csv").write_text(f"c,y\n{lines}")
    streams = [open_stream(write_table(table)), open_stream("a.csv")]
    parquet, csv = [stream.read()[0].toarray().tolist() for stream in streams]
    assert streams[0].feature_names == streams[1].feature_names
    assert parquet == csv
    assert len(csv[0]) == 5


def test_whole_numbers_and_booleans_may_be_categories():
    table = pa.table({"zip": [7, None, 10], "new": [True, False, None], "y": [1, 2, 1]})
    stream = open_stream(write_table(table), schema={"zip": "category", "new": "category"})
    X, _ = stream.read()
    assert stream.feature_names == ["zip=7", "new=True", "new=False", "zip=10"]
    assert X.toarray().tolist() == [[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
