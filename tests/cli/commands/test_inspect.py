"""``rosenblatt inspect``: facts, heaviest features, many classes."""

import json
from pathlib import Path

import rosenblatt


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
        "Perceptron(shuffle=False)",
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
