"""Versions of packages, compared between the client and the machines of a cluster.

Other versions may give other bits in silence. Workers are compared before a fit, and again where a
task runs, so that one that joins later is refused, too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from distributed import get_worker
from distributed.versions import get_versions

PACKAGES = ("rosenblatt", "numpy")
"""Packages whose versions client, scheduler and workers share, so that all compute the same."""

WORKER_SECONDS = 60
"""Longest wait for the first worker."""

Versions = tuple[tuple[str, str], ...]
"""Pairs of a package and its version, in the order of :data:`PACKAGES`, then Python."""


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
            f"the scheduler has had no worker for {WORKER_SECONDS} seconds: start one, dask worker "
            "ADDRESS."
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


def call_with_versions(versions: Versions, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function, in a worker with these versions.

    Raises
    ------
    RuntimeError
        As in :func:`check_versions`.
    """
    if own_versions() != versions:
        _compare(f"the worker {get_worker().address}", own_versions(), versions)
    return function(*arguments)


def _relevant(info: Any) -> Versions:
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
