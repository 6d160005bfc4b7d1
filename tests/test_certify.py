"""Separable or not: against linear programs, against the perceptron, under attack."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import linprog

from rosenblatt import Perceptron, certify, theory


def augmented(X, y, intercept=True):
    signs = np.where(np.asarray(y) == np.max(y), 1.0, -1.0)
    ones = np.ones((len(X), int(intercept)))
    return np.column_stack([X, ones]) * signs[:, None]


def by_linear_programs(X, y, intercept=True):
    """The verdict of two linear programs on the whole data, and the rows that a direction moves."""
    Z = augmented(X, y, intercept)
    n, p = Z.shape
    strict = linprog(np.zeros(p), A_ub=-Z, b_ub=-np.ones(n), bounds=(None, None))
    if strict.status == 0:
        return "separable"
    konis = linprog(-Z.sum(axis=0), A_ub=-Z, b_ub=np.zeros(n), bounds=(-1, 1))
    return "quasi-separable" if (Z @ konis.x > 1e-7).any() else "inseparable"


def labelled(draw, X):
    y = draw(hnp.arrays(np.int64, len(X), elements=st.integers(0, 1)))
    assume(len(set(y.tolist())) == 2)
    return X, y


@st.composite
def small_integers(draw):
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    bound = draw(st.sampled_from([1, 2, 5, 100]))
    X = draw(hnp.arrays(np.int64, (n, d), elements=st.integers(-bound, bound)))
    return labelled(draw, X.astype(float))


@st.composite
def any_floats(draw):
    n, d = draw(st.integers(2, 8)), draw(st.integers(1, 3))
    X = draw(hnp.arrays(np.float64, (n, d), elements=st.floats(-1e300, 1e300)))
    return labelled(draw, X)


@settings(max_examples=400, deadline=None)
@given(small_integers(), st.booleans())
@example((np.zeros((2, 1)), np.array([0, 1])), False)
def test_agrees_with_linear_programs(data, intercept):
    X, y = data
    proof = certify(X, y, fit_intercept=intercept)
    assert proof.status == by_linear_programs(X, y, intercept)
    assert proof.verify(X, y)
    if proof.status == "separable":
        low, high = proof.margin
        assert 0 < low <= high <= low * (1 + 1e-6)
    else:
        assert proof.margin == (0.0, 0.0)
        assert len(proof.rows) <= X.shape[1] + 1 + intercept
        Z = augmented(X, y, intercept)
        for column in Z.T:
            total = sum(
                Fraction(w) * Fraction(column[i])
                for i, w in zip(proof.rows, proof.weights, strict=True)
            )
            assert total == 0


@settings(max_examples=200, deadline=None)
@given(any_floats(), st.booleans())
def test_any_finite_floats_are_decided(data, intercept):
    X, y = data
    proof = certify(X, y, fit_intercept=intercept)
    assert proof.status != "undecided"
    assert proof.verify(X, y)


@settings(max_examples=100, deadline=None)
@given(small_integers())
def test_dense_sparse_and_narrow_agree(data):
    X, y = data
    proof = certify(X, y)
    for other in (sp.csr_array(X), sp.coo_matrix(X), X.astype(np.float32), X.astype(np.int8)):
        again = certify(other, y)
        assert again.status == proof.status
        assert again.digest == proof.digest
        assert proof.verify(other, y)
        assert again.verify(X, y)
        np.testing.assert_array_equal(again.diverging != 0, proof.diverging != 0)


@settings(max_examples=150, deadline=None)
@given(small_integers())
def test_never_contradicts_the_perceptron(data):
    X, y = data
    proof = certify(X, y)
    model = Perceptron(max_iter=200, tol=None, shuffle=False).fit(X, y)
    if model.converged_:
        assert proof.status == "separable"
        assert model.mistakes_ <= proof.mistake_bound
    if proof.status == "separable" and proof.mistake_bound < 190:
        assert model.converged_
    assert proof.mistakes <= proof.mistake_bound
    run = Perceptron(max_iter=proof.epochs, tol=None, shuffle=False).fit(X, y)
    assert run.mistakes_ == proof.mistakes
    assert run.converged_ == proof.converged


@settings(max_examples=100, deadline=None)
@given(small_integers())
def test_what_is_held_does_not_depend_on_order_or_scale(data):
    X, y = data
    proof = certify(X, y)
    order = np.random.default_rng(0).permutation(len(X))
    assert certify(X[order], y[order]).status == proof.status
    scaled = X * 2.0 ** np.arange(-3, -3 + 40 * X.shape[1], 40)
    other = certify(scaled, y)
    assert other.status == proof.status
    assert certify(X, 1 - y).status == proof.status
    if proof.status != "separable":
        np.testing.assert_array_equal(other.diverging != 0, proof.diverging != 0)
