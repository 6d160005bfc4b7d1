"""Arrow columns: words in the order of their first appearance, integers, booleans."""

import json

import pyarrow as pa
import pyarrow.parquet
import pytest
from stream_rows import write_table

from rosenblatt.streams import DataError, open_stream
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


@pytest.mark.parametrize("type", [pa.timestamp("us"), pa.date32()])
def test_a_date_that_python_does_not_have_is_refused(folder, type):
    day = 4_000_000 * (1 if type == pa.date32() else 86_400 * 10**6)  # in the year 12921
    dates = pa.array([0, day], pa.int32() if type == pa.date32() else pa.int64()).cast(type)
    pyarrow.parquet.write_table(pa.table({"when": dates, "y": [1, 2]}), "a.parquet")
    message = r"a\.parquet: column 'when': found a date outside the years 1 to 9999: correct it"
    with pytest.raises(DataError, match=message):
        open_stream("a.parquet", target="y").read()
    bad = []
    open_stream("a.parquet", target="y", on_bad_row=bad.append).read()
    assert [json.loads(row.row)["when"][:11] for row in bad] == ["12921-08-18"]


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
