"""Mixtures of shards: means, sums, one fixed tree, and weights that nobody moved."""

import numpy as np
import pytest

from rosenblatt.engine import mixing
from rosenblatt.engine import state as st
from rosenblatt.engine.state import weights


def filled(d, columns, seed=0, **kept):
    """A state with whole numbers in every array."""
    rng, result = np.random.default_rng(seed), st.empty(d, columns, **kept)
    for array in result:
        array[:] = rng.integers(1, 9, array.shape)
    result.active[:] = np.arange(len(result.active)) < columns
    return result


def moved(before, s, rng):
    """A shard that learned from ``before``."""
    shard = st.copy_state(before)
    for name in ("W", "b", "U", "ub", "C"):
        getattr(shard, name)[:] += rng.integers(0, 5, getattr(shard, name).shape)
    shard.t[:] += 10
    shard.area[:] += 10
    shard.updates[:] += s
    shard.run[:] = s % 3
    return shard


def test_a_mixture_is_the_mean_and_its_counters_are_sums():
    before = filled(4, 3, average=True, confidence=True)
    before.scale[:] = 1.0
    shards = [st.copy_state(before) for _ in range(2)]
    for k, shard in enumerate(shards):
        shard.W[:] += k + 1.0
        shard.C[:] += 2 * k
        shard.t[:] += 10
        shard.updates[:] += k
    mixed = mixing.mix_shards(before, shards)
    np.testing.assert_array_equal(mixed.W, before.W + 1.5)
    np.testing.assert_array_equal(mixed.C, before.C + 1.0)
    assert mixed.t[0] == before.t[0] + 20
    np.testing.assert_array_equal(mixed.updates, before.updates + 1)
    assert mixing.mix_shards(before, shards[::-1]).run.tolist() == mixed.run.tolist()


@pytest.mark.parametrize("shards", [2, 3, 16, 17, 40, 300])
def test_shares_are_equal_or_by_updates_for_any_number_of_shards(shards, rng):
    before = filled(3, 1, average=True, confidence=True)
    before.scale[:] = 1.0
    parts = [moved(before, s, rng) for s in range(shards)]
    for name, share in (("uniform", np.ones(shards)), ("errors", np.arange(shards))):
        mixed = mixing.mix_shards(before, parts, name)
        mean = np.average([part.W for part in parts], axis=0, weights=share)
        np.testing.assert_allclose(mixed.W, mean, rtol=1e-14)
        assert mixed.updates[0] == before.updates[0] + sum(range(shards))
        # the average goes on as if the shards had been learned one after the other
        sums = [part.area * part.W - part.U for part in parts]
        first = before.area * before.W - before.U
        total = first + sum(one - first for one in sums)
        np.testing.assert_allclose(weights(mixed, "average")[0] * mixed.t, total, rtol=1e-12)


def test_a_weight_that_no_shard_moved_keeps_its_bits(rng):
    before = st.empty(50, 1, average=True)
    before.W[:] = rng.standard_normal((50, 1))  # 0.1 + 0.1 + 0.1 is not 3 · 0.1
    before.U[:] = rng.standard_normal((50, 1))
    shards = [st.copy_state(before) for _ in range(7)]
    for s, shard in enumerate(shards):
        shard.W[s] += 1.0 / 3.0
        shard.t[:] += 9
        shard.area[:] += 9.0
    mixed = mixing.mix_shards(before, shards)
    assert mixed.W[7:].tobytes() == before.W[7:].tobytes()
    assert mixed.U[7:].tobytes() == before.U[7:].tobytes()
    assert (mixed.W[:7] > before.W[:7]).all()


def test_shards_without_rows_take_no_part(rng):
    before = filled(3, 1, average=True)
    before.scale[:] = 1.0
    parts = [moved(before, s, rng) for s in range(3)]
    empty = st.copy_state(before)
    mixed = mixing.mix_shards(before, parts)
    same = mixing.mix_shards(before, [empty, *parts[:2], empty, parts[2]])
    for one, other in zip(mixed, same, strict=True):
        np.testing.assert_array_equal(one, other)
    nothing = mixing.mix_shards(before, [empty, empty])
    np.testing.assert_array_equal(nothing.W, before.W)


def test_a_single_shard_is_its_own_mixture(rng):
    before = filled(3, 1)
    shard = moved(before, 1, rng)
    assert mixing.mix_shards(before, [shard]) is shard


def test_the_shard_with_the_longest_run_gives_the_champion(rng):
    before = filled(3, 1, pocket=True)
    parts = [moved(before, s, rng) for s in range(40)]
    parts[20].run[:] = parts[33].run[:] = 9
    parts[20].champion_W[:] = 77.0
    assert mixing.mix_shards(before, parts).champion_W.tolist() == [[77.0]] * 3


def test_no_updates_leave_the_weights_as_they_are():
    before = filled(3, 1)
    before.scale[:] = 1.0
    parts = [st.copy_state(before) for _ in range(3)]
    for part in parts:
        part.t[:] += 5
    np.testing.assert_array_equal(mixing.mix_shards(before, parts, "errors").W, before.W)
