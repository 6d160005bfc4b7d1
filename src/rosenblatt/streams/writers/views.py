"""Views of a stream for writers: labels as numbers, and sparse rows as dense ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.streams.core.batch import Batch, take_rows, with_width
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.stream import Stream
from rosenblatt.utils.arrays import NDArray

MAX_COLUMNS = 10_000
"""Limit of the columns of sparse rows that are written as a table."""

_DENSE_CELLS = 1 << 19  # of a dense batch: 4 MiB


class _View(Stream):
    """Rows of another stream, changed batch by batch."""

    def __init__(self, stream: Stream, **changes: Any) -> None:
        info = replace(stream.info, **changes)
        super().__init__(stream.name, stream.format, info=info)
        self._stream = stream

    @property
    def bad_rows(self) -> int:
        """Number of skipped rows of the stream below."""
        return self._stream.bad_rows


class NumberedStream(_View):
    """Rows whose labels are replaced by numbers: −1 and 1 for two labels, 1 to K for more.

    Parameters
    ----------
    stream : Stream
    labels : sequence of str
        All labels, in the order of their numbers. Labels that are numbers are equal if their values
        are.

    Raises
    ------
    ValueError
        There are fewer than two labels, or one occurs twice.
    DataError
        When iterating: a row has another label.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> stream = NumberedStream(
    ...     open_stream("sklearn:iris"), ["setosa", "versicolor", "virginica"]
    ... )
    >>> np.unique(stream.read()[1]).tolist()
    [1, 2, 3]
    """

    def __init__(self, stream: Stream, labels: Sequence[str]) -> None:
        super().__init__(stream)
        self._numbers: dict[Any, int] = number_labels(labels)

    def __iter__(self) -> Iterator[Batch]:
        for batch in self._stream:
            self.index_base = self._stream.index_base
            self.feature_names = self._stream.feature_names
            yield batch.replace(y=self._numbered(batch))

    def _numbered(self, batch: Batch) -> NDArray[np.int64]:
        labels, codes = np.unique(batch.y, return_inverse=True)
        numbers = [self._number(label) for label in labels.tolist()]
        if None in numbers:
            code = numbers.index(None)
            row = batch.first_row + int(np.argmax(codes == code))
            problem = f"found the label {str(labels[code])!r}, which --labels does not name"
            raise DataError(
                self.name,
                f"row {row:,} (from 0): {problem}: it names {','.join(self._numbers)}.",
            )
        return np.array(numbers, np.int64)[codes]

    def _number(self, label: Any) -> int | None:
        if isinstance(label, str):
            return self._numbers.get(label)
        return next((n for word, n in self._numbers.items() if _value(word) == label), None)


def number_labels(labels: Sequence[str]) -> dict[str, int]:
    """Return the number of each label: −1 and 1 for two, 1 to K for more.

    Raises
    ------
    ValueError
        There are fewer than two labels, or one occurs twice.

    Examples
    --------
    >>> number_labels(["ham", "spam"]), number_labels(["a", "b", "c"])
    ({'ham': -1, 'spam': 1}, {'a': 1, 'b': 2, 'c': 3})
    """
    if len(labels) < 2 or len(set(labels)) < len(labels):
        listed = ",".join(labels)
        raise ValueError(f"labels must be two or more distinct labels; got {listed!r}.")
    numbers = (-1, 1) if len(labels) == 2 else range(1, len(labels) + 1)
    return dict(zip(labels, numbers, strict=True))


def _value(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


class DenseStream(_View):
    r"""Sparse rows as dense ones, with a name for every column.

    The rows are read twice, as the columns are known after the last row. A column without a name is
    ``x`` and its index, which starts at ``index_base`` in svmlight text.

    Parameters
    ----------
    stream : Stream

    Raises
    ------
    DataError
        The columns are hashed, or number more than 10,000; or the stream cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt.streams import open_stream
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "two.svm")
    ...     _ = path.write_text("1 3:0.5\n-1 1:2\n")
    ...     stream = DenseStream(open_stream(path))
    ...     print(stream.feature_names, stream.read()[0].tolist())
    ['x1', 'x2', 'x3'] [[0.0, 0.0, 0.5], [2.0, 0.0, 0.0]]
    """

    def __init__(self, stream: Stream) -> None:
        if stream.bits is not None:
            raise DataError(stream.name, _too_wide(f"2^{stream.bits} hashed columns"))
        width = 0
        for batch in stream:
            width = max(width, batch.X.shape[1])
            if width > MAX_COLUMNS:
                raise DataError(stream.name, _too_wide(f"more than {MAX_COLUMNS:,} columns"))
        base = stream.index_base or 0
        names = stream.feature_names or [f"x{j + base}" for j in range(width)]
        super().__init__(stream, sparse=False, feature_names=list(names))

    def __iter__(self) -> Iterator[Batch]:
        width = len(self.feature_names or ())
        rows = max(1, _DENSE_CELLS // max(1, width))
        for batch in self._stream:
            for start in range(0, batch.X.shape[0], rows):
                part = take_rows(batch, slice(start, start + rows), batch.first_row + start)
                yield part.replace(X=with_width(part.rows, width).tocsr().toarray())


def _too_wide(columns: str) -> str:
    return (
        f"its rows are sparse, with {columns}, too many for a table: write svmlight text (.svm) or "
        "Parquet (.parquet) instead."
    )
