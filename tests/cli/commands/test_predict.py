"""``rosenblatt predict``: labels, scores, and the alignment of columns."""

import json
import select
import subprocess
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command import FOUR, TABLE, spawn
from sklearn.datasets import dump_svmlight_file

import rosenblatt
from rosenblatt import LMSRegressor, streams
from rosenblatt.learning.models.files import load


def test_predictions_equal_those_of_the_model(models, call):
    model = rosenblatt.load("four.rosenblatt")
    (batch,) = streams.open_stream("four.svm")
    labels, scores = model.predict(batch.X).tolist(), model.decision_function(batch.X).tolist()
    status, out, err = call("predict", "four.rosenblatt", "four.svm")
    assert (status, err) == (0, "")
    assert out == "".join(f"{label}\n" for label in labels)
    out = call("predict", "four.rosenblatt", "-", "--scores", stdin=FOUR)[1]
    assert out == "".join(f"{a}\t{b:g}\n" for a, b in zip(labels, scores, strict=True))
    out = call("predict", "four.rosenblatt", "four.svm", "--scores", "--json")[1]
    answers = [json.loads(line) for line in out.splitlines()]
    assert answers == [{"prediction": a, "score": b} for a, b in zip(labels, scores, strict=True)]


def test_scores_of_several_classes_are_in_the_order_of_the_classes(folder, call):
    call("train", "sklearn:wine", "-m", "m", "-q")
    out = call("predict", "m", "sklearn:wine", "--scores")[1]
    assert {len(line.split("\t")) for line in out.splitlines()} == {4}
    answer = json.loads(
        call("predict", "m", "sklearn:wine", "--scores", "--json")[1].split("\n")[0]
    )
    assert list(answer["scores"]) == ["class_0", "class_1", "class_2"]
    assert answer["prediction"] == max(answer["scores"], key=answer["scores"].get)


def test_columns_are_matched_by_name(models, call):
    expected = call("predict", "table.rosenblatt", "table.csv", "--scores")[1]
    Path("turned.csv").write_text("b,extra,a\n2,9,1\n0,9,-1\n1,9,3\n0,9,-2\n")
    status, out, err = call("predict", "table.rosenblatt", "turned.csv", "--scores")
    assert (status, out) == (0, expected)
    assert err == "note: turned.csv: ignored 1 column that the model does not know: extra.\n"
    assert call("predict", "table.rosenblatt", "turned.csv", "-q")[2] == ""
    piped = call("predict", "table.rosenblatt", "-", "--scores", stdin=TABLE)
    assert piped == (0, expected, "")
    Path("short.csv").write_text("a\n1\n")
    status, _, err = call("predict", "table.rosenblatt", "short.csv")
    assert status == 3
    assert err == "error: short.csv:1: no column 'b' of the kind number; the columns are 'a'.\n"


def test_a_score_beyond_the_floats_is_refused(folder, call):
    rows = "".join(
        f"{i % 7},{i * 3 % 7},{'xyz'[(i % 7 > 3) + (i * 3 % 7 > 3)]}\n" for i in range(60)
    )
    Path("t.csv").write_text(f"a,b,kind\n{rows}")
    Path("huge.csv").write_text("a,b,kind\n1,2,x\n1e308,-1e308,y\n")
    assert call("train", "t.csv", "-m", "m", "--rule", "logistic", "--eta0", "9", "-q")[0] == 0
    expected = (
        "error: huge.csv: example 2 has numbers so large that its score is out of the "
        "floating-point range: correct or scale them.\n"
    )
    for options in ["predict"], ["predict", "--json", "--proba"], ["evaluate"]:
        command, *rest = options
        assert call(command, "m", "huge.csv", *rest, "-q") == (3, "", expected)


