"""Metadata of converted files, which only models of the same features accept."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from rosenblatt import models
from rosenblatt.streams import DataError, open_stream, write_arrow

CSV = "size,colour,body,mid,kind\n1,red,win a prize now,a,oak\n2,,see you at noon,b,elm\n"
SOURCES = {
    "vw": ("1 |a x y:2 |b z\n-1 |a y |b z w\n" * 3, ["--bits", "10", "--interactions", "a*b"]),
    "csv": (CSV, ["--schema", "body:text,mid:id", "--text", "char:3", "--bits", "9"]),
    "jsonl": (
        '{"y": 1, "m": {"n": 2}, "body": "win a prize now"}\n{"y": 0, "body": "see you at noon"}\n',
        ["--text", "word:1", "--bits", "11"],
    ),
}
PLAIN = {
    "csv": (CSV, ["--schema", "mid:id,body:skip", "--interactions", "size*colour"]),
    "jsonl": ('{"y": "a", "n": 2, "k": "v"}\n{"y": "b", "k": "w", "k2": [1]}\n', []),
    "svm": ("1 0:1\n-1 3:2\n", []),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("sources", "format"), [(s, f) for s in (SOURCES, PLAIN) for f in s])
def test_source_and_copy_take_each_others_models(call, sources, format):
    text, options = sources[format]
    data, copy = f"a.{format}", "a.arrow"
    Path(data).write_text(text)
    assert call("convert", data, copy, "-q", *options) == (0, "", "")
    assert call("train", data, "-m", "m", "-q", *options)[0] == 0
    assert call("train", copy, "-m", "n", "-q")[0] == 0
    one, other = models.load("m"), models.load("n")
    assert np.array_equal(one.coef_, other.coef_)
    notes, others = (models.describe(name)["notes"] for name in ("m", "n"))
    different = {name for name in notes if notes[name] != others.get(name)}
    assert different <= {"data", "data_bytes", "run", "target", "collisions", "names"}
    for model in ("m", "n"):
        answers = {call("predict", model, one)[:2] for one in (data, copy)}
        assert len(answers) == 1
        assert answers.pop()[0] == 0


def test_a_folder_and_its_copy(call):
    for label, text in {"spam": "win a prize", "ham": "see you at noon"}.items():
        Path("mail", label).mkdir(parents=True)
        Path("mail", label, "1.txt").write_text(text)
    assert call("train", "mail", "-m", "m", "-q", "--bits", "8")[0] == 0
    assert call("convert", "mail", "mail.arrow", "-q", "--bits", "8")[0] == 0
    status, out, _ = call("evaluate", "m", "mail.arrow", "--json")
    assert (status, json.loads(out)["examples"]) == (0, 2)
    stream = open_stream("mail.arrow")
    assert (stream.bits, stream.text, stream.origin) == (8, ("word:1-2",), "folder")
    assert next(iter(stream)).X.shape == (2, 256)
    assert call("train", "mail.arrow", "-m", "n", "-q")[0] == 0
    assert call("evaluate", "n", "mail")[0] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--bits", "9", "--interactions", "a*b"], "its rows were made with bits 9, expected 10"),
        (
            ["--bits", "10"],
            "its rows were made with interactions none, expected a*b: convert their",
        ),
        (
            ["--bits", "10", "--interactions", "b*b"],
            "a.arrow: its rows were made with interactions b*b, expected a*b: convert",
        ),
    ],
)
def test_copies_with_other_options_are_refused(call, options, message):
    text, trained = SOURCES["vw"]
    Path("a.vw").write_text(text)
    assert call("train", "a.vw", "-m", "m", "-q", *trained)[0] == 0
    assert call("convert", "a.vw", "a.arrow", "-q", *options)[0] == 0
    status, _, err = call("evaluate", "m", "a.arrow")
    assert (status, message in err) == (3, True), err


def test_copies_with_other_kinds_are_refused(call):
    """Vowpal Wabbit's hashes of names are not those of tables."""
    Path("a.vw").write_text("1 |a x\n-1 |a y\n")
    Path("a.csv").write_text("a,kind\nx,1\ny,-1\n")
    assert call("train", "a.vw", "-m", "m", "-q")[0] == 0
    status, _, err = call("evaluate", "m", "a.csv")
    assert (status, "read with --bits 18, but the model was trained on vw" in err) == (3, True)


