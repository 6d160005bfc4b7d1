"""One row at a time against scikit-learn: partial_fit and predict.

Run: python bench/one_row.py
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from markdown import versus
from measure import Part, joined, machine
from ratios import alternate, faster, medians
from sklearn import linear_model

import rosenblatt

CALLS = 300
OURS, THEIRS = "rosenblatt.Perceptron", "sklearn.Perceptron"


def main() -> Part:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((CALLS, 75))
    y = (X[:, 0] > 0).astype(int)
    models: dict[str, Any] = {
        OURS: rosenblatt.Perceptron(),
        THEIRS: linear_model.Perceptron(),
    }

    def learn(model: Any) -> None:
        for i in range(CALLS):
            model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])

    def predict(model: Any) -> None:
        for i in range(CALLS):
            model.predict(X[i : i + 1])

    def compared(title: str, work: Any) -> Part:
        lines = faster(title, "scikit-learn Perceptron", THEIRS, OURS, 6.0)
        times, findings = alternate({name: partial(work, m) for name, m in models.items()}, lines)
        each = {name: t / CALLS for name, t in medians(times).items()}
        return Part(versus(f"{title}, 75 features", each, OURS), findings)

    return joined(
        [compared("partial_fit of one row", learn), compared("predict of one row", predict)]
    )


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
