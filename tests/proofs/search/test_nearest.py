"""The deadline of a search: a step that would exceed it is not begun."""

import time
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import certify
from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.search import faces, finder, integers, nearest, sparse
from rosenblatt.proofs.search.nearest import Deadline, Task, TimeLimitError


def test_a_limit_of_time_is_kept_where_one_step_would_exceed_it():
    deadline = Deadline(0.5)
    assert deadline.allows(1e8)
    assert not deadline.allows(1e10)
    with pytest.raises(TimeLimitError):
        deadline.check(1e10)
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (1500, 700)).astype(float)
    proof = certify(np.vstack([X, X[:1]]), [*rng.integers(0, 2, 1500), 0], time_limit=0.2)
    assert proof.seconds < 1.5


def test_a_factorisation_is_not_begun_on_a_machine_that_is_too_slow_for_it(monkeypatch):
    deadline = Deadline(60.0)
    deadline.check_factorization(2e8)
    assert 0.0 < nearest._factorization_speed() <= 1e9
    monkeypatch.setattr(nearest, "_factorization_speed", lambda: 1e7)
    deadline.check_factorization(nearest._MEASURED_OPERATIONS)  # too few to be measured
    with pytest.raises(TimeLimitError):
        deadline.check_factorization(1e9)
    X = np.random.default_rng(0).standard_normal((501, 500))
    X[-1] = X[0]
    proof = certify(X, [*(X[:-1, 0] > 0), X[0, 0] <= 0], time_limit=5.0)
    assert (proof.status, proof.margin, proof.rows.tolist()) == ("undecided", (0.0, 0.0), [0, 500])


def test_a_factorisation_that_is_too_large_at_full_speed_is_refused_unmeasured(monkeypatch):
    monkeypatch.setattr(nearest, "_factorization_speed", lambda: pytest.fail("it was measured"))
    with pytest.raises(TimeLimitError):
        Deadline(1.0).check_factorization(3e9)


def test_the_start_of_the_threads_is_not_measured_as_the_speed(monkeypatch):
    calls = []

    def factorise(*args, **options):
        calls.append(1)
        if len(calls) == 1:
            time.sleep(2 * nearest._MEASURED_SECONDS)

    monkeypatch.setattr(nearest.scipy.linalg, "qr", factorise)
    assert nearest._factorization_speed() == 1e9
    assert len(calls) == 2


def test_the_time_of_the_verification_is_left_to_it():
    deadline = Deadline(1.0)
    assert deadline.allows(1.5e9)
    deadline.reserve = 0.8
    assert not deadline.allows(1.5e9)
    assert deadline.allows(1e9)
    assert not deadline.is_past
    deadline.reserve = 5.0
    assert deadline.allows(0.5e9)
    assert deadline.is_past
    deadline.reserve, deadline.proof = 0.0, 0.8
    assert not deadline.allows(1.5e9)
    assert not deadline.is_past
    deadline.proof = 1.0
    assert deadline.is_past


def test_steps_take_a_quarter_of_the_time_left_and_one_is_always_made():
    deadline = Deadline(60.0)
    assert deadline.steps_in_time(100, 1e6) == 100
    assert deadline.steps_in_time(100, 1e9) == 14
    deadline.proof = 30.0
    assert deadline.steps_in_time(100, 1e9) == 7
    deadline.reserve = 40.0
    assert deadline.steps_in_time(100, 1e9) == 1
    assert deadline.steps_in_time(100, 0.0) == 1


def test_without_time_the_descent_takes_one_step_and_the_perceptron_one_epoch():
    rng = np.random.default_rng(0)
    data = LabelledData(rng.standard_normal((600, 50)), rng.choice([-1.0, 1.0], 600))
    late, early = (finder._Finder(Task(data, True, Deadline(limit)), 1e-6) for limit in (0.0, 60.0))
    assert (late.run.epochs, early.run.epochs) == (1, nearest.EPOCHS)
    assert len(late.nearest().rows) <= 3
    assert len(early.nearest().rows) > 40
    assert 0.0 < late.deadline.proof < early.deadline.proof < 1.0


