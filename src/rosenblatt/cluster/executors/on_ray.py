"""Calls on a Ray cluster, which runs those of a lost worker again on another."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from rosenblatt.cluster.clients import with_versions
from rosenblatt.cluster.executors.calls import Call, Executor


class RayExecutor(Executor):
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

    def results(self, calls: Sequence[Call]) -> Generator[tuple[int, Any]]:
        """Yield the number and the result of each call as it ends.

        An error, an interrupt, or closing the generator cancels what is not done.
        """
        references: dict[Call, Any] = {}
        numbers = {self._submit(call, references): number for number, call in enumerate(calls)}
        waiting = [*numbers]
        try:
            while waiting:
                (ended,), waiting = self.ray.wait(waiting)
                yield numbers[ended], self.ray.get(ended)
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
            references[call] = self.run.options(name=call.key).remote(
                with_versions(call.function), *arguments
            )
        return references[call]


def _run(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)
