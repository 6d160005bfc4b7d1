"""The valid values of the estimators' parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import NoneType
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np

from rosenblatt.theory import budgets
from rosenblatt.utils.checks import check_choice, check_number, shortened

ClassWeight: TypeAlias = "dict[Any, float] | str | None"
Seed: TypeAlias = "int | np.random.RandomState | None"

_SEEDS = 2**32  # of NumPy's RandomState: 0 to 2^32 - 1


class Limits(NamedTuple):
    """Numbers that a parameter may have, see :func:`rosenblatt.utils.checks.check_number`.

    Attributes
    ----------
    low, high : float
    integer : bool
        Whole numbers alone.
    open_low, open_high : bool
        Without the limit itself.
    besides : type or None
        Values of this type are valid, too: those of bool, or None itself.
    """

    low: float
    high: float = np.inf
    integer: bool = False
    open_low: bool = False
    open_high: bool = False
    besides: type | None = None


def _check_class_weight(name: str, value: object) -> None:
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


def check_gamma(name: str, value: object) -> None:
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


_NUMBERS = {
    "alpha": Limits(0),
    "l1_ratio": Limits(0, 1),
    "max_iter": Limits(1, integer=True),
    "tol": Limits(0, besides=NoneType),
    "eta0": Limits(0, open_low=True),
    "C": Limits(0, open_low=True),
    "validation_fraction": Limits(0, 1, open_low=True, open_high=True),
    "n_iter_no_change": Limits(1, integer=True),
    "shards": Limits(1, integer=True),
    "n_jobs": Limits(-np.inf, integer=True, besides=NoneType),
    "verbose": Limits(0, integer=True, besides=bool),
    "cache_size": Limits(0),
    "budget": Limits(1, integer=True, besides=NoneType),
    "budget_eta": Limits(0, open_low=True),
    "max_features": Limits(1, integer=True, besides=NoneType),
    "degree": Limits(1, integer=True),
    "coef0": Limits(-np.inf),
}
_FLAGS = (
    "fit_intercept",
    "expansion",
    "scale",
    "shuffle",
    "early_stopping",
    "warm_start",
    "average",
    "probabilities",
)
_CHOICES: dict[str, tuple[Any, ...]] = {
    "budget_scheme": budgets.NAMES,
    "multi_class": ("ovr", "joint"),
    "tie": (0, -1, 1),
    "penalty": (None, "l2", "l1", "elasticnet"),
    "loss": ("hinge", "squared_hinge"),
}
_OTHERS: dict[str, Callable[[str, Any], None]] = {
    "random_state": _check_random_state,
    "gamma": check_gamma,
    "class_weight": _check_class_weight,
}


def check_parameters(estimator: Any) -> None:
    """Refuse an estimator with a parameter that is not valid.

    Raises
    ------
    ValueError
        With the name of the parameter, its valid values and its value.
    """
    for name, value in list(vars(estimator).items()):
        if name in _NUMBERS:
            numbers = _NUMBERS[name]
            if numbers.besides is None or not isinstance(value, numbers.besides):
                check_number(value, name, *numbers[:5])
        elif name in _FLAGS:
            if not isinstance(value, bool | np.bool_):
                raise ValueError(f"{name} must be True or False; got {shortened(value)}.")
        elif name in _CHOICES:
            check_choice(value, name, _CHOICES[name])
        elif name == "output":
            check_choice(value, name, estimator.OUTPUTS)
        elif name in _OTHERS:
            _OTHERS[name](name, value)


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

    def set_params(self, **params: object) -> Self:
        """Set parameters; they are checked when the model learns.

        Parameters
        ----------
        **params
            New values by their names.

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


@dataclass(kw_only=True, eq=False, repr=False)
class RunParameters:
    """The parameters that every learner has, wherever its rows are."""

    fit_intercept: bool = True
    tol: float | None = 1e-3
    shuffle: bool = True
    verbose: int = 0
    random_state: Seed = 0
    n_iter_no_change: int = 5
    warm_start: bool = False


@dataclass(kw_only=True, eq=False, repr=False)
class LinearParameters:
    """The parameters of a linear classifier wherever it learns: in a fit, online, on a cluster."""

    rule: Any = "perceptron"
    output: str = "last"
    multi_class: str = "ovr"
    tie: int = 0
    penalty: str | None = None
    alpha: float = 1e-4
    l1_ratio: float = 0.15
    eta0: float = 1.0
    class_weight: ClassWeight = None
    probabilities: bool = False


@dataclass(kw_only=True, eq=False, repr=False)
class FitParameters(RunParameters, Parameters):
    """The parameters of every learner with ``fit``."""

    max_iter: int = 1000
