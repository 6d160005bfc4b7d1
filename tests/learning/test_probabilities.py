"""Probabilities of the logistic rule, calibrated ones, and the refusals of all others."""

import pickle
from itertools import pairwise, product

import numpy as np
import pytest
from profiles import share
from scipy.sparse import csr_array
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import log_loss
from sklearn.preprocessing import scale

from rosenblatt import (
    Adaline,
    AveragedPerceptron,
    KernelPerceptron,
    OnlinePerceptron,
    PassiveAggressiveClassifier,
    Perceptron,
    VotedPerceptron,
    load,
    rules,
    save,
)
from rosenblatt.learning import interface
from rosenblatt.learning.models.files import describe
from rosenblatt.learning.probabilities import log_probabilities
from rosenblatt.theory.calibration import FIELDS

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LOGISTIC = {"rule": "logistic", "eta0": 0.05, "max_iter": 20, "tol": None}


def test_two_classes_have_the_sigmoid_of_the_score():
    X, y = load_breast_cancer(return_X_y=True)
    X, text = scale(X), np.array(["bad", "good"])[y]
    model = Perceptron(**LOGISTIC).fit(X, text)
    probabilities, scores = model.predict_proba(X), model.decision_function(X)
    np.testing.assert_allclose(probabilities[:, 1], expit(scores), rtol=1e-12)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(X)).all()
    theirs = SGDClassifier(loss="log_loss", alpha=1e-9, learning_rate="constant", eta0=0.05)
    theirs.set_params(random_state=0, max_iter=20).fit(X, y)
    reference = log_loss(y, theirs.predict_proba(X))
    assert log_loss(y, probabilities) < 1.2 * reference + 0.02
    assert Perceptron(**LOGISTIC).partial_fit(X, text).predict_proba(X[:3]).shape == (3, 2)


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
@pytest.mark.parametrize("classifier", [Perceptron, AveragedPerceptron])
def test_more_classes(classifier, multi_class):
    X, y = load_iris(return_X_y=True)
    model = classifier(**LOGISTIC, multi_class=multi_class).fit(scale(X), y)
    scores = model.decision_function(scale(X))
    sigmoids = expit(scores)
    expected = {
        "ovr": sigmoids / sigmoids.sum(axis=1, keepdims=True),
        "joint": softmax(scores, axis=1),
    }[multi_class]
    np.testing.assert_allclose(model.predict_proba(scale(X)), expected, rtol=1e-10)
    assert log_loss(y, model.predict_proba(scale(X))) < 0.5


def test_rule_objects_and_kernels_have_probabilities_too():
    X, y = load_iris(return_X_y=True)
    same = Perceptron(rule=rules.Logistic(0.05), max_iter=20, tol=None).fit(X, y)
    np.testing.assert_array_equal(
        same.predict_proba(X), Perceptron(**LOGISTIC).fit(X, y).predict_proba(X)
    )
    kernel = KernelPerceptron(**{**LOGISTIC, "max_iter": 3}).fit(X, y)
    assert log_loss(y, kernel.predict_proba(X)) < 0.8


def test_extreme_scores_have_finite_logarithms():
    scores = np.array([-1e308, -800.0, 0.0, 800.0, 1e308])
    logs = log_probabilities(scores, 2, joint=False)
    assert np.isfinite(logs).all()
    assert logs[1].tolist() == [0.0, -800.0]
    for joint in (False, True):
        more = log_probabilities(np.array([[-900.0, -900.0, -902.0]]), 3, joint=joint)
        np.testing.assert_allclose(np.exp(more), softmax([[0.0, 0.0, -2.0]], axis=1))
    assert log_probabilities(np.zeros(2), 1, joint=False).tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize("method", ["predict_proba", "predict_log_proba"])
