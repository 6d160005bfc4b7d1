"""Metrics of predictions: by class, averaged over classes, of scores and of probabilities.

Counts of (label, prediction) pairs give precision, recall and F1; they take O(K²) memory for K
classes, however many rows there are. :class:`ScoreMetrics` adds areas under curves and metrics of
probabilities, batch by batch.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.learning.evaluation.intervals import wilson_interval
from rosenblatt.learning.evaluation.probability_metrics import (
    ProbabilityMetrics,
    average_precision,
)
from rosenblatt.learning.evaluation.sample import RowSample
from rosenblatt.utils.arrays import Array

MAX_SCORES = 1 << 22
"""Scores that :class:`ScoreMetrics` keeps: 4,194,304 rows of two classes, fewer of more."""

# The error looks good, and nine of ten examples of a class are missed.
_SMALL_ERROR, _SMALL_RECALL = 0.2, 0.1


class ClassCounts(NamedTuple):
    """Counts of one class.

    Attributes
    ----------
    label : label
    examples : int
        Rows of this label.
    predicted : int
        Rows predicted as this label.
    correct : int
        Rows that are both.
    """

    label: Any
    examples: int
    predicted: int
    correct: int

    @property
    def precision(self) -> float | None:
        """Share correct / predicted; None if the class was never predicted."""
        return self.correct / self.predicted if self.predicted else None

    @property
    def recall(self) -> float | None:
        """Share correct / examples; None if no row has the label."""
        return self.correct / self.examples if self.examples else None

    @property
    def precision_interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval of the precision."""
        return wilson_interval(self.correct, self.predicted) if self.predicted else None

    @property
    def recall_interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval of the recall."""
        return wilson_interval(self.correct, self.examples) if self.examples else None

    @property
    def f1(self) -> float | None:
        """2 correct / (examples + predicted); None if both are 0."""
        rows = self.examples + self.predicted
        return 2.0 * self.correct / rows if rows else None


def count_classes(
    pairs: Mapping[tuple[Any, Any], int], classes: Iterable[object]
) -> list[ClassCounts]:
    """Return the counts of each class, and of each further label of the rows.

    Parameters
    ----------
    pairs : mapping
        Number of rows of each pair (label, prediction).
    classes : iterable of labels
        The classes of the model. A prediction that is neither one of them nor a label, such as the
        None of a model that has learned nothing, is an error without a class.

    Examples
    --------
    >>> pairs = {("ham", "ham"): 6, ("spam", "ham"): 3, ("spam", "spam"): 1, ("eggs", "ham"): 1}
    >>> for counts in count_classes(pairs, ["ham", "spam"]):
    ...     print(*counts, counts.precision, counts.recall)
    ham 6 10 6 0.6 1.0
    spam 4 1 1 1.0 0.25
    eggs 1 0 0 None 0.0
    """
    examples: Counter[object] = Counter()
    predicted: Counter[object] = Counter()
    for (label, prediction), number in pairs.items():
        examples[label] += number
        predicted[prediction] += number
    labels = dict.fromkeys([*classes, *examples])
    return [
        ClassCounts(label, examples[label], predicted[label], pairs.get((label, label), 0))
        for label in labels
    ]


class Averages(NamedTuple):
    """Averages over classes, each with the same weight.

    Attributes
    ----------
    accuracy : float
        Share of correct predictions.
    balanced_accuracy : float
        Mean recall of the labels that occur.
    macro_precision, macro_recall, macro_f1 : float
        Means over the classes that occur, as labels or as predictions. A precision that is
        undefined counts as 0, as in scikit-learn.
    """

    accuracy: float
    balanced_accuracy: float
    macro_precision: float
    macro_recall: float
    macro_f1: float


def average_classes(classes: Sequence[ClassCounts]) -> Averages:
    """Return the averages of :func:`count_classes`; of no rows, zeros.

    Examples
    --------
    >>> pairs = {("ham", "ham"): 6, ("spam", "ham"): 3, ("spam", "spam"): 1}
    >>> averages = average_classes(count_classes(pairs, ["ham", "spam", "eggs"]))
    >>> print(*(round(value, 3) for value in averages))
    0.7 0.625 0.833 0.625 0.6
    """
    occurring = [one for one in classes if one.examples or one.predicted]
    recalls = [one.recall for one in occurring if one.recall is not None]
    rows = sum(one.examples for one in occurring)
    return Averages(
        accuracy=sum(one.correct for one in occurring) / max(1, rows),
        balanced_accuracy=_mean(recalls),
        macro_precision=_mean([one.precision or 0.0 for one in occurring]),
        macro_recall=_mean([one.recall or 0.0 for one in occurring]),
        macro_f1=_mean([one.f1 or 0.0 for one in occurring]),
    )


def cohen_kappa(pairs: Mapping[tuple[Any, Any], int]) -> float | None:
    """Return Cohen's κ = (p − c)/(1 − c) of the accuracy p over that of chance, c.

    Chance is a predictor with the same share of each prediction, whatever the row: c is the sum
    over the labels of the share of the label times the share of its prediction.

    Parameters
    ----------
    pairs : mapping
        Number of rows of each pair (label, prediction).

    Returns
    -------
    kappa : float in [−1, 1], or None
        1 for no error, 0 for a constant prediction. None where chance makes no error.

    References
    ----------
    Cohen 1960.

    Examples
    --------
    >>> cohen_kappa({("ham", "ham"): 20, ("ham", "spam"): 5, ("spam", "ham"): 10, \
("spam", "spam"): 15})
    0.4
    """
    classes = count_classes(pairs, ())
    rows = sum(one.examples for one in classes)
    errors = rows - sum(one.correct for one in classes)
    by_chance = rows * rows - sum(one.examples * one.predicted for one in classes)
    return 1.0 - errors * rows / by_chance if by_chance else None


def kappa_over(error: float, baseline_error: float) -> float | None:
    """Return κ = (p − c)/(1 − c) of an accuracy p over that of a baseline, c; None for c = 1.

    Parameters
    ----------
    error, baseline_error : float
        1 − p and 1 − c.

    Examples
    --------
    >>> kappa_over(0.25, 0.5), kappa_over(0.2, 0.125), kappa_over(0.0, 0.0)
    (0.5, -0.6000000000000001, None)
    """
    return 1.0 - error / baseline_error if baseline_error else None


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


def constant_classes(classes: Sequence[ClassCounts]) -> list[ClassCounts]:
    """Return the counts that always predicting the most frequent label has on the same rows.

    Examples
    --------
    >>> for counts in constant_classes([ClassCounts("ham", 6, 9, 6), ClassCounts("spam", 4, 1, 1)]):
    ...     print(*counts)
    ham 6 10 6
    spam 4 0 0
    """
    rows = sum(one.examples for one in classes)
    most = max(classes, key=lambda one: one.examples)
    return [
        one._replace(predicted=rows, correct=one.examples)
        if one is most
        else one._replace(predicted=0, correct=0)
        for one in classes
    ]


def label_entropy(classes: Sequence[ClassCounts]) -> float:
    """Return −Σ p log p over the shares p of the labels: the least log loss of a constant.

    Examples
    --------
    >>> round(label_entropy([ClassCounts("ham", 5, 0, 0), ClassCounts("spam", 5, 0, 0)]), 4)
    0.6931
    """
    rows = sum(one.examples for one in classes)
    shares = [one.examples / rows for one in classes if one.examples]
    return math.fsum(p * math.log(1.0 / p) for p in shares)


def label_variance(classes: Sequence[ClassCounts]) -> float:
    """Return the least Brier score of a constant: p (1 − p) for two classes, 1 − Σ p² for more.

    Examples
    --------
    >>> two = [ClassCounts("ham", 6, 0, 0), ClassCounts("spam", 2, 0, 0)]
    >>> label_variance(two), label_variance([*two, ClassCounts("eggs", 0, 0, 0)])
    (0.1875, 0.375)
    """
    rows = sum(one.examples for one in classes)
    variance = 1.0 - math.fsum((one.examples / rows) ** 2 for one in classes)
    return variance / 2.0 if len(classes) == 2 else variance


def missed_classes(classes: Sequence[ClassCounts]) -> list[ClassCounts]:
    """Return the classes that a small error hides: recall below 10 %, error at most 20 %.

    Examples
    --------
    >>> missed_classes([ClassCounts("ham", 98, 100, 98), ClassCounts("spam", 2, 0, 0)])
    [ClassCounts(label='spam', examples=2, predicted=0, correct=0)]
    >>> missed_classes([ClassCounts("ham", 6, 10, 6), ClassCounts("spam", 4, 0, 0)])
    []
    """
    if 1.0 - average_classes(classes).accuracy > _SMALL_ERROR:
        return []
    return [one for one in classes if one.recall is not None and one.recall < _SMALL_RECALL]


def roc_auc(scores: Array, positive: Array) -> float | None:
    """Return the area under the ROC curve: P(score of a positive > score of a negative).

    Parameters
    ----------
    scores : array of shape (n,)
    positive : bool array of shape (n,)

    Returns
    -------
    area : float, or None
        Pairs with equal scores count one half. None if one of the two classes is absent.

    Examples
    --------
    >>> roc_auc(np.array([0.1, 0.4, 0.4, 0.8]), np.array([False, False, True, True]))
    0.875
    """
    positives = int(np.count_nonzero(positive))
    negatives = len(positive) - positives
    if positives == 0 or negatives == 0:
        return None
    _, codes = np.unique(scores, return_inverse=True)
    counts = np.bincount(codes)
    above = np.bincount(codes[positive], minlength=len(counts))
    below = counts - above
    pairs_twice = above * (2 * (np.cumsum(below) - below) + below)
    return int(pairs_twice.sum()) / (2 * positives * negatives)


def mean_area(areas: Sequence[float | None]) -> float | None:
    """Return the mean of the areas that are defined; None if none is.

    Examples
    --------
    >>> mean_area([0.5, None, 1.0]), mean_area([None])
    (0.75, None)
    """
    defined = [area for area in areas if area is not None]
    return _mean(defined) if defined else None


def class_margins(scores: Array) -> Array:
    """Return each score less the largest score of the other classes in its row.

    The scores of a joint model are comparable within a row only, since a number added to all of
    them changes no prediction; these differences are comparable between rows.

    Parameters
    ----------
    scores : array of shape (n, K)
        K is 2 or more.

    Examples
    --------
    >>> class_margins(np.array([[3.0, 1.0, 2.0], [9.0, 10.0, 7.0]])).tolist()
    [[1.0, -2.0, -1.0], [-1.0, 1.0, -3.0]]
    """
    second, first = np.sort(scores, axis=1)[:, -2:].T
    best = scores.argmax(axis=1)
    margins: Array = scores - first[:, None]
    margins[np.arange(len(scores)), best] = first - second
    return margins


class ScoreMetrics:
    """Areas under the curves of ROC and of precision over recall, and metrics of probabilities.

    Areas are exact while the scores are at most :data:`MAX_SCORES` numbers, 32 MiB; of more rows
    they are those of a random sample of so many. Log loss and Brier score are exact.

    Parameters
    ----------
    columns : int
        1 for two classes, whose score is that of the second; else the number of classes.
    max_scores : int, default 2²²

    Attributes
    ----------
    probabilities : ProbabilityMetrics

    Examples
    --------
    >>> metrics = ScoreMetrics(1)
    >>> metrics.add(np.array([0, 1, 1, 0]), np.array([-1.0, 2.0, -0.5, -0.7]))
    >>> metrics.areas(), metrics.log_loss
    ([1.0, 1.0], None)
    """

    def __init__(self, columns: int, max_scores: int = MAX_SCORES) -> None:
        self.columns, self._max_scores = columns, max_scores
        self._sample = RowSample(self._capacity)
        self.probabilities = ProbabilityMetrics(max_scores)

    @property
    def _capacity(self) -> int:
        return max(1, self._max_scores // self.columns)

    @property
    def rows(self) -> int:
        """Rows with a label that is a class."""
        return self._sample.rows

    @property
    def sampled(self) -> int:
        """Number of rows that the areas are computed of."""
        return self._sample.size

    def add(self, codes: Array, scores: Array, probabilities: Array | None = None) -> None:
        """Add a batch.

        Parameters
        ----------
        codes : int array of shape (n,)
            Index of each label among the classes; −1 for a label that is none of them, whose row
            does not count.
        scores : array of shape (n,) for two classes, (n, K) for more
        probabilities : array of shape (n, K), optional
        """
        valid = codes >= 0
        codes, scores = codes[valid], scores[valid].reshape(-1, self.columns)
        if probabilities is not None:
            self.probabilities.add(codes, probabilities[valid])
        self._sample.add(codes, scores)

    def areas(self) -> list[float | None]:
        """Return the area of each class against the rest; None where a side has no row."""
        if self.columns == 1:
            return [roc_auc(*self._ranked()[1])] * 2  # swapped classes: the same area
        return [roc_auc(*one) for one in self._ranked()]

    def precision_areas(self) -> list[float | None]:
        """Return the average precision of each class against the rest; None as for areas."""
        return [average_precision(*one) for one in self._ranked()]

    def _ranked(self) -> list[tuple[Array, Array]]:
        """Return for each class the scores of the rows that have one, and which are of it."""
        empty = np.zeros(0, np.int64), np.zeros((0, self.columns))
        codes, scores = self._sample.columns() or empty
        if self.columns == 1:
            return [(-scores[:, 0], codes == 0), (scores[:, 0], codes == 1)]
        scored = ~np.isnan(scores)
        return [(scores[scored[:, k], k], codes[scored[:, k]] == k) for k in range(self.columns)]

    def add_classes(self, columns: Array, classes: int) -> None:
        """Give the classes so far other indices, among three or more.

        Rows so far have no score of the new classes, and do not count for their areas.

        Parameters
        ----------
        columns : int array
            The new index of each class so far.
        classes : int
            The new number of classes.

        Examples
        --------
        >>> metrics = ScoreMetrics(1)
        >>> metrics.add(np.array([0, 1]), np.array([-1.0, 2.0]))
        >>> metrics.add_classes(np.array([0, 2]), 3)
        >>> metrics.add(np.array([1, 0]), np.array([[0.0, 3.0, 1.0], [0.5, 1.0, -1.0]]))
        >>> metrics.areas()
        [1.0, 1.0, 1.0]
        """
        before, self.columns = self.columns, classes

        def move(codes: Array, scores: Array) -> tuple[Array, Array]:
            moved = np.full((len(codes), classes), np.nan)
            moved[:, columns] = np.hstack([-scores, scores]) if before == 1 else scores
            return columns[codes], moved

        self._sample.change(move, self._capacity)
        self.probabilities.end_two()

    @property
    def log_loss(self) -> float | None:
        """Mean of −log p(label), with p of at least 2.2e-16; None without probabilities."""
        return self.probabilities.log_loss

    @property
    def brier(self) -> float | None:
        """Brier score, as :func:`rosenblatt.metrics.brier`; None without probabilities."""
        return self.probabilities.brier
