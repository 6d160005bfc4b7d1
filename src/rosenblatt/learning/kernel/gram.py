"""Kernel values of rows with rows, a block at a time: by formula, by a function, or looked up."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt.engine.kernel.products import dense_overlaps, sparse_overlaps
from rosenblatt.learning.support import Side
from rosenblatt.theory.kernels import NAMES, RBF, SCALED, Kernel, Laplace, Polynomial, by_name
from rosenblatt.utils.checks import number

Array = NDArray[Any]

_SAMPLE = 8  # rows on which a function is tried
_FAR = 1e3  # of γ‖x‖²: beyond it, float32 leaves an error of 1e-4 in a kernel of distances
_LOST = 1e12  # and float64


class Gram(Protocol):
    """Where kernel values come from."""

    @property
    def numbered(self) -> bool:
        """Whether rows are known by their numbers alone."""

    def dtype(self, X: Any) -> Any:
        """The type of the values."""

    def check(self, X: Any) -> None:
        """Refuse rows, or a kernel, that cannot be trained with."""

    def sizes(self, X: Any) -> Array:
        """What the kernel asks of each row alone."""

    def values(self, left: Side, right: Side) -> Array:
        """Kernel values, shape (n, m)."""

    def diagonal(self, X: Any, sizes: Array) -> Array:
        """k(x, x) of every row, float64."""


class Formula:
    """Values of one of :mod:`rosenblatt.kernels`, in the type of the rows.

    Parameters
    ----------
    kernel : Kernel

    Examples
    --------
    >>> X = np.array([[1.0, 2.0]])
    >>> gram = Formula(Polynomial(degree=2, coef0=1.0))
    >>> side = Side(X, gram.sizes(X))
    >>> gram.values(side, side)
    array([[36.]])
    """

    numbered = False

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def dtype(self, X: Any) -> Any:
        """That of the rows."""
        return X.dtype

    def check(self, X: Any) -> None:
        """Nothing can be wrong before the numbers are there."""

    def sizes(self, X: Any) -> Array:
        """‖x‖², or Σ |x_j|."""
        squared = self.kernel.sees == "products"
        if sp.issparse(X):
            values = X.multiply(X) if squared else abs(X)
            return np.asarray(values.sum(axis=1)).ravel().astype(X.dtype, copy=False)
        if squared:
            return np.asarray(np.einsum("ij,ij->i", X, X))
        return np.asarray(np.abs(X).sum(axis=1))

    def values(self, left: Side, right: Side) -> Array:
        """The formula of the products or overlaps of all pairs."""
        if self._cancels(left, right):
            wide = [
                Side(A, self.sizes(A)) for A in (s.rows.astype(np.float64) for s in (left, right))
            ]
            return self._formula(*wide).astype(left.rows.dtype)
        return self._formula(left, right)

    def _formula(self, left: Side, right: Side) -> Array:
        pairs = self._pairs(left.rows, right.rows)
        shape = pairs.shape
        with np.errstate(over="ignore", invalid="ignore"):  # looked at by who asked
            found = self.kernel.of(pairs, left.sizes[:, np.newaxis], right.sizes)
        if np.shape(found) != shape:
            raise ValueError(
                f"{self.kernel!r}.of must give as many values as there are pairs, {shape}; got "
                f"{np.shape(found)}."
            )
        return found

    def _cancels(self, left: Side, right: Side) -> bool:
        """Whether distances would be lost in float32, the rows being so far from the origin."""
        distant = isinstance(self.kernel, RBF | Laplace) and left.rows.dtype == np.float32
        if not distant:
            return False
        largest = max(left.sizes.max(initial=0.0), right.sizes.max(initial=0.0))
        return bool(self.kernel.gamma * largest > _FAR)  # type: ignore[attr-defined]

    def _pairs(self, A: Any, B: Any) -> Array:
        sparse = sp.issparse(A)
        if self.kernel.sees == "products":
            return np.asarray((A @ B.T).toarray() if sparse else A @ B.T)
        found = np.zeros((A.shape[0], B.shape[0]), A.dtype)
        if sparse:
            turned = sp.csr_array(B.T)
            left, right = (A.data, A.indices, A.indptr), (turned.data, turned.indices)
            sparse_overlaps(*left, *right, turned.indptr, found)
        else:
            dense_overlaps(np.ascontiguousarray(A), np.ascontiguousarray(B), found)
        return found

    def diagonal(self, X: Any, sizes: Array) -> Array:
        """The formula of the sizes alone: of a row with itself, the pair is its size."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = self.kernel.of(sizes.copy(), sizes, sizes).astype(np.float64)
        if not np.isfinite(found).all():
            row = int(np.argmin(np.isfinite(found)))
            raise ValueError(self._too_large(row, float(sizes[row]), sizes.dtype))
        if isinstance(self.kernel, RBF | Laplace) and self.kernel.gamma * sizes.max() > _LOST:
            raise ValueError(
                f"The rows lie so far from the origin that {self.kernel!r} cannot tell distances: "
                "subtract their mean (StandardScaler), or choose a smaller gamma."
            )
        return found

    def _too_large(self, row: int, size: float, dtype: Any) -> str:
        reaches = "infinity"
        if isinstance(self.kernel, Polynomial) and math.isfinite(size):
            base = abs(self.kernel.gamma * size + self.kernel.coef0)
            reaches = f"1e{self.kernel.degree * math.log10(max(base, 1e-300)):.0f}"
        return (
            f"The kernel overflows {dtype}: k(x, x) of row {row} reaches {reaches}, and the "
            f"largest {dtype} is {np.finfo(dtype).max:.1e}. {_way_out(dtype)}"
        )


