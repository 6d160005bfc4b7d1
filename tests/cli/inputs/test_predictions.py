"""Thresholds, probabilities and labels, known and unknown, in ``predict`` and ``evaluate``."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from rosenblatt import OnlinePerceptron, PassiveAggressiveClassifier, load, save
from rosenblatt.cli.display.confusion import ConfusionMatrix
from rosenblatt.cli.inputs import predictions
from rosenblatt.cli.inputs.models import open_model
from rosenblatt.cli.inputs.predictions import Predictor, check_known_labels, label_codes
from rosenblatt.cli.options.predictions import PredictionOptions
from rosenblatt.streams import open_stream


@pytest.fixture
def logistic(folder, call):
    """Models of 200 rows with labels -1 and 1, and of three classes."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = np.where(X[:, 0] + 0.8 * rng.standard_normal(200) > 0.5, 1, -1)
    rows = zip(y, X, strict=True)
    text = [f"{label} 1:{a:.3f} 2:{b:.3f} 3:{c:.3f}\n" for label, (a, b, c) in rows]
    Path("two.svm").write_text("".join(text))
    assert call("train", "two.svm", "-m", "two", "--rule", "logistic", "-q")[0] == 0
    wine = ["train", "sklearn:wine", "-m", "three", "--shuffle", "--eta0", "0.01", "-q"]
    assert call(*wine, "--rule", "logistic")[0] == 0


def lines(out):
    return [line.split("\t") for line in out.splitlines()]


def test_probabilities_of_two_classes(logistic, call):
    answers = lines(call("predict", "two", "two.svm", "--proba")[1])
    X, _ = open_stream("two.svm").read()
    scores = load("two").decision_function(X)
    np.testing.assert_allclose([float(row[2]) for row in answers], expit(scores), rtol=1e-4)
    assert [row[0] for row in answers] == ["1" if score > 0 else "-1" for score in scores]
    assert all(abs(float(row[1]) + float(row[2]) - 1) < 1e-5 for row in answers)


def test_probabilities_of_more_classes_as_json(logistic, call):
    out = call("predict", "three", "sklearn:wine", "--proba", "--json")[1]
    answers = [json.loads(line) for line in out.splitlines()]
    classes = ("class_0", "class_1", "class_2")
    assert {tuple(answer["probabilities"]) for answer in answers} == {classes}
    assert all(sum(answer["probabilities"].values()) == pytest.approx(1) for answer in answers)
    for answer in answers:  # sigmoids of large scores are equal
        best = max(answer["probabilities"].values())
        assert answer["probabilities"][answer["prediction"]] == best


def test_models_without_probabilities_say_what_to_do(folder, call):
    assert call("train", "four.svm", "-m", "m", "--rule", "perceptron", "-q")[0] == 0
    status, out, err = call("predict", "m", "four.svm", "--proba")
    assert (status, out) == (2, "")
    assert "m has the rule perceptron, whose scores are no probabilities: " in err
    assert "train with --probabilities and without --vote, or use --scores" in err
    status, _, err = call("predict", "m", "four.svm", "--proba", "--scores")
    assert status == 2
    assert "--scores and --proba exclude each other" in err


def test_a_model_without_the_parameter_rule_has_no_probabilities(folder, call):
    save(PassiveAggressiveClassifier().fit([[0.0, 1.0], [1.0, 0.0]], [-1, 1]), "pa")
    Path("two.svm").write_text("1 1:1\n-1 2:1\n")
    status, _, err = call("predict", "pa", "two.svm", "--proba")
    assert status == 2
    assert "pa has the rule PA1, whose scores are no probabilities" in err


def test_an_online_model_has_probabilities(folder, call):
    rows = [({"a": 1.0}, "yes"), ({"b": 1.0}, "no")] * 5
    model = OnlinePerceptron(rule="logistic")
    for x, label in rows:
        model.learn_one(x, label)
    save(model, "m")
    Path("rows.jsonl").write_text('{"a": 1}\n{"b": 1}\n')
    answers = lines(call("predict", "m", "rows.jsonl", "--proba")[1])
    assert [row[0] for row in answers] == ["yes", "no"]
    assert float(answers[0][2]) > 0.5 > float(answers[1][2])


