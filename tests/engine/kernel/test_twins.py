"""NumPy twins of the kernel loops and budgets, against the linear twins and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_data import integer_rows, products
from kernel_twins import (
    damage,
    forgetron,
    kernel_binary,
    kernel_multi,
    projectron,
    projectron_plus,
    random_removal,
    shrinking,
    votes,
)
from numpy_twins import binary, multi
from profiles import thorough

from rosenblatt import rules, textbook

seeds = st.integers(0, 2**32 - 1)
examples = thorough(60)
nan = math.nan


# The twins of the kernel loops, against those of the linear ones.

RULES = [rules.Perceptron(), rules.Perceptron(tie=-1.0), rules.MarginPerceptron(), rules.PA1(0.1)]


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("intercept", [True, False])
def test_the_binary_twin_is_the_linear_one_on_features(rule, intercept):
    rng = np.random.default_rng(3)
    X, y = rng.integers(-3, 4, (40, 5)).astype(float), rng.choice([-1.0, 1.0], 40)
    weight, order = rng.integers(1, 3, 40).astype(float), rng.permutation(40)
    options = {"epochs": 2, "tie": getattr(rule, "tie", 0.0), "intercept": intercept}
    dual = kernel_binary(X @ X.T, y, weight, order, rule, **options)
    w, b, mistakes, updates, average = binary(X, y, weight, order, rule, **options)
    close = np.testing.assert_allclose
    close(dual.a @ X, w, rtol=1e-12, atol=1e-12)
    close(np.append(dual.average[:-1] @ X, dual.average[-1]), average, rtol=1e-12, atol=1e-12)
    close(dual.b, b, rtol=1e-12, atol=1e-12)
    close(dual.sqnorm, w @ w, rtol=1e-12)
    assert (dual.mistakes, dual.updates) == (mistakes, updates) == (len(dual.wrong), updates)
    assert 0 < mistakes <= updates
    moved = np.zeros(40)
    for _, row, tau in dual.moves:
        moved[row] += tau
    np.testing.assert_array_equal(moved, dual.a)


@pytest.mark.parametrize("rule", [RULES[0], RULES[-1]], ids=str)
@pytest.mark.parametrize("joint", [False, True], ids=["ovr", "joint"])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_twin_of_many_classes_is_the_linear_one_on_features(rule, joint, intercept):
    rng = np.random.default_rng(4)
    X, y = rng.integers(-3, 4, (40, 5)).astype(float), rng.integers(0, 3, 40)
    weight, order = rng.integers(1, 3, 40).astype(float), rng.permutation(40)
    options = {"joint": joint, "intercept": intercept}
    dual = kernel_multi(X @ X.T, y, weight, order, rule, 3, **options)
    W, b, mistakes, errors = multi(X, y, weight, order, rule, 3, **options)
    np.testing.assert_allclose(X.T @ dual.a, W, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(dual.b, b, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(dual.sqnorm, (W**2).sum(axis=0), rtol=1e-12)
    np.testing.assert_array_equal(dual.mistakes, mistakes)
    assert len(dual.wrong) == errors > 0
    np.testing.assert_array_equal(dual.updates, sum(tau != 0 for *_, tau in dual.moves))
    # Two epochs are one epoch of the order twice, whose average is the mean after each example.
    twice = kernel_multi(X @ X.T, y, weight, order, rule, 3, epochs=2, **options)
    again = kernel_multi(X @ X.T, y, weight, [*order, *order], rule, 3, **options)
    np.testing.assert_array_equal(twice.average, again.average)
    starts = [t for t, *_ in again.moves]
    spans = [81 - t for t in starts]  # how many of the 80 vectors a move is in
    mean = sum(span * tau for span, (*_, tau) in zip(spans, again.moves, strict=True)) / 80
    np.testing.assert_allclose(again.average[:-1].sum(axis=0), mean, rtol=1e-12, atol=1e-12)


@examples
@given(seed=seeds, epochs=st.integers(1, 3), tie=st.sampled_from([-1, 0, 1]), offset=st.booleans())
def test_L3_7_the_twins_votes_are_the_textbooks(seed, epochs, tie, offset):
    X, y = integer_rows(seed)
    rows = np.random.default_rng(seed).integers(-3, 4, (9, X.shape[1])).astype(float)
    rule = rules.Perceptron(tie=float(tie))
    dual = kernel_binary(
        X @ X.T, y, np.ones(len(y)), range(len(y)), rule, epochs=epochs, tie=tie, intercept=offset
    )
    ballots = votes(rows @ X.T, dual.moves, epochs * len(y), tie, offset)
    lift = textbook.append_one if offset else np.asarray
    done = textbook.voted_perceptron(lift(X), y, epochs=epochs, tie=tie)
    assert dual.wrong == (1 + np.flatnonzero(done.run.mistake)).tolist()
    np.testing.assert_array_equal(
        np.where(ballots == 0, tie, np.sign(ballots)), done.vote(lift(rows))
    )
    assert (np.abs(ballots) <= epochs * len(y)).all()


# The twins of the budgets.


def gaussian(seed, n=60, d=3):
    """Rows no two of which are alike, their Gaussian kernel, and labels that no line makes."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    return K, np.where((X**2).sum(axis=1) + 0.5 * rng.standard_normal(n) > 2.5, 1.0, -1.0)


