"""The rule "auto" by the command and the service: what each subcommand does with it."""

import json
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import Classifier, OnlineClassifier, OnlinePerceptron, load, save
from rosenblatt.models import describe
from rosenblatt.serve import config as configs
from rosenblatt.serve.live import LiveModel

AUTO = {"rule": "auto", "multi_class": "joint"}
TEXTS = {
    "ham": ["lunch at noon", "see you at home", "the meeting moved", "thanks for lunch"],
    "spam": ["win a free prize", "free entry call now", "claim your free prize", "call to win"],
}


@pytest.fixture
def mail(tmp_path, monkeypatch, rng):
    """A table of texts: 240 rows to learn, 120 others."""
    monkeypatch.chdir(tmp_path)
    words = " ".join(text for texts in TEXTS.values() for text in texts).split()
    lines = []
    for _ in range(360):
        label = str(rng.choice(["ham", "spam"]))
        more = " ".join(rng.choice(words, 3))
        lines.append(f"{label}\t{rng.choice(TEXTS[label])} {more}\n")
    Path("mail.tsv").write_text("label\ttext\n" + "".join(lines[:240]))
    Path("new.tsv").write_text("label\ttext\n" + "".join(lines[240:]))
    Path("first.tsv").write_text("label\ttext\n" + "".join(lines[:100]))
    Path("then.tsv").write_text("label\ttext\n" + "".join(lines[100:240]))
    return tmp_path


@pytest.fixture
def train(mail, call):
    def train(*words, data="mail.tsv", model="m"):
        status, _, err = call(
            "train", data, "--target", "label", "-m", model, "--rule", "auto", "-q", *words
        )
        assert status == 0, err
        return model

    return train


def report(call, command, *words):
    quiet = () if command == "inspect" else ("-q",)
    status, out, err = call(command, *words, "--json", *quiet)
    assert status == 0, err
    return json.loads(out)


def test_train_predict_evaluate_and_inspect(train, call):
    train("--holdout", "0.2", "--epochs", "3")
    status, out, _ = call("predict", "m", "new.tsv", "--proba", "--json", "-q")
    shares = [json.loads(line)["probabilities"] for line in out.splitlines()]
    assert status == 0
    assert len(shares) == 120
    assert all(sum(one.values()) == pytest.approx(1.0) for one in shares)
    texts = [line.split("\t")[1] for line in Path("new.tsv").read_text().splitlines()[1:]]
    of_file = load("m").predict_proba([{"text": text} for text in texts])[:, 1]
    assert [one["spam"] for one in shares] == pytest.approx(of_file.tolist(), abs=1e-6)
    metrics = report(call, "evaluate", "m", "new.tsv")
    assert metrics["error"] < 0.2
    record = report(call, "inspect", "m")
    assert record["params"] == {"rule": "auto"} | {
        k: v for k, v in record["params"].items() if k != "rule"
    }
    assert [one["rows"] for one in record["blend"]["learners"]] == [None, 1000, 100]
    centred = record["blend"]["centred_columns"]
    out = " ".join(call("inspect", "m")[1].split())
    assert "blend learner of all rows × " in out
    assert f"{centred} columns are centred" in out


def test_a_rule_that_is_no_blend_has_none(mail, call):
    call("train", "mail.tsv", "--target", "label", "-m", "m", "--rule", "perceptron", "-q")
    assert report(call, "inspect", "m")["blend"] is None
    assert "blend " not in call("inspect", "m")[1]


def test_the_last_line_of_a_card_and_of_validate(train, call):
    train()
    status, card, _ = call("inspect", "m", "--card")
    assert status == 0
    assert "auto" in card
    record = report(call, "validate", "mail.tsv", "--target", "label", "--rule", "auto")
    assert record["error"] < 0.25


