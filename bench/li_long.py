"""Li and Long's Table 1 (1999): mistakes and test errors of the kernel perceptron on MNIST.

One against the rest, the kernel (1 + ⟨x, x'⟩)^4 on the pixels as they were scanned, 0 to 255, T
epochs, mean of ten orders of the rows. Run: python bench/li_long.py [--permutations N]
[--new-order]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from freund_schapire import error, learner
from made import Split
from markdown import table
from measure import machine
from real import scanned

DEGREE, EPOCHS = 4, 4
PUBLISHED = {
    "mistakes": (7970, 10539, 11945, 12800),
    "last, test error": (2.84, 2.27, 1.99, 1.85),
    "vote, test error": (2.26, 1.88, 1.76, 1.69),
}
ONE_PERCENT, POINTS = 0.01, 0.15
NOTES = (
    "The mistakes of all ten learners in T epochs, and the errors in percent on MNIST's 10,000 "
    "test rows: means over {count} orders of the 60,000 training rows, ± their standard "
    "deviation. Mistakes agree if they are within 1 %, errors if they are within 0.15 points. An "
    "order is {order}; the paper does not say which. The paper starts from Φ(0) instead of 0, a "
    "difference of about one mistake, and the kernel has a factor here that keeps it in the "
    "range of float32 and changes nothing else."
)


def orders(seed: int, n: int, new: bool) -> Iterator[Any]:
    """Yield the order of every epoch."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    for _ in range(EPOCHS):
        yield order
        order = rng.permutation(n) if new else order


def cells(seed: int, split: Split, new: bool) -> Any:
    """Return mistakes, last error and vote error after every epoch, shape (3, epochs)."""
    model, found = learner(DEGREE), []
    for order in orders(seed, len(split.y), new):
        model.fit(split.X[order], split.y[order])
        errors = [error(model, output, split) for output in ("last", "vote")]
        found.append([model.mistakes_, *errors])
    return np.array(found).T


def lines(found: Any) -> Iterator[list[str]]:
    """Return a line of the table for every published cell."""
    means, deviations = found.mean(axis=0), found.std(axis=0, ddof=min(1, len(found) - 1))
    for row, (name, published) in enumerate(PUBLISHED.items()):
        for epoch, cell in enumerate(published):
            mean, deviation = means[row, epoch], deviations[row, epoch]
            apart = mean - cell
            if name == "mistakes":
                agrees = abs(apart) <= ONE_PERCENT * cell
                texts = f"{cell:,}", f"{mean:,.0f} ± {deviation:.0f}", f"{apart / cell:+.2%}"
            else:
                agrees = abs(apart) <= POINTS
                texts = f"{cell:.2f}", f"{mean:.2f} ± {deviation:.2f}", f"{apart:+.2f}"
            yield [name, str(epoch + 1), *texts, "yes" if agrees else "no"]


def main(permutations: int, new: bool) -> str:
    split = scanned()
    if split is None:
        return "skipped: MNIST is absent"
    found = []
    for seed in range(permutations):
        start = time.perf_counter()
        found.append(cells(seed, split, new))
        print(f"order {seed}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    order = "drawn anew for every epoch" if new else "the same in every epoch"
    notes = NOTES.format(count=permutations, order=order)
    header = ["", "T", "published", "ours", "difference", "agrees"]
    title = f"Li and Long's Table 1 (1999), an order that is {order}"
    return f"### {title}\n\n{notes}\n\n{table(header, list(lines(np.array(found))))}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--permutations", type=int, default=10, metavar="N")
    parser.add_argument("--new-order", action="store_true", help="a new order for every epoch")
    given = parser.parse_args()
    print(machine(), "\n")
    print(main(given.permutations, given.new_order))
