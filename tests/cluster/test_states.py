"""States as they travel: nothing is lost, and weights that nobody moved stay behind."""

import pickle

import numpy as np
import pytest

from rosenblatt.cluster.states import pack, unpack
from rosenblatt.engine import state as st
from rosenblatt.theory.rule_kinds import OWN_FIELDS

D = 1 << 16


@pytest.mark.parametrize("columns", [1, 5])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("changed", [0, 1, 300, D])
def test_what_arrives_is_what_was_sent(columns, dtype, changed, rng):
    before = st.empty(D, columns, dtype, average=True, own=OWN_FIELDS["confident"])
    before.W[:] = rng.standard_normal(before.W.shape)
    after = st.copy_state(before)
    rows = rng.permutation(D)[:changed]
    after.W[rows] += 1
    after.U[rows] -= 1
    after.t[:] = 7
    packed = pickle.loads(pickle.dumps(pack(after, before)))
    assert packed.nbytes <= 2 * D * 8 * after.W.shape[1] * (changed / D) + changed * 16 + 5000
    arrived = st.arrays_of(unpack(packed, before))
    assert arrived.keys() == st.arrays_of(after).keys()
    for name, other in st.arrays_of(after).items():
        one = arrived[name]
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_hashed_weights_are_few():
    state = st.empty(1 << 20, 1)
    state.W[:100] = 1.5
    assert pack(state).nbytes < 3000


def test_a_negative_zero_and_nan_travel():
    before = st.empty(100, 1)
    after = st.copy_state(before)
    after.W[3], after.W[5] = -0.0, np.nan
    arrived = unpack(pack(after, before), before)
    assert arrived.W.tobytes() == after.W.tobytes()


def test_what_arrives_can_be_changed_and_the_base_stays():
    before = st.empty(10, 1)
    arrived = unpack(pack(st.copy_state(before), before), before)
    arrived.W[:] = 1.0
    arrived.b[:] = 1.0
    assert not before.W.any()
    assert not before.b.any()
