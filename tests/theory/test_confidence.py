"""Rules with a confidence against the optima that define them."""

import math
from decimal import Decimal, localcontext
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from registered import of_kind

from rosenblatt import rules

CONFIDENCE_RULES = of_kind("confident")
margins = st.floats(-20, 20)
signs = st.sampled_from([-1.0, 1.0])
variances = st.floats(1e-3, 50)
sizes = st.floats(0.05, 5)


@given(margins, signs, variances)
def test_steps_are_along_the_label_and_confidences_grow(margin, y, variance):
    for rule in (kind() for kind in CONFIDENCE_RULES):
        tau, beta = rule.step(y * margin, y, variance)
        assert tau * y >= 0.0
        assert beta >= 0.0
        assert tau != 0.0 or beta == 0.0
        assert beta != 0.0 or tau == 0.0 or isinstance(rule, rules.NAROW)
        assert math.isfinite(tau + beta)
        mirrored = rule.step(-y * margin, -y, variance)
        assert mirrored == (-tau, beta)


@given(margins, variances, sizes)
def test_arow_minimises_its_objective(margin, variance, r):
    """½ α² v + max(0, 1 − m − αv)²/(2r): figure 1 of the paper, along x."""
    alpha, beta = rules.AROW(r).step(margin, 1.0, variance)

    def objective(a):
        return 0.5 * a * a * variance + max(0.0, 1.0 - margin - a * variance) ** 2 / (2 * r)

    for other in (alpha * 0.99, alpha * 1.01, alpha + 1e-3, max(0.0, alpha - 1e-3)):
        assert objective(alpha) <= objective(other) + 1e-12
    assert beta in (0.0, 1.0 / r)


def test_arow_rests_at_a_margin_of_exactly_1():
    for y in (-1.0, 1.0):
        assert rules.AROW().step(y, y, 2.0) == (0.0, 0.0)
        assert not rules.AROW().needs_variance(y, y)


@given(margins, variances, sizes)
def test_normal_herd_minimises_the_objective_of_mean_and_spread(margin, variance, C):
    """(α²v + (a − 1)² + C (max(0, 1 − m − αv)² + a² v))/2, where the herd shrinks by a along x."""
    alpha, beta = rules.NormalHerd(C).step(margin, 1.0, variance)
    if margin >= 1.0:
        assert (alpha, beta) == (0.0, 0.0)
        return
    a = math.sqrt(1.0 / (1.0 + beta * variance))

    def objective(alpha, a):
        loss = max(0.0, 1.0 - margin - alpha * variance) ** 2
        return alpha**2 * variance + (a - 1.0) ** 2 + C * (loss + a**2 * variance)

    least = objective(alpha, a)
    for factor in (0.9, 0.99, 1.01, 1.1):
        assert least <= min(objective(factor * alpha, a), objective(alpha, factor * a)) + 1e-12
    assert rules.NormalHerd(C).weighted_step(margin, 1.0, variance, 3.0) == (
        rules.NormalHerd(3.0 * C).step(margin, 1.0, variance)
    )
    assert alpha == pytest.approx(rules.AROW(1.0 / C).step(margin, 1.0, variance)[0])


@given(margins, variances, sizes)
def test_cw_ends_on_its_constraint(margin, variance, phi):
    """m' = φ v', with the variance after the step, where it moves at all; else m ≥ φ v."""
    alpha, beta = rules.CW(phi).step(margin, 1.0, variance)
    after = variance / (1.0 + beta * variance)
    if alpha > 0.0:
        assert margin + alpha * variance == pytest.approx(phi * after, rel=1e-6, abs=1e-7)
    else:
        assert margin >= phi * variance * (1 - 1e-9)


