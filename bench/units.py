"""Raw columns in other units, each times 10^U(−6, 6): accuracy and log loss before and after.

Run: python bench/units.py [--write]. With --write the figures are kept in
docs/accuracy/units.json, and the page bench/accuracy.md has them.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from field import ours, page, peers
from field.answers import Learner, Rows, figures
from field.sets import SETS

DATA = ("pima", "banknote", "wine", "svmguide3", "spambase", "pendigits")
LEARNERS: dict[str, Learner] = {
    name: (ours.ONE_PASS | peers.ONE_PASS)[name]
    for name in (
        "auto", "arow", "adagrad_logistic", "kt", "scinol", "nag",
        "vw", "vw --coin", "vw --ftrl", "sklearn SGD averaged",
    )
    if name in ours.ONE_PASS | peers.ONE_PASS
}  # fmt: skip


def both(rows: Rows, learn: Learner) -> list[dict[str, float]]:
    """Return the figures of a learner on these columns, and on the same in other units."""
    found = []
    units = 10 ** np.random.default_rng(0).uniform(-6, 6, rows.split.X.shape[1])
    split = rows.split
    other = split._replace(X=split.X * units, X_test=split.X_test * units)
    for one in (split, other):
        with tempfile.TemporaryDirectory() as folder:
            answer = learn(rows._replace(split=one, folder=Path(folder)))
        if answer is not None:
            found.append(figures(answer, one.y_test))
    return found


def measure() -> dict[str, Any]:
    """Return for each set and learner the accuracy and log loss, before and after."""
    kept: dict[str, Any] = {}
    for data in SETS:
        if data.name not in DATA:
            continue
        for split in data._replace(seeds=1).splits():
            rows = Rows(split, 0, Path())
            kept[data.name] = {
                name: [[round(value, 5) for value in run.values()] for run in both(rows, learn)]
                for name, learn in LEARNERS.items()
            }
        print(data.name, kept.get(data.name), flush=True)
    return kept


if __name__ == "__main__":
    page.measure_part("units", "sets", measure, "Raw columns in other units.")
