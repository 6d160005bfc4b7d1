"""What the theorems need and what they promise: radius, margins, mistake bounds.

Everything here takes arrays and numbers, never a model, so it can audit any model. A bound is as
good as its assumptions: each docstring states them, and only they make it true. A bound is a float
(infinite if too large for one); the number of mistakes is at most its whole part. A margin of zero
promises nothing, so every bound asks for a margin > 0.

Rows are an array of shape (n, d), or CSR: an object with ``data``, ``indices``, ``indptr``,
``shape`` and ``@``, such as ``scipy.sparse.csr_array``. Labels are -1 and +1.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.utils.checks import (
    CSR,
    Floats,
    check_array,
    check_float,
    check_int,
    check_signs,
    check_vector,
    csr_entries,
)

__all__ = [
    "experts_bound",
    "margin",
    "margins",
    "mistake_bound",
    "offset_bound",
    "radius",
    "running_bound",
    "slack",
    "slack_bound",
    "start_bound",
]


def radius(X: ArrayLike | CSR) -> float:
    """Radius of the data: R = max ‖x‖ over the rows.

    Parameters
    ----------
    X : array of shape (n, d) or CSR
        The rows, n >= 1, d >= 1, finite. Squares neither overflow nor underflow.

    Raises
    ------
    ValueError
        If `X` has another shape, no rows, no columns, NaN or infinity, or if R overflows.

    Notes
    -----
    Lecture rows L0.5, L1.4 (where it is called D), L2.3, L3.4, L4.6 (where it is called β).

    Examples
    --------
    >>> radius([[3.0, 4.0], [1.0, 0.0]])
    5.0
    """
    if isinstance(X, CSR):
        position, values = csr_entries(X, "X")
        if not getattr(X, "has_canonical_format", False):
            position, inverse = np.unique(
                position, return_inverse=True
            )  # entries of one place add up
            values = np.bincount(inverse, values).astype(np.float64)
        row = position // X.shape[1]
    else:
        row, values = None, check_array(X, "X", "(n, d)", 2)
    scale = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    squares = np.ldexp(values, -scale) ** 2  # a power of two rounds nothing
    sums = squares.sum(axis=1) if row is None else np.bincount(row, squares, minlength=1)
    try:
        return math.ldexp(math.sqrt(sums.max()), scale)
    except OverflowError:
        raise ValueError("X must have rows shorter than 1.8e308, got a longer one") from None


def margins(X: ArrayLike | CSR, y: ArrayLike, w: ArrayLike, b: float = 0.0) -> Floats:
    """Signed geometric margins: y (w·x + b) / ‖w‖, an array of shape (n,).

    The size is the distance to the hyperplane w·x + b = 0; the sign is + where `w` is right.

    Parameters
    ----------
    X : array of shape (n, d) or CSR
        The rows.
    y : array of shape (n,)
        Labels, -1 or +1.
    w : array of shape (d,)
        Normal vector of any length but zero.
    b : float, default 0
        Offset, in the scale of `w`.

    Raises
    ------
    ValueError
        If a shape does not fit, a number is not finite, a label is not -1 or +1, or w = 0.

    Notes
    -----
    Lecture row L1.3, with an offset; for unit `w` and b = 0 it is the lecture's y (x·u).

    Examples
    --------
    >>> margins([[3.0, 4.0], [1.0, 0.0]], [1, -1], w=[0.0, 2.0], b=-2.0)
    array([3., 1.])
    """
    return _margins(X, y, w, "w", check_float(b, "b"))


def margin(X: ArrayLike | CSR, y: ArrayLike, w: ArrayLike, b: float = 0.0) -> float:
    """Margin of a finite set of labelled points: the smallest of their `margins`.

    Positive exactly when `w` and `b` get every row strictly right. Parameters, defaults and
    errors are those of `margins`. Lecture row L1.3.

    Examples
    --------
    >>> margin([[3.0, 4.0], [1.0, 0.0]], [1, -1], w=[0.0, 2.0], b=-2.0)
    1.0
    """
    return float(margins(X, y, w, b).min())


def mistake_bound(R: float, gamma: float) -> float:
    """Bound the perceptron's mistakes by (R/γ)².

    Assumes: w starts at 0 and moves by η y x, at mistakes only, any fixed η > 0; every ‖x‖ <= R;
    some unit u has y (u·x) >= γ on every row. Any order, any number of passes. With an offset
    learnt through a constant feature, R and γ are those of the longer rows (1, x).

    Parameters
    ----------
    R, gamma : float
        Radius R >= 0 and margin γ > 0.

    Raises
    ------
    ValueError
        If `R` or `gamma` is not finite or out of range.

    Notes
    -----
    Lecture rows L0.5, L1.4, L3.4. After k mistakes kηγ <= u·w <= ‖w‖ <= √k ηR.

    Examples
    --------
    >>> mistake_bound(R=2.0, gamma=0.5)
    16.0
    """
    ratio = check_float(R, "R", minimum=0.0) / check_float(gamma, "gamma", above=0.0)
    return ratio * ratio


def offset_bound(R: float, rho: float, b: float) -> float:
    """Bound the updates of the perceptron with an offset by (b² + 1)(R² + 1)/ρ².

    Assumes: w and the offset start at 0 and move by η y x and η y, at mistakes only, any fixed
    η > 0; every ‖x‖ <= R; some unit u and offset `b` have y (u·x + b) >= ρ on every row.

    Parameters
    ----------
    R, rho : float
        Radius R >= 0 of the rows without the constant feature, and margin ρ > 0.
    b : float
        Offset of the separator that has this margin, not of the learner.

    Raises
    ------
    ValueError
        If an argument is not finite or out of range.

    Notes
    -----
    Lecture row L2.3. It is `mistake_bound` for the rows (x, 1) and the vector (u, b)/√(1 + b²).

    Examples
    --------
    >>> offset_bound(R=2.0, rho=0.5, b=1.0)
    40.0
    """
    R, rho, b = (
        check_float(R, "R", minimum=0.0),
        check_float(rho, "rho", above=0.0),
        check_float(b, "b"),
    )
    return (b * b + 1.0) / rho * ((R * R + 1.0) / rho)


def start_bound(w1: ArrayLike, w_hat: ArrayLike, Z: ArrayLike | CSR, eps: float = 1.0) -> float:
    """Bound the corrections from any start w(1) by ‖w(1)/ε - αŵ‖²/β², where α = β²/γ.

    Here β = max ‖z‖ and γ = min ŵ·z over the rows z. Assumes: a correction adds ε z, and is made
    only where w·z <= 0; ŵ·z > 0 on every row. From w(1) = 0 with a unit ŵ this is (β/γ)².

    Parameters
    ----------
    w1, w_hat : array of shape (d,)
        The start, and a solution of any length.
    Z : array of shape (n, d) or CSR
        The rows as corrected on: y x instead of x, and augmented if an offset is learnt.
    eps : float, default 1
        Step ε > 0. The lecture has 1; a run with ε from w(1) is ε times the one from w(1)/ε.

    Raises
    ------
    ValueError
        If a shape does not fit, a number is not finite or out of range, or `w_hat` is no solution.

    Notes
    -----
    Lecture row L4.6. Each correction takes at least β² off ‖w - αŵ‖², which stays >= 0.

    Examples
    --------
    >>> start_bound(w1=[0.0, 2.0], w_hat=[1.0, 0.0], Z=[[1.0, 0.0], [1.0, 0.0]])
    5.0
    """
    scores, w_hat = _scores(Z, "Z", w_hat, "w_hat")
    w1, eps = check_vector(w1, "w1", len(w_hat)), check_float(eps, "eps", above=0.0)
    beta, gamma = radius(Z), float(scores.min())
    if gamma <= 0.0:
        raise ValueError(f"w_hat must have w_hat·z > 0 on every row z of Z, got {gamma:g}")
    distance = w1 / eps / beta - beta / gamma * w_hat
    return float(distance @ distance)


def experts_bound(n: int, k: int) -> float:
    """Bound the mistakes of the perceptron that listens to n experts by n k.

    Assumes: each row holds n predictions of -1 or +1, and the majority of some fixed k of them is
    always right. Then R = √n and γ = 1/√k: the sum of those k, signed by the label, is >= 1.

    Parameters
    ----------
    n, k : int
        Number of experts, n >= 1, and how many of them form the majority's group, 1 <= k <= n.

    Raises
    ------
    ValueError
        If `n` or `k` is not a whole number in its range.

    Notes
    -----
    Lecture row L1.5.

    Examples
    --------
    >>> experts_bound(n=10, k=3)
    30.0
    """
    n, k = check_int(n, "n", minimum=1), check_int(k, "k", minimum=1)
    if k > n:
        raise ValueError(f"k must be at most n = {n}, got {k}")
    return float(n * k)


def slack(X: ArrayLike | CSR, y: ArrayLike, u: ArrayLike, gamma: float) -> float:
    """How far the rows fall short of margin γ: D >= 0 with D² = Σ max(0, γ - y u·x)².

    D is 0 exactly when `u` separates the rows with margin γ.

    Parameters
    ----------
    X, y : array of shape (n, d) or CSR, array of shape (n,)
        The rows and their labels, -1 or +1.
    u : array of shape (d,)
        Any direction; it is scaled to length 1 first.
    gamma : float
        The margin asked for, γ > 0.

    Raises
    ------
    ValueError
        As `margins` does, and if `gamma` is not finite or not > 0.

    Notes
    -----
    Freund and Schapire, 1999: L0.5 for the data of L0.4 and L2.5, which nothing separates.

    Examples
    --------
    >>> slack([[1.0], [-2.0], [5.0]], [1, 1, 1], u=[1.0], gamma=2.0)  # short by 1, 4 and 0
    4.123105625617661
    """
    shortfall = check_float(gamma, "gamma", above=0.0) - _margins(X, y, u, "u", 0.0)
    return radius([np.maximum(shortfall, 0.0)])


def slack_bound(R: float, D: float, gamma: float) -> float:
    """Bound the mistakes of one pass over any data, separable or not, by ((R + D)/γ)².

    Assumes: w starts at 0 and moves by η y x, at mistakes only; every ‖x‖ <= R; `D` is the `slack`
    of the rows for some direction and this γ. Each row is met once; for more passes, take the
    slack of the rows repeated that often. True for every direction and γ: the least bound counts.

    Parameters
    ----------
    R, D, gamma : float
        Radius R >= 0, slack D >= 0, and the margin γ > 0 that the slack was measured against.

    Raises
    ------
    ValueError
        If an argument is not finite or out of range.

    Notes
    -----
    Freund and Schapire, 1999: give every row a coordinate of its own; the longer rows separate.

    Examples
    --------
    >>> slack_bound(R=3.0, D=1.0, gamma=2.0)
    4.0
    """
    reach = check_float(R, "R", minimum=0.0) + check_float(D, "D", minimum=0.0)
    return mistake_bound(reach, gamma)


def running_bound(norm_w: float, total_alpha: float) -> float:
    """Bound every margin the data allows by ‖Σ α y x‖ / Σ α: what any run from zero gives for free.

    Let a unit u have y (u·x) >= γ on every row. Then, for any weights α >= 0,
    ‖Σ α y x‖ >= u·Σ α y x = Σ α y (u·x) >= γ Σ α.

    Assumes: w = Σ α y x with every α >= 0, so w started at 0 and nothing shrank it. Separability is
    not assumed: a bound of 0 proves that no margin is positive. It bounds margins through the
    origin of the space w lives in: with an intercept learnt, the space of the longer rows (1, x).

    Parameters
    ----------
    norm_w : float
        ‖w‖ >= 0, intercept included if one is learnt.
    total_alpha : float
        Σ α > 0; after k mistakes with learning rate η it is kη.

    Raises
    ------
    ValueError
        If an argument is not finite or out of range.

    Notes
    -----
    After k mistakes ‖w‖ <= √k ηR, so this is at most R/√k: Claim 2 of L0.5 from the other end.

    Examples
    --------
    >>> running_bound(norm_w=3.0, total_alpha=6.0)
    0.5
    """
    return check_float(norm_w, "norm_w", minimum=0.0) / check_float(
        total_alpha, "total_alpha", above=0.0
    )


# The checks that floor 0 shares: each returns its argument in one form, or says what is wrong.


def _scores(X: ArrayLike | CSR, X_name: str, w: ArrayLike, w_name: str) -> tuple[Floats, Floats]:
    """Return w·x for every row, and `w`, both checked."""
    if isinstance(X, CSR):
        csr_entries(X, X_name)
        w = check_vector(w, w_name, X.shape[1])
        return np.asarray(X @ w, np.float64), w
    rows = check_array(X, X_name, "(n, d)", 2)
    w = check_vector(w, w_name, rows.shape[1])
    return rows @ w, w


def _margins(X: ArrayLike | CSR, y: ArrayLike, w: ArrayLike, w_name: str, b: float) -> Floats:
    scores, w = _scores(X, "X", w, w_name)
    y, length = check_signs(y, len(scores)), radius([w])
    if length == 0.0:
        raise ValueError(f"{w_name} must have a direction, got the zero vector")
    return y * (scores + b) / length
