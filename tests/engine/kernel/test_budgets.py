"""At most B rows: every scheme beside its NumPy twin, and the bound on memory."""

import itertools

import kernel_twins
import numpy as np
import pytest
import scipy.sparse as sp
from profiles import share
from sklearn.datasets import load_digits

from rosenblatt import KernelPerceptron, load, rules, save
from rosenblatt._core import kernel as _core
from rosenblatt.engine import state as st
from rosenblatt.engine.kernel import budgets, expansion
from rosenblatt.engine.multiclass import Binary, UpdateSpec
from rosenblatt.learning.kernel import training
from rosenblatt.theory import budgets as schemes

SCHEMES = schemes.NAMES
GAMMA = 0.05


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:500] / 16.0, y[:500]


@pytest.fixture(scope="module")
def eights(digits):
    X, y = digits
    K = np.exp(-GAMMA * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    return X, np.where(y == 8, 1, -1), K


def learner(scheme, B, **more):
    parameters = {"kernel": "rbf", "gamma": GAMMA, "shuffle": False, "max_iter": 1, "tol": None}
    return KernelPerceptron(**parameters | {"budget": B, "budget_scheme": scheme} | more)


def coefficients(model):
    return dict(zip(model.support_.tolist(), model.dual_coef_[0].tolist(), strict=True))


TWINS = {
    "forgetron": kernel_twins.forgetron,
    "projectron": kernel_twins.projectron,
    "projectron++": lambda *data: kernel_twins.projectron_plus(*data, eta=0.1),
}


@pytest.mark.parametrize(
    ("scheme", "B", "block"),
    [
        (scheme, *sizes)
        for turn, scheme in enumerate(TWINS)
        for sizes in share(itertools.product([1, 20, 400], [256, 7]), 5, turn)
    ],
)
def test_a_scheme_equals_its_twin(eights, scheme, B, block, monkeypatch):
    monkeypatch.setattr(training, "BUDGET_BLOCK", block)
    X, y, K = eights
    model = learner(scheme, B, fit_intercept=False).fit(X, y)
    twin = TWINS[scheme](K, y, np.arange(len(y)), B)
    assert model.mistakes_ == twin.mistakes
    mine, theirs = coefficients(model), dict(zip(twin.rows, twin.a, strict=True))
    assert mine.keys() == theirs.keys()
    for row, coef in theirs.items():
        assert mine[row] == pytest.approx(coef, abs=1e-9)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("eta", [0.02, 0.1, 0.3, 0.9])
def test_projectron_plus_is_the_papers_for_every_eta(eights, eta, intercept):
    X = eights[0][:, [20, 43]]  # two pixels, so that many rows are near each other
    y = np.where(X[:, 0] + np.sin(3 * X[:, 1]) > 1, 1, -1)
    K = np.exp(-GAMMA * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    model = learner("projectron++", 400, budget_eta=eta, fit_intercept=intercept).fit(X, y)
    twin = kernel_twins.projectron_plus(K + intercept, y, np.arange(len(y)), 400, eta)
    mine, theirs = coefficients(model), dict(zip(twin.rows, twin.a, strict=True))
    assert model.mistakes_ == twin.mistakes
    assert mine == pytest.approx(theirs, rel=1e-6, abs=1e-6)
    assert any(coef != round(coef) for coef in theirs.values()), "some steps were not whole"


@pytest.mark.parametrize("gamma", [1.0, 100.0])
def test_dependent_rows_are_not_stored_however_small_eta_is(eights, gamma):
    """The products of three of 2 features span 4 dimensions, the intercept one more."""
    X = eights[0][:, [20, 43]]
    y = np.where(X[:, 0] + np.sin(3 * X[:, 1]) > 1, 1, -1)
    model = learner("projectron++", 400, kernel="poly", gamma=gamma, budget_eta=1e-9).fit(X, y)
    assert len(model.support_) <= 5 < model.mistakes_


def xorshift32(x):
    """Twin: the next state of Marsaglia's generator."""
    x ^= (x << 13) & 0xFFFFFFFF
    x ^= x >> 17
    return x ^ (x << 5) & 0xFFFFFFFF


def test_random_removal_equals_its_twin_with_the_same_draws(eights):
    X, y, K = eights
    model = learner("random", 15, fit_intercept=False, random_state=3).fit(X, y)
    fresh = learner("random", 15, fit_intercept=False, random_state=3)
    fresh.partial_fit(X[:1], y[:1], classes=[-1, 1])
    state = int(fresh._dual.budget.random[0])
    rows, coefs, mistakes = {}, {}, 0
    for i in range(len(y)):
        score = sum(coefs[s] * K[rows[s], i] for s in rows)
        if y[i] * score <= 0:
            mistakes += 1
            slot = len(rows)
            if slot == 15:
                state = xorshift32(state)
                slot = (state & 0x7FFFFFFF) % 15
            rows[slot], coefs[slot] = i, float(y[i])
    assert model.mistakes_ == mistakes
    assert coefficients(model) == {rows[s]: coefs[s] for s in rows}


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_intercept_is_the_kernel_plus_one(eights, scheme, intercept):
    X, y, K = eights
    one = learner(scheme, 12, fit_intercept=intercept, max_iter=2).fit(X, y)
    other = learner(scheme, 12, kernel="precomputed", fit_intercept=False, max_iter=2).fit(
        K + intercept, y
    )
    assert one.mistakes_ == other.mistakes_
    assert coefficients(one).keys() == coefficients(other).keys()
    np.testing.assert_allclose(
        one.decision_function(X), other.decision_function(K + intercept), atol=1e-8
    )
    assert one.history_["norm"][0] > 0.0


@pytest.mark.parametrize(
    ("scheme", "classes"),
    [
        (scheme, classes)
        for turn, scheme in enumerate(SCHEMES)
        for classes in share([2, 3, 10], 3, turn)
    ],
)
def test_memory_is_bounded(digits, scheme, classes):
    X, y = digits
    model = learner(scheme, 17, max_iter=3).fit(X, y % classes)
    assert len(model.support_) == 17 == len(set(model.support_.tolist()))
    assert model._state.W.shape[0] == 17
    assert all(max(array.shape, default=0) <= 17 for array in model._dual.budget)
    assert model._dual.steps.tau.shape == (0,)
    assert np.array_equal(model.support_vectors_, X[model.support_])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_budget_that_is_never_full_forgets_nothing(eights, scheme):
    X, y, _ = eights
    free = learner("random", None).fit(X, y)
    model = learner(scheme, 10_000).fit(X, y)
    if scheme != "projectron++":  # which moves on missing margins, too
        assert model.mistakes_ == free.mistakes_
        assert coefficients(model) == coefficients(free)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scheme", ["projectron", "projectron++"])
def test_a_larger_budget_is_no_worse_and_coefficients_stay_small(scheme, dtype):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1200, 2)).astype(dtype)
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    scores = []
    for B in (20, 100, 500):
        model = learner(scheme, B, gamma=0.5, max_iter=5).fit(X[:800], y[:800])
        assert np.abs(model.dual_coef_).max() < 2_000
        scores.append(model.score(X[800:], y[800:]))
    assert min(scores) > 0.9
    assert scores[-1] >= scores[0] - 0.02


