"""Remarks on columns that are probably not read as meant."""

import shlex

import pandas
import pytest

from rosenblatt.streams import open_stream
from rosenblatt.streams.features.remarks import remark_on, remark_on_labels

MANY = range(100)


@pytest.mark.parametrize(
    "cells",
    [
        ["5%", "12.5 %", "100%"],
        ["$20", "$ 5", "-$3.50"],
        ["20 €", "3,50 €"],
        ["1 234", "12 345 678", "1"],
        ["1'234", "12\u00a0345", "12\u202f345"],
        ["?", "5%", ""],
    ],
)
def test_numbers_with_a_unit_or_blanks(cells):
    remark = remark_on("price", "category", cells, ["", "?"])
    shown = next(cell for cell in cells if cell not in ("", "?"))
    assert f"numbers such as {shown!r} are read as categories: write them as plain" in remark
    assert remark.endswith("--schema price:skip.")


@pytest.mark.parametrize(
    ("kind", "cells", "message"),
    [
        ("category", [f"name {k}" for k in MANY], "100 of the first 100 cells differ"),
        ("category", [f"name {max(k, 9)}" for k in MANY], "91 of the first 100 cells differ"),
        ("category", [f"name {max(k, 11)}" for k in MANY], None),
        ("category", [f"name {k}" for k in range(19)], None),
        ("category", ["5%", "much"], None),
        ("category", ["94110", "10115"], None),
        ("category", ["", "?"], None),
        ("category", ["12 34", "1 2"], None),
        ("text", [f"the name {k}" for k in MANY], None),
        ("number", [str(k + 7) for k in MANY], "it counts the rows, as ids do"),
        ("number", [str(2 * k) for k in MANY], None),
        ("number", [f"{k}.5" for k in MANY], None),
        ("number", ["", *map(str, range(19))], None),
    ],
)
def test_remarks_by_kind(kind, cells, message):
    remark = remark_on("a", kind, cells, ["", "?"])
    if message is None:
        assert remark is None
    else:
        assert remark.startswith(f"column 'a': {message}")
        assert remark.endswith(": leave it out: --schema a:skip.")


@pytest.mark.parametrize("cells", [["0", "7", "10"], ["00.5", "7"], ["-07", "7"]], ids=str)
def test_numbers_are_no_codes(cells):
    assert remark_on("zip", "number", cells, []) is None


def test_the_option_of_a_remark_is_one_word_of_a_shell():
    remark = remark_on("zip (DE)", "number", ["55116", "", "08076"], [""])
    words = shlex.split(remark.rpartition("as categories: ")[2].rstrip("."))
    assert words == ["--schema", "zip (DE):category"]


def test_a_table_has_remarks_on_columns_whose_kind_was_inferred(write):
    rows = "".join(f"{k + 9},n{k % 92}x,{k % 5}%,{k % 3},{k % 2}\n" for k in MANY)
    path = write("a.csv", f"year,name,share,x,y\n{rows}")
    remarks = open_stream(path).remarks
    assert [remark.split("'")[1] for remark in remarks] == ["year", "name", "share"]
    pandas.read_csv(path).to_parquet(path.with_suffix(".parquet"))
    columnar = open_stream(path.with_suffix(".parquet"))
    assert columnar.remarks == remarks[1:]
    for schema in (
        dict.fromkeys(["year", "name", "share"], "skip"),
        {"year": "number", "name": "category", "share": "category"},
        {"*": "category"},
    ):
        assert open_stream(path, schema=schema).remarks == ()


MESSAGES = ["see you at lunch tomorrow", "win a prize now", "call me when you can"]


