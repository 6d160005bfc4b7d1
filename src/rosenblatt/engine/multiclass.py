"""How classes learn from one rule: two by one vector, more each against the rest, or jointly.

A scheme is a ``NamedTuple`` with one method, ``decide``: given the scores of all classes for one
example, it asks the rule and writes how far each class moves. It returns whether any does.
``own`` is the weight of the example for its own class, ``rest`` for the others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from rosenblatt.engine.jit import is_mistake
from rosenblatt.theory.rules import Rule

Array = NDArray[Any]


class OneVsRest(NamedTuple):
    """One weight vector a class, each a two-class problem of its own (lecture row L3.5).

    Class k sees the label +1 on its own examples and −1 on all others; a mistake is a wrong sign.
    """

    def compute_steps(
        self,
        scores: Array,
        label: int,
        sqnorm: float,
        rule: Rule,
        tie: float,
        active: Array,
        own_weight: float,
        rest_weight: float,
        taus: Array,
        losses: Array,
        mistakes: Array,
    ) -> bool:
        """Ask the rule once for every class that still learns."""
        moved = False
        for k in range(scores.shape[0]):
            taus[k] = 0.0
            if active[k]:
                score = scores[k]
                y = 1.0 if k == label else -1.0
                losses[k] += rule.loss(score, y)
                if is_mistake(score, y, tie):
                    mistakes[k] += 1
                taus[k] = rule.step(score, y, sqnorm) * (own_weight if k == label else rest_weight)
                moved = moved or taus[k] != 0.0
        return moved


class Joint(NamedTuple):
    """One arg max over all classes: the right class moves up, its strongest rival down.

    Kesler's construction (Duda and Hart 1973, §5.12; Crammer and Singer 2003): the example is the
    difference of two copies of x, with score s_label − max over the others, label +1 and squared
    norm 2‖x‖². A mistake, and the loss, are counted once, for the example's class; a tie always is
    a mistake.
    """

    def compute_steps(
        self,
        scores: Array,
        label: int,
        sqnorm: float,
        rule: Rule,
        tie: float,
        active: Array,
        own_weight: float,
        rest_weight: float,
        taus: Array,
        losses: Array,
        mistakes: Array,
    ) -> bool:
        """Ask the rule once, about the right class against its strongest rival."""
        rival = -1
        for k in range(scores.shape[0]):
            taus[k] = 0.0
            if active[k] and k != label and (rival < 0 or scores[k] > scores[rival]):
                rival = k
        score = scores[label] - scores[rival]
        losses[label] += rule.loss(score, 1.0)
        if is_mistake(score, 1.0, 0.0):
            mistakes[label] += 1
        tau = rule.step(score, 1.0, 2.0 * sqnorm) * own_weight
        taus[label] = tau
        taus[rival] = -tau
        return tau != 0.0


class Binary(NamedTuple):
    """One weight vector: class 1 sees the label +1, class 0 sees −1."""

    def compute_steps(
        self,
        scores: Array,
        label: int,
        sqnorm: float,
        rule: Rule,
        tie: float,
        active: Array,
        own_weight: float,
        rest_weight: float,
        taus: Array,
        losses: Array,
        mistakes: Array,
    ) -> bool:
        """Ask the rule once."""
        score = scores[0]
        y = 1.0 if label == 1 else -1.0
        losses[0] += rule.loss(score, y)
        if is_mistake(score, y, tie):
            mistakes[0] += 1
        tau = rule.step(score, y, sqnorm) * own_weight
        taus[0] = tau
        return tau != 0.0


Scheme = OneVsRest | Joint | Binary


def by_name(name: str) -> Scheme:
    """The scheme that an estimator's ``multi_class=name`` means.

    Raises
    ------
    ValueError
        ``name`` is neither "ovr" nor "joint".

    Examples
    --------
    >>> by_name("joint")
    Joint()
    """
    if name == "ovr":
        return OneVsRest()
    if name == "joint":
        return Joint()
    raise ValueError(f"multi_class must be 'ovr' or 'joint'; got {name!r}.")
