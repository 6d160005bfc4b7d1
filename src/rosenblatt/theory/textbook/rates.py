"""Learning rates η_t: one for all updates, or one for each (lecture row L4.9)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np

from rosenblatt.utils.checks import Floats, check_array, check_float
from rosenblatt.utils.words import count

Rate: TypeAlias = float | list[float] | tuple[float, ...] | Floats | Callable[[int], float]
"""A rate for all updates; a list, tuple or array of η_1, η_2, …; or η as a function of t."""


def rate_schedule(eta: Rate, name: str) -> Callable[[int], float]:
    """Return η_t as a function of the number t of the update, from 1; it checks, and asks once.

    A sequence that is shorter than the run is a ValueError at the first update without a rate.

    Examples
    --------
    >>> rate_schedule([1.0, 0.5], "eta")(2)
    0.5
    >>> rate_schedule([1.0, 0.5], "eta")(3)
    Traceback (most recent call last):
    ValueError: eta has 2 rates, and update 3 needs one: take more, or a function of t
    """
    if callable(eta):
        return cache(lambda t: check_float(eta(t), f"{name}({t})", above=0.0))
    if not isinstance(eta, list | tuple | np.ndarray):
        constant = check_float(eta, name, above=0.0)
        return lambda t: constant
    rates: list[float] = check_array(eta, name, "(k,)", 1).tolist()
    for t, rate in enumerate(rates, start=1):
        check_float(rate, f"rate {t} of {name}", above=0.0)

    def rate_of(t: int) -> float:
        if t > len(rates):
            raise ValueError(
                f"{name} has {count(len(rates), 'rate')}, and update {t} needs one: take more, or "
                "a function of t"
            )
        return rates[t - 1]

    return rate_of