def oldest(B):
    return 0


BUDGETS = {
    "random": lambda *args: random_removal(*args, oldest),
    "forgetron": forgetron,
    "projectron": projectron,
}


@pytest.mark.parametrize("name", BUDGETS)
@pytest.mark.parametrize("seed", range(3))
def test_a_budget_for_all_rows_is_no_budget(name, seed):
    K, y = gaussian(seed)
    order = np.random.default_rng(seed).permutation(len(y))
    free = kernel_binary(K, y, np.ones(len(y)), order, rules.Perceptron(), intercept=False)
    held = BUDGETS[name](K, y, order, len(y))
    assert held.rows == [row for _, row, _ in free.moves]
    np.testing.assert_array_equal(held.a, free.a[held.rows])
    assert held.mistakes == free.mistakes > 10
    # One place less than needed is felt, and the budget is kept.
    tight = BUDGETS[name](K, y, order, 5)
    assert len(tight.rows) == len(tight.a) == 5
    assert tight.rows != held.rows


def test_random_removal_by_hand():
    # Orthonormal rows: every score is 0, every row a mistake.
    K, y = np.eye(5), np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    places = iter([1, 0, 1])
    asked = []

    def draw(B):
        asked.append(B)
        return next(places)

    held = random_removal(K, y, range(5), 2, draw)  # 0 1, 0 2, 2 3, 2 4
    assert (held.rows, held.a.tolist(), held.mistakes) == ([2, 4], [1, 1], 5)
    assert asked == [2, 2, 2]


def test_random_removal_takes_any_place():
    K, y = np.eye(30), np.ones(30)
    rng = np.random.default_rng(0)
    left = {tuple(random_removal(K, y, range(30), 3, rng.integers).rows) for _ in range(20)}
    assert len(left) > 10
    assert all(rows[-1] == 29 for rows in left)


@pytest.mark.parametrize(
    ("sigma", "mu", "left", "phi"),
    [
        (1.0, 0.0, 3.0, 1.0),  # a > 0: φ² + 2φ, just within
        (1.0, 0.0, 1.25, 0.5),  # a > 0
        (1.0, 0.5, 0.5, 0.25),  # a = 0: 2φ
        (1.0, 0.5, 2.0, 1.0),  # a = 0, within
        (1.0, 1.0, 0.75, 0.5),  # a < 0: -φ² + 2φ, the first root; the second is 1.5
        (1.0, 1.0, 1.5, 1.0),  # a < 0, no real root: never above 1
        (1.0, 2.5, 0.1, 1.0),  # a < 0: -4φ² + 2φ, two roots below 1, and Ψ(1) is negative
        (1.0, 1.5, 0.25, 1.0),  # a < 0: -2φ² + 2φ, the same with Ψ(1) = 0
        (0.5, -3.0, 0.33, 0.2),  # a > 0 by a negative μ: 3.25φ² + φ
    ],
)
def test_forgetron_shrinks_as_little_as_it_may_by_hand(sigma, mu, left, phi):
    assert shrinking(sigma, mu, left) == pytest.approx(phi, rel=1e-15)


@thorough(400)
@given(
    sigma=st.floats(1e-3, 1.0),
    mu=st.floats(-5.0, 5.0) | st.sampled_from(["a is 0", "no root"]),
    left=st.floats(1e-3, 6.0),
)
def test_forgetron_shrinks_as_little_as_a_fine_grid_says(sigma, mu, left):
    if mu == "a is 0":
        mu = sigma / 2
    elif mu == "no root":  # b² + 4 a left < 0
        mu = sigma / 2 + 0.6 * sigma / left
    phi = shrinking(sigma, mu, left)
    assert 0.0 < phi <= 1.0
    assert damage(phi, sigma, mu) <= left * (1 + 1e-9)
    grid = np.linspace(0.0, 1.0, 20_001)[1:]
    allowed = grid[damage(grid, sigma, mu) <= left * (1 - 1e-9)]
    assert phi >= allowed.max(initial=0.0) - 1e-9


