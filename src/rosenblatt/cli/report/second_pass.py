"""Second reading of the training data: metrics and margins of the model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.cli.display import model_facts
from rosenblatt.cli.inputs.batches import with_progress
from rosenblatt.cli.inputs.data import align_columns, open_data_for
from rosenblatt.cli.inputs.evaluation import Evaluation
from rosenblatt.cli.inputs.models import open_model
from rosenblatt.learning import interface
from rosenblatt.learning.models.comparison import compare

if TYPE_CHECKING:
    from rosenblatt.cli.display.confusion import ConfusionMatrix
    from rosenblatt.cli.display.metrics import MetricsReport
    from rosenblatt.streams.core.options import ReadOptions


class TrainingDataReview(NamedTuple):
    """Predictions and margins on the training data.

    Attributes
    ----------
    metrics : MetricsReport
    margins : Histogram
        Margins of the rows whose label is a class of the model: y·score/‖w‖ for two classes; for
        more, (score of the label − best other score)/‖w‖. With ``scale=True``, w is that of the
        scaled columns. For a vote, shares of the votes, without the division.
    weighted : bool
        Whether the rows have weights.
    """

    metrics: MetricsReport
    margins: Histogram
    weighted: bool

    @property
    def confusion(self) -> ConfusionMatrix:
        """Counts of all rows."""
        return self.metrics.confusion


class Histogram:
    """Histogram with bins of equal width, which doubles whenever a number is out of range.

    Attributes
    ----------
    width : float
        Width of a bin, a power of two; 0 is a boundary.
    smallest : float
        Smallest number; infinite before the first.

    Examples
    --------
    >>> histogram = Histogram()
    >>> histogram.add(np.array([0.5, 1.5, 1.75]))
    >>> histogram.add(np.array([-3.0]))
    >>> histogram.bins(8)
    [(-3.0, -2.0, 1), (-2.0, -1.0, 0), (-1.0, 0.0, 0), (0.0, 1.0, 1), (1.0, 2.0, 2)]
    """

    _HALF_BINS = 1024  # bins on each side of 0

    def __init__(self) -> None:
        self.width = 0.0
        self.smallest = math.inf
        self._counts = np.zeros(2 * self._HALF_BINS, np.int64)

    def add(self, numbers: Any) -> None:
        """Count finite numbers."""
        largest = float(np.abs(numbers).max(initial=0.0))
        if self.width == 0.0:
            bins = max(largest, 1e-300) / self._HALF_BINS  # a denormal one would have none
            self.width = 2.0 ** math.ceil(math.log2(bins)) if largest else 1.0
        while largest >= self._HALF_BINS * self.width:
            self.width *= 2.0
            self._counts = np.pad(_merge_pairs(self._counts), self._HALF_BINS // 2)
        indices = np.floor(numbers / self.width).astype(np.int64) + self._HALF_BINS
        self._counts += np.bincount(indices, minlength=2 * self._HALF_BINS)
        self.smallest = min(self.smallest, float(np.min(numbers, initial=math.inf)))

    def bins(self, limit: int) -> list[tuple[float, float, int]]:
        """Return at most ``limit`` bins (low, high, count), without empty ones at the ends."""
        counts, width = self._counts, self.width
        while len(counts) > 2 and np.ptp(np.flatnonzero(counts)) >= limit:
            counts, width = _merge_pairs(counts), 2.0 * width
        filled = np.flatnonzero(counts)
        half = len(counts) // 2
        return [
            ((k - half) * width, (k - half + 1) * width, int(counts[k]))
            for k in range(filled[0], filled[-1] + 1)
        ]


def _merge_pairs(counts: Any) -> Any:
    return counts.reshape(-1, 2).sum(axis=1)


def review_training_data(
    path: str, data: str, read_options: ReadOptions, quiet: bool
) -> TrainingDataReview:
    """Predict every row of DATA with the model at ``path``.

    Parameters
    ----------
    path, data : str
    read_options : ReadOptions
    quiet : bool
        Whether to show no progress.
    """
    loaded = open_model(path)
    model = loaded.model
    stream = open_data_for(loaded, data, read_options, labelled=True)
    columns = align_columns(loaded, stream, quiet=True)
    evaluation = Evaluation(model, path)
    margins, weighted, scale = Histogram(), False, _score_scale(model)
    for batch in with_progress(model, stream, data, quiet):
        scores = evaluation.add(batch, columns(batch.rows))
        is_class = np.isin(batch.y, model.classes_)  # a held-out row may have another label
        margins.add(_margins(model, scores[is_class], batch.y[is_class]) / scale)
        weighted |= batch.weight is not None
    return TrainingDataReview(evaluation.report(), margins, weighted)


def _score_scale(model: Any) -> float:
    """Return ‖w‖ of the weights that predict, the divisor of the margins."""
    if (spreads := interface.spreads(model)) is not None:
        return float(np.linalg.norm(model.coef_ * spreads)) or 1.0
    if not model_facts.is_kernel(model) or model.output == "last":
        return interface.norm(model) or 1.0
    if model.output == "vote":
        return 1.0
    vectors = compare(model, model).vectors
    return math.sqrt(sum(one.norm[0] ** 2 for one in vectors)) or 1.0


def _margins(model: Any, scores: Any, y: Any) -> Any:
    scores = np.asarray(scores, np.float64)
    if scores.ndim == 1:
        return np.where(y == model.classes_[1], scores, -scores)
    rows = np.arange(len(y))
    right = np.searchsorted(model.classes_, y)
    others = scores.copy()
    others[rows, right] = -math.inf
    return scores[rows, right] - others.max(axis=1)
