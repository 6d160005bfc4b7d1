"""An epoch of two shards on two cores, against one shard on one.

Run: python bench/shards.py
"""

from __future__ import annotations

from functools import partial
from typing import Any

from made import zipf_rows
from measure import Finding, Part, an_epoch, joined, machine, pretty, table

import rosenblatt

ONE, TWO, SERIAL = "one shard", "two shards, two threads", "two shards, one thread"
SETTINGS: dict[str, dict[str, int]] = {
    ONE: {"shards": 1},
    TWO: {"shards": 2, "n_jobs": 2},
    SERIAL: {"shards": 2, "n_jobs": 1},
}


def fit(X: Any, y: Any, epochs: int, **setting: int) -> None:
    rosenblatt.Perceptron(max_iter=epochs, tol=None, **setting).fit(X, y)


def compare(n: int) -> Part:
    X, y = zipf_rows(n)
    fits = {name: partial(fit, X, y, **setting) for name, setting in SETTINGS.items()}
    epoch, once = an_epoch(fits, {}, more=7, count=5)
    rows = [
        [name, pretty(t), f"{epoch[ONE] / t:.2f} × as fast", pretty(once[name])]
        for name, t in epoch.items()
    ]
    shape = f"{n:,} × {X.shape[1]:,}, {X.nnz / n:.0f} nonzeros a row"
    header = ["", "an epoch", "to one shard", "a whole fit of one epoch"]
    text = f"### Shards, a shuffled sparse epoch of two classes ({shape})\n\n{table(header, rows)}"
    work = f"an epoch of two shards on two cores ({n:,} rows)"
    measured = f"{epoch[ONE] / epoch[TWO]:.2f} ×"
    return Part(text, [Finding(work, "one shard on one core", measured, "1.7 ×")])


def main() -> Part:
    return joined([compare(200_000), compare(800_000)])


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
