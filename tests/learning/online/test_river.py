"""OnlinePerceptron as a classifier of river: its checks, pipelines, ensembles, metrics."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from profiles import by_night, share

from rosenblatt import OnlinePerceptron, load, rules, save


def test_a_copy_by_river_s_rules():
    model = OnlinePerceptron(rule="pa1").learn_one({"a": 1}, "x")
    assert model.clone({"output": "average"}).get_params() == {
        **model.get_params(),
        "output": "average",
    }
    assert model.clone().classes_ == []
    assert model.clone(include_attributes=True).classes_ == ["x"]
    assert str(model) == repr(model) == "OnlinePerceptron(rule='pa1')"


def test_the_library_works_without_river():
    code = (
        "import sys; sys.modules['river'] = None\n"
        "from rosenblatt import OnlinePerceptron\n"
        "model = OnlinePerceptron().learn_one({'a': 1}, 'x').clone()\n"
        "assert model.learn_one({'a': 1}, 'y').predict_one({}) == 'y'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.fixture(scope="module")
def river():
    river = pytest.importorskip("river")
    parts = "anomaly base checks compose datasets drift ensemble evaluate feature_extraction "
    parts += "imblearn metrics model_selection multiclass preprocessing stream utils active"
    for part in parts.split():
        pytest.importorskip(f"river.{part}")
    return river


FIRST_RIVER = "from river import base, compose, preprocessing\nimport rosenblatt"
FIRST_OURS = (
    "import rosenblatt\nmodel = rosenblatt.OnlinePerceptron()\n"
    "from river import base, compose, preprocessing"
)


@by_night("every test beside imports the library first, then river")
def test_the_order_of_imports_does_not_matter(river):
    check = (
        "\nmodel = globals().get('model') or rosenblatt.OnlinePerceptron()"
        "\npipeline = preprocessing.StandardScaler() | model"
        "\nassert issubclass(rosenblatt.OnlinePerceptron, base.Classifier)"
        "\nassert isinstance(model, base.Classifier) and isinstance(pipeline, base.Classifier)"
        "\nassert isinstance(model, base.Base) and not isinstance(model, base.Transformer)"
        "\nassert isinstance(compose.Select('a') | model, compose.Pipeline)"
    )
    code = (  # a process for each order; what both import has no part in it
        "import os, sys, pandas, sklearn.metrics\n"
        f"for imports in {[FIRST_RIVER, FIRST_OURS]}:\n"
        f"    if not os.fork():\n        exec(imports + {check!r})\n        sys.exit()\n"
        "    assert os.wait()[1] == 0, imports"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "params",
    share(
        [
            {"rule": rules.PA1(C=0.5), "output": "average", "multi_class": "joint"},
            {"rule": "logistic", "penalty": "elasticnet"},
        ],
        2,
        0,
    ),
    ids=lambda params: str(params.get("rule", "perceptron")),
)
def test_river_s_own_checks(river, params):
    river.checks.check_estimator(OnlinePerceptron(**params))


def test_a_pipeline_is_its_parts(river, rng):
    rows = [{"a": float(x), "b": float(y)} for x, y in rng.normal([3, -2], [5, 1], (400, 2))]
    labels = [["low", "mid", "high"][(row["a"] > 0) + (row["a"] > 4)] for row in rows]
    data = list(zip(rows, labels, strict=True))
    pipeline = river.preprocessing.StandardScaler() | OnlinePerceptron(output="average")
    metric = river.evaluate.progressive_val_score(data, pipeline, river.metrics.Accuracy())
    scaler, alone = river.preprocessing.StandardScaler(), OnlinePerceptron(output="average")
    right = 0
    for row, label in data:
        right += alone.predict_one(scaler.transform_one(row)) == label
        scaler.learn_one(row)
        alone.learn_one(scaler.transform_one(row), label)
    assert metric.get() == pytest.approx(right / (len(data) - 1))  # nothing is said of the first


def test_weights_of_a_stream_reach_the_model(river, rng):
    rows = [{"a": float(x), "b": float(y)} for x, y in rng.normal(size=(200, 2))]
    labels, weights = rng.integers(2, size=200).tolist(), rng.uniform(0, 3, 200).tolist()
    data = [(x, y, {"w": w}) for x, y, w in zip(rows, labels, weights, strict=True)]
    wrapped = river.compose.Select("a", "b") | OnlinePerceptron(rule="pa1")
    river.evaluate.progressive_val_score(data, wrapped, river.metrics.Accuracy())
    alone = OnlinePerceptron(rule="pa1").learn_many(rows, labels, weights)
    assert wrapped["OnlinePerceptron"].score_one(rows[0]) == alone.score_one(rows[0])


def scaled(river, **params):
    return river.preprocessing.StandardScaler() | OnlinePerceptron(**params)


MODELS = {
    "logistic": lambda river: scaled(river, rule="logistic", eta0=0.1),
    "perceptron": lambda river: scaled(river, output="average"),
    "bagging": lambda river: river.ensemble.ADWINBaggingClassifier(
        scaled(river, rule="pa1"), n_models=3, seed=1
    ),
    "leveraging": lambda river: river.ensemble.LeveragingBaggingClassifier(
        scaled(river), n_models=3, seed=1
    ),
    "boosting": lambda river: river.ensemble.AdaBoostClassifier(scaled(river), 3, seed=1),
    "subspaces": lambda river: river.ensemble.SRPClassifier(
        OnlinePerceptron(output="average"), n_models=3, seed=1
    ),
    "one-vs-rest": lambda river: river.multiclass.OneVsRestClassifier(scaled(river, rule="hinge")),
    "drift": lambda river: river.drift.DriftRetrainingClassifier(
        scaled(river, rule="pa1"), river.drift.binary.DDM()
    ),
    "sampling": lambda river: river.imblearn.RandomOverSampler(
        scaled(river), desired_dist={False: 0.5, True: 0.5}, seed=1
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_metrics_ensembles_and_wrappers(river, name):
    model = MODELS[name](river)
    metrics = river.metrics.ROCAUC(), river.metrics.Accuracy()
    for each in metrics:
        assert each.works_with(model)
    data = river.datasets.Phishing().take(400)
    score = river.evaluate.progressive_val_score(data, model, metrics[0] + metrics[1])
    auc, accuracy = (each.get() for each in score)
    assert min(auc, accuracy) > 0.75  # of the majority class: 0.56
    copy = pickle.loads(pickle.dumps(model))
    fresh = model.clone()
    for x, y in river.datasets.Phishing().take(20):
        assert copy.predict_proba_one(x) == model.predict_proba_one(x)
        fresh.learn_one(x, y)
    assert repr(fresh) == repr(MODELS[name](river))


def test_wrappers_that_need_labels_alone(river):
    for model in (
        river.ensemble.VotingClassifier([scaled(river), scaled(river, rule="pa1")]),
        river.multiclass.OneVsOneClassifier(scaled(river, rule="hinge")),
    ):
        data = river.datasets.Phishing().take(200)
        metric = river.evaluate.progressive_val_score(data, model, river.metrics.Accuracy())
        assert metric.get() > 0.8


@pytest.mark.parametrize("rule", sorted(set(rules.NAMES) - {"minover"}))
def test_log_loss_of_every_rule_is_finite(river, rule):
    model = scaled(river, rule=rule, eta0=0.1)
    data = river.datasets.Phishing().take(100)
    loss = river.evaluate.progressive_val_score(data, model, river.metrics.LogLoss())
    assert 0.0 < loss.get() < 40.0


def test_active_learning_asks_for_labels_by_the_probabilities(river):
    sampler = river.active.EntropySampler(scaled(river, rule="logistic", eta0=0.1), seed=1)
    asked, data = 0, list(river.datasets.Phishing().take(300))
    for x, y in data[:20]:  # river's sampler needs a trained model
        sampler.learn_one(x, y)
    for x, y in data[20:]:
        _, ask = sampler.predict_one(x)
        asked += ask
        if ask:
            sampler.learn_one(x, y)
    assert 5 < asked < 270


def test_parameters_within_a_pipeline(river):
    pipeline = scaled(river, rule="pa1")
    changed = pipeline.clone({"OnlinePerceptron": {"eta0": 0.5}})
    assert changed["OnlinePerceptron"].eta0 == 0.5
    assert pipeline._get_params()["OnlinePerceptron"]["rule"] == "pa1"
    grid = {"OnlinePerceptron": {"eta0": [0.1, 0.2]}}
    models = river.utils.expand_param_grid(pipeline, grid)
    assert [model["OnlinePerceptron"].eta0 for model in models] == [0.1, 0.2]
    with pytest.raises(ValueError, match="'eta0' is not a mutable attribute"):
        pipeline.mutate({"OnlinePerceptron": {"eta0": 0.5}})
    for text in (str(pipeline), repr(pipeline), pipeline._repr_html_(), pipeline._memory_usage):
        assert text
    x, y = next(iter(river.datasets.Phishing()))
    pipeline.learn_one(x, y)
    assert "OnlinePerceptron" in pipeline.debug_one(x)


def test_a_wrapper_s_copy_is_untrained(river):
    model = river.drift.DriftRetrainingClassifier(OnlinePerceptron(), river.drift.binary.DDM())
    model.learn_one({"a": 1}, True)
    assert model.clone().model.classes_ == []


def test_a_loaded_model_is_a_classifier_of_river(river, path):
    save(OnlinePerceptron().learn_many([{"a": 1}, {"b": 1}], [True, False]), path)
    assert isinstance(load(path), river.base.Classifier)


def test_mini_batches_of_data_frames(river):
    import pandas as pd

    rows, labels = zip(*river.datasets.Phishing().take(300), strict=True)
    X, y = pd.DataFrame(rows), pd.Series(labels)
    model = scaled(river, rule="logistic", eta0=0.1)
    wrapped = river.multiclass.OneVsRestClassifier(OnlinePerceptron(rule="logistic", eta0=0.1))
    wrapped.learn_many(X[:200], y[:200])
    model.learn_many(X[:200], y[:200])
    for each in (model, wrapped):
        probabilities = each.predict_proba_many(X[200:])
        assert isinstance(probabilities, pd.DataFrame)
        assert probabilities.index.tolist() == list(range(200, 300))
        assert probabilities.sum(axis=1).to_numpy() == pytest.approx(1.0)
        right = (probabilities[True] > 0.5).to_numpy() == np.array(labels[200:])
        assert right.mean() > 0.8
    last = model["OnlinePerceptron"]
    assert isinstance(last, river.base.MiniBatchClassifier)
    one = [last.predict_proba_one(row)[True] for row in rows[200:]]
    assert last.predict_proba_many(X[200:])[True].tolist() == pytest.approx(one)


def test_texts_of_a_pipeline(river):
    model = river.feature_extraction.BagOfWords() | OnlinePerceptron()
    for text, label in [("win a prize", True), ("lunch at noon", False)] * 3:
        model.learn_one(text, label)
    assert model.predict_one("a prize") is True
