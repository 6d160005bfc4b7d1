"""Rows that are held out: a random share of each class."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator

import numpy as np

from rosenblatt.streams.core.batch import Batch, take_rows
from rosenblatt.utils.arrays import Array, NDArray


class StratifiedChoice:
    """A random choice of a share of the rows of each class, in one pass.

    The rows of a class are taken in blocks of ⌈1/share⌉. Of the first k rows, whole blocks,
    ⌊k·share + φ⌋ are chosen; φ is random in [0, 1), and so are the places in a block. Every other
    class has the phase 1 − φ, so that the parts that two classes round cancel. The choice depends
    on the seed and on the labels up to a row, not on the batches.

    Parameters
    ----------
    share : float in (0, 1)
    seed : int

    Examples
    --------
    >>> choice = StratifiedChoice(0.25, 0)
    >>> y = np.repeat(["rare", "often"], [40, 400])
    >>> [int(np.count_nonzero(y[choice(y)] == label)) for label in ("rare", "often")]
    [10, 100]
    """

    def __init__(self, share: float, seed: int) -> None:
        self.share, self.seed = share, seed
        self._phase = np.random.default_rng(seed).random()
        self._classes: dict[object, Iterator[bool]] = {}

    def __call__(self, y: Array) -> NDArray[np.bool_]:
        """Return a mask of the chosen rows among the next ones."""
        labels, codes = np.unique(y, return_inverse=True)
        chosen = np.zeros(len(y), bool)
        for code in codes[np.sort(np.unique(codes, return_index=True)[1])]:
            (rows,) = np.nonzero(codes == code)
            label = labels[code : code + 1].tolist()[0]
            decisions = self._classes.setdefault(label, self._decide(len(self._classes)))
            chosen[rows] = list(itertools.islice(decisions, len(rows)))
        return chosen

    def _decide(self, number: int) -> Iterator[bool]:
        """Yield for each row of a class whether it is chosen."""
        rng = np.random.default_rng([self.seed, number])
        phase = self._phase if number % 2 == 0 else 1.0 - self._phase
        size = math.ceil(1.0 / self.share)
        before = 0
        for block in itertools.count(1):
            after = math.floor(block * size * self.share + phase)
            chosen = {*np.flatnonzero(rng.permutation(size) < after - before).tolist()}
            yield from (i in chosen for i in range(size))
            before = after


class LearnedRows:
    """Rows of a stream without a random share, which stays in memory: the same in every pass.

    Parameters
    ----------
    stream : iterable of batches
    share : float in (0, 1)
    seed : int

    Attributes
    ----------
    held_out : list of Batch
        The rows that the latest pass has left out.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> rows = LearnedRows(open_stream("sklearn:wine"), 0.25, seed=0)
    >>> sum(len(batch.y) for batch in rows), sum(len(batch.y) for batch in rows.held_out)
    (135, 43)
    """

    def __init__(self, stream: Iterable[Batch], share: float, seed: int) -> None:
        self.stream, self.share, self.seed = stream, share, seed
        self.held_out: list[Batch] = []

    def __iter__(self) -> Iterator[Batch]:
        choose, self.held_out = StratifiedChoice(self.share, self.seed), []
        for batch in self.stream:
            chosen = choose(batch.y)
            first_row = batch.first_row
            self.held_out.append(take_rows(batch, np.flatnonzero(chosen), first_row))
            yield take_rows(batch, np.flatnonzero(~chosen), first_row)
