"""Answer a row, learn one, and so on, so that every answer is that of the weights of its moment.

A learner that holds w itself takes its turns through compiled code, some 3 µs a row. Any other one
is asked by ``predict`` and taught by ``partial_fit``, a row at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import is_ours
from rosenblatt.learning.evaluation.progressive import fitting
from rosenblatt.learning.linear.base import LinearClassifier
from rosenblatt.learning.params import check_parameters

Array = NDArray[Any]


def by_turns(model: Any, X: Any, y: Array, weight: Array | None, first: int, lag: int) -> list[Any]:
    """Answer the rows from ``first`` on, learning one after each.

    Parameters
    ----------
    model : classifier of ``rosenblatt.learning.linear.estimators`` or
    ``rosenblatt.learning.kernel.estimators``
        Learns in place, as by ``partial_fit`` of the same rows: to the bit.
    X : ndarray or CSR array of shape (n, d)
        As wide as the model or wider.
    y : array of shape (n,)
    weight : array of shape (n,), or None
    first : int
        The rows before it were answered earlier.
    lag : int ≥ 1
        After row i was answered, row i + 1 − lag is learned, where there is one.

    Returns
    -------
    answers : list of length n − first
        Labels; None before the model has met one.

    Raises
    ------
    ValueError
        What ``partial_fit`` raises.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> X, y = np.array([[1.0], [-1.0], [2.0], [-2.0]]), np.array(["up", "down", "up", "down"])
    >>> by_turns(Perceptron(shuffle=False), X, y, None, first=0, lag=1)
    [None, 'up', 'up', 'down']
    """
    answers: list[Any] = []
    i = first
    while i < len(y):
        stop = _quick_until(model, X, y, i, lag)
        if stop > i:
            answers += _quickly(model, X, y, weight, i, stop, lag)
        else:
            stop = i + 1
            answers.append(_answer(model, X[i:stop]))
            if stop >= lag:
                learn(model, X, y, weight, slice(stop - lag, stop - lag + 1))
        i = stop
    return answers


def learn(model: Any, X: Any, y: Array, weight: Array | None, rows: slice) -> None:
    """Learn some of the rows."""
    weights = None if weight is None else weight[rows]
    model.partial_fit(fitting(model, X[rows]), y[rows], sample_weight=weights)


def _answer(model: Any, X: Any) -> Any:
    """What the model says of a row; None before it has met a label."""
    if not model.__sklearn_is_fitted__() or len(model.classes_) == 0:
        return None
    return model.predict(fitting(model, X)).tolist()[0]


def _quick_until(model: Any, X: Any, y: Array, i: int, lag: int) -> int:
    """Up to which row compiled turns can go from row i on: none of them meets a new label."""
    quick = (
        isinstance(model, LinearClassifier)
        and model.__sklearn_is_fitted__()
        and len(model.classes_) > 1
        and model._output() in ("last", "average")
        and not model.expansion
        and is_ours(type(model._rule()))
    )
    if not quick:
        return i
    learned = y[max(0, i + 1 - lag) : len(y) + 1 - lag]
    new = np.isin(learned, model._unknown(learned))
    if not new.any():
        return len(y)
    return max(0, i + 1 - lag) + int(np.argmax(new)) + lag - 1


def _quickly(
    model: LinearClassifier, X: Any, y: Array, weight: Array | None, i: int, stop: int, lag: int
) -> list[Any]:
    """The rows from i to before stop, answered by turns with those that are learned."""
    begin = max(0, i + 1 - lag)
    rows = slice(begin, stop)
    check_parameters(model)
    model._check_batchwise()
    X, y = model._validated(fitting(model, X[rows]), y[rows], reset=False)
    weights = model._weighted_batch(None if weight is None else weight[rows], X)
    codes = np.searchsorted(model.classes_, y).clip(max=len(model.classes_) - 1)
    problem = model._classification(X, codes, weights, model.classes_)
    before, model._coef = (model.mistakes_, model.updates_), None
    answers = problem.by_turns(model._state, i - begin, lag)
    model._check_in_range()
    model.n_iter_ = 1
    model.converged_ = before == (model.mistakes_, model.updates_) and model._is_free()
    return model.classes_[answers].tolist()  # type: ignore[no-any-return]
