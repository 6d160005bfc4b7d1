"""Metrics by which models are ranked, beside scikit-learn's."""

import math

import numpy as np
import pytest
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    f1_score,
    log_loss,
    roc_auc_score,
)

from rosenblatt import Perceptron
from rosenblatt.learning.evaluation.ranking import METRICS, ranked
from rosenblatt.metrics import ece
from rosenblatt.streams.core.batch import Batch
from rosenblatt.validation import Validation, Validator


@pytest.mark.parametrize("classes", [2, 3])
def test_metrics_are_those_of_scikit_learn(rng, classes):
    X = rng.standard_normal((300, 4))
    y = np.array(["a", "b", "c"])[np.argmax(X[:, :classes] + rng.normal(0, 1, (300, classes)), 1)]
    model = Perceptron(rule="logistic", shuffle=False, multi_class="joint").partial_fit(X, y)
    validator = Validator(model)
    validator.predict(Batch(X, y, 0))  # learns nothing
    result = validator.finish()
    proba, labels = model.predict_proba(X), model.predict(X)
    values = {name: metric.of(result, None) for name, metric in METRICS.items()}
    average = {"pos_label": "b"} if classes == 2 else {"average": "macro"}
    assert values["f1"] == pytest.approx(f1_score(y, labels, **average), abs=1e-12)
    assert values["log_loss"] == pytest.approx(log_loss(y, proba), abs=1e-12)
    assert values["error"] == np.mean(y != labels)
    assert values["ece"] == pytest.approx(ece(y, proba).ece, abs=1e-12)
    if classes == 2:
        area = roc_auc_score(y, model.decision_function(X))
        assert values["auc"] == pytest.approx(area, abs=1e-12)
        scores = model.decision_function(X)
        precision = average_precision_score(y, scores, pos_label="b")
        assert values["pr_auc"] == pytest.approx(precision, abs=1e-12)
        precision = average_precision_score(y, -scores, pos_label="a")
        assert METRICS["pr_auc"].of(result, "a") == pytest.approx(precision, abs=1e-12)
        brier = brier_score_loss(y == "b", proba[:, 1])
        assert values["brier"] == pytest.approx(brier, abs=1e-12)
        of_a = METRICS["f1"].of(result, "a")
        assert of_a == pytest.approx(f1_score(y, labels, pos_label="a"), abs=1e-12)
    assert (
        model.updates_
        == Perceptron(rule="logistic", shuffle=False, multi_class="joint")
        .partial_fit(X, y)
        .updates_
    )


def test_a_model_without_scores_or_rows_has_no_metrics_of_them():
    for name in METRICS.keys() - {"error", "f1"}:
        assert METRICS[name].of(Validation(1, 0), None) is None
    assert METRICS["f1"].of(Validation(1, 0), None) == 0.0


@pytest.mark.parametrize("name", METRICS)
def test_the_best_is_first_and_what_is_not_defined_last(name):
    values = [0.2, math.nan, 0.9, None, 0.5]
    order = [0, 4, 2] if METRICS[name].is_loss else [2, 4, 0]
    assert ranked(values, name) == [*order, 1, 3]
