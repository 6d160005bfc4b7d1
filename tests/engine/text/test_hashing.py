"""Hashes of names, and rows of hashes."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction import FeatureHasher
from sklearn.utils import murmurhash3_32
from sklearn.utils.murmurhash import murmurhash3_bytes_s32

from rosenblatt._core.text import column_of, hash_pieces
from rosenblatt.engine.text.hashing import SparseRows, murmur3, sort_and_sum

LEAST = "aivlts3m"  # its hash has no absolute value in 32 bits


@settings(deadline=None)
@given(st.binary(max_size=70))
def test_the_hash_is_scikit_learns_bit_for_bit(name):
    assert murmur3(name) == murmurhash3_bytes_s32(name, 0)


@settings(deadline=None)
@given(st.text())
def test_text_is_hashed_as_utf_8(name):
    assert murmur3(name.encode()) == murmurhash3_32(name)


@settings(deadline=None)
@given(st.lists(st.tuples(st.binary(max_size=8), st.binary(max_size=8))))
def test_a_name_is_hashed_in_pieces(pieces):
    words = [
        int.from_bytes((piece + behind)[:8].ljust(8, b"\0"), "little") for piece, behind in pieces
    ]
    sizes = np.array([len(piece) for piece, _ in pieces], np.int64)
    name = b"".join(piece for piece, _ in pieces)
    assert hash_pieces(np.array(words, np.uint64), sizes) == murmurhash3_bytes_s32(name, 0)


@settings(deadline=None)
@given(st.lists(st.text(min_size=1), min_size=1), st.integers(1, 30))
def test_columns_and_signs_are_those_of_the_feature_hasher(names, bits):
    hasher = FeatureHasher(2**bits, input_type="string")
    for name in [*names, LEAST]:
        h = murmur3(name.encode())
        expected = hasher.transform([[name]])
        assert [column_of(h, bits)] == expected.indices.tolist()
        assert [1.0 if h >= 0 else -1.0] == expected.data.tolist()


def test_the_smallest_hash():
    assert murmur3(LEAST.encode()) == -(2**31)
    assert {column_of(-(2**31), bits) for bits in range(1, 31)} == {0}


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
