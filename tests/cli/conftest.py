"""Fixtures of the command's tests: folders, models of small files, a wide terminal."""

from pathlib import Path

import pytest
from command import FOUR, TABLE

from rosenblatt.cli.options import kernel
from rosenblatt.cli.training import rows
from rosenblatt.streams.core import options


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with a svmlight file and a table."""
    monkeypatch.chdir(tmp_path)
    Path("four.svm").write_text(FOUR)
    Path("table.csv").write_text(TABLE)
    return tmp_path


@pytest.fixture
def models(folder, call):
    """Models of both files."""
    assert call("train", "four.svm", "-m", "four.rosenblatt")[0] == 0
    assert call("train", "table.csv", "--target", "kind", "-m", "table.rosenblatt")[0] == 0


@pytest.fixture
def small_batches(tmp_path, monkeypatch):
    """A working folder, and small batches."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(options, "BATCH_BYTES", 1000)
    monkeypatch.setattr(rows, "SHUFFLED_BATCH_ROWS", 70)
    monkeypatch.setattr(kernel, "BATCH", 70)


@pytest.fixture
def wide(monkeypatch):
    """Set a terminal of 100 columns."""
    monkeypatch.setenv("COLUMNS", "100")
