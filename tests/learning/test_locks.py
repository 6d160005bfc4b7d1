"""Threads share a learner: nothing that one of them learns is lost; every copy has own locks."""

import copy
import pickle
import sys
import threading

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from forked import Forked
from profiles import scaled
from sklearn.base import clone

from rosenblatt import (
    Adaline,
    AveragedPerceptron,
    KernelPerceptron,
    LMSRegressor,
    Perceptron,
    VotedPerceptron,
    load,
    save,
)
from rosenblatt.learning.base import locks_of
from rosenblatt.learning.kernel.training import BLOCK

THREADS, BATCHES, SIZE = 8, 12, 9
X = np.random.default_rng(0).standard_normal((THREADS, BATCHES, SIZE, 4))
Y = (X.sum(axis=3) > 0.5).astype(int)
MODELS = [
    Perceptron(),
    Perceptron(expansion=True),
    Perceptron(scale=True, rule="arow"),
    AveragedPerceptron(multi_class="joint"),
    Adaline(eta0=0.01),
    KernelPerceptron(),
    KernelPerceptron(budget=20),
    VotedPerceptron(),
]
on_models = pytest.mark.parametrize("model", MODELS, ids=str)


@pytest.fixture(autouse=True)
def _eager_threads():
    """Threads that take turns every few microseconds."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def in_threads(work, count=THREADS):
    """Run ``work(k)`` in ``count`` threads at the same time; raise the first exception."""
    errors, start = [], threading.Barrier(count)

    def run(k):
        try:
            start.wait()
            work(k)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=[k]) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@on_models
def test_what_eight_threads_learn_is_all_there(model):
    model = clone(model)

    def learn(k):
        for i in range(BATCHES):
            model.partial_fit(X[k, i], Y[k, i], classes=[0, 1])

    in_threads(learn)
    assert model.t_ == 1 + THREADS * BATCHES * SIZE
    if getattr(model, "expansion", False):
        assert len(model.moves_) == model.updates_
        np.testing.assert_allclose(model.dual_coef_ @ model.support_vectors_, model.coef_)


def test_batches_are_learned_whole_in_some_order():
    """Two threads, one batch each: the weights are those of the one order or the other."""
    batches = [(X[k].reshape(-1, 4), Y[k].ravel()) for k in range(2)]
    ends = []
    for order in ((0, 1), (1, 0)):
        model = Perceptron()
        for k in order:
            model.partial_fit(*batches[k], classes=[0, 1])
        ends.append(model.coef_.tobytes())
    for _ in range(scaled(20)):
        model = Perceptron()
        in_threads(lambda k: model.partial_fit(*batches[k], classes=[0, 1]), 2)  # noqa: B023
        assert model.coef_.tobytes() in ends


def test_a_regression_learns_from_all_threads():
    model = LMSRegressor()
    in_threads(lambda k: [model.partial_fit(X[k, i], X[k, i, :, 0]) for i in range(BATCHES)])
    assert model.t_ == 1 + THREADS * BATCHES * SIZE


@on_models
def test_a_prediction_sees_whole_batches(model):
    """The scores beside a thread that learns are those after one of its batches."""
    model, model_alone = clone(model), clone(model)
    valid, seen, ended = set(), [], threading.Event()
    for i in range(BATCHES):
        model_alone.partial_fit(X[0, i], Y[0, i], classes=[0, 1])
        valid.add(model_alone.decision_function(X[1, 0]).tobytes())
    model.partial_fit(X[0, 0], Y[0, 0], classes=[0, 1])

    def work(k):
        if k == 0:
            for i in range(1, BATCHES):
                model.partial_fit(X[0, i], Y[0, i])
            ended.set()
        while k:  # once at least, on a busy machine too
            seen.append(model.decision_function(X[1, 0]).tobytes())
            if ended.is_set():
                break

    in_threads(work, 3)
    assert seen
    assert set(seen) <= valid


@pytest.mark.parametrize("rows_of", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_the_support_is_whole_beside_a_batch(rows_of):
    """Rows that a batch has stored so far are none of the model's before its end."""
    seen, x = [], rows_of(X[0, 0, :1])

    def kernel(A, B):
        if A.shape[0] == BLOCK:  # of the batch, not of explain
            seen.append((*facts(), model.explain(x).score))
        return np.asarray((A @ B.T).todense() if sp.issparse(A) else A @ B.T)

    def facts():
        return model.support_vectors_.shape[0], model.dual_coef_.shape[1]

    rng, n = np.random.default_rng(1), 2 * BLOCK
    rows, labels = rows_of(rng.standard_normal((n, 4))), rng.integers(2, size=n)
    model = KernelPerceptron(kernel, shuffle=False).partial_fit(rows[:20], labels[:20])
    before = (*facts(), model.explain(x).score)
    model.partial_fit(rows, labels)
    assert set(seen) == {before}
    assert facts() > before[:2]


