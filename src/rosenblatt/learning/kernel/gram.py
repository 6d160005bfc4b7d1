"""Kernel functions: blocks of kernel values by formula, by a callable, or precomputed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.engine.kernel.gaussian import gaussian
from rosenblatt.engine.kernel.products import dense_min_sums, sparse_min_sums
from rosenblatt.learning.params import check_gamma
from rosenblatt.learning.support import KernelRows
from rosenblatt.theory.declaration import declaration_of
from rosenblatt.theory.kernels import NAMES, NAMES_WITH_GAMMA, Kernel, by_name
from rosenblatt.theory.kernels.poly import Polynomial
from rosenblatt.utils.arrays import Array, Matrix
from rosenblatt.utils.checks import shortened
from rosenblatt.utils.matrices import is_sparse

_SAMPLE = 8  # rows to test a callable with
_FLOAT32_LIMIT = 1e3  # of γ‖x‖²: above it, float32 distances make an error of 1e-4 in the kernel
_FLOAT64_LIMIT = 1e12  # the same for float64


class KernelFunction:
    """A kernel that returns blocks of values."""

    precomputed = False
    """True where support rows are row numbers only."""

    def dtype(self, X: Matrix) -> np.dtype[Any]:
        """Return the dtype of the values, by default that of the rows."""
        dtype: np.dtype[Any] = X.dtype
        return dtype

    def check_rows(self, X: Matrix) -> None:
        """Refuse rows, or a kernel, that cannot be used for training."""

    def norms(self, X: Matrix) -> Array:
        """Return ‖x‖² or ‖x‖₁ of every row, as the kernel needs it; zeros where it needs none."""
        return np.zeros(X.shape[0])

    def values(self, left: KernelRows, right: KernelRows) -> Array:
        """Return the kernel values, shape (n, m)."""
        raise NotImplementedError

    def diagonal(self, X: Matrix, norms: Array) -> Array:
        """Return k(x, x) of every row, float64."""
        raise NotImplementedError


class FormulaKernel(KernelFunction):
    """A kernel of :mod:`rosenblatt.kernels`; values have the dtype of the rows.

    Parameters
    ----------
    kernel : Kernel

    Examples
    --------
    >>> X = np.array([[1.0, 2.0]])
    >>> kernel = FormulaKernel(Polynomial(degree=2, coef0=1.0))
    >>> rows = KernelRows(X, kernel.norms(X))
    >>> kernel.values(rows, rows)
    array([[36.]])
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        declared = getattr(kernel, "declaration", None)  # of its class, or of a base of a user's
        self._of_distances = declared is not None and declared.of_distances

    def norms(self, X: Matrix) -> Array:
        """Return ‖x‖² or ‖x‖₁ of every row; infinity where it overflows."""
        squared = self.kernel.sees == "products"
        with np.errstate(over="ignore"):
            if is_sparse(X):
                values = X.multiply(X) if squared else abs(X)
                return np.asarray(values.sum(axis=1)).ravel().astype(X.dtype, copy=False)
            if squared:
                return np.asarray(np.einsum("ij,ij->i", X, X))
            return np.asarray(np.abs(X).sum(axis=1))

    def values(self, left: KernelRows, right: KernelRows) -> Array:
        """Apply the formula to the inner products, or min-sums, of all pairs."""
        if self._loses_distances(left, right):
            wide = [
                KernelRows(A, self.norms(A))
                for A in (s.rows.astype(np.float64) for s in (left, right))
            ]
            return self._evaluate(*wide).astype(left.rows.dtype)
        return self._evaluate(left, right)

    def _evaluate(self, left: KernelRows, right: KernelRows) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):  # the caller checks
            pairs = self._pairs(left.rows, right.rows)
            declared = declaration_of(type(self.kernel))
            if declared is not None and declared.of_distances and pairs.dtype == np.float64:
                gamma = self.kernel.gamma  # type: ignore[attr-defined]
                return gaussian(pairs, left.norms, right.norms, gamma)
            shape = pairs.shape
            values = self.kernel.of(pairs, left.norms[:, np.newaxis], right.norms)
        if np.shape(values) != shape:
            raise ValueError(
                f"{self.kernel!r}.of must give as many values as there are pairs, {shape}; got "
                f"{np.shape(values)}."
            )
        return values

    def _loses_distances(self, left: KernelRows, right: KernelRows) -> bool:
        """Return True if rows are too far from the origin for distances in float32."""
        if not (self._of_distances and left.rows.dtype == np.float32):
            return False
        largest = max(left.norms.max(initial=0.0), right.norms.max(initial=0.0))
        return bool(self.kernel.gamma * largest > _FLOAT32_LIMIT)  # type: ignore[attr-defined]

    def _pairs(self, A: Matrix, B: Matrix) -> Array:
        sparse = is_sparse(A)
        if self.kernel.sees == "products":
            return np.asarray((A @ B.T).toarray() if sparse else A @ B.T)
        sums = np.zeros((A.shape[0], B.shape[0]), A.dtype)
        if sparse:
            transposed = B.T.tocsr()
            left, right = (A.data, A.indices, A.indptr), (transposed.data, transposed.indices)
            sparse_min_sums(*left, *right, transposed.indptr, sums)
        else:
            dense_min_sums(np.ascontiguousarray(A), np.ascontiguousarray(B), sums)
        return sums

    def diagonal(self, X: Matrix, norms: Array) -> Array:
        """Apply the formula to the norms: the inner product of a row with itself is its norm."""
        with np.errstate(over="ignore", invalid="ignore"):
            values = self.kernel.of(norms.copy(), norms, norms).astype(np.float64)
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values)))
            raise ValueError(self._overflow_message(row, float(norms[row]), norms.dtype))
        if self._of_distances and self.kernel.gamma * norms.max() > _FLOAT64_LIMIT:  # type: ignore[attr-defined]
            raise ValueError(
                f"The rows are too far from the origin for the distances of {self.kernel!r}: "
                "subtract their mean (StandardScaler), or choose a smaller gamma."
            )
        return values

    def _overflow_message(self, row: int, norm: float, dtype: Any) -> str:
        reaches = "infinity"
        if isinstance(self.kernel, Polynomial) and math.isfinite(norm):
            base = abs(self.kernel.gamma * norm + self.kernel.coef0)
            reaches = f"1e{self.kernel.degree * math.log10(max(base, 1e-300)):.0f}"
        return (
            f"The kernel overflows {dtype}: k(x, x) of row {row} reaches {reaches}, and the "
            f"largest {dtype} is {np.finfo(dtype).max:.1e}. {_overflow_hint(dtype)}"
        )


