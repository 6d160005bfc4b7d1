"""Sets of labels with a stated coverage: by scores of held-out rows, or adapting to a stream."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import deque
from typing import NamedTuple

import numpy as np

from rosenblatt.learning.evaluation.sample import RowSample
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.checks import check_number

__all__ = ["AdaptiveSets", "conformal_quantile"]

MAX_KEPT = 2000
"""Scores that a model keeps: the coverage of so many is 90 % with a deviation of 0.7 points."""

_UNIT = 2.0**-20  # of kept scores, which are rounded up: sets get larger by no more than this


class KeptScores(NamedTuple):
    """Scores of held-out rows.

    Attributes
    ----------
    t : int
        The step counter of the model that gave them.
    scores : array of shape (n,), sorted
    """

    t: int
    scores: Array


def kept_scores(scores: Array) -> Array:
    """Return scores as a model keeps them: sorted, rounded up, and a sample of many.

    Raises
    ------
    ValueError
        There is no score, or one is NaN.

    Examples
    --------
    >>> kept_scores(np.array([0.5, 0.25]))
    array([0.25, 0.5 ])
    """
    if len(scores) == 0:
        raise ValueError("there must be a held-out row or more.")
    if np.isnan(scores).any():
        raise ValueError("a probability of a held-out row is not a number.")
    sample = RowSample(MAX_KEPT)
    sample.add(np.ceil(scores.clip(0.0, 1.0) / _UNIT) * _UNIT)
    return np.sort(sample.columns()[0])


def conformal_quantile(scores: Array, coverage: float) -> float:
    """Return the ⌈(n + 1) coverage⌉-th smallest of n scores; infinite where n is too small.

    A further score that is exchangeable with these is at most this with probability ``coverage`` or
    more, and, without ties, less than coverage + 1/(n + 1).

    Parameters
    ----------
    scores : array of shape (n,), sorted
    coverage : float in (0, 1)

    Examples
    --------
    >>> scores = np.linspace(0.1, 0.9, 9)
    >>> round(conformal_quantile(scores, 0.75), 1), conformal_quantile(scores, 0.95)
    (0.8, inf)
    """
    rank = math.ceil((len(scores) + 1) * coverage - 1e-9)  # 0.9 · 20 is above 18 in floats
    return float(scores[rank - 1]) if rank <= len(scores) else math.inf


class AdaptiveSets:
    """Sets of labels whose coverage holds in the long run, whatever the stream does.

    Adaptive conformal inference. A label is in the set where its score 1 − p is at most q, the
    quantile of level 1 − α_t of the last scores. After the label has arrived,
    α_(t+1) = α_t + γ (α − err_t), with err_t = 1 where the set lacked it, and α = 1 − coverage:
    errors make the sets larger. A level of 0 or less gives all labels, of 1 or more none. For every
    sequence of rows whose labels are classes, drifting or chosen by an adversary, and all T,

        ``|Σ err_t/T − α|`` ≤ (max(α, 1 − α) + γ)/(T γ).

    Parameters
    ----------
    coverage : float in (0, 1), default=0.9
    gamma : float > 0, default=0.005
        How fast the level adapts.
    window : int ≥ 1, default=1000
        Number of last scores whose quantile is taken.

    Attributes
    ----------
    level : float
        α_t.
    rows, errors : int
        Rows so far, and those whose set lacked the label.
    labels : int
        Labels of all sets so far.

    Raises
    ------
    ValueError
        A parameter out of range.

    References
    ----------
    Gibbs and Candès, "Adaptive conformal inference under distribution shift", 2021, equation 2 and
    proposition 4.1.

    Examples
    --------
    >>> sets = AdaptiveSets(coverage=0.5, gamma=0.25, window=4)
    >>> for p, code in [([0.8, 0.2], 0), ([0.6, 0.4], 1), ([0.7, 0.3], 0)]:
    ...     print(sets.labels_of(np.array(p)), sets.add(np.array(p), code), sets.level)
    [ True  True] True 0.625
    [False False] False 0.5
    [ True False] True 0.625
    """

    def __init__(self, coverage: float = 0.9, *, gamma: float = 0.005, window: int = 1000) -> None:
        check_number(coverage, "coverage", 0, 1, open_low=True, open_high=True)
        check_number(gamma, "gamma", 0, open_low=True, open_high=True)
        check_number(window, "window", 1, integer=True)
        self.coverage, self.gamma, self.window = coverage, gamma, window
        self.level = self._alpha = 1.0 - coverage
        self.rows = self.errors = self.labels = 0
        self._last: deque[float] = deque()
        self._sorted: list[float] = []

    @property
    def quantile(self) -> float:
        """The largest score of a label in the set of the next row."""
        if self.level <= 0.0:
            return math.inf
        if self.level >= 1.0:
            return -math.inf
        rank = math.ceil((len(self._sorted) + 1) * (1.0 - self.level))
        return self._sorted[rank - 1] if rank <= len(self._sorted) else math.inf

    def labels_of(self, probabilities: Array) -> Array:
        """Return which labels are in the set of the next row, shape (K,).

        Parameters
        ----------
        probabilities : array of shape (K,)
            Of the labels, for this row.
        """
        return np.asarray(1.0 - probabilities <= self.quantile)

    def add(self, probabilities: Array, code: int) -> bool:
        """Take the next row with its label, and adapt; return whether its set has the label.

        Parameters
        ----------
        probabilities : array of shape (K,)
        code : int
            Index of the label; −1 for a label that is no class, which no set has.
        """
        labels = self.labels_of(probabilities)
        is_right = code >= 0 and bool(labels[code])
        self.rows += 1
        self.errors += not is_right
        self.labels += int(labels.sum())
        if is_right or self.level > 0.0:  # a label that is no class is in no set, however large
            self.level += self.gamma * (self._alpha - (not is_right))
        score = 1.0 - float(probabilities[code]) if code >= 0 else 1.0
        if len(self._last) == self.window:
            del self._sorted[bisect_left(self._sorted, self._last.popleft())]
        self._last.append(score)
        insort(self._sorted, score)
        return is_right
