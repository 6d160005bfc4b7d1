"""Confusion matrix: how often each label was predicted as each class."""

from __future__ import annotations

from collections import Counter
from typing import Any

from rosenblatt.cli.display.fmt import label


class ConfusionMatrix:
    """Counts of (label, prediction) pairs, added batch by batch.

    Parameters
    ----------
    classes : list of str
        The classes of the model, as :func:`rosenblatt.cli.display.fmt.label` writes them.

    Examples
    --------
    >>> confusion = ConfusionMatrix(["ham", "spam"])
    >>> confusion.add(["ham", "spam", "eggs"], ["ham", "ham", "ham"])
    >>> confusion.errors, confusion.matrix(), confusion.unseen
    (2, [[1, 0], [1, 0]], {'eggs': 1})
    """

    def __init__(self, classes: list[str]) -> None:
        self.classes = classes
        self.pairs: Counter[tuple[str, str]] = Counter()
        self._has_weights = False
        self._weight = self._wrong_weight = 0.0

    def add(self, labels: list[Any], predictions: list[Any], weight: Any = None) -> None:
        """Count the rows of one batch; without an array of weights each row has weight 1."""
        pairs = list(zip(map(label, labels), map(label, predictions), strict=True))
        self.pairs.update(pairs)
        self._has_weights = self._has_weights or weight is not None
        weights = [1.0] * len(pairs) if weight is None else weight.tolist()
        self._weight += sum(weights)
        wrong = (
            w for w, (actual, predicted) in zip(weights, pairs, strict=True) if actual != predicted
        )
        self._wrong_weight += sum(wrong)

    @property
    def examples(self) -> int:
        """Number of rows counted."""
        return self.pairs.total()

    @property
    def errors(self) -> int:
        """Number of rows whose prediction differs from the label."""
        return sum(n for (actual, predicted), n in self.pairs.items() if actual != predicted)

    @property
    def error(self) -> float:
        """Error rate: errors divided by rows."""
        return self.errors / self.examples

    @property
    def weighted_error(self) -> float | None:
        """Share of the total weight that wrong rows have; None if no row has a weight."""
        return self._wrong_weight / self._weight if self._has_weights and self._weight else None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the error rate."""
        from rosenblatt.learning.evaluation.intervals import wilson_interval

        return wilson_interval(self.errors, self.examples)

    @property
    def labels(self) -> Counter[str]:
        """Number of rows of each label."""
        labels: Counter[str] = Counter()
        for (actual, _), number in self.pairs.items():
            labels[actual] += number
        return labels

    @property
    def unseen(self) -> dict[str, int]:
        """Number of rows of each label that is no class of the model."""
        classes = set(self.classes)
        return {name: number for name, number in self.labels.items() if name not in classes}

    @property
    def constant(self) -> tuple[str, float]:
        """The majority class, and the error rate of always predicting it."""
        name, number = self.labels.most_common(1)[0]
        return name, 1.0 - number / self.examples

    @property
    def none_yet(self) -> str:
        """The prediction of a row before the first label: a name that no class has."""
        name = "none yet"
        while name in self.classes:
            name = f"({name})"
        return name

    @property
    def predictions(self) -> list[str]:
        """The classes, then the predictions that are no classes: those before the first label."""
        others = {predicted for _, predicted in self.pairs} - set(self.classes)
        return [*self.classes, *sorted(others)]

    def matrix(self) -> list[list[int]]:
        """Return the counts: a row for each class, a column for each class predicted."""
        return self._counts(self.classes)

    def table(self) -> list[list[int]]:
        """Return the counts: a row for each class, a column for each of ``predictions``."""
        return self._counts(self.predictions)

    def _counts(self, predictions: list[str]) -> list[list[int]]:
        return [[self.pairs[actual, one] for one in predictions] for actual in self.classes]

    def confused(self, limit: int) -> list[tuple[str, str, int]]:
        """Return the most frequent wrong pairs as (label, prediction, count)."""
        wrong = [(*pair, number) for pair, number in self.pairs.items() if pair[0] != pair[1]]
        return sorted(wrong, key=lambda item: (-item[2], item[:2]))[:limit]

    def record(self) -> dict[str, Any]:
        """Return all counts and rates as the object of ``--json``."""
        constant, constant_error = self.constant
        return {
            "examples": self.examples,
            "errors": self.errors,
            "error": self.error,
            "interval": list(self.interval),
            "weighted_error": self.weighted_error,
            "constant": constant,
            "constant_error": constant_error,
            "classes": self.classes,
            "confusion": self.matrix(),
            "unseen": self.unseen,
        }
