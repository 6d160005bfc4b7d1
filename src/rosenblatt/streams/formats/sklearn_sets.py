"""Classification data sets of scikit-learn as streams: ``sklearn:NAME``."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import numpy as np

from rosenblatt.streams.core.batch import Batch
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.io.files import NamedFile
from rosenblatt.streams.registry.sklearn_sets import DATASETS, PREFIX


class SklearnStream(Stream):
    """Rows of a data set of scikit-learn, labelled with the names of the classes.

    Parameters
    ----------
    file : NamedFile
        ``sklearn:breast_cancer``, ``sklearn:digits``, ``sklearn:iris`` or ``sklearn:wine``. ``X``
        of a batch has at most ``batch_bytes`` of its options.

    Raises
    ------
    DataError
        The data set is unknown.

    Examples
    --------
    >>> from rosenblatt.streams.core.options import ReadOptions
    >>> file = NamedFile("sklearn", "sklearn:digits", ReadOptions())
    >>> batch = next(iter(SklearnStream(file)))
    >>> batch.X.shape, batch.y[:4].tolist()
    ((1797, 64), [0, 1, 2, 3])
    """

    def __init__(self, file: NamedFile) -> None:
        super().__init__(file.name, file.format)
        data_set = file.name.removeprefix(PREFIX)
        if data_set not in DATASETS:
            choices = ", ".join(PREFIX + one for one in DATASETS)
            raise DataError(file.name, f"no such data set; there are {choices}.")
        bunch = getattr(importlib.import_module("sklearn.datasets"), f"load_{data_set}")()
        self.target = "target"
        self.feature_names = [str(feature) for feature in bunch.feature_names]
        self._X = np.ascontiguousarray(bunch.data, np.float64)
        self._y = np.asarray(bunch.target_names)[bunch.target]
        self._rows = max(1, file.options.batch_bytes // (8 * len(self.feature_names)))

    def __iter__(self) -> Iterator[Batch]:
        for start in range(0, len(self._y), self._rows):
            rows = slice(start, start + self._rows)
            yield Batch(self._X[rows], self._y[rows], start)
