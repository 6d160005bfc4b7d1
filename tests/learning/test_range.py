"""Every rule on numbers of every size: finite weights, or an error that names the row."""

import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough

from rosenblatt import (
    LMSRegressor,
    OnlinePerceptron,
    PassiveAggressiveClassifier,
    Perceptron,
    rules,
)
from rosenblatt.learning import interface
from rosenblatt.theory.rule_kinds import traits_of

LARGEST = 150  # decimal exponents of the numbers that are tried, up to the root of the largest
NAMED = re.compile(r"left the floating-point range(.* at (row \d+|this row)|.*, at row \d+)")


def model_of(rule, **setting):
    return Perceptron(rule=rule, shuffle=False, max_iter=3, tol=None, **setting)


def finite(model):
    return np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()


def check(rule, learn):
    """Learn; the weights are finite, or, of a rule without confidences, an error names the row."""
    try:
        assert finite(learn())
        return
    except ValueError as error:
        message = str(error)
    assert NAMED.search(message), message
    assert not traits_of(type(rules.by_name(rule, 1.0, 0.0))).confident, f"{rule}: {message}"
    assert rule not in ("pa", "romma", "aromma") or "eta0" not in message


@st.composite
def tables(draw):
    """Rows of columns, or of numbers, of sizes that have nothing to do with each other."""
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    low = draw(st.integers(-LARGEST, LARGEST - 1))
    high = draw(st.integers(low + 1, LARGEST))
    shape = draw(st.sampled_from([(1, 1), (1, d), (n, 1), (n, d)]))
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(low, high, shape)
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.5]))] = 0.0
    y = np.where(rng.random(n) < 0.5, -1, 1)
    y[:2] = -1, 1
    return X, y


