"""Metrics of probabilities: scikit-learn's, and a calibration error beside that of chance."""

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve

from rosenblatt import metrics
from rosenblatt.learning.evaluation.probability_metrics import (
    ProbabilityMetrics,
    average_precision,
    reliability,
)


def rows(rng, n, classes):
    p = rng.dirichlet(np.full(classes, 0.7), n)
    codes = (p.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=classes - 1)
    return codes, p


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("batch", [1, 77, 1000])
def test_losses_equal_scikit_learn_whatever_the_batches(rng, classes, batch):
    codes, p = rows(rng, 700, classes)
    added = ProbabilityMetrics()
    for i in range(0, 700, batch):
        added.add(codes[i : i + batch], p[i : i + batch])
    expected = sk.log_loss(codes, p, labels=range(classes))
    assert added.log_loss == pytest.approx(expected)
    assert metrics.log_loss(codes, p, range(classes)) == pytest.approx(expected)
    squares = ((p - np.eye(classes)[codes]) ** 2).sum(axis=1).mean()
    expected = sk.brier_score_loss(codes, p[:, 1]) if classes == 2 else squares
    assert added.brier == pytest.approx(expected)
    assert metrics.brier(codes, p, range(classes)) == pytest.approx(expected)
    assert added.reliability() == metrics.ece(codes, p, range(classes))


@pytest.mark.parametrize("decimals", [0, 1, 9])  # many ties, some, none
def test_the_average_precision_equals_scikit_learn(rng, decimals):
    positive = rng.random(300) < 0.2
    scores = np.round(rng.standard_normal(300) + positive, decimals)
    expected = sk.average_precision_score(positive, scores)
    assert average_precision(scores, positive) == pytest.approx(expected)
    assert metrics.pr_auc(positive, scores) == pytest.approx(expected)
    assert average_precision(np.zeros(300), positive) == pytest.approx(positive.mean())
    assert average_precision(scores, np.zeros(300, bool)) is None
    assert average_precision(scores, np.ones(300, bool)) is None
    codes, p = rows(rng, 300, 4)
    one_hot = np.eye(4)[codes]
    assert metrics.pr_auc(codes, p) == pytest.approx(sk.average_precision_score(one_hot, p))


def test_the_bins_are_scikit_learns_quantiles(rng):
    p = rng.random(15 * 40)
    events = rng.random(len(p)) < p**2
    observed, predicted = calibration_curve(events, p, n_bins=15, strategy="quantile")
    found = metrics.ece(events, p)
    assert [one.rows for one in found.bins] == [40] * 15
    assert [one.observed for one in found.bins] == pytest.approx(observed)
    assert [one.predicted for one in found.bins] == pytest.approx(predicted)
    assert found.ece == pytest.approx(np.abs(observed - predicted).mean())


def test_equal_probabilities_are_in_one_bin_so_the_order_of_rows_does_not_matter(rng):
    p = np.repeat([0.1, 0.5, 0.9], [500, 3, 97])
    events = rng.random(600) < 0.4
    found = metrics.ece(events, p)
    assert sum(one.rows for one in found.bins) == 600
    assert len(found.bins) <= 3
    order = rng.permutation(600)
    again = metrics.ece(events[order], p[order])
    assert (again.ece, again.by_chance) == (found.ece, found.by_chance)
    constant = metrics.ece(events, np.full(600, 0.4))
    assert constant.ece == pytest.approx(abs(events.mean() - 0.4))


def test_swapped_classes_have_the_same_error(rng):
    codes, p = rows(rng, 15 * 50, 2)
    assert metrics.ece(1 - codes, 1 - p[:, 1]).ece == pytest.approx(metrics.ece(codes, p).ece)


def test_the_error_of_several_classes_is_that_of_the_most_probable(rng):
    codes, p = rows(rng, 500, 4)
    best = p.argmax(axis=1)
    assert metrics.ece(codes, p) == reliability(p.max(axis=1), codes == best)


