"""Kernels and votes: the lectures' algorithms by hand and on features, and the twins' own tests."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_twins import (
    damage,
    forgetron,
    kernel_binary,
    kernel_multi,
    projectron,
    random_removal,
    shrinking,
    votes,
)
from numpy_twins import binary, multi

from rosenblatt import rules, textbook, toys

seeds = st.integers(0, 2**32 - 1)
examples = settings(max_examples=60, deadline=None)
nan = math.nan


def some_rows(seed, d=None):
    """Small whole numbers: every sum is exact, and scores of exactly 0 are common."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 12)), d or int(rng.integers(1, 4))
    y = rng.choice([-1, 1], n)
    y[:2] = 1, -1
    return rng.integers(-2, 3, (n, d)).astype(float), y


def products(X, degree):
    """Φ(x): all products of so many of the features, in all orders; ⟨Φ(x), Φ(z)⟩ = (x·z)^degree."""
    Z = np.ones((len(X), 1))
    for _ in range(degree):
        Z = np.einsum("ni,nj->nij", Z, X).reshape(len(X), -1)
    return Z


# L2.9, L2.10


def test_L2_9_rings_are_learnt_on_quadratic_features():
    toy = toys.rings(40, 0.5, 1.0)
    run = textbook.perceptron(products(toy.X, 2), toy.y)
    assert run.converged
    # The lecture's Φ has √2 x1 x2 for the two mixed products: it is the same run but for rounding.
    x1, x2 = toy.X.T
    short = textbook.perceptron(np.column_stack([x1**2, 2**0.5 * x1 * x2, x2**2]), toy.y)
    np.testing.assert_array_equal(short.mistake, run.mistake)
    np.testing.assert_allclose(short.score, run.score, rtol=0, atol=1e-12)
    assert not textbook.perceptron(toy.X, toy.y, max_epochs=run.epochs).converged


@examples
@given(
    seed=seeds,
    degree=st.integers(1, 3),
    eta=st.sampled_from([1.0, 2.0, 2.0**-8]),
    tie=st.sampled_from([-1, 1]),
)
def test_L2_10_a_kernel_looks_scores_and_corrects_as_its_features(seed, degree, eta, tie):
    X, y = some_rows(seed)
    Z = products(X, degree)
    on_features = textbook.perceptron(Z, y, eta, tie=tie, max_epochs=20)
    by_kernel = textbook.kernel_perceptron(
        lambda x, z: (x @ z) ** degree, X, y, eta=eta, tie=tie, max_epochs=20
    )
    for name in ("order", "used", "score", "prediction", "label", "mistake"):
        np.testing.assert_array_equal(getattr(by_kernel, name), getattr(on_features, name), name)
    for name in ("epochs", "converged", "offset", "b"):
        assert getattr(by_kernel, name) == getattr(on_features, name), name
    alphas, b = by_kernel.weights[:, :-1], by_kernel.weights[:, -1:]
    np.testing.assert_array_equal(np.hstack([alphas @ Z, b]), on_features.weights)


def test_L2_10_by_hand():
    # k = (x z + 1)², so k(0, ·) = 1, k(1, 1) = 4, k(1, 2) = 9, k(2, 2) = 25; labels -, +, -.
    X, y = [[0.0], [1.0], [2.0]], [-1, 1, -1]
    run = textbook.kernel_perceptron(
        lambda x, z: (x @ z + 1) ** 2, X, y, eta=2.0, tie=1, max_epochs=1
    )
    # 0 is +: row 0 is wrong, -2; row 1: -2 - 2, wrong; row 2: -2 + 18 + 0, wrong.
    assert run.score.tolist() == [0, -4, 16]
    assert run.weights.tolist() == [[0, 0, 0, 0], [-2, 0, 0, -2], [-2, 2, 0, 0], [-2, 2, -2, -2]]
    assert (run.w.tolist(), run.b, run.offset) == ([-2, 2, -2], -2.0, -1)
    assert (run.epochs, run.converged) == (1, False)


def test_L2_10_any_function_of_two_rows_is_a_kernel():
    # Not symmetric: the first row is the one that is kept, the second the one that is scored.
    run = textbook.kernel_perceptron(
        lambda kept, x: kept[0] * x[0] ** 2, [[1.0], [2.0]], [1, -1], max_epochs=1
    )
    assert run.score.tolist() == [0, 1 * 4 + 1]
    assert run.weights[-1].tolist() == [1, -1, 0]


