"""The kernel perceptron against its twins, in every block, cache and storage."""

import hashlib
import math
import tracemalloc
from itertools import product
from typing import NamedTuple

import kernel_data
import numpy as np
import pytest
import scipy.sparse as sp
from kernel_data import coefficients, firsts, folded, integers, moves, remembered
from kernel_twins import kernel_binary, kernel_multi, votes
from profiles import share

from rosenblatt import KernelPerceptron, kernels, rules, toys
from rosenblatt.engine.kernel.products import add_products
from rosenblatt.learning.kernel import training

RULES = {
    "perceptron": rules.Perceptron(),
    "tie": rules.Perceptron(0.5, -1.0),
    "margin": rules.MarginPerceptron(1.0, 30.0),
    "hinge": rules.Hinge(0.25),
    "relaxation": rules.Relaxation(1.5),
    "pa": rules.PA(),
    "pa1": rules.PA1(0.1),
    "pa2": rules.PA2(0.1),
    "nlms": rules.NormalizedLMS(0.5),
    "lms": rules.LMS(2.0**-12),
    "logistic": rules.Logistic(0.1),
}
EXACT = ("perceptron", "tie", "margin", "hinge")

SETTING = {"shuffle": False, "tol": None, "max_iter": 3}
POWER = {**kernel_data.POWER, **SETTING}


def gram_of(X):
    return kernel_data.power(X, X)


def agree(name, actual, wanted):
    if name in EXACT:
        np.testing.assert_array_equal(actual, wanted)
    else:
        np.testing.assert_allclose(actual, wanted, rtol=1e-9, atol=1e-12)


def by_epoch(steps, n, epochs):
    return np.histogram(steps, bins=1 + n * np.arange(epochs + 1))[0]


def is_the_twin(name, model, X, twin):
    """Check steps, coefficients, intercept, counters and norm of a model that records its steps."""
    columns, n = len(model.dual_coef_), len(X)
    steps = [
        (t, firsts(X)[row], k, tau)
        for t, row, taus in twin.moves
        for k, tau in enumerate(np.atleast_1d(taus))
        if tau != 0.0
    ]
    actual = moves(model, X)
    if name in EXACT:
        np.testing.assert_array_equal(model._state.updates[:columns], twin.updates)
    else:  # rounding decides about a step of no length
        actual, steps = ([move for move in of if abs(move[3]) > 1e-9] for of in (actual, steps))
    assert [move[:3] for move in actual] == [step[:3] for step in steps]
    agree(name, [move[3] for move in actual], [step[3] for step in steps])
    agree(name, coefficients(model, X), folded(twin.a, X))
    agree(name, model.intercept_, np.atleast_1d(twin.b))
    assert model.t_ == n * model.n_iter_ + 1
    assert model.errors_ == len(twin.wrong)
    wrong = by_epoch(twin.wrong, n, model.n_iter_)
    np.testing.assert_array_equal(model.history_["errors"], wrong)
    np.testing.assert_array_equal(model._state.mistakes[:columns], twin.mistakes)
    agree(name, model.history_["norm"][-1], np.sqrt(np.sum(twin.sqnorm)))


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", RULES)
def test_two_classes_equal_their_twin(name, intercept):
    X, c = integers()
    weight = np.random.default_rng(1).integers(0, 3, len(c)).astype(float)
    model = KernelPerceptron(
        rule=RULES[name],
        fit_intercept=intercept,
        class_weight={0: 1.0, 1: 2.0},
        output="vote",
        tie=-1 if name == "tie" else 0,
        **POWER,
    ).fit(X, c, sample_weight=weight)
    tie, y = (-1.0 if name == "tie" else 0.0), np.where(c == 1, 1.0, -1.0)
    weight *= np.where(c == 1, 2.0, 1.0)
    order = range(len(y))
    options = {"epochs": 3, "tie": tie, "intercept": intercept}
    twin = kernel_binary(gram_of(X), y, weight, order, RULES[name], **options)
    is_the_twin(name, model, X, twin)
    assert len(twin.moves) > 15
    agree(
        name, model.decision_function(X), votes(gram_of(X), twin.moves, 120, tie, intercept) / 120
    )
    average = KernelPerceptron(**(model.get_params() | {"output": "average"}))
    average.fit(X, c, sample_weight=weight / np.where(c == 1, 2.0, 1.0))
    agree("average", coefficients(average, X), folded(twin.average[:-1], X))
    agree("average", average.intercept_, twin.average[-1:])


