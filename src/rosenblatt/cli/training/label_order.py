"""Order of the labels of a run: whether the rows are sorted by label."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class LabelOrder:
    """Count of the rows whose label differs from that of the row before.

    Parameters
    ----------
    changes : int, default=0
        The count of an earlier run.

    Examples
    --------
    >>> order = LabelOrder()
    >>> for _ in range(2):
    ...     order.add(np.repeat(["ham", "spam"], [30, 20]))
    >>> order.changes, order.is_sorted(100, 2)
    (3, True)
    """

    def __init__(self, changes: int = 0) -> None:
        self.changes = changes
        self._last: Any = None

    def add(self, y: NDArray[Any]) -> None:
        """Add the labels of the next rows, at least one."""
        follows = self._last is not None and y[0] != self._last
        self.changes += int(np.count_nonzero(y[1:] != y[:-1]) + follows)
        self._last = y[-1]

    def is_sorted(self, examples: int, classes: int) -> bool:
        """Return whether rows of equal label are consecutive, as in a sorted file."""
        return examples >= 20 * classes and self.changes < 2 * classes
