"""Update rules: a rule returns the step size of one example.

From the example's score, label and squared norm::

    tau = step(score, y, sqnorm)        then        w <- w + tau * x

A rule is a ``NamedTuple`` whose fields are its hyperparameters, with two methods: ``step``, and
``loss``, the criterion that the rule descends (reported, and used by the stopping test). For a rule
without ``loss`` the perceptron criterion is used. For an example of another weight than 1 the loops
call ``weighted_step(score, y, sqnorm, weight)``: where the rule allows it, an example of weight 2
moves w as far as the same example twice (Karampatziakis and Langford 2011). Without such a method
the weight multiplies the step. Such a rule moves w along x only and does not see w. Other kinds
are :class:`ConfidenceRule`, :class:`WeightwiseRule`, which brings numbers of its own,
:class:`RescalingRule` and :class:`ChoosingRule`.

Labels are −1 and +1; :class:`LMS` and :class:`NormalizedLMS` also accept any real y.

Every module of this folder has a rule, or rules that share their formulas, with all that is known
of them (:class:`rosenblatt.theory.declaration.RuleDeclaration`): a new rule is one more module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.theory.declaration import KINDS, Field, RuleDeclaration, declared_in
from rosenblatt.theory.rule_checks import complete
from rosenblatt.theory.rule_kinds import (
    AnyRule,
    ChoosingRule,
    ConfidenceRule,
    RescalingRule,
    Rule,
    WeightwiseRule,
)

RULES: dict[str, Any] = {
    cls.declaration.name: cls
    for cls in sorted(
        declared_in(__name__, __path__), key=lambda cls: KINDS.index(cls.declaration.kind)
    )
}
"""The class of each name of a rule."""

DECLARATIONS: dict[str, RuleDeclaration] = {name: cls.declaration for name, cls in RULES.items()}
"""What each rule declares, by its name."""

NAMES = tuple(RULES)
"""The names of the rules."""

CLASSIFICATION_RULES = tuple(cls for cls in RULES.values() if not cls.declaration.real)
"""The rules for classification, with labels −1 and +1."""

__all__ = [
    "ChoosingRule",
    "ConfidenceRule",
    "Field",
    "RescalingRule",
    "Rule",
    "WeightwiseRule",
    "by_name",
    "complete",
    *(cls.__name__ for cls in RULES.values()),
]

globals().update({cls.__name__: cls for cls in RULES.values()})

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """The class of a rule, which the line above puts here."""


def by_name(name: str, eta: float, tie: float) -> AnyRule:
    """Return the rule for an estimator's ``rule=name``, at learning rate ``eta``.

    ``eta`` is the rule's step-size parameter: η, C, or another that its declaration names; some
    rules have none. An unknown name is a ValueError.

    Parameters
    ----------
    name : str
        One of ``rosenblatt.rules.NAMES``.
    eta : float
        Step size, as ``eta0`` of the estimators.
    tie : float
        What a score of 0 means, for the rules that have a choice: 0, −1 or +1.

    Examples
    --------
    >>> by_name("pa1", 0.5, 0.0)
    PA1(C=0.5)
    """
    if name not in RULES:
        from rosenblatt.utils.checks import shortened  # with NumPy, which names do without

        raise ValueError(
            f"rule must be one of {sorted(RULES)} or a rule object; got {shortened(name)}."
        )
    cls, declared = RULES[name], DECLARATIONS[name]
    fields = {declared.rate: declared.of_eta(eta)} if declared.rate else {}
    if "tie" in cls._fields:
        fields["tie"] = tie
    rule: AnyRule = cls(**fields)
    return rule
