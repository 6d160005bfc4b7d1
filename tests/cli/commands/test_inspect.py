"""``rosenblatt inspect``: facts, heaviest features, many classes."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from edited_models import put, rewrite

import rosenblatt
from rosenblatt import Perceptron
from rosenblatt.cli.inputs import hashed_names


def test_inspect_needs_no_data(models, call):
    Path("table.csv").unlink()
    record = json.loads(call("inspect", "table.rosenblatt", "--json", "--top", 1)[1])
    model = rosenblatt.load("table.rosenblatt")
    assert record["class"] == "Perceptron"
    assert record["params"] == {"rule": "auto", "shuffle": False}
    assert record["classes"] == ["no", "yes"]
    assert (record["examples"], record["features"]) == (4, 2)
    assert (record["mistakes"], record["updates"]) == (model.mistakes_, model.updates_)
    assert (record["format"], record["rosenblatt"]) == (6, rosenblatt.__version__)
    assert record["notes"]["target"] == "kind"
    assert set(record["weights"]) == {"yes"}
    for name, weight in record["weights"]["yes"]["positive"]:
        assert weight == model.coef_[0, ["a", "b"].index(name)] > 0.0
    out = call("inspect", "table.rosenblatt")[1]
    for word in (
        "Perceptron(rule='auto')",
        "trained   by rosenblatt train: data=table.csv, epochs=1",
        "no, yes",
        "4 examples",
        "file format 6",
        "left, −: no",
    ):
        assert word in out
    four = json.loads(call("inspect", "four.rosenblatt", "--json")[1])
    assert {name for name, _ in four["weights"]["1"]["positive"]} <= {"1", "2", "3"}


def test_a_large_column_of_the_default_is_not_ranked_as_a_light_one(folder, call):
    lines = [f"{1000 * (n % 5)},{(n * 7 % 3) / 1000},{n % 5 > 2}" for n in range(60)]
    Path("units.csv").write_text("\n".join(["large,small,kind", *lines]) + "\n")
    call("train", "units.csv", "-m", "m", "-q")
    call("train", "units.csv", "-m", "plain", "-q", "--rule", "arow")
    out = call("inspect", "m")[1]
    assert "effect = weight × spread of the column near the border; in brackets the weight" in out
    record = json.loads(call("inspect", "m", "--json")[1])
    (effects,), (weights,) = record["effects"].values(), record["weights"].values()
    sizes = {
        name: (abs(effect), abs(weight))
        for side in effects.values()
        for name, effect, weight in side
    }
    assert sizes["large"][0] > sizes["small"][0]
    assert sizes["large"][1] < sizes["small"][1]
    assert {name for side in weights.values() for name, _ in side} == {"large", "small"}
    out = call("inspect", "plain")[1]
    assert "Features of the largest weights" in out
    assert "effect" not in out


def test_hashed_columns_of_the_largest_effects_have_names(folder, call, monkeypatch):
    """A number in large units has a light weight; that of each code is heavier."""
    monkeypatch.setattr(hashed_names, "MAX_NAMES", 3)
    lines = [f"{1000 * (n % 5)},c{n * 7 % 12},{n % 5 > 2}" for n in range(240)]
    Path("hashed.csv").write_text("\n".join(["large,code,kind", *lines]) + "\n")
    call("train", "hashed.csv", "-m", "m", "-q", "--bits", 12)
    record = json.loads(call("inspect", "m", "--json", "--top", 3)[1])
    (effects,) = record["effects"].values()
    sizes = {name: abs(effect) for side in effects.values() for name, effect, _ in side}
    assert max(sizes, key=sizes.get) == "large"


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
    assert out.splitlines()[:2] == [
        "feature,class,weight,effect",
        f"(intercept),yes,{intercept!s},",
    ]
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


def test_an_encoder_is_shown(folder, call):
    rows = [{"job": "Own", "pay": 3.0}, {"job": "Gov", "pay": None}]
    rosenblatt.save(rosenblatt.RowEncoder(impute="mean").fit(rows), "e")
    status, out, err = call("inspect", "e")
    assert (status, err) == (0, "")
    assert "columns  2: job (category), pay (number)" in out
    assert "output   3 columns: pay, job=Own, job=Gov" in out
    assert "means    pay=3" in out
    record = json.loads(call("inspect", "e", "--json")[1])
    assert (record["class"], record["model"], record["features"]) == ("RowEncoder", "e", 3)
    for option in ("--csv", "--card"):
        status, out, err = call("inspect", "e", option)
        assert (status, out) == (3, "")
        assert f"e: has an encoder of raw rows, and no model: {option}" in err
    Path("e").write_bytes(Path("e").read_bytes()[:-40])
    status, _, err = call("inspect", "e")
    assert (status, "e: " in err) == (3, True)


def test_means_and_earlier_runs_have_a_line(folder, call):
    Path("a.csv").write_text("x,z,y\n1,?,no\n2,4,yes\n")
    Path("b.csv").write_text("x,z,y\n4,?,no\n5,1,yes\n")
    call("train", "a.csv", "-m", "m", "-q", "--impute", "mean")
    out = call("inspect", "m")[1]
    assert "means     x=1.5, z=4\n" in "\n".join(map(str.rstrip, out.splitlines()))
    assert "earlier" not in out
    call("train", "b.csv", "--from", "m", "-q")
    out = "\n".join(map(str.rstrip, call("inspect", "m")[1].splitlines()))
    assert "earlier   1 run: data=a.csv\nmeans     x=3, z=2.5\n" in out
    own = {"means": "of transport", "earlier": "a walk"}  # notes of another writer
    rosenblatt.save(rosenblatt.load("m").classifier, "own", notes=own)
    assert call("inspect", "own")[0] == 0


HASHED_NOTES = [
    {"x": [1, "a"]},
    {"64": [1, "a"]},
    {"-1": [1, "a"]},
    {"9" * 5000: [1, "a"]},
    {"0": [1]},
    {"0": [1e300, "a"]},
    {"0": "ab"},
    3,
]


def test_names_in_notes_that_are_none_are_left_out(call, tmp_path, monkeypatch):
    """A file may have any notes: no command stops at them, and none turns a weight round."""
    monkeypatch.chdir(tmp_path)
    Path("a.vw").write_text("1 |a x y\n-1 |a z\n" * 5)
    for name in ("m", "n"):
        assert call("train", "a.vw", "-m", name, "--bits", "6", "-q")[0] == 0
    rewrite("n", put("notes", "names", value={}))
    nameless = json.loads(call("inspect", "n", "--json")[1])["weights"]
    for names in HASHED_NOTES:
        rewrite("m", put("notes", "names", value=names))
        assert json.loads(call("inspect", "m", "--json")[1])["weights"] == nameless
    for args in (["train", "a.vw", "--from", "m", "-m", "o"], ["diff", "m", "o"]):
        assert call(*args)[0] == 0
    for notes in (None, ["csv"], "csv", 3):
        rewrite("m", put("notes", value=notes))
        for args in (["inspect", "m"], ["diff", "m", "n"], ["predict", "m", "a.vw"]):
            assert call(*args)[0] == 0
        assert "This is a bug" not in call("export", "m", "-o", "m.js")[2]


def test_a_card_has_no_control_characters_and_no_marks_of_notes(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("a,y\n1,p\n2,q\n")
    assert call("train", "a.csv", "-m", "m", "-q")[0] == 0
    odd = "\u202e<b>|"
    for name, value in {"epochs": odd, "seed": odd, "schema": {"a": odd}}.items():
        rewrite("m", put("notes", name, value=value))
    status, card, _ = call("inspect", "m", "--card")
    assert (status, "\u202e" in card, "<b>" in card) == (0, False, False)


@pytest.mark.parametrize(
    "own",
    [{"run": "nightly"}, {"schema": "v1", "text": 3, "means": {"x": "m"}, "earlier": "a walk"}],
)
def test_notes_of_ones_own_may_have_any_name(folder, call, own):
    Path("a.csv").write_text("x,z,y\n1,3,no\n2,4,yes\n")
    call("train", "a.csv", "-m", "m", "-q")
    rosenblatt.save(rosenblatt.load("m").classifier, "own", notes=own)
    assert call("inspect", "own")[0] == 0
    assert call("inspect", "own", "--card")[0] == 0
    assert call("diff", "own", "m")[0] == 0
    assert call("predict", "own", "a.csv")[0] == 0
