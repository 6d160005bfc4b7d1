"""Checks of output paths: new files, earlier outputs of the same kind, and files that stay."""

from pathlib import Path

import pytest

from rosenblatt.cli.display.errors import Failure
from rosenblatt.cli.inputs.bad_rows import check_bad_row_file
from rosenblatt.cli.inputs.paths import check_output_path, check_rows_path
from rosenblatt.streams import open_stream, write_stream
from rosenblatt.streams.registry import WRITTEN_FORMATS


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("data.svm").write_text("1 1:2\n-1 2:1\n")


@pytest.mark.parametrize("format", WRITTEN_FORMATS)
def test_an_earlier_output_is_replaced_another_file_is_not(format):
    write_stream(open_stream("data.svm"), "out", format)
    check_rows_path("out", "data.svm", format)
    Path("out").write_text('"notes')
    message = f"out: exists and is no {WRITTEN_FORMATS[format]}, so it is not overwritten: give OUT"
    with pytest.raises(Failure, match=message):
        check_rows_path("out", "data.svm", format)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("data.svm", "is the input data: give OUT another file"),
        ("folder", "is a folder: give OUT a file in it"),
        ("none/out", "there is no folder .*none: make it first"),
    ],
)
def test_paths_that_cannot_be_written(path, message):
    Path("folder").mkdir()
    with pytest.raises(Failure, match=message):
        check_rows_path(path, "data.svm", "svmlight")
    check_rows_path("folder/new.svm", "data.svm", "svmlight")
    assert list(Path("folder").iterdir()) == []


def test_json_too_deep_to_read_is_another_file():
    Path("out").write_text("[" * 5000)
    with pytest.raises(Failure, match="out: exists and is no list of bad rows"):
        check_output_path("out", "data.svm", "list of bad rows", "--bad-rows", check_bad_row_file)