def test_a_late_label_does_not_wipe_the_others(digits):
    X, y = digits
    model = learner("forgetron", 40).partial_fit(X, y % 2)
    before = model.score(X, y % 2)
    model.partial_fit(X[:1], [2]).partial_fit(X[1:40], y[1:40] % 2)
    assert model.score(X, y % 2) > before - 0.2


def test_weights_scale_the_steps_of_projectron_plus(eights):
    X, y, _ = eights
    model = learner("projectron++", 20).partial_fit(X, y)
    before = model.dual_coef_.copy()
    model.partial_fit(X[:50], y[:50], sample_weight=np.zeros(50))
    np.testing.assert_array_equal(model.dual_coef_, before)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_chunks_and_a_file_in_between_make_no_difference(digits, scheme, tmp_path):
    X, y = digits
    at_once = learner(scheme, 20).partial_fit(X, y)
    parts = learner(scheme, 20)
    for first, stop in itertools.pairwise([0, 1, 2, 50, 300, len(y)]):
        parts.partial_fit(X[first:stop], y[first:stop])
        save(parts, tmp_path / "model")
        parts = load(tmp_path / "model")
    assert at_once.mistakes_ == parts.mistakes_
    assert coefficients(at_once).keys() == coefficients(parts).keys()
    np.testing.assert_allclose(
        at_once.decision_function(X), parts.decision_function(X), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("scheme", SCHEMES)
def test_sparse_rows_change_slots_like_dense_rows(eights, scheme):
    X, y, _ = eights
    dense = learner(scheme, 9).fit(X, y)
    sparse = learner(scheme, 9).fit(sp.csr_array(X), y)
    assert coefficients(dense).keys() == coefficients(sparse).keys()
    np.testing.assert_allclose(sparse.support_vectors_.toarray(), dense.support_vectors_)
    np.testing.assert_allclose(sparse.decision_function(X), dense.decision_function(X), atol=1e-8)


def test_equal_support_rows_share_a_slot(eights):
    X, y, _ = eights
    model = learner("random", 30, max_iter=4).fit(
        np.repeat(X[:40], 3, axis=0), np.repeat(y[:40], 3)
    )
    assert len(np.unique(model.support_vectors_, axis=0)) == len(model.support_)


def test_the_forgetrons_damage_stays_within_its_allowance(eights):
    X, y, _ = eights
    model = learner("forgetron", 10, max_iter=5).fit(X, y)
    assert 0.0 < model._dual.budget.spent[0] <= 15 / 32 * model.mistakes_ + 1e-9


def test_projectron_plus_errs_less_than_random_removal(digits):
    X, y = digits
    errors = {s: learner(s, 40, max_iter=2).fit(X, y).errors_ for s in SCHEMES}
    assert errors["projectron++"] < errors["projectron"] < errors["random"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"budget": 0}, "budget must be a whole number"),
        ({"budget": 2.5}, "budget must be a whole number"),
        ({"budget_eta": 0.0}, r"budget_eta must be a number in \(0, inf\)"),
        ({"budget_scheme": "lru"}, "budget_scheme must be one of 'forgetron', 'projectron'"),
        ({"output": "vote"}, "use output='last'"),
        ({"output": "average"}, "use output='last'"),
        ({"budget_scheme": "forgetron", "rule": "pa1"}, "is for rule='perceptron'"),
        ({"budget_scheme": "projectron++", "rule": rules.PA()}, "is for rule='perceptron'"),
        (
            {"budget_scheme": "forgetron", "multi_class": "joint"},
            "two classes or multi_class='ovr'",
        ),
    ],
    ids=str,
)
def test_incompatible_parameters_are_refused(digits, parameters, message):
    X, y = digits
    with pytest.raises(ValueError, match=message):
        KernelPerceptron(**{"budget": 10} | parameters).fit(X, y)


