"""Reports on shards: what each had and did in an epoch, and which differ more than by chance."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.cluster.sources import FileShard
from rosenblatt.learning.evaluation.intervals import anytime_interval
from rosenblatt.learning.linear.shards import ShardRows
from rosenblatt.streams.io.paths import ByteRange, address_of
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.words import count

SMALL_DISTANCE = 0.1
"""Total variation between the classes of a shard and of all rows that is not warned of, since it
costs little (docs/scale.md)."""

FALSE_ALARMS = 1e-3
"""Most fits of rows in random order that are warned of their classes, for each of the two tests."""

LARGE_SHARD = 2.0
"""Rows of the largest shard in units of the median, above which the others wait for it."""


class ShardReport(NamedTuple):
    """What a shard had and did in an epoch.

    Attributes
    ----------
    rows : int
    classes : ndarray of int64
        Number of rows of each class.
    updates : int
    seconds : float
        Of reading and learning.
    nbytes : int
        Bytes of its parts of files, or of rows that workers keep in memory.
    """

    rows: int
    classes: Array
    updates: int
    seconds: float
    nbytes: int


class ShardsDifferWarning(UserWarning):
    """A warning of shards that differ.

    Attributes
    ----------
    problem : str
        What differs, without advice.
    interleaved : bool
        Whether the rows were dealt to the shards in turn.
    """

    def __init__(self, problem: str, interleaved: bool) -> None:
        super().__init__(problem, interleaved)
        self.problem, self.interleaved = problem, interleaved

    def __str__(self) -> str:
        advice = "interleave=True deals the rows to the shards in turn."
        if self.interleaved:
            advice = (
                "the pieces that were dealt differ, too. Shuffle the rows, or give fewer shards."
            )
        return f"{self.problem} That costs accuracy or time: {advice}"


class Reporter:
    """Counter of the rows of a shard while they are learned.

    Parameters
    ----------
    classes : int
    rows : object
        The shard, see :mod:`rosenblatt.cluster.tasks`.
    """

    def __init__(self, classes: int, rows: object) -> None:
        self.started = time.perf_counter()
        self.file = rows if isinstance(rows, FileShard) else None
        self.nbytes = 0
        self.classes: Array = np.zeros(classes, np.int64)

    def counted(self, parts: Iterable[ShardRows]) -> Iterator[ShardRows]:
        """Yield rows, and count them."""
        K = len(self.classes)
        for part in parts:
            codes = part.y > 0 if K == 2 else part.y  # two classes are -1 and 1
            self.classes += np.bincount(codes.astype(np.int64), minlength=K)
            if self.file is None:
                self.nbytes += sum(array.nbytes for array in (*part.rows, part.y, part.weight))
            yield part

    def report(self, updates: int) -> ShardReport:
        """Return the report of a shard that has been learned."""
        seconds = time.perf_counter() - self.started
        nbytes = self.nbytes if self.file is None else _bytes_of(self.file)
        return ShardReport(int(self.classes.sum()), self.classes, updates, seconds, nbytes)


def _bytes_of(shard: FileShard) -> int:
    """Return the bytes of the parts of files; of row groups as they lie in the file."""
    parts = [address_of(name) for name in shard.names]
    if all(one.part is None for one in parts):
        return shard.size
    options, versions = shard.options, shard.options.versions or {}
    groups: dict[str, list[int]] = {}
    total = 0
    for path, part, *_ in parts:
        if isinstance(part, ByteRange):
            total += part.stop - part.start
            continue
        size = (versions[path].size or 0) if path in versions else os.path.getsize(path)
        if part is not None:
            from rosenblatt.streams.arrow.files import group_sizes

            if path not in groups:
                groups[path] = group_sizes(path, str(options.format), options.access)
            size = size * sum(groups[path][part.start : part.stop]) // sum(groups[path])
        total += size
    return total


def epoch_line(row: tuple[Any, ...], rows: int, workers: int) -> str:
    """Return the line of an epoch, for people.

    The interval is that of the first epoch only: later the rows were learned before.

    Parameters
    ----------
    row : tuple
        A row of :data:`rosenblatt.learning.problem.HISTORY`.
    rows : int
        Learned in the epoch.
    workers : int

    Examples
    --------
    >>> epoch_line((1, 50, 50, 50, 0.1, 2.0, 0.25), 1000, 2)
    'epoch 1: error 5.0 % (95 % interval 2.9–7.8 %) of 1,000 rows, 50 updates, 0.25 s, 2 workers'
    """
    epoch, _, updates, errors, _, _, seconds = row
    interval = ""
    if epoch == 1:
        low, high = anytime_interval(errors, rows)
        interval = f" (95 % interval {100 * low:.1f}–{100 * high:.1f} %)"
    return (
        f"epoch {epoch:,}: error {100 * errors / max(rows, 1):.1f} %{interval} of "
        f"{count(rows, 'row')}, {count(updates, 'update')}, {seconds:.2f} s, "
        f"{count(workers, 'worker')}"
    )


def table(names: Sequence[str], epochs: Sequence[Sequence[ShardReport]]) -> Array:
    """Return the reports of several epochs as a structured array, a row for each shard.

    Rows, classes and bytes are those of the last epoch, updates and seconds of all.
    """
    last = epochs[-1] if epochs else []
    columns: list[Any] = [("shard", object), ("rows", np.int64), ("updates", np.int64)]
    columns += [("seconds", np.float64), ("bytes", np.int64)]
    columns += [("classes", np.int64, (len(last[0].classes) if last else 0,))]
    rows = []
    for name, *reports in zip(names[: len(last)], *epochs, strict=True):
        updates = sum(one.updates for one in reports)
        seconds = sum(one.seconds for one in reports)
        one = reports[-1]
        rows.append((name, one.rows, updates, seconds, one.nbytes, one.classes))
    return np.array(rows, dtype=columns)


def differences(names: Sequence[str], reports: Sequence[ShardReport]) -> str | None:
    r"""Return how shards differ more than rows in random order would; None if they do not.

    A shard of n rows differs in its classes

    - if it lacks a class with share p of all rows, and n p > ln(S K/δ): by chance that has
      probability (1 − p)ⁿ ≤ exp(−n p) ≤ δ/(S K);
    - if the total variation between its shares and those of all rows is more than
      :data:`SMALL_DISTANCE` and ½ √((K − 1)/n) + √(ln(S/δ)/(2 n)): of n random rows the first term
      bounds the mean, and the second what is added with probability at most δ/S (McDiarmid 1989),

    with S shards, K classes and δ = :data:`FALSE_ALARMS`. Sizes differ if the largest shard has
    more than :data:`LARGE_SHARD` times the rows of the median.

    Examples
    --------
    >>> reports = [ShardReport(100, np.array(one), 9, 0.1, 800) for one in ([99, 1], [40, 60])]
    >>> differences(["a.svm", "b.svm"], reports)
    'the classes of 2 of 2 shards differ more than by chance, most in a.svm (by 30 % of its rows).'
    """
    pairs = [(name, one) for name, one in zip(names, reports, strict=True) if one.rows]
    if len(pairs) < 2:
        return None
    problems = []
    counts = np.array([one.classes for _, one in pairs])
    n, (S, K) = counts.sum(axis=1), counts.shape
    shares = counts.sum(axis=0) / n.sum()
    lacks = ((counts == 0) & (np.outer(n, shares) > math.log(S * K / FALSE_ALARMS))).any(axis=1)
    distances = 0.5 * np.abs(counts / n[:, None] - shares).sum(axis=1)
    chance = 0.5 * np.sqrt((K - 1) / n) + np.sqrt(math.log(S / FALSE_ALARMS) / (2 * n))
    differ = lacks | (distances > np.maximum(chance, SMALL_DISTANCE))
    if differ.any():
        worst = int(np.argmax(np.where(differ, distances, -1.0)))
        problems.append(
            f"the classes of {differ.sum():,} of {count(S, 'shard')} differ more than by chance, "
            f"most in {pairs[worst][0]} (by {100 * distances[worst]:.0f} % of its rows)"
        )
    if n.max() > LARGE_SHARD * np.median(n):
        problems.append(
            f"{pairs[int(n.argmax())][0]} has {n.max():,} rows, and the median shard "
            f"{int(np.median(n)):,}"
        )
    return f"{'; '.join(problems)}." if problems else None
