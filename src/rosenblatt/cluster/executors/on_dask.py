"""Calls on a Dask cluster, which runs those of a lost worker again on another."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError
from functools import partial
from typing import Any

import dask
from dask.delayed import delayed
from distributed import KilledWorker, as_completed

from rosenblatt.cluster.clients import WorkerWatch, check_versions, with_versions
from rosenblatt.cluster.executors.calls import MEMORY_ADVICE, Call, Executor

_log = logging.getLogger(__name__)


class SchedulerLostError(ConnectionError):
    """The scheduler, or the connection to it, was lost during a fit."""


class DaskExecutor(Executor):
    """The cluster of a ``distributed.Client``.

    Parameters
    ----------
    client : distributed.Client
    say : callable, optional
        Called with what a user should know of the workers; by default it is logged as a warning.
    announce : callable, optional
        Called with a step that may take long; by default it is logged.
    """

    def __init__(
        self,
        client: Any,
        say: Callable[[str], object] = _log.warning,
        announce: Callable[[str], object] = Executor.announce,
    ) -> None:
        self.client, self.announce = client, announce
        self.watch = WorkerWatch(client, say)

    def wait(self) -> None:
        """Wait for the first worker; refuse machines with other versions than this one.

        Raises
        ------
        ConnectionError
        RuntimeError
        """
        self.watch.wait()
        check_versions(self.client)
        self.watch.count()

    def workers(self) -> int:
        """Return the number of workers; log those that were lost since the last call."""
        return self.watch.count()

    def keep(self, calls: Sequence[Call]) -> list[Any]:
        """Return futures of calls."""
        graph = [as_delayed(call) for call in calls]
        # the weights are meant to be in the graph
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            return list(self.client.compute(graph))

    def results(self, calls: Sequence[Call]) -> Generator[tuple[int, Any]]:
        """Yield the number and the result of each call as it ends.

        An error gets a note with the shard of the call that it stopped. It, an interrupt, or
        closing the generator cancels what is not done.

        Raises
        ------
        SchedulerLostError
            The scheduler, or the connection to it, was lost.
        RuntimeError
            Workers died of a task, one after the other.
        """
        futures = dict(enumerate(self.keep(calls)))
        numbers = {future.key: number for number, future in futures.items()}
        ended: Any = as_completed
        try:
            with self.watch.during_work():
                for batch in ended(futures.values(), loop=self.client.loop).batches():
                    for future, result in zip(batch, self.client.gather(batch), strict=True):
                        number = numbers[future.key]
                        del futures[number]  # the worker forgets it
                        yield number, result
        except (CancelledError, asyncio.CancelledError) as error:
            raise SchedulerLostError(
                "the scheduler was lost, and with it this round. A fit with checkpoint=PATH "
                "continues after the last round, on any cluster."
            ) from error
        except BaseException as error:
            for number, future in futures.items():
                if calls[number].shard is not None and future.status == "error":
                    error.add_note(f"It was raised by {calls[number].shard}.")
                    break
            self.client.cancel([*futures.values()])
            if isinstance(error, KilledWorker):
                raise RuntimeError(f"{error} {MEMORY_ADVICE}") from error
            raise


def as_delayed(call: Call) -> Any:
    """Return a call as Dask's Delayed; a worker with other versions refuses it.

    No task names a worker, and nothing is scattered: what a lost worker had is computed again.
    """
    arguments = [
        _Value(one) if hasattr(one, "_fields") else one for one in call.replaced(as_delayed)
    ]
    # a call that several others need is the same task, by its key
    function = partial(_run, with_versions(call.function))
    return delayed(function, pure=False)(*arguments, dask_key_name=call.key)


class _Value:
    """A record in which Dask looks for no tasks, which takes milliseconds where fields are many."""

    def __init__(self, value: object) -> None:
        self.value = value


def _run(function: Callable[..., Any], *arguments: object) -> Any:
    return function(*(one.value if isinstance(one, _Value) else one for one in arguments))
