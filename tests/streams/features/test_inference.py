"""Ids and dates of a table: left out or read alike by every format, and said."""

import datetime
import json

import numpy as np
import pandas
import pytest

from rosenblatt.streams import DataError, open_stream

ROWS = 60
STARTS = [
    datetime.datetime(2023, 12, 25, 7, 30) + datetime.timedelta(hours=31 * k) for k in range(ROWS)
]
COLUMNS = {
    "id": [7 * k % 61 for k in range(ROWS)],
    "code": [f"AB{k * k:05}" for k in range(ROWS)],
    "area": [100 + 7 * k for k in range(ROWS)],
    "born": [start.date() for start in STARTS],
    "start": STARTS,
    "opens": [start.time() for start in STARTS],
    "colour": ["red", "green", "blue"] * (ROWS // 3),
    "y": [0, 1] * (ROWS // 2),
}
KINDS = {
    "id": "skip",
    "code": "skip",
    "area": "number",
    "born": "date",
    "start": "date",
    "opens": "time",
    "colour": "category",
}


def write_files(folder, columns):
    """Write a table in three formats, with its types in Parquet."""
    frame = pandas.DataFrame(columns)
    frame.to_csv(folder / "a.csv", index=False)
    frame.to_parquet(folder / "a.parquet")
    lines = [json.dumps(row, default=str) for row in frame.astype(object).to_dict("records")]
    (folder / "a.jsonl").write_text("\n".join(lines) + "\n")
    return [folder / f"a.{suffix}" for suffix in ("csv", "parquet", "jsonl")]


def rows_by_name(stream):
    """Return the rows, their columns in the order of the names."""
    X, y = stream.read()
    names = stream.feature_names
    order = np.argsort(names)
    return sorted(names), np.asarray(X.todense() if hasattr(X, "todense") else X)[:, order], y


@pytest.mark.parametrize("impute", [None, "mean"])
def test_three_formats_agree(tmp_path, impute):
    table, columnar, lines = (open_stream(p, impute=impute) for p in write_files(tmp_path, COLUMNS))
    assert table.schema == columnar.schema == KINDS
    dates = {name: kind for name, kind in KINDS.items() if kind in ("skip", "date", "time")}
    assert lines.schema == dates
    assert table.left_out == columnar.left_out == lines.left_out == ("id", "code")
    assert table.remarks == columnar.remarks == lines.remarks
    names, X, y = rows_by_name(table)
    for stream in (columnar, lines):
        other_names, others, labels = rows_by_name(stream)
        assert other_names == names
        np.testing.assert_array_equal(others, X)
        np.testing.assert_array_equal(labels, y)


def test_a_remark_names_the_option_that_keeps_an_id(tmp_path):
    path = write_files(tmp_path, COLUMNS)[0]
    stream = open_stream(path)
    assert stream.remarks == (
        "column 'id': 60 of the first 60 cells differ, as ids do, so it is left out; to keep it: "
        "--schema id:number.",
        "column 'code': 60 of the first 60 cells differ, as ids do, so it is left out; to keep "
        "it: --schema code:category.",
    )
    kept = open_stream(path, schema={"id": "number", "code": "category"})
    assert (kept.remarks, kept.left_out) == ((), ())
    assert "id" in kept.feature_names


def test_the_only_columns_of_features_are_kept(tmp_path):
    columns = {name: COLUMNS[name] for name in ("id", "code", "y")}
    table, columnar, lines = (open_stream(path) for path in write_files(tmp_path, columns))
    assert table.schema == columnar.schema == {"id": "number", "code": "category"}
    assert table.left_out == columnar.left_out == lines.left_out == ()
    assert lines.schema is None


def test_a_settled_stream_leaves_no_ids_out(tmp_path):
    """A model that was trained with the column has it; the schema in its notes decides."""
    from rosenblatt.streams.core.options import ReadOptions
    from rosenblatt.streams.opening import open_with

    for path in write_files(tmp_path, COLUMNS):
        assert open_with(path, ReadOptions().completed({}, path.suffix[1:])).left_out == ()
    old = {"format": "csv", "schema": {"id": "number", "colour": "category"}, "target": "y"}
    read = open_with(tmp_path / "a.csv", ReadOptions().completed(old, "csv"))
    assert read.schema["id"] == "number"
    assert read.schema["start"] == "skip"


def test_a_second_file_is_read_as_the_first(tmp_path):
    first, _, lines = write_files(tmp_path, COLUMNS)
    other = {**COLUMNS, "id": [5] * ROWS, "code": ["AB00001"] * ROWS}
    second = tmp_path / "more"
    second.mkdir()
    table, _, more_lines = write_files(second, other)
    for paths in ([first, table], [lines, more_lines]):
        names = open_stream(paths)
        names.read()
        assert not [n for n in names.feature_names if n.startswith(("id", "code"))]
    reversed_order = open_stream([more_lines, lines])
    reversed_order.read()
    assert "id" in reversed_order.feature_names


def test_phrases_become_text_before_they_are_ids(write):
    rows = "".join(f"1.5,name{k} other{k},{k % 2}\n" for k in range(ROWS))
    path = write("a.csv", f"x,who,y\n{rows}")
    assert open_stream(path).left_out == ("who",)
    stream = open_stream(path, text="word:1")
    assert (stream.schema["who"], stream.left_out) == ("text", ())


def test_an_id_of_json_lines_costs_no_vocabulary(tmp_path):
    lines = write_files(tmp_path, {name: COLUMNS[name] for name in ("id", "code", "area", "y")})[2]
    stream = open_stream(lines)
    X, _ = stream.read()
    assert (X.shape[1], stream.feature_names) == (1, ["area"])
    again = np.concatenate([batch.X.toarray() for batch in open_stream(lines, batch_bytes=64)])
    np.testing.assert_array_equal(again, X.toarray())
    slow = open_stream(lines, missing="-", impute="zero").read()[0]
    np.testing.assert_array_equal(slow.toarray(), X.toarray())


@pytest.mark.parametrize("kind", range(3))
def test_a_cell_that_is_no_date_is_an_error_of_its_row(tmp_path, kind):
    columns = {name: list(map(str, COLUMNS[name])) for name in ("born", "colour", "y")}
    columns["born"][50] = "soon"
    path = write_files(tmp_path, columns)[kind]
    problem = "'born': found 'soon', expected a date: correct it, or leave the column out"
    with pytest.raises(DataError, match=problem) as error:
        open_stream(path, target="y").read()
    assert error.value.line == [52, None, 51][kind]
    stream = open_stream(path, target="y", on_bad_row="skip")
    assert stream.read()[0].shape[0] == ROWS - 1
    assert stream.bad_rows == 1


@pytest.mark.parametrize("impute", ["mean", "zero", "indicator"])
def test_missing_dates(write, impute):
    cells = ["2024-01-01", "", "2026-01-01 15:00", "?"]
    stream = open_stream(
        write("a.csv", "when,x,y\n" + "".join(f"{c},1,{k % 2}\n" for k, c in enumerate(cells))),
        impute=impute,
    )
    X = stream.read()[0].toarray()
    names = stream.feature_names
    years = X[:, names.index("when.years")]
    assert years[1] == (years[0] if impute == "mean" else 0.0)
    assert X[1, names.index("when.month=1")] == 0.0
    assert X[2, names.index("when.hour=15")] == 1.0
    assert ("when.years is missing" in names) == (impute == "indicator")
    with pytest.raises(DataError, match=r"a.csv:3: column 'when': found nothing, expected a date"):
        open_stream(stream.name).read()


def test_days_and_months_whose_order_is_not_clear_are_refused_with_the_options(write):
    path = write("a.csv", "when,x,y\n1/2/2024,1,a\n3/4/2024,2,b\n")
    orders = "whose day or month is first: --schema when:date-dmy, or when:date-mdy; or leave it"
    with pytest.raises(DataError, match=f"a.csv:2: column 'when': found '1/2/2024', {orders}"):
        open_stream(path).read()
    for order, month in (("date-dmy", "2"), ("date-mdy", "1")):
        stream = open_stream(path, schema={"when": order})
        stream.read()
        assert f"when.month={month}" in stream.feature_names


@pytest.mark.parametrize("bits", [None, 10])
def test_dates_are_a_group_of_interactions(write, bits):
    path = write("a.csv", "when,x,y\n2024-01-01,2,a\n2024-02-01,3,b\n")
    stream = open_stream(path, interactions=["when.month*x"], bits=bits)
    X, _ = stream.read()
    if bits is None:
        assert X.toarray()[:, stream.feature_names.index("when.month=2*x")].tolist() == [0.0, 3.0]
    assert X.nnz > open_stream(path, bits=bits).read()[0].nnz