def test_labels_of_which_most_differ(write):
    rows = "".join(f"{k % 3 + 1},{k / 7:.2f},{680 + 2 * k}\n" for k in MANY)
    path = write("wine.csv", rows)
    (remark,) = open_stream(path, header=False).remarks
    assert remark.startswith("column 'c3' is taken as the labels, but 100 of the first 100 differ")
    assert remark.endswith("--target COLUMN names another, for example --target c1.")
    for options in ({"target": "c3"}, {"schema": {"c3": "label"}}, {"labelled": False}):
        assert not any("labels" in r for r in open_stream(path, header=False, **options).remarks)
    assert open_stream(path, header=False, target="c1").remarks == ()


def test_labels_of_which_at_most_half_differ_get_no_remark():
    half = [str(k // 2) for k in MANY]
    assert remark_on_labels("y", {"x": ["1"] * 100, "y": half}, []) is None
    assert remark_on_labels("y", {"y": [f"n{k}" for k in range(19)]}, []) is None
    alone = remark_on_labels("y", {"y": [f"n{k}" for k in range(30)]}, [])
    assert alone.endswith("--target COLUMN names another.")


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        ("ham\tsee you", "'ham' is a cell of its column, too"),
        ("junk\tsee you at lunch then", "'see you at lunch then' is a text"),
        ("junk\tsee you" + " there" * 20, "'see you there there there there there t…' is a text"),
    ],
)
def test_a_header_that_looks_like_a_row(write, first, reason):
    rows = "".join(f"{('ham', 'spam')[k % 2]}\t{MESSAGES[k % 3]} {k}\n" for k in MANY)
    remark = open_stream(write("sms.tsv", f"{first}\n{rows}")).remarks[0]
    assert "looks like a row: '" in remark
    assert reason in remark
    assert "--no-header --target c1, or a name for each column: --names label,c2." in remark


@pytest.mark.parametrize("header", ["label\ttext", "kind\tWhat they wrote"])
def test_a_header_of_names_gets_no_remark(write, header):
    rows = "".join(f"{('ham', 'spam')[k % 2]}\t{MESSAGES[k % 3]} {k}\n" for k in MANY)
    stream = open_stream(write("sms.tsv", f"{header}\n{rows}"), target=header.split("\t")[0])
    assert stream.remarks == ()


def test_text_turns_the_only_column_of_phrases_into_text(write):
    rows = "".join(f"{('ham', 'spam')[k % 2]},{MESSAGES[k % 3]}\n" for k in MANY)
    path = write("sms.csv", f"label,text\n{rows}")
    assert open_stream(path).schema == {"text": "category"}
    stream = open_stream(path, text="word:1-2")
    assert (stream.schema, stream.text, stream.bits) == ({"text": "text"}, ("word:1-2",), 18)
    assert stream.remarks == (
        "column 'text' is read as text because of --text; as categories with "
        "--schema text:category.",
    )
    kept = open_stream(path, text="word:1-2", schema={"text": "category"})
    assert kept.schema == {"text": "category"}
    assert kept.remarks == (
        "no column is read as text, so --text does nothing: --schema text:text.",
    )


def test_text_without_a_clear_column_gets_a_remark(write):
    rows = "".join(f"{MESSAGES[k % 3]},{MESSAGES[k % 2]},{k % 2}\n" for k in MANY)
    path = write("two.csv", f"a,b,label\n{rows}")
    assert open_stream(path, text="word:1").schema == {"a": "category", "b": "category"}
    assert "--text does nothing: --schema a:text" in open_stream(path, text="word:1").remarks[0]
    numbers = write("n.csv", "x,y\n1,1\n2,0\n")
    assert "--schema COLUMN:text" in open_stream(numbers, text="word:1").remarks[0]


def test_text_and_a_parquet_file(tmp_path):
    table = pandas.DataFrame({"text": MESSAGES * 40, "label": [0, 1, 0] * 40})
    table.to_parquet(tmp_path / "sms.parquet")
    stream = open_stream(tmp_path / "sms.parquet", text="word:1")
    assert stream.schema == {"text": "text"}
    assert "is read as text because of --text" in stream.remarks[0]
