"""Checks of the rules that users pass, and the optional methods of a rule of their own."""

from __future__ import annotations

import math
from collections.abc import Iterator
from numbers import Real
from typing import Any, NamedTuple, cast

from rosenblatt.theory.declaration import Field, declaration_of, is_within, ranges_of
from rosenblatt.theory.rule_kinds import (
    MOST_COUNTS,
    MOST_NUMBERS,
    STEPS,
    AnyRule,
    kind_of,
    traits_of,
)


def complete(rule: object) -> AnyRule:
    """Return ``rule``, checked, with float fields and its optional methods.

    The defaults of ``loss``, the perceptron criterion, of ``shrinkage``, none, and of the methods
    for weights, which multiply the step, are added to the rule's own class.

    Parameters
    ----------
    rule : NamedTuple
        A rule of the library or of your own.

    Raises
    ------
    TypeError
        ``rule`` is not a NamedTuple with a method ``step(score, y, sqnorm)``, or those of another
        kind.
    ValueError
        A field of a built-in rule is out of its range.

    Examples
    --------
    >>> from rosenblatt import rules
    >>> complete(rules.PA1(C=1))
    PA1(C=1.0)
    """
    from rosenblatt.utils.checks import shortened  # with NumPy, which names do without

    cls: Any = type(rule)
    moves = any(hasattr(cls, method) for method in STEPS)
    if not (isinstance(rule, tuple) and hasattr(cls, "_fields") and moves):
        fault = "" if moves else ", which has none of them"
        if isinstance(rule, type):
            fault = f", a class: give an object, {rule.__name__}()"
        raise TypeError(
            "rule must be a name or a NamedTuple with a method step(score, y, sqnorm), gradient or "
            f"rescale; got {shortened(rule)}{fault}. "
            "See rosenblatt.rules for examples."
        )
    if declaration_of(cls) is not None:
        _check_numbers(rule)
        return cast(AnyRule, cls(*_float_fields(rule)))
    _check_methods(rule)
    defaults = {"loss": _criterion} | _DEFAULTS[kind_of(rule)]
    if hasattr(cls, "rate") and "weighted_gradient" in defaults:
        defaults["weighted_gradient"] = _gradient_with_variance_times_weight
    for name, default in defaults.items():
        if not hasattr(cls, name):
            setattr(cls, name, default)
    return cast(AnyRule, cls(*_float_fields(rule)))


def _criterion(self: Any, score: float, y: float) -> float:
    return max(0.0, -y * score)


def _no_shrinkage(self: Any, before: float, after: float) -> float:
    return 1.0


def _times_weight(self: Any, score: float, y: float, sqnorm: float, weight: float) -> Any:
    return self.step(score, y, sqnorm) * weight


def _both_times_weight(self: Any, score: float, y: float, variance: float, weight: float) -> Any:
    tau, beta = self.step(score, y, variance)
    return tau * weight, beta * weight


def _times_weight_after_rescaling(
    self: Any, score: float, y: float, sqnorm: float, wsqnorm: float, t: int, k: int, weight: float
) -> Any:
    factor, tau = self.rescale(score, y, sqnorm, wsqnorm, t, k)
    return factor, tau * weight


def _gradient_times_weight(self: Any, score: float, y: float, weight: float) -> Any:
    return self.gradient(score, y) * weight


def _gradient_with_variance_times_weight(
    self: Any, score: float, y: float, variance: float, weight: float
) -> Any:
    return self.gradient(score, y, variance) * weight


_OF_CONFIDENCES = {"shrinkage": _no_shrinkage, "weighted_step": _both_times_weight}
_DEFAULTS: dict[str, dict[str, Any]] = {
    "plain": {"weighted_step": _times_weight},
    "confident": _OF_CONFIDENCES,
    "full": _OF_CONFIDENCES,
    "weightwise": {"weighted_gradient": _gradient_times_weight},
    "rescaling": {"weighted_rescale": _times_weight_after_rescaling},
}
"""The optional methods of each kind, for a class that lacks them."""


