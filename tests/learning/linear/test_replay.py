"""Fits replayed as recorded runs."""

from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from traces import seeds, some_rows

from rosenblatt import AveragedPerceptron, Perceptron, audit, toys
from rosenblatt.plots import StepsDisplay
from rosenblatt.rules import Field
from rosenblatt.textbook import Trace


@thorough(30)
@given(
    seed=seeds,
    eta=st.sampled_from([1.0, 0.3]),
    tie=st.sampled_from([-1, 0, 1]),
    intercept=st.booleans(),
    shuffle=st.booleans(),
    as_rows=st.sampled_from([np.asarray, sp.csr_array]),
)
def test_a_fit_is_replayed_to_the_bit(seed, eta, tie, intercept, shuffle, as_rows):
    X, y = some_rows(seed)
    options = {"eta0": eta, "tie": tie, "fit_intercept": intercept, "shuffle": shuffle}
    model = Perceptron(max_iter=5, tol=None, random_state=seed % 99, **options)
    model.fit(as_rows(X), y)
    run = model.trace(as_rows(X), y)
    assert run.w.tobytes() == model.coef_.tobytes()
    assert run.b == model.intercept_[0]
    assert run.mistakes == len(run) == model.mistakes_
    assert (run.epochs, run.converged) == (model.n_iter_, model.converged_)
    assert run.points.tolist() == X.tolist()
    assert (run.y[run.order] * run.score <= 0).all()
    assert Trace.from_json(run.to_json()).weights.tolist() == run.weights.tolist()


def test_a_replayed_fit_is_audited():
    toy = toys.separable(60, 2, margin=0.1, offset=0.2)
    labels = np.where(toy.y > 0, "yes", "no")
    model = Perceptron(tol=None).fit(toy.X, labels)
    result = audit(model.trace(toy.X, labels))
    assert result.holds
    assert result.mistakes == model.mistakes_ <= result.bound


class Cautious(NamedTuple):
    """Moves half as far at a narrow miss as at a clear mistake."""

    eta: float = 1.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        if y * score > 1.0:
            return 0.0
        return self.eta * y if y * score <= 0.0 else 0.5 * self.eta * y


class Signs(NamedTuple):
    """Keeps a number for each weight: the sum of the signs of its steps."""

    numbers = {"signs": Field(two_classes="mirrored")}  # noqa: RUF012 (a declaration)

    def gradient(self, score: float, y: float) -> float:
        return -y if y * score < 1.0 else 0.0

    def move(self, w, signs, x, g):
        return w - g * x + 0.1 * signs, signs - g


@pytest.mark.parametrize("rule", [Cautious(0.25), Signs(), "pa1", "lms", "arow", "pegasos"])
@pytest.mark.parametrize("early_stopping", [False, True])
def test_a_fit_with_any_rule_is_replayed_to_the_bit(rule, early_stopping):
    rng = np.random.default_rng(4)
    X, y = rng.integers(-3, 4, (16, 2)) / 4, rng.choice([-1, 1], 16)
    X[8:12] = X[:4]  # equal rows, some of opposite labels
    options = {"max_iter": 3, "tol": None, "early_stopping": early_stopping}
    model = Perceptron(rule=rule, **options).fit(X, y)
    run = model.trace(X, y)
    assert run.w.tobytes() == model.coef_.tobytes()
    assert run.b == model.intercept_[0]
    assert run.mistakes == model.mistakes_
    assert run.epochs == 3
    assert (run.label == y[run.order]).all()
    assert Trace.from_json(run.to_json()).to_json() == run.to_json()
    if isinstance(rule, Cautious | str) and rule not in ("arow", "pegasos"):
        np.testing.assert_allclose(run.alpha @ run.X, run.weights[-1], rtol=0, atol=1e-12)
    else:
        with pytest.raises(ValueError, match="steps along a row"):
            run.alpha  # noqa: B018


@pytest.mark.parametrize("rule", ["perceptron", "pa", "kt", "nag", "scinol1"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_mistakes_of_a_replayed_fit_are_those_of_the_fit(rule, dtype):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 4)).astype(dtype)
    y = (X @ rng.standard_normal(4) + rng.standard_normal(90) > 0)[:, np.newaxis]
    model = Perceptron(rule=rule, max_iter=4, tol=None).fit(X, y)
    run = model.trace(X, y)
    assert run.w.tolist() == model.coef_[0].tolist()
    assert run.mistakes == model.mistakes_
    assert (run.mistake == (run.prediction != run.label)).all()


def test_a_rule_of_ones_own_is_shown_step_by_step():
    toy = toys.separable(12, 2, margin=0.2)
    run = Perceptron(rule=Cautious(), max_iter=2, tol=None).fit(toy.X, toy.y).trace(toy.X, toy.y)
    assert run.algorithm == "Cautious"
    assert set(run.rates) == {0.5, 1.0}
    assert "w ← w + η y x = " in run.explain(1)
    assert StepsDisplay.from_trace(run).steps_ == tuple(range(min(8, len(run))))


def test_other_models_and_rows_are_refused():
    toy = toys.separable(30, 2, margin=0.1)
    model = Perceptron().fit(toy.X, toy.y)
    with pytest.raises(ValueError, match="X and y are not the rows of the model's only fit"):
        model.trace(-toy.X, toy.y)
    with pytest.raises(ValueError, match="trace needs output='last'"):
        AveragedPerceptron().fit(toy.X, toy.y).trace(toy.X, toy.y)
    for option in ({"class_weight": "balanced"}, {"shards": 2}, {"scale": True}):
        with pytest.raises(ValueError, match=f"trace needs {next(iter(option))}="):
            Perceptron(**option).fit(toy.X, toy.y).trace(toy.X, toy.y)
    for rule in "auto", "minover":
        with pytest.raises(ValueError, match="a rule that learns row after row"):
            Perceptron(rule=rule).fit(toy.X, toy.y).trace(toy.X, toy.y)
    with pytest.raises(ValueError, match="a penalty moves w, too"):
        Perceptron(penalty="l2").fit(toy.X, toy.y).trace(toy.X, toy.y)
    three = Perceptron().fit(toy.X, np.arange(30) % 3)
    with pytest.raises(ValueError, match="a model of two classes; this one has 3"):
        three.trace(toy.X, np.arange(30) % 3)
    with pytest.raises(ValueError, match="not fitted yet"):
        Perceptron().trace(toy.X, toy.y)
