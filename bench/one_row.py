"""One row at a time against scikit-learn: partial_fit and predict.

Run: python bench/one_row.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
from measure import Finding, Part, alternate, joined, machine, versus
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

    parts = []
    for title, work in (("partial_fit of one row", learn), ("predict of one row", predict)):
        times = alternate({name: lambda m=m, w=work: w(m) for name, m in models.items()})
        times = {name: t / CALLS for name, t in times.items()}
        measured = f"{times[THEIRS] / times[OURS]:.1f} ×"
        finding = Finding(title, "scikit-learn Perceptron", measured, "5 ×")
        parts.append(Part(versus(f"{title}, 75 features", times, OURS), [finding]))
    return joined(parts)


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
