"""How a model decides, beside its weights, in the notes of its file.

Versions that do not know of it read the model, and predict the most probable class.
"""

from __future__ import annotations

from typing import Any

from rosenblatt.learning import interface
from rosenblatt.learning.costs import Costs

KEY = "_decisions"
"""The note; other notes are the user's."""


def with_decisions(model: Any, notes: Any) -> Any:
    """Return notes with how the model decides now, whatever they had of it.

    Raises
    ------
    TypeError
        The notes are no object, and the model has costs.
    """
    decisions = {}
    if (costs := getattr(model, "costs_", None)) is not None:
        decisions["costs"] = list(costs)
    if not isinstance(notes, dict):
        if decisions:
            raise TypeError(f"notes of a model with costs must be an object; got {notes!r:.80}.")
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
    match noted:
        case {"costs": [costs_fp, costs_fn], **rest} if not rest:
            interface.restore_costs(model, Costs.of(costs_fp, costs_fn))
        case _:
            raise ValueError(f"its note on decisions cannot be {noted!r:.80}")
