"""Metrics on the screen and in ``--json`` of ``evaluate`` and ``validate``."""

import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console
from sklearn import metrics as sk

from rosenblatt import load, metrics
from rosenblatt.cli.display.confusion import ConfusionMatrix
from rosenblatt.cli.display.metrics import MetricsReport
from rosenblatt.learning.evaluation.intervals import wilson_interval
from rosenblatt.learning.evaluation.metrics import ScoreMetrics
from rosenblatt.streams import open_stream


def test_the_record_equals_scikit_learn(folder, call):
    options = ["--rule", "logistic", "--eta0", "0.01", "--shuffle", "-q"]
    assert call("train", "sklearn:wine", "-m", "m", *options)[0] == 0
    status, out, _ = call("evaluate", "m", "sklearn:wine", "--json", "--positive", "class_1")
    assert status == 0
    record = json.loads(out)
    X, y = open_stream("sklearn:wine").read()
    model = load("m").classifier
    del model.feature_names_in_
    predictions, scores = model.predict(X), model.decision_function(X)
    assert record["accuracy"] == pytest.approx(sk.accuracy_score(y, predictions))
    assert record["balanced_accuracy"] == pytest.approx(sk.balanced_accuracy_score(y, predictions))
    assert record["macro_f1"] == pytest.approx(sk.f1_score(y, predictions, average="macro"))
    f1 = sk.f1_score(y, predictions, average=None)
    assert [one["f1"] or 0.0 for one in record["by_class"]] == pytest.approx(f1)
    areas = [sk.roc_auc_score(y == name, scores[:, k]) for k, name in enumerate(model.classes_)]
    assert [one["auc"] for one in record["by_class"]] == pytest.approx(areas)
    assert record["auc"] == pytest.approx(np.mean(areas))
    matrix = sk.confusion_matrix(y, predictions)
    for k, one in enumerate(record["by_class"]):
        right = int(matrix[k, k])
        assert one["recall_interval"] == list(wilson_interval(right, int(matrix[k].sum())))
        predicted = int(matrix[:, k].sum())
        interval = list(wilson_interval(right, predicted)) if predicted else None
        assert one["precision_interval"] == interval
    assert record["auc_rows"] == 178
    probabilities, one_hot = model.predict_proba(X), y[:, None] == model.classes_
    assert record["log_loss"] == pytest.approx(sk.log_loss(y, probabilities))
    assert record["brier"] == pytest.approx(((probabilities - one_hot) ** 2).sum(axis=1).mean())
    assert record["pr_auc"] == pytest.approx(sk.average_precision_score(one_hot, scores))
    found = metrics.ece(y, probabilities)
    assert (record["ece"], record["ece_by_chance"]) == (found.ece, found.by_chance)
    assert record["reliability"] == [one._asdict() for one in found.bins]
    shares = np.unique(y, return_counts=True)[1] / 178
    assert record["baseline"]["log_loss"] == pytest.approx(-(shares * np.log(shares)).sum())
    assert record["baseline"]["brier"] == pytest.approx(1 - (shares**2).sum())
    assert record["baseline"]["pr_auc"] == pytest.approx(1 / 3)
    assert record["baseline"]["error"] == pytest.approx(record["constant_error"])
    assert record["baseline"]["balanced_accuracy"] == pytest.approx(1 / 3)
    assert record["positive"] == record["by_class"][1]
    assert sum(one["rows"] for one in record["confusions"]) == record["errors"]


def test_a_rare_class_is_not_hidden_by_a_small_error(folder, call):
    rows = ["1 1:1\n"] * 99 + ["-1 1:1\n"]
    Path("rare.svm").write_text("".join(rows))
    Path("train.svm").write_text("1 1:1\n-1 1:-1\n" * 5)
    call("train", "train.svm", "-m", "m", "-q")
    status, out, _ = call("evaluate", "m", "rare.svm")
    assert status == 0
    error, _, missed, advice = out.splitlines()[:4]
    assert re.match(r"error +1.0 %", error)
    assert re.match(r"missed class +-1: recall 0.0 % \(0 of 1 row\)", missed)
    assert "the error hides it: train with --class-weight balanced" in advice
    record = json.loads(call("evaluate", "m", "rare.svm", "--json")[1])
    assert record["missed"] == [-1]
    assert record["by_class"][0]["precision"] is None
    assert "missed" not in call("evaluate", "m", "train.svm")[1]


