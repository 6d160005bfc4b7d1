"""Rows of small whole numbers, and the state of a kernel learner in the terms of its twins."""

import numpy as np
import scipy.sparse as sp

from rosenblatt.engine.state import arrays_of

POWER = {"kernel": "poly", "degree": 2, "gamma": 1, "coef0": 1}


def power(A, B):
    """The kernel matrix of the parameters POWER."""
    return (A @ B.T + 1.0) ** 2


def integers(n=40, d=3, K=2, seed=0):
    """Rows of whole numbers, whose sums are exact, with equal rows and scores of 0; labels."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-2, 3, (n, d)).astype(np.float64), rng.integers(0, K, n)
    X[n // 2 : n // 2 + 3] = X[:3]
    y[:K] = range(K)
    return X, y


def firsts(X):
    """For every row the index of the first equal row."""
    _, first, where = np.unique(X, axis=0, return_index=True, return_inverse=True)
    return first[where.ravel()]


def folded(a, X):
    """Sum coefficients by example, (n,) or (n, K), over equal rows: (K, n)."""
    total = np.zeros((len(X), a.size // len(X)))
    np.add.at(total, firsts(X), a.reshape(len(X), -1))
    return total.T


def coefficients(model, X):
    """Coefficients of a model that was fitted on X, by first equal row: (K, n)."""
    slots = firsts(X)[model.support_]
    assert len(set(slots.tolist())) == len(slots), "no row is held twice"
    total = np.zeros((len(model.dual_coef_), len(X)))
    total[:, slots] = model.dual_coef_
    return total


def moves(model, X):
    """(step, row, column, τ) of every update of a model that keeps its older selves."""
    slot, column, tau, t, _ = model._dual.steps
    rows = firsts(X)[model.support_[slot]]
    return list(zip((t + 1).tolist(), rows.tolist(), column.tolist(), tau.tolist(), strict=True))


def remembered(model):
    """The bits of all that a kernel learner keeps, by name."""
    memory = model._dual
    rows = memory.support.matrix()
    records = {
        "State": arrays_of(model._state),
        "Slots": memory.slots._asdict(),
        "StepLog": memory.steps._asdict(),
    }
    held = {
        f"{record}.{name}": array.tobytes()
        for record, arrays in records.items()
        for name, array in arrays.items()
    }
    rows = rows.toarray() if sp.issparse(rows) else rows
    return held | {"rows": (rows + 0).tobytes(), "classes": model.classes_.tolist()}


def integer_rows(seed, d=None):
    """Return small integers: every sum is exact, and scores of exactly 0 are common."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 12)), d or int(rng.integers(1, 4))
    y = rng.choice([-1, 1], n)
    y[:2] = 1, -1
    return rng.integers(-2, 3, (n, d)).astype(float), y


def products(X, degree):
    """Return Φ(x), all ordered products of features: ⟨Φ(x), Φ(z)⟩ = (x·z)^degree."""
    Z = np.ones((len(X), 1))
    for _ in range(degree):
        Z = np.einsum("ni,nj->nij", Z, X).reshape(len(X), -1)
    return Z
