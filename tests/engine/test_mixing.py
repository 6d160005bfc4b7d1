"""Mixtures of shards: means, sums, one fixed tree, and weights that nobody moved."""

import functools
import tracemalloc

import numpy as np
import pytest

from rosenblatt.engine import mixing
from rosenblatt.engine import state as st
from rosenblatt.engine.state import weights
from rosenblatt.theory.declaration import Field
from rosenblatt.theory.rule_kinds import OWN_FIELDS

CONFIDENT = OWN_FIELDS["confident"]


def filled(d, columns, seed=0, **kept):
    """A state with whole numbers in every array."""
    rng, result = np.random.default_rng(seed), st.empty(d, columns, **kept)
    for array in st.arrays_of(result).values():
        array[:] = rng.integers(1, 9, array.shape)
    result.active[:] = np.arange(len(result.active)) < columns
    return result


def moved(before, s, rng):
    """A shard that learned from ``before``."""
    shard = st.copy_state(before)
    arrays = [shard.W, shard.b, shard.U, shard.ub, *shard.own.values()]
    for array in arrays:
        array[:] += rng.integers(0, 5, array.shape)
    shard.t[:] += 10
    shard.area[:] += 10
    shard.updates[:] += s
    shard.run[:] = s % 3
    return shard


def test_a_mixture_is_the_mean_and_its_counters_are_sums():
    before = filled(4, 3, average=True, own=CONFIDENT)
    before.scale[:] = 1.0
    shards = [st.copy_state(before) for _ in range(2)]
    for k, shard in enumerate(shards):
        shard.W[:] += k + 1.0
        shard.own["C"][:] += 2 * k
        shard.t[:] += 10
        shard.updates[:] += k
    mixed = mixing.mix_shards(before, shards)
    np.testing.assert_array_equal(mixed.W, before.W + 1.5)
    np.testing.assert_array_equal(mixed.own["C"], before.own["C"] + 1.0)
    assert mixed.t[0] == before.t[0] + 20
    np.testing.assert_array_equal(mixed.updates, before.updates + 1)
    assert mixing.mix_shards(before, shards[::-1]).run.tolist() == mixed.run.tolist()


@pytest.mark.parametrize("shards", [2, 3, 16, 17, 40, 300])
def test_shares_are_equal_or_by_updates_for_any_number_of_shards(shards, rng):
    before = filled(3, 1, average=True, own=CONFIDENT)
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


@pytest.mark.parametrize("number", [1, 2, 16, 17, 256, 300])
def test_shards_in_any_order_have_the_bits_of_the_tree(number, rng):
    before = filled(3, 1, average=True)
    parts = [moved(before, s, rng) for s in range(number)]
    for part in parts:
        part.W[:] += rng.standard_normal(part.W.shape)
    sums = [mixing.add_shard(mixing.NO_SHARDS, before, part, "uniform") for part in parts]
    while len(sums) > 1:  # sixteen at a time, in their order
        sums = [functools.reduce(mixing._add, sums[i : i + 16]) for i in range(0, len(sums), 16)]
    expected = parts[0] if number == 1 else mixing.mixture(before, sums[0])
    mixed = mixing.mix_in_turn(
        before, number, ((s, parts[s]) for s in rng.permutation(number)), "uniform", lambda one: one
    )
    for name, array in st.arrays_of(expected).items():
        assert st.arrays_of(mixed)[name].tobytes() == array.tobytes(), name


def test_few_sums_are_in_memory(rng):
    before = st.empty(10_000, 1)

    def learned():
        for s in range(512):
            shard = st.copy_state(before)
            shard.t[:] += 1
            yield s, shard

    tracemalloc.start()
    mixing.mix_in_turn(before, 512, learned(), "uniform", lambda one: one)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * before.W.nbytes  # there are 32 groups


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
    for name, array in st.arrays_of(mixed).items():
        np.testing.assert_array_equal(array, st.arrays_of(same)[name])
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


def test_a_rule_declares_what_becomes_of_its_arrays(rng):
    mixtures = ("mean", "sum", "largest", "first", "fresh")
    own = {mixture: Field(initial=7.0, mixture=mixture) for mixture in mixtures}
    before = filled(3, 1, own=own)
    parts = [moved(before, s, rng) for s in range(20)]
    mixed = mixing.mix_shards(before, parts).own
    for mixture, array in mixed.items():
        values, first = np.array([part.own[mixture] for part in parts]), before.own[mixture]
        expected = {
            "mean": values.mean(axis=0),
            "sum": first + (values - first).sum(axis=0),
            "largest": values.max(axis=0),
            "first": first,
            "fresh": np.full_like(first, 7.0),
        }
        np.testing.assert_allclose(array, expected[mixture], rtol=1e-14, err_msg=mixture)


def test_no_updates_leave_the_weights_as_they_are():
    before = filled(3, 1)
    before.scale[:] = 1.0
    parts = [st.copy_state(before) for _ in range(3)]
    for part in parts:
        part.t[:] += 5
    np.testing.assert_array_equal(mixing.mix_shards(before, parts, "errors").W, before.W)
