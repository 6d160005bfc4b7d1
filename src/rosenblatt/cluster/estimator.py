"""``DaskPerceptron``: the perceptron of :class:`rosenblatt.Perceptron` on a Dask cluster."""

from __future__ import annotations

import copy
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from rosenblatt.cluster import reports
from rosenblatt.cluster.checkpoint import fit_facts, read_checkpoint, write_checkpoints
from rosenblatt.cluster.executors.calls import Executor
from rosenblatt.cluster.executors.opening import executor_of
from rosenblatt.cluster.predicting import ShardModel
from rosenblatt.cluster.preparing.encoding import grown
from rosenblatt.cluster.preparing.holdout import HeldOutShards
from rosenblatt.cluster.preparing.prepared import Prepared, prepare
from rosenblatt.cluster.rounds import Rounds
from rosenblatt.cluster.shards import shards_of
from rosenblatt.cluster.tables import check_names
from rosenblatt.engine.mixing import MIXINGS
from rosenblatt.estimators.linear import Perceptron
from rosenblatt.learning import interface
from rosenblatt.learning.linear.shards import fit_shards, seeds_of_shards
from rosenblatt.learning.params import LinearParameters, RunParameters, check_parameters
from rosenblatt.utils.arrays import ArrayLike
from rosenblatt.utils.checks import check_choice, check_number
from rosenblatt.utils.words import count

_OWN = ("shards", "mixing", "interleave", "epochs", "verbose", "holdout", "early_stopping")

_OF_ONE_EPOCH: dict[str, Any] = {"max_iter": 1, "warm_start": True, "tol": None}
"""Parameters with which ``partial_fit`` learns."""