class CallableKernel(KernelFunction):
    """A function of two matrices: ``function(A, B)`` has shape (n, m).

    Parameters
    ----------
    function : callable

    Examples
    --------
    >>> kernel = CallableKernel(lambda A, B: A @ B.T)
    >>> rows = KernelRows(np.array([[3.0, 4.0]]), np.zeros(1))
    >>> kernel.values(rows, rows)
    array([[25.]])
    """

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self.function = function

    def dtype(self, X: Matrix) -> np.dtype[Any]:
        """Return float64."""
        return np.dtype(np.float64)

    def check_rows(self, X: Matrix) -> None:
        """Refuse a function that is not symmetric on the first rows."""
        few = X[:_SAMPLE]
        values = self._call(few, few)
        check_symmetric(values, "The kernel is not symmetric: k(A, A) of the first rows has")

    def values(self, left: KernelRows, right: KernelRows) -> Array:
        """Return the function's matrix if its shape is right and its numbers are finite."""
        return self._call(left.rows, right.rows)

    def _call(self, A: Matrix, B: Matrix) -> Array:
        if 0 in (A.shape[0], B.shape[0]):  # some functions refuse empty input
            return np.zeros((A.shape[0], B.shape[0]))
        try:
            values = self.function(A, B)
        except Exception as error:
            error.add_note(f"kernel(A, B) was called with shapes {A.shape} and {B.shape}.")
            raise
        values = np.asarray(values.toarray() if is_sparse(values) else values)
        if values.dtype.kind not in "biuf" or values.shape != (A.shape[0], B.shape[0]):
            raise ValueError(
                f"kernel(A, B) must be a matrix of real numbers of shape (len(A), len(B)) = "
                f"{(A.shape[0], B.shape[0])}; got {values.dtype} of shape {values.shape}."
            )
        if not np.isfinite(values).all():
            i, j = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(f"kernel(A, B) is {values[i, j]} for row {i} of A and row {j} of B.")
        return np.ascontiguousarray(values, np.float64)

    def diagonal(self, X: Matrix, norms: Array) -> Array:
        """Return the diagonals of small blocks."""
        blocks = (X[i : i + _SAMPLE] for i in range(0, X.shape[0], _SAMPLE))
        return np.concatenate([np.diag(self._call(A, A)) for A in blocks]).astype(np.float64)


class PrecomputedKernel(KernelFunction):
    """A precomputed kernel: row i of X is k(x_i, x) for every training row x.

    Examples
    --------
    >>> X = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> row, column = KernelRows(X[:1], np.zeros(1)), KernelRows(np.array([1]), np.zeros(1))
    >>> PrecomputedKernel().values(row, column)
    array([[1.]])
    """

    precomputed = True

    def check_rows(self, X: Matrix) -> None:
        """Refuse a matrix that is not square or not symmetric."""
        if is_sparse(X):
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

    def values(self, left: KernelRows, right: KernelRows) -> Array:
        """Return columns of the rows."""
        return np.asarray(np.take(left.rows, right.rows, axis=1))

    def diagonal(self, X: Matrix, norms: Array) -> Array:
        """Return the diagonal of X."""
        return np.diag(X).astype(np.float64)


