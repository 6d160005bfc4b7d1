"""The recorder of a run: the lectures' algorithms score rows and update w through it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rosenblatt.theory.textbook.step import dot, sgn
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.theory.textbook.traces.text import STEP_FIELDS
from rosenblatt.utils.arrays import ArrayLike
from rosenblatt.utils.checks import Floats, Ints, check_choice, check_float, check_vector


class Log:
    """Recorder of a `Trace` during the run.

    Parameters
    ----------
    algorithm : str
        Name of the function that runs.
    X, y : array of shape (n, d), array of shape (n,)
        Checked rows, and their labels as signs.
    start : array of shape (D,), default None
        The first w; None is 0.
    eta : float, default 1.0
        Learning rate, > 0.
    tie : {-1, 0, +1}, default 0
        The prediction for a score of 0.
    offset : {None, 0, -1}, default None
        Where a constant feature 1 is added to the rows, and b stands in w: nowhere, first or last.

    Raises
    ------
    ValueError
        If η, the tie or the start is out of range.
    """

    def __init__(
        self,
        algorithm: str,
        X: Floats,
        y: Ints,
        start: ArrayLike | None = None,
        *,
        eta: float = 1.0,
        tie: int = 0,
        offset: int | None = None,
    ) -> None:
        self.algorithm, self.offset = algorithm, offset
        self.eta = check_float(eta, "eta", above=0.0)
        self.tie = check_choice(tie, "tie", (-1, 0, 1))
        d = X.shape[1]
        self.X = X.copy() if offset is None else np.insert(X, d if offset else 0, 1.0, axis=1)
        self.y, width = y.copy(), self.X.shape[1]
        self.weights = [np.zeros(width) if start is None else check_vector(start, "start", width)]
        self.rates: list[float] = []
        self.steps: list[tuple[object, ...]] = []

    @property
    def w(self) -> Floats:
        """The current weights."""
        return self.weights[-1]

    def scores(self) -> Floats:
        """Return w·x of all rows; nothing is recorded."""
        return dot(self.X, self.w)

    def all_right(self) -> bool:
        """Return whether w predicts every row right; nothing is recorded."""
        return np.array_equal(sgn(self.scores(), self.tie), self.y)

    def predict(self, i: int, score: float | None = None) -> int:
        """Record a step: row i, scored with the current w unless that is done; return its sign."""
        score = float(dot(self.X[i], self.w)) if score is None else float(score)
        predicted = int(sgn(score, self.tie))
        self.record_step(i, score, predicted, self.y[i], predicted != self.y[i])
        return predicted

    def record_step(
        self, row: int, score: float, prediction: int, label: int, mistake: bool
    ) -> None:
        """Record a step: one row, scored with the current weights."""
        self._check(math.isfinite(score))
        self.steps.append((row, len(self.weights) - 1, score, prediction, label, mistake))

    def record_update(self, w: Floats, eta: float | None = None) -> None:
        """Record an update: the weights from now on, and its learning rate if that may vary."""
        self._check(bool(np.isfinite(w).all()))
        self.weights.append(w)
        if eta is not None:
            self.rates.append(eta)

    def _check(self, in_range: bool) -> None:
        if not in_range:
            raise ValueError(
                f"the run left the range of floats at step {len(self.steps)}: scale X, or take a "
                "smaller learning rate"
            )

    def trace(self, epochs: int, converged: bool) -> Trace:
        """Return the recorded run."""
        steps = np.array(self.steps, list(STEP_FIELDS.items()))
        fields: dict[str, Any] = {name: steps[name] for name in STEP_FIELDS}
        fields |= {"X": self.X, "y": self.y, "weights": np.array(self.weights)}
        fields |= {"eta": self.eta, "tie": self.tie, "offset": self.offset}
        if set(self.rates) - {self.eta}:
            fields["rates"] = np.array(self.rates)
        return Trace(self.algorithm, epochs=epochs, converged=converged, **fields)