def _check_numbers(rule: Any) -> None:
    """Refuse a built-in rule with a field out of its range."""
    from rosenblatt.utils.checks import as_float, shortened

    ranges = ranges_of(type(rule))
    for name, value in rule._asdict().items():
        if not (isinstance(value, Real) and is_within(as_float(value), ranges[name])):
            raise ValueError(
                f"{type(rule).__name__} cannot have {name}={shortened(value)}: {name} is "
                f"{ranges[name].words}."
            )


def _float_fields(rule: Any) -> Iterator[float]:
    """Yield the fields of a rule as floats."""
    for name, value in rule._asdict().items():
        try:
            yield float(value)
        except (TypeError, ValueError, OverflowError):
            from rosenblatt.utils.checks import shortened

            raise ValueError(
                f"{type(rule).__name__} cannot have {name}={shortened(value)}: the fields of a "
                "rule are numbers, and fit a float64."
            ) from None


class Interface(NamedTuple):
    """The methods of a kind of rule, as their parameters, and what those return that are tried.

    Attributes
    ----------
    required, optional : dict of str to str
    returns : dict of str to (str, int)
        In words, and how many numbers.
    """

    required: dict[str, str]
    optional: dict[str, str]
    returns: dict[str, tuple[str, int]]


_LOSS = {"loss": "score, y"}
_PLAIN = Interface(
    {"step": "score, y, sqnorm"},
    _LOSS | {"overlap": "score, y", "weighted_step": "score, y, sqnorm, weight"},
    {"step": ("a number, the step size", 1)},
)
_CONFIDENT = Interface(
    {"step": "score, y, variance", "rate": "before, after", "needs_variance": "score, y"},
    _LOSS | {"shrinkage": "before, after", "weighted_step": "score, y, variance, weight"},
    {"step": ("two numbers, τ and β", 2)},
)
_RESCALING = Interface(
    {"rescale": "score, y, sqnorm, wsqnorm, t, k"},
    _LOSS | {"weighted_rescale": "score, y, sqnorm, wsqnorm, t, k, weight"},
    {"rescale": ("two numbers, the factor and τ", 2)},
)
_INTERFACES = {
    "plain": _PLAIN,
    "confident": _CONFIDENT,
    "full": _CONFIDENT,
    "rescaling": _RESCALING,
}
_VALUES = {"score": 0.0, "y": 1.0, "t": 1, "k": 1}
"""Arguments of the call that tries a rule; all others are 1.0."""


def _weightwise(rule: object) -> Interface:
    """Return the methods of a weightwise rule, whose parameters have the names of its numbers."""
    name, numbers = type(rule).__name__, getattr(rule, "numbers", None)
    fields = [*numbers.values()] if isinstance(numbers, dict) else []
    valid = 1 <= len(fields) <= MOST_NUMBERS and all(isinstance(field, Field) for field in fields)
    if numbers is None or not valid:
        raise TypeError(
            f"{name} has gradient, so it needs a dict of one to {MOST_NUMBERS} numbers for each "
            "weight, numbers = {'sums': Field()}, with rosenblatt.rules.Field."
        )
    for number, field in numbers.items():
        _check_field(f"{name}.numbers[{number!r}]", field)
    counts = _counts(rule)
    own, seen = ", ".join(numbers), "score, y, variance" if hasattr(rule, "rate") else "score, y"
    kept = ", ".join(["w", *numbers, *counts])
    moved = f"{1 + len(numbers)} numbers, w, {own}", 1 + len(numbers)
    touched = f"{1 + len(numbers) + len(counts)} numbers, {kept}", 1 + len(numbers) + len(counts)
    tried = {"touch": touched} if hasattr(rule, "touch") else {}
    rate = {"rate": ("a number, the variance of the weight", 1)} if hasattr(rule, "rate") else {}
    part = {"part": ("a number, the part of the step", 1)} if hasattr(rule, "part") else {}
    begin = {"begin": ", ".join(counts), "touch": f"{kept}, x"} if counts else {}
    if counts:
        size = "a number" if len(counts) == 1 else f"{len(counts)} numbers"
        tried = {"begin": (f"{size}, {begin['begin']}", len(counts))} | tried
    return Interface(
        {"gradient": seen, "move": f"{kept}, x, g" + (", part" if part else "")} | begin,
        _LOSS
        | {"weighted_gradient": f"{seen}, weight", "touch": f"{kept}, x", "rate": own}
        | {"part": "score, y, change"},
        {"gradient": ("a number, g", 1), "move": moved} | tried | rate | part,
    )


