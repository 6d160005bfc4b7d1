"""Epochs of shards: iterative parameter mixing, in threads or wherever the shards are.

Every shard learns its own rows on a copy of the weights, and after each epoch the copies are mixed
in the order of the shards (:mod:`rosenblatt.engine.mixing`). A shard is learned by
:func:`learn_shard` alone, whether by a thread or on another machine, and a fit depends on the data,
the seed and the shards only.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from rosenblatt.engine.mixing import mix_shards
from rosenblatt.engine.shuffle import shuffled
from rosenblatt.engine.state import State, copy_state
from rosenblatt.learning.problem import FitRun, Problem
from rosenblatt.utils.arrays import Array


def learn_shard(parts: Iterable[tuple[Problem, Array]], state: State) -> State:
    """Learn an epoch of a shard on a copy of the state.

    Parameters
    ----------
    parts : iterable of (Problem, ndarray)
        The rows of the shard: problems with the orders of their rows, one after the other.
    state : State
    """
    run = FitRun(copy_state(state))
    for problem, order in parts:
        problem.run_epoch(order, run)
    return run.state


class ThreadedShards:
    """Shards of equal size of the rows of one problem, learned in threads.

    Parameters
    ----------
    problem : Problem
    shards : int
    seeds : list of int, or None
        One per shard; None keeps the order of the rows.
    threads : int
        Shards that run at the same time; the result does not depend on it.
    """

    def __init__(
        self, problem: Problem, shards: int, seeds: list[int] | None, threads: int
    ) -> None:
        self.problem, self.threads = problem, threads
        rows = np.arange(len(problem.y))
        self.orders = [part.copy() for part in np.array_split(rows, shards)]
        self.seeds: list[Any] = seeds or [None] * shards

    def __call__(self, epoch: int, state: State) -> State:
        """Learn an epoch of every shard, in threads; return their mixture."""
        learned: list[Any] = [None] * len(self.orders)
        pending = iter(list(enumerate(zip(self.orders, self.seeds, strict=True))))

        # The calling thread works, too: a thread that only waits gives its core away, and the
        # system may wake another thread on the core of a third.
        def work() -> None:
            for shard, (order, seed) in pending:
                learned[shard] = learn_shard([(self.problem, shuffled(order, seed))], state)

        with ThreadPoolExecutor(max_workers=self.threads) as pool:
            workers = [pool.submit(work) for _ in range(self.threads - 1)]
            try:
                work()
            finally:  # after an error or an interrupt no thread starts another shard
                for _ in pending:
                    pass
            for worker in workers:
                worker.result()
        return mix_shards(state, learned)
