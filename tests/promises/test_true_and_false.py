"""A column of true and false is one of the numbers 1 and 0, from whatever source it comes."""

import csv
import json
import sqlite3
from pathlib import Path

import duckdb
import export_twin
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from programs import run_module
from raw_rows import answers_of, as_answered

from rosenblatt import AveragedPerceptron, RowEncoder, export, load
from rosenblatt.serve.encoded.files import read_file
from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.features.schema import infer_kind

ROWS = 60
IMPUTE = ["mean", "zero", "indicator"]
SPELL = (str, str.lower, str.upper)


def frame_of(has_holes):
    """A table; a missing cell of the truths is None."""
    rng = np.random.default_rng(7)
    flags = [bool(x) for x in rng.random(ROWS) < 0.5]
    if has_holes:
        flags = [None if i > 0 and i % 7 == 0 else flag for i, flag in enumerate(flags)]
    return pd.DataFrame(
        {
            "size": rng.normal(3, 2, ROWS).round(2),
            "flag": pd.Series(flags, dtype=object),
            "colour": rng.choice(["red", "blue", "green"], ROWS),
            "kind": ["a" if i % 3 else "b" for i in range(ROWS)],
        }
    )


def spelled(frame, spell):
    """The table with truths in words; a missing cell is an empty one."""
    return frame.assign(flag=["" if x is None else spell(str(x)) for x in frame["flag"]])


def write_files(frame):
    """Write the table in every format; return the paths."""
    paths = []

    def path(name):
        paths.append(name)
        return name

    for name, spell in (("a", str), ("lower", str.lower), ("upper", str.upper)):
        spelled(frame, spell).to_csv(path(f"{name}.csv"), index=False)
    spelled(frame, str).to_csv(path("a.tsv"), index=False, sep="\t")
    spelled(frame, str).to_csv(path("quoted.csv"), index=False, quoting=csv.QUOTE_ALL)
    frame.to_csv(path("comma.csv"), index=False, sep=";", decimal=",")
    typed = frame.astype({"flag": "boolean"})
    typed.to_parquet(path("a.parquet"))
    typed.to_feather(path("a.arrow"))
    frame.to_json(path("a.jsonl"), orient="records", lines=True)
    header = "@relation r\n@attribute size real\n@attribute flag {True, False}\n"
    header += "@attribute colour {red, blue, green}\n@attribute kind {a, b}\n@data\n"
    rows = frame.to_csv(index=False, header=False, na_rep="?")
    Path(path("a.arff")).write_text(header + rows)
    return paths


def options_of(path):
    """The options with which a file is read."""
    return {"separator": ";", "decimal": ","} if path == "comma.csv" else {}


def arguments_of(path):
    return ["--separator", ";", "--decimal", ","] if path == "comma.csv" else []


def tables(frame):
    """The table in memory in all forms of types, without its labels."""
    X = frame.drop(columns="kind")
    typed = X.astype({"flag": "boolean"})
    yield from (X, typed, X.astype({"flag": "bool[pyarrow]"}), pl.from_pandas(typed))
    if not X["flag"].isna().any():
        yield X.astype({"flag": bool})
    yield pa.Table.from_pandas(typed)
    yield X.to_dict("records")


def texts(frame):
    """The table in memory as csv.DictReader gives it."""
    X = frame.drop(columns="kind").astype({"size": str})
    return [spelled(X, spell).to_dict("records") for spell in SPELL]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("impute", [None, *IMPUTE])
def test_one_table_has_the_same_columns_and_bits_from_all_sources(folder, impute):
    frame = frame_of(impute is not None)
    models = {}
    for path in write_files(frame):
        stream = open_stream(path, impute=impute, target="kind", **options_of(path))
        X, y = stream.read()
        model = AveragedPerceptron(shuffle=False).fit(X, y)
        bits = model.coef_.tobytes() + model.intercept_.tobytes()
        models[path] = bits, stream.feature_names, stream.noted().get("means")
        if path != "a.jsonl":
            assert stream.schema == {"size": "number", "flag": "number", "colour": "category"}
    assert models["a.csv"][1][:2] == ["size", "flag"]
    assert all(model == models["a.csv"] for model in models.values())
    expected = RowEncoder(impute=impute).fit_transform(frame.drop(columns="kind"))
    for table in (*tables(frame), *texts(frame)):
        encoder = RowEncoder(impute=impute)
        assert (encoder.fit_transform(table) != expected).nnz == 0
        assert encoder.names_ == models["a.csv"][1]


