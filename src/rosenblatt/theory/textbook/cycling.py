"""Whether a perceptron that never stops goes round in a circle: told exactly, or not at all.

Under a fixed order the next step depends on nothing but w and the position in the order. So if
both were there before, all that followed will follow again, for ever. On whole and on rational
numbers that can be told exactly; and as the weights stay bounded (Minsky and Papert's cycling
theorem), data of such numbers that cannot be separated does repeat, though it may take long. On
other floats every sum is rounded, and a run that has not stopped is only a run that has not
stopped. Where the order is drawn anew, w coming back proves nothing.
"""

from __future__ import annotations

from math import lcm
from numbers import Rational
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.utils.checks import check_int, check_one_of, check_X_y

__all__ = ["Cycle", "find_cycle"]


Row: TypeAlias = tuple[Any, ...]  # whole numbers, or floats
Update: TypeAlias = tuple[Row, int]


class Cycle(NamedTuple):
    """How a perceptron run under a fixed order ends.

    Attributes
    ----------
    status : {"converged", "cycles", "not converged"}
        "cycles" is proved: the same w at the same position, so the same steps for ever.
    first, period : int or None
        Of a cycle: the step that begins the first epoch to come again, and after how many steps it
        does; else None. Both are whole numbers of epochs.
    epochs : int
        How many epochs were run.
    mistakes : int
        How many mistakes were made in them; of a cycle, those of one period.
    weights : array of shape (m + 1, d) or (1, d), float64
        Of a cycle: w before each of its m corrections, and the first again; else the last w. With
        an intercept, one more column, the last: b.
    rows : array of shape (m,)
        The rows of the corrections of one period; else empty.
    why : str
        In a sentence.
    """

    status: str
    first: int | None
    period: int | None
    epochs: int
    mistakes: int
    weights: NDArray[np.float64]
    rows: NDArray[np.int64]
    why: str


def find_cycle(
    X: ArrayLike,
    y: ArrayLike,
    *,
    fit_intercept: bool = False,
    tie: int = -1,
    max_epochs: int = 1000,
) -> Cycle:
    """Run w ← w + y x at mistakes, the rows in their order, from w = 0, until it stops or repeats.

    Parameters
    ----------
    X : array of shape (n, d)
        Whole numbers, of any type, or ``fractions.Fraction``; all arithmetic is exact then. Other
        floats are run as floats.
    y : array of shape (n,)
        Labels, -1 and +1 or 0 and 1.
    fit_intercept : bool, default False
        Whether every row has a constant feature 1 besides: the offset.
    tie : {-1, 0, +1}, default -1
        The prediction for a score of 0; 0 is a mistake on any label.
    max_epochs : int, default 1000
        How many epochs at most, >= 1.

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
    w before step 4 is w before step 0, at the same row: the 4 steps between repeat for ever
    """
    floats, signs = check_X_y(X, y, require_both=False)
    tie, max_epochs = (
        check_one_of(tie, "tie", (-1, 0, 1)),
        check_int(max_epochs, "max_epochs", minimum=1),
    )
    rows, unit = _as_integers(X, floats)
    if fit_intercept:
        rows = [(*row, unit or 1) for row in rows]
    w: Row = (0,) * len(rows[0])
    updates: list[Update] = []
    epoch_starts: list[int] = []  # how many moves there were before each epoch
    first_seen = {w: 0}
    for epoch in range(1, max_epochs + 1):
        epoch_starts.append(len(updates))
        w = _epoch(rows, signs.tolist(), w, tie, updates)
        if len(updates) == epoch_starts[-1]:
            why = "a whole epoch without a mistake"
            return _no_cycle("converged", epoch, len(updates), w, unit, why)
        if unit and w in first_seen:
            first = first_seen[w]
            return _cycle(first, epoch, updates[epoch_starts[first] :], w, len(rows), unit)
        first_seen[w] = epoch
    why = f"neither done nor back at an earlier w in {max_epochs} epochs"
    if not unit:
        why = (
            f"not done in {max_epochs} epochs; sums of floats that are not whole are rounded, so "
            "nothing is proved: fractions.Fraction has an exact answer"
        )
    return _no_cycle("not converged", max_epochs, len(updates), w, unit, why)


def _as_integers(X: ArrayLike, floats: NDArray[np.float64]) -> tuple[list[Row], int]:
    """Return the rows as whole numbers of 1/unit; where they are not rational, as floats, and 0."""
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
    """Go over the rows once; append every correction to `updates` as (w before it, row)."""
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
        f"w before step {start + period} is w before step {start}, at the same row:"
        f" the {period} steps between repeat for ever"
    )
    return Cycle("cycles", start, period, epoch, len(rows), weights, np.array(rows), why)


def _no_cycle(status: str, epochs: int, mistakes: int, w: Row, unit: int, why: str) -> Cycle:
    no_rows = np.zeros(0, np.int64)
    return Cycle(status, None, None, epochs, mistakes, _as_floats([w], unit), no_rows, why)


def _as_floats(vectors: list[Row], unit: int) -> NDArray[np.float64]:
    return np.array([[a / (unit or 1) for a in w] for w in vectors], np.float64)
