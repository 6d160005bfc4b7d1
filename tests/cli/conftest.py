"""Fixtures of the command's tests: a folder with small files, and models of them."""

from pathlib import Path

import pytest
from command import FOUR, TABLE


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