@pytest.mark.parametrize("trained_on", ["a.csv", "lower.csv", "a.parquet", "a.jsonl", "a.arff"])
def test_a_model_of_any_source_scores_all_alike(folder, call, trained_on):
    frame = frame_of(True)
    paths = write_files(frame)
    options = ["--target", "kind", "--impute", "mean", "-q"]
    assert call("train", trained_on, "-m", "m", *options)[0] == 0
    expected = answers_of(call, "m", trained_on)
    for path in paths:
        assert answers_of(call, "m", path, *arguments_of(path)) == expected
    scores = [score for _, score in expected]
    model, live = load("m"), read_file(Path("m").read_bytes())
    for table in (*tables(frame), *(texts(frame) if trained_on != "a.jsonl" else ())):
        assert model.decision_function(table).tolist() == scores
    rows = json.loads(frame.drop(columns="kind").to_json(orient="records"))
    assert [as_answered(live.predict(row)) for row in rows] == expected


def test_exports_score_truths_in_every_form(folder, call):
    frame = frame_of(True)
    write_files(frame)
    options = ["--target", "kind", "--impute", "mean", "-q"]
    assert call("train", "a.csv", "-m", "m", *options)[0] == 0
    expected = answers_of(call, "m", "a.csv")
    scores = [score for _, score in expected]
    rows = frame.drop(columns="kind")
    forms = [rows, *(spelled(rows, lambda word, spell=spell: f" {spell(word)}") for spell in SPELL)]
    export("m", "m.json")
    exported = json.loads(Path("m.json").read_text())
    export("m", "m.mjs", to="js")
    for form in forms:
        dicts = form.to_dict("records")
        assert [export_twin.predict(exported, row)[1] for row in dicts] == [[x] for x in scores]
        found = run_module(folder, Path("m.mjs").read_bytes(), dicts)
        assert [one["score"] for one in found] == scores
    for dialect in ("sqlite", "duckdb", "postgresql"):  # DuckDB reads the grammar of PostgreSQL
        export("m", "m.sql", dialect=dialect)
        statement = Path("m.sql").read_text()
        for form in forms:
            found = run_statement(statement, form, dialect)
            assert [row[-1] for row in found] == [label for label, _ in expected]
            np.testing.assert_allclose(
                [row[len(rows.columns)] for row in found], scores, rtol=1e-12
            )


def run_statement(statement, form, dialect):
    """Run a statement on a table whose truths are booleans, or text."""
    if dialect == "sqlite":
        database = sqlite3.connect(":memory:")
        form.to_sql("data", database, index=False)
        found = database.execute(statement).fetchall()
    else:
        database = duckdb.connect(config={"threads": 1})
        words = isinstance(form["flag"].dropna().iloc[0], str)
        kinds = {"size": float, "flag": "string" if words else "boolean", "colour": "string"}
        database.register("data", form.astype(kinds))
        found = database.execute(statement).fetchall()
    database.close()
    return found


def test_a_model_whose_column_has_categories_keeps_them(folder, call):
    """As those of before, whose truths in text were categories."""
    frame = frame_of(False)
    write_files(frame)
    options = ["--target", "kind", "-q", "--schema", "flag:category"]
    assert call("train", "a.csv", "-m", "m", *options)[0] == 0
    expected = answers_of(call, "m", "a.csv")
    model, X = load("m"), frame.drop(columns="kind")
    assert {"flag=True", "flag=False"} < set(model.encoder.names_)
    for path in ("a.tsv", "a.parquet", "a.arrow", "a.jsonl", "a.arff"):
        assert answers_of(call, "m", path) == expected
    for table in (X, X.astype({"flag": bool}), pl.from_pandas(X), X.to_dict("records")):
        assert model.decision_function(table).tolist() == [score for _, score in expected]
    Path("m.csv").write_text(Path("a.csv").read_text() + "1.5,maybe,red,a\n")
    assert call("predict", "m", "m.csv", "-q")[0] == 0


def test_columns_of_both_are_numbers_and_of_other_words_are_not():
    assert infer_kind(["True", "", "FALSE", "false"]) == "number"
    assert infer_kind(["true", "1", "0", "false", "true"]) == "number"
    for cells in (["true", "false", "maybe"], ["yes", "no"], ["t", "f"], ["tRUE", "fALSE"]):
        assert infer_kind(cells) == "category"


def test_other_words_and_missing_truths_are_errors_that_say_what_to_do(folder):
    rows = "x,y\n" + "True,1\nfalse,2\n" * 500
    Path("late.csv").write_text(rows + "maybe,1\n")
    with pytest.raises(DataError, match=r"'x': found 'maybe', .* --schema x:category"):
        open_stream("late.csv").read()
    Path("hole.csv").write_text("x,y\nTrue,1\n,2\n")
    with pytest.raises(DataError, match=r"'x': found nothing, .*--impute mean"):
        open_stream("hole.csv").read()


def test_labels_stay_words(folder):
    Path("a.csv").write_text("x,y\n1,True\n2,False\n")
    assert open_stream("a.csv").read()[1].tolist() == ["True", "False"]
