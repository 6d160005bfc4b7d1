"""Clients of clusters: one of this machine's processes, or one at an address.

Packages of other versions may give other bits in silence. Workers are compared with the client
before a fit, and again where a task runs, so that one that joins later is refused, too.
"""

from __future__ import annotations

import asyncio
import logging
import platform
import threading
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

from distributed import Client, LocalCluster, Security, WorkerPlugin, get_worker
from distributed.comm.core import connect
from distributed.versions import get_versions

CONNECT_SECONDS = 10
"""Seconds to wait for a scheduler."""

PACKAGES = ("rosenblatt", "numpy")
"""Packages whose versions client and workers share, so that all compute the same; of the scheduler,
the first."""

WORKER_SECONDS = 60
"""Longest wait for the first worker."""

PATIENCE_SECONDS = 3
"""Wait for the first worker before it is said."""

ABSENCE_SECONDS = 30
"""Time without a worker, during a fit, before it is said: a nanny starts another within seconds."""

_START_ONE = "dask worker ADDRESS starts one."

Versions = tuple[tuple[str, str], ...]
"""Pairs of a package and its version, in the order of :data:`PACKAGES`, then Python."""


class ErrorLog(WorkerPlugin):
    """Plugin that logs the errors of a worker, once it has started, but for what the client says.

    That is why a worker cannot start, failed tasks, whose errors the client raises, and the end of
    the scheduler, which is a part of the client's process.
    """

    def setup(self, worker: object) -> None:
        """Have the log of this process write errors, by a filter."""
        for handler in logging.getLogger("distributed").handlers:
            handler.setLevel(logging.ERROR)
        logging.getLogger("distributed.worker").addFilter(_is_fault_of_worker)


def _is_fault_of_worker(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith(
        ("Compute Failed", "Failed to communicate with scheduler during heartbeat")
    )


@contextmanager
def local_client(workers: int) -> Iterator[Any]:
    """Yield a client of a cluster of processes of this machine, which ends with it.

    Workers log errors on standard error, but for those of tasks.

    Raises
    ------
    RuntimeError
        A worker could not start; the message says why.
    """
    cluster: Any = LocalCluster
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": logging.CRITICAL}
    try:
        local = cluster(n_workers=workers, **options)
    except RuntimeError as error:
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        raise RuntimeError(f"the workers could not start: {cause}.") from error
    with local, _client(local) as client:
        client.register_plugin(ErrorLog())
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
        asyncio.run(_greet(address))
        client = _client(address, timeout=CONNECT_SECONDS)
    except OSError as error:
        raise ConnectionError(
            f"{address}: no scheduler answers. Start one with: dask scheduler"
        ) from error
    with client:
        yield client


async def _greet(address: str) -> None:
    """Connect to a scheduler and leave: a client waits forever for one that does not greet back."""
    security: Any = Security
    open_connection: Any = connect
    greeting = open_connection(address, **security().get_connection_args("client"))
    try:
        connection = await asyncio.wait_for(greeting, CONNECT_SECONDS)
    except Exception as error:  # an answer that is no greeting is read as lengths of any size
        raise ConnectionError(str(error)) from error
    await connection.close()


def _client(cluster: object, **options: object) -> Any:
    make: Any = Client
    return make(cluster, **options)


class WorkerWatch:
    """A watch over the workers of a cluster, which says what a user should know of them.

    Parameters
    ----------
    client : distributed.Client
    say : callable
        Called with a sentence.
    """

    def __init__(self, client: Any, say: Callable[[str], object]) -> None:
        self.client, self.say = client, say
        self.addresses: set[str] = set()

    def wait(self) -> None:
        """Say that there is no worker, if none comes within seconds."""
        try:
            self.client.wait_for_workers(1, timeout=PATIENCE_SECONDS)
        except TimeoutError:
            self.say(f"waiting for a worker: {_START_ONE}")

    @contextmanager
    def during_work(self) -> Iterator[None]:
        """Say, while the body waits for results, that all workers are gone for good."""
        ended = threading.Event()
        threading.Thread(target=self._watch_absence, args=[ended], daemon=True).start()
        try:
            yield
        finally:
            ended.set()

    def _watch_absence(self, ended: threading.Event) -> None:
        """Ask each second for the workers, and say once that there have been none for long."""
        seconds = 0
        while not ended.wait(1.0):
            try:
                seconds = 0 if self.client.nthreads() else seconds + 1
            except (Exception, CancelledError):  # the scheduler is lost: whoever waits says it
                return
            if seconds == ABSENCE_SECONDS:
                self.say(f"no worker for {ABSENCE_SECONDS} seconds; waiting for one: {_START_ONE}")

    def count(self) -> int:
        """Return the number of workers; say which have left since the last call."""
        addresses = {*self.client.nthreads()}
        for address in sorted(self.addresses - addresses):
            self.say(f"the worker {address} was lost, or has left: what it had is computed again.")
        self.addresses = addresses
        return len(addresses)


def check_versions(client: Any) -> None:
    """Refuse a cluster whose machines have other versions than this one; wait for a worker.

    Raises
    ------
    ConnectionError
        No worker has come for a minute.
    RuntimeError
        The message names the machine, the package and both versions.
    """
    try:
        client.wait_for_workers(1, timeout=WORKER_SECONDS)
    except TimeoutError as error:
        raise ConnectionError(
            f"the scheduler has had no worker for {WORKER_SECONDS} seconds: {_START_ONE}"
        ) from error
    versions = client.get_versions(packages=list(PACKAGES))
    here = own_versions()
    for address, info in versions["workers"].items():
        _compare(f"the worker {address}", _relevant(info), here)
    scheduler = _relevant(versions["scheduler"])
    _compare("the scheduler", scheduler[:1], here)  # it reads the graph, but computes nothing


@cache
def own_versions() -> Versions:
    """Return the versions of this process, which are looked up once."""
    return _relevant(get_versions(PACKAGES))


def with_versions(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that a worker with other versions than this process refuses.

    It raises the RuntimeError of :func:`check_versions`.
    """
    return partial(_call_with_versions, own_versions(), function)


def _call_with_versions(
    versions: Versions, function: Callable[..., object], *arguments: object
) -> object:
    if own_versions() != versions:
        _compare(f"the worker {_this_worker()}", own_versions(), versions)
    return function(*arguments)


def _this_worker() -> str:
    """Return the address of this worker of Dask; of another the name of its machine."""
    try:
        return str(get_worker().address)
    except ValueError:
        return platform.node()


def _relevant(info: dict[str, Any]) -> Versions:
    packages = info["packages"]
    python = ".".join(packages["python"].split(".")[:2])
    return *((name, packages.get(name) or "not at all") for name in PACKAGES), ("Python", python)


def _compare(machine: str, there: Versions, here: Versions) -> None:
    for (package, version), (_, expected) in zip(there, here, strict=False):
        if version != expected:
            raise RuntimeError(
                f"{machine} has {package} {version}, and this process {expected}: install "
                "the same versions on all machines, or they would not compute the same bits."
            )
