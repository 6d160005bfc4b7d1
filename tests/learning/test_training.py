"""The training loop: epochs one by one or several in one call, and interrupts."""

import itertools
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine

from rosenblatt import Adaline, LMSRegressor, PassiveAggressiveClassifier, Perceptron
from rosenblatt.engine.linear import epochs
from rosenblatt.engine.state import arrays_of
from rosenblatt.learning import training
from rosenblatt.learning.problem import LinearProblem

IRIS = load_iris(return_X_y=True)
EVERYTHING_BUT_SECONDS = ["epoch", "mistakes", "updates", "errors", "criterion", "norm"]


def assert_same_fit(a, b):
    """The same weights, state and history, to the last bit."""
    assert (a.n_iter_, a.t_) == (b.n_iter_, b.t_)
    assert getattr(a, "converged_", None) == getattr(b, "converged_", None)
    for name in EVERYTHING_BUT_SECONDS:
        assert a.history_[name].tobytes() == b.history_[name].tobytes(), name
    for name, one in arrays_of(a._state).items():
        other = arrays_of(b._state)[name]
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(),
        Perceptron(output="average", shuffle=False),
        Perceptron(max_iter=7, tol=None),
        Perceptron(class_weight="balanced", n_iter_no_change=1),
        PassiveAggressiveClassifier(random_state=0, max_iter=30),
        Adaline(eta0=0.01, max_iter=30, tol=None),
        LMSRegressor(eta0=0.001, max_iter=30, tol=None),
    ],
    ids=str,
)
@pytest.mark.parametrize("classes", [2, 3])
def test_calls_of_one_and_of_several_epochs_give_the_same_bits(model, classes, monkeypatch):
    X, y = (a[: 50 * classes] for a in IRIS)
    y = (y == 1).astype(int) if classes == 2 else y
    several = type(model)(**model.get_params()).fit(X, y)
    monkeypatch.setattr(training, "SLICE_EPOCHS", 1)
    assert_same_fit(type(model)(**model.get_params()).fit(X, y), several)
    monkeypatch.setattr(epochs, "SHORT_EPOCH", 0)
    assert_same_fit(type(model)(**model.get_params()).fit(X, y), several)


def test_a_warm_start_continues_with_the_same_bits(monkeypatch):
    def warm():
        return Perceptron(warm_start=True, max_iter=5, tol=None).fit(*IRIS).fit(*IRIS)

    several = warm()
    monkeypatch.setattr(epochs, "SHORT_EPOCH", 0)
    assert_same_fit(warm(), several)


def test_a_penalty_of_an_earlier_fit_stays_in_the_scale(monkeypatch):
    def warm():
        model = Perceptron(warm_start=True, penalty="l2", alpha=0.01, max_iter=3, tol=None)
        return model.fit(*IRIS).set_params(penalty=None).fit(*IRIS)

    several = warm()
    monkeypatch.setattr(epochs, "SHORT_EPOCH", 0)
    assert_same_fit(warm(), several)


def test_weights_that_overflow_are_refused_with_their_epoch(monkeypatch):
    X, y = load_wine(return_X_y=True)
    messages = []
    for short in (epochs.SHORT_EPOCH, 0):
        monkeypatch.setattr(epochs, "SHORT_EPOCH", short)
        with pytest.raises(ValueError, match="floating-point range in epoch") as error:
            Adaline(rule="lms", eta0=1.0).fit(X, y)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


def replace_calls(monkeypatch, call):
    """Have ``call(learn, *arguments)`` in the place of each call of several epochs."""
    runner = LinearProblem.epochs_runner

    def replaced(problem, state):
        learn = runner(problem, state)
        return None if learn is None else partial(call, learn)

    monkeypatch.setattr(LinearProblem, "epochs_runner", replaced)


@pytest.mark.parametrize(
    ("seconds", "expected"), [(1e-6, training.SLICE_EPOCHS), (0.01, 5), (10.0, 1)]
)
def test_a_call_of_several_epochs_is_short(seconds, expected, monkeypatch):
    capacities = []

    def noted(learn, *arguments):
        capacities.append(len(arguments[-1].norms))
        return learn(*arguments)

    clock = SimpleNamespace(perf_counter=itertools.cycle([0.0, seconds]).__next__)
    replace_calls(monkeypatch, noted)
    monkeypatch.setattr(training, "time", clock)
    Perceptron(max_iter=200, tol=None).fit(*IRIS)
    assert capacities[:2] == [1, expected]


def interrupt_call(monkeypatch, number, *, after):
    """Interrupt the call of that number to the epochs, before or after its work."""
    calls = []

    def interrupted(learn, *arguments):
        calls.append(1)
        if len(calls) < number:
            return learn(*arguments)
        if after:
            learn(*arguments)
        raise KeyboardInterrupt

    replace_calls(monkeypatch, interrupted)


@pytest.mark.parametrize(("after", "expected"), [(False, 5), (True, 9)])
def test_an_interrupt_keeps_the_epochs_of_whole_calls(after, expected, monkeypatch):
    monkeypatch.setattr(training, "SLICE_EPOCHS", 4)
    interrupt_call(monkeypatch, 3, after=after)
    model = Perceptron(max_iter=50, tol=None)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*IRIS)
    monkeypatch.undo()
    assert_same_fit(Perceptron(max_iter=expected, tol=None).fit(*IRIS), model)


def test_an_interrupt_between_long_epochs_leaves_a_model(monkeypatch):
    X, y = load_digits(return_X_y=True)
    model = Perceptron(max_iter=50, tol=None)
    whole, calls = training._Training._run_epoch, []

    def interrupted(self):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return whole(self)

    monkeypatch.setattr(training._Training, "_run_epoch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    monkeypatch.undo()
    assert_same_fit(Perceptron(max_iter=3, tol=None).fit(X, y), model)
