"""Runs of certificates and of nearest points for :mod:`digests`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from digest_data import STORAGE, integers

from rosenblatt import certify
from rosenblatt.engine import hulls
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.rows import largest_sqnorm

_CLAIMS = ("status", "margin", "rows", "weights", "determined", "coef", "intercept", "direction")
_NOTES = ("diverging", "radius", "mistakes", "epochs", "digest", "numbers")


def runs() -> Iterator[tuple[str, Callable[[], Any], tuple[str, ...]]]:
    """Yield names, functions and needs."""
    for storage in ("dense64", "dense32", "csr64", "csr32"):
        for seed in range(5):
            for shift in (0, 4, 9):
                for intercept in (False, True):
                    name = f"certify/{storage}/{seed}-{shift}-{'b' if intercept else '0'}"
                    yield name, partial(_certified, storage, seed, shift, intercept), ("blas",)
    for storage in ("dense64", "csr64", "wide"):
        for seed in range(6):
            for groups in (1, 2):
                name = f"hulls/{storage}/{seed}-{groups}"
                yield name, partial(_descended, storage, seed, groups), ("blas",)
            yield f"hulls/{storage}/{seed}-run", partial(_perceptron, storage, seed), ()


def _problem(seed: int, shift: int, n: int = 24, d: int = 3) -> tuple[Any, Any]:
    """Return whole numbers, and labels −1 and +1; a larger shift moves the classes apart."""
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X = integers(seed, (n, d), 9) - 4.0
    X[:, 0] += shift * y
    return X, y


def _stored(storage: str, X: Any) -> Any:
    if storage != "wide":
        return STORAGE[storage](X)
    stored = sp.csr_array(X)
    stored.indices, stored.indptr = stored.indices.astype(np.int64), stored.indptr.astype(np.int64)
    return stored


def _certified(storage: str, seed: int, shift: int, intercept: bool) -> Any:
    X, y = _problem(seed, shift)
    proof = certify(_stored(storage, X), y, fit_intercept=intercept)
    return {name: getattr(proof, name) for name in (*_CLAIMS, *_NOTES)}


def _descended(storage: str, seed: int, groups: int) -> Any:
    X, y = _problem(seed, seed, 40, 5)
    rows, n, d = as_rows(_stored(storage, X)), len(y), X.shape[1]
    group = (y < 0).astype(np.int64) if groups == 2 else np.zeros(n, np.int64)
    largest = float(largest_sqnorm(rows, n))
    active = hulls.empty_active_set(min(n, d + 2), d, largest)
    for i in range(groups):
        hulls.add_row(rows, y, group, active, i)
        active.alpha[active.size[0] - 1] = 1.0
    hulls.recompute_w(rows, y, active)
    code = hulls.descend(
        rows, y, group, np.arange(n), np.zeros(n, bool), active, 1e-12, 0.0, 1e-24 * largest, 1000,
        True,
    )  # fmt: skip
    k = int(active.size[0])
    return code, active.rows[:k], active.alpha[:k], active.w, hulls.scores(rows, n, active.w)


def _perceptron(storage: str, seed: int) -> Any:
    X, y = _problem(seed, seed, 40, 5)
    return hulls.run_perceptron(as_rows(_stored(storage, X)), y, X.shape[1], 1.0, 7)