@pytest.mark.parametrize("positive", ["1", "-1"])
def test_a_threshold_on_the_score(logistic, call, positive):
    X, y = open_stream("two.svm").read()
    scores = load("two").decision_function(X) * int(positive)
    threshold = float(np.median(scores))
    options = ["--positive", positive, f"--threshold={threshold!r}"]
    answers = [int(x) for x in call("predict", "two", "two.svm", *options)[1].split()]
    expected = np.where(scores >= threshold, int(positive), -int(positive))
    assert answers == expected.tolist()
    record = json.loads(call("evaluate", "two", "two.svm", *options, "--json")[1])
    assert record["errors"] == np.count_nonzero(expected != y)
    assert record["threshold"] == threshold
    assert record["positive"]["predicted"] == np.count_nonzero(scores >= threshold)


def test_a_threshold_on_the_probability(logistic, call):
    options = ["--threshold", "0.8", "--proba"]
    answers = lines(call("predict", "two", "two.svm", *options)[1])
    assert {row[0] for row in answers} == {"-1", "1"}
    assert all((row[0] == "1") == (float(row[2]) >= 0.8) for row in answers)
    record = json.loads(call("evaluate", "two", "two.svm", *options, "--json")[1])
    assert record["by_class"][1]["predicted"] == [row[0] for row in answers].count("1")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["three", "sklearn:wine", "--threshold", "1"], "two classes; three has 3 classes"),
        (["two", "two.svm", "--threshold", "2", "--proba"], "must lie between 0 and 1; got 2"),
        (["two", "two.svm", "--threshold", "nan"], "'nan' is not a finite number"),
        (["two", "two.svm", "--threshold", "0", "--positive", "2"], "'2' is no class of two; its"),
    ],
)
def test_options_that_do_not_go_with_the_model(logistic, call, args, message):
    for command in ("predict", "evaluate"):
        status, out, err = call(command, *args)
        assert (status, out) == (2, "")
        assert message in err


def test_labels_scores_and_probabilities_are_those_of_the_model(logistic, call):
    call("train", "sklearn:wine", "-m", "voted", "--vote", "-q")
    call("train", "two.svm", "-m", "kernel", "--kernel", "rbf", "--rule", "logistic", "-q")
    for path, data in (("three", "sklearn:wine"), ("voted", "sklearn:wine"), ("kernel", "two.svm")):
        model, (X, _) = open_model(path).model, open_stream(data).read()
        unset = dict.fromkeys(("threshold", "positive", "cost", "sets"))
        options = PredictionOptions(proba=False, **unset)
        has_probabilities = path != "voted"
        predict = Predictor(model, path, options, probabilities=has_probabilities)
        labels, scores, probabilities, sets = predict(X)
        assert sets is None
        np.testing.assert_array_equal(labels, model.predict(X))
        np.testing.assert_array_equal(scores, model.decision_function(X))
        if has_probabilities:
            np.testing.assert_array_equal(probabilities, model.predict_proba(X))
    status, _, err = call("predict", "voted", "sklearn:wine", "--proba")
    assert (status, "has the rule perceptron, voted" in err) == (2, True)


def test_options_without_an_effect(logistic, call):
    status, _, err = call("predict", "two", "two.svm", "--positive", "1")
    assert (status, "--positive goes with --threshold or --cost" in err) == (2, True)
    status, _, err = call("evaluate", "two", "two.svm", "--proba")
    assert (status, "--proba goes with --threshold" in err) == (2, True)


