"""One more look at the data that a model has learned: its answers, and its margins."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.cli.display import fmt, model_facts, terminal
from rosenblatt.cli.display.confusion import ConfusionMatrix
from rosenblatt.cli.inputs import data as inputs_data
from rosenblatt.cli.inputs import models
from rosenblatt.cli.inputs.answering import with_progress
from rosenblatt.cli.inputs.columns import ColumnAligner

if TYPE_CHECKING:
    from rosenblatt.streams.core.options import ReadOptions


class TrainingDataReview(NamedTuple):
    """What one pass without learning found.

    Attributes
    ----------
    confusion : Tally
    margins : Histogram
        Of every row whose label the model knows: of two classes y·score/‖w‖; of more, the score
        of the right class minus the best of the others, divided by ‖w‖. Of a vote, shares of the
        votes, undivided.
    weighted : bool
        Whether rows counted differently in learning.
    """

    confusion: ConfusionMatrix
    margins: Histogram
    weighted: bool


class Histogram:
    """Counts numbers in bins of one width, which doubles whenever a number lies too far out.

    Attributes
    ----------
    width : float
        Of a bin, a power of two; bins begin at 0.
    smallest : float
        Of all numbers; infinite before the first.

    Examples
    --------
    >>> histogram = Histogram()
    >>> histogram.add(np.array([0.5, 1.5, 1.75]))
    >>> histogram.add(np.array([-3.0]))
    >>> histogram.bins(most=8)
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
            self.width = 2.0 ** math.ceil(math.log2(largest / self._HALF_BINS)) if largest else 1.0
        while largest >= self._HALF_BINS * self.width:
            self.width *= 2.0
            self._counts = np.pad(_merge_pairs(self._counts), self._HALF_BINS // 2)
        indices = np.floor(numbers / self.width).astype(np.int64) + self._HALF_BINS
        self._counts += np.bincount(indices, minlength=2 * self._HALF_BINS)
        self.smallest = min(self.smallest, float(np.min(numbers, initial=math.inf)))

    def bins(self, most: int) -> list[tuple[float, float, int]]:
        """At most so many bins (low, high, count), from the first that is not empty to the last."""
        counts, width = self._counts, self.width
        while len(counts) > 2 and np.ptp(np.flatnonzero(counts)) >= most:
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
    """Let the model at ``path`` answer every row of DATA.

    Parameters
    ----------
    path, data : str
    read_options : Settings
    quiet : bool
        Whether to say nothing of how far it is.
    """
    loaded = models.open_model(path)
    model = loaded.model
    stream = inputs_data.open_data_for(loaded, data, read_options, labelled=True)
    columns = ColumnAligner(loaded, stream, quiet=True)
    confusion = ConfusionMatrix([fmt.label(label) for label in model.classes_.tolist()])
    margins, weighted, scale = Histogram(), False, _score_scale(model)
    for batch in with_progress(model, stream, data, terminal.stderr(quiet)):
        X = columns(batch.X)
        confusion.add(batch.y.tolist(), model.predict(X).tolist())
        is_known = np.isin(batch.y, model.classes_)  # a row held out may have a label of its own
        margins.add(_margins(model, X[is_known], batch.y[is_known]) / scale)
        weighted |= batch.weight is not None
    return TrainingDataReview(confusion, margins, weighted)


def _score_scale(model: Any) -> float:
    """What a score is divided by: ‖w‖, of the weights that predict."""
    if not model_facts.is_kernel(model) or model.output == "last":
        return float(model._norm()) or 1.0
    if model.output == "vote":
        return 1.0
    from rosenblatt.learning.models import compare

    vectors = compare(model, model).vectors
    return math.sqrt(sum(one.norm[0] ** 2 for one in vectors)) or 1.0


def _margins(model: Any, X: Any, y: Any) -> Any:
    scores = np.asarray(model.decision_function(X), np.float64)
    if scores.ndim == 1:
        return np.where(y == model.classes_[1], scores, -scores)
    rows = np.arange(len(y))
    right = np.searchsorted(model.classes_, y)
    others = scores.copy()
    others[rows, right] = -math.inf
    return scores[rows, right] - others.max(axis=1)
