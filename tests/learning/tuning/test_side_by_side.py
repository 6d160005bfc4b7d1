"""Learners side by side: each as if it were alone, and rows that none of them had learned."""

from functools import cache

import numpy as np
import pytest
from profiles import share

from rosenblatt import Perceptron
from rosenblatt.learning.evaluation.ranking import METRICS
from rosenblatt.learning.tuning import side_by_side
from rosenblatt.learning.tuning.grid import Grid
from rosenblatt.learning.tuning.held_out import LearnedRows, StratifiedChoice
from rosenblatt.learning.tuning.result import NothingToRankError
from rosenblatt.learning.tuning.side_by_side import HELD_OUT, tune_rows
from rosenblatt.streams.core.batch import Batch
from rosenblatt.streams.rechunk import SplitBatches
from rosenblatt.validation import validate


@pytest.fixture
def rows(rng):
    """600 rows of three classes in batches of 100."""
    X = rng.standard_normal((600, 5))
    y = np.argmax(X[:, :3] + 0.3 * rng.standard_normal((600, 3)), axis=1)
    return list(SplitBatches([Batch(X, y, 0)], 100))


def build(candidate, batch):
    return Perceptron(**candidate.parameters, shuffle=False)


GRID = Grid(("pa1", "logistic"), (0.1, 1.0), (False, True))


def test_each_candidate_has_the_numbers_that_it_has_alone(rows):
    alone = cache(lambda candidate: validate(build(candidate, None), rows, drift=None))
    for metric in share(METRICS, 3, 0):
        tuning = tune_rows([(False, rows)], GRID, build, metric=metric)
        assert len(tuning.results) == 16
        for one in tuning.results:
            own = alone(one.candidate)
            assert (one.errors, one.examples) == (own.errors, 600)
            assert one.metrics == {name: m.of(own, None) for name, m in METRICS.items()}
            assert (one.low, one.high) == own.interval
        best = build(tuning.results[0].candidate, None)
        for batch in rows:
            best.partial_fit(batch.X, batch.y)
        assert np.array_equal(tuning.best.coef_, best.coef_)
        assert tuning.work == 16 * 600


def test_several_epochs_are_ranked_by_rows_that_were_not_learned(rows):
    tuning = tune_rows([(False, rows)], GRID, build, metric="error", epochs=3, seed=5)
    kept = LearnedRows(rows, HELD_OUT, 5)
    learned = list(kept)
    for one in tuning.results:
        model = build(one.candidate, None)
        for _ in range(3):
            updates = getattr(model, "updates_", 0)
            for batch in learned:
                model.partial_fit(batch.X, batch.y)
            if model.updates_ == updates:
                break
        wrong = sum(np.sum(model.predict(b.X) != b.y) for b in kept.held_out if len(b.y))
        assert (one.errors, one.examples) == (wrong, 120)
    assert tuning.baselines.no_change_error is None
    assert "held out, after 3 epochs" in str(tuning)


def test_epochs_end_where_no_candidate_learns_any_more():
    X = np.array([[1.0], [-1.0]] * 10)
    grid = Grid(("perceptron", "pa1"), (1.0,), outputs=("last",))
    rows = [(False, [Batch(X, np.array([1, 0] * 10), 0)])]
    tuning = tune_rows(rows, grid, build, metric="error", epochs=10**9)
    assert [one.errors for one in tuning.results] == [0, 0]
    assert tuning.work < 200


def test_no_row_is_learned_that_ranks(rows):
    """Labels that are noise: what had learned its rows would be better than chance on them."""
    y = np.random.default_rng(1).integers(2, size=600)
    noise = [b.replace(y=y[b.first_row : b.first_row + 100]) for b in rows]
    grid = Grid(("arow", "pa1"), scale=(False,))
    for shuffle in (False, True):
        tuning = tune_rows(
            [(False, noise)], grid, build, metric="error", epochs=20, shuffle=shuffle
        )
        errors = [one.errors / one.examples for one in tuning.results]
        assert 0.4 < np.mean(errors) < 0.6


