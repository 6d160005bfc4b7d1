"""Exact detection of cycling: a perceptron run that repeats, as opposed to slow convergence.

In a fixed order the next step depends only on w and the position in the order. If both occur a
second time, the steps between them repeat forever. Every finite float is a rational number, so the
run is computed in integers, over a common denominator, and the test is exact. Since the weights are
bounded (Minsky and Papert's cycling theorem; Block and Levin 1970), a run on inseparable data does
cycle, though perhaps only after many epochs: numbers with long fractions take the longest. In a
random order a repeated w proves nothing.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

from rosenblatt.theory.textbook.step import format_vector, shown_rows
from rosenblatt.utils.arrays import ArrayLike, NDArray
from rosenblatt.utils.checks import as_float, check_choice, check_int, check_X_y
from rosenblatt.utils.exact_margins import over_common_denominator
from rosenblatt.utils.shown import join, to_html
from rosenblatt.utils.tables import abridged, text_table
from rosenblatt.utils.words import count

__all__ = ["Cycle", "find_cycle"]


Row: TypeAlias = tuple[int, ...]
Update: TypeAlias = tuple[Row, int]


class Cycle(NamedTuple):
    """Result of a perceptron run in a fixed order.

    Attributes
    ----------
    status : {"converged", "cycles", "not converged"}
        "cycles" is proved: the same w at the same position, so the same steps forever, and no
        hyperplane of the kind that `fit_intercept` names separates the rows.
    first, period : int or None
        For a cycle: the first step of the epoch that repeats, and the number of steps until it
        repeats; else None. Both are multiples of the number of rows.
    epochs : int
        Number of epochs.
    mistakes : int
        Number of mistakes in these epochs. One period has ``len(rows)`` of them.
    weights : array of shape (m + 1, d) or (1, d), float64
        For a cycle: w before each of its m corrections, and the first w again; else the final w.
        With an intercept, the last column is b.
    rows : array of shape (m,)
        The rows of the corrections of one period; else empty.
    why : str
        The reason and the question that it answers: with an offset, or through the origin.
    fit_intercept : bool
        True for any hyperplane w·x + b = 0, False for those through the origin.

    Examples
    --------
    >>> found = find_cycle([[1, 1], [-1, -1], [1, -1], [-1, 1]], [1, 1, -1, -1])
    >>> found.status, found.period
    ('cycles', 4)
    """

    status: str
    first: int | None
    period: int | None
    epochs: int
    mistakes: int
    weights: NDArray[np.float64]
    rows: NDArray[np.int64]
    why: str
    fit_intercept: bool

    def __repr__(self) -> str:
        """Return a summary in one line."""
        counts = f"{count(self.mistakes, 'mistake')} in {count(self.epochs, 'epoch')}"
        if self.period is not None:
            counts += f", {len(self.rows)} in each period of {count(self.period, 'step')}"
        return f"<Cycle: {self.status}, {counts}; {self.why}>"

    def _repr_html_(self) -> str:
        heads = ["correction", "row", "w before it"]
        shown = shown_rows(len(self.rows))
        rows = [[f"{t}", f"{self.rows[t]}", format_vector(self.weights[t])] for t in shown]
        table = text_table(heads, abridged(rows)) if rows else ""
        return to_html(join([repr(self).strip("<>"), table]))


def find_cycle(
    X: ArrayLike, y: ArrayLike, *, fit_intercept: bool = True, tie: int = -1, max_epochs: int = 1000
) -> Cycle:
    """Run the perceptron w ← w + y x on the rows in order, from w = 0, until it ends or repeats.

    Parameters
    ----------
    X : array of shape (n, d)
        Integers or floats of any type, ``Fraction`` or ``Decimal``. The arithmetic is exact: the
        float 0.1 is the binary number that it holds, not 1/10.
    y : array of shape (n,)
        Labels, -1 and +1 or 0 and 1.
    fit_intercept : bool, default True
        True for any hyperplane, as in `rosenblatt.certify` and `rosenblatt.textbook.perceptron`:
        every row gets a constant feature 1. False for hyperplanes through the origin.
    tie : {-1, 0, +1}, default -1
        The prediction for a score of 0; 0 is a mistake for any label.
    max_epochs : int, default 1000
        Largest number of epochs, >= 1.

    Returns
    -------
    Cycle

    Raises
    ------
    ValueError
        Also if the numbers, over their common denominator, have more than 4,096 bits. Any floats
        have less; fractions with many different denominators may have more.

    Notes
    -----
    Lecture row L0.4, there through the origin. Minsky and Papert 1969, section 11.10; Block and
    Levin 1970.

    Examples
    --------
    >>> square = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    >>> cycle = find_cycle(square, [-1, 1, 1, -1], fit_intercept=False)
    >>> cycle.status, cycle.first, cycle.period
    ('cycles', 0, 4)
    >>> print(cycle.why)
    w before step 4 equals w before step 0, at the same row: the 4 steps between repeat forever, \
