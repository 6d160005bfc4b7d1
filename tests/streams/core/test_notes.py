"""Notes of a model: those of its runs, and the names of hashed columns in them."""

import pytest

from rosenblatt.streams.core.notes import hashed_columns, notes_of_runs

WRITTEN = {
    "target": None, "separator": ";", "bits": 18, "text": ["words"], "schema": {"zip": "category"},
    "means": {"x": 1.5, "z": 4}, "earlier": [{"data": "a.csv"}], "run": {"rows": 9}, "by": "Ada",
    "collisions": {"bits": 18, "used": 9, "shared": 0, "pairs": 0, "share": 0.0},
}  # fmt: skip


def test_notes_of_a_run_stay():
    assert notes_of_runs(WRITTEN) == WRITTEN


@pytest.mark.parametrize(
    "own",
    [
        {"run": "nightly"}, {"separator": 3}, {"bits": True}, {"data_bytes": "9"},
        {"text": "words"}, {"text": [1]}, {"schema": {"zip": ["category"]}}, {"names": []},
        {"means": {"x": "1"}}, {"earlier": {}},
        {"collisions": {"share": "1"}}, {"collisions": {"share": 0.5}},
    ],
    ids=str,
)  # fmt: skip
def test_a_note_of_another_form_is_a_user_s_own(own):
    assert notes_of_runs(WRITTEN | own) == {k: v for k, v in WRITTEN.items() if k not in own}


def test_notes_that_are_no_object_say_nothing():
    assert notes_of_runs(["run"]) == notes_of_runs(None) == {}


def test_names_of_hashed_columns_have_a_sign_and_a_column_of_the_table():
    noted = {"7": [-1, "a"], "8": [1, "b"], "9": [2, "c"], "x": [1, "d"], "3": "e", "2": [1, 5]}
    assert hashed_columns({"bits": 3, "names": noted}) == {7: (-1, "a")}
    assert hashed_columns({"bits": 4, "names": noted}) == {7: (-1, "a"), 8: (1, "b")}
    assert hashed_columns({"names": noted}) == hashed_columns({"bits": 3, "names": [1]}) == {}
