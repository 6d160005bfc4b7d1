"""Metrics on the page of a report."""

import re
from pathlib import Path

import numpy as np
from sklearn import metrics as sk
from sklearn.datasets import load_digits

from rosenblatt import metrics
from rosenblatt.cli.display.confusion import ConfusionMatrix
from rosenblatt.cli.display.metrics import MetricsReport
from rosenblatt.cli.inputs.models import open_model
from rosenblatt.cli.report.metrics_section import metrics_section


def test_averages_and_classes_of_the_training_data(folder, call):
    options = ["--rule", "logistic", "--eta0", "0.01", "--report", "r.html", "-q"]
    assert call("train", "sklearn:digits", "-m", "m", *options)[0] == 0
    html = Path("r.html").read_text("utf-8")
    X, y = load_digits(return_X_y=True)
    model = open_model("m").model
    predicted = model.predict(X)
    cells = re.findall(r'scope="row">([^<]+)</th><td>([^<]+)</td><td>([^<]+)</td>', html)
    shown = {title: (model, baseline) for title, model, baseline in cells}
    f1 = sk.f1_score(y, predicted, average="macro")
    assert shown["macro F1"][0] == f"{100 * f1:.1f} %"
    assert shown["balanced accuracy"][1] == "10.0 %"
    assert shown["log loss"][0] == f"{sk.log_loss(y, model.predict_proba(X)):.4f}"
    assert shown["AUC, one-vs-rest"][1] == "0.5000"
    found = metrics.ece(y, model.predict_proba(X))
    assert f"<dd>{found.ece:.4f} (a calibrated model: up to {found.by_chance:.4f})</dd>" in html
    drawing = html[html.index("<title>Reliability: observed share of the most probable class") :]
    assert drawing.split("</svg>")[0].count('class="dot"') == len(found.bins)
    assert "The model has learned these rows" in html
    bars = re.findall(r'class="share"><i style="width:([0-9.]+)%"', html)
    by_class = sk.f1_score(y, predicted, average=None)
    np.testing.assert_allclose([float(width) for width in bars[-10:]], 100 * by_class, atol=0.05)


def test_held_out_rows_come_first(folder, call):
    options = ["--holdout", "0.3", "--report", "r.html", "-q", "--rule", "perceptron"]
    assert call("train", "sklearn:breast_cancer", "-m", "m", *options)[0] == 0
    html = Path("r.html").read_text("utf-8")
    assert "Of the saved model on the held-out rows" in html
    assert "The model has learned these rows" not in html
    assert html.count('class="confusion"') == 1
    assert "Reliability" not in html  # a perceptron has no probabilities


def test_a_class_that_the_error_hides_and_labels_that_are_markup():
    confusion = ConfusionMatrix(["<b>", "rare"])
    confusion.add(["<b>"] * 98 + ["rare"] * 2, ["<b>"] * 100)
    html = metrics_section(MetricsReport(confusion), "these rows", is_new=True)
    assert "rare: recall 0.0 % (0 of 2 rows)" in html
    assert "&lt;b&gt;" in html
    assert "AUC" not in html
