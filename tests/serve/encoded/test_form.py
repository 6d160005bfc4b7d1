"""The form of raw rows: what a model takes, and what is said of a row that it does not take."""

import json
import signal
from itertools import product

import pytest
from profiles import share
from raw_rows import answers_of, as_answered, raw_rows
from serving import Served

from rosenblatt.learning.models import files
from rosenblatt.learning.online import encoded
from rosenblatt.serve import changes, schema
from rosenblatt.serve.encoded.form import RowForm
from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.schema import MAX_TEXT, MAX_WORD
from rosenblatt.streams.frames.notes import describes_rows

KINDS = {"age": "number", "job": "category", "mail": "text", "y": "label", "id": "id", "w": "skip"}
NOTES = {"format": "csv", "target": "y", "schema": KINDS}
ROW = {"age": 39, "job": "Private", "mail": "see you"}


def fault(form, row):
    with pytest.raises(ValueError, match=r"row|column|interactions") as error:
        form.check(row)
    return str(error.value)


def test_a_row_of_a_table_has_all_columns_of_features():
    form = RowForm.of_notes(NOTES)
    for change in ({}, {"job": None}, {"job": 3.0}, {"job": True}, {"mail": None}, {"age": True},
                   {"y": 7, "id": "x", "other": 1.0}):  # fmt: skip
        form.check(ROW | change)
    assert fault(form, {"age": 1, "job": "x"}) == (
        "the row lacks the column 'mail': a missing cell is null, and its column is there."
    )
    assert fault(form, {}).startswith("the row lacks the columns 'age', 'job', 'mail':")
    for number in "39", "39,5":
        assert fault(form, ROW | {"age": number}) == (
            f"column 'age' takes a number; got the text '{number}', and a number of JSON has a "
            "point and no quotes."
        )
    assert "fills in no missing cells: train it with --impute" in fault(form, ROW | {"age": None})
    assert fault(form, ROW | {"mail": 3.0}) == "column 'mail' takes a text; got 3.0."
    expected = "a row of this model is an object with the columns 'age', 'job', 'mail'; got a "
    assert fault(form, "see you") == f"{expected}text."
    assert fault(form, [1.0, 2.0]) == f"{expected}list."


def test_missing_numbers_are_null_or_spelled():
    form = RowForm.of_notes(NOTES | {"impute": "mean", "missing": ["-"]})
    for cell in (None, "NA", "?", "-", " ", ""):
        form.check(ROW | {"age": cell})
        assert form.plain(ROW | {"age": cell})["age"] is None
    assert fault(form, ROW | {"age": "--"}) == "column 'age' takes a number; got the text '--'."
    assert form.plain(ROW | {"age": True, "mail": None, "z": 1}) == ROW | {"age": 1.0, "mail": ""}


def test_a_text_alone_is_a_row_where_it_is_the_only_column():
    only = NOTES | {"schema": {"mail": "text", "y": "label"}}
    for notes in (only, {"format": "folder"}, {"format": "jsonl", "schema": {"mail": "text"}}):
        RowForm.of_notes(notes).check("see you")
    assert fault(RowForm.of_notes({"format": "folder"}), {"mail": "x"}) == (
        "a row of this model is a text; got an object."
    )
    assert fault(RowForm.of_notes({"format": "jsonl"}), "x") == (
        "a row of this model is an object of names; got a text."
    )


def test_objects_have_any_names_and_kinds_that_the_file_fixed():
    form = RowForm.of_notes({"format": "jsonl", "schema": {"zip": "category", "n": "number"}})
    form.check({"a": "b", "c": None, "zip": 3.0})
    assert fault(form, {"n": "x"}) == "column 'n' takes a number; got the text 'x'."
    plain = form.plain({"zip": 3.0, "n": 3.0, "a": 3.0})
    assert json.dumps(plain) == '{"zip": 3, "n": 3.0, "a": 3.0}'
    every = RowForm.of_notes({"format": "jsonl", "schema": {"*": "number"}})
    assert "'other' takes a number" in fault(every, {"other": "x"})


def test_products_of_any_names_are_bounded():
    form = RowForm.of_notes({"format": "jsonl", "interactions": ["a*b"]})
    row = {f"a.{j}": 1.0 for j in range(1000)} | {f"b.{j}": 1.0 for j in range(100)}
    form.check(row)
    faults = fault(form, row | {"b": 1.0})
    assert faults == "the interactions of a row may make 100,000 features; got 101,000."


def test_texts_may_be_longer_than_words():
    form = RowForm.of_notes(NOTES)
    form.check_size(ROW | {"mail": "x" * MAX_TEXT})
    for change, message in [
        ({"mail": "x" * (MAX_TEXT + 1)}, "column 'mail' may have 100,000 characters; got 100,001"),
        ({"job": "x" * (MAX_WORD + 1)}, "the value of feature 'job' may have 1,000 characters"),
        ({"x" * (MAX_WORD + 1): 1}, "a feature name may have 1,000 characters"),
        ({str(j): 1.0 for j in range(100_000)}, "a row may have 10,000 features; got 100,003"),
        ({"age": 1e31}, "'age' is 1e.31: values must lie between"),
    ]:
        with pytest.raises(ValueError, match=message):
            form.check_size(ROW | change)
    with pytest.raises(ValueError, match="a text may have 100,000 characters"):
        form.check_size("x" * (MAX_TEXT + 1))


