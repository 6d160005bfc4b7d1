"""SQL: SQLite and DuckDB give the labels of the command on the rows of real tables."""

import sqlite3
from itertools import cycle

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from exported import HOSTILE, TABLES, hostile_table, of_text, table

from rosenblatt import Perceptron, load
from rosenblatt.exports.format import ExportOptions
from rosenblatt.exports.formats.sql import write
from rosenblatt.exports.plan import plan_of, read_plan
from rosenblatt.exports.terms import CannotExport

DIALECTS = ("sqlite", "duckdb", "postgresql")


def statement(model, dialect="sqlite", name="data"):
    return write(read_plan(model), ExportOptions(name, dialect)).decode()


def quoted(name):
    return '"{}"'.format(name.replace('"', '""'))


def connected(dialect):
    """Return a database: in one thread, DuckDB gives rows in the order of the table."""
    if dialect == "sqlite":
        return sqlite3.connect(":memory:")
    return duckdb.connect(config={"threads": 1})


def run(rows, sql, dialect="sqlite", kinds=None, name="data"):
    """Run a statement on a table of these rows: DuckDB for PostgreSQL's, whose grammar it reads."""
    kinds = kinds or {}
    types = {"number": "REAL" if dialect == "sqlite" else "DOUBLE"}
    text = "TEXT" if dialect == "sqlite" else "VARCHAR"
    columns = ", ".join(f"{quoted(c)} {types.get(kinds.get(c), text)}" for c in rows[0])
    marks = ", ".join("?" * len(rows[0]))
    database = connected(dialect)
    try:
        database.execute(f"CREATE TABLE {quoted(name)} ({columns})")
        cells = [list(row.values()) for row in rows]
        insert = f"INSERT INTO {quoted(name)} "
        if dialect == "sqlite":
            database.executemany(f"{insert}VALUES ({marks})", cells)
        else:  # which takes a row at a time slowly
            names = [f"c{k}" for k in range(len(columns))]
            table = pa.table(dict(zip(names, map(list, zip(*cells, strict=True)), strict=False)))
            database.register("arrow_rows", table)
            database.execute(f"{insert}SELECT * FROM arrow_rows")
        cursor = database.execute(sql)
        names = [column[0] for column in cursor.description]
        return names, cursor.fetchall()
    finally:
        database.close()


def check(done, dialect="sqlite", kinds=None):
    """Compare every row with the command: columns first, scores, probabilities, the label last."""
    names, rows = run(done.rows, statement(done.model, dialect), dialect, kinds)
    assert names[: len(done.rows[0])] == list(done.rows[0])
    assert len(rows) == len(done.labels)
    assert [row[-1] for row in rows] == done.labels
    given = len(done.rows[0])
    for i, row in enumerate(rows):
        expected = done.scores[i]
        expected = list(expected.values()) if isinstance(expected, dict) else [expected]
        scores = row[given : given + len(expected)]
        np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9)
        shares = row[given + len(expected) : -1]
        if done.probabilities is None:
            assert not shares
        else:
            np.testing.assert_allclose(
                shares, list(done.probabilities[i].values()), rtol=1e-9, atol=1e-12
            )


