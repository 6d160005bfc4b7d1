"""Radius, margins and mistake bounds; :mod:`rosenblatt.theory` states the conventions."""

from __future__ import annotations

import math

import numpy as np

from rosenblatt.utils.arrays import ArrayLike
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
from rosenblatt.utils.exact_margins import distances

__all__ = [
    "epochs_bound",
    "expected_error_bound",
    "experts_bound",
    "margin",
    "margins",
    "mistake_bound",
    "most_mistakes",
    "offset_bound",
    "radius",
    "running_bound",
    "shards_bound",
    "slack",
    "slack_bound",
    "start_bound",
]


def radius(X: ArrayLike | CSR) -> float:
    """Radius of the data: R = max ‖x‖ over the rows.

    Parameters
    ----------
    X : array of shape (n, d) or CSR
        The rows, n >= 1, d >= 1, finite. Squares neither overflow nor underflow; an R that is too
        large for a float is a ValueError.

    Returns
    -------
    float >= 0

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
            # duplicate entries are summed
            position, inverse = np.unique(position, return_inverse=True)
            values = np.bincount(inverse, values).astype(np.float64)
        row = position // X.shape[1]
    else:
        row, values = None, check_array(X, "X", "(n, d)", 2)
    scale = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    squares = np.ldexp(values, -scale) ** 2  # scaling by a power of two is exact
    sums = squares.sum(axis=1) if row is None else np.bincount(row, squares, minlength=1)
    try:
        return math.ldexp(math.sqrt(sums.max()), scale)
    except OverflowError:
        raise ValueError("X must have rows shorter than 1.8e308, got a longer one") from None


def margins(X: ArrayLike | CSR, y: ArrayLike, w: ArrayLike, b: float = 0.0) -> Floats:
    """Signed geometric margins: y (w·x + b) / ‖w‖, an array of shape (n,).

    The absolute value is the distance to the hyperplane w·x + b = 0; the sign is + for a row that
    `w` and `b` classify correctly. The sign is exact, and no intermediate number overflows: a
    margin too small for floats is ±5e-324, one too large is infinite.

    Parameters
    ----------
    X : array of shape (n, d) or CSR
        The rows.
    y : array of shape (n,)
        Labels, -1 or +1.
    w : array of shape (d,)
        Normal vector, not zero; its length does not matter.
    b : float, default 0
        Offset, in the scale of `w`.

    Returns
    -------
    ndarray of shape (n,)

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
    """Margin of a finite set of labelled points: the minimum of their `margins`.

    Positive exactly when `w` and `b` strictly separate the rows. Errors are those of
    `margins`. Lecture row L1.3.

    Parameters
    ----------
    X, y, w, b
        As in `margins`.

    Returns
    -------
    float

    Examples
    --------
    >>> margin([[3.0, 4.0], [1.0, 0.0]], [1, -1], w=[0.0, 2.0], b=-2.0)
    1.0
    """
    return float(margins(X, y, w, b).min())


def mistake_bound(R: float, gamma: float) -> float:
    """Bound the perceptron's mistakes by (R/γ)².

    Assumes: w starts at 0 and changes by η y x, at mistakes only, with any fixed η > 0; every
    ‖x‖ <= R; some unit u has y (u·x) >= γ on every row. Holds for any order and number of epochs.
    With an offset learned through a constant feature, R and γ are those of the rows (1, x).

    Parameters
    ----------
    R, gamma : float
        Radius R >= 0 and margin γ > 0.

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


def most_mistakes(bound: float) -> float:
    """Largest number of mistakes that a bound allows: its floor, as a whole number, or infinity.

    A bound that is a whole number, such as (√6/√½)² = 12, may be a little smaller by rounding; so
    a bound less than a billionth (and a thousandth) below a whole number counts as that.

    Parameters
    ----------
    bound : float
        Of `mistake_bound` and its like, or infinity.

    Returns
    -------
    int, or inf

    Examples
    --------
    >>> most_mistakes(28.32), most_mistakes(11.999999999999998), most_mistakes(math.inf)
    (28, 12, inf)
    """
    return math.floor(bound + min(1e-9 * bound, 1e-3)) if math.isfinite(bound) else bound


def offset_bound(R: float, rho: float, b: float) -> float:
    """Bound the updates of the perceptron with an offset by (b² + 1)(R² + 1)/ρ².

    Assumes: w and the offset start at 0 and change by η y x and η y, at mistakes only, with any
    fixed η > 0; every ‖x‖ <= R; some unit u and offset `b` have y (u·x + b) >= ρ on every row.

    Parameters
    ----------
    R, rho : float
        Radius R >= 0 of the rows without the constant feature, and margin ρ > 0.
    b : float
        Offset of the separator with this margin, not of the learner.

    Notes
    -----
    Lecture row L2.3. It is `mistake_bound` for the rows (x, 1) and the vector (u, b)/√(1 + b²). The
    separator with the largest ρ is not the one with the smallest bound: `rosenblatt.audit` finds
    the latter.

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


