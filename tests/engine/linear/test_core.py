"""The core's loops against plain Python: all rules, rows, schemes and options, on all fields."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from blend_loops import epoch as exact_blend
from exact_loops import epoch as exact_epoch
from loop_runs import CLASSES, OPTIONS, as_users, assert_same_bits, learned, matrix
from profiles import share

from rosenblatt import _core
from rosenblatt.engine import multiclass, state
from rosenblatt.engine.linear import core, loops
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.multiclass import UpdateSpec
from rosenblatt.engine.rows import CSR
from rosenblatt.engine.steps import empty_log, with_capacity
from rosenblatt.theory import rules
from rosenblatt.theory.calibration import FIELDS, FIRST_ROWS
from rosenblatt.theory.penalties import ElasticNet
from rosenblatt.theory.rule_kinds import chooses_row, is_plain, traits_of

LOSSES = "_hinge", "_squared"
"""Ends of the names of rules that are another with its loss changed."""

FIRST_OF_KIND = {declared.kind: name for name, declared in reversed(rules.DECLARATIONS.items())}
"""A rule of each kind: what a calibration reads of a loop, the kind decides."""

RUNS = [
    (name, options)
    for name, options in itertools.product(rules.NAMES, OPTIONS)
    if (options != "calibrated" or name in FIRST_OF_KIND.values())
    and (options != "bare" or not name.endswith(LOSSES))
]


@pytest.mark.parametrize(("name", "options"), share(RUNS, 3, 0))
def test_same_bits_as_plain_python(name, options):
    rule = rules.by_name(name, 0.5, 0.0)
    blended = traits_of(type(rule)).blended
    if "penalty" in OPTIONS[options] and not is_plain(rule):
        return  # learners refuse it
    if blended and "average" in OPTIONS[options]:
        return  # likewise
    oracle = exact_blend if blended else exact_epoch
    kinds = (rule,) if blended else (rule, as_users(rule))  # no rule of a user's is a blend
    schemes = [None, "ovr"] if chooses_row(rule) else CLASSES  # learners refuse the other
    cases = itertools.product(schemes, (np.float32, np.float64), (np.asarray, sp.csr_array))
    for scheme, dtype, stored in share(cases, 6, RUNS.index((name, options))):
        X = matrix(12).astype(dtype)
        arguments = as_rows(stored(X)), X, scheme
        before, plain = learned(oracle, rule, *arguments, **OPTIONS[options])
        for ours in kinds:
            after, state_after = learned(loops.epoch, ours, *arguments, **OPTIONS[options])
            assert before == after
            assert_same_bits(plain, state_after)


@pytest.mark.parametrize("scheme", CLASSES)
def test_same_steps_are_recorded(scheme):
    X, rule = matrix(), rules.PA1(0.1)
    logs = [with_capacity(empty_log(), 3 * len(X) * CLASSES[scheme]) for _ in range(3)]
    learned(exact_epoch, rule, as_rows(X), X, scheme, log=logs[0])
    learned(loops.epoch, rule, as_rows(X), X, scheme, log=logs[1])
    learned(loops.epoch, as_users(rule), as_rows(X), X, scheme, log=logs[2])
    assert logs[0].size[0] > 0
    assert_same_bits(*logs[:2])
    assert_same_bits(*logs[1:])


@pytest.mark.parametrize("calibrates", ["last", "average"])
@pytest.mark.parametrize("scheme", CLASSES)
def test_a_calibration_has_the_bits_of_plain_python(scheme, calibrates):
    """Of last weights, too, and where not every example is used."""
    options = {"calibrates": calibrates, "average": calibrates == "average", "weighted": True}
    types, forms = (np.float32, np.float64), (np.asarray, sp.csr_array)
    cases = itertools.product((rules.Perceptron(), rules.KT()), types, forms, (0, FIRST_ROWS - 9))
    turn = 2 * [*CLASSES].index(scheme) + (calibrates == "average")
    for rule, dtype, stored, first in share(cases, 3, turn):
        X = matrix().astype(dtype)
        arguments = rule, as_rows(stored(X)), X, scheme
        before, plain = learned(exact_epoch, *arguments, first=first, **options)
        after, state_after = learned(loops.epoch, *arguments, first=first, **options)
        assert before == after
        assert_same_bits(plain, state_after)
        counted = range(40, 62) if not first else range(7, 14)
        assert plain.own["calibration.count"][0] in counted


@pytest.mark.parametrize("scheme", CLASSES)
def test_a_calibration_changes_no_other_bit(scheme):
    X = matrix()
    arguments = loops.epoch, rules.PA1(0.1), as_rows(X), X, scheme
    _, calibrated = learned(*arguments, calibrates="last")
    _, plain = learned(*arguments)
    for name in state.FIELDS:
        assert getattr(calibrated, name).tobytes() == getattr(plain, name).tobytes(), name


# --- what Python gives is checked -----------------------------------------------------------------


def problem():
    spec = UpdateSpec(rules.PA1(), multiclass.OneVsRest(), np.ones(3), 0.0, True, 1.0)
    memory = state.empty(9, 3)
    return spec, memory, [as_rows(matrix(9)), np.arange(9) % 3, np.ones(9), np.arange(9), None]


@pytest.mark.parametrize(
    ("position", "value"),
    [
        (0, as_rows(matrix(9, 8))),
        (0, as_rows(matrix(9).astype(np.float32))),
        (0, CSR(np.ones(3), np.zeros(3, np.uint32), np.array([0] * 9 + [4]))),
        (0, CSR(np.ones(3), np.zeros(3, np.uint32), np.array([0, 2, 1, *[3] * 7]))),
        (0, CSR(np.ones(3), np.zeros(3, np.uint32), np.array([-1, *[3] * 9]))),
        (0, CSR(np.ones(3), np.zeros(3, np.int64), np.array([0, *[3] * 9]))),
        (1, np.arange(9)),
        (1, -np.ones(9, np.int64)),
        (1, np.zeros(8, np.int64)),
        (1, np.zeros(9)),
        (2, np.ones(10)),
        (3, np.arange(1, 10)),
        (3, np.array([-1])),
        (4, with_capacity(empty_log(), 16)),
    ],
)
def test_lengths_and_indices_are_checked_before_anything_is_learned(position, value):
    spec, memory, arguments = problem()
    before = state.copy_state(memory)
    arguments[position] = value
    learner = core.learner(memory, spec)
    with pytest.raises(ValueError, match=r"must be"):
        learner.epoch(*arguments)
    assert_same_bits(before, memory)


@pytest.mark.parametrize("name", [*state.FIELDS])
def test_every_array_of_a_state_is_checked(name):
    spec, memory, _ = problem()
    array = getattr(memory, name)
    wrong = [array.astype(np.float16), np.concatenate([array.ravel(), array.ravel(), [1]])]
    if name.startswith("pocket"):
        return  # the loops do not touch it
    for other in (*wrong, None):
        with pytest.raises(ValueError, match=r"must be"):
            core.learner(memory._replace(**{name: other}), spec)


def test_arrays_that_options_need_are_checked():
    spec, memory, _ = problem()
    for change in (
        {"average": True}, {"pocket": True}, {"penalty": ElasticNet(0.1, 0.5, 1.0)},
        {"rule": rules.AROW()}, {"rule": rules.FullAROW()}, {"rule": rules.ScInOL()},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"must be kept for"):
            core.learner(memory, spec._replace(**change))
    with pytest.raises(ValueError, match=r"a column for each class"):
        core.learner(memory, spec._replace(class_weight=np.ones(9)))
    with pytest.raises(ValueError, match=r"rule must be one of the library"):
        _core.linear.Learner(
            (*memory[:20], ()), ("Rule", (), "none", np.ones(1), 0.0, True, 1.0, None, 0, 0, None)
        )


@pytest.mark.parametrize("name", FIELDS)
def test_every_array_of_a_calibration_is_checked(name):
    spec, _, _ = problem()
    memory = state.empty(9, 3, own=FIELDS)
    spec = spec._replace(calibrates="last")
    core.learner(memory, spec)
    array = memory.own[name]
    for other in (array.astype(np.float16), np.append(array, array), None):
        with pytest.raises(ValueError, match=r"must be"):
            core.learner(memory._replace(own=memory.own | {name: other}), spec)
    with pytest.raises(ValueError, match=r"of an average that is kept"):
        core.learner(memory, spec._replace(calibrates="average"))


def test_only_a_rule_that_chooses_its_row_chooses_one():
    spec, memory, arguments = problem()
    chosen = np.zeros(3, np.int64)
    with pytest.raises(ValueError, match=r"rule must be one that chooses a row"):
        core.learner(memory, spec).choose(*arguments[:4], chosen)
    learner = core.learner(memory, spec._replace(rule=rules.MinOver()))
    with pytest.raises(ValueError, match=r"chosen must be an array of 3 numbers"):
        learner.choose(*arguments[:4], chosen[:2])
    learner.choose(*arguments[:4], chosen)
    assert chosen.tolist() == [0, 0, 0]  # all overlaps are zero: the first row