class Function:
    """Values of a function of two matrices, ``function(A, B)`` of shape (n, m).

    Parameters
    ----------
    function : callable

    Examples
    --------
    >>> gram = Function(lambda A, B: A @ B.T)
    >>> side = Side(np.array([[3.0, 4.0]]), np.zeros(1))
    >>> gram.values(side, side)
    array([[25.]])
    """

    numbered = False

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self.function = function

    def dtype(self, X: Any) -> Any:
        """float64."""
        return np.dtype(np.float64)

    def check(self, X: Any) -> None:
        """Try it on a few rows: it must be symmetric."""
        few = X[:_SAMPLE]
        found = self._called(few, few)
        check_symmetric(found, "The kernel is not symmetric: k(A, A) of the first rows has")

    def sizes(self, X: Any) -> Array:
        """Nothing."""
        return np.zeros(X.shape[0])

    def values(self, left: Side, right: Side) -> Array:
        """What the function says, if it is a matrix of finite numbers."""
        return self._called(left.rows, right.rows)

    def _called(self, A: Any, B: Any) -> Array:
        if 0 in (A.shape[0], B.shape[0]):  # some functions refuse to be asked for nothing
            return np.zeros((A.shape[0], B.shape[0]))
        try:
            found = self.function(A, B)
        except Exception as error:
            error.add_note(f"kernel(A, B) was called with shapes {A.shape} and {B.shape}.")
            raise
        found = np.asarray(found.toarray() if sp.issparse(found) else found)
        if found.dtype.kind not in "biuf" or found.shape != (A.shape[0], B.shape[0]):
            raise ValueError(
                f"kernel(A, B) must be a matrix of real numbers of shape (len(A), len(B)) = "
                f"{(A.shape[0], B.shape[0])}; got {found.dtype} of shape {found.shape}."
            )
        if not np.isfinite(found).all():
            i, j = np.argwhere(~np.isfinite(found))[0]
            raise ValueError(f"kernel(A, B) is {found[i, j]} for row {i} of A and row {j} of B.")
        return np.ascontiguousarray(found, np.float64)

    def diagonal(self, X: Any, sizes: Array) -> Array:
        """The diagonals of small blocks."""
        blocks = (X[i : i + _SAMPLE] for i in range(0, X.shape[0], _SAMPLE))
        return np.concatenate([np.diag(self._called(A, A)) for A in blocks]).astype(np.float64)


class Lookup:
    """Values computed beforehand: row i of X is k(x_i, x) for every x that was trained on.

    Examples
    --------
    >>> X = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> Lookup().values(Side(X[:1], np.zeros(1)), Side(np.array([1]), np.zeros(1)))
    array([[1.]])
    """

    numbered = True

    def dtype(self, X: Any) -> Any:
        """That of the rows."""
        return X.dtype

    def check(self, X: Any) -> None:
        """A kernel matrix is square and symmetric."""
        if sp.issparse(X):
            raise ValueError(
                "X is sparse: sparse input is not supported with a precomputed kernel."
            )
        n, d = X.shape
        if n != d:
            raise ValueError(
                f"A precomputed kernel must be the square matrix k(x_i, x_j) of the training rows; "
                f"X has shape {(n, d)}."
            )
        check_symmetric(X, "The precomputed kernel is not symmetric: X has")

    def sizes(self, X: Any) -> Array:
        """Nothing."""
        return np.zeros(X.shape[0])

    def values(self, left: Side, right: Side) -> Array:
        """Columns of the rows."""
        return np.asarray(np.take(left.rows, right.rows, axis=1))

    def diagonal(self, X: Any, sizes: Array) -> Array:
        """The diagonal."""
        return np.diag(X).astype(np.float64)


