"""Parameters, labels and rows that change between calls; errors and interrupts in between."""

import copy

import numpy as np
import pytest
import scipy.sparse as sp
from profiles import share
from sklearn.datasets import load_digits

from rosenblatt import KernelPerceptron, Perceptron, kernels, load, save
from rosenblatt.engine.state import arrays_of
from rosenblatt.learning.kernel import training


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:300] / 16.0, y[:300]


def every_bit(model):
    """Bytes of the state: weights, counters, support rows, steps and budget."""
    memory = model._dual
    arrays = [
        *arrays_of(model._state).values(),
        *memory.slots,
        *memory.steps,
        *(memory.budget or ()),
    ]
    rows = memory.support.matrix()
    return [a.tobytes() for a in arrays], memory.support.size, rows.tobytes()


class Fails:
    """The linear kernel, until it is called once too often."""

    def __init__(self, error):
        self.error, self.left = error, 10**9

    def __call__(self, A, B):
        self.left -= 1
        if self.left < 0:
            raise self.error
        return A @ B.T


@pytest.mark.parametrize(
    ("setting", "calls"),
    [
        (setting, calls)
        for turn, setting in enumerate([{}, {"output": "vote"}, {"budget": 20}])
        for calls in share([1, 5, 12, 60], 2, turn)
    ],
    ids=str,
)
def test_a_kernel_that_fails_leaves_every_bit_unchanged(digits, setting, calls, monkeypatch):
    monkeypatch.setattr(training, "BLOCK", 16)
    monkeypatch.setattr(training, "BUDGET_BLOCK", 8)
    X, y = digits
    kernel = Fails(RuntimeError("no more"))
    model = KernelPerceptron(kernel, shuffle=False, **setting).partial_fit(X[:50], y[:50])
    untouched, scores = copy.deepcopy(model), model.decision_function(X)
    before = every_bit(model)
    kernel.left = 50 // 8 + calls
    with pytest.raises(RuntimeError, match="no more"):
        model.partial_fit(X[50:], y[50:])
    kernel.left = 10**9
    assert every_bit(model) == before
    np.testing.assert_array_equal(model.decision_function(X), scores)
    for one in (model, untouched):
        one.partial_fit(X[50:], y[50:])
    assert every_bit(model) == every_bit(untouched)


def test_steps_of_an_interrupted_batch_are_kept_and_can_be_saved(digits, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "BLOCK", 16)
    X, y = digits
    kernel = Fails(KeyboardInterrupt())
    model = KernelPerceptron(kernel, shuffle=False).partial_fit(X[:50], y[:50])
    kernel.left = 60
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X[50:], y[50:])
    kernel.left = 10**9
    assert 51 < model.t_ < 301
    assert len(model.support_) == len(model._state.W)
    model.kernel, model._fitted_kernel = "linear", ("linear", 3, 0.0)  # a function is not saved
    save(model, tmp_path / "m")
    np.testing.assert_array_equal(load(tmp_path / "m").predict(X), model.predict(X))


def test_an_interrupt_before_the_first_step_keeps_the_old_model(digits):
    X, y = digits
    kernel = Fails(KeyboardInterrupt())
    model = KernelPerceptron(kernel, max_iter=2, tol=None).fit(X, y)
    before = every_bit(model)
    kernel.left = 3
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[::-1], y[::-1] % 2)
    kernel.left = 10**9
    assert every_bit(model) == before
    assert len(model.classes_) == 10


@pytest.mark.parametrize(
    ("first", "then", "message"),
    [
        ({}, {"output": "vote"}, r"output='vote' was set after training without it"),
        ({}, {"output": "average"}, r"output='average' was set after training without it"),
        ({}, {"budget": 5}, "budget=5 .* was set after"),
        ({"budget": 5}, {"budget": None}, "budget=None .* was set after"),
        ({"budget": 5}, {"budget": 50}, "budget=50 .* was set after"),
        ({"budget": 5, "budget_scheme": "random"}, {"budget_scheme": "projectron"}, "projectron"),
        ({"budget": 5, "budget_scheme": "random"}, {"budget_scheme": "forgetron"}, "forgetron"),
        ({}, {"kernel": "poly"}, "kernel, degree and coef0 were .* in training and are now"),
        ({"kernel": "poly"}, {"degree": 2}, "kernel, degree and coef0 were"),
    ],
    ids=str,
)
def test_parameters_changed_after_training_are_refused(digits, first, then, message):
    X, y = digits
    model = KernelPerceptron(max_iter=2, tol=None, **first).fit(X, y)
    model.set_params(**then)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X, y)
    assert len(model.fit(X, y).support_) <= (model.budget or 300)


def test_predict_refuses_a_vote_without_steps(digits):
    model = KernelPerceptron().fit(*digits).set_params(output="vote")
    with pytest.raises(ValueError, match="was set after training without it"):
        model.predict(digits[0])


def test_steps_of_an_earlier_vote_are_not_restored(digits, tmp_path):
    X, y = digits
    model = KernelPerceptron(output="vote").fit(X, y).set_params(output="last")
    save(model, tmp_path / "m")
    back = load(tmp_path / "m").partial_fit(X, y)
    np.testing.assert_array_equal(back.predict(X), model.partial_fit(X, y).predict(X))


