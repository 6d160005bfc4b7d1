"""The kernel perceptron batch by batch: one answer always, late labels, warm starts, interrupts."""

import signal

import kernel_data
import numpy as np
import pytest
import scipy.sparse as sp
from forked import Forked
from kernel_data import integers, remembered
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris

from rosenblatt import KernelPerceptron, Perceptron, VotedPerceptron
from rosenblatt.engine import state
from rosenblatt.learning.kernel import training
from rosenblatt.learning.support import Support

SETTINGS = [
    {"output": "average"},
    {"output": "vote"},
    {"output": "vote", "multi_class": "joint"},
]
POWER = {**kernel_data.POWER, "shuffle": False}
POCKET = {f"State.{f}" for f in state.State._fields if f.startswith(("pocket", "champion", "run"))}


def but(bits, *names):
    return {name: value for name, value in bits.items() if name not in names}


def in_chunks(model, X, y, count, **options):
    for rows in np.array_split(np.arange(len(y)), count):
        model.partial_fit(X[rows], y[rows], **options)
    return model


# --- promise 1: the same answer ------------------------------------------------------------------


@pytest.mark.parametrize("stored", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_promise_1_chunks_and_single_rows_are_one_pass(setting, stored, monkeypatch):
    X, y = integers(60, K=3)
    X = stored(X)
    model = KernelPerceptron(**POWER, **setting)
    known = {"classes": [0, 1, 2]}
    whole = remembered(clone(model).partial_fit(X, y, **known))
    assert remembered(in_chunks(clone(model), X, y, 7, **known)) == whole
    assert remembered(in_chunks(clone(model), X, y, 60, **known)) == whole
    fitted = remembered(clone(model).set_params(max_iter=1, tol=None).fit(X, y))
    assert but(fitted, "State.losses", *POCKET) == but(whole, "State.losses", *POCKET)
    monkeypatch.setattr(training, "BLOCK", 11)
    assert remembered(in_chunks(clone(model), X, y, 3, **known)) == whole


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_promise_1_late_labels_in_chunks_and_single_rows(setting):
    """From none to four, in the middle of a batch or at its start: the same in every cut."""
    X, y = integers(60, K=4)
    y[:4], y[:30] = 0, y[:30] % 3  # 3 is late
    model = KernelPerceptron(**POWER, **setting)
    whole = clone(model).partial_fit(X, y)
    for count in (7, 60):
        chunks = in_chunks(clone(model), X, y, count)
        assert remembered(chunks) == remembered(whole)
        np.testing.assert_array_equal(chunks.decision_function(X), whole.decision_function(X))
    np.testing.assert_array_equal(whole.support_vectors_, X[whole.support_])


def test_promise_1_a_warm_start_continues_a_stopped_fit():
    X, y = integers(60, K=3)
    for setting in SETTINGS:
        setting = {**POWER, "tol": None, **setting}
        whole = KernelPerceptron(max_iter=6, **setting).fit(X, y)
        parts = KernelPerceptron(max_iter=2, warm_start=True, **setting)
        for _ in range(3):
            parts.fit(X, y)
        assert remembered(parts) == remembered(whole)
        assert parts.n_iter_ == 2
        np.testing.assert_array_equal(parts.history_["mistakes"], whole.history_["mistakes"][4:])


def test_without_a_warm_start_a_fit_starts_again():
    X, y = integers(60, K=3)
    model = KernelPerceptron(**POWER, max_iter=2, tol=None)
    once = remembered(model.fit(X, y))
    assert remembered(model.fit(X + 1.0, y)) != once
    assert remembered(model.fit(X, y)) == once


def test_gamma_is_computed_from_the_first_batch():
    X, y = load_iris(return_X_y=True)
    model = KernelPerceptron(shuffle=False).partial_fit(X[::2], y[::2])
    gamma = 1.0 / (4 * X[::2].var())
    assert np.isclose(model.gamma_, gamma, rtol=1e-12)
    assert model.partial_fit(X[1::2] * 9.0, y[1::2]).gamma_ == model.gamma_
    assert KernelPerceptron(gamma="auto").fit(X, y).gamma_ == 0.25
    assert KernelPerceptron(gamma=0.7).fit(X, y).gamma_ == 0.7
    assert np.isclose(KernelPerceptron().fit(sp.csr_array(X), y).gamma_, 1 / (4 * X.var()))
    assert KernelPerceptron(max_iter=1, tol=None).fit(np.ones((4, 2)), y[48:52]).gamma_ == 1.0


def test_rows_are_counted_over_all_calls():
    X, y = integers(30)
    model = in_chunks(KernelPerceptron(**POWER), X, y, 4)
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    assert len(model.support_) > 8


# --- labels --------------------------------------------------------------------------------------


@pytest.mark.parametrize("output", ["last", "average", "vote"])
def test_two_classes_become_three_without_forgetting(output):
    X, y = load_iris(return_X_y=True)
    old = y > 0
    model = KernelPerceptron(shuffle=False, output=output).partial_fit(X[old], y[old])
    before, coefficients = model.predict(X[old]), model.dual_coef_[0].copy()
    scores = model.decision_function(X[old])
    norm = np.sqrt(model._dual.slots.squares.sum())
    model._add_class(0)
    np.testing.assert_array_equal(
        model.dual_coef_, [0.0 * coefficients, -coefficients, coefficients]
    )
    np.testing.assert_array_equal(model.predict(X[old]), before)
    np.testing.assert_array_equal(model.decision_function(X[old]), np.outer(scores, [0, -1, 1]))
    assert np.isclose(np.sqrt(model._dual.slots.squares.sum()), np.sqrt(2) * norm)
    model._add_class(-1)  # before all others
    np.testing.assert_array_equal(model.decision_function(X[old]), np.outer(scores, [0, 0, -1, 1]))


def test_late_labels_are_learned_as_by_the_linear_learner():
    """The same predictions as w itself after every batch, from one class on."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:90], y[:90]
    for output in ("last", "average"):
        model = KernelPerceptron("linear", output=output, shuffle=False)
        linear = Perceptron(output=output, shuffle=False)
        for rows in np.array_split(np.arange(90), 30):
            for each in (model, linear):
                each.partial_fit(X[rows], y[rows])
            assert list(model.classes_) == list(linear.classes_) == sorted(set(y[: rows[-1] + 1]))
            scores = linear.decision_function(X)
            np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-9, atol=1e-6)
        for name in ("mistakes_", "errors_", "updates_", "t_"):
            assert getattr(model, name) == getattr(linear, name), name


def test_text_labels_can_become_longer():
    model = VotedPerceptron().partial_fit(np.eye(2), np.array(["a", "b"]))
    model.partial_fit(np.eye(2), np.array(["longer", "a"]))
    assert list(model.classes_) == ["a", "b", "longer"]
    assert set(model.predict(np.eye(2))) <= {"a", "b", "longer"}


def test_a_label_outside_classes_is_refused():
    X, y = integers(20)
    model = KernelPerceptron(**POWER).partial_fit(X, y, classes=[0, 1])
    before = remembered(model)
    with pytest.raises(ValueError, match="label 7, which is none of the classes"):
        model.partial_fit(X[:2], [0, 7])
    with pytest.raises(ValueError, match="not the same as on last call"):
        model.partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="mixed types"):
        KernelPerceptron().partial_fit(X, y).partial_fit(X[:1], np.array(["late"]))
    assert remembered(model) == before


def test_partial_fit_refuses_a_precomputed_kernel():
    with pytest.raises(ValueError, match="partial_fit cannot know which columns"):
        KernelPerceptron("precomputed").partial_fit(np.eye(2), [0, 1])


def test_rows_of_weight_zero_make_no_update():
    X, y = integers(40)
    weight = (np.arange(40) % 3 == 0).astype(float)
    whole = KernelPerceptron(**POWER).partial_fit(X, y, [0, 1], weight)
    single = KernelPerceptron(**POWER)
    for i in range(40):
        single.partial_fit(X[i : i + 1], y[i : i + 1], [0, 1], weight[i : i + 1])
    assert remembered(whole) == remembered(single)
    assert not set(whole.support_) & set(np.flatnonzero(weight == 0.0))
    assert whole.t_ == 41


# --- interrupts ----------------------------------------------------------------------------------


class Interrupting:
    """A kernel during whose n-th call somebody presses Ctrl-C."""

    def __init__(self, calls):
        self.calls = calls

    def __call__(self, A, B):
        self.calls -= 1
        if self.calls == 0:
            raise KeyboardInterrupt
        return kernel_data.power(A, B)


@pytest.mark.parametrize("output", ["last", "average", "vote"])
@pytest.mark.parametrize("K", [2, 3])
def test_an_interrupted_fit_keeps_its_steps(monkeypatch, K, output):
    """Wherever it stops, the model is the one that saw exactly the rows before."""
    X, y = integers(60, K=K)
    monkeypatch.setattr(training, "BLOCK", 8)
    setting = {**POWER, "max_iter": 4, "tol": None, "output": output}
    stops = set()
    for calls in range(12, 60, 9):
        model = KernelPerceptron(**setting | {"kernel": Interrupting(calls)})
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
        seen = int(model.t_) - 1
        stops.add(seen % 8 != 0)
        assert len(model.support_) == len(model.support_vectors_) == model.dual_coef_.shape[1]
        np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
        rows = np.arange(seen) % 60
        same = KernelPerceptron(**POWER, output=output).partial_fit(X[rows], y[rows], range(K))
        np.testing.assert_array_equal(model.dual_coef_, same.dual_coef_)
        np.testing.assert_array_equal(model.decision_function(X), same.decision_function(X))
        for name in ("mistakes_", "updates_", "errors_"):
            assert getattr(model, name) == getattr(same, name), name
        assert model.n_iter_ == -(-seen // 60), "an epoch that was begun is in the history"
        assert model.history_["mistakes"].sum() == model.mistakes_
        assert model.partial_fit(X, y).t_ == seen + 61
    assert stops == {True, False}, "between blocks and in the middle of one"


INTERRUPTED = """
import numpy as np
from interrupts import interrupt_soon
from rosenblatt import KernelPerceptron
rng = np.random.default_rng(0)
X, y = rng.standard_normal((20_000, 20), np.float32), rng.integers(0, 2, 20_000)
model = KernelPerceptron(max_iter=1000, tol=None, output="vote")
interrupt_soon()
try:
    model.fit(X, y)
except KeyboardInterrupt:
    S = len(model.support_)
    print(0 < S == len(model.support_vectors_) == model.dual_coef_.shape[1])
    print(np.array_equal(model.support_vectors_, X[model.support_]))
    print(model.history_["mistakes"].sum() == model.mistakes_ == model.updates_ > 0)
    print((model.n_iter_ - 1) * 20_000 < model.t_ - 1 <= model.n_iter_ * 20_000)
    print(np.isfinite(model.decision_function(X[:9])).all())
"""


def test_a_real_interrupt_leaves_a_model():
    output, error = Forked(INTERRUPTED).communicate()
    assert output.split() == [b"True"] * 5, error


def test_an_interrupt_that_comes_while_rows_are_stored_leaves_all_of_them(monkeypatch):
    def add(self, *rows):
        signal.raise_signal(signal.SIGINT)
        stored(self, *rows)

    stored = Support.add
    monkeypatch.setattr(Support, "add", add)
    X, y = np.random.default_rng(0).normal(size=(50, 3)), np.arange(50) % 2
    model = KernelPerceptron(output="vote")
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert len(model.support_) == len(model.support_vectors_) == model.dual_coef_.shape[1] > 0
    assert np.isfinite(model.decision_function(X)).all()