@pytest.mark.parametrize(
    ("name", "joint", "intercept"),
    [
        (name, *which)
        for turn, name in enumerate(RULES)
        for which in share(product([False, True], [True, False]), 3, turn)
        if (name, which[0]) != ("tie", True)  # an arg max has no sign to tie
    ],
)
def test_many_classes_equal_their_twin(name, intercept, joint):
    X, y = integers(K=4)
    weight = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    setting = {
        "rule": RULES[name],
        "fit_intercept": intercept,
        "multi_class": "joint" if joint else "ovr",
        **POWER,
    }
    tie = -1.0 if name == "tie" else 0.0
    model = KernelPerceptron(output="vote", **setting).fit(X, y, sample_weight=weight)
    options = {"joint": joint, "epochs": 3, "tie": tie, "intercept": intercept}
    twin = kernel_multi(gram_of(X), y, weight, range(len(y)), RULES[name], 4, **options)
    is_the_twin(name, model, X, twin)
    average = KernelPerceptron(output="average", **setting).fit(X, y, sample_weight=weight)
    agree("average", coefficients(average, X), folded(twin.average[:-1], X))
    agree("average", average.intercept_, twin.average[-1])
    last = KernelPerceptron(output="last", **setting).fit(X, y, sample_weight=weight)
    agree(name, last.decision_function(X), gram_of(X) @ twin.a + twin.b)


def test_one_against_the_rest_weighs_a_class_on_its_own_examples():
    X, c = integers(K=3)
    by_class = {0: 1.0, 1: 2.0, 2: 3.0}
    model = KernelPerceptron(class_weight=by_class, **POWER).fit(X, c)
    for k in range(3):
        weight = np.where(c == k, by_class[k], 1.0)
        signs = np.where(c == k, 1.0, -1.0)
        twin = kernel_binary(gram_of(X), signs, weight, range(40), rules.Perceptron(), epochs=3)
        np.testing.assert_array_equal(coefficients(model, X)[k], folded(twin.a, X)[0])
    joint = KernelPerceptron(class_weight=by_class, multi_class="joint", **POWER).fit(X, c)
    weight = 1.0 + c
    twin = kernel_multi(
        gram_of(X), c, weight, range(40), rules.Perceptron(), 3, joint=True, epochs=3
    )
    np.testing.assert_array_equal(coefficients(joint, X), folded(twin.a, X))


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_the_criterion_is_the_mean_loss(multi_class):
    X, y = integers(K=3)
    model = KernelPerceptron(multi_class=multi_class, **POWER | {"max_iter": 1}).fit(X, y)
    K, a, total = gram_of(X) + 1.0, np.zeros((40, 3)), 0.0
    for i, label in enumerate(y):
        scores, others = K[i] @ a, np.arange(3) != label
        if multi_class == "joint":
            rival = np.flatnonzero(others)[np.argmax(scores[others])]
            short = scores[rival] - scores[label]
            total += max(0.0, short)
            a[i, [label, rival]] += [1.0, -1.0] if short >= 0.0 else [0.0, 0.0]
        else:
            signs = np.where(others, -1.0, 1.0)
            total += np.maximum(0.0, -signs * scores).sum()
            a[i] += np.where(signs * scores <= 0.0, signs, 0.0)
    assert total > 0.0
    assert model.history_["criterion"][0] == total / 40


# --- blocks, scores that were kept, storage ------------------------------------------------------


