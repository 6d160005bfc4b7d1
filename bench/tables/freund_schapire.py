"""Freund and Schapire's experiment (1999): last, averaged and voted perceptrons on MNIST.

One against the rest, the kernel (1 + ⟨x, x'⟩)^d on the pixels as they were scanned, 0 to 255, one
order of the rows. Run: python bench/run_tables.py freund_schapire (eleven minutes)
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from made import Split
from markdown import table
from real import scanned

from rosenblatt import KernelPerceptron, kernels
from rosenblatt.engine import state

RANK = 90  # its place on the page
TAKES_LONG = True  # run only where it is named
SCALE = 1e-6  # keeps the twelfth power of a row's length in float32; a factor changes no sign
TENTH, REST, ALL = slice(6_000), slice(6_000, None), slice(None)
PIECES = (
    (0.1, TENTH, 1),
    (1, REST, 1),
    (2, ALL, 1),
    (3, ALL, 1),
    (4, ALL, 1),
    (10, ALL, 6),
    (30, ALL, 20),
)  # epochs when they are over, rows, and how often these are walked
DEGREES, EPOCHS, LINEAR_EPOCHS = range(1, 7), 30, 10
OUTPUTS = ("vote", "average", "last")
NOTES = (
    "Test errors in percent on MNIST's 10,000 test rows, the number of support rows, and the "
    "mistakes of all ten learners in T epochs of the same random order of the 60,000 training "
    "rows. The kernel is (1 + ⟨x, x'⟩)^d on pixels from 0 to 255, times a factor that keeps it "
    "in the range of float32 and changes nothing else. A run ends after an epoch without a "
    "mistake."
)


class Stop(NamedTuple):
    """Results of a learner after so many epochs."""

    epochs: float
    cells: dict[str, float]


class AllOutputs(KernelPerceptron):
    """Keep the state for the average and for the vote: one fit serves every output."""

    def _empty_state(self, X: Any, columns: int) -> state.State:
        return state.empty(1, columns, np.float64, average=True)


def learner(degree: int) -> AllOutputs:
    """Yield a learner that continues, epoch by epoch, in the order of the rows."""
    kernel = kernels.Polynomial(degree, gamma=SCALE, coef0=SCALE)
    return AllOutputs(
        kernel, fit_intercept=False, output="vote", max_iter=1, tol=None, shuffle=False,
        warm_start=True,
    )  # fmt: skip


def error(model: AllOutputs, output: str, split: Split) -> float:
    """Return the error on the held-out rows in percent."""
    model.set_params(output=output)
    wrong = model.predict(split.X_test) != split.y_test
    model.set_params(output="vote")
    return float(100.0 * np.mean(wrong))


def stops(degree: int, split: Split, epochs: float) -> Iterator[Stop]:
    model = learner(degree)
    for T, rows, times in PIECES:
        if epochs < T:
            return
        start = time.perf_counter()
        model.set_params(max_iter=times).fit(split.X[rows], split.y[rows])
        trained = time.perf_counter() - start
        cells = {output: error(model, output, split) for output in OUTPUTS}
        cells |= {"support rows": len(model.support_), "mistakes": model.mistakes_}
        tested = time.perf_counter() - start - trained
        seconds = f"{trained:.1f} s, then {tested:.1f} s to test"
        print(f"d = {degree}, T = {T}: {seconds}; converged: {model.converged_}", file=sys.stderr)
        yield Stop(T, cells)


def grid(degree: int, found: list[Stop]) -> str:
    """Return the table of one degree."""
    rows = []
    for name in found[0].cells:
        rows.append([name, *(in_words(name, stop.cells[name]) for stop in found)])
    return table([f"d = {degree}", *(f"T = {stop.epochs}" for stop in found)], rows)


def in_words(name: str, cell: float) -> str:
    return f"{cell:.1f}" if name in OUTPUTS else f"{cell:,}"


def main() -> str:
    split = scanned()
    if split is None:
        return ""
    order = np.random.default_rng(0).permutation(len(split.y))
    split = split._replace(X=split.X[order], y=split.y[order])
    found = {d: list(stops(d, split, LINEAR_EPOCHS if d == 1 else EPOCHS)) for d in DEGREES}
    tables = "\n".join(grid(d, steps) for d, steps in found.items())
    return f"## Freund and Schapire's grid (1999)\n\n{NOTES}\n\n{tables}"
