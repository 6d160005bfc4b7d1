"""Note on columns of very different sizes, which ``--scale`` evens out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.cli.display import terminal
from rosenblatt.cli.options.names import listing
from rosenblatt.streams.core.batch import slice_rows
from rosenblatt.utils.arrays import Array, Matrix

if TYPE_CHECKING:
    from rosenblatt.streams import Stream
    from rosenblatt.streams.core.hashed_names import HashedNames

ROWS = 1000
"""Number of first rows that are measured."""

FACTOR = 20.0
"""Size of a dominating column, in multiples of the median column's (decision 017)."""

LARGE_RATIO = 1e3
"""Ratio of the largest column of a table to its smallest from which both are named, whatever the
others: the same as that of a fit in Python."""

ALONE = 100.0
"""Size of a number that stands alone in its column, in multiples of the root mean square of the
others, such as 999999 for a missing one: it is the unit of its column, whatever the rule."""

FEWEST = 30
"""Numbers of a column that say what is usual in it."""

_SHOWN = 3  # names in the note


class ColumnScales:
    """Sizes of the columns in the first rows: the root mean square of values that are not zero.

    Columns dominate if each is :data:`FACTOR` times as large as the median column, and together
    they make up more than half of Σ‖x‖². One-hot columns, texts and counts have none.

    Examples
    --------
    >>> scales = ColumnScales()
    >>> scales.add(np.array([[1.0, 0.0, 50000.0], [0.0, 1.0, 60000.0]]))
    >>> scales.dominating()
    [2]
    """

    def __init__(self) -> None:
        self._rows = 0
        self._counts = np.zeros(0, np.int64)
        self._squares = np.zeros(0)
        self._largest = np.zeros(0)

    def add(self, X: Matrix) -> None:
        """Measure rows, until there are enough.

        Later ones may be wider, and those of the next epoch narrower.
        """
        if self._rows >= ROWS:
            return
        X = slice_rows(X, slice(ROWS - self._rows))
        new = max(0, X.shape[1] - len(self._counts))
        self._counts = np.pad(self._counts, (0, new))
        self._squares = np.pad(self._squares, (0, new))
        self._largest = np.pad(self._largest, (0, new))
        if hasattr(X, "indptr"):  # in time of the entries, not of the columns
            np.add.at(self._counts, X.indices, X.data != 0.0)
            np.add.at(self._squares, X.indices, np.square(X.data))
            np.maximum.at(self._largest, X.indices, np.abs(X.data))
        elif len(X):
            largest = self._largest[: X.shape[1]]
            np.maximum(largest, np.abs(X).max(axis=0), out=largest)
            self._counts[: X.shape[1]] += np.count_nonzero(X, axis=0)
            self._squares[: X.shape[1]] += np.square(X).sum(axis=0)
        self._rows += X.shape[0]

    def sizes(self) -> Array:
        """Return the root mean square of each column, 0 of one that has zeros only."""
        return np.asarray(np.sqrt(self._squares / np.maximum(self._counts, 1)))

    def dominating(self) -> list[int]:
        """Return the dominating columns, the largest first."""
        sizes = self.sizes()
        if not sizes.any():
            return []
        large = sizes >= FACTOR * np.percentile(sizes[sizes > 0.0], 50, method="lower")
        if self._squares[large].sum() <= 0.5 * self._squares.sum():
            return []
        largest: list[int] = np.argsort(-sizes, kind="stable")[: np.count_nonzero(large)].tolist()
        return largest

    def alone(self) -> list[int]:
        """Return the columns in which one number is far larger than all others.

        Examples
        --------
        >>> scales = ColumnScales()
        >>> scales.add(np.r_[np.ones(99), 999999.0][:, None])
        >>> scales.alone()
        [0]
        """
        rest = np.maximum(self._squares - np.square(self._largest), 0.0)
        usual = np.sqrt(rest / np.maximum(self._counts - 1, 1))
        is_alone = (self._largest >= ALONE * usual) & (self._counts >= FEWEST)
        columns: list[int] = np.flatnonzero(is_alone).tolist()
        return columns

    def note_alone(self, stream: Stream) -> None:
        """Print a note on numbers of a table that stand alone."""
        names = stream.feature_names or []  # of words and hashed features a rare one does no harm
        for column in self.alone()[:_SHOWN] if names else ():
            terminal.note(
                f"{stream.name}: one number of {names[column]}, {self._largest[column]:.10g} in "
                f"size, is over {ALONE:.0f} times as large as the others, and hides them: if it "
                "stands for a missing one, name it after --missing, with --impute mean."
            )

    def note(self, stream: Stream, names: HashedNames | None = None) -> None:
        """Print a note if columns dominate, or if two of a table differ by a thousand.

        The numbers of words and of hashed features may differ: a rare one does no harm.
        """
        columns, sizes = self.dominating(), self.sizes()
        if not columns and stream.feature_names is not None and sizes.any():
            largest, smallest = sizes.argmax(), np.where(sizes > 0.0, sizes, np.inf).argmin()
            if sizes[largest] >= LARGE_RATIO * sizes[smallest]:
                large, small = stream.feature_names[largest], stream.feature_names[smallest]
                terminal.note(
                    f"{stream.name}: {large} is over {LARGE_RATIO:,.0f} times as large as {small}, "
                    "and decides what is learned, whatever the rule: --scale evens them out."
                )
        if not columns:
            return
        shown = [_column_name(j, stream, names) for j in columns[:_SHOWN]]
        if len(columns) > _SHOWN:
            shown.append(f"{len(columns) - _SHOWN:,} more")
        verb = "is" if len(columns) == 1 else "are"
        terminal.note(
            f"{stream.name}: {listing(shown)} {verb} over {FACTOR:.0f} times as large as "
            "most columns, so the learner hardly sees the others: --scale evens them out."
        )


def _column_name(column: int, stream: Stream, names: HashedNames | None) -> str:
    if stream.feature_names is not None:
        return stream.feature_names[column]
    hashed = {} if names is None or names.bits == 0 else names.of([column])
    if column in hashed:
        return hashed[column][1]
    return f"column {column + (stream.index_base or 0)}"
