import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction import FeatureHasher
from sklearn.utils import murmurhash3_32
from sklearn.utils.murmurhash import murmurhash3_bytes_s32

from rosenblatt._core.text import column_of, hash_pieces
from rosenblatt.engine.text.murmur import murmur3

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
