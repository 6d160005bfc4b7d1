"""What the estimators' parameters may be; a parameter that is not says so by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.engine.kernel import budgets
from rosenblatt.utils.checks import check_choice, check_number


def _number(low: float, high: float = np.inf, **options: bool) -> Callable[[str, Any], None]:
    return lambda name, value: check_number(name, value, low, high, **options)


def _choice(*choices: Any) -> Callable[[str, Any], None]:
    return lambda name, value: check_choice(name, value, choices)


def _optional(check: Callable[[str, Any], None]) -> Callable[[str, Any], None]:
    return lambda name, value: None if value is None else check(name, value)


def _flag(name: str, value: Any) -> None:
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False; got {value!r}.")


def _class_weight(name: str, value: Any) -> None:
    if not (value is None or value == "balanced" or isinstance(value, dict)):
        raise ValueError(f"{name} must be a dict, 'balanced' or None; got {value!r}.")


_CHECKS: dict[str, Callable[[str, Any], None]] = {
    "budget_scheme": _choice(*budgets.NAMES),
    "multi_class": _choice("ovr", "joint"),
    "tie": _choice(0, -1, 1),
    "penalty": _choice(None, "l2", "l1", "elasticnet"),
    "alpha": _number(0),
    "l1_ratio": _number(0, 1),
    "max_iter": _number(1, whole=True),
    "tol": _optional(_number(0)),
    "eta0": _number(0, open_low=True),
    "C": _number(0, open_low=True),
    "validation_fraction": _number(0, 1, open_low=True, open_high=True),
    "n_iter_no_change": _number(1, whole=True),
    "shards": _number(1, whole=True),
    "n_jobs": _optional(_number(-np.inf, whole=True)),
    "verbose": lambda name, value: check_number(name, int(value), 0, whole=True),
    "fit_intercept": _flag,
    "expansion": _flag,
    "shuffle": _flag,
    "early_stopping": _flag,
    "warm_start": _flag,
    "average": _flag,
    "cache_size": _number(0),
    "budget": _optional(_number(1, whole=True)),
    "max_features": _optional(_number(1, whole=True)),
    "loss": _choice("hinge", "squared_hinge"),
    "class_weight": _class_weight,
}


def check_parameters(estimator: Any) -> None:
    """Refuse an estimator's parameters where one is out of its range.

    Raises
    ------
    ValueError
        Naming the parameter, what it may be and what it is.
    """
    values = vars(estimator)
    if "output" in values:
        check_choice("output", values["output"], estimator.OUTPUTS)
    for name, check in _CHECKS.items():
        if name in values:
            check(name, values[name])