def test_notes_of_formats_without_columns_say_nothing_of_rows():
    for notes in ({}, {"format": "svmlight"}, {"format": "vw", "bits": 18}, {"format": "npy"},
                  {"format": "csv"}, {"format": "csv", "schema": {"y": "label"}},
                  {"format": ["csv"]}, {"name": "m", "version": 3}):  # fmt: skip
        assert not describes_rows(notes)
    for notes in (NOTES, {"format": "jsonl"}, {"format": "folder"}):
        assert describes_rows(notes)


BAD = [7, -1, 1e300, "", "x", [], [7], ["*"], ["a*b*c*d"], {}, {"a": "b"}, {"": 7}, True]
BAD += [{"age": "number"}, {"\ud7ff": "number"}, ["word:9-1"], {"age": {"x": []}}, "-" * 7_000]


FORMATS = ["csv", "jsonl", "folder"]
NOTED = [
    "schema",
    "bits",
    "text",
    "interactions",
    "impute",
    "missing",
    "means",
    "totals",
    "decimal",
]
NOTED += ["separator", "column_names", "header", "target", "quotes"]


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_with_hostile_notes_is_refused_or_served(tmp_path, call, monkeypatch, format):
    """Never a fault of another kind than the errors of a refused file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("age,job,y\n1,a,no\n2,b,yes\n3,a,no\n")
    call("train", "a.csv", "--target", "y", "--impute", "mean", "-m", "m", "-q")
    model, notes = files.load("m"), files.describe("m")["notes"]
    served = longest = 0
    for name, value in share(product(NOTED, BAD), 6, 2 * FORMATS.index(format)):
        data = files.to_bytes(model, notes=notes | {"format": format, name: value})
        try:
            live = changes.read_served(data)
        except RefusedError as error:
            longest = max(longest, len(str(error)))
            continue
        served += 1
        for row in ({"age": 1.0, "job": "a"}, {"age": None, "job": None}, "a text", [1.0]):
            try:
                live.check(row)
                live.predict(row, explain=True)
            except ValueError:
                pass
    assert longest < 1000
    assert bool(served) == (format != "folder")


HOSTILE = ["__proto__", 'a"b', "a'; DROP TABLE log; --", "new\nline", "tab\there"]
HOSTILE += [
    "$.features[...]",
    "\0nul",
    "é😀\u202e",
    "a=b",
    "a*b",
    " is missing",
    "<script>alert(1)</script>",
]


def test_the_weights_of_models_have_one_limit():
    assert encoded.MAX_WEIGHTS == schema.MAX_WEIGHTS


def test_a_process_survives_hostile_rows_and_names(tmp_path, call, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open("a.jsonl", "w") as file:
        for j in range(12):
            row = {name: [1.5, "x", HOSTILE[-1 - k]][(j + k) % 3] for k, name in enumerate(HOSTILE)}
            file.write(json.dumps(row | {"y": j % 2, "mail": f"see you {j}"}) + "\n")
    for name, options in (("plain", []), ("texts", ["--schema", "mail:text", "--bits", "12"]),
                          ("crossed", ["--interactions", "a*mail"])):  # fmt: skip
        status, _, err = call("train", "a.jsonl", "-m", name, "-q", *options)
        assert status == 0, err
    rows = raw_rows("a.jsonl", {"format": "jsonl", "target": "y"})
    with Served(tmp_path / "store") as server:
        for name in ("plain", "texts", "crossed"):
            data = (tmp_path / name).read_bytes()
            path = f"/v1/models/{name}"
            assert server.raw("PUT", f"{path}/file", data)[0] == 200
            found = server.post(f"{path}/predict", [{"features": row} for row in rows])
            expected = answers_of(call, name, "a.jsonl")
            assert [as_answered(answer) for answer in found] == expected
            told = server.post(f"{path}/predict", {"features": rows[0], "explain": True})
            assert len(told["contributions"]) > 5
            examples = [{"features": row, "label": 1} for row in rows]
            assert len(server.post(f"{path}/learn", examples)) == 12
            many = {str(j): 1.0 for j in range(10_001)}
            for features, status in [
                (many, 422),
                ({"mail": "x" * 100_001}, 422),
                ({"mail": "x " * 50_000}, 200 if name == "texts" else 422),
                ({"a" * 5000: 1}, 422),
                ({"mail": {"deep": [{}]}}, 422),
                ({"mail": None, "new": True, "other": -0.0}, 200),
                ({}, 200),
                ({"a": 1e31}, 422),
                ({"a*mail": 1.0, "a": 1.0, "mail": 1.0}, 200 if name == "plain" else 422),
                ({f"a.{j}": 1.0 for j in range(400)} | {f"mail.{j}": 1.0 for j in range(400)},
                 422 if name == "crossed" else 200),
            ]:  # fmt: skip
                for what in ("predict", "learn"):
                    body = {"features": features} | ({"label": 0} if what == "learn" else {})
                    server.ask("POST", f"{path}/{what}", body, status)
            open_lists = b'{"features": ' + b"[" * 100_000
            assert server.raw("POST", f"{path}/predict", open_lists)[0] in (400, 422)
            deep = b'{"features": {"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
            assert server.raw("POST", f"{path}/predict", deep)[0] in (400, 422)
            server.get(path)
        got = {name: server.raw("GET", f"/v1/models/{name}/file")[2] for name in ("plain", "texts")}
        assert "a request failed" not in server.stop(signal.SIGTERM)
    with Served(tmp_path / "store") as server:
        for name, data in got.items():
            assert server.raw("GET", f"/v1/models/{name}/file")[2] == data
        assert "a request failed" not in server.stop()