def expected_error_bound(m: int, R: float, rho: float, b: float) -> float:
    """Bound the expected error after m random examples by (b² + 1)(R² + 1)/(ρ² m), at most 1.

    A perceptron that learns m examples, each once, makes at most `offset_bound` mistakes. If the
    examples are independent and from one distribution, the chance of a mistake on an example is the
    expected error of the w before it. So this bounds the mean of the expected errors of these m
    vectors, and the expected error of one of them drawn at random.

    Assumes: what `offset_bound` assumes, for all examples of the distribution, with probability 1;
    the examples are independent. The last w may be worse; a majority vote of the m vectors has at
    most twice this error.

    Parameters
    ----------
    m : int
        Number of examples, >= 1.
    R, rho, b : float
        Radius, margin and offset, as in `offset_bound`.

    Notes
    -----
    Lecture row L2.13: "this also bounds the expected error", if ρ, R and the size of b* are known.
    Helmbold and Warmuth 1995; Freund and Schapire 1999. `rosenblatt.studies.error_from_mistakes`
    estimates the error from the mistakes that were made, without ρ, R and b*.

    Examples
    --------
    >>> expected_error_bound(m=1000, R=2.0, rho=0.5, b=1.0)
    0.04
    """
    return min(1.0, offset_bound(R, rho, b) / check_int(m, "m", minimum=1))


def start_bound(w1: ArrayLike, w_hat: ArrayLike, Z: ArrayLike | CSR, eps: float = 1.0) -> float:
    """Bound the corrections from any start w(1) by ‖w(1)/ε - αŵ‖²/β², where α = β²/γ.

    Here β = max ‖z‖ and γ = min ŵ·z over the rows z. Assumes: a correction adds ε z, and occurs
    only where w·z <= 0; ŵ·z > 0 on every row. From w(1) = 0 with a unit ŵ this is (β/γ)².

    Parameters
    ----------
    w1, w_hat : array of shape (d,)
        The start, and a solution of any length, with ŵ·z > 0 for every row.
    Z : array of shape (n, d) or CSR
        The rows z that corrections add: y x, augmented if an offset is learned.
    eps : float, default 1
        Step ε > 0. The lecture has 1; a run with ε from w(1) is ε times the run from w(1)/ε.

    Raises
    ------
    ValueError
        ``w_hat`` has ŵ·z <= 0 for some row.

    Notes
    -----
    Lecture row L4.6. Each correction reduces ‖w - αŵ‖², which is >= 0, by at least β².

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
    with np.errstate(over="ignore", invalid="ignore"):
        distance = w1 / eps / beta - beta / gamma * w_hat
        square = float(distance @ distance)
    return math.inf if math.isnan(square) else square  # of ∞ · 0 or ∞ − ∞, on overflow


def shards_bound(R: float, gamma: float, shards: int) -> float:
    """Bound the mistakes of S shards, whose weights are averaged after each epoch, by S (R/γ)².

    Assumes: what `mistake_bound` assumes, for the rows of all shards together; all shards start an
    epoch from the same w, and the next w is the mean of theirs. Mistakes of all shards and epochs
    count. With S = 1 it is `mistake_bound`.

    Parameters
    ----------
    R, gamma : float
        Radius R >= 0 and margin γ > 0 of all rows.
    shards : int
        Number of shards S >= 1.

    Notes
    -----
    McDonald, Hall and Mann 2010, theorem 3: with shares μ of the shards that sum to 1 in each
    epoch, Σ μ k over shards and epochs is at most (R/γ)², where k is a shard's number of mistakes.
    Weights that are averaged once, after the last epoch, may not separate separable rows at all.

    Examples
    --------
    >>> shards_bound(R=2.0, gamma=0.5, shards=10)
    160.0
    """
    return check_int(shards, "shards", minimum=1) * mistake_bound(R, gamma)


def epochs_bound(R: float, gamma: float) -> float:
    """Bound the epochs with a mistake by (R/γ)², if shards count in proportion to their mistakes.

    Assumes: what `shards_bound` assumes, but the next w is Σ μ w with μ = k / Σ k, where k is a
    shard's number of mistakes in the epoch. The bound does not depend on the number of shards.

    Parameters
    ----------
    R, gamma : float
        Radius R >= 0 and margin γ > 0 of all rows.

    Notes
    -----
    McDonald, Hall and Mann 2010: then Σ μ k is at least 1 in an epoch with a mistake.

    Examples
    --------
    >>> epochs_bound(R=2.0, gamma=0.5)
    16.0
    """
    return mistake_bound(R, gamma)


def experts_bound(n: int, k: int) -> float:
    """Bound the mistakes of a perceptron that learns from n experts' predictions by n k.

    Assumes: each row holds n predictions of -1 or +1, and the majority of some fixed k of them is
    always right. Then R = √n and γ = 1/√k: the sum of those k, signed by the label, is >= 1.

    Parameters
    ----------
    n, k : int
        Number of experts, n >= 1, and size of the group with the correct majority, 1 <= k <= n.

    Raises
    ------
    ValueError
        k is larger than n.

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
    """Total slack of the rows against margin γ: D >= 0 with D² = Σ max(0, γ - y u·x)².

    D is 0 exactly when `u` separates the rows with margin γ.

    Parameters
    ----------
    X, y : array of shape (n, d) or CSR, array of shape (n,)
        The rows and their labels, -1 or +1.
    u : array of shape (d,)
        Any direction; it is normalised first.
    gamma : float
        The required margin γ > 0.

    Returns
    -------
    float >= 0, infinite on overflow

    Notes
    -----
    Freund and Schapire, 1999: L0.5 for inseparable data, as in L0.4 and L2.5.

    Examples
    --------
    >>> slack([[1.0], [-2.0], [5.0]], [1, 1, 1], u=[1.0], gamma=2.0)  # short by 1, 4 and 0
    4.123105625617661
    """
    with np.errstate(over="ignore"):
        shortfall = check_float(gamma, "gamma", above=0.0) - _margins(X, y, u, "u", 0.0)
    try:
        return radius([np.maximum(shortfall, 0.0)])
    except ValueError:  # too large for a float
        return math.inf


