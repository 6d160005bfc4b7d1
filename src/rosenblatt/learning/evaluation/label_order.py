"""Order of the labels of a stream: how often the label of the row before is wrong for the next."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.utils.arrays import NDArray


class LabelOrder:
    """Count of the rows whose label differs from the latest one that has arrived before them.

    The no-change predictor repeats that label: the baseline of streams whose labels come in runs,
    such as prices that rise and fall (Žliobaitė, Bifet, Read, Pfahringer and Holmes 2015).

    Parameters
    ----------
    changes : int, default=0
        The count of an earlier run.
    lag : int ≥ 1, default=1
        The latest label at a row is that of so many rows before.

    Attributes
    ----------
    changes : int

    Examples
    --------
    >>> order = LabelOrder()
    >>> for _ in range(2):
    ...     order.add(np.repeat(["ham", "spam"], [30, 20]))
    >>> order.changes, order.is_sorted(100, 2), order.errors(100)
    (3, True, 4)
    """

    def __init__(self, changes: int = 0, lag: int = 1) -> None:
        self.changes, self.lag = changes, lag
        self._latest: list[Any] = []  # at most ``lag`` labels

    def add(self, y: NDArray[Any]) -> None:
        """Add the labels of the next rows."""
        first = self.lag - len(self._latest)  # the row that the oldest of the latest labels is for
        pairs = zip(self._latest, y[first : self.lag].tolist(), strict=False)
        self.changes += sum(label != latest for latest, label in pairs)
        self.changes += int(np.count_nonzero(y[self.lag :] != y[: -self.lag]))
        self._latest = [*self._latest, *y[-self.lag :].tolist()][-self.lag :]

    def errors(self, examples: int) -> int:
        """Return the errors of the no-change predictor; a row without any label before is one."""
        return self.changes + min(self.lag, examples)

    def is_sorted(self, examples: int, classes: int) -> bool:
        """Return whether rows of equal label are consecutive, as in a sorted file; for lag 1."""
        return examples >= 20 * classes and self.changes < 2 * classes
