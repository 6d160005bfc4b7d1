"""Rows of hashed columns are sorted and summed as SciPy's are."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.engine.text.hashed_rows import SparseRows, sort_and_sum


@settings(deadline=None)
@given(
    st.integers(1, 30).flatmap(
        lambda bits: st.tuples(
            st.just(bits),
            st.lists(
                st.lists(
                    st.tuples(
                        st.one_of(st.integers(0, 2**bits - 1), st.integers(0, 1)),
                        st.integers(-9, 9).map(float),
                    )
                )
            ),
        )
    )
)
def test_sorted_rows_equal_scipys(drawn):
    bits, rows = drawn
    columns = np.array([j for row in rows for j, _ in row], np.int32)
    data = np.array([x for row in rows for _, x in row], float)
    indptr = np.cumsum([0, *map(len, rows)])
    # scipy has no matrix without rows
    shape = (max(1, len(rows)), 2**bits)
    pointers = indptr if rows else np.zeros(2, int)
    expected = sp.csr_array((data, columns, pointers), shape=shape, copy=True)
    expected.sum_duplicates()
    result = sort_and_sum(SparseRows(columns, data, indptr), bits)
    assert result.columns.tolist() == expected.indices.tolist()
    assert result.data.tolist() == expected.data.tolist()
    assert result.indptr.tolist() == expected.indptr.tolist()[: len(rows) + 1]


def test_equal_columns_are_summed_in_order():
    values = [1e16, 1.0, -1e16, 3.0]
    rows = SparseRows(np.full(4, 7, np.int32), np.array(values), np.array([0, 0, 4, 4]))
    result = sort_and_sum(rows, 18)
    assert result.data.tolist() == [((1e16 + 1.0) - 1e16) + 3.0]
    assert result.indptr.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("bits", [1, 9, 10, 18, 19, 30])
def test_any_number_of_bits_sorts(bits, rng):
    columns = rng.integers(0, 2**bits, 1000).astype(np.int32)
    expected, counts = np.unique(columns, return_counts=True)
    result = sort_and_sum(SparseRows(columns, np.ones(1000), np.array([0, 1000])), bits)
    assert result.columns.tolist() == expected.tolist()
    assert result.data.tolist() == counts.tolist()