def slack_bound(R: float, D: float, gamma: float) -> float:
    """Bound the mistakes of one pass over any data, separable or not, by ((R + D)/γ)².

    Assumes: w starts at 0 and changes by η y x, at mistakes only; every ‖x‖ <= R; `D` is the
    `slack` of the rows for some direction and this γ. The bound is for one epoch; for k epochs,
    take the slack of the rows repeated k times. It holds for every direction and γ, so the smallest
    such bound holds.

    Parameters
    ----------
    R, D, gamma : float
        Radius R >= 0, slack D >= 0, and the margin γ > 0 of that slack.

    Notes
    -----
    Freund and Schapire, 1999: one extra coordinate for each row makes the rows separable.

    Examples
    --------
    >>> slack_bound(R=3.0, D=1.0, gamma=2.0)
    4.0
    """
    reach = check_float(R, "R", minimum=0.0) + check_float(D, "D", minimum=0.0)
    return mistake_bound(reach, gamma)


def running_bound(norm_w: float, total_alpha: float) -> float:
    """Bound the maximal margin of the data by ‖Σ α y x‖ / Σ α, known after any run from zero.

    Let a unit u have y (u·x) >= γ on every row. Then, for any weights α >= 0,
    ‖Σ α y x‖ >= u·Σ α y x = Σ α y (u·x) >= γ Σ α.

    Assumes: w = Σ α y x with every α >= 0, so w started at 0 without a penalty. Separability is not
    assumed: a bound of 0 proves that no margin is positive. The bound is for hyperplanes through
    the origin of the space of w: with a learned intercept, the space of the rows (1, x).

    Parameters
    ----------
    norm_w : float
        ‖w‖ >= 0, intercept included if one is learned.
    total_alpha : float
        Σ α > 0; after k mistakes with learning rate η it is kη.

    Notes
    -----
    After k mistakes ‖w‖ <= √k ηR (Claim 2 of L0.5), so this bound is at most R/√k.

    Examples
    --------
    >>> running_bound(norm_w=3.0, total_alpha=6.0)
    0.5
    """
    return check_float(norm_w, "norm_w", minimum=0.0) / check_float(
        total_alpha, "total_alpha", above=0.0
    )


def _scores(X: ArrayLike | CSR, X_name: str, w: ArrayLike, w_name: str) -> tuple[Floats, Floats]:
    """Check `X` and `w`; return w·x for every row, and `w`."""
    if isinstance(X, CSR):
        csr_entries(X, X_name)
        w = check_vector(w, w_name, X.shape[1])
        return np.asarray(X @ w, np.float64), w
    rows = check_array(X, X_name, "(n, d)", 2)
    w = check_vector(w, w_name, rows.shape[1])
    return rows @ w, w


def _margins(X: ArrayLike | CSR, y: ArrayLike, w: ArrayLike, w_name: str, b: float) -> Floats:
    rows: Floats | CSR = X if isinstance(X, CSR) else check_array(X, "X", "(n, d)", 2)
    if isinstance(rows, CSR):
        csr_entries(rows, "X")
    w = check_vector(w, w_name, rows.shape[1])
    y = check_signs(y, rows.shape[0])
    if not w.any():
        raise ValueError(f"{w_name} must have a direction, got the zero vector")
    return y * distances(rows, w, b)
