"""Minimum-norm points of hulls and cones, against brute force and SciPy, on every kind of rows."""

import itertools

import instruction_sets
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from scipy.optimize import nnls

from rosenblatt.engine import hulls
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.rows import largest_sqnorm


def wide(X):
    X = sp.csr_array(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


KINDS = {
    "dense": lambda X: np.ascontiguousarray(X, np.float64),
    "sparse": lambda X: sp.csr_array(np.asarray(X, np.float64)),
    "64-bit indices": wide,
}


def descended(X, y, group, first=(), offset=None, tol=1e-12):
    """The result and the active set of a descent over all rows."""
    rows, n, d = as_rows(X), X.shape[0], X.shape[1]
    largest = float(largest_sqnorm(rows, n))
    state = hulls.empty_active_set(n, d, largest if offset is None else 0.0, offset)
    for i in first:
        assert hulls.add_row(rows, y, group, state, i)
        state.alpha[state.size[0] - 1] = 1.0
    hulls.recompute_w(rows, y, state)
    scale = 0.0 if offset is None else np.sqrt(largest)
    excluded = np.zeros(n, bool)
    zero = 1e-24 * largest
    every = np.arange(n)
    code = hulls.descend(rows, y, group, every, excluded, state, tol, scale, zero, 1000, True)
    return code, state


def shortest(Z, group):
    """The shortest Σ α z over all supports, by Carathéodory: the twin."""
    n, best = len(Z), np.inf
    groups = np.unique(group)
    for k in range(len(groups), min(n, Z.shape[1] + len(groups)) + 1):
        for S in itertools.combinations(range(n), k):
            S = list(S)
            C = (group[S][:, None] == groups).astype(float)
            if not C.any(axis=0).all():
                continue
            G = Z[S] @ Z[S].T
            K = np.block([[G, C], [C.T, np.zeros((len(groups),) * 2)]])
            right = np.append(np.zeros(k), np.ones(len(groups)))
            alpha = np.linalg.lstsq(K, right, rcond=None)[0][:k]
            if (alpha >= -1e-12).all() and np.allclose(C.T @ alpha, 1.0):
                best = min(best, np.linalg.norm(alpha @ Z[S]))
    return best


def problem(seed, n, d):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X = rng.integers(-4, 5, (n, d)) + 2.0 * rng.integers(0, 3) * y[:, None]
    return X.astype(float), y


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(12))
def test_two_hulls(kind, seed):
    X, y = problem(seed, 7, 2 + seed % 2)
    group = (y < 0).astype(np.int64)
    code, state = descended(KINDS[kind](X), y, group, first=(0, 1))
    assert code in (hulls.OPTIMAL, hulls.ZERO)
    assert np.linalg.norm(state.w) == pytest.approx(shortest(X * y[:, None], group), abs=1e-9)
    k = state.size[0]
    members, alpha = state.rows[:k], state.alpha[:k]
    assert (alpha >= 0).all()
    for g in (0, 1):
        assert alpha[group[members] == g].sum() == pytest.approx(1.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_one_hull_and_the_origin(kind, seed):
    X, y = problem(seed, 7, 3)
    group = np.zeros(7, np.int64)
    _, state = descended(KINDS[kind](X), y, group, first=(0,))
    assert np.linalg.norm(state.w) == pytest.approx(shortest(X * y[:, None], group), abs=1e-9)


@thorough(100)
@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(1, 5))
def test_the_cone_equals_nnls(seed, n, d):
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (n, d)).astype(float)
    offset = rng.integers(-9, 10, d).astype(float)
    rows = X.any(axis=1)
    X = X[rows] if rows.any() else np.ones((1, d))
    y, group = np.ones(len(X)), np.full(len(X), hulls.FREE)
    _, state = descended(X, y, group, offset=offset)
    _, distance = nnls(X.T, -offset)
    assert np.linalg.norm(state.w) == pytest.approx(distance, abs=1e-7)


def test_every_kind_of_rows_gives_the_same_active_set():
    X, y = problem(3, 40, 5)
    group = (y < 0).astype(np.int64)
    ends = [descended(make(X), y, group, first=(0, 1))[1] for make in KINDS.values()]
    for state in ends[1:]:
        assert state.rows[: state.size[0]].tolist() == ends[0].rows[: ends[0].size[0]].tolist()
        np.testing.assert_allclose(state.alpha, ends[0].alpha, atol=1e-12)


def test_a_new_factor_has_full_accuracy():
    X, y = problem(5, 30, 6)
    group = (y < 0).astype(np.int64)
    _, state = descended(X, y, group, first=(0, 1))
    k = state.size[0]
    sharp = hulls.refactorise(as_rows(X), y, group, state)
    lifted = np.sqrt(sharp.group_shift[0]) * (group[sharp.rows[:k]][:, None] == [0, 1])
    Z = np.column_stack([X[sharp.rows[:k]] * y[sharp.rows[:k], None], lifted])
    np.testing.assert_allclose(sharp.L[:k, :k] @ sharp.Q[:k], Z, atol=1e-12)
    np.testing.assert_allclose(sharp.Q[:k] @ sharp.Q[:k].T, np.eye(k), atol=1e-12)


