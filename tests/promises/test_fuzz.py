"""Damaged files: no crash, no hang, no wrong row; for text plain Python is the reference."""

import random
import subprocess
import sys
from pathlib import Path

import damage
import damaged_files
import fuzz
import fuzz_service
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from service_runs import in_a_thread

from rosenblatt.streams import DataError
from rosenblatt.streams.registry import FORMATS


@pytest.mark.parametrize("format", damage.LINES)
@thorough(150)
@given(r=st.randoms(use_true_random=False))
def test_damaged_texts_are_read_as_plain_python_reads_them(format, r, tmp_path_factory):
    text = damage.text_of(r, format)
    damage.check(r, format, text, tmp_path_factory.getbasetemp())


@pytest.mark.parametrize("format", damage.LINES)
def test_the_texts_have_good_and_damaged_lines(format):
    r = random.Random(0)
    rows = [damage.expected(format, damage.text_of(r, format)) for _ in range(200)]
    bad = sum(row is None for text in rows for row in text.values())
    assert 0.2 < bad / sum(map(len, rows)) < 0.7


@pytest.mark.parametrize("format", damage.LINES)
def test_a_reader_that_takes_bad_rows_fails_the_check(format, tmp_path, monkeypatch):
    """The check fails for a reader that takes a bad row."""
    text = damage.FIRST[format] + b"\nbad\n" + damage.FIRST[format] + b"\n"
    damage.check(random.Random(0), format, text, tmp_path)
    monkeypatch.setitem(damage.ROWS, format, lambda line: (1, {}) if line else None)
    with pytest.raises((AssertionError, DataError)):
        damage.check(random.Random(0), format, text, tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="needs Unix")
def test_damaged_binary_files_are_errors_or_harmless():
    """Arrow, Parquet, NumPy files and archives, read in a child process."""
    assert damaged_files.faults(seed=16, first=0, last=300) == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs Unix")
@pytest.mark.parametrize(
    ("fault", "message"),
    [("os.abort()", "exit -6"), ("raise TypeError('odd')", "TypeError: odd")],
)
def test_a_crash_and_a_foreign_exception_are_counted(fault, message, tmp_path):
    """The check is a copy that fails on every file: each case is counted, and the next is run."""
    text = Path(damaged_files.__file__).read_text()
    checker = tmp_path / "checker.py"
    checker.write_text(text.replace("    rows = 0\n", f"    {fault}\n", 1))
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import checker"
    found = subprocess.run(
        [sys.executable, "-c", f"{code}; print(*checker.faults(16, 0, 2), sep='\\n')"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert found.count(message) == 2


# --- the targets of the fuzzers ------------------------------------------------------------------

READS = {
    "svmlight": "svmlight", "vw": "vw", "jsonl": "objects", "csv": "table", "tsv": "table",
    "arff": "arff", "parquet": "binary", "arrow": "binary", "npy": "binary", "npz": "binary",
    "folder": "mail",
}  # fmt: skip


def test_every_format_has_a_target():
    assert READS.keys() == FORMATS.keys() - {"sklearn"}  # which reads no file of a user's
    assert set(READS.values()) <= fuzz.TARGETS.keys()


@pytest.mark.parametrize("name", sorted(fuzz.TARGETS.keys() - {"names"}))  # which needs atheris
def test_a_target_passes_what_it_begins_with(name, tmp_path):
    def check():
        try:
            for data in fuzz.TARGETS[name].seeds():
                fuzz.TARGETS[name].check(data, str(tmp_path))
        finally:
            fuzz_service.close()

    in_a_thread(check)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("checkpoint", b'{"mixing": "mean", "reading": {}, "shards": []}'),
        ("checkpoint", b"null"),
        ("mail", b"Subject: =?utf\x9d7?q?Gr=C3?=\nFrom: a\n\nx"),
        ("paths", b"x=1e999"),
    ],
)
def test_what_the_fuzzers_found_is_mended(name, data, tmp_path):
    fuzz.TARGETS[name].check(data, str(tmp_path))
