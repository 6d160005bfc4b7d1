"""Arguments with a new name: whoever uses the old one is told the new one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def renamed(**new_names: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a function to refuse the old names of arguments with a message that has the new.

    Examples
    --------
    >>> @renamed(max_steps="max_updates")
    ... def run(max_updates=100):
    ...     return max_updates
    >>> run(max_steps=5)
    Traceback (most recent call last):
    TypeError: run() takes max_updates for max_steps, its old name
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def call(*args: P.args, **options: P.kwargs) -> T:
            for old, new in new_names.items():
                if old in options:
                    raise TypeError(f"{function.__name__}() takes {new} for {old}, its old name")
            return function(*args, **options)

        return call

    return decorate
