"""The instructions against their twins in plain Python."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.engine import intrinsics, jit
from rosenblatt.engine.intrinsics import LANES

jit.load_compiler()

UNSIGNED = st.integers(0, 2**64 - 1)


def as_int64(x):
    return int(np.uint64(x).view(np.int64))


def test_prefetch_is_a_hint():
    @numba.njit
    def ask(array):
        intrinsics.prefetch(array, 0)
        intrinsics.prefetch(array, 10**6)
        return array[0]

    assert ask(np.array([7.0])) == 7.0


@pytest.mark.parametrize("shape", [(3,), (2, 3), (0, 3)])
def test_copy_to_copies_the_whole_array(shape):
    @numba.njit
    def copy(target, row, source):
        intrinsics.copy_to(target, row, source)

    source = np.arange(float(np.prod(shape))).reshape(shape) + 1
    ours, plain = np.zeros((2, 3, *shape))
    copy(ours, 1, source)
    intrinsics.copy_to(plain, 1, source)
    np.testing.assert_array_equal(ours, plain)


@pytest.fixture(scope="module")
def words():
    @numba.njit
    def words(x, text, high, low):
        return (
            intrinsics.trailing_zeros(x),
            intrinsics.leading_zeros(x),
            intrinsics.multiply_high(x, high, low),
            intrinsics.load_int64(text, 0),
            intrinsics.float_from_bits(x),
            intrinsics.at(text, 7),
        )

    return words


@given(UNSIGNED, st.binary(min_size=8, max_size=8), UNSIGNED, UNSIGNED)
def test_words(words, x, text, high, low):
    bytes_ = np.frombuffer(text, np.uint8)
    high, low = np.uint64(high), np.uint64(low)
    ours = words(as_int64(x), bytes_, high, low)
    plain = (
        intrinsics.trailing_zeros(x),
        intrinsics.leading_zeros(x),
        tuple(map(as_int64, intrinsics.multiply_high(x, high, low))),
        intrinsics.load_int64(bytes_, 0),
        intrinsics.float_from_bits(as_int64(x)),
        intrinsics.at(bytes_, 7),
    )
    np.testing.assert_equal(ours, plain)


@pytest.mark.parametrize("blocks", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lanes_of_a_matrix(blocks, dtype):
    zeros = getattr(intrinsics, f"zeros_x{blocks}")
    rng = np.random.default_rng(blocks)
    W, x = rng.normal(size=(3, 5 * LANES)).astype(dtype), rng.normal(size=3).astype(dtype)

    def dots(W, x, out):
        sums = zeros()
        for j in range(3):
            sums = intrinsics.muladd(sums, x[j], W, j, LANES)
        intrinsics.store_lanes(sums, out, 1, LANES)

    def axpy(W, x, steps):
        intrinsics.axpy_lanes(x[1], intrinsics.load_lanes(steps, LANES), W, 2, LANES)

    for function, third in ((dots, np.zeros((2, 5 * LANES))), (axpy, rng.normal(size=5 * LANES))):
        arrays = [(W.copy(), x, third.copy()) for _ in range(2)]
        numba.njit(function)(*arrays[0])
        function(*arrays[1])
        np.testing.assert_array_equal(arrays[0][0], arrays[1][0])
        np.testing.assert_array_equal(arrays[0][2], arrays[1][2])


@pytest.mark.parametrize("blocks", [1, 2, 4])
def test_lanes_of_two_vectors(blocks):
    zeros = getattr(intrinsics, f"zeros_x{blocks}")
    a, b = np.random.default_rng(blocks).normal(size=(2, 2 * blocks * LANES))

    def dot(a, b):
        sums = intrinsics.muladd_pairs(zeros(), a, b, 0)
        return intrinsics.sum_lanes(intrinsics.muladd_pairs(sums, a, b, blocks * LANES))

    assert numba.njit(dot)(a, b) == dot(a, b) == pytest.approx(a @ b)