def _counts(rule: object) -> dict[str, Field]:
    """Return what a weightwise rule keeps for each weight vector."""
    name, counts = type(rule).__name__, getattr(rule, "counts", {})
    fields = [*counts.values()] if isinstance(counts, dict) else [None]
    if len(fields) > MOST_COUNTS or not all(isinstance(field, Field) for field in fields):
        raise TypeError(
            f"{name}.counts must be a dict of at most {MOST_COUNTS} numbers for each weight "
            "vector, counts = {'rows': Field()}, with rosenblatt.rules.Field."
        )
    for count, field in counts.items():
        _check_field(f"{name}.counts[{count!r}]", field)
    return dict(counts)


def _check_field(name: str, field: Field) -> None:
    """Refuse a field that is no number for each weight, or whose values make no sense."""
    choices = {
        "shape": ("weights",),
        "dtype": ("float64",),
        "kept": (None,),
        "two_classes": ("mirrored", "copied", "fresh"),
        "mixture": ("mean", "sum", "largest", "fresh"),
    }
    for attribute, allowed in choices.items():
        value = getattr(field, attribute)
        if value not in allowed:
            choice = " or ".join(map(repr, allowed))
            raise ValueError(f"{name}.{attribute} must be {choice} for a rule; got {value!r}.")
    try:
        sensible = math.isfinite(field.initial) and field.minimum <= field.initial
    except TypeError:
        sensible = False
    if not sensible:
        raise ValueError(
            f"{name}.initial must be a finite number, and at least its minimum; got "
            f"{field.initial!r} with minimum={field.minimum!r}."
        )


def _check_methods(rule: object) -> None:
    """Call a user's rule once with the loops' arguments, where an error is easy to read."""
    import inspect  # slow to import, and for a user's rule only

    name, traits = type(rule).__name__, traits_of(type(rule))
    kinds = {
        "needs_variance": traits.confident,
        "gradient": traits.weightwise,
        "rescale": traits.rescales,
    }
    several = [method for method, there in kinds.items() if there]
    if len(several) > 1:
        raise TypeError(f"{name} has {' and '.join(several)}: a rule is of one kind.")
    interface = _weightwise(rule) if traits.weightwise else _INTERFACES[kind_of(rule)]
    for method, wanted in (interface.required | interface.optional).items():
        if method in interface.required and not hasattr(rule, method):
            raise TypeError(f"{name} has {several[0]}, so it needs a method {method}({wanted}).")
        if hasattr(rule, method):
            parameters = ", ".join(inspect.signature(getattr(rule, method)).parameters)
            if parameters != wanted:
                raise TypeError(f"{name}.{method} must take ({wanted}); it takes ({parameters}).")
    for method, (words, numbers) in interface.returns.items():
        parameters = (interface.required | interface.optional)[method]
        _try_method(rule, method, parameters, words, numbers)


def _try_method(rule: object, method: str, parameters: str, words: str, count: int) -> None:
    """Call a method once, and refuse what it returns if it is not so many numbers."""
    import numpy as np

    name = type(rule).__name__
    tried = {parameter: _VALUES.get(parameter, 1.0) for parameter in parameters.split(", ")}
    # NumPy's numbers, as in the loops: a division by zero is no error
    values = {name: np.asarray(value)[()] for name, value in tried.items()}
    arguments = ", ".join(f"{parameter}={value}" for parameter, value in values.items())
    try:
        with np.errstate(all="ignore"):
            result = getattr(rule, method)(*values.values())
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
        raise TypeError(f"{name}.{method}({arguments}) failed: {failure}") from error
    numbers = result if isinstance(result, tuple) and count > 1 else (result,)
    valid = len(numbers) == count and all(isinstance(x, Real) for x in numbers)
    if not valid or any(x != x for x in numbers):
        result = result.item() if isinstance(result, np.generic) else result
        raise TypeError(
            f"{name}.{method} must return {words}; it returned {result!r} for {arguments}."
        )
