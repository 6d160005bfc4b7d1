"""AUC and log loss of a learner whose classes appear while it is evaluated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rosenblatt.learning.evaluation.metrics import ScoreMetrics, class_margins
from rosenblatt.learning.probabilities import log_probabilities
from rosenblatt.utils.arrays import Array


class PrequentialScores:
    """Scores of rows that were predicted before they were learned.

    A row counts if the model knew its label and another one when it predicted the row. For the area
    of a class, the rows before the class appeared do not count.

    Parameters
    ----------
    model : classifier
        With ``predict_proba`` it has a log loss.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> scores = PrequentialScores(Perceptron())
    >>> scores.add(np.array(["a", "c"]), np.array(["a", "b", "c"]), np.array([-1.0, 0.5, 2.0]))
    >>> scores.add(np.array(["a", "b", "c"]), np.array(["b"]), np.array([[0.0, 1.0, -1.0]]))
    >>> scores.metrics(["a", "b", "c"]).areas(), scores.metrics(["a", "b", "c"]).rows
    ([1.0, None, 1.0], 3)
    """

    def __init__(self, model: Any) -> None:
        self._has_probabilities = hasattr(model, "predict_proba")
        self._is_joint = getattr(model, "multi_class", None) == "joint"
        self._classes: list[Any] = []
        self._metrics: ScoreMetrics | None = None

    def add(self, classes: Array, labels: Array, scores: Array) -> None:
        """Add consecutive rows.

        Parameters
        ----------
        classes : array of shape (K,)
            The classes of the model, sorted; at least two, and all that earlier calls had.
        labels : array of shape (n,)
        scores : array of shape (n,) for two classes, (n, K) for more
            As ``decision_function`` returns them.
        """
        metrics = self._extend(classes.tolist())
        codes = np.searchsorted(classes, labels).clip(max=len(classes) - 1)
        codes[classes[codes] != labels] = -1
        probabilities = None
        if self._has_probabilities:
            logs = log_probabilities(scores, len(classes), joint=self._is_joint)
            probabilities = np.exp(logs)
        if self._is_joint and scores.ndim == 2:
            scores = class_margins(scores)
        metrics.add(codes, scores, probabilities)

    def metrics(self, labels: Iterable[Any]) -> ScoreMetrics | None:
        """Return the metrics of the classes and of further labels, sorted; None without scores."""
        return None if self._metrics is None else self._extend(sorted({*self._classes, *labels}))

    def _extend(self, classes: list[Any]) -> ScoreMetrics:
        """Return the metrics of these classes."""
        if self._metrics is None:
            self._metrics = ScoreMetrics(1 if len(classes) == 2 else len(classes))
        elif len(classes) > len(self._classes):
            places = {label: column for column, label in enumerate(classes)}
            columns = np.array([places[label] for label in self._classes])
            self._metrics.add_classes(columns, len(classes))
        self._classes = classes
        return self._metrics
