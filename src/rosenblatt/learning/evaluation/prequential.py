"""Prequential evaluation: predict each row with the current weights, then learn it.

Linear classifiers run in compiled code, about 3 µs a row. Others run ``predict`` and
``partial_fit`` row by row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.learning import interface
from rosenblatt.learning.evaluation.progressive import match_width
from rosenblatt.utils.arrays import Array

OnScores = Callable[[Array, Array, Array], None]


def predict_then_learn(
    model: Any,
    X: Any,
    y: Array,
    weight: Array | None,
    first: int,
    lag: int,
    on_scores: OnScores = lambda classes, labels, scores: None,
) -> list[Any]:
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
        ``on_scores(classes, labels, scores)`` is called for consecutive rows, with the classes that
        the model knew, at least two, the labels of the rows, and their ``decision_function``.

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
    predictions: list[Any] = []
    i = first
    while i < len(y):
        stop = _compiled_until(model, X, y, i, lag)
        if stop > i:
            predictions += _compiled(model, X, y, weight, i, stop, lag, on_scores)
        else:
            stop = i + 1
            predictions.append(_predict_one(model, X[i:stop], y[i:stop], on_scores))
            if stop >= lag:
                learn_rows(model, X, y, weight, slice(stop - lag, stop - lag + 1))
        i = stop
    return predictions


def learn_rows(model: Any, X: Any, y: Array, weight: Array | None, rows: slice) -> None:
    """Learn a slice of the rows."""
    weights = None if weight is None else weight[rows]
    model.partial_fit(match_width(model, X[rows]), y[rows], sample_weight=weights)


def _predict_one(model: Any, X: Any, y: Array, on_scores: OnScores) -> Any:
    """Label predicted for one row; None while the model has learned no label."""
    if not interface.is_fitted(model) or len(model.classes_) == 0:
        return None
    X = match_width(model, X)
    if len(model.classes_) == 1:
        return model.predict(X).tolist()[0]
    scores = model.decision_function(X)
    on_scores(model.classes_, y, scores)
    return interface.labels_of_scores(model, scores).tolist()[0]


def _compiled_until(model: Any, X: Any, y: Array, i: int, lag: int) -> int:
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
    X: Any,
    y: Array,
    weight: Array | None,
    i: int,
    stop: int,
    lag: int,
    on_scores: OnScores,
) -> list[Any]:
    """Predict the rows i, …, stop − 1 and learn with them, in compiled code."""
    start = max(0, i + 1 - lag)
    rows = slice(start, stop)
    X, weight = match_width(model, X[rows]), None if weight is None else weight[rows]
    labels, scores = interface.predict_then_learn(model, X, y[rows], weight, i - start, lag)
    on_scores(model.classes_, y[i:stop], scores[:, 0] if scores.shape[1] == 1 else scores)
    return labels
