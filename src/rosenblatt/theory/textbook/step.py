"""One step of a run as it would be worked out on the board: words and numbers.

A score and its sign: the same to the bit on every machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosenblatt.utils.checks import Floats, Ints


def dot(X: Floats, w: Floats | Ints) -> Floats:
    """Return w·x for one row or several, added from left to right; out of range, inf or nan."""
    with np.errstate(over="ignore", invalid="ignore"):
        total: Floats = np.add.accumulate(X * w, axis=-1)[..., -1]
    return total


def sgn(score: float | Floats | Ints, tie: int) -> Ints:
    """Return +1 above 0, -1 below 0, and `tie` at 0."""
    return np.where(np.greater(score, 0.0), 1, np.where(np.less(score, 0.0), -1, tie))


class Step(NamedTuple):
    """One look at one row: what was seen, what was said, what was changed.

    Attributes
    ----------
    row : int
        Which row, from 0.
    score : float
        w·x, plus b if there is one, of the row as given (never of its negated form).
    prediction, label : int
        What the score says, and the truth.
    mistake : bool
        Whether the algorithm counts a mistake here.
    before, after : array of shape (D,)
        The stored vector that scored this row, and the one that scores the next.

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


MAX_NUMBERS = 6  # numbers of a longer vector are left out


def explain_step(
    t: int, step: Step, x: Floats, y: int, eta: float, tie: int, negative_class: int
) -> str:
    """Return the lines of step t, which looks at the row x with the sign y (lecture row L0.2).

    `negative_class` is what the lecture calls the class of the sign -1: -1 or 0.
    """
    prediction, class_text = (
        int(sgn(step.score, tie)),
        "" if negative_class else f", class {step.label}",
    )
    moved = not np.array_equal(step.before, step.after)
    unchanged = "" if moved else ", and w stays as it is"
    verdict = "a mistake" if step.mistake else f"right{unchanged}"
    lines = [
        f"Step {t} looks at row {step.row}: x = {format_vector(x)}{class_text}, y = {y:+d}.",
        f"w·x = {format_dot(step.before, x)} = {format_number(step.score)}, "
        f"{_prediction_text(prediction, negative_class)}: {verdict}.",
    ]
    move = eta * y * x
    is_correction = np.allclose(
        step.after - step.before, move, rtol=1e-9, atol=1e-9 * np.abs(move).max()
    )
    if moved and is_correction:
        new_prediction = int(sgn(float(dot(step.after, x)), tie))
        lines += _correction_lines(step, x, y, eta)
        outcome = "right" if new_prediction == y else "still wrong, but nearer"
        lines[-1] += f", {_prediction_text(new_prediction, negative_class)}: {outcome}."
    elif moved:
        lines.append(f"w moves from {format_vector(step.before)} to {format_vector(step.after)}.")
    return "\n".join(lines).replace("-", "−")


def _correction_lines(step: Step, x: Floats, y: int, eta: float) -> list[str]:
    """Write down the new w, and the new score: the old one and η y ‖x‖²."""
    by, old, new = (
        f"{format_number(eta)}·({y:+d})",
        format_number(step.score),
        format_number(float(dot(step.after, x))),
    )
    return [
        f"w ← w + η y x = {format_vector(step.before)} + {by}·{format_vector(x)} = "
        f"{format_vector(step.after)}.",
        f"Now w·x = {old} + η y ‖x‖² = {old} + {by}·{format_number(float(dot(x, x)))} = {new}",
    ]


def _prediction_text(sign: int, negative_class: int) -> str:
    names = {1: "+1" if negative_class else "1", -1: "-1" if negative_class else "0"}
    return f"which says {names[sign]}" if sign else "which is right for no label"


def format_dot(w: Floats, x: Floats) -> str:
    """w·x as a sum of products."""
    terms = [f"{_bracketed(a)}·{_bracketed(b)}" for a, b in zip(w, x, strict=True)]
    return " + ".join(_abridged(terms))


def format_vector(vector: Floats) -> str:
    """A vector as its numbers in brackets, the middle of a long one left out."""
    return f"({', '.join(_abridged([format_number(number) for number in vector]))})"


def format_number(number: float) -> str:
    """A number to six digits, without a sign on zero."""
    return f"{number + 0.0:.6g}"


def _bracketed(number: float) -> str:
    return f"({format_number(number)})" if number < 0.0 else format_number(number)


def _abridged(parts: list[str]) -> list[str]:
    return parts if len(parts) <= MAX_NUMBERS else [*parts[: MAX_NUMBERS - 1], "…", parts[-1]]
