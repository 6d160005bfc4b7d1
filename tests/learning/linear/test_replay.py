"""Fits replayed as recorded runs."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from traces import seeds, some_rows

from rosenblatt import AveragedPerceptron, Perceptron, audit, toys
from rosenblatt.textbook import Trace


@settings(max_examples=30, deadline=None)
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


def test_other_models_and_rows_are_refused():
    toy = toys.separable(30, 2, margin=0.1)
    model = Perceptron().fit(toy.X, toy.y)
    with pytest.raises(ValueError, match="X and y are not the rows of the model's only fit"):
        model.trace(-toy.X, toy.y)
    with pytest.raises(ValueError, match="trace needs rule='perceptron', output='last'"):
        AveragedPerceptron().fit(toy.X, toy.y).trace(toy.X, toy.y)
    with pytest.raises(ValueError, match="trace needs rule='perceptron'"):
        Perceptron(rule="pa").fit(toy.X, toy.y).trace(toy.X, toy.y)
    with pytest.raises(ValueError, match="a penalty moves w, too"):
        Perceptron(penalty="l2").fit(toy.X, toy.y).trace(toy.X, toy.y)
    three = Perceptron().fit(toy.X, np.arange(30) % 3)
    with pytest.raises(ValueError, match="a model of two classes; this one has 3"):
        three.trace(toy.X, np.arange(30) % 3)
    with pytest.raises(ValueError, match="not fitted yet"):
        Perceptron().trace(toy.X, toy.y)
