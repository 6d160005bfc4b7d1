"""Data sets of scikit-learn: ``sklearn:NAME``."""

from __future__ import annotations

from rosenblatt.streams.core.format import Format, late

PREFIX = "sklearn:"
DATASETS = ("breast_cancer", "digits", "iris", "wine")
"""The data sets of numbers with classes that come with scikit-learn."""


FORMATS = (
    Format(
        name="sklearn",
        title="a data set of scikit-learn",
        contents="the data sets that scikit-learn ships",
        page="sources",
        options=("interactions",),
        rank=80,
        open_file=late("formats.sklearn_sets", "SklearnStream"),
        prefix=PREFIX,
    ),
)