@pytest.mark.parametrize(
    ("K", "multi_class", "output"),
    share(product([2, 4], ["ovr", "joint"], ["average", "vote"]), 3, 0),
)
def test_blocks_and_cached_scores_change_no_bit(monkeypatch, K, multi_class, output):
    X, y = integers(50, K=K)
    setting = {**POWER, "shuffle": True, "max_iter": 5}
    setting |= {"output": output, "multi_class": multi_class}
    reference = KernelPerceptron(**setting).fit(X, y)
    assert (np.diff(reference.history_["mistakes"]) != 0).any(), "the epochs are not all alike"
    actual = {"whole": remembered(reference), "recomputed": refit(setting, X, y, cache_size=0)}
    blocks = [(7, 3), (16, 512), (1, 1)]
    turn = 2 * (K == 4) + (multi_class == "joint") + (output == "vote")
    for block, chunk in share(blocks, 3, turn):
        monkeypatch.setattr(training, "BLOCK", block)
        monkeypatch.setattr(training, "CHUNK", chunk)
        for cache_size in (200, 0):
            actual[block, cache_size] = refit(setting, X, y, cache_size=cache_size)
    for which, bits in actual.items():
        assert bits == actual["whole"], which


def refit(setting, X, y, **others):
    return remembered(KernelPerceptron(**setting, **others).fit(X, y))


def test_cached_scores_are_used(monkeypatch):
    """A later epoch needs kernel values with the slots that have changed, not with all."""
    sizes = []

    def counted(A, B):
        sizes.append(A.shape[0] * B.shape[0])
        return A @ B.T

    toy = toys.separable(400, 5, margin=0.05, seed=0)
    monkeypatch.setattr(training, "BLOCK", 100)
    costs = []
    for cache_size in (200, 0):
        sizes.clear()
        model = KernelPerceptron(counted, cache_size=cache_size, **SETTING | {"max_iter": 9})
        model.fit(toy.X, toy.y)
        costs.append(sum(sizes))
    assert costs[0] < 0.8 * costs[1]


@pytest.mark.parametrize("kind", ["csr_array", "csr_matrix", "wide", "float32", "mapped"])
def test_every_storage_gives_the_same_bits(kind, tmp_path):
    X, y = integers(K=3)
    reference = KernelPerceptron(output="vote", **POWER).fit(X, y)
    if kind == "mapped":
        np.save(tmp_path / "X.npy", X)
        stored = np.load(tmp_path / "X.npy", mmap_mode="r")
    elif kind == "float32":
        stored = X.astype(np.float32)
    else:
        stored = sp.csr_matrix(X) if kind == "csr_matrix" else sp.csr_array(X)
    if kind == "wide":
        stored.indices, stored.indptr = stored.indices.astype("i8"), stored.indptr.astype("i8")
    model = KernelPerceptron(output="vote", **POWER).fit(stored, y)
    assert model.support_vectors_.dtype == stored.dtype
    np.testing.assert_array_equal(model.decision_function(stored), reference.decision_function(X))
    but = {"rows"} if kind == "float32" else set()
    a, b = remembered(model), remembered(reference)
    assert {k: a[k] for k in a if k not in but} == {k: b[k] for k in b if k not in but}


