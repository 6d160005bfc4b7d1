"""When does which rule win? The progressive error of one pass, over made and real sets.

Run: python bench/run_tables.py which_rule
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import real
from markdown import table

from tables import rule_map
from tables.layout import perceptron
from tables.one_pass import two_classes

RANK = 70  # its place on the page
N, D, CHUNKS, SEEDS = 20_000, 50, 100, 3
LEARNERS: dict[str, dict[str, Any]] = {
    "auto": {"rule": "auto"},
    "perceptron": {"rule": "perceptron"},
    "perceptron, average": {"rule": "perceptron", "output": "average"},
    "pa1": {"rule": "pa1", "eta0": 0.1},
    "pa1, average": {"rule": "pa1", "eta0": 0.1, "output": "average"},
    "logistic, average": {"rule": "logistic", "eta0": 0.1, "output": "average"},
    "ogd": {"rule": "ogd", "eta0": 0.1},
    "romma": {"rule": "romma"},
    "alma": {"rule": "alma"},
    "arow": {"rule": "arow"},
    "cw": {"rule": "cw"},
    "scw1": {"rule": "scw1"},
    "adagrad": {"rule": "adagrad", "eta0": 0.1},
    "adagrad_logistic": {"rule": "adagrad_logistic", "eta0": 0.1},
}
NOTES = (
    f"Errors in percent of one pass: each of {CHUNKS} parts of the rows is predicted before it is "
    f"learned, the first part is not counted; means over {SEEDS} orders of the rows or sets of "
    "made rows. Nothing is tuned: C and η are 0.1 where a rule has one. Made rows have 50 "
    "columns; the truth is a hyperplane. Bold: within a tenth of the least error of the line."
)


def made(
    rng: np.random.Generator,
    *,
    noise: float = 0.0,
    margin: float = 0.0,
    rare: float = 0.5,
    density: float = 1.0,
    spread: float = 0.0,
    turns: float = 0.0,
) -> tuple[Any, Any]:
    """Return rows on two sides of a hyperplane.

    Parameters
    ----------
    noise : float
        Share of labels that are wrong.
    margin : float
        Rows nearer to the hyperplane are left out.
    rare : float
        Share of the second class.
    density : float
        Share of entries that are not zero; column j has a share that falls as 1/j.
    spread : float
        Columns have scales from 10^-spread to 10^spread.
    turns : float
        Turns of the hyperplane over the rows.
    """
    X = rng.standard_normal((4 * N, D))
    if density < 1.0:
        shares = np.minimum(1.0, density * D / np.arange(1, D + 1) / np.log(D))
        X *= rng.random(X.shape) < shares
    w = rng.standard_normal(D) / np.sqrt(D)
    scores = X @ w
    if turns:
        X, other = X[:N], rng.standard_normal(D) / np.sqrt(D)
        angle = 2 * np.pi * turns * np.arange(N) / N
        scores = (X @ w) * np.cos(angle) + (X @ other) * np.sin(angle)
    scores -= np.quantile(scores, 1.0 - rare)
    kept = np.flatnonzero(np.abs(scores) > margin)[:N]
    X, y = X[kept], (scores[kept] > 0).astype(int)
    y = np.where(rng.random(len(y)) < noise, 1 - y, y)
    return X * 10.0 ** rng.uniform(-spread, spread, D), y


MADE: dict[str, dict[str, float]] = {
    "a wide margin": {"margin": 0.5},
    "no margin": {},
    "10 % wrong labels": {"noise": 0.1},
    "30 % wrong labels": {"noise": 0.3},
    "a class of 5 %": {"rare": 0.05, "noise": 0.01},
    "rare features": {"density": 0.1},
    "columns of other scales": {"spread": 2.0},
    "drift, two turns": {"turns": 2.0},
}
REAL: dict[str, Callable[[], Any]] = {
    "a1a": partial(two_classes, "a1a"),
    "ijcnn1": partial(two_classes, "ijcnn1"),
    "rcv1_small": partial(two_classes, "rcv1_small"),
    "20 newsgroups, computers": partial(two_classes, "20 newsgroups, computers or not"),
    "SMS": partial(two_classes, "SMS"),
    "spambase, as it is": partial(two_classes, "spambase, as it is"),
    "letter (26 classes)": real.letter,
}


def streams() -> Iterator[tuple[str, list[tuple[Any, Any]]]]:
    """Yield each set, with its rows in a few orders."""
    for name, params in MADE.items():
        yield name, [made(np.random.default_rng(seed), **params) for seed in range(SEEDS)]
    for name, load in REAL.items():
        if (split := load()) is not None:
            orders = [np.random.default_rng(s).permutation(len(split.y)) for s in range(SEEDS)]
            yield name, [(split.X[order], split.y[order]) for order in orders]


def progressive_error(params: dict[str, Any], X: Any, y: Any) -> float:
    """Return the share of rows predicted wrong before they are learned, in percent."""
    model, classes, wrong = perceptron(**params), np.unique(y), 0
    bounds = np.linspace(0, len(y), CHUNKS + 1).astype(int)
    for start, stop in pairwise(bounds):
        part = slice(start, stop)
        if start > 0:
            wrong += int((model.predict(X[part]) != y[part]).sum())
        model.partial_fit(X[part], y[part], classes=classes)
    return 100.0 * wrong / (len(y) - int(bounds[1]))


def main() -> str:
    sets, found = [], []
    for name, orders in streams():
        sets.append(name)
        found.append(
            [
                np.mean([progressive_error(params, X, y) for X, y in orders])
                for params in LEARNERS.values()
            ]
        )
    return text_of(rule_map.Errors(sets, list(LEARNERS), np.array(found)))


def text_of(errors: rule_map.Errors) -> str:
    """Return the part of the page: the picture and the table."""
    rows = []
    for name, values in zip(errors.sets, errors.values, strict=True):
        best = values.min()
        rows.append([name, *(f"**{e:.2f}**" if e <= 1.1 * best else f"{e:.2f}" for e in values)])
    ranks = np.mean(errors.values.argsort().argsort() + 1, axis=0)
    rows.append([rule_map.MEAN, *(f"{rank:.1f}" for rank in ranks)])
    picture = f"![{rule_map.alt_text(errors)}](../docs/{rule_map.NAME})"
    shown = table(["", *errors.rules], rows)
    return f"## When does which rule win?\n\n{NOTES}\n\n{picture}\n\n{shown}\n"


def draw(text: str, folder: Path) -> None:
    """Draw the picture of this part of the page, which may be an earlier run's, into a folder."""
    rule_map.save(text, folder)
