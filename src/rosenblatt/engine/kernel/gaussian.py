"""The exponential of the Gaussian and the Laplace kernel, from products to values in one pass.

NumPy's ``exp`` of float64 is scalar code on processors without AVX-512, and the distance takes five
passes of its own before. Here exp(x) = 2^k e^r, with k = round(x / ln 2), and e^r is the rational
function of the Cephes library (Moshier 1989; error 1 ulp), which compilers vectorise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import compiled, subroutine

Array = NDArray[Any]

_PER_LN2 = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_TO_BITS = 1.5 * 2.0**52 + 1023.0  # k + this: its lowest bits are the exponent of 2^k
_LOWEST = -709.0895657128241  # −1023 ln 2, where the exponent's bits are those of zero


@subroutine
def exp_parts(x: Any) -> Any:
    """Return k + ``_TO_BITS`` and e^r, with x = k ln 2 + r; for a number or an array."""
    shifted = x * _PER_LN2 + _TO_BITS
    k = shifted - _TO_BITS
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    z = r * r
    p = r * ((1.26177193074810590878e-4 * z + 3.02994407707441961300e-2) * z + 1.0)
    q = (3.00198505138664455042e-6 * z + 2.52448340349684104192e-3) * z
    q = (q + 2.27265548208155028766e-1) * z + 2.0
    ratio = p / (q - p)
    return shifted, 1.0 + (ratio + ratio)


def gaussian(pairs: Array, own: Array, other: Array, gamma: float) -> Array:
    """Return exp(−γ max(0, own + other − 2 pairs)), written over ``pairs``.

    Parameters
    ----------
    pairs : ndarray of shape (n, m), float64, C-contiguous
        Overwritten.
    own, other : ndarray of shape (n,) and (m,), float64
    gamma : float

    Examples
    --------
    >>> gaussian(np.array([[1.0, 0.0]]), np.ones(1), np.ones(2), 0.5)
    array([[1.        , 0.36787944]])
    """
    powers = np.empty(len(other))
    _gaussian_rows(pairs, own, other, gamma, powers, powers.view(np.int64))
    return pairs


def _gaussian_arrays(
    pairs: Array, own: Array, other: Array, gamma: float, powers: Array, bits: Array
) -> None:
    """Compute :func:`_gaussian_rows` in NumPy, all rows at once."""
    distances = (pairs * -2.0 + own[:, np.newaxis]) + other
    x = np.maximum(np.maximum(distances, 0.0) * -gamma, _LOWEST)
    shifted, pairs[:] = exp_parts(x)
    pairs *= (shifted.view(np.int64) << 52).view(np.float64)


@compiled(work=lambda pairs, *_: 0.05 * pairs.size, plain=_gaussian_arrays)
def _gaussian_rows(
    pairs: Array, own: Array, other: Array, gamma: float, powers: Array, bits: Array
) -> None:
    """Write the values row by row; ``bits`` are those of ``powers``, a row of working memory."""
    for i in range(pairs.shape[0]):
        row = pairs[i]
        for j in range(other.shape[0]):
            distance = (row[j] * -2.0 + own[i]) + other[j]
            x = (0.0 if distance < 0.0 else distance) * -gamma  # below zero by rounding; NaN stays
            powers[j], row[j] = exp_parts(_LOWEST if x < _LOWEST else x)
        for j in range(other.shape[0]):
            bits[j] <<= 52
        for j in range(other.shape[0]):
            row[j] *= powers[j]
