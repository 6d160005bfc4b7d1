"""The exponential of the Gaussian and the Laplace kernel, from products to values in one pass.

NumPy's ``exp`` of float64 is scalar code on processors without AVX-512, and the distance takes five
passes of its own before. Here exp(x) = 2^k e^r, with k = round(x / ln 2), and e^r is the rational
function of the Cephes library (Moshier 1989; error 1 ulp), for as many values as a register holds.
"""

from __future__ import annotations

from rosenblatt._core import kernel as _core
from rosenblatt.utils.arrays import Array


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
    >>> import numpy as np
    >>> gaussian(np.array([[1.0, 0.0]]), np.ones(1), np.ones(2), 0.5)
    array([[1.        , 0.36787944]])
    """
    _core.gaussian(pairs, own, other, gamma)
    return pairs
