"""The kernels: inner products in a space that is never built.

A kernel k(x, x') is the inner product of Φ(x) and Φ(x') for some feature map Φ (lecture row L2.10).
All of ours are formulas of one number about a pair of rows and one about each of them, so a whole
block of pairs costs one matrix product and a few sweeps over the block::

    of(pairs, own, other) -> k(x, x')

``pairs`` is what the kernel ``sees`` of two rows: their product ⟨x, x'⟩, with ``own`` = ‖x‖² and
``other`` = ‖x'‖²; or their overlap ``Σ min(|x_j|, |x'_j|)`` over the features in which both have
the same sign, with the sizes ``Σ |x_j|``. Of a row with itself both are its own size, so k(x, x) is
``of(own, own, own)``. A kernel has these two things: a new one is one small class.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt.utils.checks import check_float, check_int

Array = NDArray[Any]


class Kernel(Protocol):
    """What the expansion asks of a kernel."""

    @property
    def sees(self) -> str:
        """What it is a formula of: "products" or "overlaps"."""

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """The kernel's values; ``pairs`` may be overwritten.

        ``own`` and ``other`` have shapes that broadcast against that of ``pairs``.
        """


@dataclass(frozen=True)
class Linear:
    """k(x, x') = ⟨x, x'⟩: the linear learner's own (lecture row L2.6).

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
        d.
    gamma : float > 0, default=1.0
        γ.
    coef0 : float, default=0.0
        c; below zero it is no inner product of any Φ.

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
        check_int(self.degree, "degree", minimum=1)
        check_float(self.gamma, "gamma", above=0.0)
        check_float(self.coef0, "coef0")

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
        γ.

    Examples
    --------
    >>> RBF().of(np.array([[1.0]]), np.ones((1, 1)), np.ones(1))
    array([[1.]])
    """

    gamma: float = 1.0
    sees: ClassVar[str] = "products"

    def __post_init__(self) -> None:
        check_float(self.gamma, "gamma", above=0.0)

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
        γ.

    Examples
    --------
    >>> Laplace().of(np.array([[1.0]]), np.ones((1, 1)), np.ones(1))
    array([[1.]])
    """

    gamma: float = 1.0
    sees: ClassVar[str] = "overlaps"

    def __post_init__(self) -> None:
        check_float(self.gamma, "gamma", above=0.0)

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """exp(−γ(Σ|x| + Σ|x'| − 2 overlap))."""
        return RBF(self.gamma).of(pairs, own, other)


@dataclass(frozen=True)
class Sigmoid:
    """k(x, x') = tanh(γ⟨x, x'⟩ + c): no inner product of any Φ, but used as one.

    Parameters
    ----------
    gamma : float > 0, default=1.0
        γ.
    coef0 : float, default=0.0
        c.

    Examples
    --------
    >>> Sigmoid().of(np.array([[0.0]]), np.ones(1), np.ones(1))
    array([[0.]])
    """

    gamma: float = 1.0
    coef0: float = 0.0
    sees: ClassVar[str] = "products"

    def __post_init__(self) -> None:
        check_float(self.gamma, "gamma", above=0.0)
        check_float(self.coef0, "coef0")

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """tanh(γ⟨x, x'⟩ + c)."""
        pairs *= self.gamma
        pairs += self.coef0
        return np.tanh(pairs, out=pairs)


@dataclass(frozen=True)
class Cosine:
    """k(x, x') = ⟨x, x'⟩/(‖x‖‖x'‖), and 0 where one of them is zero.

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
    """k(x, x') = Σ min(x_j, x'_j), the overlap of two histograms (Swain and Ballard 1991).

    Where features may be negative, it adds ``min(|x_j|, |x'_j|)`` over those with the same sign: an
    inner product, too.

    Examples
    --------
    >>> Intersection().of(np.array([[0.5]]), np.ones(1), np.ones(1))
    array([[0.5]])
    """

    sees: ClassVar[str] = "overlaps"

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """The overlap."""
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
"""The names of the kernels; some have two."""

NAMES_WITH_GAMMA = ("poly", "polynomial", "rbf", "laplace", "laplacian", "sigmoid")
"""Those that have a γ."""


def by_name(name: str, degree: int = 3, gamma: float = 1.0, coef0: float = 0.0) -> Kernel:
    """The kernel that an estimator's ``kernel=name`` means.

    Parameters
    ----------
    name : str
        "linear", "poly" or "polynomial", "rbf", "laplace" or "laplacian", "sigmoid", "cosine",
        "intersection".
    degree : int ≥ 1, default=3
    gamma : float > 0, default=1.0
    coef0 : float, default=0.0
        Those of them that the kernel has.

    Raises
    ------
    ValueError
        No kernel has this name, or a number is out of its range.

    Examples
    --------
    >>> by_name("poly", degree=2, coef0=1.0)
    Polynomial(degree=2, gamma=1.0, coef0=1.0)
    """
    if name not in _BY_NAME:
        raise ValueError(f"kernel must be one of {', '.join(NAMES)}; got {name!r}.")
    return _BY_NAME[name](degree, gamma, coef0)