@pytest.mark.parametrize("name", ["laplace", "intersection", "cosine", "rbf", "sigmoid", "linear"])
@pytest.mark.parametrize("stored", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_kernel_by_name_by_object_by_function_and_by_table(name, stored):
    """Features are quarters: the four ways differ by rounding alone."""
    X, y = integers(K=3)
    X /= 4.0
    by_name = KernelPerceptron(name, gamma=0.5, coef0=0.25, **SETTING).fit(stored(X), y)
    kernel = kernels.by_name(name, 3, 0.5, 0.25)
    function = table_of(kernel)
    models = [
        KernelPerceptron(kernel, **SETTING).fit(stored(X), y),
        KernelPerceptron(function, **SETTING).fit(stored(X), y),
    ]
    K = function(X, X)
    table = KernelPerceptron("precomputed", **SETTING).fit(K, y)
    test = np.random.default_rng(3).integers(-2, 3, (9, 3)) / 4.0
    wanted = by_name.decision_function(stored(test))
    for model in models:
        np.testing.assert_array_equal(model.support_, by_name.support_)
        np.testing.assert_array_equal(model.dual_coef_, by_name.dual_coef_)
        np.testing.assert_allclose(model.decision_function(stored(test)), wanted, rtol=1e-9)
    np.testing.assert_array_equal(coefficients_of_rows(table, X), coefficients(by_name, X))
    np.testing.assert_allclose(table.decision_function(function(test, X)), wanted, rtol=1e-9)


def table_of(kernel):
    """A kernel as a user's function of two matrices."""

    def function(A, B):
        A, B = (M.toarray() if sp.issparse(M) else M for M in (A, B))
        if kernel.sees == "products":
            pairs, sizes = A @ B.T, [np.sum(M * M, axis=1) for M in (A, B)]
        else:
            sizes = [np.sum(np.abs(M), axis=1) for M in (A, B)]
            apart = np.abs(A[:, None] - B).sum(axis=2)
            pairs = (sizes[0][:, None] + sizes[1] - apart) / 2
        return kernel.of(pairs, sizes[0][:, None], sizes[1])

    return function


def coefficients_of_rows(model, X):
    """A precomputed kernel identifies rows by index: equal rows have slots of their own."""
    a = np.zeros((len(X), len(model.dual_coef_)))
    a[model.support_] = model.dual_coef_.T
    return folded(a, X)


def test_equal_rows_share_a_slot():
    X, y = integers(20)
    thrice = np.vstack([X, X, np.where(X == 0.0, -0.0, X)])
    labels = np.concatenate([y, 1 - y, y])
    setting = {**POWER, "max_iter": 2}
    model = KernelPerceptron(**setting).fit(thrice, labels)
    twin = kernel_binary(
        gram_of(thrice), 2.0 * labels - 1.0, np.ones(60), range(60), rules.Perceptron(), epochs=2
    )
    assert len({row.tobytes() for row in model.support_vectors_ + 0.0}) == len(model.support_)
    assert len(model.support_) < len({i for _, i, _ in twin.moves})
    np.testing.assert_array_equal(coefficients(model, thrice), folded(twin.a, thrice))
    # Zeros that a sparse matrix holds are no part of a row.
    full = np.ones(thrice.size), np.indices(thrice.shape).reshape(2, -1)
    padded = sp.csr_array(full, shape=thrice.shape)
    padded.data = thrice.ravel().copy()
    mixed = sp.vstack([padded[:20], sp.csr_array(thrice[20:])], format="csr")
    sparse = KernelPerceptron(**setting).fit(mixed, labels)
    assert remembered(sparse) == remembered(model)


# --- instruction sets, rules of a user, and how much room it takes --------------------------------


def bits_of_fits():
    """A digest of what several fits on integers learned."""
    results = []
    for K, multi_class in ((2, "ovr"), (3, "ovr"), (3, "joint")):
        X, y = integers(K=K)
        for output in ("average", "vote"):
            setting = {**POWER, "multi_class": multi_class, "output": output}
            model = KernelPerceptron(**setting).fit(X, y)
            results.append((remembered(model), model.decision_function(X).tobytes()))
            sparse = KernelPerceptron("intersection", output=output, **SETTING)
            results.append(remembered(sparse.fit(sp.csr_array(X), y)))
    return hashlib.sha256(repr(results).encode()).hexdigest()


calls_left = {"step": math.inf}


class OwnPerceptron(NamedTuple):
    """A user's rule: that of :class:`rosenblatt.rules.Perceptron`, until it has had enough."""

    def step(self, score, y, sqnorm):
        calls_left["step"] -= 1
        if calls_left["step"] < 0:
            raise RuntimeError("enough")
        return y if y * score < 0.0 or score == 0.0 else 0.0

    def loss(self, score, y):
        return max(0.0, -y * score)


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
@pytest.mark.parametrize("K", [2, 4])
def test_a_users_rule_learns_as_the_librarys(K, multi_class):
    X, y = integers(K=K)
    setting = {**POWER, "multi_class": multi_class, "output": "average"}
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    own = KernelPerceptron(rule=OwnPerceptron(), **setting).fit(X, y, sample_weight=weight)
    ours = KernelPerceptron(rule=rules.Perceptron(), **setting).fit(X, y, sample_weight=weight)
    assert remembered(own) == remembered(ours)
    for scheme in ("random", "projectron"):
        budget = {**POWER, "multi_class": multi_class, "budget": 9, "budget_scheme": scheme}
        own = KernelPerceptron(rule=OwnPerceptron(), **budget).fit(X, y)
        ours = KernelPerceptron(rule=rules.Perceptron(), **budget).fit(X, y)
        assert own.decision_function(X).tobytes() == ours.decision_function(X).tobytes()


def test_a_rule_that_raises_leaves_no_row_half_learned(monkeypatch):
    X, y = integers()
    model = KernelPerceptron(rule=OwnPerceptron(), **POWER)
    model.partial_fit(X[:20], y[:20], classes=[0, 1])
    monkeypatch.setitem(calls_left, "step", 30)
    with pytest.raises(RuntimeError, match="enough"):
        model.partial_fit(X[20:], y[20:])
    learned = int(model._state.t[0])
    assert 20 <= learned < 50  # a row is seen before and after its kernel values
    other = KernelPerceptron(rule=rules.Perceptron(), **POWER)
    other.partial_fit(X[:learned], y[:learned], classes=[0, 1])
    slots = other._dual.size
    assert model._dual.size == slots
    for name in ("updates", "mistakes", "losses", "b", "t", "errors"):
        ours, theirs = (getattr(m._state, name) for m in (other, model))
        assert ours.tobytes() == theirs.tobytes()
    assert model._state.W[:slots].tobytes() == other._state.W[:slots].tobytes()


@pytest.mark.parametrize("cache_size", share([200, 0], 2, 0))
def test_a_fit_takes_little_more_memory_than_its_rows(cache_size):
    """Kernel values of a block with a chunk of slots, never of all rows with all rows: 50 MB."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((2_500, 50), np.float32), rng.integers(0, 2, 2_500)
    setting = {"max_iter": 2, "tol": None, "cache_size": cache_size}
    KernelPerceptron(**setting).fit(X[:100], y[:100])  # what is imported late
    tracemalloc.start()
    try:
        model = KernelPerceptron(**setting).fit(X, y)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(model.support_) > 1_250, "there is something to remember"
    kept = min(cache_size * 1e6, 8.0 * len(X))
    assert peak < X.nbytes + kept + 20e6


class Divides(NamedTuple):
    """The perceptron, whose step is infinite for rows of length 3."""

    def step(self, score, y, sqnorm):
        return y + 0.0 / (sqnorm - 9.0) if y * score <= 0.0 else 0.0


def test_a_division_by_zero_in_a_users_rule_is_no_warning():
    X, y = np.array([[3.0], [1.0]]), np.array([0, 1])
    model = KernelPerceptron("linear", rule=Divides(), fit_intercept=False, max_iter=1, tol=None)
    with pytest.raises(ValueError, match="floating-point range"):
        model.fit(X, y)
    model.fit(X[1:].repeat(2, axis=0), y)
    assert model.updates_ > 0


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64])
def test_products_with_kernel_values_of_any_type_are_added_to_scores(dtype):
    scores = np.ones((1, 1))
    add_products(np.array([[1, 2]], dtype), np.array([[3.0], [4.0]]), scores)
    assert scores.tolist() == [[12.0]]
