"""How the benchmarks measure: side by side, alternately, several rounds, medians and ratios."""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

ROUNDS = 7
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def seconds(work: Callable[[], object]) -> float:
    """Wall seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def rounds(works: dict[str, Callable[[], object]], count: int) -> dict[str, list[float]]:
    """Seconds of each work, run in turn so that the machine's moods hit all alike."""
    for work in works.values():
        work()  # compiled, cached, paged in
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(count):
        for name, work in works.items():
            times[name].append(seconds(work))
    return times


def alternate(works: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Median seconds of each work over the rounds."""
    return {name: statistics.median(t) for name, t in rounds(works, ROUNDS).items()}


def machine() -> str:
    """The machine and the versions, in a line."""
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    import os

    names = ("rosenblatt", "numba", "numpy", "scipy", "scikit-learn")
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}"


def table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
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


def versus(title: str, times: dict[str, float], ours: str, notes: str = "") -> str:
    """A titled table of times and their ratio to ours."""
    rows = [
        [f"**{name}**" if name == ours else name, pretty(t), f"{t / times[ours]:.2f} ×"]
        for name, t in times.items()
    ]
    text = f"### {title}\n\n{notes}\n\n" if notes else f"### {title}\n\n"
    return text + table(["", "median", "to ours"], rows)