def test_forgetron_by_hand():
    # Orthonormal rows: every score is 0, every row a mistake; one is held.
    K, y = np.eye(3), np.array([1.0, -1.0, -1.0])
    # σ = μ = 1 and Ψ(φ) = 2φ - φ² = 2·15/32: φ = 3/4.
    held = forgetron(K, y, range(2), 1)
    assert (held.rows, held.a.tolist(), held.mistakes) == ([1], [-0.75], 2)
    # σ = μ = 3/4 and, with u = 3φ/4, Ψ(φ) = 2u - u² = 3·15/32 - 2·15/32.
    held = forgetron(K, y, range(3), 1)
    assert held.rows == [2]
    assert held.a.tolist() == pytest.approx([-(1 - (1 - 15 / 32) ** 0.5) / 0.75], rel=1e-14)


def explicit(Z, y, order, B, eta=None):
    """Projectron in the space of its features: w itself, and projections by least squares.

    With an η it is Projectron++.
    """
    w, rows, mistakes = np.zeros(Z.shape[1]), [], 0
    for i in order:
        basis = Z[rows].T
        P = basis @ np.linalg.lstsq(basis, Z[i], rcond=None)[0] if rows else 0 * Z[i]
        margin, delta = y[i] * (w @ Z[i]), np.linalg.norm(Z[i] - P)
        near = 1e-4 * np.linalg.norm(Z[i]) if eta is None else eta
        near = near if len(rows) < B else np.inf
        if margin <= 0:
            mistakes += 1
            w = w + y[i] * (Z[i] if delta > near else P)
            if delta > near:
                rows.append(i)
        elif eta is not None and delta / near < 1 - margin:
            tau = min((1 - margin) / (P @ P), 2 * (1 - margin - delta / near) / (P @ P), 1.0)
            w = w + y[i] * P * tau
    return w, rows, mistakes


@pytest.mark.parametrize("eta", [None, 1e-4, 1.0], ids=["plain", "plus", "plus, coarse"])
@pytest.mark.parametrize("B", [1, 4, 50], ids=["one", "few", "the span"])
@pytest.mark.parametrize("seed", range(4))
def test_projectron_projects_in_feature_space(eta, B, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((80, 3))
    y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] > 0, 1.0, -1.0)
    Z, order = products(X, 2), rng.permutation(80)
    K = Z @ Z.T
    held = projectron_plus(K, y, order, B, eta) if eta else projectron(K, y, order, B, 1e-9)
    w, rows, mistakes = explicit(Z, y, order, B, eta)
    assert (held.rows, held.mistakes) == (rows, mistakes)
    assert len(rows) <= min(B, 6), "the symmetric products of 3 features span 6 dimensions"
    assert len(rows) == min(B, 6) or eta == 1.0
    assert mistakes > len(rows)
    np.testing.assert_allclose(held.a @ Z[rows], w, rtol=1e-6, atol=1e-6)


def test_projectron_in_the_span_is_the_perceptron():
    """With room for a basis nothing is lost: every correction is made in full."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((80, 3))
    y = np.where(X[:, 0] * X[:, 1] > 0.2, 1.0, -1.0)
    K = (X @ X.T) ** 2
    free = kernel_binary(K, y, np.ones(80), range(80), rules.Perceptron(), intercept=False)
    held = projectron(K, y, range(80), 6, dependent=1e-9)
    assert len(held.rows) == 6 < held.mistakes == free.mistakes
    np.testing.assert_allclose(K[:, held.rows] @ held.a, K @ free.a, rtol=1e-7, atol=1e-7)


def test_projectron_plus_by_hand():
    # Rows (1, 0) and (1/2, 1/8), labels +. Row 0 is kept, w = (1, 0); then the score is 1/2, ℓ =
    # 1/2, ‖P k‖² = 1/4 and ‖δ‖ = 1/8. The step is the least of ℓ/‖P k‖² = 2, 8(1/2 - 1/(8η)) and 1.
    X, y = np.array([[1.0, 0.0], [0.5, 0.125]]), np.ones(2)
    for eta, step in ((0.2, 0.0), (0.25, 0.0), (2 / 7, 0.5), (0.3, 2 / 3), (0.5, 1.0)):
        held = projectron_plus(X @ X.T, y, range(2), 9, eta)
        assert (held.rows, held.mistakes) == ([0], 1)
        assert held.a.tolist() == pytest.approx([1 + step / 2], rel=1e-14)
    # Without room η is infinite. Rows 1/2, 1: the score is 1/2, ℓ = 1/2, ‖x‖² = 1: half a step.
    x = np.array([0.5, 1.0])
    assert projectron_plus(np.outer(x, x), y, range(2), 1, 0.1).a.tolist() == [2]
    assert projectron(np.outer(x, x), y, range(2), 1).a.tolist() == [1]
