"""The exponential of the Gaussian kernel: that of NumPy to the last bits, compiled or not."""

import numpy as np
import pytest
from engine_modes import in_both

from rosenblatt.engine.kernel.gaussian import gaussian
from rosenblatt.theory.kernels import RBF


@pytest.mark.parametrize("scale", [0.01, 1.0, 8.0, 20.0])
def test_values_are_numpys_and_have_the_same_bits_in_both_modes(scale):
    rng = np.random.default_rng(0)
    A, B = scale * rng.standard_normal((40, 5)), scale * rng.standard_normal((70, 5))
    B[:9] = A[:9]
    own, other, pairs = np.sum(A * A, axis=1), np.sum(B * B, axis=1), A @ B.T
    plain, compiled = in_both(lambda: gaussian(pairs.copy(), own, other, 0.5))
    assert plain.tobytes() == compiled.tobytes()
    expected = RBF(0.5).of(pairs.copy(), own[:, np.newaxis], other)
    np.testing.assert_allclose(plain, expected, rtol=5e-16, atol=3e-308)  # no subnormal numbers
    np.testing.assert_array_equal(np.diag(plain)[:9] > 0.999, True)


def test_the_ends_of_the_range():
    """Distances of 0, below 0 by rounding, whose value underflows, infinite, and NaN."""
    products = [[0.0, 1e-17, -354.0, -355.0, -1e9, -np.inf, np.nan]]
    for values in in_both(lambda: gaussian(np.array(products), np.zeros(1), np.zeros(7), 1.0)):
        assert values[0, :2].tolist() == [1.0, 1.0]
        assert values[0, 2] == pytest.approx(np.exp(-708.0), rel=1e-15)
        assert values[0, 3:6].tolist() == [0.0, 0.0, 0.0]
        assert np.isnan(values[0, 6])
