"""Rows of named features are sorted as NumPy sorts them, compiled and as plain Python."""

import numpy as np
import pytest
from engine_modes import MODES
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.engine.text.named_rows import (
    INDICES,
    SMALLEST_CAPACITY,
    VALUES,
    WORK_ROWS,
    arrange_row,
)

CAPACITY = 2 * SMALLEST_CAPACITY
INDEX = st.one_of(st.just(-1), st.integers(0, 9), st.integers(0, 5000), st.integers(0, 2**31 - 1))
NUMBERS = st.floats(allow_nan=True, allow_infinity=True), st.integers(-(2**63), 2**63 - 1)


class Row:
    """Arrays of a row, and the call that arranges it."""

    def __init__(self):
        self.work = np.zeros((WORK_ROWS, CAPACITY), np.int64)
        self.data, self.indices = np.zeros(CAPACITY), np.zeros(CAPACITY, np.uint32)
        self.ends = np.zeros(2, np.int64)

    def arrange(self, values, found, same_names=False):
        integral = values.dtype == np.int64
        self.work[VALUES, : len(values)] = values.view(np.int64)
        if not same_names:
            self.work[INDICES, : len(found)] = found
        arrays = self.data, self.indices, self.ends, self.work
        missing = arrange_row(*arrays, len(values), integral, same_names)
        n = self.ends[1]
        return missing, self.data[:n].copy(), self.indices[:n].copy()


def sorted_by_numpy(values, found):
    """Number of values without an index, and the others sorted by index; −1: one is not finite."""
    missing = int(np.count_nonzero(found < 0))
    order = np.argsort(found, kind="stable")[missing:]
    finite = np.isfinite(values.astype(np.float64)).all()
    return missing if finite else -1, values.astype(np.float64)[order], found[order]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("numbers", NUMBERS, ids=["floats", "integers"])
def test_a_row_is_sorted_as_numpy_sorts_it(mode, numbers):
    row = Row()

    @given(
        st.lists(INDEX, max_size=CAPACITY, unique_by=lambda j: j if j >= 0 else object()),
        st.data(),
    )
    @settings(max_examples=60, deadline=None)
    def sorts(indices, data):
        found = np.array(indices, np.int64)
        lists = st.lists(numbers, min_size=len(found), max_size=len(found))
        dtype = np.int64 if numbers is NUMBERS[1] else np.float64
        for same_names in (False, True):
            values = np.array(data.draw(lists), dtype)
            for mine, wanted in zip(
                row.arrange(values, found, same_names), sorted_by_numpy(values, found), strict=True
            ):
                np.testing.assert_array_equal(mine, wanted)

    with MODES[mode]():
        sorts()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("d", [1, 64, 65, 4096, 4097, 300_000])
def test_indices_of_every_length_are_sorted(rng, mode, d):
    found = rng.permutation(d)[:100]
    values = rng.normal(size=len(found))
    with MODES[mode]():
        results = Row().arrange(values, found)
    for mine, wanted in zip(results, sorted_by_numpy(values, found), strict=True):
        np.testing.assert_array_equal(mine, wanted)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("index", [-1, 3])
def test_a_value_that_is_not_finite_is_reported(mode, value, index):
    with MODES[mode]():
        assert Row().arrange(np.array([1.0, value]), np.array([0, index]))[0] == -1