def test_a_parameter_set_beside_a_batch_is_kept():
    model = Perceptron(eta0=1.0).partial_fit(X[0, 0], Y[0, 0], classes=[0, 1])

    def work(k):
        for i in range(200):
            if k:
                model.set_params(eta0=float(i + 1))
                assert model.eta0 == i + 1
            else:
                model.partial_fit(X[0, i % BATCHES], Y[0, i % BATCHES])

    in_threads(work, 2)


# --- copies --------------------------------------------------------------------------------------


def by_joblib(model, tmp_path):
    joblib.dump(model, tmp_path / "model.joblib")
    return joblib.load(tmp_path / "model.joblib")


def by_file(model, tmp_path):
    save(model, tmp_path / "model.rosenblatt")
    return load(tmp_path / "model.rosenblatt")


COPIES = {
    "pickle": lambda model, _: pickle.loads(pickle.dumps(model)),
    "copy": lambda model, _: copy.copy(model),
    "deepcopy": lambda model, _: copy.deepcopy(model),
    "joblib": by_joblib,
    "file": by_file,
    "clone": lambda model, _: clone(model),
}


@pytest.mark.parametrize("how", COPIES)
@on_models
def test_a_copy_has_locks_of_its_own(model, how, tmp_path):
    model = clone(model).partial_fit(X[0, 0], Y[0, 0], classes=[0, 1])
    with locks_of(model).learning:  # a copy does not wait for a fit, and can learn during it
        twin = COPIES[how](model, tmp_path)
        in_threads(lambda k: twin.partial_fit(X[1, 0], Y[1, 0], classes=[0, 1]), 1)
    assert locks_of(twin) is not locks_of(model)
    assert b"Locks" not in pickle.dumps(model)


@on_models
def test_what_a_copy_learns_changes_no_other(model):
    model = clone(model).partial_fit(X[0, 0], Y[0, 0], classes=[0, 1])
    before = model.decision_function(X[1, 1]).tobytes()
    copy.copy(model).partial_fit(X[1].reshape(-1, 4), 1 - Y[1].ravel())
    assert model.decision_function(X[1, 1]).tobytes() == before


@pytest.mark.parametrize("how", ["pickle", "deepcopy", "file"])
@pytest.mark.parametrize("model", MODELS[:6], ids=str)
def test_a_copy_beside_a_thread_that_learns_has_whole_batches(model, how, tmp_path):
    model, finished = clone(model).partial_fit(X[0, 0], Y[0, 0], classes=[0, 1]), threading.Event()

    def work(k):
        if k == 0:
            for i in range(scaled(5) * BATCHES):
                model.partial_fit(X[i % 8, i % BATCHES], Y[i % 8, i % BATCHES])
            finished.set()
        while k and not finished.is_set():
            twin = COPIES[how](model, tmp_path)
            assert (twin.t_ - 1) % SIZE == 0
            if getattr(twin, "expansion", False):
                assert len(twin.moves_) == twin.updates_

    in_threads(work, 2)


# --- a process that must not die -----------------------------------------------------------------

CRASH = """
import sys, threading
import numpy as np
from rosenblatt import KernelPerceptron, Perceptron

sys.setswitchinterval(1e-6)
X = np.random.default_rng(0).standard_normal((8, 40, 50, 5))
y = (X.sum(axis=3) > 0.3).astype(int)
for model in (Perceptron(expansion=True), KernelPerceptron()):
    model.partial_fit(X[0, 0], y[0, 0], classes=[0, 1])
    start = threading.Barrier(8)
    def learn(k):
        start.wait()
        for i in range(40):
            model.partial_fit(X[k, i], y[k, i])
    threads = [threading.Thread(target=learn, args=[k]) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(model.t_ - 1)
"""


def test_eight_threads_do_not_end_the_process():
    process = Forked(CRASH)
    out, error = process.communicate(300)
    assert process.returncode == 0, error
    assert out.decode().split() == [f"{50.0 + 8 * 40 * 50}"] * 2
