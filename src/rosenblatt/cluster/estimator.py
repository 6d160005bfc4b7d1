"""``DaskPerceptron``: the perceptron of :class:`rosenblatt.Perceptron` on a Dask cluster."""

from __future__ import annotations

import copy
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.cluster import reports, tasks
from rosenblatt.cluster.checkpoint import fit_facts, read_checkpoint, write_checkpoints
from rosenblatt.cluster.executors.calls import Executor, task
from rosenblatt.cluster.executors.on_dask import as_delayed
from rosenblatt.cluster.executors.opening import executor_of
from rosenblatt.cluster.reading import FitReading
from rosenblatt.cluster.rounds import Rounds
from rosenblatt.cluster.shards import (
    calls,
    delayed_model,
    is_collection,
    is_delayed,
    is_frame,
    is_sources,
    mean_score,
    names_of_batches,
    read_all,
    shards_of,
    survey,
)
from rosenblatt.cluster.sources import Shards
from rosenblatt.cluster.tables import check_names
from rosenblatt.engine.mixing import MIXINGS
from rosenblatt.estimators.linear import Perceptron
from rosenblatt.learning import interface
from rosenblatt.learning.linear import learners
from rosenblatt.learning.linear.shards import (
    ShardLearner,
    fit_shards,
    needs_all_rows,
    seeds_of_shards,
)
from rosenblatt.learning.params import LinearParameters, RunParameters, check_parameters
from rosenblatt.utils.arrays import ArrayLike, Matrix
from rosenblatt.utils.checks import check_choice, check_number
from rosenblatt.utils.labels import as_labels
from rosenblatt.utils.words import count

_OWN = ("shards", "mixing", "interleave", "epochs", "verbose")


