"""Toy data have the stated separators and margins, and are reproducible by seed."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough

from rosenblatt import textbook, theory, toys

seeds = st.integers(0, 2**32 - 1)
examples = thorough(60)


def exact(numbers):
    return [Fraction(float(x)) for x in numbers]


def inner(x, w):
    return sum(a * b for a, b in zip(exact(x), exact(w), strict=True))


@examples
@given(
    seed=seeds,
    n=st.integers(2, 12),
    d=st.integers(1, 12),
    shares=st.tuples(st.floats(1e-6, 0.6), st.floats(-0.399, 0.399)),
    power=st.integers(-100, 100),
)
def test_L0_5_separable_keeps_its_promise_in_exact_arithmetic(seed, n, d, shares, power):
    R = 10.0**power
    gamma, b = R * shares[0], R * shares[1]
    toy = toys.separable(n, d, margin=gamma, radius=R, offset=b, seed=seed)
    assert (toy.gamma, toy.b, toy.R) == (gamma, b, R)
    assert toy.X.shape == (n, d)
    assert toy.y.shape == (n,)
    assert toy.u.shape == (d,)
    assert np.linalg.norm(toy.u) == pytest.approx(1.0, rel=1e-14)
    square = inner(toy.u, toy.u)
    least = {}
    for x, y in zip(toy.X, toy.y.tolist(), strict=True):
        distance = y * (inner(x, toy.u) + Fraction(b))
        assert distance >= Fraction(gamma)
        assert distance**2 >= Fraction(gamma) ** 2 * square  # by the true length of u, too
        assert inner(x, x) <= Fraction(R) ** 2
        least[y] = min(distance, least.get(y, distance))
    # Both classes are there, and on both sides the margin is attained to rounding.
    assert set(least) == {-1, 1}
    assert max(least.values()) <= Fraction(gamma) + Fraction(1e-11) * Fraction(R)


@examples
@given(seed=seeds, d=st.integers(1, 40), offset=st.floats(-0.3, 0.3))
def test_L0_5_separable_keeps_its_promise_however_it_is_summed(seed, d, offset):
    toy = toys.separable(20, d, margin=0.3, offset=offset, seed=seed)
    reverse = slice(None, None, -1)
    for scores in (
        toy.X @ toy.u,
        (toy.X * toy.u).sum(axis=1),
        toy.X[:, reverse] @ toy.u[reverse],
        np.cumsum(toy.X * toy.u, axis=1)[:, -1],
    ):
        assert (toy.y * (scores + toy.b) >= toy.gamma).all()
    assert theory.margin(toy.X, toy.y, toy.u, toy.b) >= toy.gamma
    assert theory.radius(toy.X) <= toy.R


def test_separable_fills_the_ball():
    toy = toys.separable(4000, 2, margin=0.01, seed=3)
    assert abs(int(toy.y.sum())) <= 1
    assert theory.radius(toy.X) > 0.95
    assert np.ptp(toy.X @ toy.u) > 1.9
    across = toy.X @ [-toy.u[1], toy.u[0]]
    assert across.min() < -0.95
    assert across.max() > 0.95


def test_separable_order_is_not_by_label():
    assert (np.diff(toys.separable(50, 2).y) == 0).any()


def test_L3_9_xor_is_the_four_corners():
    toy = toys.xor()
    assert [(*x, y) for x, y in zip(toy.X.tolist(), toy.y.tolist(), strict=True)] == [
        (-1, -1, -1),
        (-1, 1, 1),
        (1, -1, 1),
        (1, 1, -1),
    ]
    assert (toy.gamma, toy.b) == (1.0, 0.0)
    assert pytest.approx(math.sqrt(3)) == toy.R


def no_line_separates(toy):
    """Check the proof in exact arithmetic: λ >= 0, Σ λ = 1, Σ λ y (x, 1) = 0."""
    weights = exact(toy.weights)
    signed = [w * y for w, y in zip(weights, toy.y.tolist(), strict=True)]
    return (
        min(weights) >= 0
        and sum(weights) == 1
        and sum(signed) == 0
        and all(
            sum(s * x for s, x in zip(signed, exact(column), strict=True)) == 0
            for column in toy.X.T
        )
    )


def check_lifted(toy):
    """Check what is said about the lifted rows."""
    np.testing.assert_array_equal(toy.Z[:, :2], toy.X)
    assert toy.gamma > 0.0
    assert theory.margin(toy.Z, toy.y, toy.u, toy.b) == toy.gamma
    assert theory.radius(toy.Z) == toy.R
    assert textbook.perceptron(toy.Z, toy.y, max_epochs=100_000).converged
    assert not textbook.perceptron(toy.X, toy.y, max_epochs=20).converged


@examples
@given(seed=seeds, copies=st.integers(1, 6), noise=st.floats(0.0, 0.7))
def test_L3_9_xor_is_inseparable_until_it_is_lifted(seed, copies, noise):
    toy = toys.xor(copies, noise=noise, seed=seed)
    assert toy.X.shape == (4 * copies, 2)
    assert no_line_separates(toy)
    np.testing.assert_array_equal(toy.Z[:, 2], toy.X[:, 0] * toy.X[:, 1])
    np.testing.assert_array_equal(toy.y, -np.sign(toy.Z[:, 2]))
    assert toy.gamma >= (1.0 - noise) * (1.0 - noise)
    assert (np.abs(np.abs(toy.X) - 1.0) <= noise + 1e-15).all()
    check_lifted(toy)


def test_xor_noise_moves_the_copies():
    toy = toys.xor(3, noise=0.5)
    assert len(np.unique(toy.X, axis=0)) == 12


@examples
@given(seed=seeds, n=st.integers(4, 40), width=st.floats(0.0, 0.4))
def test_L0_6_rings_are_inseparable_until_they_are_lifted(seed, n, width):
    toy = toys.rings(n, 0.5, 1.0, width=width, seed=seed)
    assert toy.X.shape == (n, 2)
    assert no_line_separates(toy)
    r = np.hypot(*toy.X.T)
    inside = toy.y > 0
    assert 0 <= inside.sum() - (~inside).sum() <= 1
    assert ((r[inside] <= 0.5 + 1e-15) & (r[inside] >= 0.5 - width - 1e-15)).all()
    assert ((r[~inside] >= 1.0 - 1e-15) & (r[~inside] <= 1.0 + width + 1e-15)).all()
    np.testing.assert_allclose(toy.Z[:, 2], r**2)
    assert toy.gamma >= (1.0 - 0.25) / 2 - 1e-15
    check_lifted(toy)


def test_L0_6_rings_by_hand():
    toy = toys.rings(12, inner=1.0, outer=3.0)
    np.testing.assert_allclose([toy.b, toy.gamma, toy.R], [5.0, 4.0, math.sqrt(9 + 81)])
    np.testing.assert_array_equal(toy.u, [0.0, 0.0, -1.0])


@examples
@given(seed=seeds, T=st.integers(1, 60), n=st.integers(1, 15), data=st.data())
def test_L1_5_a_majority_of_the_hidden_experts_is_always_right(seed, T, n, data):
    k = data.draw(st.integers(1, n).filter(lambda k: k % 2 == 1))
    toy = toys.experts(T, n, k, seed=seed)
    hidden = np.flatnonzero(toy.u)
    assert toy.X.shape == (T, n)
    assert set(np.unique(toy.X)) <= {-1.0, 1.0}
    assert len(hidden) == k
    right = (toy.X[:, hidden] == toy.y[:, np.newaxis]).sum(axis=1)
    assert (2 * right > k).all()
    assert pytest.approx(1 / math.sqrt(k)) == toy.gamma
    assert pytest.approx(math.sqrt(n)) == toy.R == theory.radius(toy.X)
    assert theory.margin(toy.X, toy.y, toy.u) >= toy.gamma - 1e-12


def test_L1_5_the_margin_is_attained_and_the_experts_are_not_the_first():
    toy = toys.experts(200, 20, 5, seed=4)
    assert theory.margin(toy.X, toy.y, toy.u) == pytest.approx(toy.gamma)
    assert np.flatnonzero(toy.u).tolist() != [0, 1, 2, 3, 4]
    assert 0.4 < (toy.X > 0).mean() < 0.6


def test_L3_2_two_points():
    toy = toys.two_points()
    assert dict(zip(map(tuple, toy.X.tolist()), toy.y.tolist(), strict=True)) == {
        (2.0, 1.0): -1,
        (1.0, 2.0): +1,
    }
    np.testing.assert_allclose(theory.margins(toy.X, toy.y, toy.u, toy.b), toy.gamma)
    # No margin is larger than half the distance between the two points.
    assert toy.gamma == pytest.approx(np.linalg.norm(toy.X[0] - toy.X[1]) / 2)
    assert theory.radius(toy.X) == pytest.approx(toy.R)


def test_L4_1_unit_square():
    toy = toys.unit_square()
    assert toy.X.shape == (100, 2)
    assert 0.0 <= toy.X.min() < 0.1 < 0.9 < toy.X.max() < 1.0
    for (x1, x2), c in zip(toy.X.tolist(), toy.y.tolist(), strict=True):
        assert c == (1 if 0.7 * x1 + 0.4 * x2 > 0.5 else 0)
    assert set(toy.y.tolist()) == {0, 1}
    np.testing.assert_array_equal(toy.signs, np.where(toy.y == 1, 1, -1))
    assert theory.margin(toy.X, toy.signs, [0.7, 0.4], -0.5) == pytest.approx(toy.gamma)
    assert np.linalg.norm(toy.u) == pytest.approx(1.0)
    assert toy.u[0] / toy.b == pytest.approx(-1.4)
    assert toy.u[1] / toy.b == pytest.approx(-0.8)
    assert theory.radius(toy.X) == toy.R


@examples
@given(seed=seeds, n=st.integers(2, 6))
def test_L4_1_unit_square_has_both_classes_and_a_margin(seed, n):
    toy = toys.unit_square(n, seed=seed)
    assert set(toy.y.tolist()) == {0, 1}
    assert toy.gamma > 0.0


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: toys.separable(9, 3, seed=seed),
        lambda seed: toys.xor(3, noise=0.2, seed=seed),
        lambda seed: toys.rings(9, seed=seed),
        lambda seed: toys.experts(9, 5, 3, seed=seed),
        lambda seed: toys.unit_square(9, seed=seed),
    ],
)
def test_the_seed_decides(make):
    for one, again in zip(make(7), make(7), strict=True):
        np.testing.assert_array_equal(one, again)
    assert not np.array_equal(make(7).X, make(8).X)


# Bad input.

nan, inf = math.nan, math.inf


@pytest.mark.parametrize(
    ("function", "arguments", "says"),
    [
        (toys.separable, {"n": 1, "d": 2}, "n must be a whole number >= 2, got 1"),
        (toys.separable, {"n": 2.0, "d": 2}, "n must be a whole number >= 2, got 2.0"),
        (toys.separable, {"n": 2, "d": 0}, "d must be a whole number >= 1, got 0"),
        (toys.separable, {"n": 2, "d": 2, "margin": 0.0}, "margin must be a finite number > 0"),
        (toys.separable, {"n": 2, "d": 2, "margin": nan}, "margin must be a finite number > 0"),
        (toys.separable, {"n": 2, "d": 2, "radius": -1.0}, "radius must be a finite number > 0"),
        (toys.separable, {"n": 2, "d": 2, "radius": inf}, "radius must be a finite number > 0"),
        (toys.separable, {"n": 2, "d": 2, "offset": inf}, "offset must be a finite number"),
        (toys.separable, {"n": 2, "d": 2, "margin": 1.0}, "radius must be larger than margin"),
        (toys.separable, {"n": 2, "d": 2, "offset": -0.95}, "radius must be larger than margin"),
        (toys.separable, {"n": 2, "d": 2, "seed": -1}, "seed must be a whole number >= 0"),
        (toys.xor, {"copies": 0}, "copies must be a whole number >= 1"),
        (toys.xor, {"noise": -0.1}, "noise must be a finite number >= 0"),
        (toys.xor, {"noise": 1.0}, "noise must be below 1, got 1.0"),
        (toys.xor, {"noise": nan}, "noise must be a finite number"),
        (toys.xor, {"seed": 0.5}, "seed must be a whole number >= 0"),
        (toys.rings, {"n": 3}, "n must be a whole number >= 4"),
        (toys.rings, {"inner": 0.0}, "inner must be a finite number > 0"),
        (toys.rings, {"outer": inf}, "outer must be a finite number > 0"),
        (toys.rings, {"inner": 1.0}, "inner must lie between width and outer"),
        (toys.rings, {"width": 0.5}, "inner must lie between width and outer"),
        (toys.rings, {"width": -0.1}, "width must be a finite number >= 0"),
        (toys.rings, {"seed": -1}, "seed must be"),
        (
            toys.rings,
            {"inner": 1.0, "outer": math.nextafter(1.0, 2.0)},
            "outer must exceed inner by more than rounding",
        ),
        (toys.experts, {"T": 0, "n": 3, "k": 1}, "T must be a whole number >= 1"),
        (toys.experts, {"T": 1, "n": 0, "k": 1}, "n must be a whole number >= 1"),
        (toys.experts, {"T": 1, "n": 3, "k": 0}, "k must be a whole number >= 1"),
        (toys.experts, {"T": 1, "n": 3, "k": 2}, "k must be odd and at most n = 3, got 2"),
        (toys.experts, {"T": 1, "n": 3, "k": 5}, "k must be odd and at most n = 3, got 5"),
        (toys.experts, {"T": 1, "n": 3, "k": 1, "seed": -1}, "seed must be"),
        (toys.unit_square, {"n": 1}, "n must be a whole number >= 2"),
        (toys.unit_square, {"seed": None}, "seed must be a whole number >= 0, got None"),
    ],
)
def test_bad_input(function, arguments, says):
    with pytest.raises(ValueError, match=says):
        function(**arguments)
