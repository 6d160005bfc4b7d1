"""Rows that are held out: a random share of each class; and the errors on them."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.learning.evaluation.intervals import wilson_interval
from rosenblatt.learning.tuning.result import NothingToRankError
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


class RowChoice(NamedTuple):
    """The rows that are held out of a part of the data, or those that are left.

    Attributes
    ----------
    share : float in (0, 1)
    seed : int
    held_out : bool

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> rows, choice = list(open_stream("sklearn:wine")), RowChoice(0.25, 0, held_out=True)
    >>> [len(batch.y) for batch in choice.of(rows)]
    [43]
    >>> [len(batch.y) for batch in choice._replace(held_out=False).of(rows)]
    [135]
    """

    share: float
    seed: int
    held_out: bool

    def of(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """Yield the chosen rows of a pass over the part."""
        choose = StratifiedChoice(self.share, self.seed)
        for batch in batches:
            chosen = choose(batch.y)
            yield take_rows(batch, chosen if self.held_out else ~chosen, batch.first_row)


class HeldOutErrors:
    """Errors of a model on held-out rows after each epoch, and the model of the best one.

    Parameters
    ----------
    patience : int or None
        Epochs without progress after which to stop; None: never.
    errors : list of int, default=()
        Errors of the epochs of an earlier run.

    Attributes
    ----------
    rows : int
        Number of held-out rows.
    errors : list of int
    best : classifier or None
        The model after the best epoch, with a patience.

    Examples
    --------
    >>> held_out = HeldOutErrors(patience=2)
    >>> for epoch, errors in enumerate([5, 3, 4, 3], 1):
    ...     held_out.add(f"model {epoch}", epoch, errors)
    >>> held_out.best, held_out.best_epoch, held_out.should_stop
    ('model 2', 2, True)
    """

    rows = 0

    def __init__(self, patience: int | None, errors: Iterable[int] = ()) -> None:
        self.patience, self.errors = patience, list(errors)
        self.best: Any = None

    def end_epoch(self, model: object, epoch: int) -> None:
        """Count the errors of the model after an epoch, and :meth:`add` them."""
        raise NotImplementedError

    def add(self, model: object, epoch: int, errors: int) -> None:
        """Note the errors of the model after an epoch."""
        del self.errors[epoch - 1 :]
        if self.patience is not None and errors < min(self.errors, default=errors + 1):
            self.best = copy.deepcopy(model)
        self.errors.append(errors)

    @property
    def best_epoch(self) -> int:
        """The first epoch with the fewest errors."""
        return self.errors.index(min(self.errors)) + 1

    @property
    def should_stop(self) -> bool:
        """True if the error has not decreased for ``patience`` epochs."""
        if self.patience is None or not self.errors:  # one class so far: nothing to measure
            return False
        return len(self.errors) - self.best_epoch >= self.patience

    def record(self) -> dict[str, object] | None:
        """Return the object of ``--json``: the best epoch with early stopping, else the last."""
        if not (self.errors and self.rows):
            return None
        epoch = len(self.errors) if self.patience is None else self.best_epoch
        errors = self.errors[epoch - 1]
        return {
            "examples": self.rows,
            "errors": errors,
            "error": errors / self.rows,
            "interval": list(wilson_interval(errors, self.rows)),
            "pass": epoch,
        }


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

    Raises
    ------
    NothingToRankError
        When iterating, at the end: there were rows, and none is left.

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
        is_any_left = False
        for batch in self.stream:
            chosen = choose(batch.y)
            first_row = batch.first_row
            if chosen.any():  # a batch may be a file of one row
                self.held_out.append(take_rows(batch, np.flatnonzero(chosen), first_row))
            if not chosen.all():
                is_any_left = True
                yield take_rows(batch, np.flatnonzero(~chosen), first_row)
        if self.held_out and not is_any_left:
            raise NothingToRankError("too few rows for several epochs: none is left to learn.")
