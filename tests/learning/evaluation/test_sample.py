"""A random sample of rows in one pass."""

import numpy as np

from rosenblatt.learning.evaluation.sample import RowSample


def test_each_row_is_kept_with_the_same_probability():
    counts = np.zeros(60)
    rng = np.random.default_rng(5)
    for _ in range(600):
        sample = RowSample(10)
        sample._rng = rng
        for part in np.array_split(np.arange(60), 7):
            sample.add(part)
        counts[sample.columns()[0]] += 1
    assert counts.sum() == 6000
    assert np.abs(counts - 100).max() < 5 * np.sqrt(100)


def test_columns_stay_together_and_the_batches_do_not_matter(rng):
    numbers = rng.random(5000)
    whole, parts = RowSample(300), RowSample(300)
    whole.add(numbers, numbers**2)
    for part in np.array_split(numbers, 11):
        parts.add(part, part**2)
    for a, b in zip(whole.columns(), parts.columns(), strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(whole.columns()[0] ** 2, whole.columns()[1])
    assert (whole.rows, whole.size) == (5000, 300)


def test_the_sample_is_its_own(rng):
    numbers, sample = rng.random(40), RowSample(10)
    before = numbers.copy()
    sample.add(numbers[:10])
    sample.add(numbers[10:])
    np.testing.assert_array_equal(numbers, before)
    numbers[:] = 2.0
    assert sample.columns()[0].max() < 1.0


def test_changed_columns_are_a_sample_too():
    sample = RowSample(100)
    assert sample.columns() == ()
    sample.change(lambda: (), 100)
    sample.add(np.arange(100))
    sample.change(lambda numbers: (numbers, -numbers), 20)
    numbers, negative = sample.columns()
    assert len(np.unique(numbers)) == sample.size == 20
    np.testing.assert_array_equal(numbers, -negative)


def test_a_full_sample_is_not_copied_for_a_row_more():
    sample = RowSample(100)
    sample.add(np.arange(100))
    (kept,) = sample.columns()
    for row in range(100, 200):
        sample.add(np.array([row]))
    assert sample.columns()[0] is kept
    assert kept.max() >= 100
