"""Drift detection: an alarm when the error has risen, with a bound on the chance of a false alarm.

The errors before and after many split points are compared at once: the error has risen where the
interval of the later part lies above that of the earlier part.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.learning.evaluation.intervals import log_mixture
from rosenblatt.utils.arrays import Array, ArrayLike

__all__ = ["Alarm", "Drift"]

BLOCK = 32
"""Number of examples between two tests."""

_MAX_BUCKETS = 5  # buckets of one length: split points lie closer together the later they are
_MIXTURE_COST = 2.0  # lower bound on log(tilts), the price of the mixture in an interval
_BISECTIONS = 20  # halvings of the gap between two shares, in search of a common point


class Alarm(NamedTuple):
    """Rise of the error.

    Attributes
    ----------
    example : int
        Number of examples at the time of the alarm.
    since : int
        Most likely first example after the rise, counted from 1.
    before, after : float
        Share of errors before ``since``, and from there on.

    Examples
    --------
    >>> Drift().add([False] * 95 + [True] * 33)
    [Alarm(example=128, since=97, before=0.010416666666666666, after=1.0)]
    """

    example: int
    since: int
    before: float
    after: float


class Drift:
    """Detector of a rising error rate.

    Let p_i be the probability, given the past, that prediction i is wrong. An alarm states that the
    mean of p since some example is above the mean before it. With probability ``confidence`` *no*
    alarm is false, however long the detector runs and whatever the learner does:
    :func:`anytime_interval <rosenblatt.progressive.anytime_interval>` holds for all ends at once,
    one interval starts at every 32nd example, the j-th with error probability
    (1 − confidence)/(j (j + 1)), and these probabilities sum to 1 − confidence.

    Where the error has *fallen* in the same sense, the detector drops the earlier examples without
    an alarm, so that a learner that has improved is compared with its better self. After an alarm,
    too, only the examples since the rise count. Memory and time grow like log n.

    Parameters
    ----------
    confidence : float in (0, 1), default=0.99

    Attributes
    ----------
    examples : int
        Examples so far.

    Raises
    ------
    ValueError
        A confidence out of range.

    References
    ----------
    Howard, Ramdas, McAuliffe and Sekhon 2021 (the interval); Shekhar and Ramdas 2023 (intervals
    before and after a change); Bifet and Gavaldà 2007 (ADWIN: the buckets).

    Examples
    --------
    >>> drift = Drift()
    >>> drift.add([False] * 95 + [True] * 5)
    []
    >>> drift.add([False, True] * 50)
    [Alarm(example=128, since=97, before=0.010416666666666666, after=0.5625)]
    """

    def __init__(self, confidence: float = 0.99) -> None:
        if not 0.0 < confidence < 1.0:
            raise ValueError(f"confidence must lie between 0 and 1; got {confidence}.")
        self.confidence = confidence
        self.examples = 0
        self._partial_block: Array = np.zeros(0, bool)  # errors of the last, incomplete block
        self._first_block = 0  # number of the first block that is not dropped
        self._buckets: list[tuple[int, int]] = []  # (blocks, errors), oldest first

    def add(self, wrong: ArrayLike) -> list[Alarm]:
        """Add examples and test for drift.

        Parameters
        ----------
        wrong : array of shape (n,), bool
            Whether each prediction was wrong.

        Returns
        -------
        alarms : list of Alarm
            New alarms in order; usually empty.
        """
        new = np.concatenate([self._partial_block, np.asarray(wrong, bool)])
        full = len(new) // BLOCK * BLOCK
        self.examples += len(new) - len(self._partial_block)
        self._partial_block = new[full:]
        counts = new[:full].reshape(-1, BLOCK).sum(axis=1).tolist()
        return [alarm for errors in counts if (alarm := self._add_block(errors)) is not None]

    def snapshot(self) -> dict[str, object]:
        """Return the detector as JSON values, for :meth:`from_snapshot`."""
        return {
            "confidence": self.confidence,
            "examples": self.examples,
            "partial_block": self._partial_block.astype(int).tolist(),
            "first_block": self._first_block,
            "buckets": [list(bucket) for bucket in self._buckets],
        }

    @classmethod
    def from_snapshot(cls, values: dict[str, Any]) -> Drift:
        """Return a detector that continues where :meth:`snapshot` was taken.

        Parameters
        ----------
        values : dict
            Of :meth:`snapshot`.

        Examples
        --------
        >>> drift = Drift()
        >>> drift.add([False] * 95 + [True] * 5)
        []
        >>> Drift.from_snapshot(drift.snapshot()).add([False, True] * 50)
        [Alarm(example=128, since=97, before=0.010416666666666666, after=0.5625)]
        """
        drift = cls(values["confidence"])
        drift.examples, drift._first_block = values["examples"], values["first_block"]
        drift._partial_block = np.array(values["partial_block"], bool)
        drift._buckets = [(blocks, errors) for blocks, errors in values["buckets"]]
        return drift

    def _add_block(self, errors: int) -> Alarm | None:
        """Add a block of a given number of errors, and test."""
        self._buckets.append((1, errors))
        _merge_buckets(self._buckets)
        blocks, wrong = np.array(self._buckets).cumsum(axis=0).T
        if len(blocks) == 1:
            return None
        split = _likeliest_change(BLOCK * blocks, wrong)
        blocks_before, errors_before = int(blocks[split]), int(wrong[split])
        before = _Segment(self._first_block, blocks_before, errors_before)
        after = _Segment(
            self._first_block + blocks_before,
            int(blocks[-1]) - blocks_before,
            int(wrong[-1]) - errors_before,
        )
        if not self._differ(before, after):
            return None
        del self._buckets[: split + 1]
        self._first_block = after.first_block
        if after.share < before.share:
            return None
        end = after.first_block + after.blocks
        return Alarm(BLOCK * end, BLOCK * after.first_block + 1, before.share, after.share)

    def _differ(self, first: _Segment, second: _Segment) -> bool:
        """Return whether the intervals of two segments are disjoint."""
        alpha = 1.0 - self.confidence
        if not (first.may_exclude(second.share, alpha) and second.may_exclude(first.share, alpha)):
            return False
        lower, upper = (first, second) if first.share < second.share else (second, first)
        low, high = lower.share, upper.share
        for _ in range(_BISECTIONS):
            p = 0.5 * (low + high)
            above, below = lower.excludes(p, alpha), upper.excludes(p, alpha)
            if above == below:
                return above
            low, high = (low, p) if above else (p, high)
        return False


class _Segment(NamedTuple):
    """Consecutive blocks and their errors; ``first_block`` is the number of the first."""

    first_block: int
    blocks: int
    errors: int

    @property
    def share(self) -> float:
        return self.errors / (BLOCK * self.blocks)

    def threshold(self, alpha: float) -> float:
        """log(1/error probability) of the intervals that start at the first block."""
        j = self.first_block + 1.0
        return math.log(j * (j + 1.0) / alpha)

    def excludes(self, p: float, alpha: float) -> bool:
        """Return whether p lies outside the interval."""
        return log_mixture(self.errors, BLOCK * self.blocks, p) > self.threshold(alpha)

    def may_exclude(self, share: float, alpha: float) -> bool:
        """Return whether Chernoff's bound, narrower and cheaper than the interval, excludes it."""
        chernoff = BLOCK * self.blocks * _divergence(self.share, share)
        return chernoff > self.threshold(alpha) + _MIXTURE_COST