@dataclass(kw_only=True, eq=False, repr=False)
class DaskPerceptron(ShardModel, LinearParameters, RunParameters, ClassifierMixin, BaseEstimator):
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
        and files are cut into k shards of about as many bytes, text at ends of lines, Parquet and
        Arrow between row groups.
    interleave : bool, default=False
        Deal the rows to the shards in turn, where they lie in the order of their classes, or of
        time: rows of collections one by one, which moves each row once; delayed batches; and small
        pieces of text, or row groups, which moves none. Without ``shards`` there are as many as
        before.
    mixing : {"uniform", "errors"}, default="uniform"
        Shards count alike, or in proportion to their updates in the epoch.
    max_iter : int ≥ 1, default=10
        Largest number of epochs.
    epochs : int or None, default=None
        The former name of ``max_iter``, which it replaces where it is given.
    output : {"last", "average"}, default="last"
        As in :class:`rosenblatt.Perceptron`; the pocket needs all rows in one place.
    scale : bool, default=False
        As in :class:`rosenblatt.Perceptron`: rows are scaled by the moments of their columns in all
        shards, which the pass that looks for labels measures.
    holdout : float in (0, 1), optional
        Hold out this share of the rows of each class, of each shard; ``random_state``, if it is a
        whole number, chooses them. After each epoch the errors on them are counted.
    early_stopping : bool, default=False
        With ``holdout``: end the fit when these errors have not decreased for ``n_iter_no_change``
        epochs, and keep the weights of the best epoch.
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
    held_out_errors_, held_out_rows_ : list of int, and int
        With ``holdout``: the errors on held-out rows after each epoch, and their number.
    shards_ : structured ndarray of shape (S,)
        What each shard had and did in the epochs of the last fit: ``shard``, its name; ``rows``;
        ``classes``, of shape (K,), the rows of each class; ``updates`` and ``seconds``, of all
        epochs; ``bytes`` of its parts of files, or of rows that workers keep in memory.

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
    scale: bool = False
    holdout: float | None = None
    early_stopping: bool = False

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
            folder of tables, a URL, a part ``PATH#bytes=A-B`` or ``PATH#row_groups=A-B``, or a list
            of them, as the workers see them. Paths begin in the folder of this process.
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
        self._check(model)
        if self.holdout is not None:
            check_number(self.holdout, "holdout", 0, 1, open_low=True, open_high=True)
        elif self.early_stopping:
            raise ValueError("early_stopping=True needs rows that are held out: holdout=0.1.")
        executor = executor_of(client)
        executor.wait()
        shards = shards_of(
            executor, X, y, sample_weight, self.shards, reading, interleave=self.interleave
        )
        path = None if checkpoint is None else os.fspath(checkpoint)
        saved = None if path is None else read_checkpoint(path)
        of_held_out = None if self.holdout is None else [self.holdout, self.early_stopping]
        facts = {}
        if path is not None:
            facts = fit_facts(shards, self.mixing, self.interleave, of_held_out)
        model = self._new_local(len(shards.rows))
        if saved is not None:
            saved.check_setup(model, facts)
        prepared = prepare(executor, shards, model, classes, n_features, self.holdout)
        learner, facts["digests"] = prepared.learner, prepared.digests
        if saved is not None:
            saved.check_rows(learner, facts["digests"])
            facts["digests"] = facts["digests"] or saved.note["digests"]
        held_out = self._held_out(executor, prepared)
        shards, remote = prepared.kept(executor)
        if prepared.names is not None:
            model.feature_names_in_ = np.array(prepared.names, object)
        resume, seeds = None, seeds_of_shards(model, len(shards.rows))
        if saved is not None:
            resume, seeds = saved.position()
            if held_out is not None:
                saved.restore_held_out(held_out)
                resume = resume._replace(finished=resume.finished or held_out.should_stop)
            if resume.finished or len(resume.history) >= epochs:
                learned = count(len(resume.history), "epoch")
                warnings.warn(
                    f"{path} is the checkpoint of a fit that has ended, so nothing is learned. "
                    f"It learned {learned}. Delete it to learn other rows, or give more epochs.",
                    UserWarning,
                    stacklevel=2,
                )
        write = None
        if path is not None:
            write = write_checkpoints(path, facts, seeds, shards.noted, held_out)
        rounds = Rounds(executor, remote, shards, seeds, self.mixing, self.interleave)

        def end_epoch(row: tuple[Any, ...], examples: int) -> None:
            workers = executor.workers()  # which says what was lost
            if self.verbose:
                rows = sum(one.rows for one in rounds.reports[-1])
                print(reports.epoch_line(row, rows, workers))
            if report is not None:
                report(row, examples)

        fit_shards(model, learner, rounds, end_epoch, write, resume, held_out)
        self._local, self._noted = model, shards.noted
        self.shards_ = reports.table(shards.names, rounds.reports)
        if held_out is not None:
            self.held_out_errors_, self.held_out_rows_ = held_out.errors, held_out.rows
        return self

    def partial_fit(
        self,
        X: object,
        y: object = None,
        *,
        sample_weight: object = None,
        classes: ArrayLike | None = None,
        client: Any = None,
        **reading: object,
    ) -> Self:
        """Learn one more epoch, of new rows, from the weights as they are.

        The weights of the shards are mixed once; no row is held out. Labels are those of the fit,
        and files are read as its files were: other labels are refused. So are tables with other
        columns; names of categories and of JSON lines that are new get columns after those of the
        model, with weights of 0. New rows are read once more for such names, and for scales, which
        go on with them, with ``scale=True``.

        Parameters
        ----------
        X, y, sample_weight, client, **reading
            As in :meth:`fit`.
        classes : array, optional
            All labels, for the first call without a fit; later ones know them.

        Returns
        -------
        self

        Raises
        ------
        ValueError, rosenblatt.streams.DataError, RuntimeError
            As in :meth:`fit`; or the columns are others, or a label is new.
        """
        self._check(self._new_local(1))
        executor = executor_of(client)
        executor.wait()
        is_new = "_local" not in vars(self)
        reading_of_fit = None if is_new else self._fit_reading(True)
        shards = shards_of(
            executor,
            X,
            y,
            sample_weight,
            self.shards,
            reading,
            reading_of_fit,
            interleave=self.interleave,
        )
        model = self._new_local(len(shards.rows))
        if not is_new:
            check_names(shards.feature_names, self._names())
            model = copy.copy(self._local).set_params(shards=len(shards.rows))
            classes, shards = self.classes_, grown(shards)
            if not shards.grows:
                shards = shards._replace(features=self.n_features_in_)
        declared = {name: getattr(model, name) for name in _OF_ONE_EPOCH}
        model.set_params(**_OF_ONE_EPOCH)
        columns = self._names() or () if not is_new and shards.grows else ()
        prepared = prepare(executor, shards, model, classes, None, None, columns)
        if not is_new:
            interface.widen(model, prepared.learner.features)
        shards, remote = prepared.kept(executor)
        if prepared.names is not None:
            model.feature_names_in_ = np.array(prepared.names, object)
        seeds = seeds_of_shards(model, len(shards.rows))
        rounds = Rounds(executor, remote, shards, seeds, self.mixing, self.interleave)
        fit_shards(model, prepared.learner, rounds)
        self._local = model.set_params(**declared)
        self.shards_ = reports.table(shards.names, rounds.reports)
        if is_new:
            self._noted = shards.noted
        return self

    def _check(self, model: Perceptron) -> None:
        """Refuse parameters, also those of the perceptron of this process, out of range."""
        check_choice(self.output, "output", ("last", "average"))
        check_choice(self.mixing, "mixing", MIXINGS)
        check_parameters(model)
        if self.shards is not None:
            check_number(self.shards, "shards", 1, integer=True)

    def _held_out(self, executor: Executor, prepared: Prepared) -> HeldOutShards | None:
        """Return what counts errors on held-out rows between rounds; None without ``holdout``."""
        if prepared.held_out is None:
            return None
        patience = self.n_iter_no_change if self.early_stopping else None
        return HeldOutShards(executor, prepared.held_out, patience)

    def _new_local(self, shards: int) -> Perceptron:
        """Return the perceptron of this process, which gets the weights; untrained, or trained."""
        params = {name: value for name, value in self.get_params().items() if name not in _OWN}
        warm = self.warm_start and "_local" in vars(self)
        local: Perceptron = copy.copy(self._local) if warm else Perceptron()
        if self.epochs is not None:
            params["max_iter"] = self.epochs
        return local.set_params(**params, shards=shards)
