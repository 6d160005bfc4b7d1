"""Clients of clusters: one of this machine's processes, or one at an address."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from distributed import Client, LocalCluster, WorkerPlugin

CONNECT_SECONDS = 10
"""Seconds to wait for a scheduler."""


class QuietTasks(WorkerPlugin):
    """Plugin that keeps out of a worker's log what the client's process says or knows.

    These are failed tasks, whose errors the client raises, and the end of the scheduler, which is a
    part of that process.
    """

    def setup(self, worker: Any) -> None:
        """Add a filter to the log of this process."""
        logging.getLogger("distributed.worker").addFilter(_is_fault_of_worker)


def _is_fault_of_worker(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith(
        ("Compute Failed", "Failed to communicate with scheduler during heartbeat")
    )


@contextmanager
def local_client(workers: int) -> Iterator[Any]:
    """Yield a client of a cluster of processes of this machine, which ends with it.

    Workers log errors on standard error, but for those of tasks.
    """
    cluster: Any = LocalCluster
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": logging.ERROR}
    with cluster(n_workers=workers, **options) as local, _client(local) as client:
        client.register_plugin(QuietTasks())
        yield client


@contextmanager
def remote_client(address: str) -> Iterator[Any]:
    """Yield a client of the cluster with this scheduler.

    Raises
    ------
    ConnectionError
        The scheduler does not answer.
    """
    try:
        client = _client(address, timeout=CONNECT_SECONDS)
    except OSError as error:
        raise ConnectionError(
            f"{address}: no scheduler answers for {CONNECT_SECONDS} s. Start one with: dask "
            "scheduler"
        ) from error
    with client:
        yield client


def _client(cluster: Any, **options: Any) -> Any:
    make: Any = Client
    return make(cluster, **options)
