"""Fingerprints of the rows that a run has learned."""

import pytest
from noisy_rows import as_csv, as_json, rows, write_file

from rosenblatt import streams
from rosenblatt.cli.training.rows import Fingerprint


def read(fingerprint, name, size):
    """Return the number of rows of a file, read in batches of a size."""
    batches = list(streams.open_stream(name, batch_bytes=size))
    for batch in batches:
        fingerprint.add(batch)
    fingerprint.end()
    return sum(len(batch.y) for batch in batches)


@pytest.mark.parametrize("kind", ["svmlight", "csv", "jsonl"])
def test_fingerprints_do_not_depend_on_batches(kind, folder):
    text = rows(300) + "1.5\n" + rows(3, seed=1)
    form = {"csv": as_csv, "jsonl": as_json}.get(kind, str)
    if kind == "csv":
        text = rows(300)
    name = write_file(f"a.{kind}", form(text))
    fingerprints = []
    for size in (100, 1000, 10_000_000):
        fingerprint = Fingerprint(name)
        assert read(fingerprint, name, size) >= 300
        read(Fingerprint(name, fingerprints[0] if fingerprints else None), name, size)
        fingerprints.append(fingerprint.read)
    assert fingerprints[0] == fingerprints[1] == fingerprints[2]
