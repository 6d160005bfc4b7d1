"""The table of a tuning, and what it says beside the numbers."""

import json
import re

import numpy as np
import pytest

from rosenblatt import tune
from rosenblatt.estimators.linear import Perceptron
from rosenblatt.learning.evaluation.ranking import METRICS
from rosenblatt.learning.tuning.grid import Grid
from rosenblatt.learning.tuning.side_by_side import tune_rows
from rosenblatt.streams import Batch


def build(candidate, batch):
    return Perceptron(**candidate.parameters, shuffle=False)


def ranked_by_error(X, y, **options):
    grid = Grid(("pa1", "kt"))
    return tune_rows([(False, [Batch(X, y, 0)])], grid, build, metric="error", **options)


def test_the_table_has_a_line_for_each_candidate_and_html_of_it(rng):
    X = rng.standard_normal((200, 3))
    tuning = ranked_by_error(X, (X[:, 0] > 0).astype(int))
    lines = str(tuning).splitlines()
    titles = [METRICS[name].title for name in METRICS if name != "error"]
    assert re.split("  +", lines[0]) == ["rule", "eta0", "average", "error", *titles]
    assert len(lines) == 1 + 8 + 1
    assert "8 candidates on 200 rows, each predicted before it was learned." in lines[-1]
    assert tuning._repr_html_().count("<tr>") == 9
    assert repr(tuning) == str(tuning)
    log_losses = {line.split()[0]: line.split()[5] for line in lines[1:-1]}
    assert log_losses["pa1"] == "–"
    assert float(log_losses["kt"]) < 0.7


def test_rows_are_json_and_of_a_table(rng):
    X = rng.standard_normal((50, 3))
    record = json.loads(json.dumps(ranked_by_error(X, np.sign(X[:, 0]).astype(int)).record()))
    assert record["candidates"][0].keys() >= {"rule", "eta0", "scale", "output", "error", "seconds"}
    assert [one["log_loss"] is None for one in record["candidates"] if one["rule"] == "pa1"] == [
        True
    ] * 6
    assert record["baselines"]["constant"] in (-1, 1)


def test_labels_in_runs_are_told(rng):
    X = rng.standard_normal((400, 3))
    y = np.repeat(np.arange(40) % 2, 10)
    text = str(ranked_by_error(X, y))
    assert "The error of repeating the label before is less: 10.0%." in text
    assert "repeating" not in str(ranked_by_error(X, y, shuffle=True))
    assert "sorted by label" not in text


def test_rows_sorted_by_label_are_told_unless_they_are_shuffled(rng):
    X = rng.standard_normal((400, 3))
    y = np.repeat([0, 1], 200)
    assert "sorted by label, so the numbers mean nothing" in str(ranked_by_error(X, y))
    assert "sorted by label" not in str(ranked_by_error(X, y, shuffle=True))
    assert "sorted by label" not in str(ranked_by_error(X, y, shuffle=True, epochs=2))


def test_probabilities_worse_than_shares_are_told(rng):
    X = 100 * rng.standard_normal((300, 3))
    y = rng.integers(2, size=300)
    text = str(tune(X, y, rules=["logistic"]))
    assert "No candidate is better than the shares of the labels, log loss 0.69" in text


def test_the_middle_of_a_long_table_is_left_out(rng):
    X = rng.standard_normal((40, 3)) * [1, 10, 100]
    lines = str(tune(X, (X[:, 0] > 0).astype(int), metric="auc")).splitlines()
    assert len(lines) < 30
    assert any(line.startswith("…") for line in lines)


def test_a_metric_that_no_candidate_has_is_an_error():
    X, y = np.ones((5, 2)), np.zeros(5, int)
    with pytest.raises(ValueError, match="no candidate can be ranked: AUC is not defined"):
        tune_rows([(False, [Batch(X, y, 0)])], Grid(("pa1",)), build, metric="auc")
