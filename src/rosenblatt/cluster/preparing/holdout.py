"""Rows of shards that are held out, and the errors on them between two rounds.

Each shard holds out its share of the rows of each class, chosen as ``train --holdout`` chooses
them: the first shard by the seed itself, so that one shard holds out the rows of one process. They
stay in the memory of workers.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from rosenblatt.cluster import tasks
from rosenblatt.cluster.executors.calls import Executor, task
from rosenblatt.cluster.shards import calls
from rosenblatt.cluster.sources import Shards
from rosenblatt.learning.tuning.held_out import HeldOutErrors, RowChoice


def split(
    executor: Executor, shards: Shards, share: float, random_state: object
) -> tuple[Shards, Shards]:
    """Return the shards of the rows that are learned, and those of the rows that are held out.

    Parameters
    ----------
    executor : Executor
    shards : Shards
        Of files, or in the memory of workers.
    share : float in (0, 1)
    random_state : object
        A whole number is the seed; anything else stands for 0.
    """
    seed = int(random_state) if isinstance(random_state, int | np.integer) else 0
    seeds = [seed] + [
        int(np.random.SeedSequence([seed, s]).generate_state(1)[0])
        for s in range(1, len(shards.rows))
    ]
    choices = [RowChoice(share, one, held_out=True) for one in seeds]
    rest = [one._replace(held_out=False) for one in choices]

    def parts(chosen: list[RowChoice]) -> list[Any]:
        triples = zip(shards.names, shards.rows, chosen, strict=True)
        return executor.keep([task(tasks.part_of, c, n, rows, shard=n) for n, rows, c in triples])

    held_out = shards._replace(rows=parts(choices), labels=None)
    if not shards.are_files:
        return shards._replace(rows=parts(rest), labels=None), held_out
    pairs = zip(shards.rows, rest, strict=True)
    return shards._replace(rows=[rows._replace(choice=c) for rows, c in pairs]), held_out


class HeldOutShards(HeldOutErrors):
    """Rows that shards hold out, and the errors on them after each epoch.

    Parameters
    ----------
    executor : Executor
    shards : Shards
        Of these rows.
    patience
        As of :class:`rosenblatt.learning.tuning.held_out.HeldOutErrors`.

    Raises
    ------
    ValueError
        From the first epoch: no row is held out.
    """

    def __init__(self, executor: Executor, shards: Shards, patience: int | None) -> None:
        super().__init__(patience)
        self._executor, self._shards = executor, shards

    def end_epoch(self, model: Any, epoch: int) -> None:
        """Count the errors of the model after an epoch."""
        plain = copy.copy(model)
        vars(plain).pop("feature_names_in_", None)  # rows come without names, with columns in order
        remote = task(tasks.keep, plain)
        counts = self._executor.compute(calls(tasks.count_errors, self._shards, remote))
        self.rows = sum(rows for _, rows in counts)
        if not self.rows:
            raise ValueError("There are too few rows to hold any out: give a larger share.")
        self.add(model, epoch, sum(errors for errors, _ in counts))