def block_on_budget(n, B):
    """Arguments of the loop on a budget, for n rows that are one kernel value apart."""
    zeros, integers = np.zeros(n), np.zeros(n, np.int64)
    block = budgets.BudgetBlock(
        y=integers,
        weight=zeros + 1.0,
        example=np.arange(n),
        first_equal=np.arange(n),
        slot=np.full(n, -1),
        diagonal=zeros + 1.0,
        support_gram=np.zeros((n, B)),
        block_gram=np.eye(n),
        slot_owner=np.full(B, -1),
        projection=np.zeros(B),
    )
    slots = expansion.empty_slots(1)._replace(rows=np.zeros(B, np.int64))
    spec = UpdateSpec(rules.Perceptron(), Binary(), np.ones(2), 0.0, False, 0.0)
    return [block, spec, st.empty(B, 1), slots]


@pytest.mark.parametrize(
    ("part", "change", "fault"),
    [
        (0, {"y": np.array([0, 2, 0])}, "y must be below 2"),
        (0, {"first_equal": np.array([0, 3, 0])}, "first_equal must be below 3"),
        (0, {"slot": np.array([0, 4, -1])}, "slot must be below 4"),
        (0, {"weight": np.ones(2)}, "weight must be of length 3"),
        (0, {"block_gram": np.ones((3, 2))}, "block_gram must be of 3 columns"),
        (0, {"projection": np.ones(3)}, "projection must be of length 4"),
        (2, {"W": np.ones((3, 1))}, "capacity of the budget"),
        (2, {"b": np.ones(2)}, "b must be of length 1"),
        (3, {"size": np.array([5])}, "within the capacity"),
        (4, {"inverse": np.ones((4, 3))}, "inverse must be of 4 columns"),
        (4, {"entered": np.ones(3, np.int64)}, "entered must be of length 4"),
    ],
)
def test_a_block_of_another_size_is_refused_and_nothing_learned(part, change, fault):
    scheme = schemes.by_name("projectron", 0.1)
    arguments = [*block_on_budget(3, 4), budgets.empty_budget_state(scheme, 4, 1, 1)]
    block, spec, state, slots, budget_state = arguments
    arguments[part] = arguments[part]._replace(**change)
    with pytest.raises(ValueError, match=fault):
        budgets.learn_block_on_budget(
            arguments[0], spec, scheme, arguments[2], arguments[3], arguments[4], 1
        )
    assert state.t[0] == 0
    budgets.learn_block_on_budget(block, spec, scheme, state, slots, budget_state, 1)
    assert state.t[0] == 3
    assert slots.size[0] == 3


def test_an_unknown_scheme_is_refused():
    block, spec, state, slots = block_on_budget(3, 4)
    budget_state = budgets.empty_budget_state(schemes.by_name("forgetron", 0.1), 4, 1, 1)
    updates = expansion.updates_of(spec, 1)
    with pytest.raises(ValueError, match="no budget scheme Eager"):
        _core.learn_on_budget(block, updates, "Eager", 0.0, state, slots, budget_state)
