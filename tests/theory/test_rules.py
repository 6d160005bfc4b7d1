"""Every rule against its formula and its paper."""

import math
import pickle
from typing import NamedTuple

import corpus
import numpy as np
import pytest
import registered
import rule_papers
import search_rules
from hypothesis import given
from hypothesis import strategies as st
from profiles import scaled, share

from rosenblatt import rules
from rosenblatt.theory import penalties
from rosenblatt.theory.declaration import KINDS, ranges_of
from rosenblatt.theory.rule_kinds import share_numbers, smaller_steps, traits_of

scores = st.floats(-50, 50)
signs = st.sampled_from([-1.0, 1.0])
norms = st.floats(0.01, 100)

ALL = list(registered.tried("plain").values())


@given(scores, signs, norms)
def test_a_step_is_along_the_label_and_lowers_the_loss(score, y, sqnorm):
    """Moving by τ changes the score by τ‖x‖²; a short enough step never raises the loss."""
    for rule in ALL:
        tau = rule.step(score, y, sqnorm)
        assert math.isfinite(tau)
        if not isinstance(rule, rules.LMS | rules.NormalizedLMS):
            assert tau * y >= 0.0
        if tau != 0.0:
            short = 1e-3 * tau / max(1.0, abs(tau) * sqnorm)
            assert rule.loss(score + short * sqnorm, y) <= rule.loss(score, y) + 1e-12


@given(scores, signs, norms)
def test_L2_7_the_step_is_minus_the_gradient_of_the_loss(score, y, sqnorm):
    """Of those rules that are stochastic gradient descent (L2.7): τ = −η dℓ/ds."""
    h = 1e-6
    for rule in (rules.Perceptron(0.5), rules.Hinge(0.5), rules.Logistic(0.5), rules.LMS(0.5)):
        kink = {"Perceptron": 0.0, "Hinge": 1.0}.get(type(rule).__name__)
        if kink is not None and abs(y * score - kink) < 1e-3:
            continue
        slope = (rule.loss(score + h, y) - rule.loss(score - h, y)) / (2 * h)
        assert rule.step(score, y, sqnorm) == pytest.approx(-0.5 * slope, abs=1e-4)


@given(scores, signs, norms)
def test_passive_aggressive_is_right_with_margin_1_and_no_further(score, y, sqnorm):
    tau = rules.PA().step(score, y, sqnorm)
    after = y * (score + tau * sqnorm)
    assert after >= 1.0 - 1e-9
    assert after == pytest.approx(max(1.0, y * score))
    assert abs(rules.PA1(0.5).step(score, y, sqnorm)) == min(0.5, abs(tau))
    assert abs(rules.PA2(0.5).step(score, y, sqnorm)) <= abs(tau)
    assert rules.Relaxation(1.0, 1.0).step(score, y, sqnorm) == pytest.approx(tau)


@given(st.floats(-50, 50), st.floats(-50, 50), norms)
def test_L2_11_normalised_lms_halves_the_error(score, y, sqnorm):
    tau = rules.NormalizedLMS(0.5).step(score, y, sqnorm)
    assert y - (score + tau * sqnorm) == pytest.approx(0.5 * (y - score), abs=1e-9)


def test_zero_rows_have_step_zero():
    for rule in (rules.PA(), rules.PA1(), rules.Relaxation(), rules.NormalizedLMS()):
        assert rule.step(0.0, 1.0, 0.0) == 0.0


def test_extreme_scores_do_not_overflow():
    for y in (-1.0, 1.0):
        for score in (-1e308, -1e4, 1e4, 1e308):
            assert math.isfinite(rules.Logistic().step(score, y, 1.0))
            assert math.isfinite(rules.Logistic().loss(score, y))


@pytest.mark.parametrize(
    ("tie", "on_minus", "on_plus"), [(0.0, -1.0, 1.0), (-1.0, 0.0, 1.0), (1.0, -1.0, 0.0)]
)
def test_L0_1_and_L1_2_the_sign_of_zero_is_a_choice(tie, on_minus, on_plus):
    rule = rules.Perceptron(tie=tie)
    assert rule.step(0.0, -1.0, 1.0) == on_minus
    assert rule.step(0.0, 1.0, 1.0) == on_plus


def test_names_are_rules():
    for name in rules.NAMES:
        rule = rules.by_name(name, 0.25, 0.0)
        assert rules.complete(rule) == rule
        assert type(rule).__doc__
    with pytest.raises(ValueError, match="rule must be one of"):
        rules.by_name("adagard", 1.0, 0.0)
    with pytest.raises(ValueError, match="penalty must be None or one of"):
        penalties.by_name("l3", 1.0, 0.5, 1.0)