@pytest.mark.parametrize(
    "model",
    [
        Perceptron(),
        Perceptron(rule="bogus"),
        Perceptron(rule=rules.PA1()),
        AveragedPerceptron(),
        PassiveAggressiveClassifier(),
        Adaline(),
        KernelPerceptron(),
        KernelPerceptron(rule="logistic", output="vote"),
        VotedPerceptron(rule="logistic"),
    ],
    ids=repr,
)
def test_other_rules_refuse_with_the_line_that_calibrates(model, method):
    assert not hasattr(model, method)
    message = rf"{type(model).__name__} has no {method}: .*CalibratedClassifierCV\(model\)\.fit"
    with pytest.raises(AttributeError, match=message):
        getattr(model, method)


def test_the_line_that_calibrates():
    X, y = load_iris(return_X_y=True)
    model = AveragedPerceptron()
    calibrated = CalibratedClassifierCV(model).fit(X, y)
    assert log_loss(y, calibrated.predict_proba(X)) < 0.5
    assert not hasattr(clone(model), "predict_proba")


# --- probabilities=True ---------------------------------------------------------------------------


def blobs(n=6000, seed=0):
    """Rows whose labels have known probabilities: a logistic model."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    p = expit(2.0 * (X @ [1.0, -1.0, 0.5, 0.0, 2.0]) - 1.0)
    return X, (rng.random(n) < p).astype(int), p


def ece(p, hits, bins=15):
    """Expected calibration error, over bins of as many rows."""
    parts = np.array_split(np.argsort(p), bins)
    return sum(len(i) * abs(p[i].mean() - hits[i].mean()) for i in parts) / len(p)


CALIBRATED = [
    {"output": "average"},
    {"output": "average", "eta0": 1e-6},  # scores of any size
    {"output": "average", "eta0": 1e6},
    {"rule": "arow"},
    {"rule": "pa1", "output": "average", "eta0": 0.1},
    {"rule": "logistic", "output": "average"},
    {"rule": "scinol"},
    {"rule": "adagrad"},
]


@pytest.mark.parametrize("params", CALIBRATED, ids=str)
def test_probabilities_of_made_data_are_calibrated(params):
    X, y, p = blobs(30_000)
    model = Perceptron(probabilities=True, shuffle=False, **params)
    model.partial_fit(X[:20_000], y[:20_000], classes=[0, 1])
    found = model.predict_proba(X[20_000:])[:, 1]
    rng = np.random.default_rng(1)
    of_chance = [ece(found, rng.random(len(found)) < found) for _ in range(99)]
    # 820 examples have found a and b: an error of 1/√820 of their spread besides that of chance.
    assert ece(found, y[20_000:]) < np.quantile(of_chance, 0.95) + 0.012
    assert np.abs(found - p[20_000:]).mean() < 0.06


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_probabilities_of_more_classes(multi_class):
    X, y = load_digits(return_X_y=True)
    model = AveragedPerceptron(probabilities=True, max_iter=3, tol=None, multi_class=multi_class)
    model.fit(X[:1200], y[:1200])
    probabilities = model.predict_proba(X[1200:])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert log_loss(y[1200:], probabilities) < 0.45
    np.testing.assert_array_equal(np.exp(model.predict_log_proba(X[1200:])), probabilities)


@pytest.mark.parametrize(
    ("kind", "labels", "output"),
    share(product([np.asarray, csr_array], [2, 5], ["last", "average"]), 3, 0),
)
def test_batches_files_and_copies_go_on_to_the_bit(labels, output, kind, tmp_path):
    X, y = load_digits(return_X_y=True)
    X, y = kind(X), y % labels
    params = {"probabilities": True, "shuffle": False, "output": output}
    whole = Perceptron(**params, max_iter=1, tol=None).fit(X, y)
    parts = Perceptron(**params)
    for start, stop in pairwise([0, 1, 2, 300, 1000, 1001, len(y)]):
        parts.partial_fit(X[start:stop], y[start:stop], classes=list(range(labels)))
        save(parts, tmp_path / "model")
        parts = pickle.loads(pickle.dumps(load(tmp_path / "model")))
    one, other = (interface.learned(model).state for model in (whole, parts))
    assert [*one.own] == [*FIELDS]
    for name in FIELDS:
        assert one.own[name].tobytes() == other.own[name].tobytes(), name
    np.testing.assert_array_equal(whole.predict_proba(X), parts.predict_proba(X))


@pytest.mark.parametrize("labels", [2, 3])
def test_weights_and_predictions_are_those_without_probabilities(labels):
    X, y = load_digits(return_X_y=True)
    params = {"max_iter": 3, "tol": None, "output": "average"}
    plain = Perceptron(**params).fit(X, y % labels)
    calibrated = Perceptron(**params, probabilities=True).fit(X, y % labels)
    for name in ("coef_", "intercept_", "predict", "decision_function"):
        values = [getattr(model, name) for model in (plain, calibrated)]
        one, other = (value(X) if callable(value) else value for value in values)
        np.testing.assert_array_equal(one, other)


def test_a_file_with_probabilities_has_a_format_of_its_own(tmp_path):
    X, y, _ = blobs(100)
    for probabilities, format in ((True, 6), (False, 2)):
        model = Perceptron(probabilities=probabilities).fit(X, y)
        save(model, tmp_path / "model")
        about = describe(tmp_path / "model")
        assert about["format"] == format
        assert ("calibration.aa" in about["tensors"]) == probabilities
        assert load(tmp_path / "model").get_params() == model.get_params()


def test_a_class_that_comes_late_begins_the_calibration_anew():
    X, y = load_iris(return_X_y=True)
    order = np.r_[np.arange(100).reshape(2, 50).T.ravel(), 100:150]  # the third class is last
    X, y = X[order], y[order]
    model = Perceptron(probabilities=True, shuffle=False).partial_fit(X[:100], y[:100])
    assert interface.learned(model).state.own["calibration.count"].tolist() == [99]
    model.partial_fit(X[100:], y[100:])
    assert interface.learned(model).state.own["calibration.count"].tolist() == [50]
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_one_class_is_certain():
    model = Perceptron(probabilities=True).partial_fit([[1.0]], ["a"])
    assert model.predict_proba([[2.0]]).tolist() == [[1.0]]


def test_shards_have_probabilities():
    X, y, p = blobs()
    params = {"probabilities": True, "output": "average", "max_iter": 2, "tol": None, "shards": 3}
    models = [Perceptron(**params, n_jobs=n).fit(X, y) for n in (1, -1)]
    assert np.abs(models[0].predict_proba(X)[:, 1] - p).mean() < 0.05
    np.testing.assert_array_equal(*(model.predict_proba(X) for model in models))


def test_rows_of_weight_zero_are_not_used_and_other_weights_count_as_one():
    X, y, _ = blobs(300)
    weight = np.where(np.arange(300) < 100, 0.0, 1.0)
    params = {"probabilities": True, "shuffle": False}
    one = Perceptron(**params).partial_fit(X, y, classes=[0, 1], sample_weight=weight)
    other = Perceptron(**params).partial_fit(X[100:], y[100:], classes=[0, 1])
    assert one.predict_proba(X).tolist() == other.predict_proba(X).tolist()
    params["class_weight"] = {0: 0.5, 1: 3.0}
    heavy = Perceptron(**params, output="average").partial_fit(*blobs(20_000)[:2], classes=[0, 1])
    X, y, _ = blobs(5000, seed=2)
    assert abs(heavy.predict_proba(X)[:, 1].mean() - y.mean()) < 0.03


@pytest.mark.parametrize(
    ("params", "message"),
    [({"output": "pocket"}, "pocket"), ({"rule": "minover"}, "chooses those with the least")],
)
def test_scores_that_no_row_has_before_it_is_learned_are_refused(params, message):
    X, y, _ = blobs(50)
    with pytest.raises(ValueError, match=message):
        Perceptron(probabilities=True, **params).fit(X, y)


def test_probabilities_may_be_switched_on_and_off():
    X, y, _ = blobs(1000)
    model = Perceptron(shuffle=False).partial_fit(X[:500], y[:500], classes=[0, 1])
    model.set_params(probabilities=True)
    with pytest.raises(ValueError, match="learn more examples"):
        model.predict_proba(X)
    model.partial_fit(X[500:], y[500:])
    assert interface.learned(model).state.own["calibration.count"].tolist() == [500]
    assert model.predict_proba(X).shape == (1000, 2)
    model.set_params(probabilities=False).partial_fit(X[:1], y[:1])
    assert not interface.learned(model).state.own


def test_rows_of_names_one_by_one_have_the_bits_of_the_matrix():
    X, y = load_iris(return_X_y=True)
    rows = [{f"x{j}": float(x) for j, x in enumerate(row)} for row in X]
    online = OnlinePerceptron(probabilities=True, output="average")
    for row, label in zip(rows, y.tolist(), strict=True):
        online.learn_one(row, label)
    many = OnlinePerceptron(probabilities=True, output="average").learn_many(rows, y)
    assert online.predict_proba_one(rows[7]) == many.predict_proba_one(rows[7])
    assert sum(online.predict_proba_one(rows[7]).values()) == pytest.approx(1.0)
    np.testing.assert_array_equal(online.predict_proba_many(rows), many.predict_proba_many(rows))


@pytest.mark.parametrize(
    "model",
    [Adaline(probabilities=True), PassiveAggressiveClassifier(probabilities=True, average=True)],
)
def test_presets_have_probabilities(model):
    X, y, p = blobs()
    found = model.set_params(max_iter=2, tol=None).fit(X, y).predict_proba(X)[:, 1]
    assert np.abs(found - p).mean() < 0.06


@pytest.mark.parametrize("params", [{}, {"budget": 40}, {"multi_class": "joint"}], ids=str)
def test_kernel_learners_have_probabilities(params, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2))
    y = rng.binomial(1, expit(8.0 * (1.0 - (X * X).sum(axis=1))))  # a circle
    if "multi_class" in params:
        y = y + 2 * (X[:, 0] > 0)
    model = KernelPerceptron("rbf", gamma=1.0, probabilities=True, shuffle=False, **params)
    labels = np.unique(y)
    for start, stop in ((0, 500), (500, 1000)):
        model.partial_fit(X[start:stop], y[start:stop], classes=labels)
        save(model, tmp_path / "model")
        model = load(tmp_path / "model")
    found = model.predict_proba(X[1000:])
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    shares = np.bincount(y[1000:]) / 500
    assert log_loss(y[1000:], found, labels=labels) < 0.75 * -np.sum(shares * np.log(shares))
    assert interface.learned(model).state.own["calibration.count"].tolist() == [1000]


@pytest.mark.parametrize("output", ["average", "vote"])
def test_a_kernel_learner_calibrates_its_last_weights_alone(output):
    X, y, _ = blobs(50)
    with pytest.raises(ValueError, match="use output='last'"):
        KernelPerceptron(probabilities=True, output=output).fit(X, y)


@pytest.mark.parametrize("labels", [2, 4])
@pytest.mark.parametrize("budget", [None, 1000])
def test_a_linear_kernel_has_the_bits_of_the_linear_learner(labels, budget):
    """On rows of small whole numbers, whose scores have no rounding."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, (300, 6)).astype(float), rng.integers(0, labels, 300)
    params = {"probabilities": True, "shuffle": False, "max_iter": 2, "tol": None}
    linear = Perceptron(**params).fit(X, y)
    scheme = {"budget": budget, "budget_scheme": "random"}
    kernel = KernelPerceptron("linear", **params, **scheme).fit(X, y)
    one, other = (interface.learned(model).state.own for model in (linear, kernel))
    for name in FIELDS:
        assert one[name].tobytes() == other[name].tobytes(), name
