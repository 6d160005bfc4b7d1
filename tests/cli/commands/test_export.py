"""``rosenblatt export``: formats, options, refusals, and files that are not overwritten."""

import json
import sqlite3
import sys
from pathlib import Path

import pytest

from rosenblatt.exports.formats import FORMATS


def test_a_model_is_exported_and_exported_again(models, call):
    for _ in range(2):  # an earlier export is replaced
        status, out, err = call("export", "table.rosenblatt", "-o", "table.json")
        assert (status, out) == (0, "")
        assert "written" in err
        assert "table.json" in err
    assert json.loads(Path("table.json").read_text())["classes"] == ["no", "yes"]
    assert call("export", "table.rosenblatt", "--to", "json", "-o", "t", "-q") == (0, "", "")
    assert Path("t").read_bytes() == Path("table.json").read_bytes()


def test_sql_runs_on_a_table_of_another_name(models, call):
    options = ("--table", "new rows", "--dialect", "sqlite")
    assert call("export", "table.rosenblatt", "-o", "t.sql", "-q", *options) == (0, "", "")
    database = sqlite3.connect(":memory:")
    database.execute('CREATE TABLE "new rows" (a REAL, b REAL)')
    database.execute('INSERT INTO "new rows" VALUES (3, 2), (-2, 0)')
    labels = [row[-1] for row in database.execute(Path("t.sql").read_text())]
    database.close()
    rows = "a,b\n3,2\n-2,0\n"
    predicted = call("predict", "table.rosenblatt", "-", "-q", "--format", "csv", stdin=rows)
    assert "\n".join(labels) == predicted[1].strip() == "yes\nno"


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (["table.rosenblatt"], 2, "Missing option '-o'"),
        (["table.rosenblatt", "-o", "a.pmml"], 2, "its suffix names no format"),
        (["table.rosenblatt", "-o", "a.json", "--table", "x"], 2, "--table does not go with json"),
        (["table.rosenblatt", "-o", "a.sql", "--table", ""], 2, "--table must be a name"),
        (["table.rosenblatt", "-o", "a.sql", "--dialect", "mysql"], 2, "--dialect"),
        (["none.rosenblatt", "-o", "a.json"], 3, "none.rosenblatt: cannot be read"),
        (["table.csv", "-o", "a.json"], 3, "table.csv"),
        (["table.rosenblatt", "-o", "none/a.json"], 1, "there is no folder"),
        (["table.rosenblatt", "--to", "json", "-o", "table.csv"], 1, "is not overwritten"),
        (["table.rosenblatt", "--to", "json", "-o", "four.rosenblatt"], 1, "is not overwritten"),
        (["table.rosenblatt", "--to", "json", "-o", "table.rosenblatt"], 1, "is the input data"),
        (["four.rosenblatt", "-o", "a.sql"], 1, "its columns have no names"),
    ],
)
def test_what_is_refused(models, call, args, status, message):
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    code, out, err = call("export", *args)
    assert (code, out) == (status, "")
    assert message in err.replace("\n", " ")
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_a_missing_package_is_named(models, call, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    status, _, err = call("export", "table.rosenblatt", "-o", "a.onnx")
    assert status == 1
    assert "pip install 'rosenblatt[onnx]'" in err.replace("\n", " ")


def test_the_help_has_every_format(call):
    _, out, _ = call("export", "--help")
    for one in FORMATS.values():
        assert one.title.split()[0] in out
        assert " ".join(one.limits.split()[:2]) in " ".join(out.split())
