"""Data sets of scikit-learn: ``sklearn:NAME``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt.streams.core.format import Format

if TYPE_CHECKING:
    from rosenblatt.streams.core.stream import Stream
    from rosenblatt.streams.io.asked import NamedFile

PREFIX = "sklearn:"
DATASETS = ("breast_cancer", "digits", "iris", "wine")
"""The data sets of numbers with classes that come with scikit-learn."""


def open_file(file: NamedFile) -> Stream:
    """Return the rows of a data set.

    Raises
    ------
    DataError
        The data set is unknown.
    """
    if file.name.removeprefix(PREFIX) not in DATASETS:
        from rosenblatt.streams.core.errors import DataError

        choices = ", ".join(PREFIX + one for one in DATASETS)
        raise DataError(file.name, f"no such data set; there are {choices}.")
    from rosenblatt.streams.formats.sklearn_sets import SklearnStream

    return SklearnStream(file.name, file.options.batch_bytes)


FORMATS = (
    Format(
        name="sklearn",
        title="a data set of scikit-learn",
        contents="the data sets that scikit-learn ships",
        page="sources",
        options=("interactions",),
        rank=80,
        open_file=open_file,
        prefix=PREFIX,
    ),
)
