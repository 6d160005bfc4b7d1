"""Missing cells: each policy, the same rows in all batches, passes and files, and its options."""

import json
from decimal import Decimal
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from profiles import share
from stream_rows import refused

from rosenblatt import AveragedPerceptron
from rosenblatt.streams import DataError, open_stream, write_arrow
from rosenblatt.streams.core.missing import SPELLINGS, Imputer

TABLE = "x,colour,z,y\n1,red,4,a\n?,?,NA,b\nnan,blue,,a\n4,N/A,-9,b\nNULL,red,null,a\n"


def dense(stream):
    return [row.tolist() for batch in stream for row in batch.X.toarray()]


def means_before(cells):
    """Return the cells, each missing one as the mean of the numbers before it."""
    filled, total, count = [], 0.0, 0
    for cell in cells:
        filled.append(total / max(count, 1) if np.isnan(cell) else cell)
        if not np.isnan(cell):
            total, count = total + cell, count + 1
    return filled


@pytest.mark.parametrize("word", SPELLINGS)
def test_every_usual_spelling_is_a_missing_number_quoted_or_not(write, word):
    for cell in (word, f'"{word}"', f"  {word} "):
        path = write("a.csv", f"x,y\n3,a\n{cell},b\n")
        (batch,) = open_stream(path, impute="mean")
        assert batch.X.tolist() == [[3.0], [3.0]]
        refused(path, "expected a (finite )?number: fill it in.*--impute mean", 3, 1)


def test_policies(write):
    path = write("a.csv", TABLE)
    stream = open_stream(path, impute="mean", schema={"colour": "category"})
    rows = dense(stream)
    assert stream.feature_names == ["x", "z", "colour=red", "colour=blue"]
    assert rows[1][:2] == [1.0, 4.0]
    assert [row[0] for row in rows] == [1.0, 1.0, 1.0, 4.0, 2.5]
    assert [sum(row[2:]) for row in rows] == [1.0, 0.0, 1.0, 0.0, 1.0]
    stream = open_stream(path, impute="zero", schema={"colour": "category"})
    assert [row[:2] for row in dense(stream)] == [[1, 4], [0, 0], [0, 0], [4, -9], [0, 0]]
    stream = open_stream(path, impute="indicator", schema={"colour": "category"})
    rows, names = dense(stream), stream.feature_names
    assert set(names) == {
        "x", "z", "colour=red", "colour=blue",
        "x is missing", "z is missing", "colour is missing",
    }  # fmt: skip
    for name, expected in [("x", [0, 1, 1, 0, 1]), ("colour", [0, 1, 0, 1, 0])]:
        column = names.index(f"{name} is missing")
        assert [row[column] if column < len(row) else 0 for row in rows] == expected


def test_a_number_can_spell_a_missing_cell(write):
    path = write("a.csv", "x,c,y\n1,a,0\n-999,-999,1\n-999.0,b,0\n.,b,1\n")
    stream = open_stream(path, missing=("-999", "."), schema={"c": "category"})
    assert [row[0] for row in dense(stream)] == [1.0, 1.0, 1.0, 1.0]
    assert stream.feature_names == ["x", "c=a", "c=b"]
    assert stream.noted()["missing"] == ("-999", ".")
    refused(path, r"column 'x': found '\.', .*if the cell is missing: --missing '\.'", 5, 1)


@pytest.mark.parametrize("impute", ["mean", "zero", "indicator"])
@pytest.mark.parametrize("bits", [None, 4])
def test_batches_and_passes_do_not_matter(write, rng, impute, bits):
    cells = rng.normal(size=(200, 3)).round(3).astype(str)
    cells[rng.random(cells.shape) < 0.3] = "?"
    text = "a,b,c,y\n" + "".join(",".join(row) + ",0\n" for row in cells.tolist())
    path = write("a.csv", text)
    stream = open_stream(path, impute=impute, bits=bits)
    expected = stream.read()[0]
    small = open_stream(path, impute=impute, bits=bits, batch_bytes=64)
    for again in (stream, small, small):
        X = again.read()[0]
        assert abs(X - expected).max() == 0.0
    assert small.noted() == stream.noted()
    if impute == "mean" and bits is None:
        numbers = np.where(cells == "?", "nan", cells).astype(float)
        twin = np.transpose([means_before(column) for column in numbers.T])
        assert np.array_equal(expected, twin)