@given(margins, variances, sizes)
def test_scw_without_a_bound_ends_on_its_constraint(margin, variance, phi):
    """m' = φ √v', with the variance after the step."""
    alpha, beta = rules.SCW1(1e12, phi).step(margin, 1.0, variance)
    after = variance / (1.0 + beta * variance)
    if alpha > 0.0:
        reached = margin + alpha * variance
        assert reached == pytest.approx(phi * math.sqrt(after), rel=1e-6, abs=1e-6)
    bounded, _ = rules.SCW1(0.5 * alpha if alpha else 1.0, phi).step(margin, 1.0, variance)
    assert bounded == 0.5 * alpha
    softer, _ = rules.SCW2(1e12, phi).step(margin, 1.0, variance)
    assert softer == pytest.approx(alpha, rel=1e-4, abs=1e-6)
    assert rules.SCW2(1.0, phi).step(margin, 1.0, variance)[0] <= alpha * (1 + 1e-9) + 1e-12


@given(margins, variances, sizes)
def test_cw_by_standard_deviation_is_the_nearest_distribution_on_its_constraint(
    margin, variance, phi
):
    """Along x: minimise α²v/2 + (v'/v − ln(v'/v))/2 over α and v', where m + αv ≥ φ √v'."""
    alpha, beta = rules.CWStdev(phi).step(margin, 1.0, variance)
    after = variance / (1.0 + beta * variance)
    if alpha == 0.0:
        assert margin >= phi * math.sqrt(variance) * (1 - 1e-9)
        return
    assert margin + alpha * variance == pytest.approx(phi * math.sqrt(after), rel=1e-6, abs=1e-6)

    def distance(spread):  # of the nearest α for this v'
        step = max(0.0, phi * math.sqrt(spread) - margin) / variance
        ratio = spread / variance
        return 0.5 * step * step * variance + 0.5 * (ratio - math.log(ratio))

    for other in (0.9, 0.999, 1.001, 1.1):
        assert distance(after) <= distance(other * after) * (1 + 1e-9) + 1e-9


@given(margins, variances, sizes)
def test_narow_makes_the_variance_at_most_1_over_b_and_learns_margins_below_1(margin, variance, b):
    """The margin with the example's own squares in the matrix: m' = m/(1 + βχ)."""
    tau, beta = rules.NAROW(b).step(margin, 1.0, variance)
    if tau == 0.0:
        assert margin >= max(1.0, b * variance) * (1 - 1e-12)
        return
    after = variance / (1.0 + beta * variance)
    assert after == pytest.approx(min(variance, 1.0 / b))
    assert margin / (1.0 + beta * variance) < 1.0 + 1e-9


@given(margins, signs)
def test_adagrad_steps_by_the_gradient(margin, y):
    h, score = 1e-6, y * margin
    for rule in (rules.AdaGrad(0.5), rules.AdaGradLogistic(0.5)):
        if isinstance(rule, rules.AdaGrad) and abs(margin - 1.0) < 1e-3:
            continue
        slope = (rule.loss(score + h, y) - rule.loss(score - h, y)) / (2 * h)
        tau, beta = rule.step(score, y, 0.0)
        assert tau == pytest.approx(-0.5 * slope, abs=1e-4)
        assert beta == pytest.approx(slope * slope, abs=1e-4)


@given(margins, variances, sizes, st.integers(2, 5))
def test_a_weight_of_arow_is_the_example_so_many_times_with_a_full_covariance(m, v, r, weight):
    """Along x, where Σ is a number: v ← v/(1 + βv)."""
    rule, score, spread, growth = rules.AROW(r), m, v, 0.0
    for _ in range(weight):
        tau, beta = rule.step(score, 1.0, spread)
        score, spread, growth = score + tau * spread, spread / (1 + beta * spread), growth + beta
    tau, beta = rule.weighted_step(m, 1.0, v, float(weight))
    assert m + tau * v == pytest.approx(score, rel=1e-9, abs=1e-9)
    assert beta == pytest.approx(growth)


