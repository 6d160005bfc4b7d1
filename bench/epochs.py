"""One epoch against scikit-learn's, with the matrix product as the lower limit.

An epoch is a sixth of (seven epochs − one epoch), taken within each round, so that validation and
start-up drop out on both sides; they are shown apart. (The small sets have other numbers than
seven.) At the end are fits with default parameters, from validation to the fitted attributes, of
small sets. Run: python bench/epochs.py
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from made import Split, zipf_classes, zipf_rows
from markdown import figure, pretty, table
from measure import Part, absent, an_epoch, joined, machine
from ratios import Finding, Ratio, Times, alternate, faster, medians, middle, ratio
from real import a1a, letter, mnist, newsgroups, rcv1_small
from sklearn import linear_model
from sklearn.datasets import load_digits, load_iris, load_wine

import rosenblatt

warnings.simplefilter("ignore")

OURS, THEIRS, SGD = "rosenblatt.Perceptron", "sklearn.Perceptron", "sklearn.SGDClassifier"
FLOOR = "X @ W, the floor"
MORE = 7


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


def full_name(peer: str) -> str:
    return peer.replace("sklearn.", "scikit-learn ")


def compare(
    work: str,
    detail: str,
    X: Any,
    y: Any,
    *,
    wanted: float | None = None,
    within: float | None = None,
    more: int = MORE,
    **setting: Any,
) -> Part:
    """Return the table of one data set; ``wanted`` × the peers, ``within`` × the product."""
    classes = len(np.unique(y))
    shape = X.shape[1:] if classes == 2 else (X.shape[1], classes)
    weights = np.random.default_rng(0).standard_normal(shape)

    def lines(epoch: Times, once: Times) -> list[Finding]:
        found = [
            Finding(work, full_name(name), ratio(times, epoch[OURS]), wanted)
            for name, times in epoch.items()
            if name != OURS
        ]
        if within is not None:
            product = ratio(epoch[OURS], once[FLOOR])
            found.append(Finding(work, "the product X @ W", product, within, at_most=True))
        return found

    product = {FLOOR: lambda: X @ weights}
    epoch, once, findings = an_epoch(peers(X, y, **setting), product, more, lines)
    ours, floor = epoch[OURS], once[FLOOR]
    rows = [
        [name, pretty(t), f"{figure(t / ours)} ×", f"{figure(t / floor)} ×", pretty(once[name])]
        for name, t in epoch.items()
    ]
    rows.append([FLOOR, pretty(floor), f"{figure(floor / ours)} ×", "1", ""])
    header = ["", "an epoch", "to ours", "to the floor", "a whole fit of one epoch"]
    text = f"### {work[0].upper()}{work[1:]} ({detail})\n\n{table(header, rows)}"
    return Part(text, findings)


def made() -> Iterator[Part]:
    X, y = zipf_rows()
    shape = f"{X.shape[0]:,} × {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} nonzeros a row"
    work = "one shuffled sparse epoch, two classes"
    yield compare(work, shape, X, y, wanted=3.5, within=1.7)
    work = "one sparse epoch in order, two classes"
    yield compare(work, shape, X, y, wanted=1.5, shuffle=False)
    X, y = zipf_classes()
    shape = f"made, {X.shape[0]:,} × {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} nonzeros a row"
    work = "one shuffled sparse epoch, 100 classes"
    yield compare(work, shape, X, y, wanted=10.0, more=2)


def dense() -> Iterator[Part]:
    X, y, name = mnist()
    work = "one shuffled dense epoch, ten classes"
    yield compare(work, f"{name}, 60,000 × 784", X, y, wanted=14.0, within=1.3)
    even = (y % 2 == 0).astype(int)
    yield compare("one shuffled dense epoch, two classes", f"{name}, odd or even", X, even)
    rng = np.random.default_rng(1)
    full = rng.standard_normal((len(y), 784))
    work = "one shuffled dense epoch without zeros, ten classes"
    yield compare(work, "60,000 × 784", full, y, wanted=5.0, within=2.5)
    few = rng.standard_normal((15_000, 64))
    classes = np.argmax(few @ rng.standard_normal((64, 26)), axis=1)
    work = "one shuffled dense epoch of 64 features, 26 classes"
    yield compare(work, "made, 15,000 × 64", few, classes, wanted=5.0)


def real(
    work: str, name: str, split: Split | None, *, wanted: float | None = None, more: int = MORE
) -> Part:
    """Return the table of a data set that may be absent."""
    if split is None:
        return absent(f"{work} ({name})")
    return compare(work, f"{name}, {split.shape}", split.X, split.y, wanted=wanted, more=more)


def to_the_end(name: str, X: Any, y: Any) -> Part:
    """Return the table of whole fits with the default parameters."""
    fits = {
        OURS: lambda: rosenblatt.Perceptron().fit(X, y),
        THEIRS: lambda: linear_model.Perceptron().fit(X, y),
    }
    work = f"fit to the end, {name}"
    times, findings = alternate(fits, faster(work, full_name(THEIRS), THEIRS, OURS, 1.0))
    rows = [[peer, pretty(t), str(fits[peer]().n_iter_)] for peer, t in medians(times).items()]
    shape = f"{X.shape[0]:,} × {X.shape[1]:,}, {len(np.unique(y))} classes"
    text = f"### {work[0].upper()}{work[1:]} ({shape})\n\n{table(['', 'fit', 'epochs'], rows)}"
    return Part(text, findings)


def whole_fits() -> Iterator[Part]:
    parts = [
        to_the_end(load.__name__.removeprefix("load_"), *load(return_X_y=True))
        for load in (load_iris, load_wine, load_digits)
    ]
    for name, split in (("a1a", a1a()), ("rcv1_small", rcv1_small())):
        if split is not None:
            parts.append(to_the_end(name, split.X, split.y))
    yield from parts
    ratios: list[Ratio] = [line.ratio for part in parts for line in part.findings]
    work = "fit to the end, the median of these sets"
    yield Part("", [Finding(work, full_name(THEIRS), middle(ratios), 1.5)])


def main() -> Part:
    parts = list(made())
    parts.append(
        real("one shuffled sparse epoch, 20 classes", "20 newsgroups", newsgroups(), wanted=5.0)
    )
    parts += dense()
    parts.append(real("one shuffled dense epoch, 26 classes", "letter", letter(), wanted=5.0))
    work = "one shuffled sparse epoch of a small set, two classes"
    parts.append(real(work, "a1a", a1a(), more=10 * MORE))
    work = "one shuffled sparse epoch of a small set, two classes, separable"
    parts.append(real(work, "rcv1_small", rcv1_small(), more=5))
    parts += whole_fits()
    return joined(parts)


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
