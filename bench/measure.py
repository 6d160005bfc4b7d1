"""Measurement: side by side, alternately, several rounds, medians and ratios."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from rosenblatt.engine import jit

jit.CALL_LIMIT = 0.0  # steady state: everything is compiled, as after a second of work

ROUNDS = 7
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
PEERS = ("scikit-learn", "river", "vowpalwabbit", "liblinear-official")


class Finding(NamedTuple):
    """A line of the summary: the work, the peer, the target and the measurement."""

    work: str
    peer: str
    measured: str
    wanted: str = ""


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


def seconds(work: Callable[[], object]) -> float:
    """Return the wall seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def rounds(works: Mapping[str, Callable[[], object]], count: int) -> dict[str, list[float]]:
    """Seconds of each work, run in turn so that the machine's moods hit all alike.

    The library of linear algebra has one thread meanwhile: its others wait busily, for 4 ms of the
    next work, whosever it is.
    """
    times: dict[str, list[float]] = {name: [] for name in works}
    with threadpool_limits(1, user_api="blas"):
        for work in works.values():
            work()  # compiled, cached, paged in
        for _ in range(count):
            for name, work in works.items():
                times[name].append(seconds(work))
    return times


def alternate(works: Mapping[str, Callable[[], object]], count: int = ROUNDS) -> dict[str, float]:
    """Return the median seconds of each work over the rounds."""
    return {name: statistics.median(t) for name, t in rounds(works, count).items()}


def an_epoch(
    fits: Mapping[str, Callable[[int], object]],
    besides: Mapping[str, Callable[[], object]],
    more: int,
    count: int,
) -> tuple[dict[str, float], dict[str, float]]:
    """Median seconds of an epoch of each fit; and of its whole fit of one epoch and of ``besides``.

    An epoch is (``more`` epochs − one epoch)/(``more`` − 1), taken within each round, so that
    validation and start-up drop out on all sides.
    """
    works: dict[str, Callable[[], object]] = {
        f"{name}/{epochs}": partial(fit, epochs)
        for name, fit in fits.items()
        for epochs in (1, more)
    }
    times = rounds({**works, **besides}, count)
    once = {name: statistics.median(times[f"{name}/1"]) for name in fits}
    once |= {name: statistics.median(times[name]) for name in besides}
    epoch = {
        name: statistics.median(
            (many - one) / (more - 1)
            for one, many in zip(times[f"{name}/1"], times[f"{name}/{more}"], strict=True)
        )
        for name in fits
    }
    return epoch, once


def machine() -> str:
    """Return the machine and the versions, in a line."""
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    names = ("rosenblatt", "numba", "numpy", "scipy", *PEERS)
    versions = ", ".join(f"{name} {_version(name)}" for name in names)
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def pretty(value: float) -> str:
    """Seconds in a readable unit.

    >>> pretty(0.0123), pretty(3.7e-05)
    ('12.3 ms', '37.0 µs')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return (
                f"{value / size:.3g} {unit}"
                if value >= 100 * size
                else f"{value / size:.1f} {unit}"
            )
    return f"{value * 1e9:.0f} ns"


def percent(share: float) -> str:
    """A share in percent.

    >>> percent(0.7526)
    '75.26 %'
    """
    return f"{100 * share:.2f} %"


def against(
    work: str,
    peer: str,
    ours: dict[str, float],
    theirs: tuple[float, float],
    right: dict[str, float],
    wanted: str,
) -> Finding:
    """The finding on times and accuracy: of ours, the fastest no worse than theirs, or the best.

    ``ours`` are seconds, ``theirs`` the seconds and accuracy of the peer, ``right`` accuracies.
    """
    seconds, accuracy = theirs
    enough = [name for name in ours if right[name] >= accuracy]
    best = min(enough, key=ours.__getitem__) if enough else max(ours, key=right.__getitem__)
    accuracies = f"{percent(right[best])} right to {percent(accuracy)}"
    return Finding(f"{work}; {best}", peer, f"{seconds / ours[best]:.1f} ×, {accuracies}", wanted)


def versus(title: str, times: dict[str, float], ours: str, notes: str = "") -> str:
    """A titled table of times and their ratio to ours."""
    rows = [
        [f"**{name}**" if name == ours else name, pretty(t), f"{t / times[ours]:.2f} ×"]
        for name, t in times.items()
    ]
    text = f"### {title}\n\n{notes}\n\n" if notes else f"### {title}\n\n"
    return text + table(["", "median", "to ours"], rows)
