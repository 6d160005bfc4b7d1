"""Checks of the rules that users pass, and the optional methods of a rule of their own."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator
from numbers import Real
from typing import Any, NamedTuple, cast

from rosenblatt.theory.confidence import AROW, NAROW
from rosenblatt.theory.minover import MinOver
from rosenblatt.theory.rescaling import OGD, ROMMA
from rosenblatt.theory.rule_kinds import AnyRule, has_confidence, has_rescaling
from rosenblatt.utils.checks import as_float, is_library_class, shortened


def complete(rule: Any) -> AnyRule:
    """Return ``rule``, checked, with float fields and its optional methods.

    The defaults of ``loss``, the perceptron criterion, of ``shrinkage``, none, and of the methods
    for weights, which multiply the step, are added to the rule's own class.

    Raises
    ------
    TypeError
        ``rule`` is not a NamedTuple with a method ``step(score, y, sqnorm)``, or ``rescale``.
    ValueError
        A field of a built-in rule is out of its range.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> complete(rules.PA1(C=1))
    PA1(C=1.0)
    """
    cls: Any = type(rule)
    moves = hasattr(cls, "step") or hasattr(cls, "rescale")
    if not (isinstance(rule, tuple) and hasattr(cls, "_fields") and moves):
        raise TypeError(
            "rule must be a name or a NamedTuple with a method step(score, y, sqnorm) or "
            f"rescale; got {shortened(rule)}{'' if moves else ', which has neither'}. "
            "See rosenblatt.rules for examples."
        )
    if is_library_class(cls):
        _check_numbers(rule)
    else:
        _check_methods(rule)
    if not hasattr(cls, "loss"):
        cls.loss = ROMMA.loss
    if has_confidence(rule) and not hasattr(cls, "shrinkage"):
        cls.shrinkage = AROW.shrinkage
    if has_rescaling(rule) and not hasattr(cls, "weighted_rescale"):
        cls.weighted_rescale = OGD.weighted_rescale
    elif not has_rescaling(rule) and not hasattr(cls, "weighted_step"):
        cls.weighted_step = (NAROW if has_confidence(rule) else MinOver).weighted_step
    return cast(AnyRule, cls(*_float_fields(rule)))


def _check_numbers(rule: Any) -> None:
    """Refuse a built-in rule with a field out of its range."""
    for name, value in rule._asdict().items():
        valid = isinstance(value, Real) and math.isfinite(as_float(value))
        if name == "tie":
            valid, allowed = valid and value in (-1, 0, 1), "-1, 0 or 1"
        elif name in ("beta", "epsilon"):
            valid, allowed = valid and value >= 0, "a finite number, 0 or more"
        else:
            valid, allowed = valid and value > 0, "a finite number above 0"
        if not valid:
            raise ValueError(
                f"{type(rule).__name__} cannot have {name}={shortened(value)}: {name} is {allowed}."
            )


def _float_fields(rule: Any) -> Iterator[float]:
    """Yield the fields of a rule as floats."""
    for name, value in rule._asdict().items():
        try:
            yield float(value)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"{type(rule).__name__} cannot have {name}={shortened(value)}: the fields of a "
                "rule are numbers, and fit a float64."
            ) from None


class Interface(NamedTuple):
    """The methods of a kind of rule, as their parameters, and what the first of them returns.

    Attributes
    ----------
    required : dict of str to str
        The first is the one that is tried.
    optional : dict of str to str
    returns : str
    numbers : int
        How many numbers it returns.
    """

    required: dict[str, str]
    optional: dict[str, str]
    returns: str
    numbers: int


_LOSS = {"loss": "score, y"}
_PLAIN = Interface(
    {"step": "score, y, sqnorm"},
    _LOSS | {"overlap": "score, y", "weighted_step": "score, y, sqnorm, weight"},
    "a number, the step size",
    1,
)
_CONFIDENT = Interface(
    {"step": "score, y, variance", "rate": "before, after", "needs_variance": "score, y"},
    _LOSS | {"shrinkage": "before, after", "weighted_step": "score, y, variance, weight"},
    "two numbers, τ and β",
    2,
)
_RESCALING = Interface(
    {"rescale": "score, y, sqnorm, wsqnorm, t, k"},
    _LOSS | {"weighted_rescale": "score, y, sqnorm, wsqnorm, t, k, weight"},
    "two numbers, the factor and τ",
    2,
)
_VALUES = {"score": 0.0, "y": 1.0, "t": 1, "k": 1}
"""Arguments of the call that tries a rule; all others are 1.0."""


def _check_methods(rule: Any) -> None:
    """Call a user's rule once in plain Python, where an error is easy to read."""
    name = type(rule).__name__
    if has_confidence(rule) and has_rescaling(rule):
        raise TypeError(f"{name} has needs_variance and rescale: a rule is of one kind.")
    interface = _CONFIDENT if has_confidence(rule) else _PLAIN
    interface = _RESCALING if has_rescaling(rule) else interface
    for method, wanted in (interface.required | interface.optional).items():
        if method in interface.required and not hasattr(rule, method):
            raise TypeError(f"{name} has needs_variance, so it needs a method {method}({wanted}).")
        if hasattr(rule, method):
            parameters = ", ".join(inspect.signature(getattr(rule, method)).parameters)
            if parameters != wanted:
                raise TypeError(f"{name}.{method} must take ({wanted}); it takes ({parameters}).")
    method, parameters = next(iter(interface.required.items()))
    values = {parameter: _VALUES.get(parameter, 1.0) for parameter in parameters.split(", ")}
    arguments = ", ".join(f"{parameter}={value}" for parameter, value in values.items())
    try:
        result = getattr(rule, method)(*values.values())
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
        raise TypeError(f"{name}.{method}({arguments}) failed: {failure}") from error
    numbers = result if isinstance(result, tuple) and interface.numbers == 2 else (result,)
    if len(numbers) != interface.numbers or not all(isinstance(x, Real) for x in numbers):
        wanted = interface.returns
        raise TypeError(
            f"{name}.{method} must return {wanted}; it returned {result!r} for {arguments}."
        )
