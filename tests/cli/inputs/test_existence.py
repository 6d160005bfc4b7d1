"""Missing files, and MODEL and DATA in the wrong order."""

import os
import subprocess
import sys

import pytest

MISSING = [
    ["train", "none.svm", "-m", "m"],
    ["predict", "none.rosenblatt", "four.svm"],
    ["predict", "four.rosenblatt", "none.svm"],
    ["evaluate", "four.rosenblatt", "none*.svm"],
    ["validate", "none.svm"],
    ["inspect", "none.rosenblatt"],
    ["diff", "four.rosenblatt", "none.rosenblatt"],
    ["certify", "none.svm"],
    ["verify", "none.json", "four.svm"],
    ["verify", "four.svm", "none.svm"],
    ["convert", "none.svm", "a.arrow"],
]
SCRIPT = """
import json, sys
from rosenblatt.cli.main import run
for args in json.loads(sys.argv[1]):
    assert run(args) == 3, args
heavy = {"numba", "numpy", "scipy", "sklearn", "joblib", "pyarrow"} & set(sys.modules)
assert not heavy, heavy
"""


def test_missing_files_are_reported_before_anything_heavy_is_imported(models):
    import json

    command = [sys.executable, "-c", SCRIPT, json.dumps(MISSING)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == len(MISSING)
    for line in lines:
        assert line.startswith("error: none")
        assert ": cannot be read: " in line or ": no file matches this pattern." in line


def test_a_file_of_a_similar_name_is_suggested(models, call):
    assert call("predict", "four.rosenblat", "four.svm") == (
        3,
        "",
        "error: four.rosenblat: cannot be read: No such file or directory. "
        "Did you mean 'four.rosenblatt'?\n",
    )
    os.mkdir("data")
    os.rename("four.svm", "data/four.svm")
    assert "Did you mean 'data/four.svm'?" in call("train", "data/fuor.svm", "-m", "m")[2]


@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_model_and_data_in_the_wrong_order(models, call, command):
    status, out, err = call(command, "table.csv", "table.rosenblatt")
    assert (status, out) == (2, "")
    problem = "table.rosenblatt looks like a model, table.csv like data: did you swap MODEL and"
    assert err.startswith(f"error: {problem} DATA?")


@pytest.mark.parametrize("args", [["predict", "four.rosenblatt"], ["validate"], ["certify"]])
def test_a_model_is_no_data(models, call, args):
    status, out, err = call(*args, "table.rosenblatt")
    assert (status, out) == (3, "")
    assert err.startswith("error: table.rosenblatt: is a model, not rows of data")


def test_text_that_begins_like_a_model_is_data(folder, call):
    (folder / "odd.jsonl").write_text('       \n{"x": 1, "y": "a"}\n{"x": -1, "y": "b"}\n')
    assert call("train", "odd.jsonl", "-m", "m")[0] == 0
