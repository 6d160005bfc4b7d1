"""``rosenblatt diff``: screen and JSON."""

import json
from pathlib import Path

import numpy as np
import pytest

import rosenblatt
from rosenblatt import KernelPerceptron, OnlinePerceptron, Perceptron

FOUR = "+1 1:1 2:0.5\n-1 1:-1 3:1\n+1 1:2\n-1 1:-2\n"


@pytest.fixture
def folder(tmp_path, monkeypatch, call):
    """A folder with two models of the same data, and one of four features."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "four.svm").write_text(FOUR)
    (tmp_path / "more.svm").write_text(FOUR + "-1 1:3 4:2\n")
    for data, model, *more in (("four", "a"), ("more", "b", "--rule", "pa"), ("four", "c")):
        assert call("train", f"{data}.svm", "-m", model, "-q", *more)[0] == 0
    return tmp_path


def test_equal_models(folder, call):
    status, out, err = call("diff", "a", "c")
    assert (status, err) == (0, "")
    assert out.split() == ["equal", "a", "and", "c,", "bit", "for", "bit"]
    record = json.loads(call("diff", "a", "c", "--json")[1])
    assert record["equal"]
    assert record["moved"] == record["changed"] == []
    assert record["notes"] == {}


def test_equal_models_with_other_notes(folder, call):
    (folder / "copy.svm").write_text(FOUR)
    call("train", "copy.svm", "-m", "copy", "-q")
    out = call("diff", "a", "copy")[1]
    assert out.split("\n")[0].rstrip() == "equal  a and copy, bit for bit"
    assert out.split("\n")[1].rstrip() == "trained  data: 'four.svm' → 'copy.svm'"
    assert json.loads(call("diff", "a", "copy", "--json")[1])["changed"] == ["notes"]


def test_the_screen_shows_what_changed_only(folder, call):
    X, y = np.array([[1.0], [-1.0]]), [1, 0]
    model = Perceptron(shuffle=False).partial_fit(X, y).partial_fit(X, y)
    rosenblatt.save(model, "one", notes={"month": 5})
    rosenblatt.save(model.partial_fit(X, y), "two", notes={"month": 6})  # without a mistake
    assert [line.rstrip() for line in call("diff", "one", "two")[1].splitlines()] == [
        "models   one → two",
        "learned  4 → 6 examples",
        "notes    month: 5 → 6",
    ]
    assert json.loads(call("diff", "one", "two", "--json")[1])["changed"] == ["counts", "notes"]


def test_unchanged_classes_are_left_out(folder, call):
    rows = [{"a": 1}, {"b": 1}, {"c": 1}]
    model = OnlinePerceptron().learn_many(rows, ["x", "y", "z"])
    rosenblatt.save(model, "before")
    for _ in range(3):
        model.learn_many([{"b": 5}], ["z"])
    rosenblatt.save(model, "after")
    out = call("diff", "before", "after", "--top", 0)[1]
    table = out.split("one weight vector each")[1]
    changes = json.loads(call("diff", "before", "after", "--json")[1])["vectors"]
    moved = [name for name, one in changes.items() if one["distance"] > 0]
    assert [name for name in "xyz" if f" {name} " in table] == moved
    assert 0 < len(moved) < 3


def test_models_that_differ_in_their_state_only(folder, call):
    """The weights in the pocket are equal; those that training continues from are not."""
    rows, orders = [([1.0, 0.0], 1), ([0.0, 1.0], 0)], ([0, 0, 0, 1], [0, 0, 1, 0])
    for name, order in zip(("one", "two"), orders, strict=True):
        X, y = zip(*(rows[k] for k in order), strict=True)
        model = Perceptron(shuffle=False, output="pocket").partial_fit(X, y, classes=[0, 1])
        rosenblatt.save(model, name)
    lines = call("diff", "one", "two")[1].splitlines()
    assert [line.split()[0] for line in lines] == ["models", "state"]
    record = json.loads(call("diff", "one", "two", "--json")[1])
    assert (record["equal"], record["changed"]) == (False, [])


def test_json_has_the_differences(folder, call):
    status, out, err = call("diff", "a", "b", "--json", "--top", 3)
    record = json.loads(out)
    assert (status, err) == (0, "")
    a, b = rosenblatt.load("a"), rosenblatt.load("b")
    assert not record["equal"]
    assert record["class"] == ["Perceptron", "Perceptron"]
    assert record["params"] == {"rule": ["auto", "pa"]}
    assert record["features"] == {"kept": 3, "added": [4], "lost": []}  # counted from 1, as there
    assert record["counts"]["examples"] == [4, 5]
    assert record["counts"]["updates"] == [a.updates_, b.updates_]
    u, v = np.append(a.coef_[0], 0.0), b.coef_[0]
    assert record["vectors"]["1"]["distance"] == pytest.approx(np.linalg.norm(v - u))
    order = np.argsort(-np.abs(v - u), kind="stable")[:3]
    assert [one["feature"] for one in record["moved"]] == [str(j + 1) for j in order]
    assert [one["after"] for one in record["moved"]] == v[order].tolist()
    assert record["notes"]["data"] == ["four.svm", "more.svm"]


def test_the_screen_shows_both_values(folder, call):
    out = call("diff", "a", "b")[1]
    for word in (
        "'auto' → 'pa'",
        "3 in both; 1 new",
        "4 → 5 examples",
        "turned by",
        "change",
    ):
        assert word in out
    assert "Largest changes  + favours 1" in out
    assert "Largest changes" not in call("diff", "a", "b", "--top", 0)[1]


def test_several_classes_have_a_line_each(folder, call):
    for model, *more in (("x",), ("y", "--average")):
        call("train", "sklearn:iris", "-m", model, "-q", *more)
    out = call("diff", "x", "y", "--top", 2)[1]
    assert "one weight vector each" in out
    assert out.count("virginica") >= 1
    assert "class" in out.split("Largest changes")[1]


def test_new_names_and_many_classes(folder, call):
    model = OnlinePerceptron().learn_many([{"a": 1}, {"b": 1}], ["ham", "spam"])
    rosenblatt.save(model, "ham")
    rows = [{"a": 1, f"n{k}": 1} for k in range(25)]
    rosenblatt.save(model.learn_many(rows, [f"label {k}" for k in range(25)]), "eggs")
    out = call("diff", "ham", "eggs")[1]
    assert "2 in both; 25 new: n0, n1" in out
    assert "2 in both; 25 new: label 0" in out
    labels = [f"label {(k + 1) % 25}" for k in range(25)]
    rosenblatt.save(model.learn_many(rows, labels), "more")
    assert "… and 5 classes more" in call("diff", "eggs", "more")[1]


def test_kernel_models_and_different_families(folder, call):
    for model, epochs in (("x", 1), ("y", 2)):
        call("train", "sklearn:iris", "-m", model, "-q", "--kernel", "rbf", "--epochs", epochs)
    assert "rows in both" in call("diff", "x", "y")[1]
    record = json.loads(call("diff", "a", "x", "--json")[1])
    assert record["vectors"] == {}
    assert "sum of rows" in record["why"]
    assert "not comparable" in call("diff", "a", "x")[1]
    call("train", "sklearn:iris", "-m", "z", "-q")
    assert "no common class" in call("diff", "a", "z")[1]


def test_different_index_bases_get_a_note(folder, call):
    (folder / "zero.svm").write_text(FOUR)
    call("train", "zero.svm", "-m", "zero", "-q", "--index-base", "0")
    status, _, err = call("diff", "a", "zero")
    assert status == 0
    assert "--index-base 1 and 0: a column of one is another feature in the other" in err


def test_other_files_are_refused(folder, call):
    assert call("diff", "a", "none")[0] == 3
    status, _, err = call("diff", "four.svm", "a")
    assert status == 3
    assert "four.svm" in err


def test_zero_weights_have_no_angle(folder, call):
    still = Perceptron(shuffle=False).partial_fit(np.zeros((2, 3)), [-1, 1])
    rosenblatt.save(still, "still")
    record = json.loads(call("diff", "still", "a", "--json")[1])
    assert record["vectors"]["1"]["angle"] is None
    assert "turned by" not in call("diff", "still", "a")[1]


def test_parameters_that_are_no_json_are_shown_by_repr(folder, call):
    X = np.array([[0.0], [1.0]])
    for name, rule in (("p", rosenblatt.rules.PA1(C=0.5)), ("q", rosenblatt.rules.PA1(C=1.0))):
        rosenblatt.save(
            KernelPerceptron("linear", rule=rule, max_iter=1, tol=None).fit(X, [0, 1]), name
        )
    record = json.loads(call("diff", "p", "q", "--json")[1])
    assert "C=0.5" in record["params"]["rule"][0]


def test_notes_of_resume_are_not_shown(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.vw").write_text("1 |a x y\n-1 |a z\n" * 5)
    Path("b.vw").write_text("1 |a x y w\n-1 |a z\n" * 5)
    for name in "ab":
        assert call("train", f"{name}.vw", "-m", name, "--bits", 8)[0] == 0
    status, out, _ = call("diff", "a", "b", "--json")
    assert (status, json.loads(out)["notes"]) == (0, {"data": ["a.vw", "b.vw"]})
    out = call("diff", "a", "b")[1]
    assert "data: 'a.vw' → 'b.vw'" in out
    assert "run" not in out


def test_hashed_columns_have_their_names_with_the_weights_of_these(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.vw").write_text("1 |a x y\n-1 |a z\n" * 5)
    Path("b.vw").write_text("1 |a x y w\n-1 |a z v\n" * 5)
    weights = []
    for name in "ab":
        assert call("train", f"{name}.vw", "-m", name, "-q")[0] == 0
        (sides,) = json.loads(call("inspect", name, "--json")[1])["weights"].values()
        weights.append(dict(sides["positive"] + sides["negative"]))
    moved = json.loads(call("diff", "a", "b", "--json")[1])["moved"]
    assert {one["feature"] for one in moved} == {f"a^{word}" for word in "vwxyz"}
    for one in moved:
        values = [own.get(one["feature"], 0.0) for own in weights]
        assert [one["before"], one["after"]] == values
        assert "-0.0" not in map(str, [one["before"], one["after"]])


def test_a_model_without_names_is_compared_by_column(folder, call):
    Path("four.csv").write_text("a,b,c,y\n1,0.5,0,1\n-1,0,1,-1\n2,0,0,1\n-2,0,0,-1\n")
    call("train", "four.csv", "-m", "named", "-q")
    for models, nameless in ((("named", "a"), "second"), (("a", "named"), "first")):
        line = f"names    the {nameless} model has none: features are compared by column"
        assert line in call("diff", *models)[1]
    assert "names  " not in call("diff", "a", "b")[1]
