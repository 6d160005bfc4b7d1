"""The runs of the comparison, set after set, kept in docs/accuracy/field.json."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from made import Split
from sklearn.model_selection import train_test_split

from field import ours, peers
from field.answers import Learner, Rows, figures
from field.sets import Set, stacked
from rosenblatt import metrics

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "accuracy"
KEPT = FOLDER / "field.json"
GROUPS: dict[str, dict[str, Learner]] = {
    "one": ours.ONE_PASS | peers.ONE_PASS,
    "ten": ours.TEN | peers.TEN,
    "best": {"rosenblatt, best": ours.best} | peers.BEST,
}
"""Learners as they come, in one pass and in ten (or as many as an exact solver needs); tuned."""

Kept = dict[str, Any]


def load(path: Path = KEPT) -> dict[str, Kept]:
    """Return the kept runs by the names of their sets."""
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def save(runs: dict[str, Kept], names: list[str], path: Path = KEPT) -> None:
    """Keep the runs, in this order of the sets."""
    path.parent.mkdir(exist_ok=True)
    lines = [f"{json.dumps(name)}: {json.dumps(runs[name])}" for name in names if name in runs]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def measure(data: Set, machine: str, groups: list[str]) -> Kept | None:
    """Run these groups of learners on every split of a set; None where the data is absent."""
    found: dict[str, dict[str, list[dict[str, float]]]] = {group: {} for group in groups}
    shape, start = {}, time.perf_counter()
    for seed, split in enumerate(data.splits()):
        with tempfile.TemporaryDirectory() as folder:
            rows = Rows(split, seed, Path(folder))
            shape = {
                "rows": split.X.shape[0],
                "test": len(split.y_test),
                "columns": split.X.shape[1],
                "classes": rows.classes,
            }
            for group in groups:
                for name, learn in GROUPS[group].items():
                    begun = time.perf_counter()
                    answer = learn(rows)
                    if answer is not None:
                        found[group].setdefault(name, []).append(figures(answer, split.y_test))
                    took = time.perf_counter() - begun
                    if took > SLOW:
                        print(f"  {data.name}, {name}: {took:.0f} s", file=sys.stderr, flush=True)
        last = split
    if not shape:
        return None
    print(f"{data.name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    means = {group: {n: summary(runs) for n, runs in of.items()} for group, of in found.items()}
    kept = {"kind": data.kind, "seeds": seed + 1, "machine": machine} | shape | means
    return kept | {"calibration": calibration(last)}


SLOW = 20.0  # seconds of one learner that are worth a line


def summary(runs: list[dict[str, float]]) -> dict[str, list[float]]:
    """Return the mean and the standard deviation over the seeds."""
    values = {key: [run[key] for run in runs] for key in runs[0]}
    return {
        key: [round(float(np.mean(of)), 5), round(float(np.std(of)), 5)]
        for key, of in values.items()
    }


def calibration(split: Split) -> dict[str, list[float]]:
    """Return the ECE of auto on a held-out half, what chance makes of it, and the rows."""
    X, y = stacked(split)
    half, other = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=0)
    found = {}
    for name, passes in (("one", 1), ("ten", ours.PASSES)):
        model = ours.fitted(X[half], y[half], {"rule": "auto"}, passes, 0)
        said = metrics.ece(y[other], model.predict_proba(X[other]), model.classes_)
        found[name] = [round(said.ece, 5), round(said.by_chance, 5), len(other)]
    return found