def test_costs_are_kept_in_the_model_and_those_of_the_command_line_come_first(folder, call):
    data, rule = "sklearn:breast_cancer", ["--rule", "logistic", "--eta0", "0.1", "--scale", "-q"]
    assert call("train", data, "-m", "plain", *rule)[0] == 0
    assert call("train", data, "-m", "costs", *rule, "--cost", "1", "24")[0] == 0
    p = [float(line[2]) for line in lines(call("predict", "plain", data, "--proba")[1])]

    def labels(model, *options):
        return [line[0] for line in lines(call("predict", model, data, *options)[1])]

    def by(threshold):
        return ["malignant" if share >= threshold else "benign" for share in p]

    assert labels("plain") == by(0.5) != by(0.04)
    assert labels("costs") == labels("plain", "--cost", "1", "24") == by(0.04)
    assert labels("costs", "--cost", "3", "1") == by(0.75)
    assert labels("plain", "--cost", "1", "3", "--positive", "benign") == by(0.75)
    assert labels("costs", "--proba") == by(0.04)
    assert labels("costs", "--threshold", "0.75", "--proba") == by(0.75)  # the model's give way
    assert load("costs").costs_ == (1.0, 24.0)
    inspected = " ".join(call("inspect", "costs")[1].split())
    assert "1 for a false malignant, 24 for a missed one" in inspected
    assert "_decisions" not in inspected


def test_the_mean_cost_stands_beside_that_of_the_best_constant(folder, call):
    data, rule = "sklearn:breast_cancer", ["--rule", "logistic", "--eta0", "0.1", "--scale", "-q"]
    options = [*rule, "--cost", "2", "5", "--holdout", "0.3", "--json"]
    held_out = json.loads(call("train", data, "-m", "m", *options)[1])["holdout"]
    benign, malignant = map(sum, held_out["confusion"])
    rows = benign + malignant
    false = held_out["confusion"][0][1], held_out["confusion"][1][0]
    assert held_out["cost"] == {
        "false_positive": 2.0,
        "false_negative": 5.0,
        "positive": "malignant",
        "threshold": pytest.approx(2 / 7),
        "mean_cost": pytest.approx((2 * false[0] + 5 * false[1]) / rows),
        "constant": "malignant",
        "constant_cost": pytest.approx(2 * benign / rows),
    }
    record = json.loads(call("evaluate", "m", data, "--cost", "1", "1", "--json")[1])
    assert record["cost"]["mean_cost"] == pytest.approx(record["error"])
    assert record["cost"]["constant"] == "benign"
    assert record["cost"]["constant_cost"] == pytest.approx(212 / 569)
    out = call("evaluate", "m", data)[1]
    assert re.search(r"mean cost +0\.\d+ a row \(best constant, always malignant: 1\.255\)", out)
    assert json.loads(call("evaluate", "m", data, "--threshold", "0", "--json")[1])["cost"] is None


TWO, THREE = ["two", "two.svm"], ["three", "sklearn:wine"]
NEW = ["train", "two.svm", "-m", "x"]
PERCEPTRON = ["--rule", "perceptron"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            [*NEW, *PERCEPTRON, "--cost", "1", "2"],
            "--cost needs probabilities: give --probabilities",
        ),
        ([*NEW, "--rule", "logistic", "--cost", "1", "0"], "0.0 is not in the range x>0"),
        ([*NEW, "--rule", "logistic", "--cost", "1", "inf"], "'inf' is not a finite number"),
        ([*NEW, "--cost", "1"], "requires 2 arguments"),
        (["predict", *TWO, "--cost", "1", "2", "--threshold", "0"], "give one of them"),
        (["evaluate", *TWO, "--cost", "1", "2", "--threshold", "0"], "give one of them"),
        (["predict", *THREE, "--cost", "1", "2"], "a model of two classes; three has 3 classes"),
        (["predict", "plain", "two.svm", "--cost", "1", "2"], "--cost needs probabilities"),
    ],
)
def test_costs_that_mean_nothing_are_refused(logistic, call, args, message):
    call("train", "two.svm", "-m", "plain", *PERCEPTRON, "-q")
    status, out, err = call(*args)
    assert (status, out) == (2, "")
    assert message in err
    assert not Path("x").exists()


