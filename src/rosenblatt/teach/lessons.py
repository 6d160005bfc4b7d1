"""Lessons: what the lecture page opens with, as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from rosenblatt.theory.textbook.lecture3 import Pick, augmented_perceptron
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import ArrayLike, NDArray
from rosenblatt.utils.checks import check_X_y

Lesson: TypeAlias = dict[str, Any]
"""A title and a list of states. A state has ``points`` (rows [x, y, label]), ``conventions``,
``order``, ``t`` (the look), ``asking`` (the look is asked for), ``tab``, ``beyond``, ``axes`` and
``classes`` (two names each), ``note``, ``lights``, ``hidden`` and ``locked``; all but the points
may be missing. The page writes and reads the same objects."""

PICKS: dict[Pick, str] = {"first": "first", "last": "last", "cyclic": "next", "worst": "worst"}
"""Ways to pick a mistake, as the page names them, that a run shows; else it picks at random."""
ONE_PASS = ("origin_perceptron", "online_perceptron")
MAX_POINTS, SMALLEST, LARGEST = 500, 1e-20, 1e9  # as in page/engine/limits.js


def lesson_of_points(
    X: ArrayLike,
    y: ArrayLike,
    title: str = "",
    *,
    axes: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
) -> Lesson:
    """Return a lesson with one state: points of the plane, at the first look.

    Parameters
    ----------
    X, y : array of shape (n, 2), array of shape (n,)
        At most 500 points; labels -1 and +1 or 0 and 1, possibly of one class.
    title : str, default ""
        Title of the lesson.
    axes, classes : sequence of 2 str, default None
        Names of the two columns of X, and of the negative and the positive label. None shows no
        names.

    Returns
    -------
    dict
        The lesson, for `rosenblatt.teach.html`.

    Raises
    ------
    ValueError
        If the points are not of the plane, or too many to be seen, or a name is no text.

    Examples
    --------
    >>> lesson_of_points([[1.0, 2.0], [2.0, 1.0]], [1, -1])
    {'title': '', 'states': [{'points': [[1.0, 2.0, 1], [2.0, 1.0, -1]]}]}
    """
    rows, signs = check_X_y(X, y, require_both=False)
    if rows.shape[1] != 2:
        raise ValueError(
            f"the page shows points of the plane: X must have 2 columns, got {rows.shape[1]}"
        )
    if len(rows) > MAX_POINTS:
        raise ValueError(f"the page shows at most {MAX_POINTS} points, got {len(rows)}")
    check_sizes(rows)
    names = {"axes": axes, "classes": classes}
    named = {field: [*pair] for field, pair in names.items() if pair is not None}
    for field, pair in named.items():
        if len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            raise ValueError(f"{field} must be two texts, got {names[field]!r:.80}")
    points = [[*row, sign] for row, sign in zip(rows.tolist(), signs.tolist(), strict=True)]
    return {"title": title, "states": [{"points": points, **named}]}


def check_sizes(rows: NDArray[np.float64]) -> None:
    """Refuse numbers with which the page does not compute: their squares would be inexact."""
    sizes = np.abs(rows[rows != 0.0])
    outside = sizes[(sizes < SMALLEST) | (sizes > LARGEST)]
    if outside.size:
        raise ValueError(
            f"the page takes 0 and numbers of sizes from {SMALLEST:g} to {LARGEST:g}, got "
            f"{float(outside[0])!r}: subtract a constant, or use other units"
        )


def steps_through(run: Trace) -> bool:
    """Return whether the page can step through a run, as `lesson_of_trace` takes it.

    Parameters
    ----------
    run : Trace

    Examples
    --------
    >>> from rosenblatt.textbook import batch_descent, perceptron
    >>> rows = [[1.0, 2.0], [2.0, 1.0]], [1, -1]
    >>> steps_through(perceptron(*rows)), steps_through(batch_descent(*rows))
    (True, False)
    """
    try:
        lesson_of_trace(run)
    except ValueError:
        return False
    return True


def lesson_of_trace(run: Trace) -> Lesson:
    """Return a lesson with one state: a recorded run, at its first look.

    The page shows the run as it was recorded. After a change of its points or conventions, the
    page's own engine runs.

    Parameters
    ----------
    run : Trace
        A run on points of the plane that corrects every mistake at once.

    Raises
    ------
    ValueError
        If the run is not of the plane, or updates otherwise, as batch gradient descent does, or its
        rate or its start is beyond the page's numbers.

    Examples
    --------
    >>> from rosenblatt.textbook import augmented_perceptron
    >>> lesson = lesson_of_trace(augmented_perceptron([[1.0, 2.0], [2.0, 1.0]], [1, -1]))
    >>> lesson["title"], lesson["states"][0]["recorded"]["rows"]
    ('augmented_perceptron', [1, 0])
    """
    corrections = np.diff([*run.used, len(run.weights) - 1])
    at_once = run.rates is None and np.array_equal(corrections, run.mistake)
    if not (at_once and run.along_rows):
        raise ValueError(
            "the page shows runs that correct every mistake at once, at one rate: "
            f"{run.algorithm} does not"
        )
    check_sizes(np.array([run.eta, *run.weights[0]]))
    lesson = lesson_of_points(run.points, run.y, run.algorithm)
    picks = run.algorithm == "augmented_perceptron"
    one_pass = run.algorithm in ONE_PASS
    starts = range(len(run)) if picks else range(0, len(run), len(run.X))
    ended = "converged" if run.converged else "ended" if one_pass else "open"
    start, b = run.line(0)
    lesson["states"][0] |= {
        "conventions": {
            "tie": 0 if run.algorithm == "sample_correction" else run.tie,
            "offset": {None: "none", 0: "first", -1: "last"}[run.offset],
            "eta": run.eta,
            "start": [*start.tolist(), b] if run.weights[0].any() else None,
            "pick": _pick_of(run) if picks else "every",
            "stop": "pass" if one_pass else "right",
        },
        "recorded": {
            "weights": run.weights.tolist(),
            "rows": run.order.tolist(),
            "used": run.used.tolist(),
            "scores": run.score.tolist(),
            "predictions": np.where(
                run.prediction == run.label, run.y[run.order], -run.y[run.order]
            ).tolist(),
            "wrong": run.mistake.tolist(),
            "epochStarts": [*starts],
            "status": ended,
        },
    }
    return lesson


def _pick_of(run: Trace) -> str:
    """Return how a run picks its mistakes: the first way that picks the same ones."""
    for pick, name in PICKS.items():
        again = augmented_perceptron(
            run.points, run.y, run.eta, pick=pick, tie=run.tie, start=run.weights[0],
            max_updates=max(1, len(run)),
        )  # fmt: skip
        if np.array_equal(again.order[: len(run)], run.order):
            return name
    return "random"
