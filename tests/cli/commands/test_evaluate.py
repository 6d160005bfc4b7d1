"""``rosenblatt evaluate``: error, confusion matrix and unknown labels."""

import json
import re
from pathlib import Path

import numpy as np
from command import TABLE

from rosenblatt import streams


def test_evaluate_counts_wrong_predictions(folder, call):
    options = ["--rule", "perceptron", "--shuffle", "--epochs", 5]
    call("train", "sklearn:wine", "-m", "m", "-q", *options)
    record = json.loads(call("evaluate", "m", "sklearn:wine", "--json")[1])
    (batch,) = streams.open_stream("sklearn:wine")
    answers = call("predict", "m", "sklearn:wine")[1].split()
    assert record["examples"] == 178
    assert record["errors"] == sum(a != b for a, b in zip(batch.y, answers, strict=True))
    assert record["error"] == record["errors"] / 178
    assert record["interval"][0] < record["error"] < record["interval"][1]
    assert np.sum(record["confusion"]) == 178
    assert np.trace(record["confusion"]) == 178 - record["errors"]
    assert record["unseen"] == {}
    status, out, err = call("evaluate", "m", "sklearn:wine")
    assert (status, err) == (0, "")
    assert re.search(rf"\n +{record['errors']} of 178 rows *\n", out)
    assert "Confusion matrix" in out


def test_unknown_labels_are_errors(models, call):
    text = TABLE.replace("-2,0,no", "-2,0,maybe")
    record = json.loads(call("evaluate", "table.rosenblatt", "-", "--json", stdin=text)[1])
    assert record["unseen"] == {"maybe": 1}
    assert record["errors"] >= 1
    out = call("evaluate", "table.rosenblatt", "-", stdin=text)[1]
    assert "unknown labels  maybe (1)" in out


def test_of_many_unknown_labels_some_are_shown(models, call):
    rows = [f"-2,0,user {k:03}\n" for k in range(300)]
    out = call("evaluate", "table.rosenblatt", "-", stdin="".join([TABLE, *rows]))[1]
    assert "user 011 (1), … (300): no classes of the model" in " ".join(out.split())


def test_numeric_labels_match_labels_that_were_text_in_training(folder, call):
    Path("train.csv").write_text("a,y\n1,x\n-1,2\n2,x\n-2,2\n")
    Path("test.csv").write_text("a,y\n-3,2\n-4,2\n")
    call("train", "train.csv", "-m", "m", "-q")
    record = json.loads(call("evaluate", "m", "test.csv", "--json")[1])
    assert (record["errors"], record["unseen"]) == (0, {})


def test_the_label_column_must_exist(models, call):
    Path("other.csv").write_text("a,b,c\n1,2,yes\n")
    status, _, err = call("evaluate", "table.rosenblatt", "other.csv")
    assert status == 3
    assert "no column 'kind'" in err
    assert call("evaluate", "table.rosenblatt", "other.csv", "--target", "c")[0] == 0


def test_a_joint_model_without_an_error_has_areas_of_one(folder, call):
    call("sample", "flowers")
    call("sample", "new-flowers")
    options = ["--target", "species", "--average", "--multi-class", "joint", "--epochs", 20]
    call("train", "flowers.csv", *options, "-m", "m", "-q")
    record = json.loads(call("evaluate", "m", "new-flowers.csv", "--json")[1])
    assert record["errors"] == 0
    assert record["auc"] == 1.0


def test_the_training_rows_are_named(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    line = "the training rows: the interval is not valid for new rows"
    Path("a.svm").write_text("1 1:1\n-1 1:-1\n" * 20)
    Path("b.svm").write_text("1 1:1\n-1 1:-1\n" * 20)
    call("train", "a.svm", "-m", "m", "-q")
    assert line in call("evaluate", "m", "a.svm")[1]
    assert json.loads(call("evaluate", "m", "a.svm", "--json")[1])["training_rows"] is True
    assert line not in call("evaluate", "m", "b.svm")[1]
    with open("a.svm", "a") as file:
        file.write("1 1:1\n")  # new rows since the training
    assert line not in call("evaluate", "m", "a.svm")[1]
    assert json.loads(call("evaluate", "m", "a.svm", "--json")[1])["training_rows"] is False


def test_what_the_interval_is_worth_stands_below_it(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("a,w,y\n" + "1,2,yes\n-1,1,no\n" * 20)
    call("train", "a.csv", "--sample-weight", "w", "-m", "m", "-q")
    out = call("evaluate", "m", "a.csv")[1]
    assert out.index("interval") < out.index("the training rows") < out.index("weighted error")