def test_costs_of_three_classes_are_refused_in_training(folder, call):
    options = ["-m", "x", "--rule", "logistic", "--cost", "1", "2", "-q"]
    status, _, err = call("train", "sklearn:wine", *options)
    assert status != 0
    assert "costs are those of the two errors of two classes" in err
    assert "in a command, leave out --cost, and --from with a model that has costs" in err
    assert not Path("x").exists()


def test_a_run_that_goes_on_keeps_the_costs(folder, call):
    rule = ["--rule", "logistic", "--eta0", "0.1", "-q"]
    Path("a.csv").write_text("x,y\n" + "1,up\n-1,down\n" * 20)
    call("train", "a.csv", "-m", "m", *rule, "--cost", "1", "9")
    assert call("train", "a.csv", "--from", "m", "-q")[0] == 0
    assert load("m").costs_ == (1.0, 9.0)
    assert call("train", "a.csv", "--from", "m", "-q", "--cost", "1", "4")[0] == 0
    assert load("m").costs_ == (1.0, 4.0)
    call("train", "a.csv", "-m", "r", *rule, "--cost", "1", "9")
    with open("a.csv", "a") as file:
        file.write("1,up\n-1,down\n" * 20)
    assert call("train", "a.csv", "-m", "r", *rule, "--cost", "1", "9", "--resume")[0] == 0
    assert load("r").costs_ == (1.0, 9.0)


def test_sets_are_those_of_the_held_out_scores_that_the_model_keeps(folder, call):
    data = "sklearn:digits"
    rule = ["--rule", "logistic", "--eta0", "0.01", "--scale", "--holdout", "0.3", "-q"]
    assert call("train", data, "-m", "m", *rule, "--sets")[0] == 0
    assert call("train", data, "-m", "plain", *rule)[0] == 0
    model, (X, y) = load("m").classifier, open_stream(data).read()
    assert len(model.set_scores_) == 537
    sets = model.predict_set(X, 0.95)
    answers = lines(call("predict", "m", data, "--sets", "0.95")[1])
    expected = [[str(label) for label in model.classes_[row]] for row in sets]
    assert [answer[1:] for answer in answers] == expected
    assert [answer[0] for answer in answers] == [str(label) for label in model.predict(X)]
    out = call("predict", "m", data, "--sets", "0.95", "--json")[1]
    objects = map(json.loads, out.splitlines())
    assert [one["set"] for one in objects] == [model.classes_[row].tolist() for row in sets]
    record = json.loads(call("evaluate", "m", data, "--sets", "0.95", "--json")[1])["sets"]
    covered = sets[np.arange(len(y)), np.searchsorted(model.classes_, y)].mean()
    size = sets.sum(axis=1).mean()
    assert record == {
        "coverage": 0.95,
        "covered": pytest.approx(covered),
        "labels": pytest.approx(size),
        "rows": len(y),
    }
    out = call("evaluate", "m", data, "--sets", "0.95")[1]
    assert f"{100 * covered:.1f} % have the label (promised: 95.0 %)" in out
    assert f"{size:.2f} labels in a set" in out
    assert "by the scores of 537 held-out rows" in call("inspect", "m")[1]
    status, _, err = call("predict", "plain", data, "--sets", "0.9")
    assert (status, "plain has none: train with --holdout 0.2 --sets." in err) == (2, True)
    call("train", data, "-m", "scores", "--rule", "perceptron", "-q")
    status, _, err = call("predict", "scores", data, "--sets", "0.9")
    assert (status, "none: train with --probabilities --holdout 0.2 --sets." in err) == (2, True)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([*NEW, "--rule", "logistic", "--sets"], "--sets needs held-out rows: give --holdout"),
        (
            [*NEW, *PERCEPTRON, "--sets", "--holdout", "0.2"],
            "--sets needs probabilities: give --probabilities",
        ),
        (["predict", *TWO, "--sets", "1.5"], "--sets"),
        (["predict", *TWO, "--sets", "0.9", "--proba"], "leave out --scores and --proba"),
        (
            ["validate", "two.svm", *PERCEPTRON, "--sets", "0.9"],
            "--sets needs probabilities: give --probabilities",
        ),
        (["validate", "two.svm", "--sets", "0.9", "--delay", "9"], "it excludes --delay"),
    ],
)
def test_sets_that_mean_nothing_are_refused(logistic, call, args, message):
    status, out, err = call(*args)
    assert (status, out) == (2, "")
    assert message in err
    assert not Path("x").exists()


