"""Kinds of columns of frames, against those of the same table in a file."""

import warnings

import numpy as np
import pandas as pd
import pytest

from rosenblatt.streams import open_stream
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.frames.reader import RowReader

ROWS = 100
X = [f"{k % 7}.5" for k in range(ROWS)]


def kinds_of_frame(table, **options):
    reader = RowReader(ReadOptions(**options))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        reader.learn(table)
    return reader.noted()["schema"], [str(one.message) for one in caught]


@pytest.fixture
def files(tmp_path):
    """Return a function that writes columns of words, and returns a frame and two files of them."""

    def write(columns):
        paths = [tmp_path / f"a.{suffix}" for suffix in ("csv", "parquet")]
        pd.DataFrame(columns).to_csv(paths[0], index=False)
        frame = pd.read_csv(paths[0])
        frame.to_parquet(paths[1])
        return frame, paths

    return write


@pytest.mark.parametrize("name", ["customer_id", "patient", "Unnamed: 0"])
@pytest.mark.parametrize("spell", ["{}", "{}.0"])
def test_whole_numbers_beside_an_empty_cell_are_ids_everywhere(files, name, spell):
    ids = [spell.format(k + 7) for k in range(ROWS)]
    frame, paths = files({name: [*ids[:-1], ""], "x": X})
    assert frame[name].dtype == np.float64
    expected = {name: "skip", "x": "number"}
    assert [open_stream(path, labelled=False).left_out for path in paths] == [(name,)] * 2
    for table in (frame, frame.astype({name: "Int64"}), frame.to_dict("records")):
        kinds, said = kinds_of_frame(table)
        assert kinds == expected
        assert len(said) == 1
        assert f"schema={{{name!r}: 'number'}}" in said[0]


@pytest.mark.parametrize("cells", [[f"{k}.5" for k in range(ROWS)], ["3.0"] * ROWS])
def test_other_numbers_are_no_ids(files, cells):
    frame, paths = files({"id": cells, "x": X})
    assert [open_stream(path, labelled=False).left_out for path in paths] == [()] * 2
    assert kinds_of_frame(frame) == ({"id": "number", "x": "number"}, [])


def test_a_key_of_ids_in_nested_rows_is_left_out_with_the_warning_of_a_table():
    rows = [{"id": 7 * k, "size": k % 3} for k in range(ROWS)]
    nested = [{"id": row["id"], "in": {"size": row["size"]}} for row in rows]
    of_table, of_nested = kinds_of_frame(rows), kinds_of_frame(nested)
    assert of_table[0]["id"] == of_nested[0]["id"] == "skip"
    assert of_table[1] == of_nested[1] != []
    assert kinds_of_frame(nested, schema={"id": "number"})[1] == []
    reader = RowReader(ReadOptions())
    with pytest.warns(UserWarning, match="schema={'id': 'number'}"):
        reader.note(nested)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reader.learn(nested)


def test_phrases_become_text_before_they_are_ids(files):
    frame, paths = files({"mail": [f"hello name{k}" for k in range(ROWS)], "x": X})
    for path in paths:
        stream = open_stream(path, labelled=False, text="word:1")
        assert stream.schema == {"mail": "text", "x": "number"}
    assert kinds_of_frame(frame, text=("word:1",)) == ({"mail": "text", "x": "number"}, [])
    assert kinds_of_frame(frame)[0] == {"mail": "skip", "x": "number"}