so no hyperplane through the origin separates the rows
    >>> print(find_cycle([[1.5], [2.5]], [-1, 1]).why)
    an epoch without a mistake: w and b are right about all rows
    """
    floats, signs = check_X_y(X, y, require_both=False)
    tie, max_epochs = (
        check_choice(tie, "tie", (-1, 0, 1)),
        check_int(max_epochs, "max_epochs", minimum=1),
    )
    integers, unit = over_common_denominator(X, floats)
    n, d = floats.shape
    rows: list[Row] = [tuple(integers[i * d : (i + 1) * d]) for i in range(n)]
    if fit_intercept:
        rows = [(*row, unit) for row in rows]
    w: Row = (0,) * len(rows[0])
    updates: list[Update] = []
    epoch_starts: list[int] = []  # number of updates before each epoch
    first_seen = {w: 0}
    status, first = "not converged", None
    for epoch in range(1, max_epochs + 1):
        epoch_starts.append(len(updates))
        w = _epoch(rows, signs.tolist(), w, tie, updates)
        if len(updates) == epoch_starts[-1]:
            status = "converged"
            break
        if w in first_seen:
            status, first = "cycles", first_seen[w]
            break
        first_seen[w] = epoch
    why = _explain(status, first, epoch, n, fit_intercept)
    start = length = None
    period: list[Update] = []
    if first is not None:
        start, length, period = first * n, (epoch - first) * n, updates[epoch_starts[first] :]
    weights = _as_floats([*(before for before, _ in period), w], unit)
    repeated = np.array([row for _, row in period], np.int64)
    counts = epoch, len(updates)
    return Cycle(status, start, length, *counts, weights, repeated, why, fit_intercept)


def _epoch(rows: list[Row], signs: list[int], w: Row, tie: int, updates: list[Update]) -> Row:
    """Run one epoch; append every correction to `updates` as (w before it, row)."""
    for i, (x, label) in enumerate(zip(rows, signs, strict=True)):
        score = sum(a * b for a, b in zip(w, x, strict=True))
        predicted = 1 if score > 0 else -1 if score < 0 else tie
        if predicted != label:
            updates.append((w, i))
            w = tuple(a + label * b for a, b in zip(w, x, strict=True))
    return w


def _explain(status: str, first: int | None, epoch: int, n: int, fit_intercept: bool) -> str:
    """Return the reason for the status, and what it says about which hyperplanes."""
    hyperplane = "hyperplane" if fit_intercept else "hyperplane through the origin"
    if status == "converged":
        right = "w and b are" if fit_intercept else "w, through the origin, is"
        return f"an epoch without a mistake: {right} right about all rows"
    if first is None:
        return (
            f"no convergence and no repeated w in {count(epoch, 'epoch')}: "
            f"whether a {hyperplane} separates the rows is open, and certify decides it"
        )
    period = (epoch - first) * n
    between = "step between repeats" if period == 1 else f"{period} steps between repeat"
    return (
        f"w before step {epoch * n} equals w before step {first * n}, at the same row: the "
        f"{between} forever, so no {hyperplane} separates the rows"
    )


def _as_floats(vectors: list[Row], unit: int) -> NDArray[np.float64]:
    return np.array([[as_float(Fraction(a, unit)) for a in w] for w in vectors], np.float64)
