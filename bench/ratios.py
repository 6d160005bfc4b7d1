"""Ratios of times: works run in turn until the intervals of their ratios are narrow."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from markdown import figure
from threadpoolctl import threadpool_limits

NARROW = 0.1  # of the ratio, on either side
LEAST, MOST = 5, 1000  # rounds
FEWEST = 3  # rounds of works that take longer than the limit
SPAN, LIMIT = 1.0, 15.0  # seconds: the machine's moods last longer than a few short rounds
RESAMPLES, LEVEL = 1000, 0.95

Times = dict[str, list[float]]  # seconds of each work, a round in the same place of every list


class Ratio(NamedTuple):
    """The median of the ratios of several rounds, and its interval of 95 %.

    A figure without an interval has three equal numbers.
    """

    median: float
    low: float
    high: float
    rounds: int = 1

    def __str__(self) -> str:
        """Return the ratio as people read it.

        >>> print(Ratio(4.41, 4.2, 4.63, 7))
        4.4 × (4.2 to 4.6)
        >>> print(exactly(0.734))
        0.73 ×
        """
        if self.low == self.high:
            return f"{figure(self.median)} ×"
        return f"{figure(self.median)} × ({figure(self.low)} to {figure(self.high)})"

    @property
    def is_narrow(self) -> bool:
        """Return True if both ends are near the median."""
        return max(self.high - self.median, self.median - self.low) <= NARROW * self.median


class Finding(NamedTuple):
    """A line of the summary: the ratio of the peer's time to ours, wanted and measured.

    With ``at_most`` it is the ratio of our time to that of a yardstick, wanted to be small.
    """

    work: str
    peer: str
    ratio: Ratio
    wanted: float | None = None
    at_most: bool = False
    accuracy: tuple[float, float] | None = None  # ours and the peer's, from 0 to 1
    remark: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Return what is the same in every run."""
        return self.work, self.peer

    @property
    def quoted(self) -> float:
        """Return the end of the interval that flatters us less."""
        return self.ratio.high if self.at_most else self.ratio.low

    @property
    def is_behind(self) -> bool:
        """Return True if the peer may be faster."""
        return not self.at_most and self.quoted < 1.0

    @property
    def is_less_accurate(self) -> bool:
        """Return True if the peer's answers are better."""
        return self.accuracy is not None and self.accuracy[0] < self.accuracy[1]

    @property
    def is_reached(self) -> bool:
        """Return True if the whole interval is where it is wanted, at no loss of accuracy."""
        if self.wanted is None or self.is_less_accurate:
            return False
        return self.quoted <= self.wanted if self.at_most else self.quoted >= self.wanted


def exactly(value: float) -> Ratio:
    """Return a ratio that needs no interval, or has none."""
    return Ratio(value, value, value)


def ratio(numerators: Sequence[float], denominators: Sequence[float]) -> Ratio:
    """Return the median of the ratios of the rounds, and its bootstrap interval."""
    rounds = np.divide(numerators, denominators)
    drawn = np.random.default_rng(0).integers(len(rounds), size=(RESAMPLES, len(rounds)))
    tail = (1.0 - LEVEL) / 2
    low, high = np.quantile(np.median(rounds[drawn], axis=1), (tail, 1.0 - tail))
    return Ratio(float(np.median(rounds)), float(low), float(high), len(rounds))


def middle(ratios: Iterable[Ratio]) -> Ratio:
    """Return the median over several works: of the ratios, and of both ends of the intervals."""
    medians, lows, highs, rounds = zip(*ratios, strict=True)
    return Ratio(*map(statistics.median, (medians, lows, highs)), rounds=min(rounds))


def faster(
    work: str, peer: str, theirs: str, ours: str, wanted: float | None = None
) -> Callable[[Times], list[Finding]]:
    """Return the line of one peer, as a function of the times of both."""
    return lambda times: [Finding(work, peer, ratio(times[theirs], times[ours]), wanted)]


def seconds(work: Callable[[], object]) -> float:
    """Return the wall seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def medians(times: Times) -> dict[str, float]:
    return {name: statistics.median(rounds) for name, rounds in times.items()}


def alternate(
    works: Mapping[str, Callable[[], object]],
    lines: Callable[[Times], list[Finding]],
    *,
    limit: float = LIMIT,
    clock: Callable[[Callable[[], object]], float] = seconds,
    warm_up: bool = True,
) -> tuple[Times, list[Finding]]:
    """Run works in turn until all ``lines`` of their times are narrow, or for ``limit`` seconds.

    In turn, so that the machine's moods hit all alike. The library of linear algebra has one
    thread meanwhile: its others wait busily, for 4 ms of the next work, whosever it is.
    """
    times: Times = {name: [] for name in works}
    look = LEAST  # at the intervals, after so many rounds
    with threadpool_limits(1, user_api="blas"):
        for work in works.values() if warm_up else ():
            work()  # loaded, cached, paged in
        start = time.perf_counter()
        for count in range(1, MOST + 1):
            for name, work in works.items():
                times[name].append(clock(work))
            passed = time.perf_counter() - start
            if count >= FEWEST and passed > limit:
                break
            if count >= look and passed > SPAN:
                if all(line.ratio.is_narrow for line in lines(times)):
                    break
                look = math.ceil(1.2 * count)
    return times, lines(times)