@pytest.mark.parametrize(
    ("name", "dialect"),
    [
        (name, of)
        for name, other in zip(TABLES, cycle(DIALECTS[1:]), strict=False)
        for of in ("sqlite", other)
    ],
)
def test_a_real_table_has_the_labels_of_the_command(call, tmp_path, name, dialect):
    check(table(call, tmp_path, name), dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_columns_of_numbers(call, tmp_path, dialect):
    done = table(call, tmp_path, "hypothyroid")
    kinds = {c.name: c.kind for c in read_plan(done.model).columns}
    for row in done.rows:  # as a database has them
        for name, kind in kinds.items():
            if kind == "number":
                row[name] = None if row[name] in ("?", "") else float(row[name])
    check(done, dialect, kinds)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("options", [(), ("--interactions", "c*n ${x}", "--rule", "logistic")])
def test_hostile_names_values_and_labels(call, tmp_path, dialect, options):
    done = of_text(call, tmp_path, hostile_table(), "--epochs", "4", *options)
    assert HOSTILE[0] in done.labels
    check(done, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("impute", ["mean", "zero", "indicator"])
def test_missing_cells(call, tmp_path, dialect, impute):
    text = "a,b,c,y\n1,-999,u,0\n3,2,v,1\n-999.0,?,?,0\n,7,,1\nNA,0,u,1\n 5 , NaN , u ,0\n"
    options = ("--impute", impute, "--missing=-999", "--interactions", "a*c", "--epochs", "3")
    done = of_text(call, tmp_path, text, *options)
    check(done, dialect)
    for row in done.rows:
        row["c"] = row["c"].strip() and f"\t{row['c']} \t"
        row["b"] = row["b"].strip() or None
    check(done, dialect)


@pytest.mark.parametrize("dialect", DIALECTS[:2])
def test_what_the_library_refuses_has_no_label(call, tmp_path, dialect):
    text = "a,b,y\n1,2,0\n3,1,1\n2,5,0\n"
    done = of_text(call, tmp_path, text, "--rule", "logistic")
    for cell in ("", None, "12x", "?", "1e999", "nan", "x1"):
        rows = [{"a": cell, "b": "1"}, {"a": " 3 ", "b": "1.5"}]
        _, (first, other) = run(rows, statement(done.model, dialect), dialect)
        assert first[2:] == (None,) * 4, cell
        assert other[-1] is not None


@pytest.mark.parametrize("dialect", DIALECTS[:2])
def test_a_table_with_a_column_of_the_name_of_a_result_is_an_error(call, tmp_path, dialect):
    done = of_text(call, tmp_path, "a,b,y\n1,2,0\n3,1,1\n2,5,0\n")
    error = sqlite3.OperationalError if dialect == "sqlite" else duckdb.BinderException
    for name in ("score", "prediction"):
        rows = [{"a": "1", "b": "2", name: "9"}]
        with pytest.raises(error, match=r"(?i)ambiguous"):
            run(rows, statement(done.model, dialect), dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_columns_of_the_training_data_keep_their_names(call, tmp_path, dialect):
    text = "score,prediction,c,y\n1,2,u,0\n3,1,v,1\n2,5,u,0\n"
    done = of_text(call, tmp_path, text)
    names, _ = run(done.rows, statement(done.model, dialect), dialect)
    shares = ["probability_0", "probability_1"]
    assert names == ["score", "prediction", "c", "y", "score_", *shares, "prediction_"]
    check(done, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_labels_that_name_no_columns(call, tmp_path, dialect):
    text = "a,y\n1,A\n3,a\n2,b\n5,b\n"
    done = of_text(call, tmp_path, text, "--epochs", "9", "--rule", "logistic")
    names, _ = run(done.rows, statement(done.model, dialect), dialect)
    assert names[2:5] == ["score_1", "score_2", "score_3"]
    check(done, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_table_by_another_name(call, tmp_path, dialect):
    done = of_text(call, tmp_path, "a,b,y\n1,2,0\n3,1,1\n2,5,0\n")
    name = 'my "table"; DROP TABLE data; --'
    _, rows = run(done.rows, statement(done.model, dialect, name), dialect, name=name)
    assert [row[-1] for row in rows] == done.labels


def test_very_many_columns_and_classes(call, tmp_path):
    rng = np.random.default_rng(0)
    for d, classes in ((900, 2), (3, 130)):
        X = rng.normal(size=(150, d)).round(3)
        lines = [f"{','.join(map(str, x))},k{i % classes}" for i, x in enumerate(X)]
        text = ",".join(f"c{k}" for k in range(d)) + ",y\n" + "\n".join(lines) + "\n"
        check(of_text(call, tmp_path, text))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_first_of_equal_scores_wins_and_none_has_no_label(dialect):
    X = np.array([[0.0], [1.0], [2.0]])
    model = Perceptron(rule="logistic").fit(X, ["a", "b", "c"])
    model.coef_, model.intercept_ = np.zeros((3, 1)), [0.0, 1.0, 1.0]
    sql = write(plan_of(model, {}, ["x"]), ExportOptions(dialect=dialect)).decode()
    _, rows = run([{"x": 5.0}, {"x": None}], sql, dialect, {"x": "number"})
    assert [row[-1] for row in rows] == ["b", None]
    np.testing.assert_allclose(rows[0][4:7], model.predict_proba([[5.0]])[0], rtol=1e-12)
    assert rows[1][1:] == (None,) * 7


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_score_of_zero_and_large_scores(dialect):
    for tie, size in ((-1.0, 1.0), (1.0, 1.0), (0.0, 1e5)):
        model = Perceptron(tie=tie, rule="logistic").fit([[0.0], [1.0]], ["no", "yes"])
        model.coef_, model.intercept_ = [[size]], [0.0]
        X = [0.0, -1.0, 1.0]
        sql = write(plan_of(model, {}, ["a"]), ExportOptions(dialect=dialect)).decode()
        _, rows = run([{"a": x} for x in X], sql, dialect, {"a": "number"})
        X = np.reshape(X, (-1, 1))
        assert [row[-1] for row in rows] == model.predict(X).tolist()
        shares = [row[2:4] for row in rows]
        np.testing.assert_allclose(shares, model.predict_proba(X), rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_letters_beyond_ascii_have_their_case(call, tmp_path, dialect):
    done = of_text(call, tmp_path, "é,É,y\n1,2,0\n3,1,1\n-1,4,0\n")
    frame = pd.DataFrame({"é": [1.0, 3.0, -1.0], "É": [2.0, 1.0, 4.0]})
    assert of_frame(frame, done.model, dialect) == done.labels


def test_what_it_cannot_express_is_refused(call, tmp_path):
    text = "a,A,y\n1,2,0\n3,1,1\n"
    model = of_text(call, tmp_path, text).model
    with pytest.raises(CannotExport, match="'a' and 'A' differ in case only"):
        statement(model)
    assert "prediction" in statement(model, "postgresql")
    hashed = of_text(call, tmp_path, "a,b,y\n1,u,0\n3,v,1\n", "--bits", "8").model
    with pytest.raises(CannotExport, match="names are hashed"):
        statement(hashed)
    words = "a,y\nwin a prize,0\nsee you soon,1\n"
    texts = of_text(call, tmp_path, words, "--schema", "a:text").model
    with pytest.raises(CannotExport, match="it reads texts"):
        statement(texts)
    with pytest.raises(CannotExport, match="no names"):
        statement(Perceptron().fit([[0.0], [1.0]], [0, 1]))
    objects = tmp_path / "a.jsonl"
    objects.write_text('{"a": 1, "y": 0}\n{"a": 2, "y": 1}\n')
    assert call("train", objects, "-m", tmp_path / "o", "-q")[0] == 0
    with pytest.raises(CannotExport, match="JSON lines"):
        statement(tmp_path / "o")
    names = [f"x{k}" for k in range(2500)]
    wide = Perceptron().partial_fit(np.zeros((100, len(names))), range(100))
    with pytest.raises(CannotExport, match="250,000 numbers"):
        write(plan_of(wide, {}, names), ExportOptions())
    nul = Perceptron().fit([[0.0], [1.0]], ["a", "b\0c"])
    with pytest.raises(CannotExport, match="NUL"):
        write(plan_of(nul, {}, ["a"]), ExportOptions())


def of_frame(frame, model, dialect, cast="*", result="prediction"):
    """Return the labels of a frame, whose columns have the types that the database gives them."""
    sql, database = statement(model, dialect), connected(dialect)
    if dialect == "sqlite":
        frame.to_sql("data", database, index=False)
    else:
        database.register("frame", frame)
        database.execute(f"CREATE TABLE data AS SELECT {cast} FROM frame")
    try:
        cursor = database.execute(sql)
        names = [column[0] for column in cursor.description]
        return [row[names.index(result)] for row in cursor.fetchall()]
    finally:
        database.close()


def zones(spelled=str):
    """A table in CSV: a zone of a number, missing in some rows, decides the label."""
    rng = np.random.default_rng(5)
    lines = ["zone,size,y"]
    for zone, size in zip(rng.integers(1, 7, 300), rng.normal(size=300).round(2), strict=True):
        cell = "" if rng.random() < 0.1 else spelled(int(zone))
        lines.append(f"{cell},{size},{'ab'[int(zone) % 2]}")
    return "\n".join(lines) + "\n"


ZONES = ("--schema", "zone:category", "--impute", "indicator", "--epochs", "5")


@pytest.mark.parametrize("spelled", [str, "{}.0".format, "{}.50".format, "-{}e-1".format])
@pytest.mark.parametrize("dialect", DIALECTS[:2])
def test_a_number_is_the_category_of_its_value(call, tmp_path, dialect, spelled):
    done = of_text(call, tmp_path, zones(spelled), *ZONES, "--interactions", "zone*size")
    frame = pd.read_csv(tmp_path / "data.csv")
    assert frame.zone.dtype == np.float64
    assert frame.zone.isna().any()
    assert of_frame(frame, done.model, dialect) == done.labels
    assert load(done.model).predict(frame).tolist() == done.labels
    if dialect == "duckdb":
        for type in ("DECIMAL(12, 4)", "FLOAT" if spelled(1) == "1" else "DOUBLE"):
            cast = f"* REPLACE (zone::{type} AS zone)"
            assert of_frame(frame, done.model, dialect, cast) == done.labels
    if spelled(1) in ("1", "1.0"):
        whole = frame.astype({"zone": "Int64"})
        assert of_frame(whole, done.model, dialect) == done.labels


@pytest.mark.parametrize("dialect", DIALECTS[:2])
def test_of_two_spellings_the_shortest_has_the_number_and_text_its_own(call, tmp_path, dialect):
    text = "zone,y\n2.0,a\n2,b\n7.0,b\n007,a\n9007199254740993,b\noak,a\n"
    by_heart = ("--rule", "perceptron", "--epochs", "9")
    done = of_text(call, tmp_path, text, "--schema", "zone:category", *by_heart)
    assert done.labels == ["a", "b", "b", "a", "b", "a"]
    as_text = pd.DataFrame({"zone": [row["zone"] for row in done.rows]})
    assert of_frame(as_text, done.model, dialect) == done.labels
    numbers = pd.DataFrame({"zone": [2.0, 7.0]})
    expected = load(done.model).predict(numbers).tolist()
    assert expected == of_frame(numbers, done.model, dialect) == ["b", "b"]
    large = pd.DataFrame({"zone": [9007199254740993, 9007199254740992]})
    expected = load(done.model).predict(large).tolist()
    assert of_frame(large, done.model, dialect) == expected
    other = of_text(
        call, tmp_path, "zone,y\n2.0,a\noak,b\n2.0,a\n", *ZONES[:2], "--rule", "logistic"
    )
    found = pd.DataFrame({"zone": ["2", "2.00", "2.0"]})
    expected = load(other.model).decision_function(found).tolist()
    assert of_frame(found, other.model, dialect, result="score") == expected
    assert expected[0] == expected[1] != expected[2]


@pytest.mark.parametrize("options", ["", ", nullstr = '?'"])
@pytest.mark.parametrize("name", ["hypothyroid", "kr.vs.kp"])
def test_duckdb_reads_the_training_file_itself(call, tmp_path, name, options):
    done = table(call, tmp_path, name)
    with connected("duckdb") as database:
        database.execute(
            f"CREATE TABLE data AS SELECT * FROM read_csv('{tmp_path / 'data.csv'}'{options})"
        )
        types = [row[1] for row in database.execute("DESCRIBE data").fetchall()]
        assert types.count("BOOLEAN") >= 20
        rows = database.execute(statement(done.model, "duckdb")).fetchall()
    assert [row[-1] for row in rows] == done.labels


@pytest.mark.parametrize("dialect", DIALECTS[:2])
@pytest.mark.parametrize("name", ["hypothyroid", "kr.vs.kp"])
def test_booleans_of_a_frame(call, tmp_path, name, dialect):
    done = table(call, tmp_path, name)
    frame = pd.DataFrame(done.rows)
    pairs = [c for c in frame if set(frame[c]) <= {"t", "f"}]
    assert len(pairs) >= 20
    frame[pairs] = frame[pairs] == "t"
    assert of_frame(frame, done.model, dialect) == done.labels


@pytest.mark.parametrize("dialect", DIALECTS[:2])
@pytest.mark.parametrize(
    "words", [("True", "False"), ("TRUE", "FALSE"), ("true", "false"), ("t", "F"), ("yes", "no"),
              ("Y", "N"), ("on", "off"), ("1", "0")]
)  # fmt: skip
def test_true_and_false_are_the_words_of_the_model(call, tmp_path, dialect, words):
    rng = np.random.default_rng(6)
    flags = rng.random((60, 2)) < 0.5
    lines = [f"{words[1 - a]},{words[1 - b]},{'ab'[int(a)]}" for a, b in flags.astype(int)]
    text = "p,q,y\n" + "\n".join(lines) + "\n"
    done = of_text(call, tmp_path, text, "--schema", "p:category,q:category")
    assert set(done.labels) == {"a", "b"}
    frame = pd.DataFrame(flags, columns=["p", "q"])
    assert of_frame(frame, done.model, dialect) == done.labels
    gone = frame.astype("boolean")
    gone.loc[::7] = pd.NA
    labels = of_frame(gone, done.model, dialect)
    assert [labels[i] for i in range(60) if i % 7] == [done.labels[i] for i in range(60) if i % 7]


@pytest.mark.parametrize("dialect", DIALECTS[:2])
def test_what_stands_for_no_one_category_counts_nothing(call, tmp_path, dialect):
    def scores(text, frame):
        done = of_text(call, tmp_path, text, "--schema", "p:category", "--epochs", "5")
        other = pd.DataFrame({"p": ["unknown"] * len(frame)})
        return [of_frame(one, done.model, dialect, result="score") for one in (frame, other)]

    truths = pd.DataFrame({"p": [True, False]})
    found, nothing = scores("p,y\nt,a\nyes,b\nf,a\nno,b\n", truths)
    assert found == nothing
    whole = pd.DataFrame({"p": [1, 0, 2]})
    for text in ("p,y\nn,a\ny,b\ns,a\n", "p,y\n5,a\nn,b\n"):  # codes of n, s and y, say
        found, nothing = scores(text, whole)
        assert found == nothing


@pytest.mark.parametrize("dialect", DIALECTS)
def test_columns_of_plain_words_are_compared_as_text_alone(call, tmp_path, dialect):
    text = "p,q,y\noak,3,a\nelm,4,b\nno,5,a\n"
    done = of_text(call, tmp_path, text, "--schema", "q:category")
    found = statement(done.model, dialect).upper().count("TYPEOF")
    assert found == {"sqlite": 1, "duckdb": 2, "postgresql": 2}[dialect]  # q; no is false
    done = of_text(call, tmp_path, text.replace("no", "ash"))
    assert "TYPEOF" not in statement(done.model, dialect).upper()
