"""AUC and log loss of predictions made before their row was learned."""

from itertools import product

import numpy as np
import pytest
from profiles import share
from sklearn import metrics as sk

from rosenblatt import KernelPerceptron, OnlinePerceptron, Perceptron
from rosenblatt.learning.evaluation.metrics import ScoreMetrics
from rosenblatt.learning.evaluation.prequential import PrequentialScores
from rosenblatt.streams import Batch, open_stream
from rosenblatt.validation import validate


def by_hand(model, X, y, delay):
    """Return the scores of each row before it is learned, NaN for classes to come."""
    classes = np.unique(y).tolist()
    table, losses = np.full((len(y), len(classes)), np.nan), []
    for i in range(len(y)):
        if i >= max(1, delay):
            model.partial_fit(X[i - max(1, delay)][np.newaxis], [y[i - max(1, delay)]])
        known = model.classes_.tolist() if model.__sklearn_is_fitted__() else []
        if len(known) < 2 or y[i] not in known:
            continue
        scores = model.decision_function(X[i : i + 1]).ravel()
        if len(known) == 2:
            scores = np.array([-scores[0], scores[0]])
        elif getattr(model, "multi_class", None) == "joint":
            scores = np.array([s - np.delete(scores, k).max() for k, s in enumerate(scores)])
        table[i, [classes.index(label) for label in known]] = scores
        if hasattr(model, "predict_proba"):
            losses.append(-np.log(model.predict_proba(X[i : i + 1])[0, known.index(y[i])]))
    return classes, table, np.mean(losses) if losses else None


def batches(X, y, size):
    return [Batch(X[i : i + size], y[i : i + size], i) for i in range(0, len(y), size)]


LEARNERS = {
    "calibrated": lambda: Perceptron(probabilities=True, output="average", shuffle=False),
    "calibrated joint": lambda: Perceptron(
        rule="arow", probabilities=True, multi_class="joint", shuffle=False
    ),
    "logistic": lambda: Perceptron(rule="logistic", eta0=0.1, shuffle=False),
    "joint": lambda: Perceptron(
        rule="logistic", eta0=0.1, multi_class="joint", output="average", shuffle=False
    ),
    "pa1": lambda: Perceptron(rule="pa1", shuffle=False),
    "kernel": lambda: KernelPerceptron("rbf", gamma=0.5, shuffle=False),
}


LABELS = [["no", "yes"], [0, 1, 2], ["a"] * 30 + ["c", "b", "a"]]


@pytest.mark.parametrize(
    ("learner", "delay", "labels"),
    [
        (learner, *case)
        for turn, learner in enumerate(LEARNERS)
        for case in share(product([0, 7], LABELS), 3, turn)
    ],
)
def test_scores_are_those_before_each_row(rng, learner, delay, labels):
    n = 90
    y = np.array((labels * n)[:n])
    X = rng.normal(size=(n, 3)) + np.unique(y, return_inverse=True)[1][:, np.newaxis]
    classes, table, loss = by_hand(LEARNERS[learner](), X, y, delay)
    result = validate(LEARNERS[learner](), batches(X, y, 13), delay=delay)
    scored = ~np.isnan(table)
    expected = []
    for k, label in enumerate(classes):
        rows = scored[:, k]
        both = len(np.unique(y[rows] == label)) == 2
        expected.append(sk.roc_auc_score(y[rows] == label, table[rows, k]) if both else None)
    areas = result.scores.areas()
    assert [area is None for area in areas] == [area is None for area in expected]
    known = [(a, b) for a, b in zip(areas, expected, strict=True) if a is not None]
    assert [a for a, _ in known] == pytest.approx([b for _, b in known], abs=1e-9)
    assert len(known) >= 2
    assert result.scores.rows == scored.any(axis=1).sum()
    assert result.scores.log_loss == (None if loss is None else pytest.approx(loss))


def test_a_model_that_knows_more_classes(rng):
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    model = Perceptron(shuffle=False).partial_fit(X, y, classes=[-1, 0, 1])
    result = validate(model, batches(X, y, 20))
    areas = result.scores.areas()
    assert areas[0] is None
    assert None not in areas[1:]


def test_pairs_and_single_labels_have_no_scores():
    pairs = [({"a": 1}, "x"), ({"b": 1}, 3)]
    assert validate(OnlinePerceptron(), pairs[:1] * 4).scores is None
    one = [Batch(np.eye(3), np.array([1, 1, 1]), 0)]
    assert validate(Perceptron(shuffle=False), one).scores is None


def test_more_classes_keep_a_sample_of_the_rows(rng):
    metrics = ScoreMetrics(1, max_scores=3000)
    codes = rng.integers(2, size=2500)
    scores = codes + rng.normal(size=2500)
    metrics.add(codes, scores)
    before = metrics.areas()[0]
    metrics.add_classes(np.array([0, 2]), 3)
    assert (metrics.sampled, metrics.rows) == (1000, 2500)
    assert metrics.areas()[0] == pytest.approx(before, abs=0.06)
    assert metrics.areas()[1] is None
    for _ in range(5):
        metrics.add(np.full(400, 1), np.tile([-1.0, 5.0, -1.0], (400, 1)))
    assert metrics.areas()[1] is None  # no row of another class has a score of this one
    assert metrics.sampled == 1000


def test_the_scores_of_the_command(call):
    import json

    options = ["--rule", "logistic", "--eta0", "0.01", "-q"]
    status, out, _ = call("validate", "sklearn:wine", *options, "--json")
    record = json.loads(out)
    model = Perceptron(rule="logistic", eta0=0.01, shuffle=False)
    scores = validate(model, open_stream("sklearn:wine")).scores
    assert status == 0
    assert [one["auc"] for one in record["by_class"]] == scores.areas()
    assert record["log_loss"] == scores.log_loss
    assert record["auc_rows"] == scores.rows
    assert record["baseline"]["auc"] in (0.5, None)
    out = call("validate", "sklearn:wine", *options)[1]
    assert f"{scores.log_loss:.4f}" in out


def test_joint_scores_are_comparable_between_rows():
    classes, labels = np.array(["a", "b", "c"]), np.array(["a", "b", "c"])
    scores = np.array([[9.0, 8.0, 8.0], [1.0, 2.0, 0.0], [-9.0, -9.0, -8.0]])  # no error
    areas = {}
    for multi_class in ("joint", "ovr"):
        collected = PrequentialScores(Perceptron(multi_class=multi_class))
        collected.add(classes, labels, scores)
        areas[multi_class] = collected.metrics(classes).areas()
    assert areas["joint"] == [1.0, 1.0, 1.0]
    assert areas["ovr"] == [1.0, 0.5, 0.0]