@given(margins, variances, sizes)
def test_weights_of_scw_multiply_the_price_of_the_slack(m, v, C):
    for kind in (rules.SCW1, rules.SCW2):
        assert kind(C).weighted_step(m, 1.0, v, 3.0) == kind(3.0 * C).step(m, 1.0, v)
    for rule in (kind() for kind in CONFIDENCE_RULES):
        assert rule.weighted_step(m, 1.0, v, 0.0) == (0.0, 0.0)
        found, expected = rule.weighted_step(m, 1.0, v, 1.0), rule.step(m, 1.0, v)
        assert found == expected
    for rule in (rules.CW(), rules.CWStdev()):  # a second step would find nothing to do
        assert rule.weighted_step(m, 1.0, v, 7.0) == rule.step(m, 1.0, v)


@pytest.mark.parametrize("m", [-1e250, -1e160, -1.0, 0.0])
@pytest.mark.parametrize("v", [1e-280, 1.0, 1e300])
def test_large_margins_do_not_overflow_on_the_way(m, v):
    for rule in (rules.CW(), rules.CWStdev(), rules.SCW1(math.inf), rules.SCW2(1e300)):
        tau, beta = rule.step(m, 1.0, v)
        assert tau > 0.0
        assert beta > 0.0
        if tau * v < math.inf:
            assert abs(m + tau * v) <= abs(m) * 0.2 + math.sqrt(v) + v


def test_rates_never_grow():
    for rule in (kind() for kind in CONFIDENCE_RULES):
        rates = [rule.rate(c, c) for c in (1e-9, 0.5, 1.0, 10.0, 1e300, math.inf)]
        assert rates == sorted(rates, reverse=True)
        assert rates[-1] == 0.0
    assert rules.AdaGrad().rate(0.0, 0.0) == 0.0


@pytest.mark.parametrize("variance", [0.0, 1e-300, 1e-12, 1.0, 1e12])
def test_far_on_the_right_side_nothing_moves(variance):
    for rule in (kind() for kind in CONFIDENCE_RULES if kind is not rules.AdaGradLogistic):
        for score in (1e13, 1e154, 1e300):
            assert rule.step(np.float64(score), 1.0, np.float64(variance)) == (0.0, 0.0)


@pytest.mark.parametrize("variance", [1e-30, 1e-14, 1e-6, 1.0, 1e6])
@pytest.mark.parametrize("margin", [-1e8, -1e3, -1.0, 0.0, 1e-9])
def test_nothing_cancels(margin, variance):
    """Against the same formulas with a hundred digits."""
    m, v = Decimal(margin), Decimal(variance)
    with localcontext() as context:
        context.prec = 100
        phi = Decimal("0.6")
        slope = 1 + 2 * phi * m
        root = (slope * slope - 8 * phi * (m - phi * v)).sqrt()
        alpha = max(Decimal(0), (root - slope) / (4 * phi * v))
        u = ((alpha**2 * v**2 * phi**2 + 4 * v).sqrt() - alpha * v * phi) / 2
    tau, beta = rules.CW(0.6).step(margin, 1.0, variance)
    assert (tau, beta) == (pytest.approx(float(alpha)), pytest.approx(float(2 * alpha * phi)))
    tau, beta = rules.SCW1(1e30, 0.6).step(margin, 1.0, variance)
    with localcontext() as context:
        context.prec = 100
        alpha = Decimal(tau)
        u = ((alpha**2 * v**2 * phi**2 + 4 * v).sqrt() - alpha * v * phi) / 2
        assert beta == pytest.approx(float(alpha * phi / u), rel=1e-9)


class Half(NamedTuple):
    def step(self, score, y, variance):
        return y

    def rate(self, before, after):
        return 1.0

    def needs_variance(self, score, y):
        return False


class Rateless(NamedTuple):
    def step(self, score, y, variance):
        return y, 1.0

    def needs_variance(self, score, y):
        return False


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Half(), "Half.step must return two numbers, τ and β; it returned 1.0"),
        (Rateless(), r"Rateless has needs_variance, so it needs a method rate\(before, after\)"),
    ],
)
def test_an_error_in_a_users_rule_is_reported_before_compilation(rule, message):
    with pytest.raises(TypeError, match=message):
        rules.complete(rule)
