"""Evaluation of a model on labelled rows, batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.cli.display.confusion import ConfusionMatrix
from rosenblatt.cli.display.metrics import MetricsReport
from rosenblatt.cli.inputs.predictions import Predictor, label_codes
from rosenblatt.cli.options.predictions import PredictionOptions
from rosenblatt.learning.evaluation.metrics import ScoreMetrics, class_margins
from rosenblatt.learning.probabilities import is_joint

if TYPE_CHECKING:
    from rosenblatt.streams import Batch


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
        options = options or PredictionOptions(threshold=None, positive=None, proba=False)
        has_probabilities = hasattr(model, "predict_proba")
        self._predict = Predictor(
            model, path, options, scores=True, probabilities=has_probabilities
        )
        names = self._predict.names
        self._positive = options.positive
        self._eta0 = float(getattr(model, "eta0", 1.0))
        self._is_joint = is_joint(model)
        self._scores = ScoreMetrics(1 if len(names) == 2 else len(names))
        self.confusion = ConfusionMatrix(names)

    def add(self, batch: Batch, X: object) -> Any:
        """Predict the rows X of a batch, in the columns of the model, and return their scores."""
        predictions = self._predict(X)
        self.confusion.add(batch.y.tolist(), predictions.labels.tolist(), batch.weight)
        codes = label_codes(batch.y, self._predict.names)
        scores = predictions.scores
        if self._is_joint and scores.ndim == 2:
            scores = class_margins(scores)
        self._scores.add(codes, scores, predictions.probabilities)
        return predictions.scores

    def report(self) -> MetricsReport:
        """Return the metrics of the rows so far, at least one."""
        return MetricsReport(self.confusion, self._scores, self._positive, self._eta0)
