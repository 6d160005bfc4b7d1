"""The exponential of the Gaussian kernel: that of NumPy to the last bits."""

import instruction_sets
import numpy as np
import pytest

from rosenblatt.engine.kernel.gaussian import gaussian
from rosenblatt.theory.kernels import RBF


def twin(pairs, own, other, gamma):
    """exp(x) = 2^k e^r in NumPy, with the rational function of the Cephes library."""
    distances = (pairs * -2.0 + own[:, np.newaxis]) + other
    x = np.maximum(np.maximum(distances, 0.0) * -gamma, -709.0895657128241)
    to_bits = 1.5 * 2.0**52 + 1023.0
    shifted = x * 1.4426950408889634 + to_bits
    k = shifted - to_bits
    r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10
    z = r * r
    p = r * ((1.26177193074810590878e-4 * z + 3.02994407707441961300e-2) * z + 1.0)
    q = (3.00198505138664455042e-6 * z + 2.52448340349684104192e-3) * z
    q = (q + 2.27265548208155028766e-1) * z + 2.0
    ratio = p / (q - p)
    return (1.0 + (ratio + ratio)) * (shifted.view(np.int64) << 52).view(np.float64)


@pytest.mark.parametrize("scale", [0.01, 1.0, 8.0, 20.0])
def test_values_are_numpys(scale):
    rng = np.random.default_rng(0)
    A, B = scale * rng.standard_normal((40, 5)), scale * rng.standard_normal((70, 5))
    B[:9] = A[:9]
    own, other, pairs = np.sum(A * A, axis=1), np.sum(B * B, axis=1), A @ B.T
    found = gaussian(pairs.copy(), own, other, 0.5)
    assert found.tobytes() == twin(pairs, own, other, 0.5).tobytes()
    expected = RBF(0.5).of(pairs.copy(), own[:, np.newaxis], other)
    np.testing.assert_allclose(found, expected, rtol=5e-16, atol=3e-308)  # no subnormal numbers
    np.testing.assert_array_equal(np.diag(found)[:9] > 0.999, True)


def test_the_ends_of_the_range():
    """Distances of 0, below 0 by rounding, whose value underflows, infinite, and NaN."""
    products = [[0.0, 1e-17, -354.0, -355.0, -1e9, -np.inf, np.nan]]
    values = gaussian(np.array(products), np.zeros(1), np.zeros(7), 1.0)
    assert values[0, :2].tolist() == [1.0, 1.0]
    assert values[0, 2] == pytest.approx(np.exp(-708.0), rel=1e-15)
    assert values[0, 3:6].tolist() == [0.0, 0.0, 0.0]
    assert np.isnan(values[0, 6])


def bits_of_values():
    """A digest of values in rows of every length that registers divide, or do not."""
    rng = np.random.default_rng(0)
    pairs = [30.0 * rng.standard_normal((3, m)) for m in range(1, 20)]
    ones = np.ones(20)
    return instruction_sets.digest(*(gaussian(P, ones[:3], ones[: P.shape[1]], 0.7) for P in pairs))