def test_files_continue_the_means_and_a_note_of_them_reads_new_rows(write):
    one, two = write("1.csv", "x,y\n1,a\n?,b\n"), write("2.csv", "x,y\n?,a\n4,b\n?,a\n")
    both = open_stream([one, two], impute="mean")
    for _ in range(2):
        assert [x for batch in both for x in batch.X.ravel().tolist()] == [1, 1, 1, 4, 2.5]
    assert both.noted()["means"] == {"x": 2.5}
    noted = json.loads(json.dumps(both.noted()))
    options = {name: noted[name] for name in ("impute", "missing", "means")}
    new = open_stream(one, **options)
    assert new.read()[0].tolist() == [[1.0], [2.5]]
    assert new.noted()["means"] == {"x": 2.5}


def test_an_interrupted_pass_leaves_the_means_of_the_longest(write):
    path = write("a.csv", "x,y\n" + "".join(f"{k},a\n" for k in range(100)) + "?,b\n")
    stream = open_stream(path, impute="mean", batch_bytes=16)
    stream.read()
    next(iter(stream))
    assert stream.noted()["means"] == {"x": 49.5}


def test_labels_and_weights_are_never_filled_in(write):
    path = write("a.csv", "x,w,y\n1,1,a\n2,?,b\n")
    refused(path, "'w': found nothing, expected a weight", 3, impute="zero", schema={"w": "weight"})
    path = write("b.csv", "x,y\n1,a\n2,?\n")
    refused(path, r"'y': found '\?', expected a label", 3, impute="zero")
    assert open_stream(path).read()[1].tolist() == ["a", "?"]


def test_a_mean_that_overflows(write):
    path = write("a.csv", "x,y\n1e308,a\n1e308,b\n?,a\n")
    refused(path, "column 'x': its mean overflows float64: scale the column down", impute="mean")


def test_other_numbers_stay_errors(write):
    path = write("a.csv", "x,y\n1,a\nabc,b\n")
    refused(path, "column 'x': found 'abc'", 3, 1, impute="mean")
    refused(write("b.csv", "x,y\n1,a\n1e999,b\n"), "fits a float64", 3, 1, impute="mean")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"impute": "median"}, "impute must be one of mean, zero, indicator; got 'median'"),
        ({"missing": [" ?"]}, "missing must be words without quotes"),
        ({"format": "svmlight", "impute": "zero"}, "impute does not go with svmlight text"),
    ],
)
def test_wrong_options(write, options, message):
    with pytest.raises(ValueError, match=message):
        open_stream(write("a.csv", TABLE), **options)


# --- other formats ------------------------------------------------------------------------------

FORMATS = ("csv", "parquet", "arrow", "jsonl")


@pytest.fixture
def four_files(tmp_path, rng):
    """Paths of one table with missing cells, in four formats."""
    n = 400
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 13, size=n).round(2),
            "hours": rng.integers(0, 60, n).astype(float),
            "colour": rng.choice(["red", "blue", "green"], n),
        }
    )
    for name in frame.columns:
        holes = rng.random(n) < 0.2
        holes[0] = False
        frame[name] = frame[name].where(~holes, None)
    frame["kind"] = np.where(rng.random(n) < 0.5, "a", "b")
    paths = {format: tmp_path / f"table.{format}" for format in FORMATS}
    frame.to_csv(paths["csv"], index=False)
    frame.to_parquet(paths["parquet"])
    frame.to_feather(paths["arrow"])
    frame.to_json(paths["jsonl"], orient="records", lines=True)
    counts = {name: int(frame[name].isna().sum()) for name in ("age", "hours", "colour")}
    return paths, counts


