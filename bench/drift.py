"""Drift alarms on simulated errors: ours, river's ADWIN and Page–Hinkley; delay and false alarms.

Takes river (``pip install river``). ``python bench/drift.py [runs]`` prints the table of decision
record 013.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.drift import Drift
from rosenblatt.utils.tables import text_table

Array = NDArray[Any]
N, AT = 40_000, 20_000
OVER = 10_000  # examples that a gradual change takes


def level(p: float) -> Array:
    return np.full(N, p)


def jump(p: float, q: float) -> Array:
    return np.where(np.arange(N) < AT, p, q)


def slope(p: float, q: float) -> Array:
    return p + (q - p) * np.clip((np.arange(N) - AT) / OVER, 0.0, 1.0)


def learning(p: float, q: float) -> Array:
    """Return an error rate that falls like 1/√t to p, so that no error has risen."""
    return p + q / np.sqrt(1.0 + np.arange(N))


STREAMS = {
    "none, 5 %": level(0.05),
    "none, 30 %": level(0.3),
    "none, 50 → 1 % while learning": learning(0.01, 0.49),
    "1 → 50 %": jump(0.01, 0.5),
    "1 → 5 %": jump(0.01, 0.05),
    "5 → 15 %": jump(0.05, 0.15),
    "5 → 8 %": jump(0.05, 0.08),
    "30 → 40 %": jump(0.3, 0.4),
    "5 → 15 %, gradual": slope(0.05, 0.15),
}


def ours(wrong: Array) -> list[int]:
    return [alarm.example for alarm in Drift().add(wrong)]


def adwin(wrong: Array) -> list[int]:
    """Return ADWIN's alarms at which the mean has risen; it also reports falls."""
    from river.drift import ADWIN

    detector, alarms, before = ADWIN(), [], 0.0
    for n, value in enumerate(wrong.tolist(), 1):
        detector.update(value)
        if detector.drift_detected and detector.estimation > before:
            alarms.append(n)
        before = detector.estimation
    return alarms


def page_hinkley(wrong: Array) -> list[int]:
    from river.drift import PageHinkley

    detector, alarms = PageHinkley(mode="up"), []
    for n, value in enumerate(wrong.tolist(), 1):
        detector.update(value)
        if detector.drift_detected:
            alarms.append(n)
    return alarms


WAYS: dict[str, Callable[[Array], list[int]]] = {
    "ours": ours,
    "ADWIN": adwin,
    "Page–Hinkley": page_hinkley,
}


def account(p: Array, find: Callable[[Array], list[int]], runs: int) -> str:
    """Return the median delay of the first true alarm, and the runs with a false alarm."""
    delays, false = [], 0
    changes = p[-1] > p[0]
    for run in range(runs):
        wrong = np.random.default_rng(run).random(N) < p
        alarms = find(wrong)
        late = [n - AT for n in alarms if changes and n > AT]
        false += len(late) < len(alarms)
        delays.append(late[0] if late else np.inf)
    text = f"{false} false"
    if changes:
        missed = int(np.isinf(delays).sum())
        text = f"{np.median(delays):,.0f}; {text}" + (f", {missed} missed" if missed else "")
    return text


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    rows = [
        [name, *(account(p, way, runs) for way in WAYS.values())] for name, p in STREAMS.items()
    ]
    print(f"{runs} runs of {N:,}, a change at {AT:,}: median delay; runs with a false alarm")
    print(text_table(["error", *WAYS], rows))


if __name__ == "__main__":
    main()
