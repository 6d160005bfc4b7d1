"""Rounds of a fit: the calls of each epoch, and its mixture, wherever the rows are.

A round is learn → add → mix. The weights go to the workers as the result of one call, and workers
pass them on; shards come back as differences, are added in a tree on the workers, and only the
mixture reaches this process. No call names a worker: what a lost worker had is computed again. A
round refers to nothing of the round before, so that a loss costs one round at most.
"""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Sequence

from rosenblatt.cluster import tasks
from rosenblatt.cluster.executors.calls import Call, Executor, task
from rosenblatt.cluster.reports import ShardReport, ShardsDifferWarning, differences
from rosenblatt.cluster.sources import Shards
from rosenblatt.cluster.states import pack, unpack
from rosenblatt.engine.mixing import fold, groups
from rosenblatt.engine.state import State


class Rounds:
    """The epochs of the shards of a fit, one after the other.

    Parameters
    ----------
    executor : Executor
    learner : object
        A :class:`rosenblatt.learning.linear.shards.ShardLearner` that the executor keeps.
    shards : Shards
        In the order in which they are mixed.
    seeds : list of int, or None
    mixing : {"uniform", "errors"}

    Attributes
    ----------
    reports : list of list of ShardReport
        Of each epoch, of each shard.
    """

    def __init__(
        self,
        executor: Executor,
        learner: object,
        shards: Shards,
        seeds: Sequence[int] | None,
        mixing: str,
    ) -> None:
        self.executor, self.learner, self.shards = executor, learner, shards
        self.seeds, self.mixing = seeds, mixing
        self.reports: list[list[ShardReport]] = []

    def __call__(self, epoch: int, state: State) -> State:
        """Learn an epoch, from 1, of every shard; return their mixture.

        Shards that differ are warned of after the first one.
        """
        mixed = self.executor.compute([self._mixture(epoch, state)])[0]
        self.reports.append(mixed.reports)
        if len(self.reports) == 1 and (problem := differences(self.shards.names, mixed.reports)):
            warnings.warn(ShardsDifferWarning(problem), stacklevel=2)
        return unpack(mixed.state, state)

    def _mixture(self, epoch: int, state: State) -> Call:
        """Return the call of the mixture of all shards."""
        run, seeds = uuid.uuid4().hex, self.seeds
        weights = task(tasks.keep, pack(state), key=f"weights-{run}")
        learned = []
        for s, (name, rows) in enumerate(zip(self.shards.names, self.shards.rows, strict=True)):
            seed = None if seeds is None else seeds[s]
            arguments = self.learner, name, rows, seed, epoch, weights
            learned.append(task(tasks.learn_shard, *arguments, key=f"learn-shard-{run}-{s}"))
        if len(learned) == 1:
            return task(tasks.mix_one, *learned)
        sums = [
            task(tasks.sum_group, weights, self.mixing, list(group), key=f"sum-shards-{run}-{g}")
            for g, group in enumerate(groups(learned))
        ]
        total = fold(sums, lambda group: task(tasks.add_group, list(group)))
        return task(tasks.mix, weights, total, key=f"mix-shards-{run}")
