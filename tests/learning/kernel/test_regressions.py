"""Regression tests of faults in the kernel learner."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from forked import Forked
from kernel_data import integers, remembered
from sklearn.metrics import pairwise

from rosenblatt import KernelPerceptron, Perceptron, VotedPerceptron, kernels, rules
from rosenblatt.learning.kernel import training

SETTING = {"shuffle": False, "tol": None}


class Failing:
    """A kernel that fails in its n-th call."""

    calls, error = -1, RuntimeError

    def __call__(self, A, B):
        self.calls -= 1
        if self.calls == 0:
            raise self.error("gone")
        return A @ B.T


@pytest.mark.parametrize("how", ["partial_fit", "warm start"])
def test_a_failing_kernel_leaves_the_model_unchanged(how, monkeypatch):
    X, y = integers(60)
    monkeypatch.setattr(training, "BLOCK", 8)
    kernel = Failing()
    model = KernelPerceptron(kernel, max_iter=2, warm_start=True, **SETTING).fit(X[:30], y[:30])
    before = remembered(model)
    kernel.calls = 14
    with pytest.raises(RuntimeError, match="gone"):
        (model.partial_fit if how == "partial_fit" else model.fit)(X[:30] + 1, y[30:])
    after = remembered(model)
    assert [name for name in before if after[name] != before[name]] == []


DAMAGED = """
import itertools
import numpy as np, scipy.sparse as sp
from rosenblatt import KernelPerceptron
good = sp.csr_array(np.eye(3))
for method, kernel, column in itertools.product(
    ("fit", "predict"), ("rbf", "laplace"), (7000000, -1)
):
    bad = sp.csr_array(np.eye(3))
    bad.indices = np.array([0, 1, column], np.int32)
    try:
        if method == "fit":
            KernelPerceptron(kernel).fit(bad, [0, 1, 0])
        else:
            KernelPerceptron(kernel).fit(good, [0, 1, 0]).predict(bad)
    except ValueError as error:
        print(method, kernel, column, "column index" in str(error), flush=True)