@pytest.mark.parametrize(
    ("batch_bytes", "impute"), share(product([1 << 22, 512], ["mean", "zero", "indicator"]), 2, 0)
)
def test_one_table_in_four_formats_gives_equal_models(four_files, impute, batch_bytes):
    paths, counts = four_files
    models = {}
    for format in FORMATS:
        options = {"impute": impute, "target": "kind", "batch_bytes": batch_bytes}
        stream = open_stream(paths[format], **options)
        for _ in range(2):
            X, y = stream.read()
            assert stream.imputer.counts == counts
        model = AveragedPerceptron(shuffle=False).fit(X, y)
        bits = model.coef_.tobytes() + model.intercept_.tobytes()
        models[format] = bits, stream.feature_names, stream.noted().get("means")
    assert models["csv"][1][:2] == ["age", "hours"]
    assert all(models[format] == models["csv"] for format in FORMATS)


def test_a_model_of_one_format_reads_the_others_alike(four_files, call, monkeypatch, tmp_path):
    paths, _ = four_files
    monkeypatch.chdir(tmp_path)
    options = ["--target", "kind", "--impute", "mean", "-q"]
    assert call("train", paths["parquet"], "-m", "m", *options)[0] == 0
    outputs = {call("predict", "m", paths[format], "--scores", "-q") for format in FORMATS}
    assert len(outputs) == 1
    assert outputs.pop()[0] == 0


@pytest.mark.parametrize(
    ("column", "filled"),
    [
        (pa.array([1, None, 4, None]), [1, 1, 4, 2.5]),
        (pa.array([True, None, False, None]), [1, 1, 0, 0.5]),
        (pa.array([None, 1.5, np.nan, 2.5], pa.float32()), [0, 1.5, 1.5, 2.5]),
        (pa.array([Decimal("0.25"), None, Decimal("0.75"), None]), [0.25, 0.25, 0.75, 0.5]),
        (pa.array([None] * 4), [0, 0, 0, 0]),
        (pa.array([2, -999, 4, None]), [2, 2, 4, 3]),
    ],
    ids=lambda value: str(getattr(value, "type", "")),
)
def test_types_of_parquet_columns_with_missing_numbers(tmp_path, column, filled):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": column, "y": [1, 2, 1, 2]}), path)
    stream = open_stream(path, missing="-999")
    assert stream.read()[0].ravel().tolist() == filled
    present = open_stream(path, impute="indicator").read()[0].toarray()[:, 1:]
    assert present.ravel().tolist() == column.is_null(nan_is_null=True).to_pylist()


def test_what_stays_an_error_in_parquet(tmp_path):
    path = tmp_path / "a.parquet"

    def write(**columns):
        pq.write_table(pa.table(columns), path)

    write(x=[1.0, None], y=[1, 2])
    refused(path, r"'x', row 1 \(from 0\): found null: .*--impute mean \(or zero, indicator\)")
    write(x=[1.0, np.nan], y=[1, 2])
    refused(path, r"'x', row 1 \(from 0\): found nan, .*--impute mean")
    write(x=[1.0, np.inf], y=[1, 2])
    refused(path, "'x', row 1 .*found inf, expected a finite number", impute="mean")
    for labels in (["a", "?"], ["a", None], [1, -9], [0.5, np.nan]):
        write(x=[1.0, 2.0], y=labels)
        refused(path, "'y', row 1 .*found", impute="mean", missing="-9")
    write(x=[1.0, 2.0], w=[1.0, None], y=[1, 2])
    refused(path, "'w', row 1 .*found null", impute="mean", schema={"w": "weight"})


def test_categories_and_texts_of_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    words = pa.array(["red", None, " ? ", "NA"]).dictionary_encode()
    pq.write_table(pa.table({"colour": words, "zip": [7, -9, 7, None], "y": [1, 2, 1, 2]}), path)
    options = {"schema": {"zip": "category"}, "missing": "-9"}
    stream = open_stream(path, impute="indicator", **options)
    assert stream.read()[0].toarray().tolist() == [
        [1, 1, 0, 0], [0, 0, 1, 1], [0, 1, 1, 0], [0, 0, 1, 1]
    ]  # fmt: skip
    assert stream.feature_names == ["colour=red", "zip=7", "colour is missing", "zip is missing"]
    assert stream.imputer.counts == {"colour": 3, "zip": 2}
    assert open_stream(path, **options).read()[0].sum(axis=1).tolist() == [2, 0, 1, 0]


