"""Models of OnlinePerceptron in the command: rows with any names."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pytest

import rosenblatt
from rosenblatt import OnlinePerceptron

MAIL = [
    ({"words": 5, "from": "a friend", "link": False}, "ham"),
    ({"words": 2, "from": "nobody", "link": True}, "spam"),
    ({"words": 9, "link": True, "from": "a friend"}, "ham"),
    ({"words": 1, "link": True, "prize": 3}, "spam"),
]
NEW = [
    {"words": 4, "from": "nobody", "unheard": 7},
    {"link": True},
    {"unheard": 1},
    {},
    {"from": "a friend", "words": 2, "prize": -1},
]


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows, labels = zip(*MAIL, strict=True)
    model = OnlinePerceptron(rule="pa1", output="average").learn_many(list(rows), labels)
    rosenblatt.save(model, "mail")
    lines = [json.dumps(row) for row in NEW]
    Path("new.jsonl").write_text("\n".join(lines) + "\n")
    Path("told.jsonl").write_text("".join(json.dumps(x | {"y": y}) + "\n" for x, y in MAIL))
    return model


def test_json_lines_are_predicted_as_in_python(model, call):
    status, out, err = call("predict", "mail", "new.jsonl", "--scores")
    assert status == 0
    assert "has features beyond the model's" in err
    lines = [line.split("\t") for line in out.splitlines()]
    assert [label for label, _ in lines] == model.predict_many(NEW).tolist()
    scores = [model.score_one(row)["spam"] for row in NEW]
    assert [float(score) for _, score in lines] == pytest.approx(scores, rel=1e-5)


def test_evaluate_counts_as_python_does(model, call):
    record = json.loads(call("evaluate", "mail", "told.jsonl", "--json")[1])
    rows, labels = zip(*MAIL, strict=True)
    assert record["errors"] == int(np.sum(model.predict_many(list(rows)) != labels))
    assert record["classes"] == ["ham", "spam"]


def test_a_table_may_lack_columns_and_have_new_ones(model, call):
    Path("new.csv").write_text("link,unheard,words,y\n1,5,0,spam\n0,2,6,ham\n")
    status, out, err = call("predict", "mail", "new.csv", "--target", "y")
    assert status == 0
    rows = [{"link": 1, "words": 0}, {"link": 0, "words": 6}]
    assert out.split() == model.predict_many(rows).tolist()
    assert "they are ignored" in err
    assert call("predict", "mail", "new.csv", "--target", "y", "-q")[2] == ""
    table = pa.table({"words": [0.0, 6.0], "link": [1.0, 0.0], "y": ["spam", "ham"]})
    feather.write_feather(table, "new.arrow", compression="uncompressed")
    assert call("predict", "mail", "new.arrow", "--target", "y")[1] == out


def test_a_perceptron_needs_all_columns(model, call):
    """A model trained on a table refuses a table that an OnlinePerceptron accepts."""
    Path("table.csv").write_text("a,b,y\n1,2,no\n3,1,yes\n")
    assert call("train", "table.csv", "-m", "table", "-q")[0] == 0
    Path("new.csv").write_text("a,y\n1,no\n")
    status, _, err = call("predict", "table", "new.csv")
    assert status == 3
    assert "no column 'b' of the kind number" in err


def test_rows_without_names_are_refused(model, call):
    for name, text in (("a.svm", "1 1:2\n"), ("a.vw", "1 | words:2\n")):
        Path(name).write_text(text)
        status, _, err = call("predict", "mail", name)
        assert status == 3
        assert "columns without names, but the model matches its" in err


def test_columns_of_arrays_are_matched_by_index(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    X = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]])
    model = OnlinePerceptron().learn_many(X, [0, 1, 0])
    rosenblatt.save(model, "m")
    np.savez("new.npz", X=X, y=np.array([0, 1, 1]))
    status, out, _ = call("predict", "m", "new.npz")
    assert status == 0
    assert [int(label) for label in out.split()] == model.predict_many(X).tolist()


def test_inspect_shows_names(model, call):
    record = json.loads(call("inspect", "mail", "--json", "--top", 9)[1])
    assert record["class"] == "OnlinePerceptron"
    assert record["params"] == {"rule": "pa1", "output": "average"}
    weights = {name: w for side in record["weights"]["spam"].values() for name, w in side}
    learned = {name: w for name, w in model.weights_of("spam").items() if w}
    assert weights == learned
    assert record["features"] == len(model.feature_names_)
    out = call("inspect", "mail")[1]
    assert "OnlinePerceptron(" in out
    assert "from=a friend" in out
    assert "ignored" not in out


def test_inspect_shows_values_ignored_by_max_features(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    rows, labels = zip(*MAIL, strict=True)
    model = OnlinePerceptron(max_features=2).learn_many(list(rows), labels)
    rosenblatt.save(model, "m")
    assert f"{model.ignored_} values of names beyond max_features=2" in call("inspect", "m")[1]
    piped = call("predict", "m", "-", "--format", "jsonl", "-q", stdin='{"words": 9}\n')
    assert piped == (0, f"{model.predict_one({'words': 9})}\n", "")


def test_inspect_shows_epochs_and_classes(tmp_path, monkeypatch, call, saved, path):
    record = json.loads(call("inspect", path, "--json")[1])
    assert [row["mistakes"] for row in record["history"]] == saved.history_["mistakes"].tolist()
    assert sum(one["updates"] for one in record["vectors"].values()) == saved.updates_
    norms = np.linalg.norm(saved.coef_, axis=1)
    assert [one["norm"] for one in record["vectors"].values()] == pytest.approx(norms)
    assert record["sha256"] == rosenblatt.models.describe(path)["sha256"]
    out = call("inspect", path)[1]
    assert "Epochs" in out
    assert "one weight vector each" in out
    assert record["sha256"][:12] in out
