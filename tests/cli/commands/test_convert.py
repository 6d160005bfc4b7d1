"""``rosenblatt convert``: options, refusals, notes, pipes and a killed process."""

import json
import os
import shlex
import signal
import time
from pathlib import Path

import pytest
from command import spawn

from rosenblatt.streams import open_stream


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write_table():
    """Write a table with a label that has a quote, a comma and a blank."""
    Path("first.csv").write_text(
        'height,petal length (cm),kind\n1,0.1,oak\n2,-3,"a \'b, ""c"""\n0,1,oak\n'
    )
    return "first.csv"


def test_a_killed_process_leaves_no_file_under_the_final_name():
    """The first rows are written when the process is killed; the pipe has not ended."""
    process = spawn("convert", "-", "b.svm", "--format", "svmlight", stdin=-1, stderr=-1)
    process.stdin.write("1 1:0.5 2:3\n" * 100_000)
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not any(path.stat().st_size for path in Path().glob(".rosenblatt-*.tmp")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not Path("b.svm").exists()


def test_the_command(call):
    path = write_table()
    status, out, err = call("convert", path, "b.vw.gz", "--labels", 'oak, "a \'b, ""c"""', "--json")
    assert status == 0, err
    record = json.loads(out)
    assert (record["examples"], record["format"], record["file"]) == (3, "vw", "b.vw.gz")
    assert open_stream("b.vw.gz").read()[1].tolist() == [-1, 1, -1]
    assert err.startswith("written: b.vw.gz (3 rows, ")
    assert call("convert", path, "b.txt", "--to", "csv", "-q") == (0, "", "")
    assert Path("b.txt").read_text().startswith('"height","petal length (cm)","kind"')
    assert call("convert", path, "b.txt", "--to", "csv", "-q")[0] == 0  # replaced


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["b.jsonl"], 2, "OUT: b.jsonl: its name tells no format"),
        (["b.svm"], 3, ': --labels \'"a \'"\'"\'b, ""c""",oak\' numbers them'),
        (["b.svm", "--labels", "oak"], 2, "--labels must be two or more distinct labels"),
        (["b.svm", "--labels", "oak,elm"], 3, "row 1 (from 0): found the label"),
        (["old.svm"], 1, "exists and is no svmlight text, so it is not overwritten"),
        (["none/b.svm"], 1, "there is no folder"),
        (["first.csv"], 1, "is the input data: give OUT another file"),
    ],
)
def test_conversions_that_the_command_refuses(call, arguments, status, message):
    path = write_table()
    Path("old.svm").write_text("notes")
    code, _, err = call("convert", path, *arguments)
    assert (code, message in err) == (status, True), err
    assert Path("old.svm").read_text() == "notes"


def test_a_pipe_whose_columns_are_unknown_is_refused_at_once():
    for path in ("b.csv", "b.tsv"):
        process = spawn("convert", "-", path, "--format", "svmlight", stdin=-1, stderr=-1)
        process.stdin.write("1 1:0.5 2:3\n" * 10_000)
        process.stdin.flush()
        assert process.wait(60) == 3
        assert "save the rows in a file first" in process.stderr.read()
    assert os.listdir() == []


def test_notes_name_what_is_left_out(call):
    Path("a.csv").write_text("class,mail,kind\n1,m1,2\n2,m2,3\n")
    options = ["--schema", "mail:id", "--target", "kind"]
    assert "ids: those in 'mail' are left out" in call("convert", "a.csv", "a.svm", *options)[2]
    assert "named 'class': --target kind reads" in call("convert", "a.csv", "b.csv", *options)[2]
    odd = """it's $(kind)"""  # in double quotes, as Python has it, a shell would run it
    Path("odd.csv").write_text(f"class,{odd}\n1,2\n2,3\n")
    err = call("convert", "odd.csv", "c.csv", "--target", odd)[2]
    assert f"--target {shlex.quote(odd)} reads the labels" in err
    err = call("convert", "a.csv", "a.vw", "--bits", "4", *options)[2]
    assert "hashed to 2^4 columns: the numbers of the columns stand in their place" in err
