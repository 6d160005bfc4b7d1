"""``rosenblatt inspect``: facts, heaviest features, many classes."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rosenblatt
from rosenblatt import Perceptron


def test_inspect_needs_no_data(models, call):
    Path("table.csv").unlink()
    record = json.loads(call("inspect", "table.rosenblatt", "--json", "--top", 1)[1])
    model = rosenblatt.load("table.rosenblatt")
    assert record["class"] == "Perceptron"
    assert record["params"] == {"shuffle": False}
    assert record["classes"] == ["no", "yes"]
    assert (record["examples"], record["features"]) == (4, 2)
    assert (record["mistakes"], record["updates"]) == (model.mistakes_, model.updates_)
    assert (record["format"], record["rosenblatt"]) == (2, rosenblatt.__version__)
    assert record["notes"]["target"] == "kind"
    assert set(record["weights"]) == {"yes"}
    for name, weight in record["weights"]["yes"]["positive"]:
        assert weight == model.coef_[0, ["a", "b"].index(name)] > 0.0
    out = call("inspect", "table.rosenblatt")[1]
    for word in (
        "Perceptron()",
        "trained   by rosenblatt train: data=table.csv, epochs=1",
        "no, yes",
        "4 examples",
        "file format 2",
        "left, −: no",
    ):
        assert word in out
    four = json.loads(call("inspect", "four.rosenblatt", "--json")[1])
    assert {name for name, _ in four["weights"]["1"]["positive"]} <= {"1", "2", "3"}


def test_inspect_shows_at_most_twenty_classes(folder, call):
    lines = [f"{k} {k + 1}:1\n" for k in range(25)]
    Path("many.svm").write_text("".join(2 * lines) + "1 1:1\n")
    call("train", "many.svm", "-m", "m", "-q")
    out = call("inspect", "m", "--top", 1)[1]
    assert "for the class" in out
    assert "… and 5 classes more" in out
    assert len(json.loads(call("inspect", "m", "--json")[1])["weights"]) == 25
    assert "Most frequent errors" in call("evaluate", "m", "many.svm")[1]


def test_shuffle_is_shown_once(folder, call):
    """The estimator of the command never shuffles: the command does."""
    call("train", "four.svm", "-m", "m", "-q", "--shuffle")
    out = call("inspect", "m")[1]
    assert out.count("shuffle") == out.count("shuffle=True") == 1
    model = Perceptron(shuffle=False).fit(np.eye(2), [0, 1])
    rosenblatt.save(model, "own", notes={"shuffle": "by hand"})
    out = call("inspect", "own")[1]
    assert "Perceptron(shuffle=False)" in out
    assert "notes     shuffle=by hand" in out


def test_csv_on_standard_output_and_in_a_file(models, call):
    status, out, err = call("inspect", "table.rosenblatt", "--csv")
    assert (status, err) == (0, "")
    intercept = rosenblatt.load("table.rosenblatt").intercept_[0]
    assert out.splitlines()[:2] == ["feature,class,weight", f"(intercept),yes,{intercept!s}"]
    assert call("inspect", "table.rosenblatt", "--csv", "-")[1] == out
    assert call("inspect", "table.rosenblatt", "--csv", "w.csv")[1] == ""
    assert Path("w.csv").read_text() == out
    assert call("inspect", "four.rosenblatt", "--csv", "w.csv")[0] == 0  # replaced
    assert (
        len(pd.read_csv("w.csv")) == np.count_nonzero(rosenblatt.load("four.rosenblatt").coef_) + 1
    )


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--csv", "-", "--json"], 2, "--csv and --json exclude each other"),
        (["--csv", "table.csv"], 1, "exists and is no table of weights, so it is not overwritten"),
        (["--csv", "none/w.csv"], 1, "there is no folder"),
    ],
)
def test_csv_that_is_refused(models, call, arguments, status, message):
    found, _, err = call("inspect", "table.rosenblatt", *arguments)
    assert (found, message in err) == (status, True), err
