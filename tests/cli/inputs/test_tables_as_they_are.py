"""Tables without a header, with missing cells, with another separator: from raw file to model."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import load
from rosenblatt.learning.models.files import describe

COLUMNS = "age,workclass,education,education-num,hours,income"


def census(rng, rows):
    """Return rows in the form of UCI adult: blanks after commas, '?' cells, no header."""
    lines = []
    for _ in range(rows):
        age, education, hours = rng.normal(size=3).round(2)  # as scaled already
        label = ">50K" if age + education + hours + 0.3 * rng.normal() > 0 else "<=50K"
        work = ("Private", "State-gov", "Self-emp")[int(rng.integers(3))]
        cells = [age, work, f"level-{education:.0f}", education, hours]
        cells = ["?" if rng.random() < 0.1 else str(cell) for cell in cells]
        lines.append(", ".join([*cells, label]) + "\n")
    return lines


@pytest.fixture
def adult(tmp_path, monkeypatch, rng):
    """A working folder with files of census rows, with and without labels."""
    monkeypatch.chdir(tmp_path)
    lines = census(rng, 2000)
    Path("adult.data").write_text("".join(lines))
    Path("new.data").write_text("".join(line.rpartition(",")[0] + "\n" for line in lines[:5]))
    return lines


@pytest.mark.parametrize("impute", ["mean", "zero", "indicator"])
@pytest.mark.parametrize("names", [["--no-header"], ["--names", COLUMNS]])
def test_one_command_judges_a_model_of_a_raw_table(adult, call, impute, names):
    options = ["--impute", impute, "--average", "--epochs", "5", "--holdout", "0.2"]
    status, _, screen = call("train", "adult.data", "-m", "m", *names, *options)
    assert status == 0
    columns = "workclass, education" if "--names" in names else "c2, c3"
    assert f"columns: 3 numbers, 2 categories ({columns})" in screen
    assert "missing: empty, NA, N/A, NaN, nan, null, NULL, ? read as" in screen
    error, baseline = (
        float(re.search(rf"{name} +([0-9.]+) %", screen)[1])
        for name in ("held-out error", "baseline error")
    )
    assert error < baseline / 1.5
    status, out, _ = call("predict", "m", "new.data")
    assert status == 0
    assert set(out.split()) <= {"<=50K", ">50K"}
    assert len(out.splitlines()) == 5
    labelled = Path("five.data")
    labelled.write_text("".join(adult[:5]))
    assert call("predict", "m", "five.data")[1] == out
    assert "5 rows" in call("evaluate", "m", "five.data")[1]


def test_the_error_of_each_step_names_the_next_option(adult, call):
    Path("adult.csv").write_text("".join(adult))
    status, _, screen = call("train", "adult.data", "-m", "m")
    assert status == 3
    assert "--no-header" in screen
    status, _, screen = call("train", "adult.csv", "-m", "m")
    assert status == 3
    assert "--no-header" in screen
    status, _, screen = call("train", "adult.csv", "-m", "m", "--no-header")
    assert status == 3
    assert "--impute mean" in screen
    status, _, screen = call("train", "adult.csv", "-m", "m", "--no-header", "--impute", "mean")
    assert status == 0


def test_a_resumed_run_and_new_rows_use_the_same_means(adult, call):
    options = ["--names", COLUMNS, "--impute", "mean", "--missing", "-,-99", "-q"]
    Path("grows.data").write_text("".join(adult[:700]))
    assert call("train", "grows.data", "-m", "resumed", *options)[0] == 0
    Path("grows.data").write_text("".join(adult))
    assert call("train", "grows.data", "-m", "resumed", "--resume", *options)[0] == 0
    for other in ([*options[:2], "-q"], [*options[:4], "-q"], [*options, "--separator", ";"]):
        assert call("train", "grows.data", "-m", "resumed", "--resume", *other)[0] == 2
    assert call("train", "grows.data", "-m", "once", *options)[0] == 0
    resumed, once = load("resumed"), load("once")
    assert np.array_equal(resumed.coef_, once.coef_)
    notes = [describe(name)["notes"] for name in ("resumed", "once")]
    assert notes[0]["means"] == notes[1]["means"]
    cells = [line.split(",")[0] for line in adult if not line.startswith("?")]
    assert notes[0]["means"]["age"] == np.cumsum([float(cell) for cell in cells])[-1] / len(cells)
    assert notes[0]["missing"] == ["-", "-99"]
    one = call("predict", "once", "new.data", "--scores")[1]
    Path("row.data").write_text(Path("new.data").read_text().splitlines()[4] + "\n")
    assert call("predict", "once", "row.data", "--scores")[1] == one.splitlines()[4] + "\n"


def test_a_model_refuses_other_means(adult, call):
    call("train", "adult.data", "-m", "m", "--no-header", "--impute", "zero", "-q")
    status, _, screen = call("predict", "m", "new.data", "--impute", "mean")
    assert status == 2
    assert "--impute mean does not go with this model: it was trained with --impute zero" in screen


def test_missing_cells_are_counted_by_column(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("age,work,kind\n1,?,b\n?,x,c\n3,?,b\n?,?,c\n")
    counts = {"age": 2, "work": 3}
    options = ["--impute", "mean", "--epochs", "3"]
    status, out, err = call("train", "a.csv", "-m", "m", "--json", *options)
    assert (status, json.loads(out)["missing_cells"]) == (0, counts)
    cells = "note: a.csv: 5 missing cells: work 3, age 2 (numbers read as"
    assert f"{cells} the mean so far, categories left out)." in err
    assert err.count("missing cells") == 1
    for command in (["predict", "m"], ["evaluate", "m"]):
        err = call(*command, "a.csv")[2]
        assert f"{cells} the column's mean, categories left out)." in err
        assert "missing cells" not in call(*command, "a.csv", "-q")[2]
    assert json.loads(call("evaluate", "m", "a.csv", "--json")[1])["missing_cells"] == counts
    err = call("validate", "a.csv", "--impute", "indicator")[2]
    assert "5 missing cells: work 3, age 2 (each a feature 'COLUMN is missing')." in err
    out = call("validate", "a.csv", "--impute", "zero", "--json")[1]
    assert json.loads(out)["missing_cells"] == counts
    Path("b.csv").write_text("age,kind\n1,b\n3,c\n")
    options = ["--impute", "zero", "--json"]
    out, err = call("train", "b.csv", "-m", "m2", *options)[1:]
    assert json.loads(out)["missing_cells"] == {}
    assert "missing cells" not in err
    out = call("train", "b.csv", "-m", "m2", "--json")[1]
    assert json.loads(out)["missing_cells"] is None


def test_a_table_with_semicolons(tmp_path, monkeypatch, rng, call):
    monkeypatch.chdir(tmp_path)
    X = rng.normal(size=(500, 3))
    lines = ['"fixed acidity";"pH";"alcohol";"quality"\n']
    lines += [
        ";".join([*map("{:.3f}".format, x), "good" if x.sum() > 0 else "bad"]) + "\n" for x in X
    ]
    Path("wine.csv").write_text("".join(lines))
    status, _, screen = call("train", "wine.csv", "-m", "m")
    assert status == 3
    assert "--separator ';'" in screen
    status, _, screen = call("train", "wine.csv", "-m", "m", "--separator", ";", "--holdout", "0.2")
    assert status == 0
    error = float(re.search(r"held-out error +([0-9.]+) %", screen)[1])
    assert error < 10
    assert call("evaluate", "m", "wine.csv")[0] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--separator", "ab"], "--separator must be one character"),
        (["--names", "a,a,y"], "--names must be distinct"),
        (["--names", "a,b,y", "--header"], "--names does not go with a header line"),
        (["--missing", 'a"b'], "--missing must be words"),
        (["--no-header", "--format", "svmlight"], "--no-header does not go with svmlight text"),
        (["--impute", "zero", "--format", "vw"], "--impute does not go with Vowpal Wabbit text"),
    ],
)
def test_options_that_do_not_go(folder, call, options, message):
    status, _, screen = call("train", "table.csv", "-m", "m", *options)
    assert status == 2
    assert message in " ".join(screen.replace("│", " ").split())


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("a.csv", 'x,y\n"1\n",1\n\n2,0.5\n3,1\n', "a.csv:5: column 'y', the labels, hold 0.5"),
        ("a.tsv", "x\ty\n1\t2.5\n", "a.tsv:2: column 'y'"),
        ("a.jsonl", '{"y": 1, "x": 1}\n\n{"y": 1.5, "x": 2}\n', "a.jsonl:3: column 'y'"),
        ("a.svm", "# rows\n1 1:1\n\n0.25 1:2\n", "a.svm:4: the labels hold 0.25"),
        ("a.vw", "1 | a\n0.5 | b\n", "a.vw: the labels hold 0.5, a measurement, not a class, in"),
    ],
)
def test_a_label_that_is_a_measurement_has_its_file_and_line(
    tmp_path, monkeypatch, call, name, text, place
):
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text)
    Path("b.csv").write_text("x,y\n1,1\n2,0\n")
    status, _, err = call(
        "train", name, "-m", "m", *(["--schema", "x:category"] if name == "a.csv" else [])
    )
    assert (status, place in err) == (3, True), err
    if name == "a.csv":
        err = call("train", "[ab].csv", "-m", "m", "--schema", "x:category")[2]
        assert "a.csv:5: column 'y'" in err


def test_a_bad_first_row_costs_its_line_only(adult, call):
    call("train", "adult.data", "-m", "m", "--no-header", "--impute", "zero", "-q")
    expected = call("predict", "m", "new.data", "-q")[1]
    for first in ("1;2;3", "1,2,3", "39, Private, level-1, x, 40"):
        Path("bad.data").write_text(f"{first}\n" + Path("new.data").read_text())
        assert call("predict", "m", "bad.data", "-q")[:2] == (3, "\n" + expected)


def test_a_first_line_of_another_width_is_a_bad_row(adult, call):
    Path("junk.data").write_text("|1x3 Cross validator\n" + "".join(adult[:100]))
    options = ["--no-header", "--impute", "mean", "-m", "m"]
    status, _, err = call("train", "junk.data", *options)
    assert status == 3
    assert "junk.data:1: found 1 fields, but most of the first rows have 6" in err
    assert "--on-bad-row skip" in err
    status, _, err = call("train", "junk.data", *options, "--on-bad-row", "skip", "--json")
    assert status == 0
    assert "skipped 1 row" in err
    assert "column 'c6'" in err
    assert Path("bad-rows.jsonl").read_text().count("Cross validator") == 1
    status, _, err = call("evaluate", "m", "junk.data")
    assert status == 3
    assert "--names" not in err
    assert "leave it out with --on-bad-row skip" in err


def test_labels_of_a_class_for_each_row_are_doubted_in_the_summary(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    lines = [f"{('ham', 'spam')[k % 2]}\tmessage number {k} of {k}\n" for k in range(41)]
    Path("sms").write_text("".join(lines))
    status, _, screen = call("train", "sms", "-m", "m")
    screen = " ".join(screen.split())
    assert status == 0
    assert "note: sms: the first line is taken as a header, but looks like a row" in screen
    assert "taken as the labels, but 40 of the first 40 differ" in screen
    assert "warning 40 classes in 40 rows: is column 'message number 0 of 0' the label?" in screen
    names = ["--names", "label,text"]
    status, _, screen = call("train", "sms", "-m", "m", *names)
    assert status == 0
    assert "note: sms:" not in screen
    assert "warning" not in screen
    Path("ids.svm").write_text("".join(f"{k} 1:{k % 3}\n" for k in range(30)))
    screen = call("train", "ids.svm", "-m", "m")[2]
    assert "30 classes in 30 rows: are these the labels?" in screen


@pytest.fixture
def klinik(tmp_path, monkeypatch, rng):
    """A working folder with a table of semicolons and decimal commas, and its options."""
    monkeypatch.chdir(tmp_path)
    lines = ["Puls;Raucher;Fieber;Diagnose\n"]
    for _ in range(100):
        pulse, fever = rng.normal(size=2).round(2)
        smoker = ("ja", "nein")[int(rng.integers(2))]
        cells = [f"{pulse}", smoker, f"{fever}", "krank" if pulse + fever > 0 else "gesund"]
        lines.append(";".join(cells).replace(".", ",") + "\n")
    Path("klinik.csv").write_text("".join(lines))
    return ["--separator", ";", "--decimal", ","]


def test_a_model_reads_numbers_of_another_layout_by_it(klinik, call):
    run = ["train", "klinik.csv", "-m", "m", *klinik, "--schema", "Raucher:skip", "-q"]
    assert call(*run)[0] == 0
    expected = call("predict", "m", "klinik.csv", "-q")[1]
    options = [*klinik, "--schema", "Raucher:skip", "-q"]
    for name in ("back.csv", "back.tsv"):
        assert call("convert", "klinik.csv", name, *options)[0] == 0
        status, out, err = call("predict", "m", name, "-q")
        assert (status, out) == (0, expected), err
    assert call("predict", "m", "back.csv", "-q", "--separator", ",")[1] == expected


def test_a_converted_table_of_categories_is_refused_with_the_remedy(klinik, call):
    assert call("train", "klinik.csv", "-m", "m", *klinik, "-q")[0] == 0
    assert call("convert", "klinik.csv", "back.csv", *klinik, "-q")[0] == 0
    for options in ([], ["--separator", ","], ["--separator", ",", "--decimal", "."]):
        status, _, err = call("predict", "m", "back.csv", *options)
        assert status == 3
        assert "one column for each category of 'Raucher'. Use the table that was converted" in err
    assert call("convert", "klinik.csv", "k.parquet", *klinik, "-q")[0] == 0
    expected = call("predict", "m", "klinik.csv", "-q")[1]
    assert call("predict", "m", "k.parquet", "-q")[1] == expected


def test_a_header_line_in_new_data_of_a_model_without(tmp_path, monkeypatch, rng, call):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("1,2,y\n2,1,n\n3,4,y\n4,3,n\n")
    assert call("train", "a.csv", "-m", "m", "--no-header", "-q")[0] == 0
    assert call("convert", "a.csv", "b.csv", "--no-header", "-q")[0] == 0
    assert Path("b.csv").read_text().startswith('"c1","c2","c3"')
    assert call("predict", "m", "b.csv", "-q") == call("predict", "m", "a.csv", "-q")


def test_names_and_missing_words_with_a_comma_stand_in_double_quotes(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text('1,no\n"gone, lost",yes\n3,yes\n1,no\n')
    command = ["train", "a.csv", "-m", "m", "-q", "--names", '"size, net",sold']
    _, _, err = call(*command)
    assert err.rstrip().endswith("""if the cell is missing: --missing '"gone, lost"'.""")
    assert call(*command, "--missing", '"gone, lost",-9')[0] == 0
    assert describe("m")["notes"]["missing"] == ["gone, lost", "-9"]