def test_L2_10_and_L3_9_xor_needs_the_kernel():
    toy = toys.xor()
    run = textbook.kernel_perceptron(lambda x, z: (x @ z + 1) ** 2, toy.X, toy.y)
    assert (run.converged, run.epochs, run.mistakes) == (True, 3, 4)
    linear = textbook.kernel_perceptron(lambda x, z: x @ z, toy.X, toy.y, max_epochs=200)
    assert (linear.converged, linear.epochs) == (False, 200)


@pytest.mark.parametrize(
    ("arguments", "options", "says"),
    [
        ((max, [], [-1, 1]), {}, r"X must have shape \(n, d\)"),
        ((max, [[1.0], [2.0]], [2, 1]), {}, "y must hold the labels -1 and 1, or 0 and 1, got 2"),
        ((max, [[1.0], [2.0]], [1, 1]), {}, "y must hold both -1 and 1, got 1 only"),
        ((lambda x, z: nan, [[1.0], [2.0]], [-1, 1]), {}, r"k must be finite, got nan at \(0, 0\)"),
        ((lambda x, z: x, [[1.0], [2.0]], [-1, 1]), {}, r"k must have shape \(n, n\)"),
        ((lambda x, z: "near", [[1.0], [2.0]], [-1, 1]), {}, "k must be an array of real numbers"),
        ((max, [[1.0], [2.0]], [-1, 1]), {"eta": 0.0}, "eta must be a finite number > 0, got 0.0"),
        ((max, [[1.0], [2.0]], [-1, 1]), {"tie": 0}, "tie must be one of -1, 1; got 0"),
        ((max, [[1.0], [2.0]], [-1, 1]), {"max_epochs": 0}, "max_epochs must be a whole number"),
    ],
)
def test_kernel_perceptron_says_what_is_wrong(arguments, options, says):
    with pytest.raises(ValueError, match=says):
        textbook.kernel_perceptron(*arguments, **options)


# L3.7


def test_L3_7_by_hand():
    X, y = [[1.0], [1.0], [1.0], [10.0], [10.0]], [-1, -1, -1, 1, 1]
    done = textbook.voted_perceptron(X, y)
    # sign(0) = +1: wrong, w = -1; right twice; wrong, w = -1 + 10; right.
    assert done.run.weights.tolist() == [[0], [-1], [9]]
    assert done.run.mistake.tolist() == [True, False, False, True, False]
    assert done.survived.tolist() == [0, 3, 2]
    assert done.w.tolist() == [(-3 + 18) / 5]
    # Three for -sign(x) and two for sign(x); but the average is 3.
    assert done.vote([[1.0], [-2.0], [0.0]]).tolist() == [-1, 1, 1]
    assert done.average([[1.0], [-2.0], [0.0]]).tolist() == [1, -1, 1]


def test_L3_7_the_sign_of_zero():
    X, y = [[1.0, 0.0], [0.0, 1.0]], [-1, -1]
    survived = {
        tie: textbook.voted_perceptron(X, y, tie=tie).survived.tolist() for tie in (-1, 0, 1)
    }
    assert survived == {-1: [2], 0: [0, 1, 1], 1: [0, 1, 1]}
    # One of the two voters scores 0, and one is against.
    said = {
        tie: textbook.voted_perceptron(X, y, tie=tie).vote([[0.0, 1.0]]).item() for tie in (0, 1)
    }
    assert said == {0: -1, 1: 1}
    assert textbook.voted_perceptron(X, y, tie=0).vote([[0.0, 0.0]]).tolist() == [0]


@examples
@given(seed=seeds, epochs=st.integers(1, 3), tie=st.sampled_from([-1, 0, 1]))
def test_L3_7_every_step_counts_for_the_vector_that_it_leaves(seed, epochs, tie):
    X, y = some_rows(seed)
    done = textbook.voted_perceptron(X, y, epochs=epochs, tie=tie)
    steps = list(done.run)
    assert len(steps) == done.survived.sum() == epochs * len(X)
    after = [step.after.tolist() for step in steps]
    np.testing.assert_array_equal(np.repeat(done.run.weights, done.survived, axis=0), after)
    np.testing.assert_allclose(done.w, np.mean(after, axis=0), rtol=1e-15, atol=1e-15)
    rows = np.random.default_rng(seed).integers(-3, 4, (9, X.shape[1])).astype(float)
    signs = np.sign(rows @ np.transpose(after))
    signs[signs == 0] = tie
    ballots = signs.sum(axis=1)
    np.testing.assert_array_equal(done.vote(rows), np.where(ballots == 0, tie, np.sign(ballots)))
    total = rows @ np.sum(after, axis=0)
    np.testing.assert_array_equal(done.average(rows)[total != 0], np.sign(total[total != 0]))


