"""Held-out rows and early stopping."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from profiles import scaled
from sklearn import metrics as sk

import rosenblatt
from rosenblatt import Perceptron
from rosenblatt.cli.report.second_pass import review_training_data
from rosenblatt.cli.training.holdout import HeldOut, StratifiedChoice
from rosenblatt.learning.evaluation.intervals import wilson_interval
from rosenblatt.streams import Batch, open_stream
from rosenblatt.streams.core.batch import csr
from rosenblatt.streams.core.options import ReadOptions


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working folder with noisy rows."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 8))
    y = (X[:, 0] + rng.normal(scale=0.8, size=400) > 0).astype(int)
    lines = [
        f"{label} " + " ".join(f"{j}:{v:.4f}" for j, v in enumerate(row, 1)) + "\n"
        for row, label in zip(X, y, strict=True)
    ]
    Path("a.svm").write_text("".join(lines))


def split_rows(share, seed=0):
    """Split rows into learned and held-out ones."""
    X, y = open_stream("a.svm").read()
    held = StratifiedChoice(share, seed)(y)
    return X[~held], y[~held], X[held], y[held]


def test_held_out_rows_are_evaluated_and_never_learned(call):
    status, out, err = call("train", "a.svm", "-m", "m", "--holdout", 0.25, "--json")
    assert status == 0
    X, y, other, truth = split_rows(0.25)
    record = json.loads(out)
    assert record["examples"] == len(y)
    model = Perceptron(rule="auto", shuffle=False).partial_fit(X, y)
    np.testing.assert_array_equal(rosenblatt.load("m").coef_, model.coef_)
    errors = int((model.predict(other) != truth).sum())
    counts = {
        "examples": len(truth),
        "errors": errors,
        "error": errors / len(truth),
        "interval": list(wilson_interval(errors, len(truth))),
        "pass": 1,
    }
    assert record["holdout"] | counts == record["holdout"]
    assert f"{errors} of {len(truth)} rows, after epoch 1" in " ".join(err.split())


@pytest.mark.parametrize("rule", ["perceptron", "logistic"])
def test_the_metrics_of_the_saved_model_on_held_out_rows(call, rule):
    options = ["--holdout", 0.25, "--rule", rule, "--epochs", 4]
    status, out, err = call("train", "a.svm", "-m", "m", "--json", *options)
    assert status == 0
    record = json.loads(out)["holdout"]
    *_, X, y = split_rows(0.25)
    model = rosenblatt.load("m")
    predicted, scores = model.predict(X), model.decision_function(X)
    assert record["errors"] == (predicted != y).sum()
    assert record["balanced_accuracy"] == pytest.approx(sk.balanced_accuracy_score(y, predicted))
    assert record["macro_f1"] == pytest.approx(sk.f1_score(y, predicted, average="macro"))
    assert [one["label"] for one in record["by_class"]] == model.classes_.tolist()
    assert np.array_equal(record["confusion"], sk.confusion_matrix(y, predicted))
    assert record["auc"] == pytest.approx(sk.roc_auc_score(y, scores))
    loss = sk.log_loss(y, model.predict_proba(X)) if rule == "logistic" else None
    assert record["log_loss"] == (None if loss is None else pytest.approx(loss))
    table = err.partition("held-out error")[2]
    assert "Held-out rows" in table
    assert re.search("balanced accuracy +[0-9.]+ % +50.0 %", table)
    assert ("log loss" in table) == (rule == "logistic")


def test_a_rare_class_of_the_held_out_rows_is_not_hidden(call):
    rng = np.random.default_rng(5)
    Path("rare.svm").write_text(
        "".join(f"{1 if rng.random() < 0.03 else -1} 1:1 2:{k % 2}\n" for k in range(800))
    )
    err = call("train", "rare.svm", "-m", "m", "--holdout", 0.5, "--average", "--epochs", 5)[2]
    assert re.search(r"missed class +1: recall 0.0 % \(0 of \d+ rows\)", err)
    assert "--class-weight balanced" in err


@pytest.mark.parametrize("order", ["in order", "shuffled"])
def test_the_best_epoch_is_kept(call, order):
    options = ["--shuffle"] if order == "shuffled" else []
    stop = ["--epochs", 50, "--early-stop", 3]
    options = [*options, "--rule", "perceptron"]
    train = ["train", "a.svm", "-m", "m", "--holdout", 0.25, "--json", *options]
    record = json.loads(call(*train, *stop)[1])
    X, y, other, truth = split_rows(0.25)
    model, dice, errors, weights = Perceptron(shuffle=False), np.random.default_rng(0), [], []
    for _ in range(50):
        rows = dice.permutation(len(y)) if order == "shuffled" else np.arange(len(y))
        model.partial_fit(X[rows], y[rows])
        errors.append(int((model.predict(other) != truth).sum()))
        weights.append(model.coef_)
        if len(errors) - 1 - int(np.argmin(errors)) >= 3:
            break
    best = int(np.argmin(errors))
    assert record["epochs"] == len(errors) < 50
    assert (record["holdout"]["pass"], record["holdout"]["errors"]) == (best + 1, errors[best])
    np.testing.assert_array_equal(rosenblatt.load("m").coef_, weights[best])
    assert not record["converged"]
    again = json.loads(call(*train, *stop, "--resume")[1])
    assert again["holdout"] == record["holdout"]
    assert again["epochs"] == record["epochs"]


def test_the_held_out_rows_do_not_depend_on_batches():
    X, y = np.arange(100.0)[:, None], np.arange(100) % 3
    results = []
    for size in (1, 7, 100):
        batches = [Batch(X[i : i + size], y[i : i + size], i) for i in range(0, 100, size)]
        held = HeldOut("rows", 0.3, 5)
        for _ in range(2):
            learned = np.concatenate([batch.X for batch in held.split(batches)]).ravel().tolist()
            out = np.concatenate([batch.X for batch in held.batches]).ravel().tolist()
            assert sorted(learned + out) == X.ravel().tolist()
            assert held.numbers == out
            results.append(out)
    assert all(out == results[0] for out in results)
    other = HeldOut("rows", 0.3, 6)
    assert list(other.split([Batch(X, y, 0)]))
    assert other.numbers != results[0]


@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
def test_each_class_has_its_share_and_each_row_the_same_chance(share):
    y = np.where(np.arange(643) % 7 == 0, "rare", "often").astype(object)
    chosen = np.array([StratifiedChoice(share, seed)(y) for seed in range(scaled(400))])
    for label in ("rare", "often"):
        rows = y == label
        counts = chosen[:, rows].sum(1) - share * rows.sum()
        assert np.abs(counts).max() < 2.0  # independent draws: up to 30
        assert abs(counts.mean()) < 0.15  # an unbiased share
    deviation = np.sqrt(share * (1 - share) / len(chosen))
    assert np.abs(chosen.mean(0) - share).max() < 5 * deviation


def test_the_choice_has_no_period():
    chosen = StratifiedChoice(0.1, 0)(np.zeros(1000)).reshape(100, 10).sum(0)
    assert (chosen > 0).all()
    assert chosen.sum() == pytest.approx(100, abs=1)


def test_the_share_of_a_small_file_is_near_the_share_asked_for(call):
    lines = [f"{'+1' if k % 6 == 5 else '-1'} 1:{k % 5}\n" for k in range(643)]
    Path("r.svm").write_text("".join(lines))
    err = call("train", "r.svm", "-m", "m", "--holdout", 0.3)[2]
    (rows,) = re.findall(r"of ([0-9]+) rows, after epoch 1", err)
    assert abs(int(rows) - 193) <= 1
    assert "interval of this model; another split (--seed) gives another" in err


def test_unknown_labels_and_features_in_held_out_rows():
    held = HeldOut("rows", 0.5, 0)
    wide = csr(np.ones(2), np.array([0, 9]), np.array([0, 2]), 10).tocsr()
    held.batches = [Batch(wide, np.array([1]), 0), Batch(wide[:, :1], np.array([7]), 1)]
    model = Perceptron(shuffle=False).partial_fit([[1.0, 0.0], [-1.0, 0.0]] * 2, [1, 0] * 2)
    held.end_epoch(model, 1)
    assert held.errors == [1]


def test_an_epoch_evaluated_again_counts_once():
    held = HeldOut("rows", 0.5, 0, 2, [1, 1])
    held.batches = [Batch(np.array([[1.0]]), np.array([0]), 0)]
    model = Perceptron(shuffle=False).partial_fit([[1.0], [-1.0]] * 2, [1, 0] * 2)
    held.end_epoch(model, 2)
    assert held.errors == [1, 1]
    assert (held.best_epoch, held.should_stop) == (1, False)
    held.end_epoch(model, 3)
    assert held.should_stop


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--early-stop"], "give --holdout 0.1, too"),
        (["--early-stop", 3, "--holdout", 0.1], "give --epochs N, too"),
        (["--holdout", 0], "--holdout"),
        (["--holdout", 1], "--holdout"),
    ],
)
def test_missing_options_are_named(call, options, problem):
    status, _, err = call("train", "a.svm", "-m", "m", *options)
    assert status == 2
    assert problem in err


def test_too_few_rows(call):
    Path("two.svm").write_text("1 1:1\n0 2:1\n")
    for share, problem in [(0.01, "none is left to hold out"), (0.99, "none is left to learn")]:
        status, _, err = call("train", "two.svm", "-m", "m", "--holdout", share)
        assert status == 3
        assert f"two.svm: too few rows for --holdout {share}: {problem}" in err


def test_early_stopping_is_reported(call):
    train = ["train", "a.svm", "-m", "m", "--holdout", 0.25, "--rule", "perceptron"]
    train += ["--epochs", 50, "--early-stop", 2]
    for more in ([], ["--resume"]):
        status, _, err = call(*train, *more)
        assert status == 0
        assert "; stopped early: the held-out error has not decreased for 2 epochs" in " ".join(
            err.split()
        )
    status, _, err = call(*train[:-3], 2, "--early-stop", 2)
    assert status == 0
    assert "2; not converged" in err


def test_the_file_of_the_best_epoch_does_not_overwrite_others(call):
    train = ["train", "a.svm", "-m", "m", "--holdout", 0.25, "--epochs", 9, "--early-stop", 2]
    Path("m.best").write_text("mine")
    status, _, err = call(*train)
    assert status == 1
    assert "m.best: exists and is no model, so it is not overwritten" in err
    assert Path("m.best").read_text() == "mine"
    assert not Path("m").exists()


@pytest.mark.parametrize("classes", [2, 3])
def test_the_report_includes_held_out_rows(call, classes):
    labels = np.arange(60) % classes
    labels[5] = 9  # a class of one row, which is held out
    seed = next(seed for seed in range(99) if StratifiedChoice(0.25, seed)(labels)[5])
    held = StratifiedChoice(0.25, seed)(labels)
    text = "".join(f"{label} 1:{label % 4} 2:{k % 7}\n" for k, label in enumerate(labels))
    Path("b.svm").write_text(text)
    options = ["--holdout", 0.25, "--seed", seed, "--report", "r.html"]
    status, _, err = call("train", "b.svm", "-m", "m", *options)
    assert status == 0, err
    html = Path("r.html").read_text()
    assert "Error on the held-out rows, after training" in html
    assert f"of {held.sum()} rows." in html
    assert f"Margin of each row of the training data and the {held.sum()} rows held out:" in html
    shown = review_training_data("m", "b.svm", ReadOptions(), quiet=True)
    assert shown.confusion.examples == 60
    assert sum(count for *_, count in shown.margins.bins(60)) == 59


def test_early_stopping_where_the_rows_that_are_left_have_one_label(tmp_path, call):
    path = tmp_path / "four.svm"
    path.write_text("1 1:1\n-1 1:-1\n1 1:2\n1 1:3\n")
    seed = next(seed for seed in range(99) if StratifiedChoice(0.5, seed)([1, -1, 1, 1])[1])
    args = ("--holdout", 0.5, "--early-stop", 2, "--epochs", 3, "--seed", seed)
    status, _, err = call("train", path, "-m", tmp_path / "m", *args)
    assert status == 3
    assert "every label is 1; a classifier needs examples of two classes" in err


def test_quiet_leaves_the_error_and_the_verdict(call):
    train = ["train", "a.svm", "-m", "m", "-q"]
    assert call(*train) == (0, "", "")
    lines = call(*train, "--holdout", 0.25, "--certify")[2].splitlines()
    assert lines[0].startswith("held-out error")
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == [
        "held-out",
        "certificate",
    ]