@pytest.mark.parametrize("rule", rules.NAMES)
@thorough(10)
@given(tables(), st.booleans(), st.sampled_from([1.0, 1e-150, 1e150]))
def test_every_weight_is_finite_or_an_error_names_the_row(rule, table, intercept, eta0):
    X, y = table
    setting = {"fit_intercept": intercept, "eta0": eta0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check(rule, lambda: model_of(rule, **setting).fit(X, y))
        check(rule, lambda: model_of(rule, **setting).fit(sp.csr_array(X), y))
        check(rule, lambda: model_of(rule, **setting).partial_fit(X, y))
    if rule == "minover":
        return

    def one_by_one():
        model = OnlinePerceptron(rule=rule, **setting)
        for row, label in zip(X, y.tolist(), strict=True):
            model.learn_one({f"f{j}": v for j, v in enumerate(row.tolist()) if v}, label)
        return model._fitted()

    check(rule, one_by_one)


@pytest.mark.parametrize("rule", ["perceptron", "pa", "lms", "arow", "scw1", "romma", "cw_full"])
@thorough(10)
@given(tables())
def test_several_classes_too(rule, table):
    X, _ = table
    y = np.arange(len(X)) % 3
    y[:2] = 0, 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for joint in ("ovr", "joint"):
            check(rule, lambda joint=joint: model_of(rule, multi_class=joint).fit(X, y))


def units(n=3000):
    """Three columns of different units, and labels of the first with noise."""
    rng = np.random.default_rng(0)
    height = rng.normal(2800, 400, n)
    X = np.column_stack([height, rng.uniform(0, 360, n), rng.integers(0, 2, n)])
    return X, np.sign(height + 300 * rng.standard_normal(n) - 2800)


@pytest.mark.parametrize(
    "rule", [rules.CW(), rules.CWStdev(), rules.SCW1(1e300), rules.FullCW(), rules.FullCWStdev()]
)
def test_confidences_saturate_on_columns_of_different_units(rule):
    X, y = units()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = model_of(rule).fit(X, y)
    assert finite(model)
    assert not isinstance(rule, rules.CW) or model.score(X, y) > 0.6
    rowwise = OnlinePerceptron(rule=rule)
    for row, label in zip(X[:500].tolist(), y.tolist(), strict=False):
        rowwise.learn_one(dict(zip("abc", row, strict=True)), label)
    assert finite(rowwise._fitted())


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_the_error_names_the_row_that_did_it(kind, dtype):
    X = np.ones((9, 2), dtype)
    X[6] = np.finfo(dtype).max / 2
    y = np.array([-1, 1] * 4 + [-1])
    with pytest.raises(ValueError, match=r"in epoch 1, at row 6\. .* or choose a smaller eta0"):
        Perceptron(shuffle=False, eta0=10.0).fit(kind(X), y)
    with pytest.raises(ValueError, match=r"range at row 6: .* a smaller eta0"):
        Perceptron(eta0=10.0).partial_fit(kind(X), y)
    several = np.arange(9) % 3
    with pytest.raises(ValueError, match="in epoch 1, at row 6"):
        Perceptron(shuffle=False, eta0=10.0).fit(kind(X), several)


@pytest.mark.parametrize(
    ("model", "advice"),
    [
        (Perceptron(rule="lms", eta0=10.0), "eta0"),
        (Perceptron(rule=rules.LMS(10.0), eta0=1e-300), "step of the rule"),
        (LMSRegressor(rule="lms", eta0=10.0), "eta0"),
        (LMSRegressor(rule=rules.LMS(10.0)), "step of the rule"),
    ],
)
def test_the_advice_names_what_sets_the_step(model, advice):
    X, y = np.array([[1e300, 1.0], [-1e300, 1.0]] * 4), np.arange(8) % 2
    with pytest.raises(ValueError, match=rf"floating-point range.* or choose a smaller {advice}\."):
        model.fit(X, y)
    classes = {} if isinstance(model, LMSRegressor) else {"classes": [0, 1]}
    with pytest.raises(ValueError, match=rf"floating-point range.* or choose a smaller {advice}\."):
        model.partial_fit(X, y, **classes)


@pytest.mark.parametrize(("rule", "advice"), [("lms", "eta0"), (rules.LMS(), "step of the rule")])
def test_the_advice_of_one_row_at_a_time_names_what_sets_the_step(rule, advice):
    model = OnlinePerceptron(rule=rule)
    model.learn_one({"a": 1.0}, 0)
    model.learn_one({"a": -1.0}, 1)
    with pytest.raises(ValueError, match=rf"at this row.* or choose a smaller {advice}\."):
        [model.learn_one({"a": 1e300}, k % 2) for k in range(4)]


def test_the_advice_of_passive_aggressive_steps_is_a_smaller_c():
    assert interface.smaller_steps(PassiveAggressiveClassifier()) == " or choose a smaller C"
    assert interface.smaller_steps(Perceptron(rule="pa")) == ""


def test_of_two_rows_the_error_names_the_first():
    """Also where rows are learned one by one: beside the pocket, and after a prediction each."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    y = np.where(X[:, 0] > 0, 1, -1)
    X[5:7] *= 1e160
    with pytest.raises(ValueError, match="in epoch 1, at row 5"):
        model_of("lms").fit(X, y)
    with pytest.raises(ValueError, match="in epoch 1, at row 5"):
        model_of("lms", output="pocket").fit(X, y)
    model = model_of("lms").partial_fit(X[:2], y[:2], classes=[-1, 1])
    with pytest.raises(ValueError, match="range at row 5"):
        interface.predict_then_learn(model, X, y, np.ones(40), 0, 1)


@pytest.mark.parametrize("exponent", [-400, -300, 300, 490])
@pytest.mark.parametrize(
    ("rule", "power"),
    [(rules.ROMMA(), -1), (rules.AggressiveROMMA(), -1), (rules.PA(), -1), (rules.ALMA(1e9), 0)],
)
def test_the_unit_of_the_rows_changes_no_bit_of_rules_without_a_scale(rule, power, exponent):
    """Steps on rows times 2^k are steps over 2^k; of ALMA, which learns x/‖x‖, the same."""
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((40, 3)), rng.choice([-1, 1], 40)
    plain = model_of(rule, fit_intercept=False).fit(X, y)
    scaled = model_of(rule, fit_intercept=False).fit(np.ldexp(X, exponent), y)
    assert plain.coef_.any()
    assert np.array_equal(np.ldexp(plain.coef_, power * exponent), scaled.coef_)