def test_a_name_is_the_rule_with_the_defaults_of_its_class():
    for name in rules.NAMES:
        rule = rules.by_name(name, 1.0, 0.0)
        assert rule == type(rule)(), name


def test_a_pickle_of_former_modules_finds_its_rules():
    """Rules once stood in modules by kind, which pickles of that time name."""
    for former, rule in (
        ("margin_rules", rules.PA1(0.5)),
        ("confidence", rules.AROW(2.0)),
        ("confidence_weighted", rules.SCW2()),
        ("full_covariance", rules.FullCW()),
        ("rescaling", rules.Pegasos()),
        ("minover", rules.MinOver()),
    ):
        written = pickle.dumps(rule, protocol=0)
        old = written.replace(
            type(rule).__module__.encode(), f"rosenblatt.theory.{former}".encode()
        )
        assert old != written
        assert pickle.loads(old) == rule


def test_a_rule_declares_all_that_is_listed_of_it():
    for name, declared in rules.DECLARATIONS.items():
        assert declared.kind in KINDS
        cls = rules.RULES[name]
        assert set(ranges_of(cls)) == set(cls._fields)
        assert declared.rate in ("", *cls._fields)
        assert declared.numbers == getattr(cls, "numbers", None)
        assert (declared.numbers is not None) == traits_of(cls).weightwise
        assert bool(declared.rate) != bool(declared.instead), "a rate, or the rule that has one"
        assert bool(declared.state) == traits_of(cls).keeps_numbers
        if declared.kind != "full":
            assert all((declared.updates, declared.step, declared.use, declared.weight))
    assert list(rules.RULES) == sorted(
        rules.RULES, key=lambda name: KINDS.index(rules.DECLARATIONS[name].kind)
    )


class Bolder(rules.FullAROW):
    """A user's, which inherits what the library's declares but declares nothing."""

    __slots__ = ()


def test_a_class_of_a_users_is_what_its_methods_make_it():
    assert traits_of(Bolder)[:5] == traits_of(rules.FullAROW)[:5]
    assert traits_of(Silent)[:5] == traits_of(rules.PA)[:5]
    assert not share_numbers(type("Mine", (rules.AROW,), {}), rules.AROW)
    assert smaller_steps(Silent(), None) == ""


def test_integer_fields_become_floats():
    assert rules.complete(rules.PA1(C=1)) == rules.PA1(1.0)
    assert all(type(field) is float for field in rules.complete(rules.Perceptron(1, 0)))


@given(st.floats(0, 10), st.floats(0, 1), st.floats(0.01, 10))
def test_a_penalty_never_changes_a_sign(alpha, ratio, eta):
    penalty = penalties.by_name("elasticnet", alpha, ratio, eta)
    assert 0.0 <= penalty.decay() <= 1.0
    assert penalty.truncation() >= 0.0
    assert penalties.by_name("l2", alpha, ratio, eta).truncation() == 0.0
    assert penalties.by_name("l1", alpha, ratio, eta).decay() == 1.0
    assert np.isclose(penalty.decay(), max(0.0, 1.0 - (1.0 - ratio) * eta * alpha))


class Broken(NamedTuple):
    def step(self, score, y, sqnorm):
        return self.rate * y


class Silent(NamedTuple):
    def step(self, score, y, sqnorm):
        score + y  # forgot to return


class Stepless(NamedTuple):
    rate: float = 1.0


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Broken(), "Broken.step.* failed: AttributeError: .*'rate'"),
        (Silent(), "Silent.step must return a number, the step size; it returned None"),
        (Stepless(), "Stepless.*, which has none of them"),
    ],
)
def test_an_error_in_a_users_rule_is_reported_before_compilation(rule, message):
    with pytest.raises(TypeError, match=message):
        rules.complete(rule)


def test_rules_are_those_of_their_papers():
    """A slice of ``python tests/support/search_rules.py SECONDS``; every name has its formula."""
    assert set(registered.tried("blended")) == rule_papers.OF_NO_PAPER
    assert search_rules.PAPERS.keys() == set(rules.NAMES) - rule_papers.OF_NO_PAPER
    rounds = scaled(3)
    cases, wrong = search_rules.search(rounds, seed=0)
    assert wrong == []
    assert cases > 50 * rounds


def test_cases_that_the_search_has_kept():
    cases = corpus.read("rules")
    assert {case["rule"] for case in cases} == rule_papers.PAPERS.keys()
    assert [message for case in share(cases, 3, 0) if (message := search_rules.fault(case))] == []