def test_rows_on_the_wrong_side_by_more_than_rounding_have_no_exact_distances(monkeypatch):
    rng = np.random.default_rng(0)
    data = LabelledData(rng.standard_normal((60, 5)), rng.choice([-1.0, 1.0], 60))
    search = finder._Finder(Task(data, True, Deadline(60.0)), 1e-6)
    points = search._perceptron_points()
    exact = integers.min_margin(data, np.arange(60), points.w / np.linalg.norm(points.w), 0.0)
    monkeypatch.setattr(integers, "min_margin", lambda *_: pytest.fail("it was computed"))
    assert exact < 0.0
    assert search._margin_interval(points)[0] < 0.0


def test_one_extreme_number_among_many_leads_to_scaled_rows():
    X = np.ones((2, nearest._CHUNK))
    for value, is_in_range in ((0.0, True), (-1e50, True), (-1e70, False), (1e-70, False)):
        X[1, -1] = value
        assert nearest._are_in_range(X) == is_in_range


def test_exact_arithmetic_costs_more_with_the_digits_of_the_numbers():
    rng = np.random.default_rng(0)
    floats, pixels = rng.standard_normal((300, 299)), rng.integers(0, 256, (300, 299)) + 0.0
    y, rows = np.ones(300), np.arange(300)
    costs = [integers.relation_cost(LabelledData(X, y), rows) for X in (floats, pixels)]
    assert costs[0] > 5 * costs[1] > 5 * integers.relation_cost(LabelledData(pixels, y), rows[:200])
    for X, is_begun in ((floats, False), (pixels, True)):
        search = finder._Finder(Task(LabelledData(X, y), False, Deadline(0.1)), 1e-6)
        points = nearest.NearestPoints(0, rows, np.ones(300), np.zeros(299))
        assert search.deadline.allows(integers.relation_cost(search.data, rows)) == is_begun
        if not is_begun:
            assert search._infeasible_rows(points) is None


def test_exact_distances_are_left_out_without_time_for_them():
    X = np.random.default_rng(0).standard_normal((40, 3000))
    data = LabelledData(X, np.where(X[:, 0] > 0.0, 1.0, -1.0))
    search = finder._Finder(Task(data, True, Deadline(60.0)), 1e-300)  # no float is precise enough
    points = search._perceptron_points()
    exact = search._margin_interval(points)[0]
    search.deadline = Deadline(0.0)
    search.deadline.reserve = 1.0
    assert 0.0 < search._margin_interval(points)[0] < exact


def test_rows_that_cannot_be_factorised_in_time_are_not_made_dense():
    Z = sp.random_array((20_000, 2000), density=0.005, format="csr", rng=np.random.default_rng(0))
    tracemalloc.start()
    with pytest.raises(TimeLimitError):
        faces._spanning_rows(Z, np.flatnonzero(np.diff(Z.indptr)), Deadline(1.0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6  # dense, they take 320 MB


def test_features_of_no_stage_get_their_signs_at_once(monkeypatch):
    X = np.hstack([np.tile([[1.0], [-1.0]], (10, 200)), np.zeros((20, 1))])
    X[0, -1] = 1.0
    data = LabelledData(sp.csr_array(X), np.where(np.arange(20) < 10, 1.0, -1.0))
    task = Task(data, True, Deadline(60.0))
    taken, take = [], sp.csr_array.__getitem__
    monkeypatch.setattr(sp.csr_array, "__getitem__", lambda Z, key: taken.append(1) or take(Z, key))
    peeled = sparse.peel(task)._replace(columns=np.zeros(0, np.int64))
    total = [0] * 202
    direction = sparse._combined_direction(task, peeled, total)
    assert len(direction) == 202
    assert 0 not in direction[:200]
    assert len(taken) < 20