def test_a_column_of_another_kind(call):
    Path("a.csv").write_text(CSV)
    schema = "mid:id,body:skip"
    assert call("train", "a.csv", "-m", "m", "-q", "--bits", "9", "--schema", schema)[0] == 0
    status, _, err = call("evaluate", "m", "a.csv", "--schema", "size:category")
    assert status == 3
    assert "column 'size' is read as category, but the model was trained on it as number" in err
    more = ["--bits", "9", "--schema", f"{schema},size:category"]
    assert call("convert", "a.csv", "a.arrow", "-q", *more)[0] == 0
    status, _, err = call("evaluate", "m", "a.arrow")
    assert status == 3
    assert "made with the column 'size' as category, expected number" in err


def test_options_that_conflict_with_the_copy_are_refused(call):
    Path("a.vw").write_text("1 |a x\n-1 |a y\n")
    write_arrow(open_stream("a.vw", bits=9), "a.arrow")
    assert open_stream("a.arrow", bits=9).bits == 9
    for asked in ({"bits": 8}, {"text": "word:1"}, {"schema": {"n": "number"}}):
        with pytest.raises(DataError, match=r"its rows were made with .*: convert their"):
            open_stream("a.arrow", **asked)


def rewritten(notes):
    """Write a file with other metadata."""
    Path("a.vw").write_text("1 |a x\n-1 |a y\n")
    write_arrow(open_stream("a.vw", bits=9), "a.arrow")
    with pa.OSFile("a.arrow") as file:
        table = pa.ipc.open_file(file).read_all()
    places = {"rosenblatt.target": "label", "rosenblatt.weight": "importance"}
    with pa.ipc.new_file("b.arrow", table.schema.with_metadata(places | notes)) as writer:
        writer.write_table(table)


def test_files_with_few_metadata():
    rewritten({"rosenblatt.index_base": "1"})
    stream = open_stream("b.arrow")
    assert (stream.target, stream.index_base, stream.bits) == ("label", 1, None)
    assert stream.noted()["format"] == "arrow"


@pytest.mark.parametrize(
    "notes",
    [
        {"rosenblatt.understood": "{"},
        {"rosenblatt.understood": "[]"},
        {"rosenblatt.understood": '{"bits": "9"}'},
        {"rosenblatt.understood": '{"bits": 99}'},
        {"rosenblatt.understood": '{"text": 1}'},
        {"rosenblatt.understood": '{"bits": 9.0}'},
        {"rosenblatt.understood": '{"text": [1]}'},
        {"rosenblatt.understood": '{"schema": [1]}'},
        {"rosenblatt.understood": '{"schema": {"a": 1}}'},
        {"rosenblatt.understood": '{"format": 1}'},
        {"rosenblatt.feature_names": "1"},
        {"rosenblatt.index_base": "x"},
    ],
)
def test_damaged_metadata(notes):
    rewritten(notes)
    with pytest.raises(DataError, match=r"b.arrow: .*damaged"):
        open_stream("b.arrow")


@pytest.mark.parametrize("notes", ["[1]", '{"index_columns": 5}', '{"index_columns": null}'])
def test_odd_metadata_of_pandas_are_ignored(notes):
    rewritten({"pandas": notes})
    assert sum(len(batch.y) for batch in open_stream("b.arrow")) == 2


def test_columns_beyond_the_bits():
    rewritten({"rosenblatt.understood": '{"bits": 2}'})
    with pytest.raises(DataError, match=r"expected 4 columns, from 0. Convert the rows again"):
        list(open_stream("b.arrow"))
