"""Radius, margins and bounds: by hand, against twins, and against recorded runs."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough

from rosenblatt import textbook, theory, toys

seeds = st.integers(0, 2**32 - 1)
examples = thorough(60)


class FakeCSR(SimpleNamespace):
    """What the theory asks of sparse rows, and no more."""

    def __matmul__(self, w):
        out = np.zeros(self.shape[0])
        for i in range(self.shape[0]):
            for k in range(self.indptr[i], self.indptr[i + 1]):
                out[i] += self.data[k] * w[self.indices[k]]
        return out


def csr(data, indices, indptr, shape, **more):
    return FakeCSR(
        data=np.array(data, float),
        indices=np.array(indices, int),
        indptr=np.array(indptr, int),
        shape=shape,
        **more,
    )


# Radius.


def test_radius_by_hand():
    assert theory.radius([[3, 4], [-5, 12], [0, 0]]) == 13.0
    assert theory.radius([[0.0]]) == 0.0


def test_radius_neither_overflows_nor_underflows():
    assert theory.radius([[3e200, 4e200]]) == pytest.approx(5e200, rel=1e-15)
    assert theory.radius([[3e-200, 4e-200]]) == pytest.approx(5e-200, rel=1e-15)
    with pytest.raises(ValueError, match=r"X must have rows shorter than 1\.8e308"):
        theory.radius([[1.7e308, 1.7e308]])


@examples
@given(seed=seeds, n=st.integers(1, 6), d=st.integers(1, 6), power=st.integers(-300, 290))
def test_radius_is_the_longest_row(seed, n, d, power):
    X = np.random.default_rng(seed).standard_normal((n, d)) * 10.0**power
    assert theory.radius(X) == pytest.approx(max(math.hypot(*row) for row in X), rel=1e-14)


def test_radius_sums_duplicate_csr_entries():
    # Rows (3, 0, 4), (), (1 + 1, 0, 0); the second row is empty, the third stores two parts.
    X = csr([4, 3, 1, 1], [2, 0, 0, 0], [0, 2, 2, 4], (3, 3))
    assert theory.radius(X) == 5.0
    assert theory.radius(csr([3, 3], [1, 1], [0, 2], (1, 2))) == 6.0
    assert theory.radius(csr([3, -3], [1, 1], [0, 2], (1, 2))) == 0.0
    assert theory.radius(csr([], [], [0, 0], (1, 4))) == 0.0


def test_csr_rows_of_scipy_agree_with_dense_rows():
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(0)
    dense = rng.standard_normal((20, 7)) * (rng.random((20, 7)) < 0.3)
    y = np.where(rng.random(20) < 0.5, 1, -1)
    w = rng.standard_normal(7)
    for kind in (sparse.csr_array, sparse.csr_matrix):
        X = kind(dense)
        assert theory.radius(X) == pytest.approx(theory.radius(dense), rel=1e-15)
        np.testing.assert_allclose(theory.margins(X, y, w, 0.5), theory.margins(dense, y, w, 0.5))
        assert theory.slack(X, y, w, 1.0) == pytest.approx(theory.slack(dense, y, w, 1.0))


@pytest.mark.parametrize(
    ("X", "says"),
    [
        (csr([1.0], [0], [0, 1], (1, 1), format="csc"), "X must be CSR of shape .* got csc"),
        (csr([1.0], [0], [0, 1], (2, 1)), "X must be CSR of shape"),
        (csr([], [], [0], (0, 3)), "X must be CSR of shape"),
        (csr([1.0], [0], [0, 2], (1, 1)), "X must have an indptr that rises from 0 to 1"),
        (csr([1.0], [0], [1, 1], (1, 1)), "X must have an indptr that rises from 0 to 1"),
        (csr([1.0], [0], [0, 2, 1], (2, 1)), "X must have an indptr that rises"),
        (csr([1.0], [1], [0, 1], (1, 1)), "X must have 1 indices from 0 to 0"),
        (csr([1.0], [-1], [0, 1], (1, 1)), "X must have 1 indices from 0 to 0"),
        (csr([1.0], [0, 0], [0, 1], (1, 1)), "X must have 1 indices from 0 to 0"),
        (csr([math.nan], [0], [0, 1], (1, 1)), r"X must be finite, got nan at \(0,\)"),
    ],
)
def test_damaged_csr_rows_are_refused(X, says):
    with pytest.raises(ValueError, match=says):
        theory.radius(X)
    with pytest.raises(ValueError, match=says):
        theory.margins(X, [1], [1.0])


# Margins.


def test_L1_3_margin_of_a_point_and_of_a_set():
    X, y = [[3.0, 4.0], [1.0, 0.0], [0.0, 5.0]], [1, -1, -1]
    u = [0.6, 0.8]
    np.testing.assert_allclose(theory.margins(X, y, u), [5.0, -0.6, -4.0])
    assert theory.margin(X, y, u) == pytest.approx(-4.0)
    assert theory.margin(X[:1], y[:1], u) == pytest.approx(5.0)


def test_L1_3_margin_has_the_sign_of_being_right_and_the_size_of_the_distance():
    # The line x1 + x2 = 3 is 3/√2 away from the origin and 1/√2 away from (2, 2).
    margins = theory.margins([[0.0, 0.0], [2.0, 2.0], [1.0, 2.0]], [1, 1, 1], [7.0, 7.0], -21.0)
    np.testing.assert_allclose(margins, [-3 / math.sqrt(2), 1 / math.sqrt(2), 0.0], atol=1e-15)


@examples
@given(seed=seeds, scale=st.floats(1e-250, 1e250))
def test_L1_3_margin_ignores_the_length_of_w(seed, scale):
    rng = np.random.default_rng(seed)
    X, y, w, b = rng.standard_normal((5, 3)), [1, -1, 1, 1, -1], rng.standard_normal(3), 0.25
    np.testing.assert_allclose(
        theory.margins(X, y, scale * w, scale * b), theory.margins(X, y, w, b), rtol=1e-9
    )


# Bounds by hand.


def test_bounds_by_hand():
    assert theory.mistake_bound(3.0, 0.5) == 36.0
    assert theory.mistake_bound(0.0, 1.0) == 0.0
    assert theory.offset_bound(3.0, 2.0, -1.0) == 5.0  # (1 + 1)(9 + 1)/4
    assert theory.experts_bound(7, 3) == 21.0
    assert theory.slack_bound(1.0, 2.0, 0.5) == 36.0
    assert theory.running_bound(2.0, 8.0) == 0.25
    assert theory.running_bound(0.0, 8.0) == 0.0
    assert theory.slack([[3.0, 0.0], [0.0, 1.0]], [1, -1], [0.0, 2.0], 2.0) == pytest.approx(
        math.sqrt(2.0**2 + 3.0**2)
    )


def test_L4_6_start_bound_by_hand():
    # β² = 5, γ = 1, α = 5: (2, 3) - 5 (1, 0) = (-3, 3), whose square is 18.
    assert theory.start_bound([2, 3], [1, 0], [[1, 2], [2, -1]]) == pytest.approx(18 / 5)
    # With ε = 1/2 the start counts double: (4, 6) - (5, 0), 37.
    assert theory.start_bound([2, 3], [1, 0], [[1, 2], [2, -1]], eps=0.5) == pytest.approx(37 / 5)


@examples
@given(seed=seeds)
def test_L4_6_from_zero_it_is_the_bound_of_L0_5(seed):
    toy = toys.separable(12, 3, margin=0.2, seed=seed)
    Z = toy.y[:, np.newaxis] * toy.X
    at_zero = theory.start_bound(np.zeros(3), toy.u, Z)
    gamma = theory.margin(toy.X, toy.y, toy.u)
    assert at_zero == pytest.approx(theory.mistake_bound(theory.radius(toy.X), gamma))
    assert theory.start_bound(np.zeros(3), 17.0 * toy.u, Z) == pytest.approx(at_zero)


# Bounds against runs.


@examples
@given(seed=seeds, n=st.integers(2, 60), d=st.integers(1, 6), margin=st.floats(0.02, 0.6))
def test_L0_5_mistakes_and_both_claims(seed, n, d, margin):
    toy = toys.separable(n, d, margin=margin, radius=2.0, seed=seed)
    run = textbook.origin_perceptron(toy.X, toy.y)
    assert run.mistakes <= theory.mistake_bound(toy.R, toy.gamma)
    for t, w in enumerate(run.weights):
        assert toy.u @ w >= t * toy.gamma - 1e-12 * (t + 1)  # Claim 1
        assert w @ w <= t * toy.R**2 * (1 + 1e-12)  # Claim 2


@pytest.mark.parametrize("n", [1, 4, 9, 25])
def test_L0_5_the_bound_is_attained(n):
    # n perpendicular unit rows: γ = 1/√n, R = 1, and each is a mistake of its own.
    run = textbook.origin_perceptron(np.eye(n), np.ones(n))
    gamma = theory.margin(np.eye(n), np.ones(n), np.ones(n))
    assert run.mistakes == n == round(theory.mistake_bound(theory.radius(np.eye(n)), gamma), 9)


@examples
@given(seed=seeds, passes=st.integers(1, 6))
def test_L1_4_mistakes_and_both_lemmas_before_every_round(seed, passes):
    toy = toys.separable(30, 4, margin=0.1, seed=seed)
    D, gamma = toy.R, toy.gamma
    run = textbook.online_perceptron(np.tile(toy.X, (passes, 1)), np.tile(toy.y, passes))
    assert run.mistakes <= theory.mistake_bound(D, gamma)
    mistakes = 0
    for t, step in enumerate(run):
        assert run.used[t] == mistakes  # the lecture's m_t
        assert step.before @ toy.u >= mistakes * gamma - 1e-12 * (mistakes + 1)  # Lemma 1
        assert step.before @ step.before <= mistakes * D**2 * (1 + 1e-12)  # Lemma 2
        mistakes += step.mistake
    assert mistakes == run.mistakes


@examples
@given(seed=seeds, n=st.integers(1, 30), data=st.data())
def test_L1_5_experts_make_at_most_nk_mistakes(seed, n, data):
    k = data.draw(st.integers(1, n).filter(lambda k: k % 2 == 1))
    toy = toys.experts(200, n, k, seed=seed)
    run = textbook.online_perceptron(toy.X, toy.y)
    assert run.mistakes <= theory.experts_bound(n, k)
    assert theory.experts_bound(n, k) == pytest.approx(theory.mistake_bound(toy.R, toy.gamma))


def test_L1_5_perceptron_learns_whom_to_follow():
    toy = toys.experts(3000, 20, 3, seed=1)
    run = textbook.online_perceptron(toy.X, toy.y)
    late = run.mistake[-1000:].mean()
    assert 0 < run.mistakes <= theory.experts_bound(20, 3) == 60.0
    alone = (toy.y[:, np.newaxis] != toy.X).mean(axis=0)
    assert late < 0.01 < 0.2 < alone.min()  # no single analyst is any good


@examples
@given(
    seed=seeds,
    offset=st.floats(-0.7, 0.7),
    eta=st.sampled_from([0.01, 0.3, 1.0, 2.0, 50.0]),
    tie=st.sampled_from([-1, 1]),
)
def test_L2_3_updates_and_both_inequalities(seed, offset, eta, tie):
    toy = toys.separable(25, 3, margin=0.15, offset=offset, seed=seed)
    run = textbook.perceptron(toy.X, toy.y, eta, tie=tie)
    assert run.converged
    assert run.mistakes <= theory.offset_bound(toy.R, toy.gamma, toy.b)
    star = np.append(toy.u, toy.b)
    for j, v in enumerate(run.weights):
        assert v @ star >= j * eta * toy.gamma - 1e-11 * eta * (j + 1)
        assert v @ v <= j * eta**2 * (toy.R**2 + 1) * (1 + 1e-12)


@examples
@given(seed=seeds, pick=st.sampled_from(["first", "last", "cyclic", "random", "worst"]))
def test_L3_4_updates_are_fewer_than_the_bound_whatever_is_picked(seed, pick):
    toy = toys.separable(25, 2, margin=0.2, offset=0.3, seed=seed)
    run = textbook.augmented_perceptron(toy.X, toy.y, pick=pick, seed=seed)
    # In the augmented space: w_opt = (b, u)/√(1 + b²), γ/√(1 + b²), √(1 + R²).
    length = math.hypot(1.0, toy.b)
    w_opt, gamma, R = np.append(toy.b, toy.u) / length, toy.gamma / length, math.hypot(1, toy.R)
    assert run.converged
    assert run.mistakes <= theory.mistake_bound(R, gamma)
    assert theory.mistake_bound(R, gamma) == pytest.approx(
        theory.offset_bound(toy.R, toy.gamma, toy.b)
    )
    for k, w in enumerate(run.weights):
        assert w @ w_opt >= k * gamma - 1e-12 * (k + 1)  # Result 1
        assert w @ w <= k * R**2 * (1 + 1e-12)  # Result 2


@examples
@given(seed=seeds, size=st.floats(0.0, 30.0), eps=st.sampled_from([0.1, 1.0, 3.0]))
def test_L4_6_corrections_from_any_start(seed, size, eps):
    rng = np.random.default_rng(seed)
    toy = toys.separable(20, 2, margin=0.2, offset=0.1, seed=seed)
    start = size * rng.standard_normal(3)
    run = textbook.sample_correction(toy.X, (toy.y + 1) // 2, eps, start=start, max_epochs=100_000)
    Z = toy.y[:, np.newaxis] * np.column_stack([np.ones(20), toy.X])
    w_hat = np.append(toy.b, toy.u)
    assert run.converged
    assert run.mistakes <= theory.start_bound(start, w_hat, Z, eps)
    # The proof: every correction takes at least β² off the squared distance to α ŵ (at ε = 1).
    beta, gamma = theory.radius(Z), (Z @ w_hat).min()
    squares = ((run.weights / eps - beta**2 / gamma * w_hat) ** 2).sum(axis=1)
    assert (np.diff(squares) <= -(beta**2) + 1e-9 * squares[:-1]).all()


@examples
@given(seed=seeds, gamma=st.floats(0.05, 3.0))
def test_slack_bound_holds_on_labels_by_chance(seed, gamma):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((40, 3)), rng.choice([-1, 1], 40)
    run = textbook.online_perceptron(X, y)
    for u in (*rng.standard_normal((20, 3)), run.weights[-1] + 1e-3):
        D = theory.slack(X, y, u, gamma)
        assert run.mistakes <= theory.slack_bound(theory.radius(X), D, gamma)


def test_slack_bound_is_the_mistake_bound_where_there_is_no_slack():
    toy = toys.separable(50, 3, margin=0.25)
    D = theory.slack(toy.X, toy.y, toy.u, toy.gamma)
    assert 0.0 <= D < 1e-13
    assert theory.slack_bound(toy.R, 0.0, toy.gamma) == theory.mistake_bound(toy.R, toy.gamma)


@examples
@given(seed=seeds, eta=st.floats(0.01, 1.0))
def test_L1_4_running_bound_is_above_every_margin_at_every_moment(seed, eta):
    toy = toys.separable(30, 3, margin=0.3, seed=seed)
    run = textbook.origin_perceptron(toy.X, toy.y, eta)
    for k, w in enumerate(run.weights[1:], start=1):
        bound = theory.running_bound(float(np.linalg.norm(w)), k * eta)
        assert toy.gamma <= bound * (1 + 1e-12)
        assert bound <= toy.R / math.sqrt(k) * (1 + 1e-12)


@thorough(10)  # each a run of 4000 updates
@given(seed=seeds)
def test_running_bound_closes_in_where_nothing_separates(seed):
    toy = toys.xor(3, noise=0.4, seed=seed)
    run = textbook.augmented_perceptron(toy.X, toy.y, pick="cyclic", max_updates=4000)
    bounds = [
        theory.running_bound(float(np.linalg.norm(w)), k)
        for k, w in enumerate(run.weights[1:], start=1)
    ]
    rows = np.column_stack([np.ones(12), toy.X])
    best = max(
        theory.margin(rows, toy.y, u) for u in np.random.default_rng(seed).standard_normal((50, 3))
    )
    assert not run.converged
    assert best < 0.0 <= min(bounds) < 0.05  # no margin is positive, and the run nearly says so


def test_running_bound_of_zero_is_reached_on_xor():
    toy = toys.xor()
    run = textbook.augmented_perceptron(toy.X, toy.y, max_updates=50)
    back = np.flatnonzero((run.weights[1:] == 0.0).all(axis=1))
    assert len(back) > 0  # w is back at 0: the picks until then cancel, exactly
    picks = run.corrected[: back[0] + 1]
    lifted = np.column_stack([np.ones(4), toy.X])
    assert [sum(map(Fraction, column)) for column in (toy.y[picks] * lifted[picks].T)] == [0, 0, 0]


# Bad input.

nan, inf = math.nan, math.inf


@pytest.mark.parametrize(
    ("X", "says"),
    [
        ([], r"X must have shape \(n, d\)"),
        ([1.0, 2.0], r"X must have shape \(n, d\)"),
        ([[]], r"X must have shape \(n, d\)"),
        (np.zeros((0, 3)), r"X must have shape \(n, d\) .*got \(0, 3\)"),
        ([[1.0], [2.0, 3.0]], "X must be an array of real numbers"),
        ([["a"]], "X must be an array of real numbers"),
        ([[1j]], "X must be an array of real numbers, got dtype complex128"),
        ([[None]], "X must"),
        ([[1.0, nan]], r"X must be finite, got nan at \(0, 1\)"),
        ([[1.0], [-inf]], r"X must be finite, got -inf at \(1, 0\)"),
    ],
)
def test_bad_rows(X, says):
    with pytest.raises(ValueError, match=says):
        theory.radius(X)
    with pytest.raises(ValueError, match=says):
        theory.margins(X, [1], [1.0])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"y": [1]}, r"y must have shape \(2,\), got \(1,\)"),
        ({"y": [[1, -1]]}, r"y must have shape \(2,\)"),
        ({"y": [0, 1]}, "y must hold the labels -1 and 1, got 0"),
        ({"y": [1, nan]}, "y must be finite"),
        ({"y": ["a", "b"]}, "y must be an array of real numbers"),
        ({"w": [1.0]}, r"w must have shape \(2,\), got \(1,\)"),
        ({"w": [1.0, inf]}, "w must be finite"),
        ({"w": [0.0, 0.0]}, "w must have a direction"),
        ({"b": nan}, "b must be a finite number, got nan"),
        ({"b": "0"}, "b must be a finite number, got '0'"),
        ({"b": 10**400}, "b must be a finite number"),
    ],
)
def test_bad_margins(change, says):
    good = {"X": [[1.0, 0.0], [0.0, 1.0]], "y": [1, -1], "w": [1.0, -1.0], "b": 0.0}
    for function in (theory.margins, theory.margin):
        with pytest.raises(ValueError, match=says):
            function(**{**good, **change})


@pytest.mark.parametrize("bad", [nan, inf, -inf, "1", None, [1.0]])
@pytest.mark.parametrize(
    ("function", "names"),
    [
        (theory.mistake_bound, ["R", "gamma"]),
        (theory.offset_bound, ["R", "rho", "b"]),
        (theory.slack_bound, ["R", "D", "gamma"]),
        (theory.running_bound, ["norm_w", "total_alpha"]),
    ],
)
def test_bounds_of_what_is_no_finite_number(function, names, bad):
    for name in names:
        with pytest.raises(ValueError, match=f"{name} must be a finite number.*, got"):
            function(**{**dict.fromkeys(names, 1.0), name: bad})


@pytest.mark.parametrize(
    ("function", "arguments", "says"),
    [
        (theory.mistake_bound, (-1.0, 1.0), "R must be a finite number >= 0, got -1.0"),
        (theory.mistake_bound, (1.0, 0.0), "gamma must be a finite number > 0, got 0.0"),
        (theory.mistake_bound, (1.0, -1.0), "gamma must be a finite number > 0"),
        (theory.offset_bound, (-1.0, 1.0, 0.0), "R must be"),
        (theory.offset_bound, (1.0, 0.0, 0.0), "rho must be a finite number > 0"),
        (theory.slack_bound, (-1.0, 0.0, 1.0), "R must be"),
        (theory.slack_bound, (-0.5, 1.0, 1.0), "R must be a finite number >= 0, got -0.5"),
        (theory.slack_bound, (1.0, -1.0, 1.0), "D must be"),
        (theory.slack_bound, (1.0, 0.0, 0.0), "gamma must be"),
        (theory.running_bound, (-1.0, 1.0), "norm_w must be"),
        (theory.running_bound, (1.0, 0.0), "total_alpha must be a finite number > 0"),
        (theory.experts_bound, (0, 1), "n must be a whole number >= 1, got 0"),
        (theory.experts_bound, (3, 0), "k must be a whole number >= 1, got 0"),
        (theory.experts_bound, (3, 4), "k must be at most n = 3, got 4"),
        (theory.experts_bound, (3.0, 1), "n must be a whole number"),
        (theory.slack, ([[1.0]], [1], [1.0], 0.0), "gamma must be a finite number > 0"),
        (theory.slack, ([[1.0]], [1], [0.0], 1.0), "u must have a direction"),
        (theory.start_bound, ([1.0], [1.0, 0.0], [[1.0, 0.0]]), r"w1 must have shape \(2,\)"),
        (theory.start_bound, ([1.0, 0.0], [1.0], [[1.0, 0.0]]), r"w_hat must have shape \(2,\)"),
        (theory.start_bound, ([1.0], [1.0], [[nan]]), "Z must be finite"),
        (theory.start_bound, ([nan], [1.0], [[1.0]]), "w1 must be finite"),
        (theory.start_bound, ([1.0], [1.0], [[1.0], [0.0]]), "w_hat must have w_hat·z > 0"),
        (theory.start_bound, ([1.0], [1.0], [[1.0]], 0.0), "eps must be a finite number > 0"),
    ],
)
def test_bounds_of_what_is_out_of_range(function, arguments, says):
    with pytest.raises(ValueError, match=says):
        function(*arguments)


def test_a_bound_too_large_for_a_float_is_infinite():
    assert theory.mistake_bound(1e300, 1e-300) == inf
    assert theory.offset_bound(1e300, 1.0, 0.0) == inf
    assert theory.start_bound([0.0, 0.0], [1.0, 0.0], [[1e-200, 1e200]]) == inf
    assert theory.slack([[1e308]], [-1], [1.0], 1e308) == inf
    assert theory.slack([[1e308], [1e308]], [-1, -1], [1.0], 7e307) == inf


def test_L2_13_the_bound_divided_by_m_bounds_the_expected_error():
    m, errors = 400, []
    toy = toys.separable(4000, 3, margin=0.25, offset=0.2, seed=1)
    rho, R = theory.margin(toy.X, toy.y, toy.u, toy.b), theory.radius(toy.X)
    promised = theory.expected_error_bound(m, R, rho, toy.b)
    assert 0.0 < promised < 0.2
    assert promised == pytest.approx(theory.offset_bound(R, rho, toy.b) / m)
    for seed in range(20):
        drawn = np.random.default_rng(seed).integers(0, 4000, m)  # examples of a distribution
        run = textbook.perceptron(toy.X[drawn], toy.y[drawn], max_epochs=1)
        wrong = [np.where(toy.X @ w[:3] + w[3] > 0, 1, -1) != toy.y for w in run.weights]
        rates = np.mean(wrong, axis=1)
        errors.append(rates[run.used[:m]].mean())  # of the w before each example
        last = run.mistakes / m
        assert last <= promised
    assert 0.0 < np.mean(errors) <= promised
    assert theory.expected_error_bound(1, R, rho, toy.b) == 1.0
    with pytest.raises(ValueError, match="m must be a whole number >= 1"):
        theory.expected_error_bound(0, R, rho, toy.b)
