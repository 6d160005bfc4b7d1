"""Runs of the linear loops on small data, to be compared in all bits of the state."""

import numpy as np
import scipy.sparse as sp

from rosenblatt.engine import multiclass, state
from rosenblatt.engine.linear import loops
from rosenblatt.engine.linear.loops import Examples
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.multiclass import UpdateSpec
from rosenblatt.engine.rows import CSR
from rosenblatt.theory.calibration import FIELDS
from rosenblatt.theory.penalties import ElasticNet, NoPenalty
from rosenblatt.theory.rule_kinds import own_fields

NONE = NoPenalty()
CLASSES = {None: 1, "ovr": 11, "joint": 3}
OPTIONS = {
    "bare": {},
    "weighted": {"weighted": True},
    "all": {"weighted": True, "average": True, "pocket": True},
    "calibrated": {"weighted": True, "average": True, "calibrates": "average"},
    "elastic net": {"penalty": ElasticNet(0.01, 0.5, 0.5), "average": True, "intercept": False},
    "strong decay": {"penalty": ElasticNet(0.3, 0.0, 0.9)},
}


def matrix(n=30, d=9, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)


def as_users(rule):
    """The same rule, as a class that is none of the library's."""
    kind = type(rule)
    return type(kind.__name__, (kind,), {"__module__": "users"})(*rule)


def learned(
    epoch, rule, rows, X, scheme, *, penalty=NONE, weighted=False, intercept=True, log=None,
    calibrates=None, first=0, **kept,
):  # fmt: skip
    """What two epochs and two single rows return, and the state after them."""
    K, rng = CLASSES[scheme], np.random.default_rng(1)
    memory = state.empty(
        X.shape[1], K, X.dtype, own_fields(type(rule)) | (FIELDS if calibrates else {}),
        truncated=penalty is not NONE, **kept,
    )  # fmt: skip
    memory.t[0] = first
    y = rng.integers(0, max(K, 2), len(X))
    y = np.where(y == 1, 1.0, -1.0) if scheme is None else y
    weight = rng.integers(0, 30, len(X)) / 10.0 if weighted else np.ones(len(X))
    class_weight = rng.random(K) + 0.5 if weighted else np.ones(K)
    kind = None if scheme is None else multiclass.SCHEMES[scheme]
    spec = UpdateSpec(
        rule, kind, class_weight, 0.0, intercept, float(intercept), penalty,
        kept.get("average", False), kept.get("pocket", False), calibrates,
    )  # fmt: skip
    examples, order = Examples(rows, y, weight), rng.permutation(len(X))
    returned = [epoch(examples, order, memory, spec, log) for _ in range(2)]
    if epoch is loops.epoch:
        returned.append(loops.indexed_learner(examples, memory, spec)(7))
    else:
        returned.append(epoch(examples, np.array([7]), memory, spec))
    one = as_rows(X[5:6]) if not isinstance(rows, CSR) else as_rows(sp.csr_array(X[5:6]))
    last = Examples(one, y[5:6], weight[5:6])
    returned.append(epoch(last, np.zeros(1, np.int64), memory, spec))
    return returned, memory


def assert_same_bits(one, other):
    """Of two states, or two records of arrays."""
    one, other = (
        state.arrays_of(record) if isinstance(record, state.State) else record._asdict()
        for record in (one, other)
    )
    assert one.keys() == other.keys()
    for name, a in one.items():
        b = other[name]
        if a.dtype.kind == "f":  # a NaN has a sign, which no one reads
            np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
            a, b = (np.where(np.isnan(array), 0.0, array) for array in (a, b))
        assert a.tobytes() == b.tobytes(), name
