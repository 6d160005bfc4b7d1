"""Order of the labels of a run: whatever the batches."""

import numpy as np
import pytest

from rosenblatt.learning.evaluation.label_order import LabelOrder


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