@dataclass(kw_only=True, eq=False, repr=False)
class DaskPerceptron(LinearParameters, RunParameters, ClassifierMixin, BaseEstimator):
    """Linear classifier on a Dask cluster, by iterative parameter mixing.

    Every shard of the rows trains its own copy of the weights, and after each epoch the copies are
    averaged (McDonald, Hall and Mann 2010). The weights, to the last bit, are those of
    ``rosenblatt.Perceptron(shards=k)`` on the same shards: they depend on the data, the seed and
    the shards, and not on the workers, their number, or whether some are lost.

    Parameters
    ----------
    shards : int or None, default=None
        None: a shard for each block of a Dask array, partition of a DataFrame, delayed batch, or
        file. k: rows of collections are cut into k equal shards, delayed batches are put together,
        and text files are cut at ends of lines into k shards of as many bytes.
    interleave : bool, default=False
        Deal the rows to the shards in turn, where they lie in the order of their classes, or of
        time: rows of collections one by one, which moves each row once; delayed batches; and small
        pieces of files, which costs nothing. Without ``shards`` there are as many as before.
    mixing : {"uniform", "errors"}, default="uniform"
        Shards count alike, or in proportion to their updates in the epoch.
    max_iter : int ≥ 1, default=10
        Largest number of epochs.
    epochs : int or None, default=None
        The former name of ``max_iter``, which it replaces where it is given.
    output : {"last", "average"}, default="last"
        As in :class:`rosenblatt.Perceptron`; the pocket needs all rows in one place.
    shuffle : bool, default=True
        Shuffle the rows of each shard before each epoch: a shard is then kept in the memory of a
        worker. False reads the rows in their order, in each epoch anew and in constant memory:
        for files that are larger than the memory of the cluster.
    verbose : int, default=0
        1 prints a line per epoch: the error, its interval, the seconds and the workers.
    rule, multi_class, tie, penalty, alpha, l1_ratio, fit_intercept, tol, eta0, \
random_state, n_iter_no_change, class_weight, warm_start, probabilities
        As in :class:`rosenblatt.Perceptron`.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, feature_names_in_, n_iter_, t_, converged_, \
mistakes_, updates_, errors_, history_
        As in :class:`rosenblatt.Perceptron`.
    shards_ : structured ndarray of shape (S,)
        What each shard had and did in the epochs of the last fit: ``shard``, its name; ``rows``;
        ``classes``, of shape (K,), the rows of each class; ``updates`` and ``seconds``, of all
        epochs; ``bytes`` read in an epoch, of files, or of rows that workers keep in memory.

    Notes
    -----
    If the rows are separable with margin γ, and none is longer than R, all shards together make at
    most S (R/γ)² mistakes with S shards of equal share, and errors-proportional mixing ends after
    at most (R/γ)² epochs (:func:`rosenblatt.theory.shards_bound`,
    :func:`rosenblatt.theory.epochs_bound`). Mixing once, at the end, has no such bound.

    References
    ----------
    McDonald, Hall and Mann 2010.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     rows, labels = da.from_array(X, chunks=(600, 64)), da.from_array(y, chunks=600)
    ...     model = DaskPerceptron(max_iter=5, tol=None).fit(rows, labels)
    ...     round(model.score(rows, labels), 2)
    0.95
    >>> model.n_iter_, model.to_local().predict(X[:3]).tolist()
    (5, [0, 1, 2])
    """

    max_iter: int = 10
    shards: int | None = None
    mixing: str = "uniform"
    interleave: bool = False
    epochs: int | None = None

    # --- training --------------------------------------------------------------------------------

    def fit(
        self,
        X: object,
        y: object = None,
        *,
        sample_weight: object = None,
        classes: ArrayLike | None = None,
        n_features: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        client: Any = None,
        report: Callable[[tuple[object, ...], int], None] | None = None,
        **reading: object,
    ) -> Self:
        """Learn from rows on the cluster, epoch after epoch.

        Parameters
        ----------
        X : Dask array or DataFrame of shape (n, d), list of Delayed, or sources
            Delayed batches are tuples (X, y) or (X, y, weight). Sources are a path, a pattern, a
            byte range ``PATH#bytes=A-B``, or a list of them, as the workers see them. Paths begin
            in the folder of this process.
        y : Dask array or Series of shape (n,), optional
            Labels of an array or DataFrame. Delayed batches and sources have their own.
        sample_weight : Dask array or Series of shape (n,), optional
        classes : array, optional
            All labels. Together with ``n_features``, or columns whose number is known, it saves a
            first pass over the rows.
        n_features : int, optional
            Number of columns of svmlight text or of sparse batches.
        checkpoint : path, optional
            A file that is written after each epoch. If it exists, the fit continues there, and
            other parameters, reading options, columns, names of shards or sizes of files are
            refused. So are other rows, where labels and columns are searched first: of collections
            by the labels, of files and delayed batches by sums of each row's values. Weights are
            not compared; with ``classes`` and ``n_features`` no row is.
        client : distributed.Client, joblib.Parallel or the module ray, optional
            Where shards are learned; by default the latest client of Dask. ``joblib.Parallel`` and
            Ray, after ``ray.init()``, learn sources.
        report : callable, optional
            ``report(row, examples)`` is called after each epoch with its row of ``history_``, and
            the number of examples learned so far.
        **reading
            Options of :func:`rosenblatt.streams.open_stream` for sources, such as ``target="kind"``
            or ``bits=18``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            A parameter, a label or a number is not valid, or the checkpoint is of another fit.
        rosenblatt.streams.DataError
            Rows cannot be read; the message names the shard, and the line of a file.
        RuntimeError
            Workers have other versions of this library.
        """
        if self.epochs is not None:
            message = "epochs is now called max_iter: DaskPerceptron(max_iter=…)."
            warnings.warn(message, FutureWarning, stacklevel=2)
        model = self._new_local(1)
        epochs = model.max_iter
        check_choice(self.output, "output", ("last", "average"))
        check_choice(self.mixing, "mixing", MIXINGS)
        check_parameters(model)
        if epochs > 1 and interface.is_blended(model):
            raise ValueError(
                f"rule={self.rule!r} learns one epoch on a cluster: rows are held back for its "
                "blend, and shards hold none back. Use max_iter=1."
            )
        if self.shards is not None:
            check_number(self.shards, "shards", 1, integer=True)
        executor = executor_of(client)
        executor.wait()
        shards = shards_of(
            executor, X, y, sample_weight, self.shards, reading, interleave=self.interleave
        )
        path = None if checkpoint is None else os.fspath(checkpoint)
        saved = None if path is None else read_checkpoint(path)
        facts = {} if path is None else fit_facts(shards, self.mixing, self.interleave)
        model = self._new_local(len(shards.rows))
        if saved is not None:
            saved.check_setup(model, facts)
        keeps = epochs > 1 and needs_all_rows(model)
        if keeps:
            shards = read_all(executor, shards)
        learner, facts["digests"], names = self._learner(executor, shards, classes, n_features)
        if saved is not None:
            saved.check_rows(learner, facts["digests"])
            facts["digests"] = facts["digests"] or saved.note["digests"]
        if keeps and names is None and is_delayed(X):
            names = names_of_batches(executor, shards)
        (remote,) = executor.keep([task(tasks.keep, learner)])
        if keeps:
            prepared = executor.keep(calls(tasks.prepare_shard, shards, remote))
            shards = shards._replace(rows=prepared, labels=None)
        if names is not None:
            model.feature_names_in_ = np.array(names, object)
        resume, seeds = None, seeds_of_shards(model, len(shards.rows))
        if saved is not None:
            resume, seeds = saved.position()
            if resume.finished or len(resume.history) >= epochs:
                learned = count(len(resume.history), "epoch")
                warnings.warn(
                    f"{path} is the checkpoint of a fit that has ended, so nothing is learned. "
                    f"It learned {learned}. Delete it to learn other rows, or give more epochs.",
                    UserWarning,
                    stacklevel=2,
                )
        write = None if path is None else write_checkpoints(path, facts, seeds, shards.noted)
        rounds = Rounds(executor, remote, shards, seeds, self.mixing)

        def end_epoch(row: tuple[Any, ...], examples: int) -> None:
            workers = executor.workers()  # which says what was lost
            if self.verbose:
                rows = sum(one.rows for one in rounds.reports[-1])
                print(reports.epoch_line(row, rows, workers))
            if report is not None:
                report(row, examples)

        fit_shards(model, learner, rounds, end_epoch, write, resume)
        self._local, self._noted = model, shards.noted
        self.shards_ = reports.table(shards.names, rounds.reports)
        return self

    def _new_local(self, shards: int) -> Perceptron:
        """Return the perceptron of this process, which gets the weights; untrained, or trained."""
        params = {name: value for name, value in self.get_params().items() if name not in _OWN}
        warm = self.warm_start and "_local" in vars(self)
        local: Perceptron = copy.copy(self._local) if warm else Perceptron()
        if self.epochs is not None:
            params["max_iter"] = self.epochs
        return local.set_params(**params, shards=shards)

    def _learner(
        self, executor: Executor, shards: Shards, classes: ArrayLike | None, n_features: int | None
    ) -> tuple[ShardLearner, list[list[int]] | None, Sequence[str] | None]:
        """Return what tasks learn with; the rows are read once, if classes or columns need it.

        The second value is the number of rows and the digest of each shard, where they are read;
        the third the names of the columns.
        """
        digests, names = None, shards.feature_names
        features = shards.features if n_features is None else n_features
        dtype, weights = shards.dtype or "float64", self.class_weight
        if classes is not None:
            classes = np.unique(as_labels(classes, "classes"))
        if classes is None or features is None or weights == "balanced":
            surveys = survey(executor, shards)
            joint = tasks.join_surveys(surveys)
            names = names or joint.names
            digests = [[int(one.counts.sum()), one.digest] for one in surveys]
            classes = joint.labels if classes is None else classes
            features = joint.features if features is None else features
            dtype = shards.dtype or joint.dtype
            if weights == "balanced":
                weights = joint.balanced_weights()
        if len(classes) < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got "
                f"{count(len(classes), 'class')}. A classifier needs examples of at least two."
            )
        params = self._new_local(len(shards.rows)).get_params() | {"class_weight": weights}
        model = learners.Perceptron(**params)
        return ShardLearner(model, classes, features, np.dtype(dtype)), digests, names

    # --- the model in this process ---------------------------------------------------------------

    def to_local(self) -> Perceptron:
        """Return the model as a :class:`rosenblatt.Perceptron`, to save or to learn on with.

        Raises
        ------
        NotFittedError
        """
        check_is_fitted(self)
        return copy.copy(self._local)

    def noted(self) -> dict[str, object] | None:
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
