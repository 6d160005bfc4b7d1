"""Calls as data, and what a fit needs of the executor that runs them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

MEMORY_ADVICE = (
    "If their memory was full: a shard must fit a worker's memory, unless shuffle=False. Cut the "
    "rows into more shards, shards=k."
)
"""End of the message on workers that died."""


@dataclass(frozen=True, eq=False)
class Call:
    """A pure function and its arguments, which is not run yet.

    Attributes
    ----------
    function : callable
    arguments : tuple
        Values; calls, whose results are meant, also in lists; or what an executor keeps.
    key : str
        As a dashboard shows it, unique.
    shard : str or None
        The name of its shard, for errors.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    key: str
    shard: str | None = None

    def needed(self) -> Iterator[Call]:
        """Yield the calls among its arguments."""
        for argument in self.arguments:
            for one in argument if isinstance(argument, list) else [argument]:
                if isinstance(one, Call):
                    yield one

    def replaced(self, result: Callable[[Call], Any]) -> list[Any]:
        """Return the arguments, with ``result(call)`` in place of each call."""

        def replace(one: Any) -> Any:
            return result(one) if isinstance(one, Call) else one

        return [
            [replace(one) for one in argument] if isinstance(argument, list) else replace(argument)
            for argument in self.arguments
        ]


class Executor(Protocol):
    """What a fit needs where its rows are learned."""

    def wait(self) -> None:
        """Wait for the first worker; refuse machines with other versions than this one."""

    def workers(self) -> int:
        """Return the number of workers."""

    def compute(self, calls: Sequence[Call]) -> list[Any]:
        """Run calls, and those that they need; return their results.

        An error or an interrupt ends what is not done.
        """

    def keep(self, calls: Sequence[Call]) -> list[Any]:
        """Run calls; return what stands for their results, which stay there, in other calls."""


def task(
    function: Callable[..., Any],
    *arguments: object,
    key: str | None = None,
    shard: str | None = None,
) -> Call:
    """Return a call; its key is by default the function's name.

    Examples
    --------
    >>> total = task(sum, [task(abs, -2), task(abs, 3)])
    >>> total.key[:4], len(list(total.needed()))
    ('sum-', 2)
    """
    return Call(function, arguments, key or f"{function.__name__}-{uuid.uuid4().hex}", shard)
