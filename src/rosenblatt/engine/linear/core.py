"""The loops of the compiled core, bound to a state and to a rule with its options."""

from __future__ import annotations

from typing import Any

from rosenblatt._core import linear
from rosenblatt.engine.linear.compiled_rules import compiled
from rosenblatt.engine.multiclass import Joint, UpdateSpec
from rosenblatt.engine.state import FIELDS, State
from rosenblatt.theory import calibration
from rosenblatt.theory.penalties import NoPenalty
from rosenblatt.theory.rule_kinds import kind_of, own_fields, traits_of

Learner = linear.Learner
"""The loops, bound to a state and to a rule with its options."""


def is_of_user(spec: UpdateSpec) -> bool:
    """Return True if the rule is no class of the library: the loops call its methods.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.theory.rules import PA
    >>> is_of_user(UpdateSpec(PA(), None, np.ones(1), 0.0, True, 1.0))
    False
    """
    return not traits_of(type(spec.rule)).ours


def learner(state: State, spec: UpdateSpec) -> Learner:
    """Return the loops for a state, whose arrays must stay the same while they are in use."""
    scheme = "joint" if isinstance(spec.scheme, Joint) else "one-vs-rest"
    penalty: Any = None
    if not isinstance(spec.penalty, NoPenalty):
        penalty = spec.penalty.decay(), spec.penalty.truncation()
    rule: Any = spec.rule
    ours = traits_of(type(spec.rule)).ours
    declared = own_fields(type(rule))
    own = tuple([state.own[name] for name in declared if name in state.own]) if declared else ()
    calibrated: Any = None
    if spec.calibrates is not None:
        kept = (state.own[name] for name in calibration.FIELDS)
        calibrated = spec.calibrates == "average", *kept
    arrays: Any = (*state[: len(FIELDS)], own)
    return Learner(
        arrays,
        (
            type(rule).__name__ if ours else compiled(rule) or rule,
            tuple(rule) if ours else kind_of(rule),
            "none" if spec.scheme is None else scheme,
            spec.class_weight,
            spec.tie,
            bool(spec.intercept),
            spec.bias_sqnorm,
            penalty,
            bool(spec.average),
            bool(spec.pocket),
            calibrated,
        ),
    )
