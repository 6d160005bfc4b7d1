"""One step of a recorded run: its score, its sign, and its explanation in words and numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from rosenblatt.utils.arrays import ArrayLike
from rosenblatt.utils.checks import Floats, Ints, check_array, check_vector
from rosenblatt.utils.tables import MAX_ROWS, text_table

STEP_HEADS = ("row", "score", "prediction", "label", "", "w after the step")
"""Heads of a table of steps; each row is that of the data, and the `Step.cells`."""


def dot(X: Floats, w: Floats | Ints) -> Floats:
    """Return w·x for one row or several, summed from left to right; inf or nan on overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        total: Floats = np.add.accumulate(X * w, axis=-1)[..., -1]
    return total


def sgn(score: float | Floats | Ints, tie: int) -> Ints:
    """Return +1 above 0, -1 below 0, and `tie` at 0."""
    return np.where(np.greater(score, 0.0), 1, np.where(np.less(score, 0.0), -1, tie))


def rows_of_width(X: ArrayLike, d: int) -> Floats:
    """Return rows of shape (n, d); another shape is a ValueError."""
    rows = check_array(X, "X", "(n, d)", 2)
    check_vector(rows[0], "a row of X", d)
    return rows


def shown_rows(n: int) -> list[int]:
    """Return the rows out of n that a table shows, which `abridged` cuts: the first and the last.

    Examples
    --------
    >>> shown_rows(3), len(shown_rows(1_000_000)), shown_rows(1_000_000)[-1]
    ([0, 1, 2], 13, 999999)
    """
    return [*range(min(n, MAX_ROWS)), *range(max(n - 1, MAX_ROWS), n)]


class Step(NamedTuple):
    """One step: the algorithm scores one row and may update w.

    Attributes
    ----------
    row : int
        Index of the row, from 0.
    score : float
        w·x, plus b if there is one, of the row itself (not of its negated form).
    prediction, label : int
        The predicted class, and the true one.
    mistake : bool
        True where the algorithm counts a mistake.
    before, after : array of shape (D,)
        The stored vector that scored this row, and the vector that scores the next row.

    Examples
    --------
    >>> from rosenblatt.textbook import origin_perceptron
    >>> step = origin_perceptron([[3.0, 4.0]], [1])[0]
    >>> step.score, step.prediction, step.label, step.mistake, step.after
    (0.0, -1, 1, True, array([3., 4.]))
    """

    row: int
    score: float
    prediction: int
    label: int
    mistake: bool
    before: Floats
    after: Floats

    def cells(self) -> list[str]:
        """Return score, prediction, label, verdict, and w after the step, as texts of a table."""
        signs = [f"{sign:+d}" if sign else "0" for sign in (self.prediction, self.label)]
        verdict = "mistake" if self.mistake else "right"
        texts = [format_number(self.score), *signs, verdict, format_vector(self.after)]
        return [text.replace("-", "−") for text in texts]

    def __repr__(self) -> str:
        """Return a summary in one line."""
        score, prediction, label, verdict, after = self.cells()
        return (
            f"<Step of row {self.row}: score {score}, prediction {prediction}, label {label}, "
            f"{verdict}; then w = {after}>"
        )

    def _repr_html_(self) -> str:
        return text_table(STEP_HEADS, [[f"{self.row}", *self.cells()]]).html


MAX_NUMBERS = 6  # of a longer vector, the middle is left out


def explain_step(
    t: int, step: Step, x: Floats, y: int, eta: float, tie: int, negative_class: int
) -> str:
    """Explain step t, with the row x and its sign y, in two to four lines (lecture row L0.2).

    `negative_class` is the lecture's name for the class of the sign -1: -1 or 0.
    """
    prediction = int(sgn(step.score, tie))
    class_text = "" if negative_class else f", class {step.label}"
    updated = not np.array_equal(step.before, step.after)
    unchanged = "" if updated else ", w is unchanged"
    verdict = "a mistake" if step.mistake else f"right{unchanged}"
    lines = [
        f"Step {t}, row {step.row}: x = {format_vector(x)}{class_text}, y = {y:+d}.",
        f"w·x = {format_dot(step.before, x)} = {_format_score(step.score, step.before, x)}, "
        f"{_prediction_text(prediction, negative_class)}: {verdict}.",
    ]
    update = eta * y * x
    is_correction = np.allclose(
        # The difference of weights has lost digits to rounding.
        step.after - step.before,
        update,
        rtol=1e-9,
        atol=1e-9 * np.abs(update).max(),
    )
    if updated and is_correction:
        new_prediction = int(sgn(float(dot(step.after, x)), tie))
        lines += _correction_lines(step, x, y, eta)
        outcome = "right" if new_prediction == y else "still wrong, but closer"
        lines[-1] += f", {_prediction_text(new_prediction, negative_class)}: {outcome}."
    elif updated:
        lines.append(f"w changes from {format_vector(step.before)} to {format_vector(step.after)}.")
    return "\n".join(lines).replace("-", "−")


def _correction_lines(step: Step, x: Floats, y: int, eta: float) -> list[str]:
    """Format the new w, and the new score: the old score plus η y ‖x‖²."""
    factor, old = f"{format_number(eta)}·({y:+d})", format_number(step.score)
    sqnorm = format_number(float(dot(x, x)))
    new = _format_score(float(dot(step.after, x)), step.after, x)
    return [
        f"w ← w + η y x = {format_vector(step.before)} + {factor}·{format_vector(x)} = "
        f"{format_vector(step.after)}.",
        f"Now w·x = {old} + η y ‖x‖² = {old} + {factor}·{sqnorm} = {new}",
    ]


def _format_score(score: float, w: Floats, x: Floats) -> str:
    """Format a score; where rounding decided its sign, say what the printed numbers give."""
    text = format_number(score)
    if not (np.isfinite(score) and np.isfinite(w).all() and np.isfinite(x).all()):
        return text
    terms = zip(w.tolist(), x.tolist(), strict=True)
    printed = sum(Fraction(format_number(a)) * Fraction(format_number(b)) for a, b in terms)
    if (printed > 0) - (printed < 0) == (score > 0.0) - (score < 0.0):
        return text
    return f"{text} in floating point ({format_number(float(printed))} of the numbers as printed)"


def _prediction_text(sign: int, negative_class: int) -> str:
    names = {1: "+1" if negative_class else "1", -1: "-1" if negative_class else "0"}
    return f"prediction {names[sign]}" if sign else "a tie, wrong for both labels"


def format_dot(w: Floats, x: Floats) -> str:
    """Format w·x as a sum of products."""
    terms = [f"{_bracketed(a)}·{_bracketed(b)}" for a, b in zip(w, x, strict=True)]
    return " + ".join(_abridged(terms))


def format_vector(vector: Floats) -> str:
    """Format a vector as its numbers in brackets, without the middle of a long vector."""
    return f"({', '.join(_abridged([format_number(number) for number in vector]))})"


def format_number(number: float) -> str:
    """Format a number with six digits, and zero without a sign."""
    return f"{number + 0.0:.6g}"


def _bracketed(number: float) -> str:
    return f"({format_number(number)})" if number < 0.0 else format_number(number)


def _abridged(parts: list[str]) -> list[str]:
    return parts if len(parts) <= MAX_NUMBERS else [*parts[: MAX_NUMBERS - 1], "…", parts[-1]]