@examples
@given(seed=seeds, tie=st.sampled_from([-1, 0, 1]))
def test_L3_7_one_pass_is_the_online_perceptron(seed, tie):
    X, y = some_rows(seed)
    done = textbook.voted_perceptron(X, y, tie=tie)
    online = textbook.online_perceptron(X, y, tie=tie)
    np.testing.assert_array_equal(done.run.weights, online.weights)
    np.testing.assert_array_equal(done.run.mistake, online.mistake)
    assert done.run.converged == online.converged


def test_voted_perceptron_says_what_is_wrong():
    with pytest.raises(ValueError, match="y must hold the labels -1 and 1, or 0 and 1, got 2"):
        textbook.voted_perceptron([[1.0], [2.0]], [2, 1])
    with pytest.raises(ValueError, match="epochs must be a whole number >= 1"):
        textbook.voted_perceptron([[1.0]], [1], epochs=0)
    with pytest.raises(ValueError, match="tie must be one of"):
        textbook.voted_perceptron([[1.0]], [1], tie=2)
    done = textbook.voted_perceptron([[1.0]], [1])
    for predict in (done.vote, done.average):
        with pytest.raises(ValueError, match=r"a row of X must have shape \(1,\), got \(2,\)"):
            predict([[1.0, 2.0]])
        with pytest.raises(ValueError, match=r"X must have shape \(n, d\)"):
            predict([1.0])


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
    X, y = some_rows(seed)
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


@settings(max_examples=400, deadline=None)
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


def explicit(Z, y, order, B, plus):
    """Projectron in the space of its features: w itself, and projections by least squares."""
    w, rows, mistakes = np.zeros(Z.shape[1]), [], 0
    for i in order:
        basis = Z[rows].T
        P = basis @ np.linalg.lstsq(basis, Z[i], rcond=None)[0] if rows else 0 * Z[i]
        margin = y[i] * (w @ Z[i])
        room = len(rows) < B and np.linalg.norm(Z[i] - P) > 1e-4 * np.linalg.norm(Z[i])
        if margin <= 0:
            mistakes += 1
            w = w + y[i] * (Z[i] if room else P)
            if room:
                rows.append(i)
        elif plus and margin < 1 and not room:
            w = w + y[i] * P * min(1.0, (1 - margin) / (P @ P))
    return w, rows, mistakes


@pytest.mark.parametrize("plus", [False, True], ids=["plain", "plus"])
@pytest.mark.parametrize("B", [1, 4, 50], ids=["one", "few", "the span"])
@pytest.mark.parametrize("seed", range(4))
def test_projectron_projects_in_feature_space(plus, B, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((80, 3))
    y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] > 0, 1.0, -1.0)
    Z, order = products(X, 2), rng.permutation(80)
    held = projectron(Z @ Z.T, y, order, B, plus, dependent=1e-9)
    w, rows, mistakes = explicit(Z, y, order, B, plus)
    assert (held.rows, held.mistakes) == (rows, mistakes)
    assert len(rows) == min(B, 6), "the symmetric products of 3 features span 6 dimensions"
    assert mistakes > len(rows)
    np.testing.assert_allclose(held.a @ Z[rows], w, rtol=1e-7, atol=1e-7)


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
    # One feature: rows 2, 1/4, 4; k = x z. Row 0 is kept, w = 2; then w x = 1/2, loss 1/2, and
    # ‖x‖² = 1/16: a whole step, w = 9/4; then w x = 9, no loss.
    x, y = np.array([2.0, 0.25, 4.0]), np.ones(3)
    held = projectron(np.outer(x, x), y, range(3), 9, plus=True)
    assert (held.rows, held.mistakes) == ([0], 1)
    assert held.a.tolist() == pytest.approx([9 / 8], rel=1e-15)
    assert projectron(np.outer(x, x), y, range(3), 9).a.tolist() == [1]
    # Rows 1/2, 1, labels +, +: w x = 1/2, loss 1/2, ‖x‖² = 1: half a step, w x = 1.
    x = np.array([0.5, 1.0])
    assert projectron(np.outer(x, x), y[:2], range(2), 1, plus=True).a.tolist() == [2]
