"""``rosenblatt.tune``: the best of many settings, in one pass over the rows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.estimators.linear import Perceptron
from rosenblatt.estimators.row_model import RowModel
from rosenblatt.learning import interface
from rosenblatt.learning.evaluation.ranking import METRICS
from rosenblatt.learning.tuning.grid import Candidate, Grid
from rosenblatt.learning.tuning.result import Tuning
from rosenblatt.learning.tuning.side_by_side import tune_rows
from rosenblatt.streams import Batch, Stream, open_stream
from rosenblatt.streams.core.notes import Notes
from rosenblatt.streams.features.encoding import number_columns
from rosenblatt.streams.frames.notes import describes_rows
from rosenblatt.theory.rules import DECLARATIONS
from rosenblatt.utils.arrays import ArrayLike
from rosenblatt.utils.checks import check_choice
from rosenblatt.utils.labels import as_labels
from rosenblatt.utils.matrices import as_matrix

_LOG_ODDS = {name for name, rule in DECLARATIONS.items() if rule.log_odds}


def tune(
    source_or_X: object,
    y: ArrayLike | None = None,
    *,
    metric: str = "log_loss",
    rules: Sequence[str] | None = None,
    epochs: int = 1,
    seed: int = 0,
) -> Tuning:
    """Try rules, learning rates, scaling and outputs side by side, and rank them.

    In one epoch, each row is predicted before it is learned, by every candidate: the ranking is by
    rows that no candidate had seen (prequential evaluation), and the rows are read and encoded
    once. With more epochs a fifth of the rows of each class is held out, and ranks the candidates
    at the end. The metric of the best of many is a little too good: judge the winner on rows that
    took no part in the choice.

    Parameters
    ----------
    source_or_X : str, path, Stream, or matrix of shape (n, d)
        Without ``y`` a source as of :func:`rosenblatt.streams.open_stream`, or a stream that it has
        opened, whose rows are learned in their order. With ``y`` an array, a DataFrame of numbers
        or a sparse matrix, whose rows are shuffled for each epoch.
    y : array of shape (n,), optional
    metric : str, default="log_loss"
        Of probabilities: "log_loss", the mean of −log p(label); "brier", the Brier score; "ece",
        the expected calibration error. Of labels and scores: "auc", the area under the ROC curve,
        of three classes and more the mean, one-vs-rest; "pr_auc", that of precision over recall,
        and "f1", both of the second of two classes, of more the mean; "error", the share of wrong
        predictions.
    rules : sequence of str, optional
        Names of :mod:`rosenblatt.rules`. By default a few good ones, for log_loss those that give
        probabilities. If a named rule gives none, and the metric needs them, all candidates
        calibrate their scores as they learn (``probabilities=True``).
    epochs : int ≥ 1, default=1
    seed : int ≥ 0, default=0
        Random seed of the orders and of the rows held out.

    Returns
    -------
    Tuning
        A table of all candidates, the best first; ``results`` and ``rows`` have its numbers, and
        ``best`` is the model of the first one, a :class:`rosenblatt.Perceptron` that has learned
        the rows (of several epochs: without those held out). Of a table, JSON lines or texts it is
        a :class:`rosenblatt.RowModel`, which predicts raw rows, as :func:`rosenblatt.load` gives.

    Raises
    ------
    ValueError
        A name, a label or a number is not valid, or there is nothing to choose.

    References
    ----------
    Dawid 1984 (prequential); Blum, Kalai and Langford 1999.

    Examples
    --------
    >>> from rosenblatt import tune
    >>> tuning = tune("sklearn:breast_cancer", metric="error", rules=["perceptron", "pa1"])
    >>> tuning.results[0].candidate.scale, tuning.best.classifier.rule, len(tuning.results)
    (True, 'pa1', 16)
    """
    check_choice(metric, "metric", tuple(METRICS))
    if isinstance(rules, str):
        rules = (rules,)
    rows = _rows(source_or_X, y)
    stream = rows if isinstance(rows, Stream) else None

    needs = METRICS[metric].needs_probabilities
    calibrated = needs and any(rule not in _LOG_ODDS for rule in rules or ())

    def build(candidate: Candidate, batch: Batch) -> Perceptron:
        model = Perceptron(
            **candidate.parameters,
            probabilities=calibrated,
            max_iter=epochs,
            tol=None,
            random_state=seed,
        )
        if candidate.scale and stream is not None:
            interface.centre_columns(model, number_columns(stream))
        return model

    with np.errstate(all="ignore"):
        tuning = tune_rows(
            [(False, rows)],
            Grid(None if rules is None else tuple(rules), probabilities=calibrated),
            build,
            metric=metric,
            epochs=epochs,
            shuffle=stream is None,
            seed=seed,
        )
    names = stream.feature_names if stream is not None else getattr(source_or_X, "columns", None)
    tuning.best = _with_names(tuning.best, names, {} if stream is None else stream.noted())
    return tuning


def _with_names(model: Perceptron, names: Sequence[Any] | None, notes: Notes) -> Any:
    """Return a model with the names of its columns; of rows that notes describe, a RowModel."""
    if names is not None and all(isinstance(name, str) for name in names):
        interface.widen(model, len(names))  # the last rows may have been held out
        model.feature_names_in_ = np.array(list(names), object)
    return RowModel.of_file(model, notes) if describes_rows(notes) else model


def _rows(source_or_X: object, y: ArrayLike | None) -> Stream | list[Batch]:
    """Return a stream, or an array as one batch."""
    if y is not None:
        X = as_matrix(source_or_X, user="tune")
        labels = as_labels(y)
        if X.shape[0] != len(labels):
            raise ValueError(f"X has {X.shape[0]} rows, and y has {len(labels)} labels.")
        return [Batch(X, labels, 0)]
    if isinstance(source_or_X, Stream):
        return source_or_X
    if isinstance(source_or_X, str | os.PathLike):
        return open_stream(source_or_X)
    raise TypeError(
        "without y, tune needs the name of a source or a stream of rosenblatt.streams; got a "
        f"{type(source_or_X).__name__}."
    )
