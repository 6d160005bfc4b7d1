"""Prequential evaluation: predict each row with the current weights, then learn it.

Linear classifiers run in compiled code, about 3 µs a row. Others run ``predict`` and
``partial_fit`` row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from rosenblatt.learning import interface
from rosenblatt.learning.decisions.sets import AdaptiveSets
from rosenblatt.learning.evaluation.metrics import MAX_SCORES, ScoreMetrics, class_margins
from rosenblatt.learning.evaluation.progressive import match_width
from rosenblatt.learning.probabilities import is_joint, log_probabilities
from rosenblatt.utils.arrays import Array, Matrix

OnScores = Callable[[Array, Array, Array, Array | None], None]


def predict_then_learn(
    model: object,
    X: Matrix,
    y: Array,
    weight: Array | None,
    first: int,
    lag: int,
    on_scores: OnScores = lambda classes, labels, scores, probabilities: None,
) -> list[object]:
    """Predict the rows from ``first`` on, and learn one row after each prediction.

    Parameters
    ----------
    model : linear or kernel classifier
        Trained in place, with the bits of ``partial_fit`` on the same rows.
    X : ndarray or CSR array of shape (n, d)
        At least as wide as the model.
    y : array of shape (n,)
    weight : array of shape (n,), or None
    first : int
        First row to predict; earlier rows have their predictions.
    lag : int ≥ 1
        Row i + 1 − lag, if any, is learned after the prediction of row i.
    on_scores : callable, optional
        ``on_scores(classes, labels, scores, probabilities)`` is called for consecutive rows, with
        the classes that the model knew, at least two, the labels of the rows, their
        ``decision_function``, and their probabilities if the model calibrates them, else None.

    Returns
    -------
    predictions : list of length n − first
        Labels; None while the model has learned no label.

    Raises
    ------
    ValueError
        Errors of ``partial_fit``.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> X, y = np.array([[1.0], [-1.0], [2.0], [-2.0]]), np.array(["up", "down", "up", "down"])
    >>> predict_then_learn(Perceptron(shuffle=False), X, y, None, first=0, lag=1)
    [None, 'up', 'up', 'down']
    """
    predictions: list[object] = []
    i = first
    while i < len(y):
        stop = _compiled_until(model, X, y, i, lag)
        if stop > i:
            predictions += _compiled(model, X, y, weight, i, stop, lag, on_scores)
        else:
            stop = i + 1
            predictions += predict_rows(model, X[i:stop], y[i:stop], on_scores)
            if stop >= lag:
                learn_rows(model, X, y, weight, slice(stop - lag, stop - lag + 1))
        i = stop
    return predictions


def learn_rows(model: Any, X: Matrix, y: Array, weight: Array | None, rows: slice) -> None:
    """Learn a slice of the rows."""
    weights = None if weight is None else weight[rows]
    model.partial_fit(match_width(model, X[rows]), y[rows], sample_weight=weights)


def predict_rows(model: Any, X: Matrix, y: Array, on_scores: OnScores) -> list[object]:
    """Return the labels predicted for rows; None while the model has learned no label.

    Parameters
    ----------
    model, X, y, on_scores
        As in :func:`predict_then_learn`.
    """
    if not interface.is_fitted(model) or len(model.classes_) == 0:
        return [None] * len(y)
    X = match_width(model, X)
    if len(model.classes_) == 1:
        return list(model.predict(X).tolist())
    scores = model.decision_function(X)
    calibrated = interface.is_calibrated(model)
    probabilities = interface.probabilities_of_scores(model, scores) if calibrated else None
    on_scores(model.classes_, y, scores, probabilities)
    return list(interface.labels_of_scores(model, scores).tolist())


def _compiled_until(model: Any, X: Matrix, y: Array, i: int, lag: int) -> int:
    """End of the rows from i on that compiled code can take: none of them has a new label."""
    if not interface.can_predict_then_learn(model):
        return i
    learned = y[max(0, i + 1 - lag) : len(y) + 1 - lag]
    new = np.isin(learned, interface.new_labels(model, learned))
    if not new.any():
        return len(y)
    return max(0, i + 1 - lag) + int(np.argmax(new)) + lag - 1


def _compiled(
    model: Any,
    X: Matrix,
    y: Array,
    weight: Array | None,
    i: int,
    stop: int,
    lag: int,
    on_scores: OnScores,
) -> list[object]:
    """Predict the rows i, …, stop − 1 and learn with them, in compiled code."""
    start = max(0, i + 1 - lag)
    rows = slice(start, stop)
    X, weight = match_width(model, X[rows]), None if weight is None else weight[rows]
    learned = interface.predict_then_learn(model, X, y[rows], weight, i - start, lag)
    labels, scores, probabilities = learned
    scores = scores[:, 0] if scores.shape[1] == 1 else scores
    on_scores(model.classes_, y[i:stop], scores, probabilities)
    return labels


class PrequentialScores:
    """Scores of rows that were predicted before they were learned.

    A row counts if the model knew its label and another one when it predicted the row. For the area
    of a class, the rows before the class appeared do not count.

    Parameters
    ----------
    model : classifier
        With ``predict_proba`` it has a log loss.
    sets : AdaptiveSets, optional
        Gets the probabilities and the label of each row.
    max_scores : int, default 2²²
        Of more, a random sample is kept for the area.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> scores = PrequentialScores(Perceptron())
    >>> scores.add(np.array(["a", "c"]), np.array(["a", "b", "c"]), np.array([-1.0, 0.5, 2.0]))
    >>> scores.add(np.array(["a", "b", "c"]), np.array(["b"]), np.array([[0.0, 1.0, -1.0]]))
    >>> scores.metrics(["a", "b", "c"]).areas(), scores.metrics(["a", "b", "c"]).rows
    ([1.0, None, 1.0], 3)
    """

    def __init__(
        self, model: object, sets: AdaptiveSets | None = None, max_scores: int = MAX_SCORES
    ) -> None:
        self._sets, self._max_scores = sets, max_scores
        self._has_probabilities = hasattr(model, "predict_proba")
        self._is_joint = is_joint(model)
        self._classes: list[object] = []
        self._metrics: ScoreMetrics | None = None

    def add(
        self, classes: Array, labels: Array, scores: Array, probabilities: Array | None = None
    ) -> None:
        """Add consecutive rows.

        Parameters
        ----------
        classes : array of shape (K,)
            The classes of the model, sorted; at least two, and all that earlier calls had.
        labels : array of shape (n,)
        scores : array of shape (n,) for two classes, (n, K) for more
            As ``decision_function`` returns them.
        probabilities : array of shape (n, K), optional
            Calibrated ones; by default those of scores that are log odds.
        """
        metrics = self._extend(classes.tolist())
        codes = np.searchsorted(classes, labels).clip(max=len(classes) - 1)
        codes[classes[codes] != labels] = -1
        if self._has_probabilities and probabilities is None:
            logs = log_probabilities(scores, len(classes), joint=self._is_joint)
            probabilities = np.exp(logs)
        if self._sets is not None and probabilities is not None:
            for row, code in zip(probabilities, codes.tolist(), strict=True):
                self._sets.add(row, code)
        if self._is_joint and scores.ndim == 2:
            scores = class_margins(scores)
        metrics.add(codes, scores, probabilities)

    def metrics(self, labels: Iterable[object]) -> ScoreMetrics | None:
        """Return the metrics of the classes and of further labels, sorted; None without scores."""
        return None if self._metrics is None else self._extend(sorted({*self._classes, *labels}))

    def _extend(self, classes: list[Any]) -> ScoreMetrics:
        """Return the metrics of these classes."""
        if self._metrics is None:
            columns = 1 if len(classes) == 2 else len(classes)
            self._metrics = ScoreMetrics(columns, self._max_scores)
        elif len(classes) > len(self._classes):
            places = {label: column for column, label in enumerate(classes)}
            new_columns = np.array([places[label] for label in self._classes])
            self._metrics.add_classes(new_columns, len(classes))
        self._classes = classes
        return self._metrics