@pytest.mark.parametrize(
    "model",
    [
        KernelPerceptron(multi_class="joint", tie=1),
        KernelPerceptron(multi_class="joint", budget=9, budget_scheme="projectron++"),
        Perceptron(multi_class="joint", tie=1),
        Perceptron(multi_class="joint", tie=1, expansion=True),
    ],
    ids=str,
)
def test_a_refused_late_label_leaves_the_model_unchanged(digits, model):
    X, y = digits
    model.partial_fit(X[:40], y[:40] % 2)
    weights, t = model._state.W.tobytes(), model.t_
    with pytest.raises(ValueError, match=r"arg max|two classes"):
        model.partial_fit(X[40:80], y[40:80] % 3)
    assert (model._state.W.tobytes(), model.t_) == (weights, t)
    assert model.partial_fit(X[40:80], y[40:80] % 2).t_ == 81


def test_a_precomputed_kernel_refuses_batches_and_is_checked_in_every_fit(digits):
    X, y = digits
    K = X @ X.T
    model = KernelPerceptron("precomputed", warm_start=True, max_iter=2, tol=None).fit(K, y)
    with pytest.raises(ValueError, match="cannot know which columns"):
        model.partial_fit(K[:30], y[:30])
    with pytest.raises(ValueError, match="square matrix"):
        model.fit(K[:100], y[:100])
    crooked = K.copy()
    crooked[0, 5] += 1.0
    with pytest.raises(ValueError, match="not symmetric"):
        model.fit(crooked, y)


@pytest.mark.parametrize("model", [KernelPerceptron(), Perceptron(expansion=True)], ids=str)
def test_dense_and_sparse_rows_can_be_mixed(digits, model):
    X, y = digits
    alike = copy.deepcopy(model).partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    for first, then in ((np.asarray, sp.csr_array), (sp.csr_matrix, np.asarray)):
        mixed = copy.deepcopy(model)
        mixed.partial_fit(first(X[:100]), y[:100]).partial_fit(then(X[100:]), y[100:])
        np.testing.assert_allclose(
            mixed.decision_function(then(X)), alike.decision_function(X), atol=1e-9
        )
        assert mixed.explain(then(X[:1])).score == pytest.approx(alike.explain(X[0]).score)


def test_a_damaged_sparse_matrix_is_refused(digits):
    X, y = sp.csr_array(digits[0]), digits[1]
    model = KernelPerceptron().fit(X, y)
    broken = X.copy()
    broken.indices[3] = 10**6
    for use in (lambda: model.predict(broken), lambda: model.partial_fit(broken, y)):
        with pytest.raises(ValueError, match="damaged sparse matrix"):
            use()


@pytest.mark.parametrize("kernel", [kernels.RBF(0.05), kernels.Laplace(0.05)], ids=str)
def test_rows_far_from_the_origin_keep_their_distances_in_float32(digits, kernel):
    X, y = digits
    near = KernelPerceptron(kernel, max_iter=3, tol=None).fit(X, y)
    far = KernelPerceptron(kernel, max_iter=3, tol=None).fit((X + 4096.0).astype("f4"), y)
    assert far.mistakes_ == near.mistakes_
    np.testing.assert_allclose(
        far.decision_function((X + 4096.0).astype("f4")), near.decision_function(X), atol=1e-3
    )


def test_rows_too_far_from_the_origin_are_refused(digits):
    X, y = digits
    with pytest.raises(ValueError, match="too far from the origin"):
        KernelPerceptron("rbf", gamma=1.0).fit(X + 1e9, y)


def test_gamma_scale_of_sparse_rows_is_that_of_dense_rows(digits):
    X, y = (digits[0] + 3e3).astype("f4"), digits[1]
    dense = KernelPerceptron("poly", degree=1, max_iter=1, tol=None).fit(X, y)
    sparse = KernelPerceptron("poly", degree=1, max_iter=1, tol=None).fit(sp.csr_array(X), y)
    assert sparse.gamma_ == pytest.approx(dense.gamma_, rel=1e-6)
    with pytest.raises(ValueError, match="give gamma as a number"):
        KernelPerceptron().fit(digits[0] * 1e200, y)


def test_an_expansion_with_unrecorded_steps_is_dropped(digits):
    X, y = digits
    model = Perceptron(expansion=True).fit(X, y)
    model.set_params(expansion=False).partial_fit(X, y).set_params(expansion=True)
    with pytest.raises(ValueError, match="was set after training without it"):
        model.partial_fit(X, y)
    assert model.explain(X[0]).rows is None
    model = Perceptron(expansion=True).fit(X, y).set_params(penalty="l2")
    with pytest.raises(ValueError, match="a penalty moves w, too"):
        model.partial_fit(X, y)


@pytest.mark.parametrize(
    ("model", "output"), [(Perceptron(), "vote"), (KernelPerceptron(), "pocket")], ids=str
)
def test_an_unknown_output_is_refused(digits, model, output):
    with pytest.raises(ValueError, match="output must be one of"):
        model.set_params(output=output).fit(*digits)


@pytest.mark.parametrize("kernel", [kernels.RBF, 3], ids=str)
def test_an_unknown_kernel_is_refused(digits, kernel):
    with pytest.raises(ValueError, match="kernel must be one of"):
        KernelPerceptron(kernel).fit(*digits)
