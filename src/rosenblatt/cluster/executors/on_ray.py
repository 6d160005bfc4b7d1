"""Calls on a Ray cluster, which runs those of a lost worker again on another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rosenblatt.cluster.clients import with_versions
from rosenblatt.cluster.executors.calls import Call


class RayExecutor:
    """The cluster to which the module ``ray`` is connected by ``ray.init``."""

    def __init__(self, ray: Any) -> None:
        self.ray, self.run = ray, ray.remote(_run)

    def wait(self) -> None:
        """Return at once: Ray's calls wait for a worker, and refuse one of another version."""

    def workers(self) -> int:
        """Return the number of processors."""
        return int(self.ray.cluster_resources().get("CPU", 0))

    def keep(self, calls: Sequence[Call]) -> list[Any]:
        """Return references to the results of calls."""
        references: dict[Call, Any] = {}
        return [self._submit(call, references) for call in calls]

    def compute(self, calls: Sequence[Call]) -> list[Any]:
        """Return the results of calls; an error or an interrupt cancels what is not done."""
        references: dict[Call, Any] = {}
        wanted = [self._submit(call, references) for call in calls]
        try:
            return list(self.ray.get(wanted))
        except BaseException as error:
            for reference in references.values():
                self.ray.cancel(reference)
            if isinstance(error, self.ray.exceptions.RayTaskError):
                raise error.cause from None
            raise

    def _submit(self, call: Call, references: dict[Call, Any]) -> Any:
        """Return the reference of a call; each call is submitted once."""
        if call not in references:
            arguments = call.replaced(lambda needed: self._submit(needed, references))
            # Ray waits for arguments, but not for those in a list
            sizes = [len(one) if isinstance(one, list) else None for one in arguments]
            references[call] = self.run.options(name=call.key).remote(
                with_versions(call.function), sizes, *_flat(arguments)
            )
        return references[call]


def _flat(arguments: list[Any]) -> Iterator[Any]:
    for argument in arguments:
        if isinstance(argument, list):
            yield from argument
        else:
            yield argument


def _run(function: Callable[..., Any], sizes: list[int | None], *flat: Any) -> Any:
    """Call a function with arguments that are lists where there is a size."""
    rest = iter(flat)
    arguments = [
        next(rest) if size is None else [next(rest) for _ in range(size)] for size in sizes
    ]
    return function(*arguments)