"""


def test_a_damaged_sparse_matrix_is_refused_in_a_process():
    """A process, since a read beyond the arrays could end it."""
    process = Forked(DAMAGED)
    out, error = process.communicate()
    cases = itertools.product(("fit", "predict"), ("rbf", "laplace"), (7000000, -1))
    expected = [f"{method} {kernel} {column} True" for method, kernel, column in cases]
    assert (process.returncode, out.decode().splitlines()) == (0, expected), error


@pytest.mark.parametrize("calls", [2, 3, 4])
def test_an_early_interrupt_leaves_a_model_or_none(calls):
    X, y = integers(30, K=3)
    kernel = Failing()
    kernel.error, kernel.calls = KeyboardInterrupt, calls
    model = KernelPerceptron(kernel, output="vote", **SETTING)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    if model.__sklearn_is_fitted__():
        assert np.isfinite(model.decision_function(X)).all()  # 0/0 votes with t = 0


def test_an_early_interrupt_of_a_second_fit_leaves_a_consistent_model():
    X, y = integers(30, K=3)
    kernel = Failing()
    model = KernelPerceptron(kernel, max_iter=3, **SETTING).fit(X, y)
    kernel.error, kernel.calls = KeyboardInterrupt, 3
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y % 2)
    assert len(model.dual_coef_) == (3 if len(model.classes_) == 3 else 1)


def test_a_kernel_function_is_never_called_with_no_rows(monkeypatch):
    monkeypatch.setattr(training, "BLOCK", 8)
    X, y = np.tile(np.eye(2), (16, 1)), np.tile([0, 1], 16)
    X[0] = 0.8, 0.9  # moves in the second epoch, too: then the last block has seen all moves
    KernelPerceptron(pairwise.rbf_kernel, gamma=1.0, max_iter=9, **SETTING).fit(X, y)


def test_a_vote_calls_no_kernel_function_with_no_rows():
    one = KernelPerceptron(pairwise.rbf_kernel, output="vote").partial_fit(np.eye(2), [1, 1])
    assert one.predict(np.eye(2)).tolist() == [1, 1]


@pytest.mark.parametrize("more", [False, True])
def test_output_vote_after_training_is_refused(more):
    X, y = integers(30)
    model = KernelPerceptron(max_iter=3, **SETTING).fit(X, y).set_params(output="vote")
    with pytest.raises(ValueError, match="output"):
        (model.partial_fit(X, y) if more else model).predict(X)


def test_output_average_after_training_is_refused():
    X, y = integers(30)
    model = KernelPerceptron(max_iter=3, **SETTING).fit(X, y).set_params(output="average")
    with pytest.raises(ValueError, match="average"):
        model.partial_fit(X, y)


def test_every_learner_has_its_own_outputs():
    X, y = integers(30)
    with pytest.raises(ValueError, match="output must be one of"):
        Perceptron(output="vote").fit(X, y)
    with pytest.raises(ValueError, match="output must be one of"):
        KernelPerceptron(output="pocket").fit(X, y)


def test_fit_refuses_a_class_weight_of_no_class():
    X, y = integers(30)
    with pytest.raises(ValueError, match="class_weight"):
        Perceptron(class_weight={9: 1.0}).fit(X, y)
    with pytest.raises(ValueError, match="class_weight"):
        KernelPerceptron(class_weight={9: 1.0}).fit(X, y)


def test_a_batch_that_overflows_the_weights_is_refused():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 5)), rng.integers(0, 2, 300)
    with pytest.raises(ValueError, match="floating-point range"):
        KernelPerceptron("linear", rule=rules.LMS(1e3)).partial_fit(X, y)


@pytest.mark.parametrize("K", [np.arange(16.0).reshape(4, 4), np.ones((6, 4))], ids=["", "6 x 4"])
def test_a_warm_start_checks_the_precomputed_kernel(K):
    model = KernelPerceptron("precomputed", warm_start=True, max_iter=1, tol=None)
    model.fit(np.eye(4), [0, 1, 0, 1])
    with pytest.raises(ValueError, match=r"square|symmetric"):
        model.fit(K, [0, 1] * (len(K) // 2))


def test_a_kernel_class_instead_of_an_object_is_refused():
    with pytest.raises(ValueError, match="kernel"):
        KernelPerceptron(kernels.Polynomial).fit(np.eye(2), [0, 1])


def test_gamma_of_sparse_float32_rows():
    X = (np.random.default_rng(0).standard_normal((400, 5)) * 0.1 + 100).astype(np.float32)
    y = X[:, 0] > 100
    dense = KernelPerceptron(max_iter=1, tol=None).fit(X, y).gamma_
    sparse = KernelPerceptron(max_iter=1, tol=None).fit(sp.csr_array(X), y).gamma_
    assert np.isclose(dense, sparse, rtol=1e-3)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "model",
    [
        *(KernelPerceptron(kernel) for kernel in ("rbf", "laplace", "poly", "intersection")),
        KernelPerceptron(output="average"),
        KernelPerceptron(budget=4),
        VotedPerceptron(max_iter=3, tol=None),
        Perceptron(expansion=True),
    ],
    ids=repr,
)
def test_a_matrix_with_duplicates_is_read_as_their_sums(model):
    """Each entry as three parts, of other signs, in any order: the same kernel, γ and support."""
    rng = np.random.default_rng(0)
    dense = rng.integers(-3, 4, (30, 5)) + 0.5
    y, order = (
        (dense[:, 0] + rng.standard_normal(30) > 0) * 1,
        rng.permuted([range(15)] * 30, axis=1),
    )
    parts = np.stack([dense * 0.5 - 8.0, np.full_like(dense, 8.0), dense * 0.5], axis=2)
    data = np.take_along_axis(parts.reshape(30, 15), order, axis=1)
    twice = sp.csr_array((data.ravel(), (order // 3).ravel(), np.arange(31) * 15), (30, 5))
    once = sp.csr_array(dense)
    for learn in ("fit", "partial_fit"):
        a, b = (getattr(type(model)(**model.get_params()), learn)(X, y) for X in (once, twice))
        np.testing.assert_array_equal(a.decision_function(once), b.decision_function(twice))
        np.testing.assert_array_equal(a.support_, b.support_)
        np.testing.assert_array_equal(a.support_vectors_.toarray(), b.support_vectors_.toarray())
        assert getattr(a, "gamma_", 1.0) == getattr(b, "gamma_", 1.0)
