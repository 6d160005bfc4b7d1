"""Checks of the rules that users pass, and the optional methods of a rule of their own."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any, NamedTuple, cast

from rosenblatt.theory.declaration import declaration_of, is_within, ranges_of
from rosenblatt.theory.rule_kinds import AnyRule, has_confidence, has_rescaling


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
    from rosenblatt.utils.checks import shortened  # with NumPy, which names do without

    cls: Any = type(rule)
    moves = hasattr(cls, "step") or hasattr(cls, "rescale")
    if not (isinstance(rule, tuple) and hasattr(cls, "_fields") and moves):
        raise TypeError(
            "rule must be a name or a NamedTuple with a method step(score, y, sqnorm) or "
            f"rescale; got {shortened(rule)}{'' if moves else ', which has neither'}. "
            "See rosenblatt.rules for examples."
        )
    if declaration_of(cls) is not None:
        _check_numbers(rule)
        return cast(AnyRule, cls(*_float_fields(rule)))
    _check_methods(rule)
    if not hasattr(cls, "loss"):
        cls.loss = _criterion
    if has_confidence(rule) and not hasattr(cls, "shrinkage"):
        cls.shrinkage = _no_shrinkage
    if has_rescaling(rule) and not hasattr(cls, "weighted_rescale"):
        cls.weighted_rescale = _times_weight_after_rescaling
    elif not has_rescaling(rule) and not hasattr(cls, "weighted_step"):
        cls.weighted_step = _both_times_weight if has_confidence(rule) else _times_weight
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
    """Call a user's rule once with the loops' arguments, where an error is easy to read."""
    import inspect  # slow to import, and for a user's rule only

    import numpy as np

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
    numbers = result if isinstance(result, tuple) and interface.numbers == 2 else (result,)
    valid = len(numbers) == interface.numbers and all(isinstance(x, Real) for x in numbers)
    if not valid or any(x != x for x in numbers):
        wanted = interface.returns
        result = result.item() if isinstance(result, np.generic) else result
        raise TypeError(
            f"{name}.{method} must return {wanted}; it returned {result!r} for {arguments}."
        )
