"""Rules that are not plain in the loops: against twins."""

from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from confidence_twins import Twin
from profiles import share
from registered import tried
from rescaling_twin import RescalingTwin

from rosenblatt import rules
from rosenblatt.engine import multiclass, state
from rosenblatt.engine.linear import loops
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.multiclass import UpdateSpec
from rosenblatt.theory.rule_kinds import own_fields

RULES = tried("confident")
RESCALING = tried("rescaling")
N, D = 70, 8


def data(K, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.6)
    return X, rng.integers(0, K, N), rng.integers(1, 4, N).astype(float), rng.permutation(N)


def learned(rule, kind, K, *, joint=False, dtype=np.float64, intercept=True, seed=0):
    """The state after one epoch of weighted rows, with the average."""
    X, codes, weight, order = data(max(K, 2), seed)
    rows = as_rows(X.astype(dtype) if kind == "dense" else sp.csr_array(X.astype(dtype)))
    scheme = None if K == 1 else multiclass.Joint() if joint else multiclass.OneVsRest()
    y = 2.0 * codes - 1.0 if K == 1 else codes
    memory = state.empty(D, K, dtype, own_fields(type(rule)), average=True)
    spec = UpdateSpec(rule, scheme, np.ones(K), 0.0, intercept, float(intercept), average=True)
    loops.epoch(loops.Examples(rows, y, weight), order, memory, spec)
    return memory


def assert_equals_its_twin(name, kind, K, joint=False):
    X, codes, weight, order = data(max(K, 2))
    labels = 2 * codes - 1 if K == 1 else codes
    twin = Twin(D, K, RULES[name]).learn(X, labels, weight, order, joint=joint)
    memory = learned(RULES[name], kind, K, joint=joint)
    close = {"rtol": 1e-9, "atol": 1e-12}
    np.testing.assert_allclose(memory.W[:, :K], twin.W[:, :-1].T, **close)
    np.testing.assert_allclose(memory.b[:K], twin.W[:, -1], **close)
    np.testing.assert_array_equal(memory.updates[:K], twin.updates)
    spread = np.column_stack([memory.own["C"][:, :K].T, memory.own["cb"][:K]])
    np.testing.assert_allclose(
        spread, twin.spread if twin.sums else 1 / twin.spread - 1, rtol=1e-9, atol=1e-9
    )
    W, b = state.weights(memory, "average")
    mean = np.mean(twin.history, axis=0)
    np.testing.assert_allclose(np.column_stack([W[:, :K].T, b[:K]]), mean, **close)
    assert not memory.W[:, K:].any(), "padding stays empty"


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("name", RULES)
def test_two_classes_equal_their_twin(name, kind):
    assert_equals_its_twin(name, kind, 1)


@pytest.mark.parametrize(
    ("name", "joint", "kind"),
    [
        (name, *which)
        for turn, name in enumerate(RULES)
        for which in share(product([False, True], ["dense", "sparse"]), 3, turn)
    ],
)
def test_several_classes_equal_their_twin(name, joint, kind):
    for K in (3, 9):
        assert_equals_its_twin(name, kind, K, joint)


def assert_equals_its_rescaling_twin(name, kind, K, joint=False):
    X, codes, weight, order = data(max(K, 2))
    labels = 2 * codes - 1 if K == 1 else codes
    twin = RescalingTwin(D, K, RESCALING[name]).learn(X, labels, weight, order, joint=joint)
    memory = learned(RESCALING[name], kind, K, joint=joint)
    close = {"rtol": 1e-8, "atol": 1e-10}
    W, b = state.weights(memory, "last")
    np.testing.assert_allclose(np.column_stack([W[:, :K].T, b[:K]]), twin.W, **close)
    np.testing.assert_array_equal(memory.updates[:K], twin.updates)
    norms = memory.own["norms"][:K]
    known = norms >= 0.0
    assert known.any()
    np.testing.assert_allclose(norms[known], (twin.W[known] ** 2).sum(axis=1), **close)
    W, b = state.weights(memory, "average")
    np.testing.assert_allclose(
        np.column_stack([W[:, :K].T, b[:K]]), np.mean(twin.history, axis=0), **close
    )
    assert not memory.W[:, K:].any(), "padding stays empty"


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("name", RESCALING)
def test_rescaled_weights_equal_their_twin(name, kind):
    assert_equals_its_rescaling_twin(name, kind, 1)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("joint", [False, True], ids=["ovr", "joint"])