@given(scores, signs, norms, st.integers(2, 6))
def test_a_whole_weight_is_the_example_so_many_times(score, y, sqnorm, weight):
    rates = rules.LMS(0.5 / sqnorm), rules.LMS(1.5 / sqnorm), rules.LMS(1.0 / sqnorm)
    learned_twice = [rule for rule in ALL if rule.declaration.twice.startswith("yes")]
    for rule in (*learned_twice, *rates, rules.Relaxation(1.5), rules.Relaxation(0.3, 2.0)):
        total, largest = 0.0, 1.0
        for _ in range(weight):
            total += rule.step(score + total * sqnorm, y, sqnorm)
            largest = max(largest, abs(total))
        found = rule.weighted_step(score, y, sqnorm, float(weight))
        stop = getattr(rule, "beta", 1.0)
        if isinstance(rule, rules.Hinge | rules.MarginPerceptron):
            ends = (stop - y * score) / (rule.eta * sqnorm)  # a whole number: rounding decides
            if abs(ends - round(ends)) < 1e-6:
                continue
        assert found == pytest.approx(total, rel=1e-6, abs=1e-9 * largest), rule


@given(scores, signs, norms, st.floats(0.1, 3), st.floats(0.1, 3))
def test_two_weights_are_their_sum(score, y, sqnorm, one, other):
    """Karampatziakis and Langford 2011: parts of an example are as good as the whole."""
    for rule in (rules.PA1(0.5), rules.PA2(0.5), rules.LMS(0.5 / sqnorm), rules.NormalizedLMS(0.7)):
        first = rule.weighted_step(score, y, sqnorm, one)
        second = rule.weighted_step(score + first * sqnorm, y, sqnorm, other)
        whole = rule.weighted_step(score, y, sqnorm, one + other)
        assert first + second == pytest.approx(whole, rel=1e-6, abs=1e-9)


def test_a_step_that_corrects_all_of_the_error_is_the_last():
    for weight, tau in ((0.5, 0.125), (1.0, 0.25), (2.0, 0.25), (2.5, 0.25)):
        assert rules.LMS(0.25).weighted_step(0.0, 1.0, 4.0, weight) == tau


@given(scores, signs, norms)
def test_weight_1_is_the_step_and_weight_0_is_none(score, y, sqnorm):
    for rule in ALL:
        step = rule.step(score, y, sqnorm)
        assert rule.weighted_step(score, y, sqnorm, 1.0) == pytest.approx(step, rel=1e-9, abs=1e-12)
        assert rule.weighted_step(score, y, sqnorm, 0.0) == 0.0


@pytest.mark.parametrize("sqnorm", [0.0, 5e-324])
def test_a_row_without_a_length_takes_all_steps_of_its_weight(sqnorm):
    """No step changes its score, so that the example learned so many times adds as many."""
    for rule in (
        rules.Hinge(0.3),
        rules.MarginPerceptron(0.3, 2.0),
        rules.MarginPerceptron(0.3, 0.0),
    ):
        for weight in (0.0, 0.5, 1.0, 2.5, 1e300):
            assert rule.weighted_step(0.0, -1.0, sqnorm, weight) == -0.3 * weight
        assert rule.weighted_step(9.0, 1.0, sqnorm, 3.0) == 0.0
    for rule in (*ALL, rules.Logistic(1e-300), rules.LMS(1e-300), rules.PA2(1e-300)):
        assert math.isfinite(rule.weighted_step(0.0, 1.0, 0.0, 3.0))


def test_a_weight_never_overshoots_where_one_step_does_not():
    for rule in (rules.PA(), rules.PA1(), rules.PA2(), rules.NormalizedLMS(), rules.LMS(0.1)):
        tau = rule.weighted_step(0.0, 1.0, 4.0, 1e6)
        assert 0.0 < tau * 4.0 <= 1.0 + 1e-9
    z = rules.Logistic().weighted_step(0.0, 1.0, 1.0, 1e6)
    assert z + math.exp(z) == pytest.approx(1e6, rel=0.01)
    assert rules.Perceptron().weighted_step(0.0, 1.0, 4.0, 3.0) == 3.0  # as in scikit-learn


class Divides(NamedTuple):
    """A rule that divides by the score, which is zero in the call that tries it."""

    def step(self, score, y, sqnorm):
        return min(1.0, max(-1.0, y / score))


class Nothing(NamedTuple):
    """A rule whose step is no number at the score of every first row."""

    def step(self, score, y, sqnorm):
        return y * score / abs(score)


def test_a_rule_is_tried_with_the_numbers_of_the_loops():
    assert rules.complete(Divides()) == Divides()
    with pytest.raises(TypeError, match=r"must return a number.*returned .*nan.* for score=0\.0"):
        rules.complete(Nothing())
