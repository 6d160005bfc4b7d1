"""Rows that a run has learned, compared by their digest."""

import pytest
from noisy_rows import as_csv, as_json, rows, write_file

from rosenblatt import streams
from rosenblatt.cli.training.rows import RowsToLearn


def read(name, size, expected=None):
    """Read a file in batches of a size; return the number of its rows, and their digest."""
    to_learn = RowsToLearn(streams.open_stream(name, batch_bytes=size), expected=expected)
    assert sum(len(batch.y) for batch in to_learn) >= 300
    return to_learn.read


@pytest.mark.parametrize("kind", ["svmlight", "csv", "jsonl"])
def test_digests_do_not_depend_on_batches(kind, folder):
    text = rows(300) + "2\n" + rows(3, seed=1)
    form = {"csv": as_csv, "jsonl": as_json}.get(kind, str)
    if kind == "csv":
        text = rows(300)
    name = write_file(f"a.{kind}", form(text))
    first = read(name, 100)
    for size in (100, 1000, 10_000_000):
        assert read(name, size) == read(name, size, expected=first) == first
