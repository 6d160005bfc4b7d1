"""The kinds of update rules: their interfaces, and how to tell them apart."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, Protocol, TypeAlias, cast

from rosenblatt.utils.checks import is_library_class


class Rule(Protocol):
    """The interface of a rule, as the training loops use it."""

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """Return the step size τ in w ← w + τ x."""

    def weighted_step(self, score: float, y: float, sqnorm: float, weight: float) -> float:
        """Return τ for an example of this weight; default: τ times the weight."""

    def loss(self, score: float, y: float) -> float:
        """Return the loss of the example that the rule descends."""


class ConfidenceRule(Protocol):
    """The interface of a rule with a confidence, as the training loops use it."""

    def step(self, score: float, y: float, variance: float) -> tuple[float, float]:
        """Return the step size τ, and β, by which the confidences grow."""

    def weighted_step(
        self, score: float, y: float, variance: float, weight: float
    ) -> tuple[float, float]:
        """Return τ and β for an example of this weight; default: both times the weight."""

    def rate(self, before: float, after: float) -> float:
        """Return the rate s of a weight, from its c before and after the example."""

    def shrinkage(self, before: float, after: float) -> float:
        """Return the factor of a weight before it moves, from its c before and after; default 1."""

    def needs_variance(self, score: float, y: float) -> bool:
        """Return True if the step depends on the variance; else ``step`` gets 0."""

    def loss(self, score: float, y: float) -> float:
        """Return the loss of the example."""


class RescalingRule(Protocol):
    """The interface of a rule that rescales the weights, as the training loops use it."""

    def rescale(
        self, score: float, y: float, sqnorm: float, wsqnorm: float, t: int, k: int
    ) -> tuple[float, float]:
        """Return the factor of w, and the step size τ."""

    def weighted_rescale(
        self,
        score: float,
        y: float,
        sqnorm: float,
        wsqnorm: float,
        t: int,
        k: int,
        weight: float,
    ) -> tuple[float, float]:
        """Return both for an example of this weight; default: τ times the weight."""

    def loss(self, score: float, y: float) -> float:
        """Return the loss of the example."""


class ChoosingRule(Rule, Protocol):
    """The interface of a rule that learns one row of an epoch, which it chooses."""

    def overlap(self, score: float, y: float) -> float:
        """Return the number that is least for the row to learn."""


AnyRule: TypeAlias = Rule | ConfidenceRule | RescalingRule


class Traits(NamedTuple):
    """What the methods of a rule's class say of it.

    Attributes
    ----------
    confident : bool
        It keeps a confidence for each weight, or a full covariance.
    full : bool
        It keeps a full covariance.
    rescales : bool
        It rescales the weights.
    chooses_row : bool
        It learns one row of an epoch, which it chooses.
    plain : bool
        None of these: it moves w along each x, and does nothing else.
    ours : bool
        It is a class of the library.
    """

    confident: bool
    full: bool
    rescales: bool
    chooses_row: bool
    plain: bool
    ours: bool


def _traits(kind: type) -> Traits:
    """Return the traits of a class of rules.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> _traits(rules.PA)
    Traits(confident=False, full=False, rescales=False, chooses_row=False, plain=True, ours=True)
    """
    methods = "needs_variance", "rescale", "overlap"
    confident, rescales, chooses_row = (callable(getattr(kind, name, None)) for name in methods)
    full = bool(getattr(kind, "full_covariance", False))
    plain = not (confident or rescales or chooses_row)
    return Traits(confident, full, rescales, chooses_row, plain, is_library_class(kind))


traits_of: Callable[[type], Traits] = lru_cache(1000)(_traits)
"""``traits_of(kind)``: the traits of a class of rules, found once for each."""


def has_confidence(rule: object) -> bool:
    """Return True if a rule keeps a confidence for each weight.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> has_confidence(rules.AROW())
    True
    """
    return traits_of(type(rule)).confident


def has_full_covariance(rule: object) -> bool:
    """Return True if a rule with a confidence keeps a full covariance matrix.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> has_full_covariance(rules.FullAROW()), has_full_covariance(rules.AROW())
    (True, False)
    """
    return traits_of(type(rule)).full


def kind_of(rule: object) -> str:
    """Return the kind of a rule: "plain", "confident", "full" or "rescaling".

    A rule that chooses its row is plain: it moves w along x.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> kind_of(rules.PA()), kind_of(rules.FullAROW())
    ('plain', 'full')
    """
    traits = traits_of(type(rule))
    if traits.rescales:
        return "rescaling"
    if traits.full:
        return "full"
    return "confident" if traits.confident else "plain"


def kept_for(rule: object) -> dict[str, bool]:
    """Return whether a rule needs each kind of numbers besides the weights.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> kept_for(rules.AROW())
    {'confidence': True, 'full': False, 'rescaling': False}
    """
    traits = traits_of(type(rule))
    confidence = traits.confident and not traits.full
    return {"confidence": confidence, "full": traits.full, "rescaling": traits.rescales}


def has_rescaling(rule: object) -> bool:
    """Return True if a rule rescales the weights.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> has_rescaling(rules.OGD())
    True
    """
    return traits_of(type(rule)).rescales


def always_moves(rule: object) -> bool:
    """Return True if a rule changes w at an example that it learned long ago, as Pegasos does.

    The weights then change in epochs without an update, too.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> always_moves(rules.Pegasos()), always_moves(rules.ROMMA())
    (True, False)
    """
    if not has_rescaling(rule):
        return False
    factor, _ = cast(RescalingRule, rule).rescale(1e9, 1.0, 1.0, 1.0, 1, 1)
    return factor != 1.0


def chooses_row(rule: object) -> bool:
    """Return True if a rule learns one row of an epoch, which it chooses, as MinOver does.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> chooses_row(rules.MinOver()), chooses_row(rules.MarginPerceptron())
    (True, False)
    """
    return traits_of(type(rule)).chooses_row


def is_plain(rule: object) -> bool:
    """Return True if a rule moves w along each x, and does nothing else.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> is_plain(rules.PA()), is_plain(rules.AROW())
    (True, False)
    """
    return traits_of(type(rule)).plain


def smaller_steps(rule: object, parameter: str | None) -> str:
    """Return the advice of smaller steps, for a message; empty for a rule without a step size.

    ``parameter`` is the estimator's that sets it; None where the rule was passed as an object.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> smaller_steps(rules.LMS(), "eta0"), smaller_steps(rules.PA(), "eta0")
    (' or choose a smaller eta0', '')
    >>> smaller_steps(rules.LMS(), None)
    ' or choose a smaller step of the rule'
    """
    ours = traits_of(type(rule)).ours
    has_rate = ours and any(name != "phi" for name in getattr(rule, "_fields", ()))
    return f" or choose a smaller {parameter or 'step of the rule'}" if has_rate else ""
