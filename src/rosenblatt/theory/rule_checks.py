"""Checks of the rules that users pass: numbers in range, and methods of a rule of their own."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator
from numbers import Real
from typing import Any

from rosenblatt.theory.confidence import has_confidence
from rosenblatt.utils.checks import as_float, shortened


def check_numbers(rule: Any) -> None:
    """Refuse a built-in rule with a field out of its range."""
    for name, value in rule._asdict().items():
        valid = isinstance(value, Real) and math.isfinite(as_float(value))
        if valid and name == "tie":
            valid = value in (-1, 0, 1)
        elif valid:
            valid = value >= 0 if name in ("beta", "epsilon") else value > 0
        if not valid:
            raise ValueError(f"{type(rule).__name__} cannot have {name}={shortened(value)}.")


def float_fields(rule: Any) -> Iterator[float]:
    """Yield the fields of a rule as floats."""
    for name, value in rule._asdict().items():
        try:
            yield float(value)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"{type(rule).__name__} cannot have {name}={shortened(value)}: the fields of a "
                "rule are numbers, and fit a float64."
            ) from None


def check_step(rule: Any) -> None:
    """Call a user's rule once in plain Python, where an error is easy to read."""
    name, confident = type(rule).__name__, has_confidence(rule)
    size = "variance" if confident else "sqnorm"
    required = {"step": f"score, y, {size}"}
    if confident:
        required |= {"rate": "before, after", "needs_variance": "score, y"}
    for method, wanted in (required | {"loss": "score, y"}).items():
        if method in required and not hasattr(rule, method):
            raise TypeError(f"{name} has needs_variance, so it needs a method {method}({wanted}).")
        if hasattr(rule, method):
            parameters = ", ".join(inspect.signature(getattr(rule, method)).parameters)
            if parameters != wanted:
                raise TypeError(f"{name}.{method} must take ({wanted}); it takes ({parameters}).")
    arguments = f"score=0.0, y=1.0, {size}=1.0"
    try:
        step = rule.step(0.0, 1.0, 1.0)
    except Exception as error:
        raise TypeError(
            f"{name}.step({arguments}) failed: {type(error).__name__}: {error}"
        ) from error
    pair = isinstance(step, tuple) and len(step) == 2
    numbers = step if confident and pair else (step,)
    if len(numbers) != 1 + confident or not all(isinstance(x, Real) for x in numbers):
        wanted = "two numbers, τ and β" if confident else "a number, the step size"
        raise TypeError(f"{name}.step must return {wanted}; it returned {step!r} for {arguments}.")
