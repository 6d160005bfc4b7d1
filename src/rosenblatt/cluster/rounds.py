"""Rounds of a fit: the calls of each epoch, and its mixture, wherever the rows are.

The weights go to the workers as the result of one call, and workers pass them on. A shard comes
back as soon as it is learned, as a difference, and is added up in this process: a worker that is
lost costs the shard that it was learning, and no more. No call names a worker. A round refers to
nothing of the round before.
"""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing

from rosenblatt.cluster import tasks
from rosenblatt.cluster.executors.calls import Call, Executor, task
from rosenblatt.cluster.reports import ShardReport, ShardsDifferWarning, differences
from rosenblatt.cluster.sources import Shards
from rosenblatt.cluster.states import PackedState, pack, unpack
from rosenblatt.engine.mixing import mix_in_turn
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
    interleaved : bool
        Whether the rows were dealt to the shards in turn.

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
        interleaved: bool,
    ) -> None:
        self.executor, self.learner, self.shards = executor, learner, shards
        self.seeds, self.mixing, self.interleaved = seeds, mixing, interleaved
        self.reports: list[list[ShardReport]] = []

    def __call__(self, epoch: int, state: State) -> State:
        """Learn an epoch, from 1, of every shard; return their mixture.

        Shards that differ are warned of after the first one.
        """
        calls = self._calls(epoch, state)
        reports: dict[int, ShardReport] = {}

        def states(
            results: Iterator[tuple[int, tasks.Learned]],
        ) -> Iterator[tuple[int, PackedState]]:
            for s, learned in results:
                reports[s] = learned.report
                yield s, learned.state

        with closing(self.executor.results(calls)) as results:
            mixed = mix_in_turn(
                state, len(calls), states(results), self.mixing, lambda one: unpack(one, state)
            )
        self.reports.append([reports[s] for s in range(len(calls))])
        if len(self.reports) == 1 and (problem := differences(self.shards.names, self.reports[0])):
            warnings.warn(ShardsDifferWarning(problem, self.interleaved), stacklevel=2)
        return mixed

    def _calls(self, epoch: int, state: State) -> list[Call]:
        """Return the call that learns each shard."""
        run, seeds = uuid.uuid4().hex, self.seeds
        weights = task(tasks.keep, pack(state), key=f"weights-{run}")
        learned = []
        for s, (name, rows) in enumerate(zip(self.shards.names, self.shards.rows, strict=True)):
            key, seed = f"learn-shard-{run}-{s}", None if seeds is None else seeds[s]
            arguments = self.learner, name, rows, seed, epoch, weights
            learned.append(task(tasks.learn_shard, *arguments, key=key, shard=name))
        return learned
