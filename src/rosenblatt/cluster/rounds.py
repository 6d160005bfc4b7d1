"""Rounds of a fit: the calls of each epoch, and its mixture, wherever the rows are.

A round is learn → add → mix. The weights go to the workers as the result of one call, and workers
pass them on; shards come back as differences, are added in a tree on the workers, and only the
mixture reaches this process. No call names a worker: what a lost worker had is computed again. A
round refers to nothing of the round before, so that a loss costs one round at most.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from rosenblatt.cluster import tasks
from rosenblatt.cluster.executors.calls import Executor, task
from rosenblatt.cluster.sources import Shards
from rosenblatt.cluster.states import pack, unpack
from rosenblatt.engine.mixing import fold, groups
from rosenblatt.engine.state import State


def learn_round(
    executor: Executor,
    learner: object,
    shards: Shards,
    seeds: Sequence[int] | None,
    mixing: str,
    epoch: int,
    state: State,
) -> State:
    """Learn an epoch of every shard; return their mixture.

    Parameters
    ----------
    executor : Executor
    learner : object
        A :class:`rosenblatt.learning.linear.shards.ShardLearner` that the executor keeps.
    shards : Shards
        In the order in which they are mixed.
    seeds : list of int, or None
    mixing : {"uniform", "errors"}
    epoch : int
        From 1.
    state : State
    """
    run = uuid.uuid4().hex
    weights = task(tasks.keep, pack(state), key=f"weights-{run}")
    learned = []
    for s, (name, rows) in enumerate(zip(shards.names, shards.rows, strict=True)):
        arguments = learner, name, rows, None if seeds is None else seeds[s], epoch, weights
        learned.append(task(tasks.learn_shard, *arguments, key=f"learn-shard-{run}-{s}"))
    if len(learned) == 1:
        return unpack(executor.compute(learned)[0], state)
    sums = [
        task(tasks.sum_group, weights, mixing, list(group), key=f"sum-shards-{run}-{g}")
        for g, group in enumerate(groups(learned))
    ]
    total = fold(sums, lambda group: task(tasks.add_group, list(group)))
    mixed = task(tasks.mix, weights, total, key=f"mix-shards-{run}")
    return unpack(executor.compute([mixed])[0], state)
