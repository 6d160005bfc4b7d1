"""One epoch against scikit-learn's, with the matrix product as the lower limit.

An epoch is a sixth of (seven epochs − one epoch), taken within each round, so that validation and
start-up drop out on both sides; they are shown apart. (The small sets have other numbers than
seven.) At the end are fits with default parameters, from validation to the fitted attributes, of
small sets. Run: python bench/epochs.py
"""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from made import Split, zipf_classes, zipf_rows
from measure import (
    ROUNDS,
    Finding,
    Part,
    absent,
    an_epoch,
    joined,
    machine,
    pretty,
    rounds,
    table,
)
from real import a1a, letter, mnist, newsgroups, rcv1_small
from sklearn import linear_model
from sklearn.datasets import load_digits, load_iris, load_wine

import rosenblatt

warnings.simplefilter("ignore")

OURS, THEIRS, SGD = "rosenblatt.Perceptron", "sklearn.Perceptron", "sklearn.SGDClassifier"
FLOOR = "X @ W, the floor"
MORE = 7
FEW, MANY = 3, 51  # rounds, where scikit-learn takes seconds, and where all take microseconds


def fit(estimator: Callable[..., Any], X: Any, y: Any, epochs: int, **setting: Any) -> None:
    model = estimator(max_iter=epochs, tol=None, **setting).fit(X, y)
    if model.n_iter_ != epochs:
        raise RuntimeError(f"{model} ended after {model.n_iter_} epochs: compare fewer.")


def peers(X: Any, y: Any, **setting: Any) -> Mapping[str, Callable[[int], object]]:
    """Return fits of so many epochs."""
    fits = {
        OURS: partial(fit, rosenblatt.Perceptron, X, y, **setting),
        THEIRS: partial(fit, linear_model.Perceptron, X, y, **setting),
    }
    if len(np.unique(y)) == 2:
        fits[SGD] = partial(
            fit, linear_model.SGDClassifier, X, y, loss="perceptron", learning_rate="constant",
            eta0=1.0, penalty=None, random_state=0, **setting,
        )  # fmt: skip
    return fits


def compare(
    work: str,
    detail: str,
    X: Any,
    y: Any,
    *,
    wanted: str = "",
    more: int = MORE,
    count: int = ROUNDS,
    **setting: Any,
) -> Part:
    """Return the table of one data set, and its finding."""
    classes = len(np.unique(y))
    shape = X.shape[1:] if classes == 2 else (X.shape[1], classes)
    weights = np.random.default_rng(0).standard_normal(shape)
    product = {FLOOR: lambda: X @ weights}
    epoch, once = an_epoch(peers(X, y, **setting), product, more, count)
    ours, floor = epoch[OURS], once[FLOOR]
    rows = [
        [name, pretty(t), f"{t / ours:.1f} ×", f"{t / floor:.2f} ×", pretty(once[name])]
        for name, t in epoch.items()
    ]
    rows.append([FLOOR, pretty(floor), f"{floor / ours:.2f} ×", "1", ""])
    header = ["", "an epoch", "to ours", "to the floor", "a whole fit of one epoch"]
    text = f"### {work[0].upper()}{work[1:]} ({detail})\n\n{table(header, rows)}"
    to_floor = f"{ours / floor:.1f} × the time of X @ W"
    findings = [
        Finding(
            work, name.replace("sklearn.", "scikit-learn "), f"{t / ours:.1f} ×, {to_floor}", wanted
        )
        for name, t in epoch.items()
        if name != OURS
    ]
    return Part(text, findings)


def made() -> Iterator[Part]:
    X, y = zipf_rows()
    shape = f"{X.shape[0]:,} × {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} nonzeros a row"
    work, wanted = "one shuffled sparse epoch, two classes", "3.5 ×, within 1.7 × of X @ W"
    yield compare(work, shape, X, y, wanted=wanted)
    yield compare("one sparse epoch in order, two classes", shape, X, y, shuffle=False)
    X, y = zipf_classes()
    shape = f"made, {X.shape[0]:,} × {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} nonzeros a row"
    work = "one shuffled sparse epoch, 100 classes"
    yield compare(work, shape, X, y, wanted="10 ×", more=3, count=2)


def dense() -> Iterator[Part]:
    X, y, name = mnist()
    work, wanted = "one shuffled dense epoch, ten classes", "14 ×, within 1.3 × of X @ W"
    yield compare(work, f"{name}, 60,000 × 784", X, y, wanted=wanted)
    even = (y % 2 == 0).astype(int)
    yield compare("one shuffled dense epoch, two classes", f"{name}, odd or even", X, even)
    full = np.random.default_rng(1).standard_normal((60_000, 784))
    work = "one shuffled dense epoch without zeros, ten classes"
    yield compare(work, "60,000 × 784", full, y, count=FEW)


def real(
    work: str, name: str, split: Split | None, *, wanted: str = "", count: int = ROUNDS, more: int
) -> Part:
    """Return the table of a data set that may be absent."""
    if split is None:
        return absent(f"{work} ({name})")
    detail = f"{name}, {split.shape}"
    return compare(work, detail, split.X, split.y, wanted=wanted, count=count, more=more)


def to_the_end(name: str, X: Any, y: Any) -> Part:
    """Return the table of whole fits with the default parameters."""
    fits = {
        OURS: lambda: rosenblatt.Perceptron().fit(X, y),
        THEIRS: lambda: linear_model.Perceptron().fit(X, y),
    }
    times = rounds(fits, MANY)
    seconds = {peer: statistics.median(t) for peer, t in times.items()}
    ratio = statistics.median(b / a for a, b in zip(times[OURS], times[THEIRS], strict=True))
    rows = [[peer, pretty(seconds[peer]), str(fit().n_iter_)] for peer, fit in fits.items()]
    work = f"fit to the end, {name}"
    shape = f"{X.shape[0]:,} × {X.shape[1]:,}, {len(np.unique(y))} classes"
    text = f"### {work[0].upper()}{work[1:]} ({shape})\n\n{table(['', 'fit', 'epochs'], rows)}"
    peer = THEIRS.replace("sklearn.", "scikit-learn ")
    return Part(
        text, [Finding(work, peer, f"{ratio:.1f} ×", "1.5 × in the median, none below 1 ×")]
    )


def whole_fits() -> Iterator[Part]:
    for load in (load_iris, load_wine, load_digits):
        yield to_the_end(load.__name__.removeprefix("load_"), *load(return_X_y=True))
    for name, split in (("a1a", a1a()), ("rcv1_small", rcv1_small())):
        work = f"fit to the end, {name}"
        yield absent(work) if split is None else to_the_end(name, split.X, split.y)


def main() -> Part:
    parts = list(made())
    work = "one shuffled sparse epoch, 20 classes"
    parts.append(real(work, "20 newsgroups", newsgroups(), wanted="5 ×", more=MORE))
    parts += dense()
    work = "one shuffled dense epoch, 26 classes"
    parts.append(real(work, "letter", letter(), more=MORE))
    work = "one shuffled sparse epoch of a small set, two classes"
    parts.append(real(work, "a1a", a1a(), more=10 * MORE, count=MANY))
    work = "one shuffled sparse epoch of a small set, two classes, separable"
    parts.append(real(work, "rcv1_small", rcv1_small(), more=5, count=MANY))
    parts += whole_fits()
    return joined(parts)


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
