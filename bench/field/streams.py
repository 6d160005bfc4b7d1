"""Made streams of two classes whose truth changes in a known way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

N, D = 20_000, 10
NOISE = 0.05  # of the labels are turned
SEA_NOISE = 0.1

Array = Any
Truth = Callable[[Array, Array], Array]
"""The weights of each row, from the share of the stream that is over, and a few fixed weights."""


def still(t: Array, W: Array) -> Array:
    """Return the same weights for all rows."""
    return np.broadcast_to(W[0], (len(t), D))


def abrupt(t: Array, W: Array) -> Array:
    """Return other weights in each quarter."""
    return W[np.minimum((4 * t).astype(int), 3)]


def flip(t: Array, W: Array) -> Array:
    """Return weights that change their sign in the middle."""
    return np.where(t < 0.5, 1.0, -1.0)[:, None] * W[0]


def rotation(t: Array, W: Array) -> Array:
    """Return weights of the first two columns that turn twice."""
    turned = np.zeros((len(t), D))
    turned[:, 0], turned[:, 1] = np.cos(4 * np.pi * t), np.sin(4 * np.pi * t)
    return turned


def slow(t: Array, W: Array) -> Array:
    """Return weights that go from one vector to another."""
    angle = (np.pi * t / 2)[:, None]
    return np.cos(angle) * W[0] + np.sin(angle) * W[1]


def plane(truth: Truth, seed: int, shift: float = 0.0, *, raw: bool = False) -> tuple[Array, Array]:
    """Return rows of columns of deviation 1, on two sides of a plane that moves.

    ``shift`` is added to all columns in the second half: the plane goes with them. ``raw`` columns
    have units from 0.01 to 100, and means of their own.
    """
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((4, D))
    Z = rng.standard_normal((N, D))
    t = np.arange(N) / N
    y = (np.einsum("ij,ij->i", Z, truth(t, W)) > 0) ^ (rng.random(N) < NOISE)
    moved = Z + shift * (t >= 0.5)[:, None]
    if raw:
        moved = moved * 10 ** rng.uniform(-2, 2, D) + rng.standard_normal(D)
    return moved, y.astype(int)


def sea(seed: int) -> tuple[Array, Array]:
    """Return Street and Kim's SEA (2001): x₁ + x₂ ≤ 8, 9, 7, 9.5, a quarter of the rows each."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 10, (N, 3))
    limit = np.array([8.0, 9.0, 7.0, 9.5])[np.arange(N) * 4 // N]
    y = (X[:, 0] + X[:, 1] <= limit) ^ (rng.random(N) < SEA_NOISE)
    return X, y.astype(int)


def hyperplane(seed: int) -> tuple[Array, Array]:
    """Return Hulten's moving hyperplane (2001): each weight goes 0.001 a row, and may turn."""
    rng = np.random.default_rng(seed)
    X = rng.random((N, D))
    turns = np.where(rng.random((N, D)) < 0.001, -1.0, 1.0)
    W = rng.random(D) + np.cumsum(0.001 * np.cumprod(turns, axis=0), axis=0)
    y = (np.einsum("ij,ij->i", X, W) >= W.sum(axis=1) / 2) ^ (rng.random(N) < NOISE)
    return X, y.astype(int)


STREAMS: dict[str, Callable[[int], tuple[Array, Array]]] = {
    "none": lambda seed: plane(still, seed),
    "abrupt": lambda seed: plane(abrupt, seed),
    "flip": lambda seed: plane(flip, seed),
    "rotation": lambda seed: plane(rotation, seed),
    "slow": lambda seed: plane(slow, seed),
    "shift of means": lambda seed: plane(still, seed, shift=3.0),
    "none, raw columns": lambda seed: plane(still, seed, raw=True),
    "abrupt, raw columns": lambda seed: plane(abrupt, seed, raw=True),
    "SEA": sea,
    "hyperplane": hyperplane,
}