def test_unknown_features_are_ignored_with_a_note(models, call):
    wide = "".join(f"{line} 70:5\n" for line in FOUR.splitlines())
    status, out, err = call("predict", "four.rosenblatt", "-", stdin=wide)
    assert (status, out) == call("predict", "four.rosenblatt", "four.svm")[:2]
    assert err.startswith("note: stdin: has features beyond the model's 3;")
    assert call("predict", "four.rosenblatt", "-", stdin="1 1:1\n") == (0, "1\n", "")


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_new_rows_need_no_weights_and_no_ids(folder, call, suffix):
    rows = pd.DataFrame({"x": [1.0, -1.0, 1.0, -2.0], "z": [2.0, 1.0, 2.0, 0.0]})
    write = {
        "csv": lambda frame, path: frame.to_csv(path, index=False),
        "parquet": lambda frame, path: frame.to_parquet(path),
        "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    }[suffix]
    train, new = f"train.{suffix}", f"new.{suffix}"
    write(rows.assign(mid=[*"abcd"], w=[1.0, 2.0, 1.0, 0.5], kind=[*"pqpq"]), train)
    write(rows, new)
    options = ["--target", "kind", "--schema", "mid:id,w:weight", "-q"]
    assert call("train", train, "-m", "m", *options)[0] == 0
    with_ids = call("predict", "m", train, "-q")[1]
    status, out, err = call("predict", "m", new, "-q")
    assert (status, err) == (0, "")
    assert [line.split("\t")[1] for line in with_ids.splitlines()] == out.splitlines()
    write(rows.assign(kind=[*"pqpq"]), train)
    status, _, err = call("train", train, "-m", "m", "--resume", *options)
    assert status == 3
    assert "column 'mid'" in err or "key 'w': found nothing, expected a weight" in err


def test_a_wrong_width_without_names(models, call):
    Path("two.csv").write_text("a,b\n1,2\n")
    status, _, err = call("predict", "four.rosenblatt", "two.csv")
    assert status == 3
    assert "two.csv: has 2 features, but the model has 3, and no names" in err


def test_the_index_base_is_that_of_the_training_data(folder, call):
    Path("zero.svm").write_text("1 0:1 1:1\n-1 0:-1 1:2\n1 0:2\n")
    call("train", "zero.svm", "-m", "m", "-q")
    assert rosenblatt.load("m").n_features_in_ == 2
    with_zero = call("predict", "m", "-", "--scores", stdin="1 0:0 1:1\n")[1]
    assert call("predict", "m", "-", "--scores", stdin="1 1:1\n")[1] == with_zero


def test_predictions_of_a_regressor(folder, call):
    X, y = np.arange(8.0).reshape(4, 2), np.arange(4.0)
    model = LMSRegressor(max_iter=1, tol=None).fit(X, y)
    rosenblatt.save(model, "m")
    dump_svmlight_file(X, y, "x.svm", zero_based=False)
    out = call("predict", "m", "x.svm")[1]
    assert np.allclose([float(line) for line in out.splitlines()], model.predict(X))
    assert isinstance(json.loads(call("inspect", "m", "--json")[1])["weights"][""], dict)
    assert call("inspect", "m")[0] == 0
    assert call("predict", "m", "x.svm", "--scores")[0] == 2
    assert call("evaluate", "m", "x.svm")[0] == 1


def test_a_model_with_names_refuses_columns_without(folder, call):
    assert call("train", "sklearn:iris", "-m", "iris")[0] == 0
    (folder / "plain.svm").write_text("1 1:2 2:3\n")
    code, _, err = call("predict", "iris", "plain.svm")
    assert code == 3
    assert "matches its 4 by name" in err


@pytest.mark.parametrize("kind", ["svmlight", "csv", "jsonl", "vw"])
def test_each_row_of_a_pipe_is_answered_before_the_next_is_written(folder, call, kind):
    rows = {
        "svmlight": ["1 1:1 2:0.5\n", "-1 1:-1\n"],
        "csv": ["1,2,yes\n", "-1,0,no\n"],
        "jsonl": ['{"a": 1, "y": "yes"}\n', '{"a": -1, "y": "no"}\n'],
        "vw": ["1 |f a:1\n", "-1 |f a:-1\n"],
    }[kind]
    header = "a,b,kind\n" if kind == "csv" else ""
    Path("a").write_text(header + "".join(rows) * 20)
    assert call("train", "a", "-m", "m", "-q", "--format", kind)[0] == 0
    expected = call("predict", "m", "a", "--format", kind)[1].splitlines(keepends=True)[:2]
    assert expected[0] != expected[1]
    process = spawn("predict", "m", "-", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(header)
    for row, answer in zip(rows * 3, expected * 3, strict=True):
        process.stdin.write(row)
        process.stdin.flush()
        assert select.select([process.stdout], [], [], 30.0)[0], "no answer within 30 s"
        assert process.stdout.readline() == answer
    assert process.communicate(timeout=30)[0] == ""
    assert process.returncode == 0


def test_a_pipe_may_begin_with_blank_lines(models, call):
    process = spawn("predict", "table.rosenblatt", "-", stdin=subprocess.PIPE, stdout=-1)
    for text in ("\n", "\n", TABLE):
        process.stdin.write(text)
        process.stdin.flush()
        time.sleep(0.1)
    expected = call("predict", "table.rosenblatt", "table.csv")[1]
    assert process.communicate(timeout=30)[0] == expected


@pytest.mark.parametrize("name", ["bare.svm", "bare.txt", "-"])
def test_svmlight_text_without_labels(models, call, name):
    bare = "".join(line.split(" ", 1)[1] + "\n" for line in FOUR.splitlines())
    Path("bare.svm").write_text(bare)
    Path("bare.txt").write_text(bare)
    expected = call("predict", "four.rosenblatt", "four.svm", "--scores")[1]
    stdin = bare if name == "-" else None
    answer = call("predict", "four.rosenblatt", name, "--scores", stdin=stdin)
    assert answer == (0, expected, "")
    status, _, err = call("evaluate", "four.rosenblatt", "bare.svm")
    assert status == 3
    assert "bare.svm:1:1: found '1:1', expected a label before the first index:value." in err


def test_unlabelled_refuses_svmlight_text_with_labels(models, call):
    Path("bare.svm").write_text("1:1 2:0.5\n1:-2\n")
    assert call("predict", "four.rosenblatt", "bare.svm", "--unlabelled") == (0, "1\n-1\n", "")
    status, out, err = call("predict", "four.rosenblatt", "four.svm", "--unlabelled")
    assert (status, out) == (3, "")
    assert "four.svm: its first row begins with a label: leave out --unlabelled." in err


def test_calibrated_probabilities_of_any_rule(folder, call):
    """Learned by train, those of Python, and learned on with --from, to the bit."""
    data = "sklearn:breast_cancer"
    call("train", data, "-m", "m", "--probabilities", "--average", "-q")
    (batch,) = streams.open_stream(data)
    answers = call("predict", "m", data, "--proba", "--json")[1].splitlines()
    probabilities = [list(json.loads(line)["probabilities"].values()) for line in answers]
    assert probabilities == load("m").predict_proba(batch.X).tolist()
    assert "log loss" in call("evaluate", "m", data)[1]
    call("train", data, "--from", "m", "-m", "on", "-q")
    call("train", data, "-m", "twice", "--probabilities", "--average", "-q", "--epochs", "2")
    on, twice = (call("predict", name, data, "--proba")[1] for name in ("on", "twice"))
    assert on == twice


def test_probabilities_of_a_kernel_model(folder, call):
    call("train", "sklearn:iris", "-m", "m", "--probabilities", "--kernel", "rbf", "-q")
    assert "log loss" in call("evaluate", "m", "sklearn:iris")[1]
    arguments = (
        "train",
        "sklearn:iris",
        "-m",
        "m",
        "--probabilities",
        "--kernel",
        "rbf",
        "--average",
    )
    status, _, err = call(*arguments)
    assert status == 2
    assert "leave out --average" in err
