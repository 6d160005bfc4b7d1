"""Publication: threads see a learner before a fit or after it, and never weights that overflow."""

import pickle
import sys
import threading
import time
from contextlib import nullcontext

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from profiles import scaled, thorough
from sklearn.base import clone

from rosenblatt import (
    AveragedPerceptron,
    Classifier,
    KernelPerceptron,
    LMSRegressor,
    PassiveAggressiveClassifier,
    Perceptron,
    VotedPerceptron,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X = np.random.default_rng(0).standard_normal((24, 3))
TWO, FOUR = (X[:, 0] > 0).astype(int), 1 + np.arange(24) % 4


# --- threads -------------------------------------------------------------------------------------


@pytest.fixture
def _eager_threads():
    """Threads that take turns every few microseconds."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


SECONDS = scaled(6) / 10


def run_beside(write, readers):
    """Run ``write(i)`` for i = 0, 1, … in this thread, and each reader in its own, again and again.

    Returns the number of calls of the readers; an exception in one of them is raised.
    """
    errors, calls, finished = [], [0] * len(readers), threading.Event()

    def read(k):
        try:
            while not finished.is_set():
                readers[k]()
                calls[k] += 1
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=read, args=[k]) for k in range(len(readers))]
    for thread in threads:
        thread.start()
    end, i = time.monotonic() + SECONDS, 0
    while not errors and (time.monotonic() < end or i < 4):
        write(i)
        i += 1
    finished.set()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return sum(calls)


def outputs(model):
    """Names and bits of all that a fitted model answers."""
    results = {"predict": model.predict(X), "scores": model.decision_function(X)}
    if hasattr(model, "predict_proba"):
        results["probabilities"] = model.predict_proba(X)
    for name in ("coef_", "dual_coef_"):
        if hasattr(model, name):
            results[name] = getattr(model, name)
    return {name: (value.shape, value.tobytes()) for name, value in results.items()}


MODELS = [
    Perceptron(rule="logistic", max_iter=2, tol=None),
    AveragedPerceptron(max_iter=2, tol=None, expansion=True),
    PassiveAggressiveClassifier(max_iter=2, tol=None, random_state=0),
    KernelPerceptron(max_iter=2, tol=None),
    VotedPerceptron(max_iter=2, tol=None),
]


@pytest.mark.usefixtures("_eager_threads")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_fit_beside_predictions_is_seen_as_a_whole(model):
    valid = [outputs(clone(model).fit(X, y)) for y in (TWO, FOUR)]
    model = clone(model).fit(X, FOUR)

    def read():
        for name, value in outputs(model).items():
            assert value in [results[name] for results in valid]

    assert run_beside(lambda i: model.fit(X, (TWO, FOUR)[i % 2]), [read, read]) > 4


@pytest.mark.usefixtures("_eager_threads")
def test_a_failing_fit_is_not_seen():
    model = Perceptron().fit(X, TWO)
    before = outputs(model)

    def fail(i):
        with pytest.raises(ValueError, match="floating-point range"):
            model.fit(X, FOUR, sample_weight=np.full(24, 1.7e308))

    def read():
        assert outputs(model) == before

    assert run_beside(fail, [read, read]) > 4


@pytest.mark.usefixtures("_eager_threads")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_classes_that_appear_beside_predictions(model):
    model, batches = clone(model), [X[:8], X[8:16], X[16:]]
    model.partial_fit(X[:2], ["a", "b"])

    def learn(i):
        model.partial_fit(batches[i % 3], [f"{i % 5}{'abcdefgh'[k]}" for k in range(8)])

    def read():
        assert model.predict(X).shape == (24,)
        assert len(model.decision_function(X)) == 24

    assert run_beside(learn, [read, read]) > 4


@pytest.mark.usefixtures("_eager_threads")
def test_a_regression_is_seen_as_a_whole():
    targets = X @ [1.0, 2.0, 3.0], X @ [-1.0, 0.0, 1.0] + 5.0
    model = LMSRegressor(max_iter=2, tol=None)
    valid = [clone(model).fit(X, y).predict(X).tobytes() for y in targets]
    model.fit(X, targets[0])

    def read():
        assert model.predict(X).tobytes() in valid

    assert run_beside(lambda i: model.fit(X, targets[i % 2]), [read, read]) > 4


def test_what_a_prediction_computes_is_kept():
    model = Perceptron().partial_fit(X, TWO)
    model.predict(X)
    assert model.coef_ is model.coef_


# --- magnitudes ----------------------------------------------------------------------------------

HUGE = [
    Perceptron(max_iter=2, tol=None),
    Perceptron(max_iter=2, tol=None, fit_intercept=False),
    Perceptron(max_iter=2, tol=None, rule="lms"),
    Perceptron(max_iter=2, tol=None, rule="logistic", multi_class="joint"),
    Perceptron(max_iter=2, tol=None, penalty="l2"),
    Perceptron(max_iter=2, tol=None, penalty="l1"),
    Perceptron(max_iter=2, tol=None, output="pocket"),
    Perceptron(max_iter=2, tol=None, shards=2),
    AveragedPerceptron(max_iter=2, tol=None),
    PassiveAggressiveClassifier(max_iter=2, tol=None, average=True),
    LMSRegressor(max_iter=2, tol=None, output="average"),
    KernelPerceptron("linear", max_iter=2, tol=None, output="average"),
    KernelPerceptron("linear", rule="lms", max_iter=2, tol=None),
    KernelPerceptron(max_iter=2, tol=None),
    KernelPerceptron("laplace", gamma=1.0, max_iter=2, tol=None),
    KernelPerceptron("linear", budget=2, max_iter=2, tol=None),
    VotedPerceptron(max_iter=2, tol=None),
]
magnitudes = st.sampled_from([1e38, 1e150, 1e155, 1e200, 1e300, 1e307, 1e308, 1.7e308])


@pytest.mark.parametrize("model", HUGE, ids=repr)
@thorough(20)
@given(data=st.data())
def test_weights_that_leave_the_range_are_refused(model, data):
    """Rows up to the largest float64: finite weights, or an error that says what to do."""
    shape, largest = (10, 3), data.draw(magnitudes)
    values = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 1.0 / largest])
    flat = data.draw(st.lists(values, min_size=30, max_size=30))
    rows, y = np.reshape(flat, shape) * largest, np.arange(10) % data.draw(st.integers(2, 3))
    rows = data.draw(st.sampled_from([np.asarray, sp.csr_array]))(rows)
    calls = {
        "fit": lambda learner: learner.fit(rows, y),
        "batch": lambda learner: learner.partial_fit(rows, y),
        "rows": lambda learner: [learner.partial_fit(rows[[i]], y[i : i + 1]) for i in range(10)],
    }
    learner = clone(model)
    try:
        calls[data.draw(st.sampled_from(list(calls)))](learner)
    except ValueError as error:
        if not any(word in str(error) for word in ("floating-point", "overflows", "scale", "far")):
            raise
        return
    for name in ("coef_", "intercept_", "dual_coef_"):
        if hasattr(learner, name):
            assert np.isfinite(getattr(learner, name)).all(), name


@pytest.mark.parametrize("cls", [Perceptron, AveragedPerceptron])
@pytest.mark.parametrize("stored", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_weight_that_overflows_is_refused_with_a_finite_intercept_too(cls, stored):
    rows = stored(np.array([[0.0, 1.7e308, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]]))
    model = cls(shuffle=False)
    with pytest.raises(ValueError, match="floating-point range"):
        model.partial_fit(rows, [1, 0], classes=[0, 1], sample_weight=[2.0, 1.0])
    with pytest.raises(ValueError, match="floating-point range"):
        cls(shuffle=False, max_iter=1, tol=None).fit(rows, [1, 0], sample_weight=[2.0, 1.0])


def test_an_average_that_overflows_is_refused():
    rows, setting = np.array([[1.7e308], [0.0]]), {"shuffle": False, "max_iter": 1, "tol": None}
    for output, expected in (
        ("last", nullcontext()),
        ("average", pytest.raises(ValueError, match="floating-point range")),
    ):
        with expected:
            Perceptron(output=output, **setting).fit(rows, [1, 0])
        with expected:
            Perceptron(output=output, **setting).partial_fit(rows, [1, 0], classes=[0, 1])


# --- pickles -------------------------------------------------------------------------------------


def read_only(model):
    """Return a model of arrays that may not be written: joblib's workers, and Dask, give such."""
    buffers = []
    content = pickle.dumps(model, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(content, buffers=[bytes(buffer.raw()) for buffer in buffers])


@pytest.mark.parametrize(
    "model",
    [
        Classifier(),
        Perceptron(scale=True, probabilities=True),
        Perceptron(expansion=True),
        AveragedPerceptron(),
        LMSRegressor(),
    ],
    ids=repr,
)
def test_a_model_of_read_only_arrays_learns_on(model):
    copy = read_only(model.partial_fit(X, FOUR))
    copy.partial_fit(X, FOUR[::-1])
    model.partial_fit(X, FOUR[::-1])
    assert copy.coef_.tobytes() == model.coef_.tobytes()


def test_weights_of_a_pickle_are_not_edited_in_place():
    model = AveragedPerceptron().fit(X, FOUR)
    size = len(pickle.dumps(model))
    weights = model.coef_
    copy = pickle.loads(pickle.dumps(model))
    assert copy.coef_.tobytes() == weights.tobytes()
    with pytest.raises(ValueError, match="read-only"):
        copy.coef_[0, 0] = 1.0
    assert len(pickle.dumps(model)) == size
