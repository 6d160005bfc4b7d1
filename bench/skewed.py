"""Shards whose classes differ: what it costs, and what dealing the rows in turn gains.

Run: python bench/skewed.py; a part of the page that bench/scale.py writes. Errors, no times.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from markdown import table
from sets import real_sets

from rosenblatt import Perceptron

SHARDS = 10
IN_ORDER = (0.0, 0.05, 0.1, 0.25, 0.5, 1.0)
"""Shares of the rows that stand in the order of their classes, before all others."""


def order_of(y: Any, share: float) -> Any:
    """Return an order in which each shard has so much of consecutive classes."""
    rng = np.random.default_rng(0)
    is_sorted = rng.random(len(y)) < share
    first, rest = np.flatnonzero(is_sorted), np.flatnonzero(~is_sorted)
    first = first[np.argsort(y[first], kind="stable")]
    parts = zip(np.array_split(first, SHARDS), np.array_split(rest, SHARDS), strict=True)
    return np.concatenate([rows for pair in parts for rows in pair])


def distance(y: Any, order: Any) -> float:
    """Return the largest total variation between the classes of a shard and of all rows."""
    _, codes = np.unique(y, return_inverse=True)
    shares = np.bincount(codes) / len(y)
    parts = np.array_split(codes[order], SHARDS)
    each = [np.bincount(part, minlength=len(shares)) / len(part) for part in parts]
    return max(0.5 * float(np.abs(one - shares).sum()) for one in each)


def error(order: Any, rows: tuple[Any, Any, Any, Any], epochs: int, output: str) -> str:
    X, y, X_test, y_test = rows
    setting = {"max_iter": epochs, "tol": None, "output": output, "n_jobs": 2}
    model = Perceptron(shards=SHARDS, **setting).fit(X[order], y[order])
    return f"{100 * (1 - model.score(X_test, y_test)):.2f}"


def skewed_tables(sets: dict[str, Any]) -> str:
    text = ""
    for name, rows in sets.items():
        y, cells = rows[1], []
        orders = [(f"{100 * share:.0f} % in order", order_of(y, share)) for share in IN_ORDER]
        in_order = orders[-1][1]
        dealt = np.concatenate([in_order[s::SHARDS] for s in range(SHARDS)])
        for label, order in [*orders, ("100 % in order, interleaved", dealt)]:
            errors = [
                error(order, rows, epochs, output)
                for output in ("average", "last")
                for epochs in (1, 5)
            ]
            cells.append([label, f"{distance(y, order):.2f}", *errors])
        header = ["rows", "distance", "average, 1 epoch", "5", "last weights, 1 epoch", "5"]
        text += f"**{name}**, {SHARDS} shards; test error in percent:\n\n{table(header, cells)}\n"
    return text


if __name__ == "__main__":
    print(skewed_tables(real_sets()))
