"""Progress: one counter for predictions that come singly, in arrays, or counted by the learner."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.drift import Alarm, Drift
from rosenblatt.learning.evaluation.progress import LabelOrder
from rosenblatt.progressive import Progress, anytime_interval

LABELS = ["a", "b", "c"]
PAIRS = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from([*LABELS, None])), max_size=150)


@given(PAIRS, st.integers(1, 40), st.integers(1, 20), st.integers(1, 60))
def test_parts_of_any_size_give_the_same_counts_points_and_alarms(pairs, window, every, size):
    counters = [Progress(window=window, every=every, drift=0.9) for _ in range(3)]
    labels, predictions = [y for y, _ in pairs], [p for _, p in pairs]
    events = [
        [event for y, p in pairs for event in counters[0].add(y, p)],
        [
            event
            for i in range(0, len(pairs), size)
            for event in counters[1].add(labels[i : i + size], tuple(predictions[i : i + size]))
        ],
        counters[2].add(np.array(labels, object), np.array(predictions, object)),
    ]
    assert events[0] == events[1] == events[2]
    fields = ("examples", "errors", "labels", "confusion", "points", "alarms", "windowed")
    for counter in counters:
        assert all(getattr(counter, f) == getattr(counters[0], f) for f in fields)
    wrong = [y != p for y, p in pairs]
    assert counters[0].errors == sum(wrong)
    assert counters[0].alarms == Drift(0.9).add(wrong)
    assert counters[0].windowed == (np.mean(wrong[-window:]) if wrong else 0.0)


@given(PAIRS)
def test_counts_by_label_are_those_of_the_pairs(pairs):
    progress = Progress()
    progress.add([y for y, _ in pairs], [p for _, p in pairs])
    expected = {
        label: (sum(y == label for y, _ in pairs), sum(y == label != p for y, p in pairs))
        for label in progress.labels
    }
    assert progress.by_label() == expected
    label, error = progress.constant
    if pairs:
        assert error == pytest.approx(min(1 - n / len(pairs) for n, _ in expected.values()))
        assert 1 - expected[label][0] / len(pairs) == pytest.approx(error)
    else:
        assert (label, error) == (None, 0.0)


@given(st.lists(st.integers(0, 9), max_size=8))
def test_a_learner_that_counts_its_errors_meets_the_same_marks(parts):
    progress, marks = Progress(every=3), []
    for n in parts:
        while n:
            step = min(n, progress.until_mark)
            if progress.count(["a"] * step, step // 2):
                marks.append(progress.examples)
            n -= step
    total = sum(parts)
    expected = {1, 2, 4, 8, 16, 32, 64} | set(range(3, 100, 3))
    assert marks == sorted(n for n in expected if n <= total)
    assert progress.examples == progress.labels["a"] == total
    assert progress.interval == anytime_interval(progress.errors, total)


def test_the_last_point_is_added_once():
    progress = Progress()
    assert progress.finish() == []
    progress.add([0, 0, 0], [0, 1, 0])
    assert [point.examples for point in progress.points] == [1, 2]
    assert progress.finish() == [progress.points[-1]] == [progress.point()]
    assert progress.finish() == []


def test_restored_counts_continue():
    progress, whole = Progress(), Progress()
    whole.count(list("aababb"), 3)
    progress.restore(4, 2, {"a": 3, "b": 1})
    assert progress.until_mark == 4
    progress.count(list("bb"), 1)
    assert (progress.examples, progress.errors, progress.labels) == (
        whole.examples,
        whole.errors,
        whole.labels,
    )


def test_alarms_come_before_the_point_of_the_same_example():
    progress = Progress(drift=0.99)
    events = progress.add([0] * 512, [0] * 256 + [1] * 256)
    assert progress.alarms
    examples = [e.example if isinstance(e, Alarm) else e.examples + 0.5 for e in events]
    assert examples == sorted(examples)


@pytest.mark.parametrize("params", [{"window": 0}, {"every": 0}, {"drift": 1.0}])
def test_parameters_out_of_range_are_refused(params):
    with pytest.raises(ValueError, match="|".join([*params, "confidence"])):
        Progress(**params)


def test_arrays_of_different_length_are_refused():
    with pytest.raises(
        ValueError, match="labels and predictions must have the same length; got 2 and 1"
    ):
        Progress().add(["a", "b"], ["a"])


@pytest.mark.parametrize("cut", [1, 20, 33, 59])
def test_changes_do_not_depend_on_the_batches(cut):
    y = np.repeat(["a", "b", "c"], 20)
    order = LabelOrder()
    order.add(y[:cut])
    order.add(y[cut:])
    assert order.changes == 2
    assert order.is_sorted(60, 3)
    assert not order.is_sorted(59, 3)


def test_mixed_rows_are_not_sorted():
    order = LabelOrder()
    order.add(np.arange(60) % 2)
    assert order.changes == 59
    assert not order.is_sorted(60, 2)
    assert LabelOrder(changes=4).changes == 4


@pytest.mark.parametrize("lag", [1, 2, 7, 60, 99])
@pytest.mark.parametrize("cut", [1, 5, 59])
def test_a_late_label_is_compared_with_that_of_so_many_rows_before(lag, cut, rng):
    y = rng.choice(["a", "b"], 60)
    order = LabelOrder(lag=lag)
    for start in range(0, 60, cut):
        order.add(y[start : start + cut])
    wrong = [i < lag or y[i] != y[i - lag] for i in range(60)]
    assert order.errors(60) == sum(wrong)