def test_codes_of_labels_match_by_text():
    assert label_codes(np.array(["b", "a", "c"]), ["a", "b"]).tolist() == [1, 0, -1]
    assert label_codes(np.array([2, 2, 1]), ["1", "2"]).tolist() == [1, 1, 0]
    assert label_codes(np.array([0.5, 2.0]), ["1", "2"]).tolist() == [-1, 1]


@pytest.fixture
def incomes(folder, call):
    """A model of labels with signs, and a file whose labels end in a full stop."""
    text = "x,income\n" + "1,>50K\n-1,<=50K\n" * 20
    Path("train.csv").write_text(text)
    Path("test.csv").write_text(text.replace("50K", "50K."))
    assert call("train", "train.csv", "-m", "m", "-q")[0] == 0


@pytest.mark.parametrize("options", [(), ("--json",), ("-q",)])
def test_data_without_a_known_label_is_refused_with_the_nearest(incomes, call, options):
    status, out, err = call("evaluate", "m", "test.csv", *options)
    assert (status, out) == (3, "")
    assert err.startswith("error: test.csv: no row has a label that the model knows.")
    assert "Its classes are <=50K, >50K" in err
    assert "'<=50K.' (20 rows; did you mean '<=50K'?)" in err
    assert "'>50K.' (20 rows; did you mean '>50K'?)" in err
    assert "--target" in err


def test_of_many_unknown_labels_only_those_shown_are_compared(monkeypatch):
    compared = []
    monkeypatch.setattr(predictions, "nearest_class", lambda label, _: compared.append(label))
    confusion = ConfusionMatrix(["ham"])
    confusion.add([f"user {k}" for k in range(100)] + ["ham"], ["ham"] * 101)
    check_known_labels("a.csv", confusion, quiet=True)
    assert len(compared) <= 5


def test_rows_with_unknown_labels_get_a_note_with_their_number(incomes, call):
    Path("mixed.csv").write_text("x,income\n1,>50K\n-1,<=50K\n2,>50k\n3,rich\n4,>50k\n")
    status, out, err = call("evaluate", "m", "mixed.csv", "--json")
    assert (status, json.loads(out)["unseen"]) == (0, {">50k": 2, "rich": 1})
    assert "note: mixed.csv: 3 rows of 5 have labels that the model does not know" in err
    assert "'>50k' (2 rows; did you mean '>50K'?), 'rich' (1 row)." in err
    assert "note" not in call("evaluate", "m", "mixed.csv", "-q")[2]


def test_numbers_have_no_near_spelling_and_long_lists_are_cut(models, call):
    rows = "".join(f"{label} 1:1\n" for label in range(5, 20))
    status, _, err = call("evaluate", "four.rosenblatt", "-", stdin=rows)
    assert status == 3
    assert "did you mean" not in err
    assert "and 10 more" in err


def test_labels_that_differ_only_in_case_are_noted(folder, call):
    Path("a.csv").write_text("x,y\n" + "1,yes\n-1,no\n2,Yes\n3,NO\n" * 3)
    note = "note: a.csv: labels differ only in case or blanks: NO, no: each is a class of its own."
    assert note in call("train", "a.csv", "-m", "m")[2].splitlines()
    assert note in call("certify", "a.csv")[2].splitlines()
    assert "differ only" not in call("train", "a.csv", "-m", "m", "-q")[2]
    assert "differ only" not in call("certify", "a.csv", "-q")[2]
