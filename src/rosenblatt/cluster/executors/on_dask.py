"""Calls on a Dask cluster, which runs those of a lost worker again on another."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from concurrent.futures import CancelledError
from typing import Any

import dask
from dask.delayed import delayed
from distributed import KilledWorker

from rosenblatt.cluster.clients import WorkerWatch, check_versions, with_versions
from rosenblatt.cluster.executors.calls import MEMORY_ADVICE, Call

_log = logging.getLogger(__name__)


class SchedulerLostError(ConnectionError):
    """The scheduler, or the connection to it, was lost during a fit."""


class DaskExecutor:
    """The cluster of a ``distributed.Client``."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.watch = WorkerWatch(client, _log.warning)

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

    def compute(self, calls: Sequence[Call]) -> list[Any]:
        """Return the results of calls; an error or an interrupt cancels what is not done.

        An error gets a note with the shard of the call that it stopped.

        Raises
        ------
        SchedulerLostError
            The scheduler, or the connection to it, was lost.
        RuntimeError
            Workers died of a task, one after the other.
        """
        futures = self.keep(calls)
        try:
            return list(self.client.gather(futures))
        except (CancelledError, asyncio.CancelledError) as error:
            raise SchedulerLostError(
                "the scheduler was lost, and with it this round. A fit with checkpoint=PATH "
                "continues after the last round, on any cluster."
            ) from error
        except KilledWorker as error:
            raise RuntimeError(f"{error} {MEMORY_ADVICE}") from error
        except BaseException as error:
            for call, future in zip(calls, futures, strict=True):
                if call.shard is not None and future.status == "error":
                    error.add_note(f"It was raised by {call.shard}.")
                    break
            self.client.cancel(futures)
            raise


def as_delayed(call: Call) -> Any:
    """Return a call as Dask's Delayed; a worker with other versions refuses it.

    No task names a worker, and nothing is scattered: what a lost worker had is computed again.
    """
    arguments = call.replaced(as_delayed)
    # a call that several others need is the same task, by its key
    return delayed(with_versions(call.function), pure=False)(*arguments, dask_key_name=call.key)
