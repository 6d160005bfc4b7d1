"""A pass of a learner that calibrates its probabilities, to one of the same learner that does not.

A pass is a sixth of (seven passes − one pass), taken within each round, so that validation and
start-up drop out on both sides. Run: python bench/calibration.py
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from made import zipf_classes, zipf_rows
from markdown import figure, pretty, table
from measure import Part, an_epoch, joined, machine
from ratios import Finding, Times, ratio

import rosenblatt

PASSES = 7
PLAIN, CALIBRATED = "plain", "probabilities=True"
OUTPUTS = "last", "average"


def fit(epochs: int, X: Any, y: Any, **params: Any) -> None:
    rosenblatt.Perceptron(max_iter=epochs, tol=None, **params).fit(X, y)


def compare(work: str, detail: str, X: Any, y: Any) -> Iterator[Part]:
    """Yield the table of one data set, for the last weights and the average."""
    for output in OUTPUTS:
        name = f"{work}, output={output!r}"

        def lines(epoch: Times, once: Times, name: str = name) -> list[Finding]:
            cost = ratio(epoch[CALIBRATED], epoch[PLAIN])
            return [Finding(name, "the same without", cost, 1.1, at_most=True)]

        fits: Mapping[str, Any] = {
            label: partial(fit, X=X, y=y, output=output, probabilities=label == CALIBRATED)
            for label in (PLAIN, CALIBRATED)
        }
        epoch, _, findings = an_epoch(fits, {}, PASSES, lines)
        rows = [[label, pretty(t), f"{figure(t / epoch[PLAIN])} ×"] for label, t in epoch.items()]
        text = table(["", "a pass", "to the plain one"], rows)
        yield Part(f"### {name[0].upper()}{name[1:]} ({detail})\n\n{text}", findings)


def main() -> Part:
    X, y = zipf_rows()
    shape = f"made, {X.shape[0]:,} × {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} nonzeros a row"
    parts = list(compare("probabilities of a sparse pass, two classes", shape, X, y))
    X, y = zipf_classes()
    shape = f"made, {X.shape[0]:,} × {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} nonzeros a row"
    parts += compare("probabilities of a sparse pass, 100 classes", shape, X, y)
    rng = np.random.default_rng(0)
    for d, K in ((100, 2), (64, 26)):
        dense = rng.standard_normal((60_000, d))
        noisy = dense @ rng.standard_normal((d, K)) + 5.0 * rng.standard_normal((60_000, K))
        labels, shape = np.argmax(noisy, axis=1), f"made, 60,000 × {d}"
        parts += compare(f"probabilities of a dense pass, {K} classes", shape, dense, labels)
    return joined(parts)


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