def test_a_log_loss_that_is_no_better_than_the_baseline_names_the_remedy(folder, call):
    run = ["train", "sklearn:breast_cancer", "-m", "m", "--rule", "logistic", "-q"]
    train, remedy = [*run, "--scale"], "--eta0 0.1 or 0.01, --scale if columns"
    call(*run)
    out = call("evaluate", "m", "sklearn:breast_cancer")[1]
    assert re.search(r"log loss +[0-9.]+, no better than the baseline's 0.6603: do not", out)
    assert remedy in out
    assert remedy in call("validate", *run[1:2], *run[4:6])[1]
    assert remedy in call(*run[:-1], "--holdout", "0.2", "--report", "r.html")[2]
    assert remedy in Path("r.html").read_text()
    call(*run, "--eta0", "0.1")
    assert "--eta0 0.01 or 0.001, --scale" in call("evaluate", "m", "sklearn:breast_cancer")[1]
    call(*train, "--eta0", "0.01")
    assert remedy not in call("evaluate", "m", "sklearn:breast_cancer")[1]


def test_the_remedy_of_the_default_names_no_rate_and_no_scale(folder, call):
    labels = np.arange(400) % 10 == 0
    noise = np.random.default_rng(0).normal(size=400).round(2)
    rows = [f"{label:d} 1:{x}\n" for label, x in zip(labels, noise, strict=True)]
    Path("rare.svm").write_text("".join(rows))
    weights = ("--class-weight", '{"1": 9}')
    call("train", "rare.svm", "-m", "m", "-q", *weights)
    outputs = [call("evaluate", "m", "rare.svm"), call("validate", "rare.svm", "-q", *weights)]
    for _, out, _ in outputs:
        assert "do not trust the probabilities" in " ".join(out.split())
        assert "more rows, or no --class-weight, helps" in out
        assert "--eta0" not in out


def test_metrics_of_two_classes_are_those_of_the_class_of_interest(folder, call):
    options = ["--rule", "logistic", "--eta0", "0.1", "--scale", "--holdout", "0.3", "-q", "--json"]
    status, out, _ = call("train", "sklearn:breast_cancer", "-m", "m", *options)
    assert status == 0
    held_out = json.loads(out)["holdout"]
    assert 0.0 < held_out["brier"] < held_out["baseline"]["brier"] < 0.25
    assert 0.0 < held_out["ece"] < 1.0
    assert 0.0 < held_out["ece_by_chance"] < 0.2
    X, y = open_stream("sklearn:breast_cancer").read()
    model = load("m").classifier
    del model.feature_names_in_
    scores = model.decision_function(X)
    for label, sign in (("malignant", 1.0), ("benign", -1.0)):
        out = call("evaluate", "m", "sklearn:breast_cancer", "--json", "--positive", label)[1]
        record = json.loads(out)
        assert record["pr_auc"] == pytest.approx(
            sk.average_precision_score(y == label, sign * scores)
        )
        assert record["positive"]["pr_auc"] == record["pr_auc"]
        assert record["baseline"]["pr_auc"] == pytest.approx((y == label).mean())
        assert record["brier"] == pytest.approx(
            sk.brier_score_loss(y == "malignant", model.predict_proba(X)[:, 1])
        )
    out = call("evaluate", "m", "sklearn:breast_cancer")[1]
    ece, by_chance = (f"{record[name]:.4f}" for name in ("ece", "ece_by_chance"))
    assert re.search(rf"calibration error +{ece} \(a calibrated model: up to {by_chance}\)", out)
    assert re.search(r"Brier score +0\.\d{4} +0\.2338", out)


def test_a_model_without_probabilities_has_no_metrics_of_them(models, call):
    call("train", "four.svm", "-m", "four.rosenblatt", "--rule", "perceptron", "-q")
    record = json.loads(call("evaluate", "four.rosenblatt", "four.svm", "--json")[1])
    names = ("log_loss", "brier", "ece", "ece_by_chance")
    assert [record[name] for name in names] == [None] * 4
    assert record["reliability"] == []
    out = call("evaluate", "four.rosenblatt", "four.svm")[1]
    assert "Brier" not in out
    assert "calibration" not in out


def test_a_log_loss_of_one_class_has_no_baseline(folder, call):
    Path("two.svm").write_text("+1 1:1\n-1 1:-1\n" * 5)
    Path("one.svm").write_text("+1 1:1\n" * 5)
    call("train", "two.svm", "-m", "m", "--rule", "logistic", "-q")
    assert "no better" not in call("evaluate", "m", "one.svm")[1]