def gram_of(kernel: Any, degree: int, gamma: float, coef0: float) -> Gram:
    """Where the values of an estimator's ``kernel`` come from.

    Parameters
    ----------
    kernel : str, kernel or callable
    degree, gamma, coef0
        As in :func:`rosenblatt.kernels.by_name`.

    Raises
    ------
    ValueError
        It is none of these.

    Examples
    --------
    >>> type(gram_of("precomputed", 3, 1.0, 0.0)).__name__
    'Lookup'
    """
    if isinstance(kernel, str):
        if kernel == "precomputed":
            return Lookup()
        if kernel in NAMES:
            return Formula(by_name(kernel, degree, gamma, coef0))
    elif not isinstance(kernel, type):
        if hasattr(kernel, "of") and getattr(kernel, "sees", "") in ("products", "overlaps"):
            return Formula(kernel)
        if callable(kernel):
            return Function(kernel)
    raise ValueError(
        f"kernel must be one of {', '.join(NAMES)}, precomputed, a kernel of rosenblatt.kernels or "
        f"a function of two matrices; got {kernel!r}."
    )


def gamma_of(kernel: Any, gamma: Any, X: Any) -> float:
    """γ as a number: "scale" is 1/(d · X.var()), "auto" 1/d; 1 where the kernel has none.

    Raises
    ------
    ValueError
        It is neither of them nor a number above zero.

    Examples
    --------
    >>> gamma_of("rbf", "scale", np.array([[1.0, -1.0]]))
    0.5
    """
    if not (isinstance(kernel, str) and kernel in SCALED):
        return 1.0
    if isinstance(gamma, str) and gamma == "auto":
        return 1.0 / int(X.shape[1])
    if not (isinstance(gamma, str) and gamma == "scale"):
        try:
            return number(gamma, "gamma", above=0.0)
        except ValueError as error:
            raise ValueError(f"{error}; or 'scale' or 'auto'") from None
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = X.shape[1] * _variance(X)
    if not (scaled == 0.0 or 1e-300 < scaled < 1e300):
        raise ValueError(
            f"gamma='scale' is 1/(d · X.var()), and X.var() is {scaled / X.shape[1]:g}: scale the "
            "rows (StandardScaler), or give gamma as a number."
        )
    return float(1.0 / scaled) if scaled > 0.0 else 1.0


def _variance(X: Any) -> float:
    """The variance of all numbers of a matrix, in float64."""
    if not sp.issparse(X):
        return float(X.var(dtype=np.float64))
    values, n = X.data.astype(np.float64), X.shape[0] * X.shape[1]
    mean = values.sum() / n
    return float((np.square(values - mean).sum() + (n - len(values)) * mean * mean) / n)


def check_finite(values: Array, dtype: Any) -> None:
    """Refuse kernel values, or sums of them, beyond the floating-point range.

    Raises
    ------
    ValueError
    """
    if not np.isfinite(values).all():
        raise ValueError(f"The kernel overflows {dtype}. {_way_out(dtype)}")


def _way_out(dtype: Any) -> str:
    wider = "" if dtype == np.float64 else ", or give X as float64"
    return f"Scale the rows (X / X.max(), Normalizer), or choose a smaller gamma or degree{wider}."


def check_symmetric(values: Array, what: str) -> None:
    """Refuse a matrix of which a value and its mirror image differ by more than rounding.

    Raises
    ------
    ValueError
        Naming the two.

    Examples
    --------
    >>> check_symmetric(np.array([[1.0, 2.0], [3.0, 1.0]]), "It has")
    Traceback (most recent call last):
        ...
    ValueError: It has 2 at (0, 1) and 3 at (1, 0).
    """
    step = 1024
    slack = 1e-5 * np.abs(np.diag(values)).max(initial=0.0)
    for first in range(0, len(values), step):
        rows = slice(first, first + step)
        apart = np.abs(values[rows] - values[:, rows].T)
        wrong = apart > 1e-5 * np.abs(values[rows]) + slack
        if wrong.any():
            i, j = (int(place) for place in np.argwhere(wrong)[0])
            i += first
            raise ValueError(
                f"{what} {values[i, j]:g} at ({i}, {j}) and {values[j, i]:g} at ({j}, {i})."
            )