def kernel_function(kernel: Any, degree: int, gamma: float, coef0: float) -> KernelFunction:
    """Return the kernel function of an estimator's parameter ``kernel``.

    Parameters
    ----------
    kernel : str, kernel or callable
    degree, gamma, coef0
        As in :func:`rosenblatt.kernels.by_name`.

    Raises
    ------
    ValueError
        ``kernel`` is none of these.

    Examples
    --------
    >>> type(kernel_function("precomputed", 3, 1.0, 0.0)).__name__
    'PrecomputedKernel'
    """
    if isinstance(kernel, str):
        if kernel == "precomputed":
            return PrecomputedKernel()
        if kernel in NAMES:
            return FormulaKernel(by_name(kernel, degree, gamma, coef0))
    elif not isinstance(kernel, type):
        if hasattr(kernel, "of") and getattr(kernel, "sees", "") in ("products", "overlaps"):
            return FormulaKernel(kernel)
        if callable(kernel):
            return CallableKernel(kernel)
    raise ValueError(
        f"kernel must be one of {', '.join(NAMES)}, precomputed, a kernel of rosenblatt.kernels or "
        f"a function of two matrices; got {shortened(kernel)}."
    )


def resolve_gamma(kernel: object, gamma: float | str, X: Matrix) -> float:
    """Return γ as a number: "scale" is 1/(d · X.var()), "auto" 1/d; 1 for a kernel without γ.

    Raises
    ------
    ValueError
        ``gamma`` is neither of them nor a number above zero.

    Examples
    --------
    >>> resolve_gamma("rbf", "scale", np.array([[1.0, -1.0]]))
    0.5
    """
    if not (isinstance(kernel, str) and kernel in NAMES_WITH_GAMMA):
        return 1.0
    check_gamma("gamma", gamma)
    if gamma == "auto":
        return 1.0 / int(X.shape[1])
    if gamma != "scale":
        return float(gamma)
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = X.shape[1] * _variance(X)
    # Beyond, gamma or its products with squared distances leave the range.
    if not (scaled == 0.0 or 1e-300 < scaled < 1e300):
        raise ValueError(
            f"gamma='scale' is 1/(d · X.var()), and X.var() is {scaled / X.shape[1]:g}: scale the "
            "rows (StandardScaler), or give gamma as a number."
        )
    return float(1.0 / scaled) if scaled > 0.0 else 1.0


def _variance(X: Matrix) -> float:
    """Return the variance of all entries of a matrix, in float64."""
    if not is_sparse(X):
        return float(X.var(dtype=np.float64))
    values, n = X.data.astype(np.float64), X.shape[0] * X.shape[1]
    mean = values.sum() / n
    return float((np.square(values - mean).sum() + (n - len(values)) * mean * mean) / n)


def check_finite(values: Array, dtype: object) -> None:
    """Refuse kernel values, or their sums, outside the floating-point range.

    Raises
    ------
    ValueError
    """
    if not np.isfinite(values).all():
        raise ValueError(f"The kernel overflows {dtype}. {_overflow_hint(dtype)}")


def _overflow_hint(dtype: object) -> str:
    wider = "" if dtype == np.float64 else ", or give X as float64"
    return f"Scale the rows (X / X.max(), Normalizer), or choose a smaller gamma or degree{wider}."


def check_symmetric(values: Array, prefix: str) -> None:
    """Refuse a matrix that is not symmetric up to rounding.

    Raises
    ------
    ValueError
        With two values that differ.

    Examples
    --------
    >>> check_symmetric(np.array([[1.0, 2.0], [3.0, 1.0]]), "It has")
    Traceback (most recent call last):
        ...
    ValueError: It has 2 at (0, 1) and 3 at (1, 0).
    """
    step = 1024
    # Kernels in float32 differ by the order of their sums; 1e-5 is allclose's tolerance in NumPy.
    slack = 1e-5 * np.abs(np.diag(values)).max(initial=0.0)
    for first in range(0, len(values), step):
        rows = slice(first, first + step)
        difference = np.abs(values[rows] - values[:, rows].T)
        wrong = difference > 1e-5 * np.abs(values[rows]) + slack
        if wrong.any():
            i, j = (int(position) for position in np.argwhere(wrong)[0])
            i += first
            raise ValueError(
                f"{prefix} {values[i, j]:g} at ({i}, {j}) and {values[j, i]:g} at ({j}, {i})."
            )
