"""The valid values of the estimators' parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from rosenblatt.theory import budgets
from rosenblatt.utils.checks import check_choice, check_number, shortened

_SEEDS = 2**32  # of NumPy's RandomState: 0 to 2^32 - 1


def _in_range(low: float, high: float = np.inf, **options: bool) -> Callable[[str, Any], None]:
    return lambda name, value: check_number(value, name, low, high, **options)


def _one_of(*choices: Any) -> Callable[[str, Any], None]:
    return lambda name, value: check_choice(value, name, choices)


def _optional(check: Callable[[str, Any], None]) -> Callable[[str, Any], None]:
    return lambda name, value: None if value is None else check(name, value)


def _check_flag(name: str, value: Any) -> None:
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False; got {shortened(value)}.")


def _check_verbose(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        check_number(value, name, 0, integer=True)


def _check_class_weight(name: str, value: Any) -> None:
    if isinstance(value, dict):
        for label, weight in value.items():
            check_number(weight, f"{name}[{shortened(label)}]", -np.inf)
    elif not (value is None or (isinstance(value, str) and value == "balanced")):
        raise ValueError(f"{name} must be a dict, 'balanced' or None; got {shortened(value)}.")


def _check_random_state(name: str, value: Any) -> None:
    is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if value is None or (is_integer and 0 <= value < _SEEDS):
        return
    if not (value is np.random or isinstance(value, np.random.RandomState)):
        raise ValueError(
            f"{name} must be a whole number from 0 to {_SEEDS - 1}, a RandomState or None; got "
            f"{shortened(value)}."
        )


def check_gamma(name: str, value: Any) -> None:
    """Refuse a γ that is neither a number above zero nor "scale" nor "auto".

    Examples
    --------
    >>> check_gamma("gamma", -1.0)
    Traceback (most recent call last):
        ...
    ValueError: gamma must be 'scale', 'auto' or a number in (0, inf); got -1.0.
    """
    if isinstance(value, str) and value in ("scale", "auto"):
        return
    try:
        check_number(value, name, 0, open_low=True)
    except ValueError as error:
        message = str(error).replace("must be", "must be 'scale', 'auto' or", 1)
        raise ValueError(message) from None


_CHECKS: dict[str, Callable[[str, Any], None]] = {
    "budget_scheme": _one_of(*budgets.NAMES),
    "multi_class": _one_of("ovr", "joint"),
    "tie": _one_of(0, -1, 1),
    "penalty": _one_of(None, "l2", "l1", "elasticnet"),
    "alpha": _in_range(0),
    "l1_ratio": _in_range(0, 1),
    "max_iter": _in_range(1, integer=True),
    "tol": _optional(_in_range(0)),
    "eta0": _in_range(0, open_low=True),
    "C": _in_range(0, open_low=True),
    "validation_fraction": _in_range(0, 1, open_low=True, open_high=True),
    "n_iter_no_change": _in_range(1, integer=True),
    "shards": _in_range(1, integer=True),
    "n_jobs": _optional(_in_range(-np.inf, integer=True)),
    "verbose": _check_verbose,
    "random_state": _check_random_state,
    "fit_intercept": _check_flag,
    "expansion": _check_flag,
    "scale": _check_flag,
    "shuffle": _check_flag,
    "early_stopping": _check_flag,
    "warm_start": _check_flag,
    "average": _check_flag,
    "cache_size": _in_range(0),
    "budget": _optional(_in_range(1, integer=True)),
    "budget_eta": _in_range(0, open_low=True),
    "max_features": _optional(_in_range(1, integer=True)),
    "degree": _in_range(1, integer=True),
    "gamma": check_gamma,
    "coef0": _in_range(-np.inf),
    "loss": _one_of("hinge", "squared_hinge"),
    "class_weight": _check_class_weight,
}


def check_parameters(estimator: Any) -> None:
    """Refuse an estimator with a parameter that is not valid.

    Raises
    ------
    ValueError
        With the name of the parameter, its valid values and its value.
    """
    values = vars(estimator)
    if "output" in values:
        check_choice(values["output"], "output", estimator.OUTPUTS)
    for name, check in _CHECKS.items():
        if name in values:
            check(name, values[name])


class Parameters:
    """Parameters of a learner: the arguments of its constructor, kept as attributes.

    Examples
    --------
    >>> from rosenblatt import OnlinePerceptron
    >>> model = OnlinePerceptron(rule="pa").set_params(eta0=0.5)
    >>> model, model.get_params()["rule"]
    (OnlinePerceptron(eta0=0.5, rule='pa'), 'pa')
    """

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """Return the names of the parameters, sorted."""
        names = inspect.signature(cls.__init__).parameters
        return sorted(name for name in names if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters with their values.

        Parameters
        ----------
        deep : bool
            Without effect: no parameter has parameters of its own.
        """
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters; they are checked when the model learns.

        Raises
        ------
        ValueError
            A name is no parameter.
        """
        names = self._get_param_names()
        for name, value in params.items():
            if name not in names:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: "
                    f"{names}."
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        values = self.get_params(deep=False)
        changed = (
            f"{name}={value!r}"
            for name, value in values.items()
            if repr(value) != repr(defaults[name].default)
        )
        return f"{type(self).__name__}({', '.join(changed)})"
