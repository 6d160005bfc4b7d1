"""Exact detection of cycling: a perceptron run that repeats, as opposed to slow convergence.

In a fixed order the next step depends only on w and the position in the order. If both occur a
second time, the steps between them repeat forever. On integers and rational numbers this test is
exact; since the weights are bounded (Minsky and Papert's cycling theorem), a run on inseparable
data of such numbers does cycle, though perhaps only after many epochs. On other floats the sums are
rounded, and a run that has not converged proves nothing. In a random order a repeated w proves
nothing.
"""

from __future__ import annotations

from math import lcm
from numbers import Rational
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.theory.textbook.step import format_vector
from rosenblatt.utils.checks import check_choice, check_int, check_X_y
from rosenblatt.utils.shown import join, to_html
from rosenblatt.utils.tables import abridged, text_table

__all__ = ["Cycle", "find_cycle"]


Row: TypeAlias = tuple[Any, ...]  # integers, or floats
Update: TypeAlias = tuple[Row, int]


class Cycle(NamedTuple):
    """Result of a perceptron run in a fixed order.

    Attributes
    ----------
    status : {"converged", "cycles", "not converged"}
        "cycles" is proved: the same w at the same position, so the same steps forever.
    first, period : int or None
        For a cycle: the first step of the epoch that repeats, and the number of steps until it
        repeats; else None. Both are multiples of the number of rows.
    epochs : int
        Number of epochs.
    mistakes : int
        Number of mistakes in these epochs; for a cycle, in one period.
    weights : array of shape (m + 1, d) or (1, d), float64
        For a cycle: w before each of its m corrections, and the first w again; else the final w.
        With an intercept, the last column is b.
    rows : array of shape (m,)
        The rows of the corrections of one period; else empty.
    why : str
        The reason, a sentence.
    """

    status: str
    first: int | None
    period: int | None
    epochs: int
    mistakes: int
    weights: NDArray[np.float64]
    rows: NDArray[np.int64]
    why: str

    def __repr__(self) -> str:
        """Return a summary in one line."""
        counts = f"{self.mistakes} mistakes in {self.epochs} epochs"
        return f"<Cycle: {self.status}, {counts}; {self.why}>"

    def _repr_html_(self) -> str:
        heads = ["correction", "row", "w before it"]
        steps = zip(self.rows.tolist(), self.weights, strict=False)
        rows = [[f"{t}", f"{row}", format_vector(w)] for t, (row, w) in enumerate(steps)]
        table = text_table(heads, abridged(rows)) if rows else ""
        return to_html(join([repr(self).strip("<>"), table]))


def find_cycle(
    X: ArrayLike,
    y: ArrayLike,
    *,
    fit_intercept: bool = False,
    tie: int = -1,
    max_epochs: int = 1000,
) -> Cycle:
    """Run the perceptron w ← w + y x on the rows in order, from w = 0, until it ends or repeats.

    Parameters
    ----------
    X : array of shape (n, d)
        Integers, of any type, or ``fractions.Fraction``, with exact arithmetic. Other floats are
        computed as floats.
    y : array of shape (n,)
        Labels, -1 and +1 or 0 and 1.
    fit_intercept : bool, default False
        Add a constant feature 1 to every row, for the offset.
    tie : {-1, 0, +1}, default -1
        The prediction for a score of 0; 0 is a mistake for any label.
    max_epochs : int, default 1000
        Largest number of epochs, >= 1.

    Returns
    -------
    Cycle

    Notes
    -----
    Lecture row L0.4. Minsky and Papert 1969, section 11.10; Block and Levin 1970.

    Examples
    --------
    >>> square = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    >>> cycle = find_cycle(square, [-1, 1, 1, -1])
    >>> cycle.status, cycle.first, cycle.period
    ('cycles', 0, 4)
    >>> print(cycle.why)
    w before step 4 equals w before step 0, at the same row: the 4 steps between repeat forever
    """
    floats, signs = check_X_y(X, y, require_both=False)
    tie, max_epochs = (
        check_choice(tie, "tie", (-1, 0, 1)),
        check_int(max_epochs, "max_epochs", minimum=1),
    )
    rows, unit = _as_integers(X, floats)
    if fit_intercept:
        rows = [(*row, unit or 1) for row in rows]
    w: Row = (0,) * len(rows[0])
    updates: list[Update] = []
    epoch_starts: list[int] = []  # number of updates before each epoch
    first_seen = {w: 0}
    for epoch in range(1, max_epochs + 1):
        epoch_starts.append(len(updates))
        w = _epoch(rows, signs.tolist(), w, tie, updates)
        if len(updates) == epoch_starts[-1]:
            why = "an epoch without a mistake"
            return _no_cycle("converged", epoch, len(updates), w, unit, why)
        if unit and w in first_seen:
            first = first_seen[w]
            return _cycle(first, epoch, updates[epoch_starts[first] :], w, len(rows), unit)
        first_seen[w] = epoch
    why = f"no convergence and no repeated w in {max_epochs} epochs"
    if not unit:
        why = (
            f"no convergence in {max_epochs} epochs; sums of floats are rounded, so nothing is "
            "proved: use integers or fractions.Fraction for an exact answer"
        )
    return _no_cycle("not converged", max_epochs, len(updates), w, unit, why)


def _as_integers(X: ArrayLike, floats: NDArray[np.float64]) -> tuple[list[Row], int]:
    """Return the rows as integers in units of 1/unit, and unit; or as floats, and 0."""
    numbers = np.asarray(X, object)
    if all(isinstance(number, Rational) for number in numbers.flat):
        unit = lcm(*(int(number.denominator) for number in numbers.flat))
        return [
            tuple(int(number.numerator) * (unit // int(number.denominator)) for number in row)
            for row in numbers
        ], unit
    if (floats == np.round(floats)).all():
        return [tuple(map(int, row)) for row in floats.tolist()], 1
    return [tuple(row) for row in floats.tolist()], 0


def _epoch(rows: list[Row], signs: list[int], w: Row, tie: int, updates: list[Update]) -> Row:
    """Run one epoch; append every correction to `updates` as (w before it, row)."""
    for i, (x, label) in enumerate(zip(rows, signs, strict=True)):
        score = sum(a * b for a, b in zip(w, x, strict=True))
        predicted = 1 if score > 0 else -1 if score < 0 else tie
        if predicted != label:
            updates.append((w, i))
            w = tuple(a + label * b for a, b in zip(w, x, strict=True))
    return w


def _cycle(first: int, epoch: int, updates: list[Update], w: Row, n: int, unit: int) -> Cycle:
    weights, rows = (
        _as_floats([*(before for before, _ in updates), w], unit),
        [row for _, row in updates],
    )
    start, period = first * n, (epoch - first) * n
    why = (
        f"w before step {start + period} equals w before step {start}, at the same row:"
        f" the {period} steps between repeat forever"
    )
    return Cycle("cycles", start, period, epoch, len(rows), weights, np.array(rows), why)


def _no_cycle(status: str, epochs: int, mistakes: int, w: Row, unit: int, why: str) -> Cycle:
    no_rows = np.zeros(0, np.int64)
    return Cycle(status, None, None, epochs, mistakes, _as_floats([w], unit), no_rows, why)


def _as_floats(vectors: list[Row], unit: int) -> NDArray[np.float64]:
    return np.array([[a / (unit or 1) for a in w] for w in vectors], np.float64)
