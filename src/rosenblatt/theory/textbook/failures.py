"""The first step of a run at which an assumption of the convergence theorem fails."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosenblatt.theory.textbook.exact import Corrections, Scaled
from rosenblatt.theory.textbook.sides import Sides
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import NDArray
from rosenblatt.utils.directed import Enclosure, over_root, root

UNDECIDED = "undecided: "
"""Begins the reason where an assumption is not known to fail, nor to hold."""


class Failure(NamedTuple):
    """The first step at which an assumption of the theorem does not hold, or may not.

    Attributes
    ----------
    step : int
        The step, as in ``run[step]``.
    kind : str
        "margin" (1), "radius" (2), "mistake" (3), "move" (4).
    why : str
        The assumption, and the numbers that violate it; after "undecided: " those that leave it
        open, where no assumption is known to fail.

    Examples
    --------
    >>> from rosenblatt import audit, textbook
    >>> run = textbook.perceptron([[1.0], [1.0]], [1, -1], max_epochs=2)
    >>> audit(run).failure.kind
    'margin'
    """

    step: int
    kind: str
    why: str

    @property
    def decided(self) -> bool:
        """False where the assumption may hold."""
        return not self.why.startswith(UNDECIDED)

    @property
    def at_step(self) -> str:
        """The step and the reason, as part of a sentence."""
        return f"at step {self.step} {self.why.removeprefix(UNDECIDED)}"


def first_failure(
    run: Trace, sides: Sides, margins: Scaled, squares: Scaled, proper: int
) -> Failure | None:
    """Return the first step at which an assumption fails; of several there, the first of them.

    An undecided step is returned only if no assumption is known to fail at another.
    """
    short, long = _rows_short_of_margin(sides, margins), squares.above(sides.radius2)
    failures: list[Failure] = []
    if len(steps := np.flatnonzero(short[run.order])):
        row = int(run.order[steps[0]])
        why = f"row {row} has {_margin_text(sides, margins, row)}"
        failures.append(Failure(int(steps[0]), "margin", why))
    if len(steps := np.flatnonzero(long[run.order])):
        row = int(run.order[steps[0]])
        length = root(Enclosure.of(squares.value(row))).at_least()
        radius = root(Enclosure.of(sides.radius2)).at_most()
        failures.append(
            Failure(int(steps[0]), "radius", f"row {row} has ‖x‖ {length}, above R {radius}")
        )
    corrections = Corrections.of(run)
    if proper < len(corrections.rows):
        why = f"w changes by a vector other than η y x of row {corrections.rows[proper]}"
        failures.append(Failure(int(corrections.steps[proper]), "move", why))
    if sides.walk.right is not None:
        failures.append(_right_before(run, corrections, *sides.walk.right))
    if sides.gamma.low <= 0:
        row = min(range(len(run.X)), key=margins.numbers.__getitem__)
        why = f"row {row}, not used so far, has {_margin_text(sides, margins, row)}"
        failures.append(Failure(max(len(run) - 1, 0), "margin", why))
    return min(failures, key=_urgency, default=None)  # the first of equals


def _urgency(failure: Failure) -> tuple[bool, int]:
    return not failure.decided, failure.step


def _rows_short_of_margin(sides: Sides, margins: Scaled) -> NDArray[np.bool_]:
    """Return True for every row with y (u·x) <= 0 or < γ."""
    short = np.array([value <= 0 for value in margins.numbers])
    if sides.assumed is not None:
        level2 = sides.assumed**2 * sides.sqnorm
        short |= np.array([margins.value(i) ** 2 < level2 for i in range(len(short))])
    return short


def _margin_text(sides: Sides, margins: Scaled, row: int) -> str:
    value = over_root(Enclosure.rounded(margins.value(row)), sides.length2)
    limit = "not above 0" if sides.assumed is None else f"below γ = {float(sides.assumed):.6g}"
    return f"y (u·x) {value.at_most()}, {limit}"


def _right_before(run: Trace, corrections: Corrections, j: int, value: Enclosure) -> Failure:
    """Return the failure of a correction of a row that was right, or may have been."""
    step, row = int(corrections.steps[j]), int(corrections.rows[j])
    if value.low <= 0:
        why = f"{UNDECIDED}row {row} may be right, y (w·x) is at most {value.digits_up(2)}"
        return Failure(step, "mistake", f"{why}, and the run is too long to be exact")
    why = f"w changes although row {row} is right, y (w·x) {value.at_least()}"
    score = float(run.y[row] * run.score[step])
    if score <= 0.0:
        why += f"; its recorded score, {score:.2g} times y, is rounded"
    return Failure(step, "mistake", why)
