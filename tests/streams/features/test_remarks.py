"""Remarks on columns that are probably not read as meant."""

import pandas
import pytest

from rosenblatt.streams import open_stream
from rosenblatt.streams.features.remarks import remark_on

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


def test_a_table_has_remarks_on_columns_whose_kind_was_inferred(write):
    rows = "".join(f"{k},n{k},{k % 5}%,{k % 3},{k % 2}\n" for k in MANY)
    path = write("a.csv", f"id,name,share,x,y\n{rows}")
    assert [remark.split("'")[1] for remark in open_stream(path).remarks] == ["id", "name", "share"]
    pandas.read_csv(path).to_parquet(path.with_suffix(".parquet"))
    columnar = open_stream(path.with_suffix(".parquet"))
    assert [remark.split("'")[1] for remark in columnar.remarks] == ["name", "share"]
    for schema in (
        dict.fromkeys(["id", "name", "share"], "skip"),
        {"id": "number", "name": "category", "share": "category"},
        {"*": "category"},
    ):
        assert open_stream(path, schema=schema).remarks == ()