def test_one_class_in_the_data_has_no_area(models, call):
    Path("one.svm").write_text("+1 1:1 2:0.5\n+1 1:-2\n")
    out = call("evaluate", "four.rosenblatt", "one.svm")[1]
    assert "AUC" not in out
    record = json.loads(call("evaluate", "four.rosenblatt", "one.svm", "--json")[1])
    assert (record["auc"], record["baseline"]["auc"]) == (None, None)
    recalls = [one["recall"] for one in record["by_class"]]
    assert recalls == [None, 1 - record["error"]]


def test_a_validation_has_metrics_of_its_predictions(folder, call):
    validate = ("validate", "sklearn:digits", "--rule", "perceptron")
    status, out, _ = call(*validate, "--positive", "8", "-q")
    assert status == 0
    assert re.search(r"positive class +8: precision [0-9.]+ %, recall [0-9.]+ %, F1 [0-9.]+ %", out)
    assert re.search(r"macro F1 +[0-9.]+ %", out)
    assert re.search(r"AUC, one-vs-rest +0.9[0-9]+ +0.5000", out)
    assert "log loss" not in out
    record = json.loads(call(*validate, "--json", "-q")[1])
    assert record["log_loss"] is record["positive"] is None
    assert record["auc"] > 0.9
    assert record["accuracy"] == pytest.approx(1 - record["error"])
    correct = [row[k] for k, row in enumerate(record["confusion"])]
    assert [one["recall"] * one["rows"] for one in record["by_class"]] == pytest.approx(correct)
    err = call(*validate, "--positive", "11")[2]
    assert "no row of sklearn:digits has this label" in err


def test_many_classes_show_the_worst(capsys):
    from rosenblatt.cli.display import terminal

    names = [f"c{k}" for k in range(30)]
    confusion = ConfusionMatrix(names)
    for k, name in enumerate(names):
        confusion.add([name] * 40, [name] * (40 - k) + ["c0"] * k)
    report = MetricsReport(confusion)
    report.show(terminal.stdout())
    out = capsys.readouterr().out
    assert "the 20 of 30 with the lowest F1" in out
    assert re.search(r"^ *c29 ", out, re.M)
    assert not re.search(r"^ *c5 ", out, re.M)
    assert len(report.record({})["by_class"]) == 30
    assert len(report.record({})["confusions"]) == 20


LONG = "a very long name of a class, " * 4


@pytest.mark.parametrize(("width", "long"), [(60, LONG), (80, LONG), (120, LONG), (60, "猫" * 60)])
def test_numbers_are_never_cut_by_a_narrow_terminal(width, long):
    names = [long, "b", "[bold]c"]
    confusion = ConfusionMatrix(names)
    confusion.add(names * 4000, names * 3999 + ["b", "b", "b"])
    scores = ScoreMetrics(3)
    scores.add(np.arange(12000) % 3, np.random.default_rng(0).random((12000, 3)))
    console = Console(width=width, file=io.StringIO())
    MetricsReport(confusion, scores).show(console)
    lines = console.file.getvalue().split("Classes\n")[1].splitlines()[:4]
    assert all(cell_len(line) <= width for line in lines)
    assert lines[0].split()[:2] == ["class", "rows"]
    assert lines[3].split()[0] == "[bold]c"
    shown = lines[0].split()[1:]
    assert ("AUC" in shown, "predicted" in shown) == (width >= 80, width >= 80)
    assert [line.count("…") for line in lines] == [0, 1, 0, 0]  # the long name alone


@pytest.mark.parametrize(("width", "has_intervals"), [(80, False), (120, True)])
def test_a_wide_terminal_has_the_intervals_of_both_shares_and_a_narrow_one_none(
    width, has_intervals
):
    confusion = ConfusionMatrix(["ham", "spam"])
    confusion.add(["ham"] * 90 + ["spam"] * 10, ["ham"] * 88 + ["spam"] * 12)
    console = Console(file=io.StringIO(), width=width)
    MetricsReport(confusion).show(console)
    table = console.file.getvalue()
    assert ("precision 95 %" in table) == ("recall 95 %" in table) == has_intervals
    low, high = wilson_interval(10, 12)
    assert (f"{100 * low:.1f}–{100 * high:.1f} %" in table) == has_intervals
