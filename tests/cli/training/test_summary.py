"""The headline of a run: the error of the saved model, beside that of the first epoch."""

import json
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import Perceptron
from rosenblatt.streams import open_stream


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working folder with noisy rows, and the same rows sorted by label."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] + rng.normal(scale=0.8, size=300) > 0).astype(int)
    for name, order in (("a.svm", np.arange(300)), ("sorted.svm", np.argsort(y))):
        lines = [f"{y[k]} " + " ".join(f"{j + 1}:{X[k, j]:.4f}" for j in range(4)) for k in order]
        Path(name).write_text("\n".join(lines) + "\n")


def train(call, *args):
    """Return the object of ``--json``, and the screen in one line."""
    status, out, err = call("train", *args, "-m", "m", "--json")
    assert status == 0, err
    return json.loads(out), " ".join(err.split())


def test_of_a_single_epoch_it_is_the_progressive_error(call):
    record, screen = train(call, "a.svm")
    assert record["model_error"] == record["progressive_error"]
    assert (record["model_errors"], record["model_error_rows"]) == (record["errors"], "last epoch")
    assert record["sorted_by_label"] is False
    assert record["baseline_error"] == record["constant_error"]
    assert record["baseline_class"] == record["constant"]
    assert "last epoch's error" not in screen


def test_of_several_epochs_it_is_that_of_the_last(call):
    options = ("--rule", "perceptron", "--epochs", 4)
    record, screen = train(call, "a.svm", *options)
    X, y = open_stream("a.svm").read()
    model = Perceptron(shuffle=False)
    before = 0
    for _ in range(4):
        before = model.errors_ if hasattr(model, "classes_") else 0
        model.partial_fit(X, y)
    errors = model.errors_ - before
    assert (record["model_errors"], record["model_error"]) == (errors, errors / 300)
    assert record["progressive_error"] != record["model_error"]
    assert screen.index("last epoch's error") < screen.index("progressive error")
    assert f"{errors} of 300 rows in epoch 4" in screen
    again, _ = train(call, "a.svm", *options, "--resume")
    assert again["model_errors"] == errors


def test_held_out_rows_come_first(call):
    record, screen = train(call, "a.svm", "--epochs", 3, "--holdout", 0.25)
    assert record["model_error"] == record["holdout"]["error"]
    assert record["model_errors"] == record["holdout"]["errors"]
    assert record["model_error_rows"] == "held-out rows"
    assert screen.index("held-out error") < screen.index("progressive error")
    assert "after epoch 3: the error of the saved model" in screen


def test_an_average_is_not_judged_by_the_errors_of_the_latest_weights(call):
    hint = "the model is an average: --holdout 0.1 measures it"
    assert hint in train(call, "a.svm", "--average")[1]
    assert "the model is a vote" in train(call, "a.svm", "--vote")[1]
    assert hint not in train(call, "a.svm", "--average", "--holdout", 0.1)[1]
    assert hint not in train(call, "a.svm")[1]


def test_of_sorted_rows_the_warning_replaces_the_error(call):
    record, screen = train(call, "sorted.svm", "--epochs", 2, "--report", "r.html")
    assert record["sorted_by_label"] is True
    assert (record["model_error"], record["model_error_rows"]) == (None, None)
    assert "progressive error meaningless: the rows are sorted by label" in screen
    assert "--shuffle puts them in random order; --holdout 0.1 measures" in screen
    assert "Sorted by label" in Path("r.html").read_text()
    assert "progressive error on" not in Path("r.html").read_text()
    record, screen = train(call, "sorted.svm", "--holdout", 0.25)
    assert record["model_error"] == record["holdout"]["error"]
    assert "measures the saved model" not in screen
    assert train(call, "sorted.svm", "--shuffle")[0]["model_error"] > 0.0


def test_the_report_begins_with_the_error_of_the_model(call):
    record, _ = train(call, "a.svm", "--epochs", 3, "--report", "r.html")
    lead = Path("r.html").read_text().split('class="lead">')[1].split("</p>")[0]
    assert f"error in epoch 3, {record['model_errors']} of 300 examples" in lead
    assert lead.index("error in epoch 3") < lead.index("progressive error")
    record, _ = train(call, "a.svm", "--holdout", 0.25, "--report", "r.html")
    assert "error of the model on held-out rows" in Path("r.html").read_text()


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        (["--rule", "pa1"], "class 0: try --rule auto alone, --average or more --epochs."),
        (["--average", "--rule", "pa2"], "class 0: try --rule auto alone or more --epochs."),
        (["--scale", "--epochs", 3], "0: try --rule auto alone, --average, --shuffle or more"),
        (["--kernel", "poly"], "class 0: scale the columns, or try --average or more --epochs."),
        (
            ["--rule", "perceptron", "--holdout", 0.5, "--shuffle", "--seed", 8],
            "note: the held-out error is above",
        ),
    ],
)
def test_advice_names_only_what_was_not_given(call, options, advice):
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.arange(800) % 20 == 0).astype(int)
    noise = rng.normal(size=800)
    rows = [f"{label} 1:{x:.3f} 2:1\n" for label, x in zip(labels, noise, strict=True)]
    Path("noise.svm").write_text("".join(rows))
    screen = train(call, "noise.svm", *options)[1]
    assert "is above the baseline of always predicting the majority class 0: " in screen
    assert advice in screen
