"""How often each label was taken for each."""

from __future__ import annotations

from collections import Counter
from typing import Any

from rosenblatt.cli.display.fmt import label


class ConfusionMatrix:
    """Counts the rows of each label by what was answered, batch by batch.

    Parameters
    ----------
    classes : list of str
        The labels that the model knows, as :func:`rosenblatt.cli.display.fmt.label` writes them.

    Examples
    --------
    >>> tally = ConfusionMatrix(["ham", "spam"])
    >>> tally.add(["ham", "spam", "eggs"], ["ham", "ham", "ham"])
    >>> tally.errors, tally.matrix(), tally.unseen
    (2, [[1, 0], [1, 0]], {'eggs': 1})
    """

    def __init__(self, classes: list[str]) -> None:
        self.classes = classes
        self.pairs: Counter[tuple[str, str]] = Counter()
        self._has_weights = False
        self._weight = self._wrong_weight = 0.0

    def add(self, truth: list[Any], predictions: list[Any], weight: Any = None) -> None:
        """Count the rows of one batch, whose weights are all 1 where there is no array of them."""
        pairs = list(zip(map(label, truth), map(label, predictions), strict=True))
        self.pairs.update(pairs)
        self._has_weights = self._has_weights or weight is not None
        weights = [1.0] * len(pairs) if weight is None else weight.tolist()
        self._weight += sum(weights)
        wrong = (
            one
            for one, (actual, predicted) in zip(weights, pairs, strict=True)
            if actual != predicted
        )
        self._wrong_weight += sum(wrong)

    @property
    def examples(self) -> int:
        """Rows counted."""
        return self.pairs.total()

    @property
    def errors(self) -> int:
        """Rows whose label was not the answer."""
        return sum(
            number for (truth, prediction), number in self.pairs.items() if truth != prediction
        )

    @property
    def error(self) -> float:
        """Share of errors."""
        return self.errors / self.examples

    @property
    def weighted_error(self) -> float | None:
        """Share of the weight that rows with errors have; None where no row has one."""
        return self._wrong_weight / self._weight if self._has_weights and self._weight else None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval for the error, at 95 %."""
        from rosenblatt.learning.evaluation.intervals import wilson_interval

        return wilson_interval(self.errors, self.examples)

    @property
    def labels(self) -> Counter[str]:
        """How often each label occurs in the data."""
        labels: Counter[str] = Counter()
        for (truth, _), number in self.pairs.items():
            labels[truth] += number
        return labels

    @property
    def unseen(self) -> dict[str, int]:
        """Labels that the model does not know, and how often they occur."""
        classes = set(self.classes)
        return {name: number for name, number in self.labels.items() if name not in classes}

    @property
    def constant(self) -> tuple[str, float]:
        """The label that is wrong least often if it is always said, and how often it is."""
        name, number = self.labels.most_common(1)[0]
        return name, 1.0 - number / self.examples

    def matrix(self) -> list[list[int]]:
        """Rows by the label, columns by the answer; unseen labels have no row."""
        return [
            [self.pairs[truth, prediction] for prediction in self.classes] for truth in self.classes
        ]

    def confused(self, limit: int) -> list[tuple[str, str, int]]:
        """The pairs that were confused most often: label, answer, how often."""
        wrong = [(*pair, number) for pair, number in self.pairs.items() if pair[0] != pair[1]]
        return sorted(wrong, key=lambda item: (-item[2], item[:2]))[:limit]

    def record(self) -> dict[str, Any]:
        """All of it, as ``--json`` tells it."""
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
