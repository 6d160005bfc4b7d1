"""The loops against their NumPy twins, on every kind of rows."""

from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from numpy_twins import binary, multi
from profiles import share
from registered import tried

from rosenblatt import rules
from rosenblatt.engine import multiclass, state
from rosenblatt.engine.linear import core, loops
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.multiclass import UpdateSpec
from rosenblatt.theory.penalties import ElasticNet

RULES = tried("plain") | {"tie": rules.Perceptron(0.5, -1.0)}
SAMPLE = ["perceptron", "pa1"]


def integers(n=60, d=9, K=2, seed=0):
    """Integer data: every sum is exact, so every order of summing gives the same bits."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, d)) * (rng.random((n, d)) < 0.6)
    return X.astype(np.float64), rng.integers(0, K, n)


def spec(rule, columns=1, scheme=None, tie=0.0, intercept=True, **more):
    bias_sqnorm = 1.0 if intercept else 0.0
    return UpdateSpec(rule, scheme, np.ones(columns), tie, intercept, bias_sqnorm, **more)


def learn(rows, y, order, memory, how):
    loops.epoch(loops.Examples(rows, y, np.ones(len(y))), order, memory, how)


def stored(X, kind, dtype=np.float64, index=np.int32):
    if kind == "dense":
        return as_rows(X.astype(dtype))
    matrix = sp.csr_array(X.astype(dtype))
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    return as_rows(matrix)


def run_binary(rows, X, y, rule, *, epochs=2, dtype=np.float64, order=None, tie=0.0, **books):
    memory = state.empty(X.shape[1], 1, dtype, **books)
    order = np.arange(len(y)) if order is None else order
    for _ in range(epochs):
        learn(rows, y, order, memory, spec(rule, tie=tie, **books))
    return memory


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("name", RULES)
def test_binary_equals_its_twin(name, kind):
    X, c = integers()
    y = np.where(c == 1, 1.0, -1.0)
    order = np.random.default_rng(1).permutation(len(y))
    tie = -1.0 if name == "tie" else 0.0
    memory = run_binary(stored(X, kind), X, y, RULES[name], order=order, tie=tie, average=True)
    w, b, mistakes, updates, mean = binary(
        X, y, np.ones(len(y)), order, RULES[name], epochs=2, tie=tie
    )
    exact = name in {"perceptron", "tie", "margin"}
    close = np.testing.assert_array_equal if exact else np.testing.assert_allclose
    close(memory.W[:, 0], w)
    close(memory.b[0], b)
    assert (memory.mistakes[0], memory.updates[0], memory.t[0]) == (mistakes, updates, 2 * len(y))
    W, offset = state.weights(memory, "average")
    np.testing.assert_allclose(np.append(W[:, 0], offset), mean, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("joint", [False, True], ids=["ovr", "joint"])
@pytest.mark.parametrize("name", RULES)
def test_three_classes_equal_their_twin(name, joint, kind):
    assert_multi_equals_its_twin(name, joint, kind, 3)


@pytest.mark.parametrize(
    ("name", "K", "joint", "kind"),
    share(product(SAMPLE, [11, 20, 30, 45, 70], [False, True], ["dense", "sparse"]), 3, 0),
)  # a rule sees one score at a time, whatever the number of classes
def test_many_classes_equal_their_twin(name, joint, kind, K):
    assert_multi_equals_its_twin(name, joint, kind, K)


def assert_multi_equals_its_twin(name, joint, kind, K):
    X, y = integers(70, 9, K)
    order = np.random.default_rng(2).permutation(len(y))
    scheme = multiclass.Joint() if joint else multiclass.OneVsRest()
    memory = state.empty(9, K)
    learn(stored(X, kind), y, order, memory, spec(RULES[name], K, scheme))
    W, b, mistakes, errors = multi(X, y, np.ones(len(y)), order, RULES[name], K, joint=joint)
    close = np.testing.assert_array_equal if name == "perceptron" else np.testing.assert_allclose
    close(memory.W[:, :K], W)
    close(memory.b[:K], b)
    np.testing.assert_array_equal(memory.mistakes[:K], mistakes)
    assert memory.errors[0] == errors
    assert not memory.W[:, K:].any(), "padding stays empty"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("K", [1, 3, 11, 20])
def test_a_row_has_the_same_scores_alone_in_a_block_and_after_an_update(K, dtype):
    X, c = integers(80, 9, max(K, 2))
    y, scheme = (c, multiclass.OneVsRest()) if K > 1 else (2.0 * c - 1.0, None)
    rows, how = stored(X * np.pi, "dense", dtype), spec(rules.Perceptron(), K, scheme)
    at_once, one_by_one = state.empty(9, K, dtype), state.empty(9, K, dtype)
    learn(rows, y, np.arange(80), at_once, how)
    for i in range(80):
        learn(rows, y, np.array([i]), one_by_one, how)
    for a, b in zip(at_once, one_by_one, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("columns", [1, 3])
def test_every_storage_gives_the_same_bits(dtype, index, columns):
    X, c = integers(40, 7, 3)
    y = c if columns == 3 else np.where(c == 1, 1.0, -1.0)
    scheme = multiclass.OneVsRest() if columns == 3 else None
    results = []
    for kind in ("dense", "sparse"):
        memory = state.empty(7, columns, dtype, average=True)
        how = spec(rules.Perceptron(), columns, scheme, average=True)
        learn(stored(X, kind, dtype, index), y, np.arange(40), memory, how)
        results.append(memory)
    for a, b in zip(*results, strict=True):
        np.testing.assert_array_equal(a, b)


def test_read_only_and_mapped_rows_are_learned_without_a_copy(tmp_path):
    X, c = integers()
    y = np.where(c == 1, 1.0, -1.0)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    rows = as_rows(mapped)
    assert np.shares_memory(rows.X, mapped)
    memory = run_binary(rows, X, y, rules.Perceptron())
    again = run_binary(as_rows(X), X, y, rules.Perceptron())
    np.testing.assert_array_equal(memory.W, again.W)


def test_a_damaged_matrix_is_refused():
    good = sp.csr_array(np.eye(3))
    for name, value, message in [
        ("indices", [0, 1, 7], "column index"),
        ("indices", [0, -1, 2], "column index"),
        ("indptr", [0, 2, 1, 3], "decreases"),
        ("indptr", [0, 1, 2, 9], "span"),
    ]:
        bad = good.copy()
        setattr(bad, name, np.array(value, dtype=np.int32))
        with pytest.raises(ValueError, match=message):
            as_rows(bad)


def test_duplicate_entries_add_up():
    twice = sp.csr_array((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 1))
    assert as_rows(twice).data.tolist() == [3.0]


@pytest.mark.parametrize("ratio", [0.0, 1.0, 0.3], ids=["l2", "l1", "elastic"])
def test_the_average_includes_penalties(ratio):
    """The lazy average is the plain mean of the weights after each example."""
    X, c = integers(30, 4)
    y = np.where(c == 1, 1.0, -1.0)
    penalty = ElasticNet(0.02, ratio, 1.0)
    memory = state.empty(4, 1, average=True, truncated=ratio > 0)
    seen = []
    for i in range(30):
        how = spec(rules.Perceptron(), penalty=penalty, average=True)
        learn(as_rows(X), y, np.array([i]), memory, how)
        seen.append(memory.W[:, 0] * memory.scale[0])
    W, _ = state.weights(memory, "average")
    np.testing.assert_allclose(W[:, 0], np.mean(seen, axis=0), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("columns", [1, 3])
def test_a_tiny_scale_is_folded_and_the_average_is_right(columns):
    X, c = integers(25, 4, 3)
    y = c if columns == 3 else np.where(c == 1, 1.0, -1.0)
    scheme = multiclass.OneVsRest() if columns == 3 else None
    memory = state.empty(4, columns, average=True)
    seen = []
    for i in range(25):
        penalty = ElasticNet(0.9, 0.0, 1.0)
        how = spec(rules.Perceptron(), columns, scheme, penalty=penalty, average=True)
        learn(as_rows(X), y, np.array([i]), memory, how)
        seen.append(memory.W * memory.scale)
    assert 1e-9 < memory.scale[0] <= 1.0
    W, _ = state.weights(memory, "average")
    # Unscaled weights reach 1e9 before they are folded: their rounding is 1e-7, over 25 examples.
    np.testing.assert_allclose(W, np.mean(seen, axis=0), rtol=0, atol=1e-8)


@pytest.mark.parametrize("columns", [1, 3])
def test_the_candidate_has_the_longest_run(columns):
    X, c = integers(80, 5, 3)
    y = c if columns == 3 else np.where(c == 1, 1.0, -1.0)
    scheme = multiclass.OneVsRest() if columns == 3 else None
    memory = state.empty(5, columns, pocket=True)
    run, best, champion = 0, 0, np.zeros_like(memory.W)
    for i in range(80):
        W, b = memory.W.copy(), memory.b.copy()
        scores = X[i] @ W + b
        right = int(np.argmax(scores[:3])) == y[i] if columns == 3 else scores[0] * y[i] > 0
        if right:
            run += 1
        else:
            if run > best:
                best, champion = run, W
            run = 0
        how = spec(rules.Perceptron(), columns, scheme, pocket=True)
        learn(as_rows(X), y, np.array([i]), memory, how)
    assert memory.run.tolist() == [run, best]
    np.testing.assert_array_equal(memory.champion_W, champion)


def test_a_nan_score_is_a_mistake():
    """No fast-math flag lets the compiler ignore NaN: no comparison with it is true."""
    X = np.array([[np.inf, -np.inf], [1.0, 1.0]])
    memory = state.empty(2, 1)
    memory.W[:] = 1.0
    y, order = np.array([1.0, -1.0]), np.array([0])
    with np.errstate(invalid="ignore"):
        learn(as_rows(X), y, order, memory, spec(rules.PA()))
    assert memory.W.ravel().tolist() == [1.0, 1.0]
    assert (memory.mistakes[0], memory.updates[0]) == (1, 0), "NaN is not a right prediction"


class Own(NamedTuple):
    """A rule of the user's own, with a step and nothing else."""

    eta: float = 0.5

    def step(self, score, y, sqnorm):
        return self.eta * y if y * score <= 0.25 else 0.0


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("columns", [1, 3])
def test_a_row_learner_tells_whether_the_weights_are_finite(columns, intercept):
    rows = as_rows(np.array([[2.0, 1.0]]))
    scheme = multiclass.OneVsRest() if columns > 1 else None
    how = spec(rules.LMS(0.5), columns, scheme, intercept=intercept)
    memory = state.empty(2, columns)
    step = core.learner(memory, how).row
    assert step(rows, 1, 1.0) is True
    memory.W[:] = 1e308  # the score is infinite
    assert step(rows, 1, 1e300) is False


def test_a_rule_is_one_small_class():
    X, c = integers()
    y = np.where(c == 1, 1.0, -1.0)
    rule = rules.complete(Own())
    memory = run_binary(as_rows(X), X, y, rule)
    w, _b, *_ = binary(X, y, np.ones(len(y)), np.arange(len(y)), rule, epochs=2)
    np.testing.assert_array_equal(memory.W[:, 0], w)
    assert rule.loss(-2.0, 1.0) == 2.0
    with pytest.raises(TypeError, match="NamedTuple with a method step"):
        rules.complete(object())
