"""Measurement: the parts of the page, epochs apart from what surrounds them, tables."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from ratios import Finding, Times, alternate, medians, ratio

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
PEERS = ("scikit-learn", "river", "vowpalwabbit", "liblinear-official")


class Part(NamedTuple):
    """The result of one script: its Markdown, and its lines of the summary."""

    text: str
    findings: list[Finding]


def joined(parts: list[Part]) -> Part:
    """Join several parts into one."""
    return Part("\n".join(p.text for p in parts), [f for p in parts for f in p.findings])


def absent(title: str, reason: str = "absent") -> Part:
    """Return the part for missing data or a missing peer."""
    return Part(f"### {title}\n\nskipped: {reason}\n", [])


def peer(module: str) -> Any:
    """Import a peer; None if it is not installed."""
    try:
        return import_module(module)
    except Exception:  # a missing wheel, or a wheel that misses its library
        return None


@contextmanager
def on_one_core() -> Iterator[None]:
    """Keep the calling thread, and the threads it starts, on one core."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def an_epoch(
    fits: Mapping[str, Callable[[int], object]],
    besides: Mapping[str, Callable[[], object]],
    more: int,
    lines: Callable[[Times, Times], list[Finding]],
) -> tuple[dict[str, float], dict[str, float], list[Finding]]:
    """Median seconds of an epoch of each fit; and of its whole fit of one epoch and of ``besides``.

    An epoch is (``more`` epochs − one epoch)/(``more`` − 1), taken within each round, so that
    validation and start-up drop out on all sides. ``lines`` has the rounds of both.
    """
    works: dict[str, Callable[[], object]] = {
        f"{name}/{epochs}": partial(fit, epochs)
        for name, fit in fits.items()
        for epochs in (1, more)
    }

    def parted(times: Times) -> tuple[Times, Times]:
        once = {name: times[f"{name}/1"] for name in fits}
        epoch = {
            name: [
                (many - one) / (more - 1)
                for one, many in zip(once[name], times[f"{name}/{more}"], strict=True)
            ]
            for name in fits
        }
        return epoch, once | {name: times[name] for name in besides}

    times, findings = alternate({**works, **besides}, lambda times: lines(*parted(times)))
    epoch, once = parted(times)
    return medians(epoch), medians(once), findings


def machine() -> str:
    """Return the machine and the versions, in a line."""
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    names = ("rosenblatt", "numpy", "scipy", *PEERS)
    versions = ", ".join(f"{name} {_version(name)}" for name in names)
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def no_worse(
    work: str, peer: str, times: Times, right: dict[str, float], ours: list[str], theirs: str
) -> Finding:
    """Return the line of the fastest of ours that is no less accurate, else of the best of ours.

    ``right`` are the accuracies of all works.
    """
    time = medians(times)
    enough = [name for name in ours if right[name] >= right[theirs]]
    best = min(enough, key=time.__getitem__) if enough else max(ours, key=right.__getitem__)
    return Finding(
        work, peer, ratio(times[theirs], times[best]), accuracy=(right[best], right[theirs]),
        remark=best,
    )  # fmt: skip
