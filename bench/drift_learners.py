"""Learners on streams with a known change: progressive error and log loss.

Run: python bench/drift_learners.py [--write]. With --write the figures are kept in
docs/accuracy/drift.json, and the page docs/accuracy.md has them.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import wabbit
from field import page
from field.answers import log_loss
from field.streams import STREAMS

import rosenblatt

AT_A_TIME = 10
SEEDS = 1
OURS: dict[str, dict[str, Any]] = {
    "auto": {"rule": "auto"},
    "perceptron": {"probabilities": True},
    "averaged": {"output": "average", "probabilities": True},
    "arow": {"rule": "arow", "probabilities": True},
    "adagrad_logistic": {"rule": "adagrad_logistic"},
    "kt": {"rule": "kt"},
    "scinol": {"rule": "scinol"},
}
VW = {"vw": (), "vw --coin": ("--coin",)}
TUNED: dict[str, list[dict[str, Any]]] = {
    "arow": [{"rule": "arow", "eta0": eta0, "probabilities": True} for eta0 in (0.1, 10.0)],
    "adagrad_logistic": [{"rule": "adagrad_logistic", "eta0": eta0} for eta0 in (0.1, 0.01)],
}
"""Further settings of our rules: the aim is the best of all rules and settings, plus a point."""


def progressive(params: dict[str, Any], X: Any, y: Any) -> Any:
    """Return the probabilities of each row before it is learned, ten rows at a time."""
    model = rosenblatt.Perceptron(shuffle=False, **params)
    said = np.full((len(y), 2), 0.5)
    for start in range(0, len(y), AT_A_TIME):
        rows = slice(start, start + AT_A_TIME)
        if start:
            said[rows] = model.predict_proba(X[rows])
        model.partial_fit(X[rows], y[rows], classes=[0, 1])
    return said


def progressive_wabbit(options: tuple[str, ...], X: Any, y: Any) -> Any:
    """Return the same of Vowpal Wabbit, row by row."""
    with tempfile.TemporaryDirectory() as folder:
        text, said = Path(folder) / "rows", Path(folder) / "said"
        wabbit.write(text, X, 2 * y - 1)
        more = ("--link", "logistic", "-p", str(said), *options)
        given = wabbit.arguments(text, Path(folder) / "model", *more, loss="logistic")
        wabbit.module.Workspace(arg_list=given).finish()
        p = np.loadtxt(said)
    return np.column_stack([1 - p, p])


def figures(said: Any, y: Any) -> tuple[float, float]:
    """Return the error in percent and the log loss."""
    return 100 * float(np.mean((said[:, 1] > 0.5) != y)), log_loss(said, y)


def measure() -> dict[str, dict[str, list[float]]]:
    """Return error and log loss of each learner on each stream, means over the seeds."""
    kept = {}
    for stream, make in STREAMS.items():
        found: dict[str, list[tuple[float, float]]] = {}
        for seed in range(SEEDS):
            X, y = make(seed)
            for name, params in OURS.items():
                found.setdefault(name, []).append(figures(progressive(params, X, y), y))
            for name, settings in TUNED.items():
                tried = [figures(progressive(params, X, y), y) for params in settings]
                best = np.min([found[name][-1], *tried], axis=0)
                found.setdefault(f"{name}, tuned", []).append(tuple(best))
            for name, options in VW.items() if wabbit.module is not None else ():
                said = progressive_wabbit(options, X, y)
                found.setdefault(name, []).append(figures(said, y))
        means = {name: np.mean(runs, axis=0) for name, runs in found.items()}
        kept[stream] = {name: [round(float(v), 5) for v in mean] for name, mean in means.items()}
        print(stream, kept[stream], flush=True)
    return kept


if __name__ == "__main__":
    page.measure_part("drift", "streams", measure, "Learners on streams with a known change.")
