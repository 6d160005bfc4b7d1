"""The compiled core's side of the linear loops: which problems it learns, and what it is told."""

from __future__ import annotations

from typing import Any

from rosenblatt._core import linear
from rosenblatt.engine.multiclass import Joint, UpdateSpec
from rosenblatt.engine.rows import Rows
from rosenblatt.engine.state import State
from rosenblatt.theory.penalties import NoPenalty
from rosenblatt.utils.classes import is_library_class

Learner = linear.Learner
"""The loops, bound to a state and to a rule with its options."""


def learns(rows: Rows, state: State, spec: UpdateSpec) -> bool:
    """Return True if the core has the rule, and rows and weights are of one type.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.engine.rows import Dense
    >>> from rosenblatt.engine.state import empty
    >>> from rosenblatt.theory.rules import PA
    >>> spec = UpdateSpec(PA(), None, np.ones(1), 0.0, True, 1.0)
    >>> learns(Dense(np.ones((3, 2))), empty(2, 1), spec)
    True
    """
    kind = type(spec.rule)
    same_type: bool = rows[0].dtype == state.W.dtype
    return same_type and is_library_class(kind) and linear.has_rule(kind.__name__)


def learner(state: State, spec: UpdateSpec) -> Learner:
    """Return the loops for a state, whose arrays must stay the same while they are in use."""
    scheme = "joint" if isinstance(spec.scheme, Joint) else "one-vs-rest"
    penalty: Any = None
    if not isinstance(spec.penalty, NoPenalty):
        penalty = spec.penalty.decay(), spec.penalty.truncation()
    rule: Any = spec.rule
    return Learner(
        state,
        (
            type(rule).__name__,
            tuple(rule),
            "none" if spec.scheme is None else scheme,
            spec.class_weight,
            spec.tie,
            bool(spec.intercept),
            spec.bias_sqnorm,
            penalty,
            bool(spec.average),
            bool(spec.pocket),
        ),
    )
