"""Classification data sets of scikit-learn as streams: ``sklearn:NAME``."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import numpy as np

from rosenblatt.streams.core.batch import Batch
from rosenblatt.streams.core.stream import Stream


class SklearnStream(Stream):
    """Rows of a data set of scikit-learn, labelled with the names of the classes.

    Parameters
    ----------
    name : str
        ``sklearn:breast_cancer``, ``sklearn:digits``, ``sklearn:iris`` or ``sklearn:wine``.
    batch_bytes : int
        Maximum size of ``X`` of a batch.

    Examples
    --------
    >>> batch = next(iter(SklearnStream("sklearn:digits", 1 << 22)))
    >>> batch.X.shape, batch.y[:4].tolist()
    ((1797, 64), [0, 1, 2, 3])
    """

    def __init__(self, name: str, batch_bytes: int) -> None:
        super().__init__(name, "sklearn")
        data_set = name.partition(":")[2]
        bunch = getattr(importlib.import_module("sklearn.datasets"), f"load_{data_set}")()
        self.target = "target"
        self.feature_names = [str(feature) for feature in bunch.feature_names]
        self._X = np.ascontiguousarray(bunch.data, np.float64)
        self._y = np.asarray(bunch.target_names)[bunch.target]
        self._rows = max(1, batch_bytes // (8 * len(self.feature_names)))

    def __iter__(self) -> Iterator[Batch]:
        for start in range(0, len(self._y), self._rows):
            rows = slice(start, start + self._rows)
            yield Batch(self._X[rows], self._y[rows], start)
