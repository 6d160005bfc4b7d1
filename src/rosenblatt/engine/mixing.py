"""Mixture of the states of shards: iterative parameter mixing (McDonald, Hall and Mann 2010).

The shares of all shards are added in groups of :data:`FAN_IN`, then those of the groups, each in
the order of the shards: the tree depends on the number of shards only, and so do the bits. What is
added are differences from the state before: a weight that no shard moved keeps its bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from rosenblatt.engine import blend
from rosenblatt.engine.state import State, aligned_copy, arrays_of, fields_of, from_arrays
from rosenblatt.utils.arrays import Array

T = TypeVar("T")

FAN_IN = 16
"""Largest number of states, or sums, that are added in one step."""

MIXINGS = ("uniform", "errors")
"""Shares of the shards: equal, or in proportion to their updates in the epoch."""


class ShardSum(NamedTuple):
    """Sum over shards, from which their mixture is computed.

    Attributes
    ----------
    share : float
        Σ μ, the sum of the shards' shares.
    shards : int
        Number of shards that learned a row.
    increments : dict
        By field of the state: Σ (value − value before) of counters and of the average's sums,
        Σ μ (value − value before) of the rest; W multiplied by ``scale``.
    longest : dict
        Values of the shard with the longest run of right predictions, the first such.
    largest : dict
        The largest values of all shards.
    """

    share: float
    shards: int
    increments: dict[str, Array]
    longest: dict[str, Array]
    largest: dict[str, Array]


NO_SHARDS = ShardSum(0.0, 0, {}, {}, {})


def mix_shards(before: State, shards: Sequence[State], mixing: str = "uniform") -> State:
    """Mix the states of shards that all started from ``before``.

    The weights are the mean of the shards' weights, or, with ``mixing="errors"``, their mean in
    proportion to the shards' updates. Counters add up; the sums of the average continue as if the
    shards had been learned one after the other. A shard without rows takes no part; a single shard
    is its own mixture.
    """
    return mix_in_turn(before, len(shards), enumerate(shards), mixing, lambda shard: shard)


def mix_in_turn(
    before: State,
    number: int,
    shards: Iterable[tuple[int, T]],
    mixing: str,
    state_of: Callable[[T], State],
) -> State:
    """Mix shards that come in any order, to the bits of :func:`mix_shards`.

    A shard is added when its turn in its group has come; until then it is kept as it came. A group
    is added to that above it as soon as it is whole: few sums are in memory, however many shards.

    Parameters
    ----------
    before : State
    number : int
        Of all shards.
    shards : iterable of pairs
        The number of each shard, from 0, and the shard.
    mixing : {"uniform", "errors"}
    state_of : callable
        Returns the state of a shard.
    """
    if number == 1:
        ((_, shard),) = shards
        return state_of(shard)
    sums = _added(
        number, shards, lambda total, shard: add_shard(total, before, state_of(shard), mixing)
    )
    while (number := -(-number // FAN_IN)) > 1:
        sums = _added(number, sums, _add)
    ((_, total),) = sums
    return mixture(before, total)


def _added(
    number: int, items: Iterable[tuple[int, T]], add: Callable[[ShardSum, T], ShardSum]
) -> Iterator[tuple[int, ShardSum]]:
    """Yield the number and the sum of each group of items as soon as it is whole."""
    early: dict[int, T] = {}
    begun: dict[int, tuple[ShardSum, int]] = {}  # the sum of a group, and whose turn it is
    for i, item in items:
        group, early[i] = i // FAN_IN, item
        end = min((group + 1) * FAN_IN, number)
        total, turn = begun.pop(group, (NO_SHARDS, group * FAN_IN))
        while turn < end and turn in early:
            total, turn = add(total, early.pop(turn)), turn + 1
        if turn == end:
            yield group, total
        else:
            begun[group] = total, turn


def add_shard(total: ShardSum, before: State, shard: State, mixing: str) -> ShardSum:
    """Return a sum with one more shard; one without rows adds nothing."""
    if shard.t[0] > before.t[0]:
        return _add(total, _one_shard(before, shard, mixing))
    return total


def mixture(before: State, total: ShardSum) -> State:
    """Return the mixture of the shards of a sum."""
    mixed, fields = arrays_of(before), fields_of(before)
    for name, increment in total.increments.items():
        if fields[name].mixture == "records":
            share, most = total.share or 1.0, total.largest.get(name, mixed[name])
            mixed[name] = aligned_copy(blend.mixed(mixed[name], increment, share, most))
            continue
        if fields[name].mixture == "mean" or name == "W":
            increment = increment / (total.share or 1.0)
        first = before.W * before.scale if name == "W" else mixed[name]
        mixed[name] = aligned_copy((first + increment).astype(mixed[name].dtype, copy=False))
    if not total.shards:
        return from_arrays(mixed, before.declared)
    mixed["scale"] = np.ones_like(before.scale)
    for name, field in fields.items():
        if field.mixture == "fresh":
            mixed[name] = np.full_like(mixed[name], field.initial)
    mixed["ub"] = mixed["ub"] + mixed["t"] * (mixed["b"] - before.b)
    if before.U.shape[0] > 0:
        mixed["U"] = aligned_copy(mixed["U"] + mixed["area"] * (mixed["W"] - before.W))
    largest = {
        name: array for name, array in total.largest.items() if fields[name].mixture == "largest"
    }
    return from_arrays(mixed | total.longest | largest, before.declared)


def _one_shard(before: State, shard: State, mixing: str) -> ShardSum:
    """Return the sum of one shard.

    For the average, a shard's sum of weights is area·W − U. Those of all shards add up to that of
    the mixture, if its U is U(before) + area (W − W(before)) + Σ [ΔU − area (W − W(before))], with
    the area and W of the mixture before the sum, and of the shard in it.
    """
    share = float((shard.updates - before.updates).sum()) if mixing == "errors" else 1.0
    increments, longest, largest = {}, {}, {}
    starts, values = arrays_of(before), arrays_of(shard)
    for name, field in fields_of(before).items():
        first, value = starts[name], values[name]
        if field.mixture == "sum":
            increments[name] = value - first
        elif field.mixture == "mean":
            increments[name] = share * (value.astype(np.float64) - first)
        elif field.mixture == "records":
            increments[name], largest[name] = blend.increment(first, value, share), value
        elif field.mixture == "longest run":
            longest[name] = value
        elif field.mixture == "largest":
            largest[name] = value
    W = np.multiply(shard.W, shard.scale, dtype=np.float64)
    increments["W"] = share * (W - np.multiply(before.W, before.scale, dtype=np.float64))
    increments["ub"] = shard.ub - before.ub - shard.t * (shard.b - before.b)
    if before.U.shape[0] > 0:
        increments["U"] = shard.U - before.U - shard.area * (shard.W - before.W)
    return ShardSum(share, 1, increments, longest, largest)


def _add(total: ShardSum, other: ShardSum) -> ShardSum:
    if not (total.shards and other.shards):
        return total if total.shards else other
    is_longer = other.longest["run"][1] > total.longest["run"][1]
    return ShardSum(
        total.share + other.share,
        total.shards + other.shards,
        {name: total.increments[name] + other.increments[name] for name in total.increments},
        other.longest if is_longer else total.longest,
        {name: np.maximum(total.largest[name], other.largest[name]) for name in total.largest},
    )
