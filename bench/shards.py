"""An epoch of two shards on two cores, against one shard on one.

Run: python bench/shards.py
"""

from __future__ import annotations

from functools import partial
from typing import Any

from made import zipf_rows
from markdown import figure, pretty, table
from measure import Part, an_epoch, joined, machine
from ratios import Finding, Times, ratio

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
    work = f"an epoch of two shards on two cores ({n:,} rows)"

    def lines(epoch: Times, once: Times) -> list[Finding]:
        return [Finding(work, "one shard on one core", ratio(epoch[ONE], epoch[TWO]), 1.7)]

    epoch, once, findings = an_epoch(fits, {}, 7, lines)
    rows = [
        [name, pretty(t), f"{figure(epoch[ONE] / t)} × as fast", pretty(once[name])]
        for name, t in epoch.items()
    ]
    shape = f"{n:,} × {X.shape[1]:,}, {X.nnz / n:.0f} nonzeros a row"
    header = ["", "an epoch", "to one shard", "a whole fit of one epoch"]
    text = f"### Shards, a shuffled sparse epoch of two classes ({shape})\n\n{table(header, rows)}"
    return Part(text, findings)


def main() -> Part:
    return joined([compare(200_000), compare(800_000)])


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
