"""Metrics of predictions: equal to scikit-learn's, and defined in every edge case."""

from collections import Counter

import numpy as np
import pytest
from sklearn import metrics as sk

from rosenblatt.learning.evaluation.metrics import (
    ClassCounts,
    ScoreMetrics,
    average_classes,
    class_margins,
    cohen_kappa,
    constant_classes,
    count_classes,
    label_entropy,
    mean_area,
    missed_classes,
    roc_auc,
)


def counted(y, predictions, classes):
    pairs = Counter(zip(y.tolist(), predictions.tolist(), strict=True))
    return count_classes(pairs, classes)


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("seed", range(5))
def test_counts_equal_scikit_learn(classes, seed):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(classes, 0.5))
    y = rng.choice(classes, 400, p=shares)
    predictions = np.where(rng.random(400) < 0.6, y, rng.integers(classes, size=400))
    by_class = counted(y, predictions, range(classes))
    expected = sk.precision_recall_fscore_support(
        y, predictions, labels=range(classes), zero_division=0
    )
    rows = [(c.precision or 0, c.recall or 0, c.f1 or 0, c.examples) for c in by_class]
    np.testing.assert_allclose(np.transpose(rows), expected)
    averages = average_classes(by_class)
    options = {"average": "macro", "zero_division": 0}
    assert averages.accuracy == pytest.approx(sk.accuracy_score(y, predictions))
    assert averages.macro_precision == pytest.approx(sk.precision_score(y, predictions, **options))
    assert averages.macro_recall == pytest.approx(sk.recall_score(y, predictions, **options))
    assert averages.macro_f1 == pytest.approx(sk.f1_score(y, predictions, **options))
    balanced = np.mean([np.mean(predictions[y == k] == k) for k in np.unique(y)])
    assert averages.balanced_accuracy == pytest.approx(balanced)


def test_a_class_without_rows_is_not_averaged():
    y, predictions = np.array(["a", "a", "b", "b"]), np.array(["a", "b", "b", "b"])
    by_class = counted(y, predictions, ["a", "b", "c"])
    assert by_class[2] == ClassCounts("c", 0, 0, 0)
    assert (by_class[2].precision, by_class[2].recall, by_class[2].f1) == (None, None, None)
    assert average_classes(by_class) == average_classes(by_class[:2])


def test_a_label_that_is_no_class_is_counted_and_a_prediction_of_nothing_is_not():
    pairs = {("a", None): 1, ("a", "a"): 2, ("z", "a"): 1}
    assert count_classes(pairs, ["a"]) == [ClassCounts("a", 3, 3, 2), ClassCounts("z", 1, 0, 0)]
    assert average_classes(count_classes(pairs, ["a"])).accuracy == 0.5


def test_no_rows_give_zeros():
    assert set(average_classes(count_classes({}, ["a", "b"]))) == {0.0}


@pytest.mark.parametrize("seed", range(5))
def test_the_constant_equals_a_dummy_classifier(seed):
    y = np.random.default_rng(seed).choice(4, 200, p=[0.1, 0.6, 0.1, 0.2])
    constant = np.full(200, 1)
    baseline = constant_classes(counted(y, np.roll(y, 1), range(4)))
    assert baseline == counted(y, constant, range(4))
    shares = np.bincount(y) / 200
    expected = sk.log_loss(y, np.tile(shares, (200, 1)))
    assert label_entropy(baseline) == pytest.approx(expected)


def test_a_rare_class_is_missed_only_where_the_error_is_small():
    rare = [ClassCounts("ham", 980, 990, 979), ClassCounts("spam", 20, 10, 1)]
    assert [one.label for one in missed_classes(rare)] == ["spam"]
    assert missed_classes([rare[0], rare[1]._replace(correct=2)]) == []  # recall 10 %
    assert missed_classes([*rare, ClassCounts("eggs", 0, 0, 0)]) == [rare[1]]
    assert missed_classes([ClassCounts("a", 70, 100, 70), ClassCounts("b", 30, 0, 0)]) == []


# --- scores --------------------------------------------------------------------------------------


@pytest.mark.parametrize("decimals", [0, 1, 9])  # many ties, some, none
@pytest.mark.parametrize("seed", range(5))
def test_the_area_equals_scikit_learn(seed, decimals):
    rng = np.random.default_rng(seed)
    positive = rng.random(300) < 0.2
    scores = np.round(rng.standard_normal(300) + positive, decimals)
    assert roc_auc(scores, positive) == pytest.approx(sk.roc_auc_score(positive, scores), abs=1e-14)
    assert roc_auc(-scores, ~positive) == roc_auc(scores, positive)


