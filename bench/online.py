"""Named features against river: tables, bags of words, texts; single rows, lists of a thousand.

Run: python bench/online.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
from markdown import versus
from measure import Part, absent, joined, machine, peer
from ratios import alternate, faster, medians

from rosenblatt import OnlinePerceptron

ROWS, D = 1000, 75
VOCABULARIES = (2_000, 40_000)
REPEATS = 10  # of the rows, as an array: calls of some milliseconds
OURS = "rosenblatt.OnlinePerceptron"
PERCEPTRON, LOGISTIC = "Perceptron", "LogisticRegression"
Rows = list[dict[str, float]] | list[str]


def predict_and_learn(model: Any, rows: Rows, labels: list[bool]) -> None:
    for row, label in zip(rows, labels, strict=True):
        model.predict_one(row)
        model.learn_one(row, label)


def learn(model: Any, rows: Rows, labels: list[bool]) -> None:
    for row, label in zip(rows, labels, strict=True):
        model.learn_one(row, label)


def learn_many(model: Any, rows: Rows, labels: list[bool]) -> None:
    model.learn_many(rows, labels)


def bags_of_words(vocabulary: int, rng: Any) -> tuple[list[dict[str, float]], list[bool]]:
    """Counts of D words a row, other words in each; the sign of a linear function of them."""
    weights = rng.standard_normal(vocabulary)
    rows, labels = [], []
    for _ in range(ROWS):
        words, counts = rng.choice(vocabulary, D, False), rng.integers(1, 4, D)
        rows.append(dict(zip([f"w{j}" for j in words], counts.tolist(), strict=True)))
        labels.append(bool(weights[words] @ counts > 0))
    return rows, labels


def main() -> Part:
    linear, pandas = peer("river.linear_model"), peer("pandas")
    if linear is None or pandas is None:
        return absent("Rows of names", "river or pandas is absent")
    from river.feature_extraction import BagOfWords

    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, D))
    y = X[:, :40].sum(axis=1) > 0
    labels, names = y.tolist(), [f"f{j}" for j in range(D)]
    rows: Rows = [dict(zip(names, row, strict=True)) for row in X.tolist()]

    def from_a_table(model: Any, rows: Rows, labels: list[bool]) -> None:
        model.learn_many(pandas.DataFrame(rows), pandas.Series(labels))

    def measured(
        title: str,
        ours: Any,
        theirs: Any,
        wanted: float | None = None,
        name: str = PERCEPTRON,
        count: int = ROWS,
    ) -> Part:
        other = getattr(linear, name)()  # streams go on: no start is timed
        other = BagOfWords() | other if title.endswith("texts") else other
        model, river = OnlinePerceptron(), f"river.{name}"
        works = {OURS: lambda: ours(model), river: lambda: theirs(other)}
        lines = faster(title, f"river {name}", river, OURS, wanted)
        times, findings = alternate(works, lines)
        each = {name: t / count for name, t in medians(times).items()}
        return Part(versus(f"{title}, a row", each, OURS), findings)

    def on(work: Any, rows: Rows, labels: list[bool] = labels) -> Any:
        return lambda model: work(model, rows, labels)

    parts = [
        measured(title, on(ours, rows), on(theirs, rows), wanted)
        for title, ours, theirs, wanted in (
            (f"predict_one and learn_one, dicts of {D}", *[predict_and_learn] * 2, 2.5),
            (f"learn_one, dicts of {D}", learn, learn, None),
            (f"learn_many of {ROWS} dicts of {D}", learn_many, from_a_table, 4.0),
        )
    ]
    for vocabulary in VOCABULARIES:
        bags, classes = bags_of_words(vocabulary, rng)
        texts = [" ".join(bag) for bag in bags]
        of = f"{D} of {vocabulary:,} words"
        for kind, given in ((f"{of}", bags), (f"{of} as texts", texts)):
            one = on(predict_and_learn, given, classes)
            many, each = on(learn_many, given, classes), on(learn, given, classes)
            title = f"predict_one and learn_one, {kind}"
            parts.append(measured(title, one, one, 2.5))
            parts.append(measured(title, one, one, name=LOGISTIC))
            title = f"learn_many of {ROWS}, river's learn_one, {kind}"
            parts.append(measured(title, many, each, 3.5))
    table, targets = np.tile(X, (REPEATS, 1)), np.tile(y, REPEATS)
    as_array = on(lambda model, *_: model.learn_many(table, targets), rows)
    as_dicts = on(learn, rows * REPEATS, labels * REPEATS)
    title = f"learn_many of an array of {D} columns, river's learn_one of dicts"
    parts.append(measured(title, as_array, as_dicts, 50.0, count=ROWS * REPEATS))
    return joined(parts)


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
