"""Counters and histograms as Prometheus knows them: a number goes up, and a scrape writes it.

They belong to the thread of the loop, and need no lock.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

Samples = Iterable[tuple[str, float | None]]
"""What stands behind a metric's name, {part="log"} or nothing, and a value; None: no sample."""


def lines(name: str, kind: str, text: str, samples: Samples) -> list[str]:
    """Return the lines of a metric in Prometheus' format; its head, too, if it has no sample.

    Examples
    --------
    >>> print("".join(lines("bytes", "gauge", "A size.", [('{of="a"}', 2.0), ("", None)])), end="")
    # HELP bytes A size.
    # TYPE bytes gauge
    bytes{of="a"} 2.0
    """
    head = f"# HELP {name} {text}\n# TYPE {name} {kind}\n"
    return [head, *[f"{name}{of} {x!r}\n" for of, x in samples if x is not None]]


class Counter:
    """A number that goes up.

    Parameters
    ----------
    name : str
        Its end is ``_total``.
    text : str
        What is counted.
    """

    kind = "counter"

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text, self.value = name, text, 0.0

    def inc(self, amount: float = 1.0) -> None:
        """Add an amount."""
        self.value += amount

    def samples(self, label: str = "") -> Samples:
        """Return the number; ``label`` is as in ``status="404"``."""
        return [(f"{{{label}}}" if label else "", self.value)]


class Histogram:
    """Numbers in bins.

    Parameters
    ----------
    name, text : str
    bounds : sequence of float
        Upper ends of the bins, which are in them; one bin more has what is above.

    Attributes
    ----------
    counts : list of int
        Of each bin.
    sum : float

    Examples
    --------
    >>> histogram = Histogram("sizes", "Sizes.", (1, 2))
    >>> for size in (1, 2, 3):
    ...     histogram.observe(size)
    >>> histogram.up_to(), histogram.sum
    ([1, 2, 3], 6.0)
    """

    kind = "histogram"

    def __init__(self, name: str, text: str, bounds: Sequence[float]) -> None:
        self.name, self.text, self.bounds = name, text, bounds
        self.counts, self.sum = [0] * (len(bounds) + 1), 0.0
        self._ends = [*(repr(float(bound)) for bound in bounds), "+Inf"]

    def observe(self, value: float) -> None:
        """Count a number."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    def up_to(self) -> list[int]:
        """Return how many numbers are at most as large as each bound; the last has all."""
        total, totals = 0, []
        for count in self.counts:
            total += count
            totals.append(total)
        return totals

    def samples(self, label: str = "") -> Samples:
        """Return the bins, as Prometheus adds them up, and the totals."""
        totals, more = self.up_to(), f"{label}," if label else ""
        yield from (
            (f'_bucket{{{more}le="{end}"}}', total)
            for end, total in zip(self._ends, totals, strict=True)
        )
        of = f"{{{label}}}" if label else ""
        yield f"_count{of}", totals[-1]
        yield f"_sum{of}", self.sum


M = TypeVar("M", Counter, Histogram)


class ByLabel(Generic[M]):
    """A counter or histogram for each value of a label.

    Parameters
    ----------
    label : str
    make : callable
        Makes a new one.

    Examples
    --------
    >>> refusals = ByLabel("status", lambda: Counter("refusals_total", "Refused."))
    >>> refusals.labels("404").inc()
    >>> list(refusals.samples())
    [('{status="404"}', 1.0)]
    """

    def __init__(self, label: str, make: Callable[[], M]) -> None:
        example = make()
        self.name, self.text, self.kind = example.name, example.text, example.kind
        self._label = label
        self._make: Callable[[], M] = make
        self._metrics: dict[str, M] = {}

    def labels(self, value: str) -> M:
        """Return that of a value of the label, which is one of few."""
        if value not in self._metrics:
            self._metrics[value] = self._make()
        return self._metrics[value]

    def samples(self) -> Samples:
        """Return the samples of all values."""
        for value, metric in self._metrics.items():
            yield from metric.samples(f'{self._label}="{value}"')
