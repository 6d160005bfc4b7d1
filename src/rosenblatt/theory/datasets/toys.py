"""Synthetic data with known solutions, reproducible by seed.

Each function returns rows `X` and labels `y` with their solution: a separator and its margin, or
exact weights that prove that no separator exists. Random numbers come from
``numpy.random.default_rng(seed)`` with an integer seed >= 0. An argument out of its range is a
ValueError that names it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rosenblatt.theory.bounds import margin, radius
from rosenblatt.utils.checks import Floats, Ints, check_float, check_int

__all__ = [
    "Inseparable",
    "Separable",
    "UnitSquare",
    "experts",
    "rings",
    "separable",
    "two_points",
    "unit_square",
    "xor",
]


class Separable(NamedTuple):
    """Rows with a known separator: y (u·x + b) >= gamma and ‖x‖ <= R on every row.

    Attributes
    ----------
    X : array of shape (n, d)
        The rows.
    y : array of shape (n,)
        Labels, -1 or +1.
    u : array of shape (d,)
        Unit normal of the separator.
    b : float
        Its offset; 0 for a separator through the origin.
    gamma : float
        Its margin, attained to rounding; not always the maximal margin of the data.
    R : float
        Radius.

    Examples
    --------
    >>> toy = two_points()
    >>> toy.y * (toy.X @ toy.u + toy.b) / toy.gamma
    array([1., 1.])
    """

    X: Floats
    y: Ints
    u: Floats
    b: float
    gamma: float
    R: float


class Inseparable(NamedTuple):
    """Rows that are not linearly separable, with the proof, and lifted rows that are separable.

    Attributes
    ----------
    X : array of shape (n, 2)
        The rows.
    y : array of shape (n,)
        Labels, -1 or +1.
    weights : array of shape (n,)
        The proof: λ >= 0 with Σ λ = 1 and Σ λ y (x, 1) = 0 exactly. With any separator (w, b) the
        product of this sum and (w, b) would be positive.
    Z : array of shape (n, 3)
        The rows with one additional, designed feature.
    u, b, gamma, R : array of shape (3,), float, float, float
        A separator of `Z`, its margin and the radius of `Z`, as in `Separable`, to rounding.

    Examples
    --------
    >>> toy = xor()
    >>> (toy.weights * toy.y) @ toy.X
    array([0., 0.])
    """

    X: Floats
    y: Ints
    weights: Floats
    Z: Floats
    u: Floats
    b: float
    gamma: float
    R: float


class UnitSquare(NamedTuple):
    """The notebook's problem: labels 0 and 1, and the line that defines them.

    Attributes
    ----------
    X : array of shape (n, 2)
        Points of the unit square.
    y : array of shape (n,)
        Labels, 0 or 1; `signs` has them as -1 or +1.
    u, b, gamma, R : array of shape (2,), float, float, float
        The line 0.7 x + 0.4 y = 0.5 as unit normal and offset, its margin, the radius, to rounding.

    Examples
    --------
    >>> toy = unit_square(n=5)
    >>> toy.y, toy.signs
    (array([1, 0, 1, 1, 1]), array([ 1, -1,  1,  1,  1]))
    """

    X: Floats
    y: Ints
    u: Floats
    b: float
    gamma: float
    R: float

    @property
    def signs(self) -> Ints:
        """The labels as -1 and +1: 2 y - 1."""
        return 2 * self.y - 1


def separable(
    n: int, d: int, *, margin: float = 0.1, radius: float = 1.0, offset: float = 0.0, seed: int = 0
) -> Separable:
    """Random rows that a random hyperplane u·x + offset = 0 separates by a chosen margin.

    Half of the labels are +1 (one more if n is odd). On each side one row lies on the margin, to
    rounding. The other rows are uniform: along `u` in the interval that the radius leaves, across
    `u` in the ball. Both y (u·x + offset) >= margin and ‖x‖ <= radius hold for the returned floats:
    exactly, and for any order of summation.

    Parameters
    ----------
    n : int
        Number of rows, n >= 2.
    d : int
        Number of columns, d >= 1.
    margin : float, default 0.1
        gamma > 0.
    radius : float, default 1.0
        R, larger than ``margin + |offset|``.
    offset : float, default 0.0
        b; 0 puts the hyperplane through the origin.
    seed : int, default 0

    Returns
    -------
    Separable

    Raises
    ------
    ValueError
        The radius leaves no room for the margin and the offset.

    Notes
    -----
    The margin assumption of lecture rows L0.5, L1.4 and L3.4; with an offset, of L2.3.

    Examples
    --------
    >>> toy = separable(100, 3, margin=0.25)
    >>> round(float((toy.y * (toy.X @ toy.u)).min()), 12)
    0.25
    """
    n, d, rng = check_int(n, "n", minimum=2), check_int(d, "d", minimum=1), _rng(seed)
    gamma, b = check_float(margin, "margin", above=0.0), check_float(offset, "offset")
    R = check_float(radius, "radius", above=0.0)
    guard = 8 * (d + 4) * np.finfo(float).eps  # in units of R, above the total rounding error
    if (gamma + abs(b)) / R + 4 * guard > 1.0:
        raise ValueError(f"radius must be larger than margin + |offset|, got {radius!r}")
    y = np.where(np.arange(n) % 2 == 0, 1, -1)
    low, high = gamma / R + guard, 1.0 - guard + y * b / R
    distance = rng.uniform(low, high)
    distance[:2] = low
    along = y * distance - b / R
    across = np.sqrt(np.maximum((1.0 - guard) ** 2 - along**2, 0.0))
    X = R * np.column_stack([along, across[:, np.newaxis] * _ball(rng, n, d - 1)])
    u = rng.standard_normal(d)
    u /= np.linalg.norm(u)
    sign = 1.0 if u[0] >= 0.0 else -1.0
    h = u + sign * np.eye(d)[0]  # a Householder reflection maps the first axis to -sign u
    X = -sign * (X - np.outer(X @ h, 2.0 / (h @ h) * h))
    order = rng.permutation(n)
    return Separable(X[order], y[order], u, b, gamma, R)


def xor(copies: int = 1, *, noise: float = 0.0, seed: int = 0) -> Inseparable:
    """XOR: the four corners (±1, ±1), labelled +1 where the signs differ; not linearly separable.

    The designed feature is the product: Z = (x1, x2, x1 x2), separated by u = (0, 0, -1).

    Parameters
    ----------
    copies : int, default 1
        Number of copies of the four corners, >= 1. The first four rows are the exact corners, with
        the weights of the proof; the others have noise.
    noise : float, default 0.0
        Largest noise in a coordinate, 0 <= noise < 1, so that no row changes its quadrant.
    seed : int, default 0

    Returns
    -------
    Inseparable

    Raises
    ------
    ValueError
        A number is out of its range.

    Notes
    -----
    Lecture row L3.9.

    Examples
    --------
    >>> toy = xor()
    >>> toy.X.tolist(), toy.y.tolist()
    ([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]], [-1, 1, 1, -1])
    """
    copies, rng = check_int(copies, "copies", minimum=1), _rng(seed)
    noise = check_float(noise, "noise", minimum=0.0)
    if noise >= 1.0:
        raise ValueError(f"noise must be below 1, got {noise!r}")
    corners = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    X = np.tile(corners, (copies, 1))
    X[4:] += rng.uniform(-noise, noise, X[4:].shape)
    y = np.tile([-1, 1, 1, -1], copies)
    weights = np.zeros(4 * copies)
    weights[:4] = 0.25
    Z = np.column_stack([X, X[:, 0] * X[:, 1]])
    return _inseparable(X, y, weights, Z, b=0.0)


def rings(
    n: int = 100, inner: float = 0.5, outer: float = 1.0, *, width: float = 0.0, seed: int = 0
) -> Inseparable:
    """A ring of +1 inside a ring of -1: separable by the lift x² + y², not by a line.

    The designed feature is the squared radius: Z = (x, y, x² + y²), separated by u = (0, 0, -1)
    with b halfway. Half of the rows (one more if n is odd) are inside. The first four rows, two
    antipodes of each ring, have the weights of the proof.

    Parameters
    ----------
    n : int, default 100
        Number of rows, n >= 4.
    inner, outer : float, default 0.5 and 1.0
        Largest radius inside, smallest radius outside, 0 < inner < outer.
    width : float, default 0.0
        Width of each ring, 0 <= width < inner.
    seed : int, default 0

    Returns
    -------
    Inseparable

    Raises
    ------
    ValueError
        A number is out of its range, or the rings touch by rounding.

    Notes
    -----
    Lecture row L0.6.

    Examples
    --------
    >>> toy = rings(inner=1.0, outer=2.0)
    >>> round(toy.b, 12), round(toy.gamma, 12)  # (4 + 1) / 2 and (4 - 1) / 2
    (2.5, 1.5)
    """
    n, rng = check_int(n, "n", minimum=4), _rng(seed)
    inner, outer = check_float(inner, "inner", above=0.0), check_float(outer, "outer", above=0.0)
    width = check_float(width, "width", minimum=0.0)
    if not width < inner < outer:
        raise ValueError(f"inner must lie between width and outer, got {width}, {inner}, {outer}")
    y = np.where(np.arange(n) % 2 == 0, 1, -1)
    r = np.where(y > 0, inner - width * rng.random(n), outer + width * rng.random(n))
    angle = rng.uniform(0.0, 2.0 * math.pi, n)
    X = r[:, np.newaxis] * np.column_stack([np.cos(angle), np.sin(angle)])
    X[2:4] = -X[:2]
    weights = np.zeros(n)
    weights[:4] = 0.25
    Z = np.column_stack([X, (X**2).sum(axis=1)])
    toy = _inseparable(X, y, weights, Z, b=(Z[y > 0, 2].max() + Z[y < 0, 2].min()) / 2.0)
    if toy.gamma <= 0.0:
        raise ValueError(f"outer must exceed inner by more than rounding, got {outer!r}")
    return toy


def experts(T: int, n: int, k: int, *, seed: int = 0) -> Separable:
    """Daily predictions by n experts; the majority of k hidden experts is always right.

    Every prediction is -1 or +1 with equal probability, and the label is the majority of the k
    hidden experts. Then u is 1/√k for these and 0 elsewhere; gamma = 1/√k and R = √n, to rounding.
    The hidden experts are ``np.flatnonzero(toy.u)``. With few days all labels may be equal.

    Parameters
    ----------
    T : int
        Number of days, the rows, T >= 1.
    n : int
        Number of experts, the columns, n >= 1.
    k : int
        Number of hidden experts, odd (so that a majority exists), 1 <= k <= n.
    seed : int, default 0

    Returns
    -------
    Separable

    Raises
    ------
    ValueError
        k is even, or larger than n.

    Notes
    -----
    Lecture row L1.5.

    Examples
    --------
    >>> toy = experts(T=4, n=5, k=3)
    >>> hidden = np.flatnonzero(toy.u)
    >>> bool((np.sign(toy.X[:, hidden].sum(axis=1)) == toy.y).all())
    True
    """
    T, n, k = (check_int(value, name, minimum=1) for value, name in ((T, "T"), (n, "n"), (k, "k")))
    rng = _rng(seed)
    if k > n or k % 2 == 0:
        raise ValueError(f"k must be odd and at most n = {n}, got {k}")
    X = rng.choice([-1.0, 1.0], (T, n))
    hidden = rng.choice(n, k, replace=False)
    y = np.where(X[:, hidden].sum(axis=1) > 0.0, 1, -1)
    u = np.zeros(n)
    u[hidden] = 1.0 / math.sqrt(k)
    return Separable(X, y, u, 0.0, 1.0 / math.sqrt(k), math.sqrt(n))


def two_points() -> Separable:
    """The worked example: x_o = (1, 2) with label +1, then x_× = (2, 1) with label -1.

    The rows are in the lecture's order. From (0, 0, 0), with sign(0) = +1 and the rows (1, x1, x2),
    the perceptron's weights are (-1, -2, -1), then (0, -1, 1), and the run ends. The separator is
    that of maximal margin: u = (-1, 1)/√2, b = 0, gamma = 1/√2, R = √5, to rounding.

    Returns
    -------
    Separable

    Notes
    -----
    Lecture row L3.2.

    Examples
    --------
    >>> two_points().X.tolist(), two_points().y.tolist()
    ([[1.0, 2.0], [2.0, 1.0]], [1, -1])
    """
    half = math.sqrt(0.5)
    X, y, u = np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([1, -1]), np.array([-half, half])
    return Separable(X, y, u, 0.0, half, math.sqrt(5.0))


def unit_square(n: int = 100, *, seed: int = 0) -> UnitSquare:
    """The notebook's problem: points of the unit square, labelled 1 where 0.7 x + 0.4 y > 0.5.

    The labels are 0 and 1, as in the notebook; ``unit_square(...).signs`` has -1 and +1. A sample
    with one class only, possible for a small n, is drawn again.

    Parameters
    ----------
    n : int, default 100
        Number of rows, n >= 2.
    seed : int, default 0
        The notebook has no fixed seed.

    Returns
    -------
    UnitSquare

    Notes
    -----
    Lecture row L4.1.

    Examples
    --------
    >>> toy = unit_square()
    >>> toy.X.shape, np.bincount(toy.y)
    ((100, 2), array([34, 66]))
    """
    n, rng = check_int(n, "n", minimum=2), _rng(seed)
    y = np.zeros(n, np.int64)
    while y.min() == y.max():
        X = rng.random((n, 2))
        y = (X[:, 0] * 0.7 + X[:, 1] * 0.4 > 0.5).astype(np.int64)
    length = math.hypot(0.7, 0.4)
    u, b = np.array([0.7, 0.4]) / length, -0.5 / length
    return UnitSquare(X, y, u, b, margin(X, 2 * y - 1, u, b), radius(X))


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(check_int(seed, "seed", minimum=0))


def _ball(rng: np.random.Generator, n: int, d: int) -> Floats:
    """Return `n` points, uniform in the unit ball of d >= 0 dimensions."""
    x = rng.standard_normal((n, d))
    if d == 0:
        return x
    length: Floats = np.linalg.norm(x, axis=1, keepdims=True)
    return x / length * rng.random((n, 1)) ** (1.0 / d)


def _inseparable(X: Floats, y: Ints, weights: Floats, Z: Floats, b: float) -> Inseparable:
    """Complete the record with the plane of normal (0, 0, -1) and offset `b`."""
    u = np.array([0.0, 0.0, -1.0])
    return Inseparable(X, y, weights, Z, u, float(b), margin(Z, y, u, float(b)), radius(Z))
