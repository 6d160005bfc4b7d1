"""Shards of a fit before its first round: how their rows become numbers, and what tasks learn with.

A pass over the rows, the survey, finds labels, columns, means and scales; rows that are shuffled
are read into the memory of workers before it, unless their columns or means are not known yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.cluster import tasks
from rosenblatt.cluster.executors.calls import Executor, task
from rosenblatt.cluster.preparing.encoding import NO_ENCODING, Encoding, encoded, join_encodings
from rosenblatt.cluster.preparing.holdout import split
from rosenblatt.cluster.shards import calls, names_of_batches, read_all, survey
from rosenblatt.cluster.sources import Shards
from rosenblatt.learning import interface
from rosenblatt.learning.linear import learners
from rosenblatt.learning.linear.shards import ShardLearner, needs_all_rows
from rosenblatt.utils.arrays import ArrayLike
from rosenblatt.utils.labels import as_labels
from rosenblatt.utils.words import count


class Prepared(NamedTuple):
    """A fit before its first round.

    Attributes
    ----------
    shards : Shards
        The rows that are learned.
    held_out : Shards or None
        Those that are held out, in the memory of workers.
    learner : ShardLearner
    digests : list or None
        The number of rows and the digest of each shard, where the rows were read.
    names : sequence of str or None
        Of the columns.
    keeps : bool
        Whether rows are kept in the memory of workers between rounds.
    """

    shards: Shards
    held_out: Shards | None
    learner: ShardLearner
    digests: list[list[int]] | None
    names: Sequence[str] | None
    keeps: bool

    def kept(self, executor: Executor) -> tuple[Shards, Any]:
        """Return the shards of the rounds, and the learner, as the executor keeps them."""
        (remote,) = executor.keep([task(tasks.keep, self.learner)])
        if not self.keeps:
            return self.shards, remote
        rows = executor.keep(calls(tasks.prepare_shard, self.shards, remote))
        return self.shards._replace(rows=rows, labels=None), remote


def prepare(
    executor: Executor,
    shards: Shards,
    model: Any,
    classes: ArrayLike | None,
    n_features: int | None,
    holdout: float | None,
    columns: Sequence[str] = (),
) -> Prepared:
    """Return a fit before its first round.

    Parameters
    ----------
    executor : Executor
    shards : Shards
    model : Perceptron
        Its parameters count; of a trained one that goes on, its scales, too.
    classes, n_features : array and int, optional
        What is known of the rows.
    holdout : float, optional
        The share of the rows of each class that is held out.
    columns : sequence of str
        Columns of the model, where new names get columns after them.
    """
    surveys, first = None, NO_ENCODING._replace(columns=tuple(columns))

    def joined(surveys: Sequence[tasks.Survey]) -> Encoding:
        return join_encodings([first, *(one.encoding for one in surveys)])

    if shards.grows or shards.lacks_means:
        # rows that are not learned tell columns and means alone; cells without means, no scales
        again = holdout is not None or (model.scale and shards.lacks_means)
        surveys = survey(executor, shards, model.scale and not again)
        shards = encoded(shards, joined(surveys))
        surveys = None if again else surveys
    keeps, held_out = model.max_iter > 1 and needs_all_rows(model), None
    if keeps or (holdout is not None and not shards.are_files):
        shards = read_all(executor, shards)
    if holdout is not None:
        shards, held_out = split(executor, shards, holdout, model.random_state)
    is_known = classes is not None and not (shards.features is None and n_features is None)
    if surveys is None and (not is_known or model.class_weight == "balanced" or model.scale):
        surveys = survey(executor, shards, model.scale)
    joint = None
    if surveys is not None:
        joint = tasks.join_surveys(surveys)._replace(encoding=joined(surveys))
    learner = _learner(model, shards, joint, classes, n_features)
    digests = None
    if surveys is not None:
        digests = [[int(one.counts.sum()), one.digest] for one in surveys]
    names = shards.feature_names or (joint and joint.names)
    if keeps and names is None and shards.are_delayed:
        names = names_of_batches(executor, shards)
    return Prepared(shards, held_out, learner, digests, names, keeps)


def _learner(
    model: Any,
    shards: Shards,
    joint: tasks.Survey | None,
    classes: ArrayLike | None,
    n_features: int | None,
) -> ShardLearner:
    """Return what tasks learn with, by what is known and what the survey found."""
    features = shards.features if n_features is None else n_features
    dtype, weights, scaling = shards.dtype or "float64", model.class_weight, None
    labels = None if classes is None else np.unique(as_labels(classes, "classes"))
    if joint is not None:
        labels = joint.labels if labels is None else labels
        features = joint.features if features is None else features
        dtype = shards.dtype or joint.dtype
        weights = joint.balanced_weights() if weights == "balanced" else weights
        scaling = joint.encoding.scaling
    assert labels is not None
    assert features is not None
    if len(labels) < 2:
        raise ValueError(
            "The number of classes has to be greater than one; got "
            f"{count(len(labels), 'class')}. A classifier needs examples of at least two."
        )
    if scaling is not None:
        scaling = scaling.widened(features)
        if interface.is_fitted(model) and (before := interface.learned(model).scaling):
            scaling = before.widened(features).joined(scaling)
    parameters = learners.Perceptron(**model.get_params() | {"class_weight": weights})
    return ShardLearner(parameters, labels, features, np.dtype(dtype), scaling)
