"""One epoch against scikit-learn's, with the matrix product as the floor.

An epoch is a sixth of (seven epochs − one epoch), taken within each round, so that validation and
start-up drop out on both sides; they are shown apart. Run: python bench/epochs.py
"""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from made import mnist, zipf_rows
from measure import ROUNDS, machine, pretty, rounds, table
from sklearn import linear_model

import rosenblatt

warnings.simplefilter("ignore")

MORE = 7


def fits(X: Any, y: Any, peers: dict[str, Callable[[int], Any]]) -> dict[str, Callable[[], object]]:
    works: dict[str, Callable[[], object]] = {}
    for name, peer in peers.items():
        for epochs in (1, MORE):
            works[f"{name}/{epochs}"] = lambda peer=peer, epochs=epochs: peer(epochs).fit(X, y)
    return works


def compare(title: str, X: Any, y: Any, weights: Any, **setting: Any) -> str:
    peers = {
        "rosenblatt.Perceptron": lambda n: rosenblatt.Perceptron(max_iter=n, tol=None, **setting),
        "sklearn.Perceptron": lambda n: linear_model.Perceptron(max_iter=n, tol=None, **setting),
    }
    if len(np.unique(y)) == 2:
        peers["sklearn.SGDClassifier"] = lambda n: linear_model.SGDClassifier(
            loss="perceptron", learning_rate="constant", eta0=1.0, penalty=None, max_iter=n,
            tol=None, random_state=0, **setting,
        )  # fmt: skip
    works = fits(X, y, peers)
    works["X @ W"] = lambda: X @ weights
    times = rounds(works, ROUNDS)
    epoch = {
        name: statistics.median(
            (many - one) / (MORE - 1)
            for one, many in zip(times[f"{name}/1"], times[f"{name}/{MORE}"], strict=True)
        )
        for name in peers
    }
    once = {name: statistics.median(values) for name, values in times.items()}
    ours, floor = epoch["rosenblatt.Perceptron"], once["X @ W"]
    rows = [
        [name, pretty(epoch[name]), f"{epoch[name] / ours:.1f} ×", f"{epoch[name] / floor:.2f} ×",
         pretty(once[f"{name}/1"])]
        for name in peers
    ]  # fmt: skip
    rows.append(["X @ W, the floor", pretty(floor), f"{floor / ours:.2f} ×", "1", ""])
    header = ["", "an epoch", "to ours", "to the floor", "a fit of one epoch, all told"]
    return f"### {title}\n\n" + table(header, rows)


def main() -> str:
    text = ""
    X, y = zipf_rows()
    w = np.random.default_rng(0).standard_normal(X.shape[1])
    shape = f"{X.shape[0]:,} × {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} nonzeros a row"
    text += compare(f"Sparse, shuffled, two classes ({shape})", X, y, w) + "\n"
    text += compare(f"Sparse, in order, two classes ({shape})", X, y, w, shuffle=False) + "\n"
    X, y, name = mnist()
    W = np.random.default_rng(0).standard_normal((784, 10))
    text += compare(f"Dense, shuffled, ten classes ({name}, 60,000 × 784)", X, y, W) + "\n"
    even = (y % 2 == 0).astype(int)
    text += compare(f"Dense, shuffled, two classes ({name}, odd or even)", X, even, W[:, 0]) + "\n"
    rng = np.random.default_rng(1)
    full = rng.standard_normal((60_000, 784))
    text += compare("Dense without zeros, shuffled, ten classes (60,000 × 784)", full, y, W)
    return text


if __name__ == "__main__":
    print(machine(), "\n")
    print(main())
