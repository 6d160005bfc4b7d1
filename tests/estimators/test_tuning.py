"""``rosenblatt.tune``: sources, arrays, and what is refused."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from profiles import share
from real_data import real_data
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from rosenblatt import Perceptron, load, save, tune
from rosenblatt.streams import open_stream
from rosenblatt.validation import validate

X, Y = load_breast_cancer(return_X_y=True)
RULES = ["logistic", "kt"]


def test_a_source_is_learned_in_its_order(tmp_path):
    tuning = tune("sklearn:breast_cancer", rules=RULES)
    best = tuning.results[0]
    model = Perceptron(**best.candidate.parameters, shuffle=False)
    alone = validate(model, open_stream("sklearn:breast_cancer"))
    assert alone.scores.log_loss == best.metrics["log_loss"]
    assert np.array_equal(model.coef_, tuning.best.coef_)
    assert tuning.best.classifier.rule == best.candidate.rule
    assert [one.metrics["log_loss"] for one in tuning.results] == sorted(
        one.metrics["log_loss"] for one in tuning.results
    )
    path = tmp_path / "table.csv"
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(50, 9, 300), "kind": rng.choice(["a", "b"], 300)})
    frame["label"] = np.where((frame["size"] > 50) ^ (rng.random(300) < 0.1), "yes", "no")
    frame.to_csv(path, index=False)
    by_path, by_stream = tune(path, rules=RULES), tune(open_stream(path), rules=RULES)
    assert [r.metrics for r in by_path.results] == [r.metrics for r in by_stream.results]
    predicted = by_path.best.predict(frame.drop(columns="label"))  # raw rows
    assert np.mean(predicted == frame["label"]) > 0.8
    save(by_path.best, tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model").predict(frame), predicted)
    best = by_path.results[0]
    assert best.candidate.scale  # its size is centred, though the rows are sparse
    assert best.metrics["error"] < 0.2


def test_arrays_are_shuffled_by_the_seed():
    order = np.argsort(Y, kind="stable")
    tunings = [
        tune(X[order], Y[order], metric="error", rules=RULES, seed=seed) for seed in (0, 0, 1)
    ]
    first, second, other = (tuning.results[0].errors for tuning in tunings)
    assert first == second
    assert {first, other} < set(range(10, 60))  # and sorted by label it would be near 0
    assert tunings[0].results != tunings[2].results
    assert not tunings[0].baselines.is_sorted


def test_frames_sparse_rows_and_lists_are_arrays():
    by_array = tune(X, Y, rules=RULES)
    for given in (pd.DataFrame(X), X.tolist()):
        assert [r.metrics for r in tune(given, Y, rules=RULES).results] == [
            r.metrics for r in by_array.results
        ]
    names = [f"column {j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)
    best = tune(frame, Y, rules=RULES).best
    assert best.feature_names_in_.tolist() == names
    assert np.array_equal(best.predict(frame), by_array.best.predict(X))  # and does not warn
    assert tune(sp.csr_array(X), pd.Series(Y), rules=RULES).results[0].examples == 569


def test_the_best_model_predicts_and_can_be_fitted_anew():
    training, test, y, test_y = train_test_split(X, Y, random_state=0, stratify=Y)
    best = tune(training, y).best
    constant = log_loss(test_y, np.full(len(test_y), Y.mean()))
    assert log_loss(test_y, best.predict_proba(test)) < 0.4 * constant
    assert clone(best).fit(training, y).score(test, test_y) > 0.93


@pytest.mark.parametrize("metric", share(["brier", "log_loss"], 2, 0))
def test_rules_without_probabilities_are_calibrated_where_the_metric_needs_them(metric):
    tuning = tune(X, Y, metric=metric, rules=["perceptron", "pa1"])
    figures = [result.metrics[metric] for result in tuning.results]
    assert figures == sorted(figures)
    assert tuning.best.probabilities
    assert log_loss(Y, tuning.best.predict_proba(X)) < 0.5 * log_loss(Y, np.full(len(Y), Y.mean()))


def test_several_epochs_go_into_the_model():
    tuning = tune(X, Y, epochs=4, rules=RULES)
    assert tuning.results[0].examples == pytest.approx(0.2 * 569, abs=2)
    assert tuning.best.max_iter == tuning.epochs == 4


@pytest.mark.parametrize(
    ("given", "options", "kind", "says"),
    [
        ((X,), {}, TypeError, "without y, tune needs the name of a source"),
        ((X, Y[:9]), {}, ValueError, "X has 569 rows, and y has 9 labels"),
        ((X, Y), {"metric": "loss"}, ValueError, "metric must be one of"),
        ((X, Y), {"rules": "bogus", "metric": "error"}, ValueError, "rules must be one of"),
        ((X, Y), {"epochs": 0}, ValueError, "epochs must be at least 1; got 0"),
        ((X[:9], np.zeros(9, int)), {"metric": "auc"}, ValueError, "AUC is not defined"),
    ],
)
def test_what_cannot_be_tuned_is_refused(given, options, kind, says):
    with pytest.raises(kind, match=says):
        tune(*given, **options)


@pytest.mark.parametrize(
    ("name", "most"),
    share(
        [
            ("pima-indians-diabetes.csv", 0.26),
            ("wine.csv", 0.10),
            ("banknote_authentication.csv", 0.03),
        ],
        3,
        0,
    ),
)
def test_real_tables_have_a_candidate_near_the_best_known(name, most):
    stream = open_stream(real_data("uci_small", name), header=False)
    X, y = stream.read()
    tuning = tune(X, y, metric="error")
    assert tuning.results[0].metrics["error"] <= most
    worst = [one.metrics["error"] for one in tuning.results if one.failure is None][-1]
    assert worst > 1.5 * most  # the choice matters
