"""The model of a fit on a cluster: in this process, and on rows of a cluster."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt.cluster import tasks
from rosenblatt.cluster.executors.calls import task
from rosenblatt.cluster.executors.on_dask import as_delayed
from rosenblatt.cluster.executors.opening import executor_of
from rosenblatt.cluster.reading import FitReading
from rosenblatt.cluster.shards import (
    calls,
    delayed_model,
    is_collection,
    is_delayed,
    is_frame,
    is_sources,
    mean_score,
    shards_of,
)
from rosenblatt.cluster.tables import check_names
from rosenblatt.estimators.linear import Perceptron
from rosenblatt.streams.core.notes import Notes
from rosenblatt.utils.arrays import Matrix


class ShardModel:
    """What a fitted model does besides learning: it predicts rows of a cluster, or here."""

    _local: Perceptron
    _noted: Notes | None

    # --- the model in this process ---------------------------------------------------------------

    def to_local(self) -> Perceptron:
        """Return the model as a :class:`rosenblatt.Perceptron`, to save or to learn on with.

        Raises
        ------
        NotFittedError
        """
        check_is_fitted(self)
        return copy.copy(self._local)

    def noted(self) -> Notes | None:
        """Return how the files of the fit were read, as notes to save with the model.

        ``rosenblatt predict`` reads new files as they say. None for rows that were no files.

        Raises
        ------
        NotFittedError
        """
        check_is_fitted(self)
        return self._noted

    def __getattr__(self, name: str) -> Any:
        if name in _FITTED and "_local" in vars(self):
            return getattr(self._local, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_is_fitted__(self) -> bool:
        return "_local" in vars(self)

    # --- prediction ------------------------------------------------------------------------------

    def predict(self, X: object, **reading: object) -> Any:
        """Return the labels with the highest score.

        Parameters
        ----------
        X : Dask array or DataFrame, list of Delayed, sources, or rows in memory
        **reading
            Options of :func:`rosenblatt.streams.open_stream` for sources; by default those of the
            fit. After a fit of files the rows need no labels.

        Returns
        -------
        labels : Dask array, list of Delayed or ndarray
            Lazily, as a Dask array, of Dask collections; for delayed batches and sources a list,
            one Delayed for each; of rows in memory an array.
        """
        model = self._predictor(X)
        return self._apply(X, model, "predict", model.classes_.dtype, None, reading)

    def decision_function(self, X: object, **reading: object) -> Any:
        """Return the scores ⟨w, x⟩ + b.

        Parameters
        ----------
        X, **reading
            As in :meth:`predict`.

        Returns
        -------
        scores : Dask array, list of Delayed or ndarray
            As in :meth:`predict`, of shape (n,) for two classes, (n, K) for more.
        """
        model = self._predictor(X)
        columns = len(model.classes_) if len(model.classes_) > 2 else None
        return self._apply(X, model, "decision_function", model.coef_.dtype, columns, reading)

    def predict_proba(self, X: Matrix, **reading: object) -> Any:
        """Return the probabilities of the classes.

        Of a rule that has them, ``"auto"`` or ``"logistic"``, or calibrated, with
        ``probabilities=True``: shards learn the calibration with the weights, and mix both.

        Parameters
        ----------
        X, **reading
            As in :meth:`predict`.

        Returns
        -------
        probabilities : Dask array, list of Delayed or ndarray
            As in :meth:`predict`, of shape (n, K).

        Raises
        ------
        AttributeError
            The scores are no log odds, and not calibrated.
        """
        model = self._predictor(X)
        _ = model.predict_proba  # its message is that of Perceptron
        columns = len(model.classes_)
        return self._apply(X, model, "predict_proba", np.dtype("float64"), columns, reading)

    def score(
        self,
        X: object,
        y: object = None,
        sample_weight: object = None,
        *,
        client: Any = None,
        **reading: object,
    ) -> float:
        """Return the share of rows, or of their weight, whose label is predicted.

        Parameters
        ----------
        X, y, sample_weight, client, **reading
            As in :meth:`fit`; or X and y in memory. Files are read with the options of the fit.

        Raises
        ------
        ValueError
            No row has a label that is a class, or an option contradicts the fit.
        """
        model = self._predictor(X)
        if not (is_collection(X) or is_delayed(X) or is_sources(X)):
            return float(model.score(X, y, sample_weight))
        executor = executor_of(client)
        shards = shards_of(executor, X, y, sample_weight, None, reading, self._fit_reading(True))
        return mean_score(executor, shards, model, self._names())

    def _apply(
        self,
        X: Matrix,
        model: Perceptron,
        method: str,
        dtype: Any,
        columns: int | None,
        reading: dict[str, object],
    ) -> Any:
        """Return the result of a method: a Dask array of collections, a list of Delayed of shards.

        ``columns`` is None where a row has one number.
        """
        if is_delayed(X) or is_sources(X):
            fit = self._fit_reading(self._noted is None)
            shards = shards_of(executor_of(None), X, None, None, None, reading, fit)
            kept = task(tasks.keep, model)
            predicted = calls(tasks.predict_shard, shards, kept, self._names(), method)
            return [as_delayed(call) for call in predicted]
        if not is_collection(X):
            return getattr(model, method)(X)
        rows = (X.to_dask_array() if is_frame(X) else X).rechunk({1: -1})
        shape: dict[str, object] = {"drop_axis": 1}
        if columns is not None:
            shape = {"chunks": (rows.chunks[0], (columns,))}
        return rows.map_blocks(
            tasks.predict_rows,
            model=delayed_model(model),
            method=method,
            dtype=dtype,
            meta=np.empty((0,) if columns is None else (0, 0), dtype),
            **shape,
        )

    def _fit_reading(self, labelled: bool) -> FitReading:
        """Return how the fit read its rows, for new files."""
        return FitReading(self._noted, self._names(), labelled)

    def _names(self) -> list[str] | None:
        """Return the names of the columns of the fit."""
        names = getattr(self._local, "feature_names_in_", None)
        return None if names is None else names.tolist()

    def _predictor(self, X: Matrix) -> Perceptron:
        """Return the model for blocks of rows; the names of a DataFrame's columns are checked."""
        model = self.to_local()
        names = self._names()
        if is_frame(X):
            check_names([*map(str, X.columns)], names)
        if not (is_collection(X) or is_delayed(X) or is_sources(X)):
            return model
        if names is not None:
            del model.feature_names_in_
        return model


_FITTED = (
    "coef_",
    "intercept_",
    "classes_",
    "n_features_in_",
    "feature_names_in_",
    "n_iter_",
    "t_",
    "converged_",
    "mistakes_",
    "updates_",
    "errors_",
    "history_",
)
