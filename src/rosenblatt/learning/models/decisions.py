"""How a model decides, beside its weights, in the notes of its file.

A model with costs has format 6, so that no version reads it that would predict without them. Scores
for prediction sets need none: versions that do not know of them have no sets.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.learning import interface
from rosenblatt.learning.decisions.costs import Costs
from rosenblatt.learning.decisions.sets import MAX_KEPT

KEY = "_decisions"
"""The note; other notes are the user's."""


def with_decisions(model: object, notes: object) -> Any:
    """Return notes with how the model decides now, whatever they had of it.

    Raises
    ------
    TypeError
        The notes are no object, and the model has costs or scores for sets.
    """
    decisions: dict[str, object] = {}
    if (costs := getattr(model, "costs_", None)) is not None:
        decisions["costs"] = list(costs)
    if (scores := getattr(model, "set_scores_", None)) is not None:
        decisions["set_scores"] = scores.tolist()
    if not isinstance(notes, dict):
        if decisions:
            raise TypeError(
                f"notes of a model with costs or sets must be an object; got {notes!r:.80}."
            )
        return notes
    rest = {name: note for name, note in notes.items() if name != KEY}
    return rest | {KEY: decisions} if decisions else rest


def decide_as_noted(model: Any, notes: Any) -> None:
    """Have a model decide as the notes of its file say.

    Raises
    ------
    ValueError
        The note is damaged, or does not go with the model.
    """
    noted = notes.get(KEY) if isinstance(notes, dict) else None
    if noted is None:
        return
    if not (isinstance(noted, dict) and noted.keys() <= {"costs", "set_scores"}):
        raise ValueError(f"its note on decisions cannot be {noted!r:.80}")
    match noted.get("costs"):
        case None:
            pass
        case [false_positive, false_negative]:
            interface.restore_costs(model, Costs.of(false_positive, false_negative))
        case costs:
            raise ValueError(f"its costs cannot be {costs!r:.80}")
    if (scores := noted.get("set_scores")) is not None:
        if not (isinstance(scores, list) and 0 < len(scores) <= MAX_KEPT and _are_shares(scores)):
            raise ValueError(f"its scores for prediction sets cannot be {scores!r:.80}")
        interface.restore_set_scores(model, np.sort(np.array(scores, np.float64)))


def _are_shares(scores: list[Any]) -> bool:
    return all(type(score) in (int, float) and 0.0 <= score <= 1.0 for score in scores)
