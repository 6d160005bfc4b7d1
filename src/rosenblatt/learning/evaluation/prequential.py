"""Prequential evaluation: predict each row with the current weights, then learn it.

Linear classifiers run in compiled code, about 3 µs a row. Others run ``predict`` and
``partial_fit`` row by row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import is_library_class
from rosenblatt.learning.evaluation.progressive import match_width
from rosenblatt.learning.linear.base import LinearClassifier
from rosenblatt.learning.params import check_parameters

Array = NDArray[Any]


def predict_then_learn(
    model: Any, X: Any, y: Array, weight: Array | None, first: int, lag: int
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
            predictions += _compiled(model, X, y, weight, i, stop, lag)
        else:
            stop = i + 1
            predictions.append(_predict_one(model, X[i:stop]))
            if stop >= lag:
                learn_rows(model, X, y, weight, slice(stop - lag, stop - lag + 1))
        i = stop
    return predictions


def learn_rows(model: Any, X: Any, y: Array, weight: Array | None, rows: slice) -> None:
    """Learn a slice of the rows."""
    weights = None if weight is None else weight[rows]
    model.partial_fit(match_width(model, X[rows]), y[rows], sample_weight=weights)


def _predict_one(model: Any, X: Any) -> Any:
    """Label predicted for one row; None while the model has learned no label."""
    if not model.__sklearn_is_fitted__() or len(model.classes_) == 0:
        return None
    return model.predict(match_width(model, X)).tolist()[0]


def _compiled_until(model: Any, X: Any, y: Array, i: int, lag: int) -> int:
    """Up to which row compiled turns can go from row i on: none of them meets a new label."""
    can_compile = (
        isinstance(model, LinearClassifier)
        and model.__sklearn_is_fitted__()
        and len(model.classes_) > 1
        and model._output() in ("last", "average")
        and not model.expansion
        and is_library_class(type(model._rule()))
    )
    if not can_compile:
        return i
    learned = y[max(0, i + 1 - lag) : len(y) + 1 - lag]
    new = np.isin(learned, model._new_labels(learned))
    if not new.any():
        return len(y)
    return max(0, i + 1 - lag) + int(np.argmax(new)) + lag - 1


def _compiled(
    model: LinearClassifier, X: Any, y: Array, weight: Array | None, i: int, stop: int, lag: int
) -> list[Any]:
    """The rows from i to before stop, answered by turns with those that are learned."""
    start = max(0, i + 1 - lag)
    rows = slice(start, stop)
    check_parameters(model)
    model._check_partial_fit_params()
    X, y = model._validate_X_y(match_width(model, X[rows]), y[rows], reset=False)
    weights = model._batch_weights(None if weight is None else weight[rows], X)
    codes = np.searchsorted(model.classes_, y).clip(max=len(model.classes_) - 1)
    problem = model._classification_problem(X, codes, weights, model.classes_)
    counts_before, model._coef = (model.mistakes_, model.updates_), None
    codes_predicted = problem.predict_then_learn(model._state, i - start, lag)
    model._check_in_range()
    model.n_iter_ = 1
    model.converged_ = counts_before == (model.mistakes_, model.updates_) and model._unpenalised()
    return model.classes_[codes_predicted].tolist()  # type: ignore[no-any-return]
