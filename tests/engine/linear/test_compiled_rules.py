"""Rules of a user's as C functions by numba: the bits of plain Python, and what is not compiled."""

import itertools
import math
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from exact_loops import epoch as exact_epoch
from loop_runs import CLASSES, OPTIONS, as_users, assert_same_bits, learned, matrix
from profiles import share

from rosenblatt import rules
from rosenblatt._core.linear import Learner
from rosenblatt.engine import state
from rosenblatt.engine.linear import compiled_rules, loops, user_rules
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.multiclass import UpdateSpec
from rosenblatt.theory.rule_kinds import is_plain

pytest.importorskip("numba")
SAMPLE = ["pa1", "arow", "cw_full", "pegasos", "minover"]  # one of each kind


@pytest.fixture(autouse=True)
def forgotten():
    yield
    user_rules._seconds.clear()


@pytest.mark.parametrize("name", share(SAMPLE, 3, 1))
def test_the_bits_of_plain_python(name):
    rule = as_users(rules.by_name(name, 0.5, 0.0))
    compiled_rules.compile_rule(rule)
    assert compiled_rules.compiled(rule)
    types, forms = (np.float32, np.float64), (np.asarray, sp.csr_array)
    cases = itertools.product(OPTIONS, CLASSES, types, forms)
    for options, scheme, dtype, stored in share(cases, 5, SAMPLE.index(name)):
        if ("penalty" in OPTIONS[options] and not is_plain(rule)) or (name, scheme) == (
            "minover",
            "joint",
        ):
            continue  # learners refuse it
        X = matrix(12).astype(dtype)
        rows = as_rows(stored(X))
        before, plain = learned(exact_epoch, rule, rows, X, scheme, **OPTIONS[options])
        after, ours = learned(loops.epoch, rule, rows, X, scheme, **OPTIONS[options])
        assert before == after
        assert_same_bits(plain, ours)


class Helped(NamedTuple):
    """A rule with a method of its own, which divides by zero for a row of length 1."""

    eta: float

    def step(self, score, y, sqnorm):
        return self._size(sqnorm) * y if y * score <= 0.0 else 0

    def _size(self, sqnorm):
        return self.eta / (sqnorm - 2.0)


def problem(rule, n=400):
    rng = np.random.default_rng(0)
    X, spec = rng.standard_normal((n, 3)), UpdateSpec(rule, None, np.ones(1), 0.0, True, 1.0)
    y = np.where(X[:, 0] + rng.standard_normal(n) > 0, 1.0, -1.0)
    return loops.Examples(as_rows(X), y, np.ones(n)), state.empty(3, 1), spec


def test_a_rule_that_has_taken_long_is_compiled_between_two_blocks(monkeypatch):
    rule, states = rules.complete(Helped(0.5)), []
    for seconds in (1e9, 1e-9):
        user_rules._seconds.clear()
        monkeypatch.setattr(user_rules, "COMPILE_SECONDS", seconds)
        monkeypatch.setattr(user_rules, "BLOCK", 100)
        examples, memory, spec = problem(rule)
        assert compiled_rules.compiled(rule) is None
        loops.epoch(examples, np.arange(400), memory, spec)
        states.append(memory)
    assert compiled_rules.compiled(rule) is not None
    assert_same_bits(*states)


def test_a_division_by_zero_is_infinite_as_in_plain_python():
    rule = rules.complete(Helped(0.5))
    compiled_rules.compile_rule(rule)
    examples, memory, spec = problem(rule, 1)
    examples = examples._replace(rows=as_rows(np.eye(1, 3)))
    assert loops.epoch(examples, np.arange(1), memory, spec) == 0


class Raises(NamedTuple):
    """A rule that raises."""

    def step(self, score, y, sqnorm):
        if sqnorm > 1e9:
            raise ArithmeticError("large")
        return y


class Odd(NamedTuple):
    """A rule that numba cannot compile."""

    def step(self, score, y, sqnorm):
        return float(f"{y}")


@pytest.mark.parametrize(
    ("kind", "reason"), [(Raises, "its method step raises an error"), (Odd, "")]
)
def test_what_cannot_be_compiled_stays_plain_python_and_is_said_once(kind, reason):
    rule = rules.complete(kind())
    with pytest.warns(RuntimeWarning, match=f"cannot compile {kind.__name__}.*slow: {reason}"):
        compiled_rules.compile_rule(rule)
    compiled_rules.compile_rule(rule)
    examples, memory, spec = problem(rule)
    loops.epoch(examples, np.arange(9), memory, spec)
    assert memory.t[0] == 9


class NumPys(NamedTuple):
    """A rule with a function of NumPy's, whose last bits are not those of compiled code.

    Of exp they are the same on a CPU without AVX-512.
    """

    def step(self, score, y, sqnorm):
        return y - np.tanh(score)


class Powers(NamedTuple):
    """A rule with a power, which compiled code multiplies out."""

    def step(self, score, y, sqnorm):
        return y * score**3


@pytest.mark.parametrize("kind", [NumPys, Powers])
def test_a_rule_that_would_have_other_bits_stays_plain_python(kind):
    rule = rules.complete(kind())
    with pytest.warns(RuntimeWarning, match="its method step would have other bits"):
        compiled_rules.compile_rule(rule)
    assert compiled_rules.compiled(rule) is None


class Logarithm(NamedTuple):
    """A rule with functions of Python's, of which one raises for a row of zeros."""

    def step(self, score, y, sqnorm):
        return y * math.log(sqnorm) / (1.0 + math.exp(y * score))


@pytest.mark.parametrize("compiles", [False, True])
def test_what_a_compiled_method_meets_is_raised_as_by_plain_python(compiles):
    rule = rules.complete(Logarithm())
    if compiles:
        compiled_rules.compile_rule(rule)
        assert compiled_rules.compiled(rule)
    examples, memory, spec = problem(rule)
    rows = np.array(examples.rows.X)
    rows[50] = 0.0
    spec = spec._replace(intercept=False, bias_sqnorm=0.0)
    with pytest.raises(ValueError, match="math domain error"):
        loops.epoch(examples._replace(rows=as_rows(rows)), np.arange(400), memory, spec)
    assert memory.t[0] == 50
    compiled_rules._functions.pop(Logarithm, None)


def test_a_note_says_what_numba_would_give(caplog, monkeypatch):
    monkeypatch.setattr(user_rules, "is_installed", lambda: False)
    for _ in range(3):
        user_rules._count(Odd(), 0.9 * user_rules.NOTE_SECONDS)
    assert len(caplog.messages) == 1
    assert "pip install 'rosenblatt[jit]' brings numba, which compiles it" in caplog.messages[0]


def test_all_functions_of_a_kind_must_be_there():
    memory = (*state.empty(3, 1)[: len(state.FIELDS)], ())
    rest = "none", np.ones(1), 0.0, True, 1.0, None, False, False, None
    methods = "loss", "step", "weighted_step", "rescale", "weighted_rescale", "needs_variance"
    rule = SimpleNamespace(**dict.fromkeys((*methods, "rate", "shrinkage"), max))
    functions = {"rule": rule, "numbers": (1.0,), "loss": 1, "step": 1}
    Learner(memory, (functions, "plain", *rest))
    for kind in ("confident", "rescaling", "other"):
        with pytest.raises(ValueError, match="must be one"):
            Learner(memory, (functions, kind, *rest))
