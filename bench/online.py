"""Named features against river: single rows, lists of a thousand, and the same rows as arrays.

Run: python bench/online.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
from measure import Finding, Part, absent, alternate, joined, machine, peer, versus

from rosenblatt import OnlinePerceptron

ROWS, D, VOCABULARY = 1000, 75, 2000
REPEATS = 10  # of the rows, as an array: calls of some milliseconds
OURS, THEIRS = "rosenblatt.OnlinePerceptron", "river.Perceptron"
Rows = list[dict[str, float]]


def predict_and_learn(model: Any, rows: Rows, labels: list[bool]) -> None:
    for row, label in zip(rows, labels, strict=True):
        model.predict_one(row)
        model.learn_one(row, label)


def learn(model: Any, rows: Rows, labels: list[bool]) -> None:
    for row, label in zip(rows, labels, strict=True):
        model.learn_one(row, label)


def learn_many(model: Any, rows: Rows, labels: list[bool]) -> None:
    model.learn_many(rows, labels)


def main() -> Part:
    linear, pandas = peer("river.linear_model"), peer("pandas")
    if linear is None or pandas is None:
        return absent("Rows of names", "river or pandas is absent")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, D))
    y = X[:, :40].sum(axis=1) > 0
    labels, names = y.tolist(), [f"f{j}" for j in range(D)]
    rows: Rows = [dict(zip(names, row, strict=True)) for row in X.tolist()]
    words: Rows = [
        {f"w{j}": x for j, x in zip(rng.choice(VOCABULARY, D, False).tolist(), row, strict=True)}
        for row in X.tolist()
    ]

    def from_a_table(model: Any, rows: Rows, labels: list[bool]) -> None:
        model.learn_many(pandas.DataFrame(rows), pandas.Series(labels))

    def measured(title: str, ours: Any, theirs: Any, aim: str, more: int = 1) -> Part:
        model, other = OnlinePerceptron(), linear.Perceptron()  # streams go on: no start is timed
        works = {OURS: lambda: ours(model), THEIRS: lambda: theirs(other)}
        times = {name: t / ROWS for name, t in alternate(works).items()}
        times[OURS] /= more
        finding = Finding(title, "river Perceptron", f"{times[THEIRS] / times[OURS]:.1f} ×", aim)
        return Part(versus(f"{title}, a row", times, OURS), [finding])

    def dicts(work: Any, given: Rows) -> Any:
        return lambda model: work(model, given, labels)

    many = f"learn_many of {ROWS} dicts of {D}"
    parts = [
        measured(title, dicts(ours, given), dicts(theirs, given), aim)
        for title, ours, theirs, given, aim in (
            (f"predict_one and learn_one, dicts of {D}", *[predict_and_learn] * 2, rows, "2 ×"),
            (f"learn_one, dicts of {D}", learn, learn, rows, ""),
            (f"predict_one and learn_one, {D} of 2,000 words", *[predict_and_learn] * 2, words, ""),
            (many, learn_many, from_a_table, rows, "4 ×"),
        )
    ]
    table, classes = np.tile(X, (REPEATS, 1)), np.tile(y, REPEATS)
    arrays = f"learn_many of an array of {D} columns, river's learn_one of dicts"
    as_array = dicts(lambda model, *_: model.learn_many(table, classes), rows)
    parts.append(measured(arrays, as_array, dicts(learn, rows), "50 ×", REPEATS))
    return joined(parts)


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