def _divergence(p: float, q: float) -> float:
    """Kullback-Leibler divergence of two Bernoulli distributions."""
    if q in (0.0, 1.0):
        return 0.0 if p == q else math.inf
    ones = p * math.log(p / q) if p > 0.0 else 0.0
    return ones + ((1.0 - p) * math.log((1.0 - p) / (1.0 - q)) if p < 1.0 else 0.0)


def _likeliest_change(n: Array, errors: Array) -> int:
    """Bucket whose end is the most likely change point of the error rate.

    Parameters
    ----------
    n, errors : ndarray of shape (m,), m ≥ 2
        Examples and errors up to the end of each bucket.

    Examples
    --------
    >>> _likeliest_change(np.array([100, 200, 300, 400]), np.array([5, 10, 40, 70]))
    1
    """
    counts = np.array([errors, n - errors, n])
    before = counts[:, :-1]
    wrong, right, total = _times_log(before) + _times_log(counts[:, -1:] - before)
    return int((wrong + right - total).argmax())


def _times_log(counts: Array) -> Array:
    """X log x of counts, 0 of 0."""
    return counts * np.log(np.maximum(counts, 1))


def _merge_buckets(buckets: list[tuple[int, int]]) -> None:
    """Merge the two oldest of too many buckets of one length, then of the next length, and so on.

    Examples
    --------
    >>> buckets = [(2, 1), (1, 0), (1, 1), (1, 0), (1, 0), (1, 0), (1, 1)]
    >>> _merge_buckets(buckets)
    >>> buckets
    [(2, 1), (2, 1), (1, 0), (1, 0), (1, 0), (1, 1)]
    """
    end = len(buckets)
    while end > _MAX_BUCKETS and buckets[end - 1][0] == buckets[end - 1 - _MAX_BUCKETS][0]:
        first = end - 1 - _MAX_BUCKETS
        length, errors = buckets[first]
        buckets[first : first + 2] = [(2 * length, errors + buckets[first + 1][1])]
        end = first + 1
