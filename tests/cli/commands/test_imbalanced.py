"""A rare class, sorted by label: from the raw file to a judged model, as the screens show it."""

import json
import re
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def sorted_rows(tmp_path, monkeypatch):
    """4,000 rows of svmlight text with 3 % of the label 1 at the end, and as many for the test."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for name in ("train.svm", "test.svm"):
        y = np.sort(rng.random(4000) < 0.03)
        X = rng.standard_normal((4000, 5)) + 0.8 * y[:, None]
        rows = [
            f"{1 if label else -1} " + " ".join(f"{j}:{v:.3f}" for j, v in enumerate(row, 1))
            for label, row in zip(y, X, strict=True)
        ]
        Path(name).write_text("\n".join(rows) + "\n")


def recall(screen):
    line = re.search(r"positive class +1: precision [0-9.]+ %, recall ([0-9.]+) %", screen)
    return float(line[1])


def test_the_screens_lead_from_sorted_rows_to_a_model_that_finds_the_rare_class(sorted_rows, call):
    train = ["train", "train.svm", "-m", "m", "--rule", "logistic", "--eta0", "0.1", "--average"]
    err = call(*train)[2]
    assert "the rows are sorted by label" in err
    assert "--shuffle puts them in random order" in err
    assert call(*train, "--shuffle")[0] == 0
    out = call("evaluate", "m", "test.svm", "--positive", "1")[1]
    assert re.search(r"^error +[23]\.[0-9] %", out, re.M)
    assert re.search(r"^missed class +1: recall", out, re.M)
    assert "the error hides it: train with --class-weight balanced" in out
    assert recall(out) < 10
    # A step of weight 17 saturates at a rate of 0.1: the smaller rate lets the weight count.
    balanced = [*train[:-2], "0.01", "--average", "--shuffle", "--class-weight", "balanced"]
    assert call(*balanced)[0] == 0
    out = call("evaluate", "m", "test.svm", "--positive", "1")[1]
    assert "missed class" not in out
    assert recall(out) > 75
    out = call("evaluate", "m", "test.svm", "--positive", "1", "--threshold", "0.9", "--proba")[1]
    assert 20 < recall(out) < 75
    record = json.loads(call("evaluate", "m", "test.svm", "--json")[1])
    assert record["auc"] > 0.8 > record["baseline"]["balanced_accuracy"] == 0.5
