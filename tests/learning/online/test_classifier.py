"""OnlineClassifier: the bits of Classifier on encoded rows, files, copies, river."""

import copy
import json
import math
import pickle

import numpy as np
import pytest
from named_rows import encoded, one_by_one, same_bits
from safetensors import safe_open
from safetensors.numpy import save as serialized
from sklearn.base import clone

from rosenblatt import Classifier, OnlineClassifier, OnlinePerceptron, load, save
from rosenblatt.engine.state import arrays_of
from rosenblatt.learning.models import files
from rosenblatt.models import ModelError, describe

AUTO = {"rule": "auto", "multi_class": "joint"}


@pytest.fixture
def stream(rng):
    """Rows of a few of 30 names, some dense, in units of their own, with three labels."""
    units = 10.0 ** rng.integers(-3, 4, 30)
    rows = [
        {f"f{j}": float(rng.normal() * units[j]) for j in (0, 1, 2, *rng.integers(3, 30, 4))}
        for _ in range(120)
    ]
    labels = [["ham", "spam", "eggs"][int(row["f0"] > 0) + int(row["f1"] > 0)] for row in rows]
    return rows, labels


@pytest.mark.parametrize("weights", [None, {"ham": 0.5, "eggs": 3.0}])
@pytest.mark.parametrize("classes", [2, 3])
def test_single_rows_and_batches_have_the_bits_of_classifier(stream, classes, weights):
    rows, labels = stream
    labels = labels if classes == 3 else ["ham" if x == "ham" else "eggs" for x in labels]
    X, names = encoded(rows)
    single, batches = (OnlineClassifier(class_weight=weights) for _ in range(2))
    for row, label in zip(rows, labels, strict=True):
        single.predict_one(row)
        single.learn_one(row, label)
    batches.learn_many(rows[:7], labels[:7]).learn_many(rows[7:], labels[7:])
    twin = Classifier(shuffle=False, class_weight=weights).partial_fit(X, labels)
    for model in (single, batches):
        same_bits(model, X, labels, class_weight=weights, **AUTO)
        assert model.feature_names_ == names
        assert model.predict_many(rows).tolist() == twin.predict(X).tolist()
        assert [model.predict_one(row) for row in rows] == twin.predict(X).tolist()
        of_twin = twin.predict_proba(X)
        np.testing.assert_allclose(model.predict_proba_many(rows), of_twin, rtol=1e-9)
        each = [list(model.predict_proba_one(row).values()) for row in rows]
        np.testing.assert_allclose(each, of_twin, rtol=1e-9)


def test_probabilities_are_the_sigmoid_and_the_softmax_of_the_scores(stream):
    rows, labels = stream
    for given in (labels, ["ham" if label == "ham" else "eggs" for label in labels]):
        model = OnlineClassifier().learn_many(rows, given)
        scores = model.score_one(rows[3])
        share = {k: math.exp(s if len(scores) > 2 else s / 2) for k, s in scores.items()}
        wanted = {label: value / sum(share.values()) for label, value in share.items()}
        assert model.predict_proba_one(rows[3]) == pytest.approx(wanted)


def test_units_change_no_prediction(stream):
    rows, labels = stream
    model = one_by_one(OnlineClassifier(), rows, labels)
    other = [{name: value * 2.0**-20 for name, value in row.items()} for row in rows]
    twin = one_by_one(OnlineClassifier(), other, labels)
    assert [twin.predict_proba_one(row) for row in other] == [
        model.predict_proba_one(row) for row in rows
    ]


def test_names_beyond_the_limit_are_ignored_and_counted(stream):
    rows, labels = stream
    X, names = encoded(rows)
    model = one_by_one(OnlineClassifier(max_features=9), rows, labels)
    same_bits(model, X[:, :9], labels, **AUTO)
    assert (model.feature_names_, model.ignored_) == (names[:9], X[:, 9:].nnz)


