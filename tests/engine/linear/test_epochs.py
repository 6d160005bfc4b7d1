"""Several epochs in one call against the same epochs one by one, and the stopping test."""

import numpy as np
import pytest

from rosenblatt import rules
from rosenblatt.engine import multiclass, state
from rosenblatt.engine.linear import core, epochs, loops
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.multiclass import UpdateSpec
from rosenblatt.engine.shuffle import shuffle


def noisy(columns, n=40, d=5):
    """Rows that no weights separate, with the specification of a perceptron."""
    rng = np.random.default_rng(columns)
    classes = rng.integers(0, 2 if columns == 1 else columns, n)
    y = np.where(classes == 1, 1.0, -1.0) if columns == 1 else classes
    scheme = None if columns == 1 else multiclass.OneVsRest()
    spec = UpdateSpec(rules.Perceptron(), scheme, np.ones(columns), 0.0, True, 1.0, average=True)
    return loops.Examples(as_rows(rng.standard_normal((n, d))), y, rng.random(n)), spec


def learn(examples, memory, spec, *arguments):
    """Several epochs in one call."""
    return core.learner(memory, spec).epochs(*examples, *arguments)


def twin(examples, order, seed, memory, spec, tol, patience, most):
    """Epochs one by one, with the stopping test of scikit-learn in NumPy."""
    columns, n = len(spec.class_weight), len(order)
    best, stalled, recorded = np.full(columns, np.inf), np.zeros(columns, int), []
    for _ in range(most):
        if seed is not None:
            shuffle(order, seed)
        memory.losses[:], memory.run[:] = 0.0, 0
        updates = memory.updates[:columns].copy()
        loops.epoch(examples, order, memory, spec)
        cost = memory.losses[:columns] / n
        stalled = np.where(cost > best - tol, stalled + 1, 0)
        best = np.minimum(best, cost)
        arrays = (memory.errors, memory.mistakes, memory.updates, memory.losses, memory.b)
        norm = state.frobenius_norm(memory.W)
        recorded.append([*(array.copy() for array in arrays), norm])
        memory.active[:columns] &= (memory.updates[:columns] > updates) & (stalled < patience)
        if not memory.active.any():
            return recorded, True
    return recorded, False


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize(("seed", "tol", "most"), [(7, 1e-3, 60), (None, -np.inf, 5), (1, 0.5, 9)])
def test_several_epochs_are_the_epochs_one_by_one(columns, seed, tol, most):
    examples, spec = noisy(columns)
    n = len(examples.y)
    ours, theirs = (state.empty(5, columns, average=True) for _ in range(2))
    test = epochs.stop_test(columns, tol, 3, always_moves=False)
    records = epochs.empty_records(ours, most)
    finished = learn(examples, ours, spec, np.arange(n), seed, test, records)
    expected, ended = twin(examples, np.arange(n), seed, theirs, spec, tol, 3, most)
    assert finished == ended
    size = int(records.size[0])
    assert size == len(expected)
    for i, array in enumerate(array[:size] for array in records[2:]):
        np.testing.assert_array_equal(array, np.reshape([e[i] for e in expected], array.shape))
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, b)


def test_full_records_end_a_call_and_the_next_continues():
    examples, spec = noisy(1)
    whole, parts = (state.empty(5, 1, average=True) for _ in range(2))
    for memory, counts in ((whole, [6]), (parts, [1, 2, 3])):
        order, test = np.arange(40), epochs.stop_test(1, None, 5, always_moves=False)
        for count in counts:
            records = epochs.empty_records(memory, count)
            assert not learn(examples, memory, spec, order, 3, test, records)
    for a, b in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(a, b)


def test_one_record_is_a_copy_of_the_state():
    memory = state.empty(2, 1)
    record = epochs.one_record(memory, loops.FINITE, 2.0)
    memory.mistakes[0] = 5
    assert (record.size[0], record.mistakes.tolist(), record.norms.tolist()) == (1, [[0]], [2.0])


def stop(test, costs, moves, active):
    test.costs[:], test.moves[:] = costs, moves
    return epochs.should_stop(test, active), active.tolist()


def test_each_vector_ends_by_its_own_test():
    test, active = epochs.stop_test(2, 0.1, 2, always_moves=False), np.array([True, True, False])
    assert stop(test, [1.0, 1.0], [3, 3], active) == (False, [True, True, False])
    assert stop(test, [0.95, 0.5], [3, 0], active) == (False, [True, False, False])
    assert not test.gave_up[0], "a vector without an update is done"
    assert stop(test, [0.94, 0.0], [3, 0], active) == (True, [False, False, False])
    assert test.gave_up[0]


def test_one_test_ends_all_vectors_and_none_proves_separation_with_a_penalty():
    active = np.array([True, True])
    assert stop(epochs.stop_test(1, None, 1, always_moves=False), 9.0, 0, active)[0]
    active[:] = True
    test = epochs.stop_test(1, None, 1, always_moves=True)
    assert not any(stop(test, 9.0, 0, active)[0] for _ in range(3))


def test_a_cost_that_is_nan_never_stalls():
    test, active = epochs.stop_test(1, 0.0, 1, always_moves=False), np.ones(1, bool)
    assert not any(stop(test, cost, 1, active)[0] for cost in (np.nan, 2.0, 3.0, np.nan))


@pytest.mark.parametrize(("n", "short"), [(1000, True), (20_000, False)])
def test_long_epochs_take_a_call_each(n, short):
    examples, spec = noisy(1, n=n)
    assert epochs.are_short(examples, np.arange(n), state.empty(5, 1), spec) == short