@pytest.mark.parametrize(
    ("name", "draw"),
    [
        ("wide", lambda rng, n: rng.random(n)),
        ("rare", lambda rng, n: rng.beta(0.05, 5.0, n)),
        ("sure", lambda rng, n: np.where(rng.random(n) < 0.5, 1e-9, 1.0)),
        ("two points", lambda rng, n: rng.choice([0.2, 0.7], n)),
    ],
)
@pytest.mark.parametrize("n", [30, 1000])
def test_the_quantile_of_chance_is_that_of_events_drawn_one_by_one(rng, name, draw, n):
    p = draw(rng, n)
    places = np.floor(15 * (rankdata(p) - 1) / n).astype(int)
    gaps = (rng.random((1500, n)) < p) - p
    errors = np.abs(gaps @ np.eye(15)[places]).sum(axis=1) / n
    by_chance = reliability(p, rng.random(n) < p).by_chance
    share = np.mean(errors <= by_chance + 1e-12)
    assert share >= 0.93
    assert name in ("rare", "sure") or share <= 0.97 or n == 30  # few events: few errors occur


def test_each_bin_says_where_a_calibrated_model_would_be(rng):
    p = rng.random(3000)
    inside = [
        one.low <= one.observed <= one.high
        for _ in range(40)
        for one in reliability(p, rng.random(3000) < p).bins
    ]
    assert 0.92 < np.mean(inside) < 0.98
    assert not all(one.low <= one.observed <= one.high for one in reliability(p, p > 0.5).bins)


def test_a_third_class_changes_the_event_and_the_score(rng):
    """Rows of two classes, then of three, are as rows of three with a class of probability 0."""
    codes, p = rows(rng, 300, 2)
    later, q = rows(rng, 200, 3)
    added, padded = ProbabilityMetrics(), ProbabilityMetrics()
    added.add(codes, p)
    padded.add(codes, np.column_stack([p, np.zeros(300)]))
    for one in (added, padded):
        one.add(later, q)
    assert added.brier == pytest.approx(padded.brier)
    assert added.log_loss == pytest.approx(padded.log_loss)
    assert added.reliability().ece == pytest.approx(padded.reliability().ece)


def test_no_rows_have_no_metrics():
    added = ProbabilityMetrics()
    assert (added.log_loss, added.brier, added.reliability()) == (None, None, None)


def test_more_rows_than_kept_are_sampled(rng):
    codes, p = rows(rng, 30_000, 2)
    sampled = ProbabilityMetrics(max_rows=3000)
    for i in range(0, 30_000, 999):
        sampled.add(codes[i : i + 999], p[i : i + 999])
    assert sum(one.rows for one in sampled.reliability().bins) == 3000
    assert sampled.brier == pytest.approx(metrics.brier(codes, p))
    assert sampled.reliability().by_chance < 3 * metrics.ece(codes, p).by_chance * np.sqrt(10)


@pytest.mark.parametrize(
    ("y", "p", "classes", "says"),
    [
        ([0, 1], [0.5], None, "must have shape"),
        ([], [], None, "n ≥ 1"),
        ([0, 1, 2], [0.5, 0.5, 0.5], None, "3 distinct labels: give classes"),
        ([0, 0], [0.5, 0.5], None, "1 distinct labels"),
        ([0, 2], [0.5, 0.5], [0, 1], "label .*2.* is no class"),
        ([0, 1], [0.5, 1.5], None, "between 0 and 1"),
        ([0, 1], [0.5, np.nan], None, "between 0 and 1"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(y, p, classes, says):
    for metric in (metrics.log_loss, metrics.brier, metrics.ece):
        with pytest.raises(ValueError, match=says):
            metric(y, p, classes)


def test_a_number_of_bins_below_one_and_an_absent_class_are_refused():
    with pytest.raises(ValueError, match="bins must be at least 1"):
        metrics.ece([0, 1], [0.5, 0.5], bins=0)
    with pytest.raises(ValueError, match="same label"):
        metrics.pr_auc([0, 0], [0.5, 0.5], [0, 1])
