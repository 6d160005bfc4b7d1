"""Rounds of a fit on a cluster: a graph of tasks for each epoch, and its mixture.

A round is learn → add → mix. The weights go to the workers as the result of one task, and workers
pass them on; shards come back as differences, are added in a tree on the workers, and only the
mixture reaches the client. No task names a worker, and nothing is scattered: what a lost worker had
is computed again. A round refers to nothing of the round before, so that a loss costs one round at
most.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from concurrent.futures import CancelledError
from functools import partial
from typing import Any

import dask
from dask.delayed import delayed
from distributed import KilledWorker

from rosenblatt.cluster import tasks
from rosenblatt.cluster.clients import call_with_versions, own_versions
from rosenblatt.cluster.sources import Shards
from rosenblatt.cluster.states import pack, unpack
from rosenblatt.engine.mixing import fold, groups
from rosenblatt.engine.state import State


class SchedulerLostError(ConnectionError):
    """The scheduler, or the connection to it, was lost during a fit."""


def learn_round(
    client: object,
    learner: object,
    shards: Shards,
    seeds: Sequence[int] | None,
    mixing: str,
    epoch: int,
    state: State,
) -> State:
    """Learn an epoch of every shard on a cluster; return their mixture.

    Parameters
    ----------
    client : distributed.Client
    learner : Future
        Of a :class:`rosenblatt.learning.linear.shards.ShardLearner`.
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
        return unpack(compute(client, learned[0]), state)
    sums = [
        task(tasks.sum_group, weights, mixing, list(group), key=f"sum-shards-{run}-{g}")
        for g, group in enumerate(groups(learned))
    ]
    total = fold(sums, lambda group: task(tasks.add_group, list(group)))
    mixed = task(tasks.mix, weights, total, key=f"mix-shards-{run}")
    return unpack(compute(client, mixed), state)


def task(function: Any, *arguments: object, key: str | None = None) -> object:
    """Return a delayed call, which a worker with other versions refuses.

    The dashboard shows its key, by default the function's name.
    """
    key = key or f"{function.__name__}-{uuid.uuid4().hex}"
    checked = partial(call_with_versions, own_versions(), function)
    return delayed(checked, pure=False)(*arguments, dask_key_name=key)


def compute(client: Any, graph: object, names: Sequence[str] = ()) -> Any:
    """Return the result of delayed calls; an error or an interrupt cancels what is not done.

    An error gets a note with the name of the call of a list that it stopped.

    Raises
    ------
    SchedulerLostError
        The scheduler, or the connection to it, was lost.
    RuntimeError
        Workers died of a task, one after the other.
    """
    futures = submit(client, graph)
    try:
        return client.gather(futures)
    except (CancelledError, asyncio.CancelledError) as error:
        raise SchedulerLostError(
            "the scheduler was lost, and with it this round. A fit with checkpoint=PATH continues "
            "after the last round, on any cluster."
        ) from error
    except KilledWorker as error:
        raise RuntimeError(
            f"{error} If their memory was full: a shard must fit a worker's memory, unless "
            "shuffle=False. Cut the rows into more shards, shards=k."
        ) from error
    except BaseException as error:
        if failed := [name for k, name in enumerate(names) if futures[k].status == "error"]:
            error.add_note(f"It was raised by {failed[0]}.")
        client.cancel(futures)
        raise


def submit(client: Any, graph: object) -> Any:
    """Return the futures of delayed calls."""
    # the weights are meant to be in the graph
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        return client.compute(graph)
