"""Shards of a fit whose rows are elsewhere: in other processes, on other machines, in files.

:class:`ShardLearner` learns a shard where its rows are; :func:`fit_shards` runs the epochs where
the model is. Both use the loop and the training of an ordinary ``fit``, so that the result is that
of ``Perceptron(shards=k)`` on the same shards, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.matrices import readonly
from rosenblatt.engine.rows import Rows
from rosenblatt.engine.shuffle import epoch_order
from rosenblatt.engine.state import State
from rosenblatt.learning.base import quiet
from rosenblatt.learning.classifier import n_vectors
from rosenblatt.learning.evaluation.repeated import held_back as held_back_rows
from rosenblatt.learning.interface import Learned, is_blended, learned, restore, rule
from rosenblatt.learning.linear.classifier import LinearClassifier
from rosenblatt.learning.linear.passes import StreamPass
from rosenblatt.learning.params import check_parameters
from rosenblatt.learning.problem import FitSetup, LinearProblem
from rosenblatt.learning.scaling import Scaling
from rosenblatt.learning.shards import learn_shard
from rosenblatt.learning.training import Checkpoint
from rosenblatt.learning.tuning.held_out import HeldOutErrors
from rosenblatt.streams.core.batch import Batch
from rosenblatt.theory.rule_kinds import chooses_row
from rosenblatt.utils.arrays import Array, Matrix
from rosenblatt.utils.labels import as_labels, label_kind
from rosenblatt.utils.matrices import as_matrix, as_vector, check_finite, is_sparse
from rosenblatt.utils.words import count


class ShardRows(NamedTuple):
    """Rows, labels and weights as the compiled loops take them.

    ``held_back`` says which rows are held back for the blend of a blended rule in several epochs;
    None for none.
    """

    rows: Rows
    y: Array
    weight: Array
    held_back: Array | None = None

    def aligned(self) -> ShardRows:
        """Return the same rows; copies of those that came through a network to an odd address."""
        rows = type(self.rows)(*map(readonly, self.rows))
        return ShardRows(rows, readonly(self.y), readonly(self.weight), self.held_back)


def seeds_of_shards(model: LinearClassifier, shards: int) -> list[int] | None:
    """Return the seed of the order of each shard; None where the rows keep their order."""
    return model._seeds(shards)


def needs_all_rows(model: LinearClassifier) -> bool:
    """Return True if a shard is learned from memory: its rows are shuffled, or the rule chooses."""
    return bool(model.shuffle) or chooses_row(rule(model))


@dataclass(frozen=True)
class ShardLearner:
    """Everything but the rows that learning a shard needs. It can be pickled.

    Attributes
    ----------
    model : LinearClassifier
        Its parameters count; it is not fitted.
    classes : ndarray
        All labels, sorted.
    features : int
    dtype : dtype
        Of rows and weights, float32 or float64.
    scaling : Scaling or None
        By which rows are scaled, with ``scale=True``.
    """

    model: LinearClassifier
    classes: Array
    features: int
    dtype: Any
    scaling: Scaling | None = None

    @property
    def holds_back(self) -> bool:
        """Whether rows are held back for the blend of the rule, of several epochs."""
        return self.model.max_iter > 1 and is_blended(self.model)

    @cached_property
    def problem(self) -> LinearProblem:
        """The problem without rows."""
        labels, weight = np.empty(0, np.int64), np.empty(0, self.dtype)
        X: Matrix = np.empty((0, self.features), self.dtype)
        return self._problem(X, labels, weight)

    def prepare(self, X: Matrix, y: Array, weight: object = None) -> ShardRows:
        """Return rows as they are learned.

        Parameters
        ----------
        X : array, table or sparse matrix of shape (n, d)
            Sparse rows may be narrower.
        y : array of shape (n,)
        weight : array of shape (n,), optional

        Raises
        ------
        ValueError
            A value is not finite, a label is none of the classes, or the shapes do not agree.
        """
        held_back = None
        if self.holds_back:  # the same rows as in one process, by their values
            held_back = held_back_rows(Batch(as_matrix(X), as_vector(as_labels(y), X.shape[0]), 0))
        X = as_matrix(X, (self.dtype,), type(self.model).__name__)
        if is_sparse(X) and X.shape[1] < self.features:
            X = type(X)((X.data, X.indices, X.indptr), shape=(X.shape[0], self.features))
        if X.shape[1] != self.features:
            raise ValueError(
                f"X has {count(X.shape[1], 'feature')}, but the first shard, or n_features, says "
                f"{self.features}."
            )
        if self.scaling is not None:
            X = self.scaling.scaled(X)
        codes = self._codes(as_vector(as_labels(y), X.shape[0]))
        weight = np.ones(len(codes), self.dtype) if weight is None else np.asarray(weight)
        weight = as_vector(weight, X.shape[0]).astype(self.dtype, copy=False)
        check_finite(weight, "sample_weight")
        problem = self._problem(X, codes, weight)
        return ShardRows(problem.rows, problem.y, problem.weight, held_back)

    def learn(
        self, parts: Iterable[ShardRows], seed: int | None, epoch: int, state: State
    ) -> State:
        """Learn an epoch of a shard on a copy of the state.

        Parameters
        ----------
        parts : iterable of ShardRows
            A single one, if the rows are shuffled.
        seed : int or None
            None keeps the order of the rows.
        epoch : int
            From 1.
        state : State
        """
        with quiet():
            return learn_shard((self._ordered(part, seed, epoch) for part in parts), state)

    def _ordered(
        self, part: ShardRows, seed: int | None, epoch: int
    ) -> tuple[LinearProblem, Array]:
        """Return the problem of a part with the order of its rows."""
        problem = replace(self.problem, rows=part.rows, y=part.y, weight=part.weight)
        order = epoch_order(len(part.y), seed, epoch)
        if part.held_back is not None:
            is_last = epoch == self.model.max_iter
            problem = StreamPass(part.held_back, epoch == 1, is_last).of_problem(problem)
        return problem, order

    def _codes(self, y: Array) -> Array:
        """Return each label as an index into the classes."""
        is_text = len(y) > 0 and label_kind(y[0]) is str
        if len(y) and is_text != (label_kind(self.classes[0]) is str):
            missing = y[:1]
        else:
            codes = np.searchsorted(self.classes, y).clip(max=len(self.classes) - 1)
            missing = y[self.classes[codes] != y]
        if len(missing):
            raise ValueError(
                f"y has the label {missing.tolist()[0]!r}, which is none of the classes "
                f"{self.classes.tolist()}."
            )
        return np.asarray(codes, np.int64)

    def _problem(self, X: object, codes: Array, weight: Array) -> LinearProblem:
        epochs = self.model.max_iter
        return self.model._problem(X, codes, weight, self.classes, epochs=epochs)


def fit_shards(
    model: LinearClassifier,
    learner: ShardLearner,
    learn_shards: Callable[[int, State], State],
    report: Callable[[tuple[object, ...], int], None] | None = None,
    checkpoint: Callable[[object, Checkpoint], None] | None = None,
    resume: Checkpoint | None = None,
    held_out: HeldOutErrors | None = None,
) -> None:
    """Fit a model to shards that are learned elsewhere.

    Parameters
    ----------
    model : LinearClassifier
        It has the parameters of the learner's model.
    learner : ShardLearner
    learn_shards : callable
        ``learn_shards(epoch, state)`` learns epoch 1, 2, … of every shard from this state, and
        returns their mixture.
    report : callable, optional
        ``report(row, examples)`` is called with each row of the history, and the number of
        examples learned so far.
    checkpoint : callable, optional
        ``checkpoint(fitted, checkpoint)`` is called after each epoch with a copy of the model in
        its present state.
    resume : Checkpoint, optional
        The epochs so far.
    held_out : HeldOutErrors, optional
        Has ``end_epoch(fitted, epoch)``, which counts the errors on rows that are not learned; the
        fit ends where it should stop, and keeps the model of the best epoch.

    Raises
    ------
    ValueError
        A parameter is not valid, or the weights leave the floating-point range.
    """
    fresh = model._copy()
    check_parameters(fresh)
    if not fresh.warm_start:
        vars(fresh).pop("_state", None)
    fresh.n_features_in_ = learner.features
    columns, X = n_vectors(learner.classes), np.empty((0, learner.features), learner.dtype)
    fitted = {
        "classes_": learner.classes,
        "_open_classes": True,
        "_dual": None,
        "_scaling": learner.scaling,
    }

    def end_epoch(reached: Checkpoint) -> bool:
        if report is not None:
            report(reached.history[-1], int(reached.state.t[0]))
        if checkpoint is not None or held_out is not None:
            copy = fresh._copy()
            copy.classes_ = learner.classes
            restore(copy, Learned(reached.state, open_classes=True, scaling=learner.scaling))
            copy.n_iter_, copy.converged_ = len(reached.history), reached.converged
            if held_out is not None:
                held_out.end_epoch(copy, copy.n_iter_)
            if checkpoint is not None:
                checkpoint(copy, reached)
        return held_out is not None and held_out.should_stop

    with quiet():
        start = fresh._start_state(X, columns) if resume is None else resume.state
        setup = FitSetup(learner.problem, start, fitted, {})
        run = fresh._run(setup, learn_shards=learn_shards, checkpoint=end_epoch, resume=resume)
    if run.interrupt is None:
        fresh._warn(run, X)
    if held_out is not None and held_out.best is not None:
        restore(fresh, learned(held_out.best))
    model.__dict__ = fresh.__dict__
    if run.interrupt is not None:
        raise run.interrupt