@pytest.mark.parametrize("epochs", [1, 3])
def test_a_run_that_is_resumed_writes_the_same_bytes(train, call, epochs):
    train("--epochs", epochs)
    whole = Path("m").read_bytes()
    Path("m").unlink()
    every = ("--checkpoint-every", "50", "--resume")
    train("--epochs", epochs, *every)
    assert Path("m").read_bytes() == whole
    train("--epochs", epochs, *every)
    assert Path("m").read_bytes() == whole


def test_going_on_with_new_rows_is_learning_them_all(train, call):
    train()
    train(data="first.tsv", model="a")
    status, _, err = call("train", "then.tsv", "--from", "a", "-m", "b", "-q")
    assert status == 0, err
    at_once, in_turn = load("m"), load("b")
    np.testing.assert_array_equal(at_once.coef_, in_turn.coef_)
    np.testing.assert_array_equal(at_once.intercept_, in_turn.intercept_)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--eta0", "0.1"), "--eta0 has no effect on --rule auto"),
        (("--average",), "--average does not go with --rule auto"),
        (("--scale",), "--scale has no effect on --rule auto"),
        (("--multi-class", "joint"), "--multi-class has no effect on --rule auto"),
        (("--penalty", "l2"), "--rule auto and --penalty exclude each other"),
        (("--expansion",), "--expansion and --rule auto exclude each other"),
        (("--kernel", "rbf"), "--rule auto does more than add rows"),
    ],
    ids=lambda words: words[0] if isinstance(words, tuple) else "",
)
def test_options_that_mean_nothing_to_it_are_refused(mail, call, words, message):
    line = ("train", "mail.tsv", "--target", "label", "-m", "m", "--rule", "auto")
    status, _, err = call(*line, *words)
    assert (status, Path("m").exists()) == (2, False)
    assert message in err


def test_an_online_classifier_is_refused_by_from_with_its_name(mail, call):
    save(OnlineClassifier().learn_many([{"a": 1}, {"b": 1}], ["x", "y"]), "online")
    assert describe("online")["class"] == "OnlineClassifier"
    status, _, err = call("train", "mail.tsv", "--from", "online")
    assert status != 0
    assert "is an OnlineClassifier" in err


def test_tune_tries_it_and_prints_its_command(mail, call):
    words = ("--target", "label", "--rule", "auto", "--rule", "perceptron", "--multi-class", "ovr")
    record = report(call, "tune", "mail.tsv", *words, "--metric", "auc")
    names = [one["rule"] for one in record["candidates"]]
    assert names.count("auto") == 1
    if names[0] == "auto":
        assert "--multi-class" not in record["command"]


def test_several_epochs_of_tune_are_those_of_train(mail, call):
    words = ("--target", "label", "--rule", "auto", "--rule", "logistic", "--epochs", "5")
    record = report(call, "tune", "mail.tsv", *words, "--metric", "log_loss")
    (auto,) = [one for one in record["candidates"] if one["rule"] == "auto"]
    assert auto["log_loss"] < 0.5


# --- the service ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["OnlineClassifier", "Classifier"])
def test_the_service_goes_on_with_a_file(kind, tmp_path, rng):
    X = rng.normal(size=(60, 3)) * [1e-3, 1.0, 1e3]
    y = np.where(X @ [1e3, 1.0, 1e-3] > 0, "yes", "no")
    rows = [dict(zip("abc", row, strict=True)) for row in X.tolist()]
    if kind == "OnlineClassifier":
        model = OnlineClassifier().learn_many(rows, y)
    else:
        import pandas as pd

        model = Classifier(shuffle=False).partial_fit(pd.DataFrame(X, columns=[*"abc"]), y)
    path = tmp_path / "m"
    save(model, path)
    live = LiveModel.from_file(path.read_bytes())
    assert live.config["rule"] == "auto"
    configs.check_config(live.config)
    twin = OnlinePerceptron(**AUTO).learn_many(rows, y)
    twin.learn_one({"d": 2.0, "a": 1e-3}, "maybe")
    live.model.learn_one({"d": 2.0, "a": 1e-3}, "maybe")
    assert live.model.predict_proba_one(rows[0]) == twin.predict_proba_one(rows[0])
