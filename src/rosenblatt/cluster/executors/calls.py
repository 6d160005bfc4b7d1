"""Calls as data, and what a fit needs of the executor that runs them."""

from __future__ import annotations

import logging
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_log = logging.getLogger(__name__)

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
        Values; calls, whose results are meant; or what an executor keeps.
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
        return (one for one in self.arguments if isinstance(one, Call))

    def replaced(self, result: Callable[[Call], Any]) -> list[Any]:
        """Return the arguments, with ``result(call)`` in place of each call."""
        return [result(one) if isinstance(one, Call) else one for one in self.arguments]


class Executor(ABC):
    """What a fit needs where its rows are learned.

    Attributes
    ----------
    announce : callable
        Called with a step that may take long; it logs it.
    """

    announce: Callable[[str], object] = staticmethod(_log.info)

    @abstractmethod
    def wait(self) -> None:
        """Wait for the first worker; refuse machines with other versions than this one."""

    @abstractmethod
    def workers(self) -> int:
        """Return the number of workers."""

    @abstractmethod
    def results(self, calls: Sequence[Call]) -> Generator[tuple[int, Any]]:
        """Run different calls, and those that they need; yield each number and result as it ends.

        An error, an interrupt, or closing the generator ends what is not done.
        """

    def compute(self, calls: Sequence[Call]) -> list[Any]:
        """Return the results of calls, in their order."""
        results = dict(self.results(calls))
        return [results[number] for number in range(len(calls))]

    @abstractmethod
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
    >>> power = task(pow, task(abs, -2), 3)
    >>> power.key[:4], len(list(power.needed()))
    ('pow-', 1)
    """
    return Call(function, arguments, key or f"{function.__name__}-{uuid.uuid4().hex}", shard)
