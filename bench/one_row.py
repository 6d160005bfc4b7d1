"""One row at a time against scikit-learn: partial_fit and predict.

Run: python bench/one_row.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
from measure import alternate, machine, versus
from sklearn import linear_model

import rosenblatt

CALLS = 300


def main() -> str:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((CALLS, 75))
    y = (X[:, 0] > 0).astype(int)
    text = ""
    models: dict[str, Any] = {
        "rosenblatt.Perceptron": rosenblatt.Perceptron(),
        "sklearn.Perceptron": linear_model.Perceptron(),
    }

    def learn(model: Any) -> None:
        for i in range(CALLS):
            model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])

    def predict(model: Any) -> None:
        for i in range(CALLS):
            model.predict(X[i : i + 1])

    for title, work in (("partial_fit of one row", learn), ("predict of one row", predict)):
        times = alternate({name: lambda m=m, w=work: w(m) for name, m in models.items()})
        times = {name: t / CALLS for name, t in times.items()}
        text += versus(f"{title}, 75 features", times, "rosenblatt.Perceptron") + "\n"
    return text


if __name__ == "__main__":
    print(machine(), "\n")
    print(main())
