"""Fingerprints of the rows that a run has learned."""

import pytest
from noisy_rows import as_csv, as_json, rows, write_file

from rosenblatt import streams
from rosenblatt.cli.training.fingerprint import FingerprintedRows


@pytest.mark.parametrize("kind", ["svmlight", "csv", "jsonl"])
def test_fingerprints_do_not_depend_on_batches(kind, folder):
    text = rows(300) + "1.5\n" + rows(3, seed=1)
    form = {"csv": as_csv, "jsonl": as_json}.get(kind, str)
    if kind == "csv":
        text = rows(300)
    name = write_file(f"a.{kind}", form(text))
    fingerprints = []
    for size in (100, 1000, 10_000_000):
        stream = FingerprintedRows(streams.open_stream(name, batch_bytes=size), name)
        assert sum(len(batch.y) for batch in stream) >= 300
        again = streams.open_stream(name, batch_bytes=size)
        list(FingerprintedRows(again, name, fingerprints[0] if fingerprints else None))
        fingerprints.append(stream.fingerprint)
    assert fingerprints[0] == fingerprints[1] == fingerprints[2]