def test_shuffled_rows_are_the_same_for_each_seed(rows):
    runs = [
        tune_rows([(False, rows)], GRID, build, metric="auc", epochs=2, shuffle=True, seed=seed)
        for seed in (0, 0, 1)
    ]
    first, second, other = ([one.metrics for one in run.results] for run in runs)
    assert first == second != other


def test_weights_out_of_range_end_their_candidate_alone():
    X = np.tile([[1000.0, 1.0], [-1000.0, 1.0]], (60, 1))
    y = np.tile([0, 1, 1, 0], 30)
    grid = Grid(("lms", "perceptron"), (1.0,), (False, True), ("last",))
    rows = SplitBatches([Batch(X, y, 0)], 10)
    with np.errstate(all="ignore"):
        tuning = tune_rows([(False, rows)], grid, build, metric="error")
    failed = [one for one in tuning.results if one.failure]
    assert [str(one.candidate) for one in failed] == ["lms --eta0 1"]
    assert failed == tuning.results[-1:]
    assert failed[0].metrics == dict.fromkeys(METRICS)
    assert "the weights left the floating-point range" in failed[0].failure
    assert "1 candidate failed" in str(tuning)
    only = Grid(("lms",), (1.0, 2.0), (False,), ("last",))
    with np.errstate(all="ignore"), pytest.raises(NothingToRankError, match="floating-point"):
        tune_rows([(False, rows)], only, build, metric="error")


def test_a_pass_that_ends_early_ranks_what_was_seen(rows):
    def watch(batches):
        yield from list(batches)[:2]

    tuning = tune_rows([(False, rows)], GRID, build, metric="error", watch=watch)
    assert {one.examples for one in tuning.results} == {200}
    with pytest.raises(NothingToRankError, match="no rows to rank candidates by"):
        tune_rows([(False, rows)], GRID, build, metric="error", watch=lambda batches: iter(()))


def test_candidates_of_a_reading_that_ended_early_are_last(rows):
    readings = [(False, rows), (True, rows[:3])]
    tuning = tune_rows(readings, GRID, build, metric="error")
    halves = [one.candidate.interactions for one in tuning.results]
    assert halves == [False] * 16 + [True] * 16
    assert {one.failure for one in tuning.results[16:]} == {"it was stopped before the last row"}


def test_f1_is_that_of_the_class_that_is_chosen(rng):
    X = rng.standard_normal((200, 2))
    rows = [Batch(X, np.where(X[:, 0] > 1, "rare", "often"), 0)]
    given = []
    tune_rows([(False, rows)], GRID, build, metric="f1", positive=given.extend)
    assert given == ["often", "rare"]
    tunings = [
        tune_rows([(False, rows)], GRID, build, metric="f1", positive=lambda labels, k=k: labels[k])
        for k in (0, 1)
    ]
    often, rare = (one.results[0].metrics["f1"] for one in tunings)
    assert often > rare
    assert tune_rows([(False, rows)], GRID, build, metric="f1").results[0].metrics["f1"] == rare


def test_the_capacity_for_scores_is_shared(rows, monkeypatch):
    monkeypatch.setattr(side_by_side, "MAX_SCORES", 16 * 3 * 50)
    tuning = tune_rows([(False, rows)], GRID, build, metric="auc")
    exact = {
        str(one.candidate): METRICS["auc"].of(validate(build(one.candidate, None), rows), None)
        for one in tuning.results
    }
    differences = [one.metrics["auc"] - exact[str(one.candidate)] for one in tuning.results]
    assert 0 < max(map(abs, differences)) < 0.2  # of 50 rows each


def test_a_row_is_held_out_whatever_the_batches(rows):
    whole = LearnedRows(rows, 0.2, 3)
    cut = LearnedRows(SplitBatches(rows, 7), 0.2, 3)
    assert sum(len(batch.y) for batch in whole) == 480
    list(cut)
    held = [np.concatenate([batch.X for batch in one.held_out]) for one in (whole, cut)]
    assert np.array_equal(*held)
    y = np.concatenate([batch.y for batch in rows])
    X = np.concatenate([batch.X for batch in rows])
    assert np.array_equal(held[0], X[StratifiedChoice(0.2, 3)(y)])
    list(whole)  # once more: the same rows, and not twice
    assert np.array_equal(np.concatenate([batch.X for batch in whole.held_out]), held[0])