def test_parameters_are_those_that_make_sense():
    model = OnlineClassifier(class_weight={"a": 2.0})
    assert model.get_params() == {"class_weight": {"a": 2.0}, "max_features": None}
    assert repr(model) == str(model) == "OnlineClassifier(class_weight={'a': 2.0})"
    assert isinstance(model, OnlinePerceptron)  # whatever takes one takes the other
    with pytest.raises(TypeError, match="rule"):
        OnlineClassifier(rule="pa")
    with pytest.raises(ValueError, match="Invalid parameter 'eta0'"):
        model.set_params(eta0=0.1)


def test_copies_continue_alike(stream):
    rows, labels = stream
    X, _ = encoded(rows)
    model = one_by_one(OnlineClassifier(), rows[:50], labels[:50])
    for each in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), model):
        assert type(each) is OnlineClassifier
        same_bits(one_by_one(each, rows[50:], labels[50:]), X, labels, **AUTO)
    fresh = clone(model)
    assert (type(fresh), fresh.classes_, fresh.t_) == (OnlineClassifier, [], 1.0)


@pytest.mark.parametrize("limit", [None, 7])
@pytest.mark.parametrize("at", [1, 40])
def test_a_loaded_model_continues_to_the_bit(stream, path, limit, at):
    rows, labels = stream
    params = {"max_features": limit, "class_weight": {"ham": 2.0}}
    uninterrupted = one_by_one(OnlineClassifier(**params), rows, labels)
    save(one_by_one(OnlineClassifier(**params), rows[:at], labels[:at]), path, notes={"of": "x"})
    back = load(path)
    assert (type(back), back.get_params()) == (OnlineClassifier, params)
    one_by_one(back, rows[at:], labels[at:])
    width = len(uninterrupted.feature_names_)
    for each in (back, uninterrupted):  # the room for names to come may differ
        each.state = arrays_of(each._inner_model()._state)
    for name, mine in back.state.items():
        np.testing.assert_array_equal(mine, uninterrupted.state[name], err_msg=name)
    assert len(back.state["W"]) == width
    about = describe(path)
    assert (about["class"], about["format"]) == (
        "OnlineClassifier",
        6,
    )  # format 4 has no such class
    assert about["notes"] == {"of": "x"}


@pytest.mark.parametrize(
    "change",
    [{"rule": "pa1"}, {"output": "average"}, {"fit_intercept": False}, {"scale": True}],
    ids=str,
)
def test_a_file_with_other_parameters_is_refused(stream, path, change):
    save(OnlineClassifier().learn_many(*stream), path)
    with safe_open(path, framework="np") as file:
        header = json.loads(file.metadata()["rosenblatt"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    header["params"] |= change
    header["seal"] = files._header_digest(header)
    path.write_bytes(serialized(tensors, {"rosenblatt": json.dumps(header)}))
    with pytest.raises(ModelError):
        load(path)


def test_a_class_of_ones_own_cannot_be_saved(stream, path):
    class Mine(OnlineClassifier):
        pass

    with pytest.raises(TypeError, match="Mine cannot be saved"):
        save(Mine().learn_many(*stream), path)


@pytest.fixture(scope="module")
def river():
    river = pytest.importorskip("river")
    for part in ["checks", "base", "datasets", "drift", "ensemble", "evaluate", "metrics"]:
        pytest.importorskip(f"river.{part}")
    return river


def test_river_s_own_checks(river):
    river.checks.check_estimator(OnlineClassifier())
    assert isinstance(OnlineClassifier(), river.base.MiniBatchClassifier)


def test_river_s_metrics_and_ensembles_without_a_scaler(river):
    losses = {}
    for model in (
        OnlineClassifier(),
        river.ensemble.ADWINBaggingClassifier(OnlineClassifier(), n_models=3, seed=1),
        river.drift.DriftRetrainingClassifier(OnlineClassifier(), river.drift.binary.DDM()),
    ):
        metric = river.metrics.LogLoss()
        river.evaluate.progressive_val_score(river.datasets.Phishing(), model, metric)
        losses[type(model).__name__] = metric.get()
        assert repr(model.clone()) == repr(model)
    assert max(losses.values()) < 0.35  # of the majority class: 0.69
