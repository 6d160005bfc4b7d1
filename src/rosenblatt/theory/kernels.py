"""Kernels: inner products in a feature space that is not computed.

A kernel k(x, x') is the inner product of Φ(x) and Φ(x') for some feature map Φ (lecture row L2.10).
Each kernel here is a formula of one number per pair of rows and one number per row, so a block of
kernel values costs one matrix product and a few passes over the block::

    of(pairs, own, other) -> k(x, x')

The attribute ``sees`` names the numbers of the formula. "products": ``pairs`` = ⟨x, x'⟩, ``own`` =
‖x‖², ``other`` = ‖x'‖². "overlaps": ``pairs`` = ``Σ min(|x_j|, |x'_j|)`` over the features in which
both rows have the same sign (histogram intersection), ``own`` = ``Σ |x_j|``, ``other`` =
``Σ |x'_j|``. In both cases k(x, x) is ``of(own, own, own)``. A new kernel is one class with
``sees`` and ``of``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from rosenblatt.utils.arrays import Array
from rosenblatt.utils.checks import check_array, check_number


class Kernel(Protocol):
    """The interface of a kernel."""

    @property
    def sees(self) -> str:
        """Input of the formula: "products" or "overlaps"."""

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """Return the kernel values; ``pairs`` may be overwritten.

        The shapes of ``own`` and ``other`` broadcast against the shape of ``pairs``.
        """


@dataclass(frozen=True)
class Linear:
    """k(x, x') = ⟨x, x'⟩, the kernel of a linear classifier (lecture row L2.6).

    Examples
    --------
    >>> Linear().of(np.array([[2.0]]), np.ones(1), np.ones(1))
    array([[2.]])
    """

    sees: ClassVar[str] = "products"

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """⟨x, x'⟩."""
        return pairs


@dataclass(frozen=True)
class Polynomial:
    """k(x, x') = (γ⟨x, x'⟩ + c)^d: all products of up to d features (lecture row L2.8).

    Parameters
    ----------
    degree : int ≥ 1, default=3
        Degree d.
    gamma : float > 0, default=1.0
        Scale γ.
    coef0 : float, default=0.0
        Constant c; with c < 0 the kernel is not positive semi-definite.

    Examples
    --------
    >>> Polynomial(degree=2, coef0=1.0).of(np.array([[2.0]]), np.ones(1), np.ones(1))
    array([[9.]])
    """

    degree: int = 3
    gamma: float = 1.0
    coef0: float = 0.0
    sees: ClassVar[str] = "products"

    def __post_init__(self) -> None:
        check_number(self.degree, "degree", 1, integer=True)
        check_number(self.gamma, "gamma", 0, open_low=True)
        check_number(self.coef0, "coef0", -np.inf)

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """(γ⟨x, x'⟩ + c)^d, by squaring."""
        pairs *= self.gamma
        pairs += self.coef0
        bits = bin(self.degree)[3:]
        base = pairs.copy() if "1" in bits else pairs
        for bit in bits:
            pairs *= pairs
            if bit == "1":
                pairs *= base
        return pairs


@dataclass(frozen=True)
class RBF:
    """k(x, x') = exp(−γ‖x − x'‖²), the Gaussian.

    Parameters
    ----------
    gamma : float > 0, default=1.0
        Scale γ.

    Examples
    --------
    >>> RBF().of(np.array([[1.0]]), np.ones((1, 1)), np.ones(1))
    array([[1.]])
    """

    gamma: float = 1.0
    sees: ClassVar[str] = "products"

    def __post_init__(self) -> None:
        check_number(self.gamma, "gamma", 0, open_low=True)

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """exp(−γ(‖x‖² + ‖x'‖² − 2⟨x, x'⟩))."""
        pairs *= -2.0
        pairs += own
        pairs += other
        np.maximum(pairs, 0.0, out=pairs)  # rounding
        pairs *= -self.gamma
        return np.exp(pairs, out=pairs)


@dataclass(frozen=True)
class Laplace:
    """``k(x, x') = exp(−γ Σ |x_j − x'_j|)``.

    Parameters
    ----------
    gamma : float > 0, default=1.0
        Scale γ.

    Examples
    --------
    >>> Laplace().of(np.array([[1.0]]), np.ones((1, 1)), np.ones(1))
    array([[1.]])
    """

    gamma: float = 1.0
    sees: ClassVar[str] = "overlaps"

    def __post_init__(self) -> None:
        check_number(self.gamma, "gamma", 0, open_low=True)

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """exp(−γ(Σ|x| + Σ|x'| − 2 overlap))."""
        return RBF(self.gamma).of(pairs, own, other)


@dataclass(frozen=True)
class Sigmoid:
    """k(x, x') = tanh(γ⟨x, x'⟩ + c), which is not positive semi-definite, but in use.

    Parameters
    ----------
    gamma : float > 0, default=1.0
        Scale γ.
    coef0 : float, default=0.0
        Constant c.

    Examples
    --------
    >>> Sigmoid().of(np.array([[0.0]]), np.ones(1), np.ones(1))
    array([[0.]])
    """

    gamma: float = 1.0
    coef0: float = 0.0
    sees: ClassVar[str] = "products"

    def __post_init__(self) -> None:
        check_number(self.gamma, "gamma", 0, open_low=True)
        check_number(self.coef0, "coef0", -np.inf)

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """tanh(γ⟨x, x'⟩ + c)."""
        pairs *= self.gamma
        pairs += self.coef0
        return np.tanh(pairs, out=pairs)


@dataclass(frozen=True)
class Cosine:
    """k(x, x') = ⟨x, x'⟩/(‖x‖‖x'‖), and 0 where x or x' is zero.

    Examples
    --------
    >>> Cosine().of(np.array([[2.0]]), np.array([[4.0]]), np.array([4.0]))
    array([[0.5]])
    """

    sees: ClassVar[str] = "products"

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """⟨x, x'⟩/(‖x‖‖x'‖)."""
        for sizes in (own, other):
            lengths = np.sqrt(sizes)
            pairs /= np.where(lengths > 0.0, lengths, 1.0)
        return pairs


@dataclass(frozen=True)
class Intersection:
    """k(x, x') = Σ min(x_j, x'_j), the histogram intersection (Swain and Ballard 1991).

    With negative features, the sum is ``min(|x_j|, |x'_j|)`` over the features with the same sign,
    which is positive semi-definite, too.

    Examples
    --------
    >>> Intersection().of(np.array([[0.5]]), np.ones(1), np.ones(1))
    array([[0.5]])
    """

    sees: ClassVar[str] = "overlaps"

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """Σ min(x_j, x'_j)."""
        return pairs


_BY_NAME: dict[str, Callable[[int, float, float], Kernel]] = {
    "linear": lambda degree, gamma, coef0: Linear(),
    "poly": Polynomial,
    "polynomial": Polynomial,
    "rbf": lambda degree, gamma, coef0: RBF(gamma),
    "laplace": lambda degree, gamma, coef0: Laplace(gamma),
    "laplacian": lambda degree, gamma, coef0: Laplace(gamma),
    "sigmoid": lambda degree, gamma, coef0: Sigmoid(gamma, coef0),
    "cosine": lambda degree, gamma, coef0: Cosine(),
    "intersection": lambda degree, gamma, coef0: Intersection(),
}

NAMES = tuple(_BY_NAME)
"""The names of the kernels; some kernels have two."""

NAMES_WITH_GAMMA = ("poly", "polynomial", "rbf", "laplace", "laplacian", "sigmoid")
"""The names of the kernels with a parameter γ."""


def by_name(name: str, degree: int = 3, gamma: float = 1.0, coef0: float = 0.0) -> Kernel:
    """Return the kernel for an estimator's ``kernel=name``.

    Parameters
    ----------
    name : str
        "linear", "poly" or "polynomial", "rbf", "laplace" or "laplacian", "sigmoid", "cosine",
        "intersection".
    degree : int ≥ 1, default=3
    gamma : float > 0, default=1.0
    coef0 : float, default=0.0
        Parameters; a kernel ignores the parameters that it does not have.

    Raises
    ------
    ValueError
        The name is unknown, or a parameter is out of its range.

    Examples
    --------
    >>> by_name("poly", degree=2, coef0=1.0)
    Polynomial(degree=2, gamma=1.0, coef0=1.0)
    """
    if name not in _BY_NAME:
        raise ValueError(f"kernel must be one of {', '.join(NAMES)}; got {name!r}.")
    return _BY_NAME[name](degree, gamma, coef0)


def is_positive_definite(k: Kernel | Callable[[Array, Array], float], X: Any) -> bool:
    """Return True if the matrix k(x_i, x_j) of the points is positive semi-definite.

    "Will any k(x, x') do? No": k is an inner product ⟨Φ(x), Φ(x')⟩ of some feature map if and only
    if this matrix is symmetric and has no negative eigenvalue, for every finite set of points
    (Mercer 1909, Aronszajn 1950). False on some points shows that there is no Φ. True on some
    points proves nothing for others.

    Parameters
    ----------
    k : kernel object or callable
        A kernel of this module, or a function of two rows of shape (d,).
    X : array of shape (n, d)
        The points. Eigenvalues above -1e-14 n² times the largest absolute k(x_i, x_j) are taken
        for rounding errors.

    Notes
    -----
    Lecture row L2.12.

    Examples
    --------
    >>> X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    >>> is_positive_definite(RBF(), X), is_positive_definite(lambda x, z: -(x @ z), X)
    (True, False)
    """
    rows = check_array(X, "X", "(n, d)", 2)
    with np.errstate(over="ignore", invalid="ignore"):  # the check says so
        values = [[k(x, z) for z in rows] for x in rows] if callable(k) else _gram_matrix(k, rows)
    K = check_array(values, "k", "(n, n)", 2)
    doubt = 1e-14 * len(rows) * np.abs(K).max()
    if np.abs(K - K.T).max() > doubt:
        return False
    return bool(np.linalg.eigvalsh(K).min() >= -doubt * len(rows))


def _gram_matrix(kernel: Kernel, X: Array) -> Array:
    """Return the kernel values of all pairs of rows."""
    if kernel.sees == "products":
        pairs, own = X @ X.T, (X * X).sum(axis=1)
    else:
        low, own = np.minimum(np.abs(X)[:, None], np.abs(X)), np.abs(X).sum(axis=1)
        pairs = np.where(X[:, None] * X > 0.0, low, 0.0).sum(axis=2)
    return kernel.of(pairs, own[:, None], own)
