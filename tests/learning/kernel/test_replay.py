"""Fits of kernel perceptrons replayed as recorded runs."""

import numpy as np
import pytest
import scipy.sparse as sp
from displays import drawn, words
from hypothesis import example, given
from hypothesis import strategies as st
from kernel_data import POWER, integers, power
from profiles import thorough

from rosenblatt import KernelPerceptron, VotedPerceptron, textbook, toys
from rosenblatt.plots import StepsDisplay
from rosenblatt.textbook import KernelTrace, Trace


def assert_is_the_fit(run, model):
    """The dual coefficients bit for bit, in the order and with the conventions of the fit."""
    assert isinstance(run, KernelTrace)
    assert run.alpha[model.support_].tobytes() == model.dual_coef_.tobytes()
    assert np.delete(run.alpha, model.support_).tolist() == [0.0] * (
        len(run.alpha) - len(model.support_)
    )
    assert run.b == model.intercept_[0]
    if np.abs(run.score).max() <= 2.0**53:  # else rounding decides signs: of LMS, which diverges
        assert run.mistakes == model.mistakes_
    assert (run.epochs, run.converged) == (model.n_iter_, model.converged_)
    assert Trace.from_json(run.to_json()).to_json() == run.to_json()


@thorough(50)
@given(
    seed=st.integers(0, 99),
    eta=st.sampled_from([1.0, 0.3]),
    tie=st.sampled_from([-1, 0, 1]),
    intercept=st.booleans(),
    shuffle=st.booleans(),
    stored=st.sampled_from([np.asarray, sp.csr_array, np.float32]),
    rule=st.sampled_from(["perceptron", "pa1", "lms"]),
)
@example(64, 1.0, -1, False, False, np.asarray, "lms")
def test_a_fit_is_replayed_to_the_bit(seed, eta, tie, intercept, shuffle, stored, rule):
    X, y = integers(24, d=2, seed=seed)
    options = {"eta0": eta, "tie": tie, "fit_intercept": intercept, "shuffle": shuffle}
    model = KernelPerceptron(**POWER, rule=rule, max_iter=4, tol=None, random_state=seed, **options)
    run = model.fit(stored(X), y).trace(stored(X), y)
    assert_is_the_fit(run, model)
    assert run.rows.tolist() == X.tolist()
    assert run.points.tolist() == power(X, X).tolist()
    if rule == "perceptron":  # of 0.3 the sums of the fit are rounded elsewhere
        assert run.mistake.all()
        assert (run.y[run.order] * run.score <= (0.0 if eta == 1.0 else 1e-9)).all()


@pytest.mark.parametrize("kernel", ["rbf", "laplace", "sigmoid", "linear", power])
@pytest.mark.parametrize("shuffle", [True, False])
def test_every_kernel_is_replayed(kernel, shuffle):
    toy = toys.rings(80, 0.5, 1.0)
    labels = np.where(toy.y > 0, "out", "in")
    model = KernelPerceptron(kernel, shuffle=shuffle, max_iter=6, tol=None).fit(toy.X, labels)
    run = model.trace(toy.X, labels)
    assert_is_the_fit(run, model)
    scores = model.decision_function(toy.X)
    np.testing.assert_allclose(run.products(toy.X) @ run.alpha + run.b, scores, atol=1e-9)
    assert run.k(toy.X[0], toy.X[1]) == pytest.approx(run.points[1, 0], rel=1e-12)


def test_L2_10_an_unshuffled_fit_takes_the_mistakes_of_the_textbook():
    X, y = integers(20, d=2, seed=4)
    model = KernelPerceptron(**POWER, shuffle=False, tie=-1, max_iter=5, tol=None).fit(X, y)
    run = model.trace(X, y)
    theirs = textbook.kernel_perceptron(X, y, lambda x, z: (x @ z + 1.0) ** 2, max_epochs=5)
    looks = np.flatnonzero(theirs.mistake)
    assert run.order.tolist() == theirs.order[looks].tolist()
    assert run.score.tolist() == theirs.score[looks].tolist()
    assert run.prediction.tolist() == theirs.prediction[looks].tolist()


def test_equal_rows_share_the_coefficient_of_the_first():
    X, y = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [-1, 1, 1]
    model = KernelPerceptron(**POWER, shuffle=False, max_iter=3, tol=None).fit(X, y)
    run = model.trace(np.array(X), y)
    assert run.order[:2].tolist() == [0, 1]
    assert run.weights[1:3].tolist() == [[-1, 0, 0, -1], [0, 0, 0, 0]]
    assert_is_the_fit(run, model)


def test_a_votes_fit_has_its_last_coefficients():
    toy = toys.separable(30, 2, margin=0.1)
    for model in (VotedPerceptron(), KernelPerceptron("rbf", output="vote", max_iter=3, tol=None)):
        assert_is_the_fit(model.fit(toy.X, toy.y).trace(toy.X, toy.y), model)


def test_a_fit_is_drawn_by_its_curves():
    toy = toys.rings(20, 0.5, 1.0)
    model = KernelPerceptron("rbf", fit_intercept=False, probabilities=True).fit(toy.X, toy.y)
    run = model.trace(toy.X, toy.y)
    display = drawn(StepsDisplay.from_trace(run))
    assert display.steps_ == tuple(range(min(8, len(run))))
    told = words(display.axes_[0])
    assert f"α of row {run.order[0]}: 0 → " in told
    assert "b:" not in told


def test_other_models_and_rows_are_refused():
    toy = toys.separable(30, 2, margin=0.1)
    model = KernelPerceptron("rbf").fit(toy.X, toy.y)
    with pytest.raises(ValueError, match="X and y are not the rows of the model's only fit"):
        model.trace(toy.X, -toy.y)
    for option in ({"output": "average"}, {"class_weight": "balanced"}, {"budget": 9}):
        with pytest.raises(ValueError, match=f"trace needs {next(iter(option))}="):
            KernelPerceptron(**option).fit(toy.X, toy.y).trace(toy.X, toy.y)
    K = toy.X @ toy.X.T
    with pytest.raises(ValueError, match="trace needs rows: give the kernel as a function"):
        KernelPerceptron("precomputed").fit(K, toy.y).trace(K, toy.y)
    three = KernelPerceptron("rbf").fit(toy.X, np.arange(30) % 3)
    with pytest.raises(ValueError, match="a model of two classes; this one has 3"):
        three.trace(toy.X, np.arange(30) % 3)
    with pytest.raises(ValueError, match="not fitted yet"):
        KernelPerceptron().trace(toy.X, toy.y)