def test_the_area_without_one_of_two_classes_is_undefined():
    scores = np.array([1.0, 2.0])
    assert roc_auc(scores, np.array([True, True])) is None
    assert roc_auc(scores, np.array([False, False])) is None
    assert roc_auc(np.zeros(4), np.array([True, False, True, True])) == 0.5
    assert roc_auc(np.zeros(0), np.zeros(0, bool)) is None


def random_rows(rng, n, classes):
    codes = rng.integers(classes, size=n)
    probabilities = rng.dirichlet(np.ones(classes), n)
    return codes, np.log(probabilities) + 0.5 * np.eye(classes)[codes], probabilities


@pytest.mark.parametrize("batch", [1, 7, 500])
def test_batches_add_up_to_scikit_learn(rng, batch):
    codes, scores, probabilities = random_rows(rng, 500, 4)
    metrics = ScoreMetrics(4)
    for i in range(0, 500, batch):
        rows = slice(i, i + batch)
        metrics.add(codes[rows], scores[rows], probabilities[rows])
    areas = [sk.roc_auc_score(codes == k, scores[:, k]) for k in range(4)]
    assert metrics.areas() == pytest.approx(areas)
    assert mean_area(metrics.areas()) == pytest.approx(np.mean(areas))
    assert metrics.log_loss == pytest.approx(sk.log_loss(codes, probabilities))
    assert (metrics.rows, metrics.sampled) == (500, 500)


def test_unknown_labels_and_absent_classes_are_left_out(rng):
    codes, scores, probabilities = random_rows(rng, 200, 3)
    metrics, expected = ScoreMetrics(3), ScoreMetrics(3)
    unknown = codes == 2
    metrics.add(np.where(unknown, -1, codes), scores, probabilities)
    expected.add(codes[~unknown], scores[~unknown], probabilities[~unknown])
    assert metrics.areas() == expected.areas()
    assert metrics.areas()[2] is None
    assert mean_area(metrics.areas()) == np.mean(metrics.areas()[:2])
    assert metrics.log_loss == expected.log_loss


def test_no_rows_have_no_score_metrics():
    metrics = ScoreMetrics(3)
    assert (mean_area(metrics.areas()), metrics.log_loss, metrics.sampled) == (None, None, 0)
    metrics.add(np.array([-1]), np.zeros((1, 3)), np.full((1, 3), 1 / 3))
    assert (mean_area(metrics.areas()), metrics.log_loss, metrics.rows) == (None, None, 0)


def test_a_probability_of_zero_has_a_finite_loss():
    metrics = ScoreMetrics(1)
    metrics.add(np.array([0, 1]), np.array([1.0, 1.0]), np.array([[0.0, 1.0], [0.0, 1.0]]))
    assert metrics.log_loss == pytest.approx(-np.log(np.finfo(float).eps) / 2)


@pytest.mark.parametrize("batch", [999, 20000])
def test_more_rows_than_kept_are_sampled_whatever_the_batches(rng, batch):
    positive = np.sort(rng.random(20000) < 0.3)  # sorted: the first rows are no sample
    scores = rng.standard_normal(20000) + positive
    metrics = ScoreMetrics(1, max_scores=4000)
    for i in range(0, 20000, batch):
        metrics.add(positive[i : i + batch].astype(int), scores[i : i + batch])
    assert (metrics.rows, metrics.sampled) == (20000, 4000)
    assert mean_area(metrics.areas()) == pytest.approx(sk.roc_auc_score(positive, scores), abs=0.03)
    one_batch = ScoreMetrics(1, max_scores=4000)
    one_batch.add(positive.astype(int), scores)
    assert mean_area(metrics.areas()) == mean_area(one_batch.areas())


def test_margins_of_classes_do_not_depend_on_a_number_added_to_a_row(rng):
    scores = rng.integers(-9, 9, size=(50, 4)).astype(float)
    expected = [[row[k] - max(np.delete(row, k)) for k in range(4)] for row in scores]
    np.testing.assert_array_equal(class_margins(scores), expected)
    shifted = scores + rng.integers(-99, 99, size=(50, 1))
    np.testing.assert_array_equal(class_margins(shifted), expected)


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_kappa_is_scikit_learns(classes, rng):
    y = rng.integers(classes, size=300)
    for predictions in (y, (y + 1) % classes, np.zeros(300, int), rng.integers(classes, size=300)):
        pairs = Counter(zip(y.tolist(), predictions.tolist(), strict=True))
        assert cohen_kappa(pairs) == pytest.approx(sk.cohen_kappa_score(y, predictions))


def test_kappa_is_undefined_where_chance_makes_no_error():
    assert cohen_kappa({("ham", "ham"): 9}) is None
    assert cohen_kappa({}) is None
    assert cohen_kappa({("ham", None): 1, ("ham", "ham"): 3, ("spam", "spam"): 4}) > 0.0
