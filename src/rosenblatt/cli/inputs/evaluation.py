"""Evaluation of a model on labelled rows, batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.cli.display import fmt
from rosenblatt.cli.display.confusion import ConfusionMatrix
from rosenblatt.cli.display.metrics import MetricsReport
from rosenblatt.cli.inputs.predictions import Predictor, label_codes
from rosenblatt.cli.options.names import rate_of
from rosenblatt.cli.options.predictions import PredictionOptions
from rosenblatt.learning.evaluation.metrics import ScoreMetrics, class_margins
from rosenblatt.learning.probabilities import is_joint

if TYPE_CHECKING:
    from rosenblatt.streams import Batch
    from rosenblatt.utils.arrays import Array


class SetCounts:
    """Counts of prediction sets beside the labels.

    Parameters
    ----------
    coverage : float
        The coverage that is promised.

    Examples
    --------
    >>> counts = SetCounts(0.9)
    >>> counts.add(np.array([[True, False], [True, True]]), np.array([1, 0]))
    >>> counts.record()
    {'coverage': 0.9, 'covered': 0.5, 'labels': 1.5, 'rows': 2}
    """

    def __init__(self, coverage: float) -> None:
        self.coverage = coverage
        self.rows = self.right = self.labels = 0

    def add(self, sets: Array, codes: Array) -> None:
        """Count the sets of rows; −1 is the code of a label that no set has."""
        self.rows += len(codes)
        self.right += int((sets[np.arange(len(codes)), codes] & (codes >= 0)).sum())
        self.labels += int(sets.sum())

    def record(self) -> dict[str, float]:
        """Return the object of ``--json``: the share of sets with the label, their mean size."""
        rows = max(1, self.rows)
        shares = {"covered": self.right / rows, "labels": self.labels / rows}
        return {"coverage": self.coverage, **shares, "rows": self.rows}

    def facts(self) -> list[tuple[str, str]]:
        """Return the line of the summary."""
        covered, promised = fmt.percent(self.record()["covered"]), fmt.percent(self.coverage)
        return [
            ("prediction sets", f"{covered} have the label (promised: {promised})"),
            ("", f"{self.record()['labels']:.2f} labels in a set on average"),
        ]


class Evaluation:
    """Counts of predictions, and the metrics of their scores.

    Parameters
    ----------
    model : classifier
    path : str
        The file of the model, for messages.
    options : PredictionOptions, optional
        By default the model's own rule decides.

    Raises
    ------
    click.UsageError
        An option does not go with the model.
    """

    def __init__(self, model: object, path: str, options: PredictionOptions | None = None) -> None:
        options = options or PredictionOptions(
            threshold=None, positive=None, proba=False, cost=None, sets=None
        )
        has_probabilities = hasattr(model, "predict_proba")
        self._predict = Predictor(model, path, options, probabilities=has_probabilities)
        names = self._predict.names
        self._positive = options.positive
        eta0 = float(getattr(model, "eta0", 1.0))
        self._eta0 = rate_of(getattr(model, "rule", None), eta0)
        self._is_joint = is_joint(model)
        self._scores = ScoreMetrics(1 if len(names) == 2 else len(names))
        self.confusion = ConfusionMatrix(names)
        self.sets = None if options.sets is None else SetCounts(options.sets)

    def add(self, batch: Batch, X: object) -> Any:
        """Predict the rows X of a batch, in the columns of the model, and return their scores."""
        predictions = self._predict(X)
        self.confusion.add(batch.y.tolist(), predictions.labels.tolist(), batch.weight)
        codes = label_codes(batch.y, self._predict.names)
        if self.sets is not None and predictions.sets is not None:
            self.sets.add(predictions.sets, codes)
        scores = predictions.scores
        if self._is_joint and scores.ndim == 2:
            scores = class_margins(scores)
        self._scores.add(codes, scores, predictions.probabilities)
        return predictions.scores

    def report(self) -> MetricsReport:
        """Return the metrics of the rows so far, at least one."""
        costs = self._predict.costs
        return MetricsReport(self.confusion, self._scores, self._positive, self._eta0, costs)
