"""Several passes over a stream with the rule without a choice: which rows are held back."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.learning import interface
from rosenblatt.learning.linear.passes import TENTH, StreamPass
from rosenblatt.streams.core.batch import Batch
from rosenblatt.streams.core.digests import row_digests
from rosenblatt.utils.arrays import Array

_MIX = (30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)  # of splitmix64: each bit changes half


class Repeated:
    """Passes of a model over the rows of a stream.

    A row that was learned is predicted too well in each later pass, so that the blend of the rule
    "auto" would trust it too much. A tenth of the rows is held back for it: the learners get them
    in the last pass alone. A digest of the row chooses, so that equal rows are held back together,
    in whatever order they come and wherever batches begin. Other rules learn all rows alike.

    Parameters
    ----------
    model : classifier
    epochs : int ≥ 1
        Passes that are planned.

    Examples
    --------
    >>> from rosenblatt import Perceptron, streams
    >>> iris = next(iter(streams.open_stream("sklearn:iris")))
    >>> Repeated(Perceptron(), 3).stream_pass(iris, epoch=1) is None
    True
    >>> first = Repeated(Perceptron(rule="auto"), 3).stream_pass(iris, epoch=1)
    >>> first.first, first.last, int(first.held_back.sum())
    (True, False, 23)
    """

    def __init__(self, model: object, epochs: int) -> None:
        self.epochs = epochs
        self._holds_back = epochs > 1 and interface.is_blended(model)

    def stream_pass(self, batch: Any, epoch: int) -> StreamPass | None:
        """Return how the rows of a batch are learned in an epoch; None for all alike."""
        if not self._holds_back:
            return None
        return StreamPass(held_back(batch), epoch == 1, epoch == self.epochs)


def held_back(batch: Batch) -> Array:
    """Return which rows of a batch are held back, by their values."""
    entries, columns, values = row_digests(batch)[:, 1:].astype(np.uint64).T
    digest = _mixed(_mixed(values) + _mixed(columns) + entries)
    return np.asarray(digest % np.uint64(TENTH) == 0)


def _mixed(numbers: Any) -> Any:
    """Return numbers that tell others apart in each of their bits."""
    for shift, factor in _MIX:
        numbers = (numbers ^ (numbers >> np.uint64(shift))) * np.uint64(factor)
    return numbers ^ (numbers >> np.uint64(31))
