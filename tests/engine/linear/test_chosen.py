"""The epoch of a rule that chooses its row: against a NumPy twin, and as a rule of a user's."""

import numpy as np
import pytest
import scipy.sparse as sp
from loop_runs import assert_same_bits
from numpy_twins import minover

from rosenblatt import rules
from rosenblatt.engine import multiclass, state
from rosenblatt.engine.linear import chosen
from rosenblatt.engine.linear.loops import Examples
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.multiclass import UpdateSpec

N, D, EPOCHS = 40, 5, 30
RULE = rules.MinOver(0.5, 3.0)


class Own(rules.MinOver):
    """A rule of a user's, with the methods of MinOver."""


def data(K, dtype):
    """Rows of small whole numbers, so that every sum is exact in float32, too."""
    rng = np.random.default_rng(K)
    X = rng.integers(-3, 4, (N, D)) * (rng.random((N, D)) < 0.7)
    weight = rng.integers(0, 3, N).astype(float)
    return X.astype(dtype), rng.integers(0, max(K, 2), N), weight, rng.permutation(N)


def learned(K, kind="dense", dtype=np.float64, *, intercept=True, active=None, rule=RULE):
    """Return the state after some epochs over weighted rows."""
    X, codes, weight, order = data(K, dtype)
    rows = as_rows(X if kind == "dense" else sp.csr_array(X))
    memory = state.empty(D, K, dtype, average=True)
    memory.active[:K] = True if active is None else active
    y = 2.0 * codes - 1.0 if K == 1 else codes
    scheme = None if K == 1 else multiclass.OneVsRest()
    class_weight = np.arange(1.0, K + 1.0)
    spec = UpdateSpec(rule, scheme, class_weight, 0.0, intercept, float(intercept), average=True)
    for _ in range(EPOCHS):
        chosen.epoch(Examples(rows, y, weight), order, memory, spec)
    return memory


def expected(K, intercept=True):
    X, codes, weight, order = data(K, np.float64)
    own = codes[:, None] == np.arange(K)
    signs = 2.0 * codes[:, None] - 1.0 if K == 1 else np.where(own, 1.0, -1.0)
    factors = 1.0 if K == 1 else np.where(own, np.arange(1.0, K + 1.0), 1.0)
    weight = weight[:, None] * factors * np.ones(K)
    return minover(X, signs, weight, order, RULE, epochs=EPOCHS, intercept=intercept)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("K", [1, 3, 9])
def test_epochs_equal_their_twin(K, dtype, kind):
    memory, (W, updates, mean) = learned(K, kind, dtype), expected(K)
    assert memory.W.dtype == dtype
    np.testing.assert_array_equal(np.column_stack([memory.W[:, :K].T, memory.b[:K]]), W)
    np.testing.assert_array_equal(memory.updates[:K], updates)
    assert updates.max() > 20
    average, b = state.weights(memory, "average")
    np.testing.assert_allclose(np.column_stack([average[:, :K].T, b[:K]]), mean, rtol=1e-6)
    assert memory.t[0] == EPOCHS
    assert not memory.W[:, K:].any(), "padding stays empty"


def test_without_an_intercept():
    for K in (1, 3):
        memory, (W, *_) = learned(K, intercept=False), expected(K, intercept=False)
        np.testing.assert_array_equal(memory.W[:, :K].T, W[:, :-1])
        assert not memory.b.any()


def test_a_rule_of_a_users_chooses_the_same_rows():
    for K in (1, 3):
        states = (learned(K, "sparse", rule=rule) for rule in (RULE, Own(*RULE)))
        assert_same_bits(*states)


def test_a_weight_vector_that_has_finished_stays_and_the_others_go_on():
    memory, all_of_them = learned(3, active=[True, False, True]), learned(3)
    assert not memory.W[:, 1].any()
    np.testing.assert_array_equal(memory.W[:, [0, 2]], all_of_them.W[:, [0, 2]])
    assert memory.active[:3].tolist() == [True, False, True]


def test_of_equal_overlaps_the_first_of_the_order_and_none_of_weight_zero():
    rows, spec = as_rows(np.eye(4)), UpdateSpec(RULE, None, np.ones(1), 0.0, True, 1.0)
    memory, y, order = state.empty(4, 1), np.ones(4), np.array([2, 0, 3, 1])
    for weight, row in (([1, 1, 1, 1], 2), ([1, 1, 0, 1], 0), ([0, 0, 0, 0], -1)):
        examples = Examples(rows, y, np.array(weight, float))
        assert chosen.least_overlaps(examples, order, memory, spec).tolist() == [row]
    chosen.epoch(examples, order, memory, spec)
    assert memory.t[0] == 0


def test_of_two_rows_that_leave_the_range_the_first_is_returned():
    rule, scheme = rules.MinOver(10.0, 3.0), multiclass.OneVsRest()
    examples = Examples(as_rows(np.eye(2) * 1e308), np.array([0, 1]), np.ones(2))
    memory = state.empty(2, 2)
    memory.W[0, 0] = memory.W[1, 1] = -1e-308  # each weight vector chooses the row of its class
    spec = UpdateSpec(rule, scheme, np.ones(2), 0.0, False, 0.0)
    assert chosen.least_overlaps(examples, np.arange(2), memory, spec).tolist() == [0, 1]
    assert chosen.epoch(examples, np.arange(2), memory, spec) == 0
    assert not np.isfinite(np.diag(memory.W[:2, :2])).any(), "both rows are learned"
