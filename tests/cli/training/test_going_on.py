"""``train NEW --from MODEL``: a model that goes on with new rows, or stays as it was."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from command import interrupt_at, spawn
from noisy_rows import as_csv, as_json, rows
from profiles import share

import rosenblatt
from rosenblatt import OnlinePerceptron, Perceptron
from rosenblatt.estimators.models import load_estimator
from rosenblatt.models import describe, load, save
from rosenblatt.streams.core import options as stream_options


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working folder, and small batches."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(stream_options, "BATCH_BYTES", 1000)
    return tmp_path


def table(numbers):
    """Return a table with missing cells, and words that appear late."""
    lines = (
        f"{'' if k % 9 == 4 else 37 + k % 7 / 10},{k % 5},w{k % 3 + k // 50},"
        f"{'ab'[k * k % 7 > 2] if k < 150 else 'c'}"
        for k in numbers
    )
    return "\n".join(["t,n,word,y", *lines]) + "\n"


def texts(numbers):
    """Return a table of short texts."""
    words = ["win", "a", "prize", "now", "see", "you", "at", "lunch", "tomorrow", "cash"]
    lines = (
        f"{words[k % 7]} {words[k % 9]} {words[k * k % 10]},{'ab'[k % 3 == 0]}" for k in numbers
    )
    return "\n".join(["text,y", *lines]) + "\n"


def vowpal(numbers):
    """Return Vowpal Wabbit text."""
    return "".join(f"{1 - k % 3 % 2 * 2} |a w{k % 11}:{k % 4} |b v{k // 40}\n" for k in numbers)


HALVES = range(120), range(120, 200)
FORMATS = {
    "csv": lambda numbers: as_csv(rows(80, numbers[0])),
    "jsonl": lambda numbers: as_json(rows(80, numbers[0])),
    "svm": lambda numbers: rows(80, numbers[0]),
    "table": table,
    "texts": texts,
    "vw": vowpal,
}
RUNS = [
    ("csv", []),
    ("csv", ["--rule", "arow", "--average"]),
    ("csv", ["--penalty", "l2", "--eta0", "0.5"]),
    ("jsonl", ["--target", "y", "--average"]),
    ("svm", ["--multi-class", "joint", "--rule", "pa1"]),
    ("svm", ["--expansion"]),
    ("svm", ["--bits", "5"]),
    ("svm", ["--vote"]),
    ("svm", ["--kernel", "poly", "--degree", "2", "--gamma", "1"]),
    ("table", ["--impute", "mean", "--scale"]),
    ("table", ["--impute", "mean", "--rule", "scw1", "--class-weight", '{"a": 3}']),
    ("table", ["--impute", "indicator", "--average"]),
    ("table", ["--impute", "mean", "--bits", "6", "--scale"]),
    ("table", ["--impute", "zero", "--interactions", "n*t"]),
    ("texts", ["--text", "word:1-2", "--bits", "9"]),
    ("vw", ["--interactions", "a*b", "--bits", "9", "--average"]),
]
DIFFERENT = {"data", "data_bytes", "run", "from", "from_sha256", "earlier", "collisions", "names"}


def write_halves(kind, name="part"):
    """Write two files of a format, and return their names."""
    suffix = {"table": "csv", "texts": "csv"}.get(kind, kind)
    names = [f"{name}-{k}.{suffix}" for k in range(2)]
    for path, numbers in zip(names, HALVES, strict=True):
        Path(path).write_text(FORMATS[kind](numbers))
    return names


def train(call, *args):
    """Train without notes; the command must succeed."""
    status, out, err = call("train", *args, "-q")
    assert (status, err) == (0, ""), err
    return out


@pytest.mark.parametrize(("kind", "options"), share(RUNS, 2, 1))
def test_two_files_one_after_the_other_are_one_run_bit_for_bit(call, kind, options):
    first, second = write_halves(kind)
    train(call, f"part-*.{first.rpartition('.')[2]}", "-m", "both", *options)
    train(call, first, "-m", "first", *options)
    train(call, second, "--from", "first", "-m", "second")
    train(call, second, "--from", "first")
    assert Path("first").read_bytes() == Path("second").read_bytes()
    status, out, _ = call("diff", "second", "both", "--json")
    assert (status, json.loads(out)["equal"]) == (0, True)
    notes, expected = describe("second")["notes"], describe("both")["notes"]
    assert {k: v for k, v in notes.items() if k not in DIFFERENT} == {
        k: v for k, v in expected.items() if k not in DIFFERENT
    }


def test_the_model_is_replaced_and_the_summary_says_what_it_went_on_from(call):
    first, second = write_halves("table")
    train(call, first, "-m", "m", "--impute", "mean", "--average")
    status, out, err = call("train", second, "--from", "m", "--json", "--report", "m.html")
    assert status == 0
    record = json.loads(out)
    assert record["from"] == {"model": "m", "examples": 120}
    assert (record["model"], record["examples"], record["average"]) == ("m", 80, True)
    assert record["classes"] == ["a", "b", "c"]
    assert "went on from       m: 120 examples before" in err
    assert "note: m: replaced the model of " in err
    assert "m: 120 examples before" in Path("m.html").read_text()
    status, out, _ = call("inspect", "m", "--json")
    assert json.loads(out)["examples"] == 200
    assert "from=m" in call("inspect", "m")[1]
    assert "1 run: data=part-0.csv" in call("inspect", "m")[1]


def test_without_a_mistake_the_run_converged_on_the_new_rows(call):
    Path("a.csv").write_text("x,y\n1,a\n-1,b\n2,a\n-2,b\n")
    Path("b.csv").write_text("x,y\n3,a\n-3,b\n")
    train(call, "a.csv", "-m", "m", "--rule", "perceptron", "--epochs", "9")
    status, _, err = call("train", "b.csv", "--from", "m")
    assert (status, "converged on these rows: no mistake" in err) == (0, True)


def test_the_updates_of_the_table_are_those_of_the_run(call):
    Path("a.csv").write_text("x,y\n1,a\n-1,b\n2,a\n-2,b\n")
    train(call, "a.csv", "-m", "m", "--rule", "perceptron", "--epochs", "9")
    record = json.loads(train(call, "a.csv", "--from", "m", "--json"))
    assert record["progress"][-1]["updates"] == 0
    assert record["updates"] > 0


def test_rows_are_read_as_the_training_data_were(call):
    Path("a.data").write_text("1,5;?;yes\n2,5;3;no\n-9;1;yes\n")
    options = ["--separator", ";", "--decimal", ",", "--no-header", "--format", "csv"]
    train(call, "a.data", "-m", "m", *options, "--missing=-9")
    Path("b.csv").write_text("0,5;NA;maybe\n")
    train(call, "b.csv", "--from", "m")
    notes = describe("m")["notes"]
    assert (notes["separator"], notes["decimal"], notes["header"]) == (";", ",", False)
    assert notes["totals"] == {"c1": [3, 4.5], "c2": [2, 4.0]}
    assert load("m").classes_.tolist() == ["maybe", "no", "yes"]
    Path("c.jsonl").write_text('{"c2": 7, "c1": 1, "c3": "no"}\n')
    train(call, "c.jsonl", "--from", "m", "--target", "c3")
    assert {k: describe("m")["notes"][k] for k in ("format", "separator", "target")} == {
        "format": "csv",
        "separator": ";",
        "target": "c3",
    }
    assert describe("m")["notes"]["totals"] == {"c1": [4, 5.5], "c2": [3, 11.0]}


def test_evaluate_knows_the_training_rows_of_earlier_files(call):
    first, second = write_halves("csv")
    train(call, first, "-m", "m")
    train(call, second, "--from", "m")
    train(call, "sklearn:iris", "-m", "iris")
    Path("new.csv").write_text(FORMATS["csv"](range(500, 501)))
    for data, are_learned in ((first, True), (second, True), ("new.csv", False)):
        record = json.loads(call("evaluate", "m", data, "--json", "-q")[1])
        assert record["training_rows"] is are_learned


def test_names_of_hashed_columns_are_kept(call):
    first, _ = write_halves("texts")
    train(call, first, "-m", "m", "--bits", "12", "--text", "word:1-1")
    before = describe("m")["notes"]
    Path("b.csv").write_text("text,y\nzebra crossing,c\nzebra lunch,b\nzebra,c\n")
    train(call, "b.csv", "--from", "m")
    after = describe("m")["notes"]
    names = {name for _, name in after["names"].values()}
    assert {"prize", "lunch", "zebra"} <= names
    assert {k: v for k, v in before["names"].items() if k in after["names"]}.items() <= (
        after["names"].items()
    )
    assert "collisions" not in after
    assert call("inspect", "m")[0] == 0


def test_support_rows_of_several_files_have_numbers_without_an_epoch(call):
    first, second = write_halves("svm")
    train(call, first, "-m", "m", "--kernel", "poly", "--gamma", "1")
    train(call, second, "--from", "m", "--epochs", "3", "--shuffle")
    status, out, _ = call("inspect", "m", "--csv")
    lines = [line.split(",") for line in out.splitlines()]
    assert status == 0
    assert lines[0] == ["row", "class", "coefficient", "epoch"]
    assert {epoch for *_, epoch in lines[1:]} == {""}
    assert max(int(row) for row, *_ in lines[2:] if row.isdigit()) >= 80  # counted over both files


# --- options -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        ([], ["--average"], "--average does not go with --from: m was trained with no --average"),
        (
            [],
            ["--rule", "pa1"],
            "--rule pa1 does not go with --from: m was trained with --rule",
        ),
        (
            [],
            ["--kernel", "rbf"],
            "--kernel rbf does not go with --from: m was trained with no",
        ),
        ([], ["--degree", "4"], "--degree 4 does not go with --from: m was trained with no --deg"),
        ([], ["--class-weight", "balanced"], "--class-weight balanced does not go with --from"),
        (["--eta0", "0.5"], ["--eta0", "1"], "--eta0 1.0 does not go with --from: m was trained"),
        (
            ["--vote"],
            ["--average"],
            "--average does not go with --from: m was trained with no",
        ),
        (
            ["--expansion"],
            ["--scale"],
            "--scale does not go with --from: m was trained with no",
        ),
        ([], ["--bits", "7"], "--bits 7 does not go with this model: it was trained with names"),
        ([], ["--impute", "mean"], "--impute mean does not go with this model: it was trained wit"),
        (
            [],
            ["--interactions", "n*t"],
            "--interactions n*t does not go with this model: it was trained without --interactions",
        ),
        (
            ["--impute", "mean"],
            ["--missing=-999"],
            "--missing=-999 does not go with this model: it was trained without --missing.",
        ),
        (
            ["--missing=-999,-9"],
            ["--missing=-999"],
            "--missing=-999 does not go with this model: it was trained with --missing=-999,-9.",
        ),
        ([], ["--certify"], "--certify is about the rows of DATA"),
        ([], ["--workers", "2"], "--from does not go with --workers"),
        ([], ["--resume"], "--resume writes to another file than MODEL"),
        ([], ["--resume", "-m", "./m"], "--resume writes to another file than MODEL"),
        ([], ["--checkpoint-every", "9"], "--checkpoint-every writes to another file than MODEL"),
    ],
)
def test_options_that_contradict_the_model_are_refused(call, model, options, message):
    first, second = write_halves("csv")
    train(call, first, "-m", "m", *model)
    before = Path("m").read_bytes()
    status, _, err = call("train", second, "--from", "m", *options)
    assert (status, message in err) == (2, True), err
    assert Path("m").read_bytes() == before


@pytest.mark.parametrize(
    "options",
    [
        ["--average", "--rule", "pa1", "--scale", "--multi-class", "ovr"],
        ["--kernel", "rbf", "--gamma", "scale", "--budget", "20"],
        ["--kernel", "poly", "--degree", "2", "--coef0", "1"],
        ["--class-weight", '{"1": 5}'],
        ["--class-weight", "balanced"],
        ["--vote"],
        ["--penalty", "l1", "--alpha", "0.01"],
        ["--rule", "pegasos"],
    ],
)
def test_options_that_the_model_has_may_be_repeated(call, options):
    first, second = write_halves("csv")
    train(call, first, "-m", "m", *options)
    train(call, second, "--from", "m", "-m", "n", *options)
    train(call, second, "--from", "m")
    assert Path("m").read_bytes() == Path("n").read_bytes()


def test_spellings_of_missing_cells_that_the_model_has_may_be_repeated(call):
    first, second = write_halves("table")
    train(call, first, "-m", "m", "--missing=-9,-999")
    train(call, second, "--from", "m", "-m", "n", "--missing=-999,-9")
    train(call, second, "--from", "m")
    (one, other) = describe("m"), describe("n")
    assert one["sha256"] == other["sha256"]
    assert one["notes"]["missing"] == other["notes"]["missing"] == ["-9", "-999"]


def test_options_of_the_run_are_free(call):
    first, second = write_halves("csv")
    train(call, first, "-m", "m")
    options = ["--epochs", "5", "--shuffle", "--seed", "3", "--holdout", "0.2", "--early-stop", "2"]
    status, out, _ = call("train", second, "--from", "m", *options, "--json")
    record = json.loads(out)
    assert status == 0
    assert record["epochs"] > 1
    assert record["model_error_rows"] == "held-out rows"


def test_the_model_file_is_required_without_from(call):
    write_halves("csv")
    status, _, err = call("train", "part-0.csv")
    assert (status, "Missing option '-m' / '--model'" in err) == (2, True)


# --- files that are refused ----------------------------------------------------------------------


def damaged(call):
    train(call, "part-0.csv", "-m", "m")
    content = bytearray(Path("m").read_bytes())
    content[-3] ^= 1
    Path("m").write_bytes(content)


def of_python(call):
    save(Perceptron(max_iter=2, tol=None).fit([[0.0], [1.0]], [0, 1]), "m")


def regressor(call):
    save(rosenblatt.LMSRegressor().fit([[0.0], [1.0]], [0.0, 1.0]), "m", notes={"format": "csv"})


def of_named_rows(call):
    save(OnlinePerceptron().learn_many([{"a": 1}, {"b": 1}], ["x", "y"]), "m")


def of_own_rule(call):
    model = Perceptron(rule=rosenblatt.rules.PA1(C=0.5), max_iter=2, tol=None)
    save(model.fit([[0.0], [1.0]], [0, 1]), "m", notes={"format": "npy"})


def of_another_class(call):
    model = rosenblatt.PassiveAggressiveClassifier(max_iter=2, tol=None)
    save(model.fit([[0.0], [1.0]], [0, 1]), "m", notes={"format": "npy"})


def without_totals(call):
    Path("part-0.csv").write_text(table(range(20)))
    train(call, "part-0.csv", "-m", "m", "--impute", "mean")
    change_notes(lambda notes: notes.pop("totals"))


def without_schema(call):
    train(call, "part-0.csv", "-m", "m")
    change_notes(lambda notes: notes.pop("schema"))


def change_notes(change):
    """Change the notes of the model, as an earlier version might have written them."""
    notes = describe("m")["notes"]
    change(notes)
    save(load_estimator("m"), "m", notes=notes)


def rows_of_data(call):
    Path("m").write_text("x,y\n1,a\n")


def store(call):
    Path("m").mkdir()
    Path("m", "store.sqlite").write_bytes(b"SQLite format 3\0")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (damaged, "m: "),
        (of_python, "m: does not say how the rows of its training data were read"),
        (regressor, "m: a LMSRegressor is a regressor; train learns classifiers"),
        (of_named_rows, "m: is an OnlinePerceptron, and --from needs a model of train"),
        (of_own_rule, "m: its rule PA1(C=0.5) is no --rule of train"),
        (of_another_class, "m: a PassiveAggressiveClassifier is no learner of train"),
        (without_totals, "m: the model has the means of its columns, but not the number of their"),
        (without_schema, "m: does not say how the rows of its training data were read"),
        (rows_of_data, "m: not a valid safetensors file"),
        (store, "m: this is a folder or a device"),
        (lambda call: None, "m: cannot be read: No such file or directory"),
    ],
)
def test_files_that_no_run_can_go_on_from(call, make, message):
    _, second = write_halves("csv")
    make(call)
    path = Path("m")
    before = path.read_bytes() if path.is_file() else None
    for output in ([], ["-m", "out"]):
        status, out, err = call("train", second, "--from", "m", *output)
        assert (status, out) == (3, ""), err
        assert f"error: {message}" in err
        assert (path.read_bytes() if path.is_file() else None) == before
    assert not os.path.exists("out")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "x,z,kind\n1,2,5\n1,2,7\n",
            "found the label 5, a number, but all labels of the model",
        ),
        ("x,kind\n1,a\n", "b.csv:1: no column 'z' of the kind number"),
        ("x,z,kind\n1,many,a\n", "found 'many', expected a number"),
        ("x,z,kind\n", "no rows"),
        ('{"x": 1}\n', "b.csv"),
    ],
)
def test_data_that_the_model_refuses_leaves_it_as_it_was(call, text, message):
    Path("a.csv").write_text("x,z,kind\n1,2,a\n-1,3,b\n")
    Path("b.csv").write_text(text)
    train(call, "a.csv", "-m", "m")
    before = Path("m").read_bytes()
    status, _, err = call("train", "b.csv", "--from", "m")
    assert (status, message in err) == (3, True), err
    assert Path("m").read_bytes() == before


# --- runs that are stopped -----------------------------------------------------------------------


def test_a_run_to_another_file_is_resumed(call):
    first, second = write_halves("table")
    train(call, first, "-m", "m", "--impute", "mean", "--average")
    train(call, second, "--from", "m", "-m", "once")
    lines = Path(second).read_text().splitlines(keepends=True)
    Path(second).write_text("".join(lines[:40]))
    train(call, second, "--from", "m", "-m", "out", "--resume")
    Path(second).write_text("".join(lines))
    train(call, second, "--from", "m", "-m", "out", "--resume")
    assert call("diff", "out", "once", "--json")[0] == 0
    assert np.array_equal(load("out").coef_, load("once").coef_)
    assert describe("out")["notes"]["totals"] == describe("once")["notes"]["totals"]
    assert describe("out")["notes"]["earlier"] == describe("once")["notes"]["earlier"]
    status, _, err = call("train", second, "-m", "out", "--resume", "--impute", "mean", "--average")
    assert (status, "no --from does not go with --resume: out was trained" in err) == (2, True)
    train(call, second, "--from", "m")
    before = Path("out").read_bytes()
    status, _, err = call("train", second, "--from", "m", "-m", "out", "--resume")
    assert (status, "m: is another model than out went on from" in err) == (3, True)
    assert Path("out").read_bytes() == before


@pytest.mark.parametrize("output", [[], ["-m", "out"]])
def test_a_signal_leaves_the_model_as_it_was(call, output):
    first, second = write_halves("svm")
    train(call, first, "-m", "m")
    before = Path("m").read_bytes()
    options = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    run = spawn("train", "-", "--from", "m", "--report", "m.html", *output, **options)
    err = interrupt_at(run, Path(second).read_text(), "64")
    assert run.wait() == 130
    assert Path("m").read_bytes() == before
    assert Path("out").exists() == Path("m.html").exists() == bool(output)
    if output:
        assert "the model is in out. Continue with --resume." in err
        assert describe("out")["notes"]["interrupted"] is True
    else:
        assert "; m is as it was before." in err
        assert "replaced the model" not in err