@pytest.mark.parametrize("name", RESCALING)
def test_rescaled_weights_of_several_classes_equal_their_twin(name, joint, kind):
    for K in (3, 9):
        assert_equals_its_rescaling_twin(name, kind, K, joint)


@pytest.mark.parametrize("name", RESCALING)
def test_squared_norms_are_computed_where_another_rule_learned_before(name):
    X, codes, weight, order = data(2)
    examples = loops.Examples(as_rows(X), 2.0 * codes - 1.0, weight)
    memory = state.empty(D, 1)
    for rule in (rules.PA(), RESCALING[name]):
        spec = UpdateSpec(rule, None, np.ones(1), 0.0, True, 1.0)
        memory = state.for_rule(memory, own_fields(type(rule)))
        loops.epoch(examples, order, memory, spec)
        assert ("norms" in memory.own) == (rule is RESCALING[name])
    W, b = state.weights(memory, "last")
    np.testing.assert_allclose(memory.own["norms"][0], (W**2).sum() + b[0] ** 2, rtol=1e-9)


@pytest.mark.parametrize("name", ["romma", "aromma"])
def test_squared_norms_stay_those_of_the_weights_where_they_cancel(name):
    rng = np.random.default_rng(0)
    for dtype, close in ((np.float64, 1e-6), (np.float32, 1e-2)):
        for _ in range(20):
            rows = as_rows(rng.integers(-3, 4, (30, 2)).astype(dtype))
            examples = loops.Examples(rows, rng.choice([-1.0, 1.0], 30), np.ones(30))
            memory = state.empty(2, 1, dtype, own_fields(type(RESCALING[name])))
            spec = UpdateSpec(RESCALING[name], None, np.ones(1), 0.0, True, 1.0)
            for _ in range(10):
                loops.epoch(examples, rng.permutation(30), memory, spec)
                W, b = state.weights(memory, "last")
                true = (W.astype(float) ** 2).sum() + b[0] ** 2
                norm = memory.own["norms"][0]
                assert norm < 0.0 or abs(norm - true) <= close * true


@pytest.mark.parametrize("name", RULES)
def test_float32_is_near_float64_and_an_intercept_may_be_absent(name):
    for K in (1, 3):
        for kind in ("dense", "sparse"):
            double = learned(RULES[name], kind, K, intercept=False)
            single = learned(RULES[name], kind, K, dtype=np.float32, intercept=False)
            assert single.W.dtype == np.float32
            np.testing.assert_allclose(single.W, double.W, rtol=1e-3, atol=1e-4)
            assert not double.b.any()
            assert not double.own["cb"].any()


class Own(NamedTuple):
    """AROW, written by a user."""

    r: float = 0.5

    def step(self, score, y, variance):
        hinge = max(0.0, 1.0 - y * score)
        return y * hinge / (variance + self.r), (1.0 / self.r if hinge > 0.0 else 0.0)

    def rate(self, before, after):
        return 1.0 / (1.0 + before)

    def needs_variance(self, score, y):
        return True

    def weighted_step(self, score, y, variance, weight):
        return Own(self.r / weight).step(score, y, variance)


def test_a_rule_of_a_users_own_is_one_small_class():
    own, ours = (learned(rules.complete(rule), "sparse", 1) for rule in (Own(), rules.AROW(0.5)))
    np.testing.assert_allclose(own.W, ours.W, rtol=1e-12)