def test_cells_of_json_lines(write):
    rows = [
        {"y": "a", "n": 2, "in": {"m": 1.5}, "kind": "oak", "zip": 7, "on": True, "list": [3, 1]},
        {"y": "b", "n": None, "in": {"m": "?"}, "kind": None, "zip": -9, "list": [None, 5]},
        {"y": "a", "n": -9, "in": None, "kind": "NA", "zip": "7", "on": None},
        {"y": "b"},
    ]
    path = write("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    options = {"missing": "-9", "schema": {"zip": "category"}}

    def read(**more):
        stream = open_stream(path, **options, **more)
        X, _ = stream.read()
        rows = [dict(zip(stream.feature_names, row, strict=True)) for row in X.toarray().tolist()]
        return stream, [{name: value for name, value in row.items() if value} for row in rows]

    stream, filled = read()
    assert filled[1] == {"n": 2.0, "in.m": 1.5, "list.0": 3.0, "list.1": 5.0}
    assert filled[2] == {"n": 2.0, "zip=7": 1.0, "on": 1.0}
    assert filled[3] == {}
    assert stream.imputer.counts == {
        "n": 2, "in.m": 1, "kind": 2, "zip": 1, "list.0": 1, "in": 1, "on": 1
    }  # fmt: skip
    assert read(impute="zero")[1][2] == {"zip=7": 1.0}
    names = ["n", "in", "kind", "on"]
    indicators = {f"{name} is missing": 1.0 for name in names}
    assert read(impute="indicator")[1][2] == {"zip=7": 1.0} | indicators
    assert read(means={"n": 7.0})[1][2] == {"n": 7.0, "zip=7": 1.0}


def test_errors_of_json_lines_with_missing_cells(write):
    path = write("a.jsonl", '{"y": "a", "n": 1}\n{"y": "?", "n": 1}\n')
    refused(path, r"'y': found '\?', expected a label", 2, impute="mean")
    path = write("b.jsonl", '{"y": 1, "n": 1e308}\n{"y": 2, "n": 1e308}\n{"y": 2, "n": null}\n')
    refused(path, "column 'n': its mean overflows float64", impute="mean")
    path = write("c.jsonl", '{"y": "a", "n": 1}\n{"y": "b", "n": "many"}\n')
    refused(path, "found 'many', expected a number", 2, impute="mean", schema={"n": "number"})


@pytest.mark.parametrize("impute", ["mean", "zero", "indicator"])
@pytest.mark.parametrize("suffix", ["arrow", "csv"])
def test_a_converted_copy_notes_the_means(write, tmp_path, impute, suffix):
    cells = "".join(f"{k},{'?' if k % 3 else k},a\n" for k in range(50))
    stream = open_stream(write("a.csv", f"x,z,y\n{cells}"), impute=impute, batch_bytes=64)
    rows = stream.read()[0]
    write_arrow(stream, tmp_path / "a.arrow")
    copy = open_stream(tmp_path / f"a.{suffix}", impute=impute if suffix == "csv" else None)
    again = copy.read()[0]
    assert abs(again - rows).max() == 0.0
    noted, expected = copy.noted(), stream.noted()
    assert noted.get("means") == expected.get("means")
    assert (noted["impute"], [*noted["missing"]]) == (impute, [])


def test_a_copy_with_another_policy_is_refused(write, tmp_path):
    path = write("a.csv", "x,colour,y\n1,red,a\n?,?,b\n")
    write_arrow(open_stream(path, impute="indicator"), tmp_path / "a.arrow")
    with pytest.raises(DataError, match="made with impute indicator, expected mean: convert"):
        open_stream(tmp_path / "a.arrow", impute="mean")


def test_the_imputer_describes_itself():
    assert Imputer("mean", ["-"], {}).describe().endswith("?, - read as the column's mean")
    assert Imputer("mean").describe().endswith("? read as the mean of the column so far")
    assert Imputer("mean").describe(of_all_rows=True).endswith("? read as the column's mean")
