"""Data of the runs in :mod:`digests`: made of integers, and so the same on every machine.

Rows are quotients of small integers by 1009, whose float64 fill all bits, so that the order of a
sum shows. ``EXACT`` rows are multiples of 1/8, whose products and sums are exact in any order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

ROWS, FEATURES = 53, 11


def integers(seed: int, shape: tuple[int, ...], below: int) -> Any:
    """Return integers from 0 to ``below`` − 1, by a linear congruential generator."""
    numbers = np.empty(int(np.prod(shape)), np.int64)
    x = 2 * seed + 1
    for k in range(len(numbers)):
        x = (6364136223846793005 * x + 1442695040888963407) % 2**64
        numbers[k] = (x >> 33) % below
    return numbers.reshape(shape)


def rows(seed: int, n: int = ROWS, d: int = FEATURES, *, exact: bool = False) -> Any:
    """Return rows, a third of whose numbers are 0."""
    numbers = integers(seed, (n, d), 2019) - 1009
    kept = integers(seed + 1, (n, d), 3) > 0
    return np.where(kept, numbers // 64 / 8.0 if exact else numbers / 1009.0, 0.0)


def labels(X: Any, classes: int, seed: int = 7) -> Any:
    """Return codes below ``classes``: the arg max of some weights, wrong for one row in twelve."""
    W = integers(seed, (X.shape[1], classes), 21) - 10
    whole = np.rint(X * 1009).astype(np.int64)
    codes = np.argmax(whole @ W, axis=1)
    wrong = integers(seed + 1, (len(X),), 12) == 0
    return np.where(wrong, integers(seed + 2, (len(X),), classes), codes)


def weights(n: int) -> Any:
    """Return sample weights, some of them 0 and some above 1."""
    return integers(31, (n,), 9) / 4.0


STORAGE = {
    "dense64": lambda X: np.ascontiguousarray(X, np.float64),
    "dense32": lambda X: np.ascontiguousarray(X, np.float32),
    "csr64": lambda X: sp.csr_array(np.asarray(X, np.float64)),
    "csr32": lambda X: sp.csr_array(np.asarray(X, np.float32)),
}
"""Functions that store rows in each way that the loops know."""

DICT_VALUES = (0.5, 3, -2, "red", True, None, "", False, 7.25, -0.0, 10**15, "blau grün")


def named_rows(seed: int, n: int = ROWS) -> list[dict[Any, Any]]:
    """Return dicts of names and values of every kind, with new names now and then."""
    picked, names = integers(seed, (n, 6), len(DICT_VALUES)), integers(seed + 1, (n, 6), 9)
    return [
        {
            (f"name {j + i // 10}" if j else ("pair", int(j))): DICT_VALUES[k]
            for j, k in zip(names[i].tolist(), picked[i].tolist(), strict=True)
        }
        for i in range(n)
    ]
