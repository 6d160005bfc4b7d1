"""Confidence intervals of an error rate: at any time, or at one fixed number of examples."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from rosenblatt.utils.arrays import Array


@lru_cache(maxsize=1024)  # runs side by side, and one after the other, ask for the same counts
def anytime_interval(errors: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Confidence interval of the mean error probability, valid at all times at once.

    Let p_i be the probability, given the past, that prediction i is wrong, and p their mean over
    the first n. With probability ``confidence`` the interval contains p at *every* n, whatever the
    learner does: for fixed λ the product of exp(λ e_i)/(1 + p_i (e^λ − 1)) is a martingale,
    by concavity it exceeds exp(λ Σe)/(1 + p (e^λ − 1))ⁿ, and by Ville's inequality a mixture of
    these over λ exceeds 1/(1 − confidence) with probability at most 1 − confidence.

    Parameters
    ----------
    errors : int
        Number of wrong predictions, 0 ≤ errors ≤ n.
    n : int
        Number of predictions.
    confidence : float in (0, 1), default=0.95

    Returns
    -------
    low, high : float

    Raises
    ------
    ValueError
        An argument out of range.

    References
    ----------
    Ville 1939; Howard, Ramdas, McAuliffe and Sekhon 2021 (mixtures); Waudby-Smith and Ramdas 2024.

    Examples
    --------
    >>> low, high = anytime_interval(50, 1000)
    >>> round(low, 3), round(high, 3)
    (0.029, 0.078)
    """
    _check_counts(errors, n, confidence)
    if n == 0:
        return 0.0, 1.0
    share = errors / n
    threshold = math.log(1.0 / (1.0 - confidence))
    ends = []
    for outside in (0.0, 1.0):
        inside = share
        if log_mixture(errors, n, outside) > threshold:  # rejected, as all between it and the end
            # 40 halvings: far below the digits shown.
            while abs(outside - inside) > 1e-12:
                middle = 0.5 * (outside + inside)
                if log_mixture(errors, n, middle) > threshold:
                    outside = middle
                else:
                    inside = middle
            outside = 0.5 * (outside + inside)
        ends.append(outside)
    return ends[0], ends[1]


def anytime_intervals(errors: Array, n: Array, confidence: float = 0.95) -> tuple[Array, Array]:
    """Return the ends of :func:`anytime_interval` of many counts at once, in a tenth of the time.

    The mixture is convex in p, so Newton's steps come to an end of the interval from outside: they
    are few, and stopped early they give an interval that is wider by less than a hundredth.

    Parameters
    ----------
    errors, n : ndarray of shape (m,)
        0 ≤ errors ≤ n.
    confidence : float in (0, 1), default=0.95

    Returns
    -------
    low, high : ndarray of shape (m,)

    Examples
    --------
    >>> low, high = anytime_intervals(np.array([50, 0]), np.array([1000, 0]))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.029, 0.0], [0.078, 1.0])
    """
    threshold = math.log(1.0 / (1.0 - confidence))
    counts = np.maximum(n, 1.0)
    share, z2 = errors / counts, 2.0 * (threshold + _TYPICAL_COST)
    centre = (share + z2 / (2.0 * counts)) / (1.0 + z2 / counts)
    spread = np.sqrt(z2 * (share * (1.0 - share) + z2 / (4.0 * counts)) / counts)
    half = spread / (1.0 + z2 / counts)  # Wilson's interval is near, on the right side of share
    p = np.clip(np.concatenate([centre - half, centre + half]), 0.0, 1.0)[:, None]
    of, size = np.tile(errors, 2)[:, None], np.tile(n, 2)[:, None]
    tilts = _LAMBDAS * of
    for _ in range(_NEWTON_STEPS):
        inner = p * _EXPM1_LAMBDAS
        inner += 1.0
        logs = tilts - size * np.log(inner)
        top = logs.max(axis=1, keepdims=True)
        weights = np.exp(logs - top)
        total = weights.sum(axis=1, keepdims=True)
        excess = top + np.log(total / len(_LAMBDAS)) - threshold
        np.divide(_EXPM1_LAMBDAS, inner, out=inner)
        slope = np.einsum("ij,ij->i", weights, inner)[:, None] * size / total
        with np.errstate(divide="ignore", invalid="ignore"):
            p = np.clip(np.nan_to_num(p + excess / slope), 0.0, 1.0)
    low, high = p[: len(n), 0], p[len(n) :, 0]
    return np.where(errors == 0, 0.0, low), np.where(errors == n, 1.0, high)


def _check_counts(errors: int, n: int, confidence: float) -> None:
    if not (0 <= errors <= n):
        raise ValueError(f"errors must lie between 0 and n; got errors={errors}, n={n}.")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1; got {confidence}.")


_TYPICAL_COST = 3.0  # of the mixture, in its log: where Newton's steps begin
_NEWTON_STEPS = 5

# Tilts λ on a geometric grid from 6 down to 6·2⁻¹⁵: for every n one is nearly optimal.
_TILTS = 6.0 * 2.0 ** -np.arange(0.0, 15.5, 0.5)
_LAMBDAS = np.concatenate([_TILTS, -_TILTS])
_EXPM1_LAMBDAS = np.expm1(_LAMBDAS)


def log_mixture(errors: int, n: int, p: float) -> float:
    """Log of the mean over λ of exp(λ errors)/(1 + p (e^λ − 1))ⁿ: large if p is not the mean."""
    logs = _LAMBDAS * errors - n * np.log1p(p * _EXPM1_LAMBDAS)
    top = float(np.maximum.reduce(logs))
    return top + math.log(float(np.add.reduce(np.exp(logs - top))) / len(logs))


def wilson_interval(errors: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson score interval of an error rate, measured once on n rows that were not learned.

    Parameters
    ----------
    errors, n, confidence
        As in :func:`anytime_interval`. Wilson's interval is narrower, and holds only at an n that
        was fixed beforehand.

    Returns
    -------
    low, high : float

    Examples
    --------
    >>> low, high = wilson_interval(50, 1000)
    >>> round(low, 3), round(high, 3)
    (0.038, 0.065)
    """
    _check_counts(errors, n, confidence)
    if n == 0:
        return 0.0, 1.0
    from statistics import NormalDist

    z = NormalDist().inv_cdf(0.5 + confidence / 2.0)
    share, shrink = errors / n, 1.0 + z * z / n
    centre = (share + z * z / (2 * n)) / shrink
    half = z / shrink * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)
