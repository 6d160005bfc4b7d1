"""Second reading of the training data: margins and their histogram."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from rosenblatt import theory
from rosenblatt.cli.inputs.models import open_model
from rosenblatt.cli.report.second_pass import Histogram, review_training_data
from rosenblatt.learning import interface
from rosenblatt.streams.core.options import ReadOptions


def review(data):
    return review_training_data("m", data, ReadOptions(), quiet=True)


def test_margins_equal_those_of_the_theory(folder, call):
    call("train", "sklearn:breast_cancer", "-m", "m", "-q")
    X, labels = load_breast_cancer(return_X_y=True)
    model = open_model("m").model
    y = np.where(labels == 0, 1, -1)  # malignant is the second by name
    expected = theory.margins(X, y, model.coef_[0], model.intercept_[0])
    second = review("sklearn:breast_cancer")
    assert second.margins.smallest == pytest.approx(expected.min())
    assert second.confusion.errors == np.count_nonzero(expected < 0.0)
    for low, high, count in second.margins.bins(50):
        assert count == np.count_nonzero((low <= expected) & (expected < high))


def test_margins_of_a_scaled_model_are_those_of_the_scaled_columns(folder, call):
    call("train", "sklearn:breast_cancer", "-m", "m", "-q", "--scale")
    X, labels = load_breast_cancer(return_X_y=True)
    model = open_model("m").model
    effects = model.coef_[0] * interface.spreads(model)
    y = np.where(labels == 0, 1, -1)  # malignant is the second by name
    expected = y * model.decision_function(X) / np.linalg.norm(effects)
    assert review("sklearn:breast_cancer").margins.smallest == pytest.approx(expected.min())


@pytest.mark.parametrize("options", [(), ("--average",)])
def test_margins_of_several_classes_by_a_kernel(folder, call, options):
    call("train", "sklearn:digits", "-m", "m", "-q", "--kernel", "linear", *options)
    X, y = load_digits(return_X_y=True)
    model = open_model("m").model
    scores = model.decision_function(X) / np.linalg.norm(model.dual_coef_ @ model.support_vectors_)
    right = scores[np.arange(len(y)), y]
    scores[np.arange(len(y)), y] = -np.inf
    expected = right - scores.max(axis=1)
    second = review("sklearn:digits")
    assert second.margins.smallest == pytest.approx(expected.min(), rel=1e-6)
    below = sum(count for _, high, count in second.margins.bins(40) if high <= 0.0)
    assert below == pytest.approx(np.count_nonzero(expected < 0.0), abs=1)


def test_a_histogram_counts_denormal_numbers():
    histogram = Histogram()
    histogram.add(np.array([5e-324, 5e-324]))
    assert sum(count for *_, count in histogram.bins(8)) == 2


def test_a_histogram_counts_every_number(rng):
    histogram, all_ = Histogram(), []
    for scale in (1e-3, 1.0, 0.01, 1e4, 0.0):
        numbers = rng.normal(size=500) * scale
        histogram.add(numbers)
        all_.append(numbers)
    values = np.concatenate(all_)
    for limit in (4, 60, 5000):
        bins = histogram.bins(limit)
        assert len(bins) <= limit
        assert [count for *_, count in bins] == [
            np.count_nonzero((low <= values) & (values < high)) for low, high, _ in bins
        ]
        assert sum(count for *_, count in bins) == len(values)