def test_a_margin_below_the_accuracy_of_products():
    rng = np.random.default_rng(0)
    X = np.column_stack([1e6 * rng.standard_normal(40), rng.standard_normal(40) * 1e-3])
    y = np.where(np.arange(40) % 2 == 0, 1.0, -1.0)
    X[:, 1] += y * 1e-2
    group = (y < 0).astype(np.int64)
    _, state = descended(X, y, group, first=(0, 1))
    state = hulls.refactorise(as_rows(X), y, group, state)
    largest = float(largest_sqnorm(as_rows(X), 40))
    rows, excluded, zero = as_rows(X), np.zeros(40, bool), 1e-24 * largest
    every = np.arange(40)
    code = hulls.descend(rows, y, group, every, excluded, state, 1e-7, 0.0, zero, 500, True)
    assert code == hulls.OPTIMAL
    gap = (X[y > 0, 1].min() - X[y < 0, 1].max()) * 0.999
    assert np.linalg.norm(state.w) >= gap


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [True, False])
def test_the_run_equals_the_lectures_perceptron(kind, intercept):
    X, y = problem(1, 20, 3)
    run = hulls.run_perceptron(as_rows(KINDS[kind](X)), y, 3, intercept, 5)
    Z = np.column_stack([X, np.ones(20)]) if intercept else X
    w, missed, epochs = np.zeros(Z.shape[1]), np.zeros(20, int), 0
    for _ in range(5):
        epochs += 1
        before = missed.sum()
        for i in range(20):
            if y[i] * (Z[i] @ w) <= 0:
                w, missed[i] = w + y[i] * Z[i], missed[i] + 1
        if missed.sum() == before:
            break
    assert run.mistakes.tolist() == missed.tolist()
    assert run.epochs == epochs


def bits_of_descents():
    """A digest of active sets with and without Q, of rows of every kind and length."""
    found = []
    for seed, (n, d) in enumerate([(40, 5), (90, 70), (60, 40)]):
        X, y = problem(seed, n, d)
        X += np.random.default_rng(seed).standard_normal(X.shape)
        group = (y < 0).astype(np.int64)
        for kind in (*KINDS.values(), lambda X: np.ascontiguousarray(X, np.float32)):
            code, state = descended(kind(X), y, group, first=(0, 1))
            found += [code, *state]
            state = hulls.refactorise(as_rows(kind(X)), y, group, state)
            found += [hulls.can_orthogonalise(state), *state]
            found.append(tuple(hulls.run_perceptron(as_rows(kind(X)), y, d, 1.0, 9)))
    return instruction_sets.digest(*found)


def test_the_factor_is_numpys():
    """Twin: the Cholesky factor of the Gram matrix, with the shift within each group."""
    X, y = problem(1, 30, 4)
    group = (y < 0).astype(np.int64)
    _, state = descended(X, y, group, first=(0, 1))
    k = state.size[0]
    members = state.rows[:k]
    Z, own = (y[:, None] * X)[members], group[members]
    gram = Z @ Z.T + state.group_shift * (own[:, None] == own)
    np.testing.assert_allclose(state.L[:k, :k], np.linalg.cholesky(gram), atol=1e-9)


def test_arrays_of_another_size_are_refused_and_unchanged():
    X, y = problem(0, 10, 3)
    rows, group = as_rows(X), (y < 0).astype(np.int64)
    state = hulls.empty_active_set(10, 3, 1.0)
    for change, fault in [
        ({"w": np.zeros(4)}, "offset must be of length 4"),
        ({"alpha": np.zeros(9)}, "alpha must be of length 10"),
        ({"L": np.zeros((10, 9))}, "L must be of 10 columns"),
        ({"size": np.array([11])}, "within the capacity"),
        ({"Q": np.zeros((10, 3))}, "Q must be of 5 columns"),
    ]:
        with pytest.raises(ValueError, match=fault):
            hulls.add_row(rows, y, group, state._replace(**change), 0)
    for arguments, fault in [
        ((rows, y[1:], group, state, 0), "y must be of length 10"),
        ((rows, y, group + 3, state, 0), "group must be 0, 1 or FREE"),
        ((rows, y, group, state, 10), "do not have such a row"),
        ((rows, y, group, state, -1), "do not have such a row"),
        ((as_rows(X[:, :2].copy()), y, group, state, 0), "X must be of 3 columns"),
    ]:
        with pytest.raises(ValueError, match=fault):
            hulls.add_row(*arguments)
    full = hulls.empty_active_set(1, 3, 1.0)
    assert hulls.add_row(rows, y, group, full, 0)
    with pytest.raises(ValueError, match="full"):
        hulls.add_row(rows, y, group, full, 1)
    assert not any(array.any() for array in state[:3])
