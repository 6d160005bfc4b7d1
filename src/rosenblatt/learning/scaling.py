"""Scaling of features inside a learner (``scale=True``): scaled rows in, raw weights out.

The learner learns rows z = (x − m)/s, where m and s are the means and standard deviations of the
columns. In sparse rows this holds for the columns that are named; for the others m = 0, and s is
the root mean square of the values that are not zero. The weights w and the intercept b are those of
z. In raw units they are w/s and b − Σ w m/s, since ⟨w, z⟩ + b = ⟨w/s, x⟩ + b − Σ w m/s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from rosenblatt.engine.matrices import as_rows, canonical, store_zeros
from rosenblatt.engine.scaling import (
    Moments,
    deviations,
    empty_moments,
    joint_moments,
    scale,
    scale_in_turn,
    widened_moments,
)
from rosenblatt.engine.scoring import products
from rosenblatt.utils.arrays import Array, Matrix
from rosenblatt.utils.checks import LARGEST_VALUE
from rosenblatt.utils.matrices import is_sparse


class ScaleWarning(UserWarning):
    """Columns of sizes so different that the largest decide alone what is learned."""


@dataclass(frozen=True)
class Scaling:
    """Moments of the columns, and what follows from them. A change gives a new object.

    Parameters
    ----------
    moments : Moments

    Examples
    --------
    >>> X = np.array([[1.0, 100.0], [3.0, 300.0]])
    >>> scaling = Scaling.for_rows(X).fitted(X)
    >>> scaling.scaled(X)
    array([[-1., -1.],
           [ 1.,  1.]])
    >>> scaling.raw_weights(np.array([[1.0, 1.0]]))
    array([[1.  , 0.01]])
    """

    moments: Moments

    @classmethod
    def for_rows(cls, X: Matrix, centred: Sequence[int] | Array = ()) -> Self:
        """Return the scaling before the first row.

        Parameters
        ----------
        X : matrix
            Rows as wide as the first ones; if dense, all columns are centred.
        centred : sequence of int
            Columns that are centred if X is sparse.
        """
        dense = not is_sparse(X)
        return cls(empty_moments(X.shape[1], dense=dense, centred=() if dense else centred))

    def widened(self, d: int) -> Self:
        """Return the scaling of d columns; new columns have no values yet."""
        return type(self)(widened_moments(self.moments, d))

    def truncated(self, d: int) -> Self:
        """Return the scaling of the first d columns.

        Examples
        --------
        >>> scaling = Scaling.for_rows(np.ones((1, 3))).fitted(np.array([[1.0, 2.0, 3.0]]))
        >>> scaling.truncated(2).moments.mean
        array([1., 2.])
        """
        n_seen, mean, squares, centred, dense = self.moments
        n_seen, mean, squares, centred = (
            array[:d].copy() for array in (n_seen, mean, squares, centred)
        )
        return type(self)(Moments(n_seen, mean, squares, centred, dense))

    def fitted(self, X: Matrix, rows: Array | None = None) -> Self:
        """Return the scaling after some rows of X (default: all).

        Raises
        ------
        ValueError
            A value is too large for its square.
        """
        X = self._as_stored(X)
        return self._add(X, np.arange(X.shape[0]) if rows is None else rows, None)

    def joined(self, other: Self) -> Self:
        """Return the scaling after the rows of both, whose columns are the same."""
        return type(self)(joint_moments(self.moments, other.moments))

    def placed(self, columns: Array, d: int) -> Self:
        """Return the scaling of d columns, of which ``columns`` are those of this one."""
        wider = empty_moments(d, dense=bool(self.moments.dense[0]))
        for array, before in zip(wider[:4], self.moments[:4], strict=True):
            array[columns] = before
        return type(self)(wider)

    def fitted_in_parts(self, X: Matrix, parts: Sequence[Array]) -> Self:
        """Return the scaling after parts of the rows of X, each measured alone and then joined.

        Of shards, as on a cluster: the bits depend on the parts. One part is :meth:`fitted`.
        """
        if len(parts) == 1:
            return self.fitted(X, parts[0])
        X, moments, d = self._as_stored(X), self.moments, X.shape[1]
        _check_values(X)
        for part in parts:
            of_part = Moments(
                np.zeros(d, np.int64), np.zeros(d), np.zeros(d), moments.centred, moments.dense
            )
            scale(as_rows(X), part, of_part, None)
            moments = joint_moments(moments, of_part)
        return type(self)(moments)

    def learned(self, X: Matrix, order: Array) -> tuple[Self, Matrix]:
        """Return the scaling after the rows of ``order``, and X scaled row by row.

        Each row is scaled by the moments up to and including itself.

        Raises
        ------
        ValueError
            A value is too large for its square.
        """
        X = self._as_stored(X)
        Z = np.zeros_like(X.data if is_sparse(X) else X)
        return self._add(X, order, Z), _like(X, Z)

    def learned_in_turn(self, X: Matrix, first: int, lag: int) -> tuple[Self, Matrix, Matrix]:
        """Return the scaling after the rows that are learned, the rows to predict and to learn.

        Row i, from ``first`` on, is scaled for its prediction; then row i + 1 − ``lag``, if there
        is one, is scaled as by :meth:`learned`.

        Raises
        ------
        ValueError
            A value is too large for its square.
        """
        X, moments = self._as_stored(X), self._copied_moments()
        _check_values(X)
        P, Z = (np.zeros_like(X.data if is_sparse(X) else X) for _ in range(2))
        learned = np.arange(first, X.shape[0]) + 1 - lag
        scale_in_turn(as_rows(X), learned, first, moments, P, Z)
        return type(self)(moments), _like(X, P), _like(X, Z)

    def scaled(self, X: Matrix) -> Matrix:
        """Return X scaled by these moments."""
        X, spread = self._as_stored(X), deviations(self.moments)
        if is_sparse(X):
            distances = X.data - self.moments.mean[X.indices]
            return _like(X, (distances / spread[X.indices]).astype(X.dtype))
        return ((X - self.moments.mean) / spread).astype(X.dtype)

    def spreads(self) -> Array:
        """Return s, the divisor of each column, float64, shape (d,)."""
        return np.asarray(deviations(self.moments), np.float64)

    def standard_deviations(self) -> Array | None:
        """Return the standard deviation of each column over all rows, float64, shape (d,).

        Of a column that is not centred, sums of squares alone are known. Where these are the number
        of its nonzero values, the values are taken as 0 and 1 (some may be −1), and the mean as
        their share of ones; else it is taken as 0. None if no column is centred: then the number
        of rows is not known.
        """
        moments = self.moments
        if not moments.centred.any():
            return None
        rows = moments.n_seen[moments.centred].max()
        means = np.where(moments.squares == moments.n_seen, moments.n_seen / rows, 0.0)
        of_sparse = np.sqrt(moments.squares / rows - means**2)
        return np.where(moments.centred, deviations(moments), of_sparse)

    def raw_weights(self, coef: Array) -> Array:
        """Return w/s, float64, shape (columns, d)."""
        return np.asarray(coef / deviations(self.moments), np.float64)

    def raw_intercepts(self, intercept: Array, raw_weights: Matrix) -> Array:
        """Return b − Σ w m/s, float64, shape (columns,)."""
        coef = raw_weights.toarray() if is_sparse(raw_weights) else raw_weights
        return np.asarray(intercept - self._offsets(coef), np.float64)

    def scaled_init(
        self, W: Array, b: Array, coef: Array | None, intercept: Array | None
    ) -> tuple[Array | None, Array | None]:
        """Return initial weights and intercepts of scaled rows; None for those that stay.

        Parameters
        ----------
        W : ndarray of shape (d, columns)
            The weights of scaled rows so far.
        b : ndarray of shape (columns,)
        coef, intercept : ndarrays of the same shapes, or None
            The new ones, in raw units; None keeps those that W and b are by these moments.
        """
        if coef is None and intercept is None:
            return None, None
        spread = deviations(self.moments)[:, None]
        before = W / spread
        coef = before if coef is None else coef
        intercept = b - self._offsets(before.T) if intercept is None else intercept
        return coef * spread, intercept + self._offsets(coef.T)

    def _offsets(self, raw_weights: Array) -> Array:
        """Return Σ w m of each weight vector, summed from left to right, shape (columns,)."""
        return products(as_rows(raw_weights), self.moments.mean[:, np.newaxis], 1).ravel()

    def _as_stored(self, X: Matrix) -> Matrix:
        """Return X dense if the first rows were; else without duplicates.

        Sparse rows store their zeros of centred columns.
        """
        if not is_sparse(X):
            return X
        if self.moments.dense[0]:
            return X.toarray()
        return store_zeros(canonical(X), self.moments.centred)

    def _add(self, X: Matrix, order: Array, Z: Array | None) -> Self:
        _check_values(X)
        moments = self._copied_moments()
        scale(as_rows(X), order, moments, Z)
        return type(self)(moments)

    def _copied_moments(self) -> Moments:
        return Moments(*(array.copy() for array in self.moments))


class RunningScaling:
    """Scaling of rows that come in parts, before the first of which nothing is known.

    Examples
    --------
    >>> scales = RunningScaling()
    >>> scales.fit(np.array([[1.0], [3.0]])).tolist(), scales.scaled(np.array([[2.0]])).tolist()
    ([[-1.0], [1.0]], [[0.0]])
    """

    scaling: Scaling | None = None

    def _widened(self, X: Matrix) -> Scaling:
        before = Scaling.for_rows(X) if self.scaling is None else self.scaling
        return before.widened(X.shape[1])

    def fit(self, X: Matrix) -> Matrix:
        """Return the first rows, scaled by the moments of all of them."""
        self.scaling = self._widened(X).fitted(X)
        return self.scaling.scaled(X)

    def learn(self, X: Matrix) -> Matrix:
        """Return more rows, each scaled by the moments up to and including itself."""
        self.scaling, Z = self._widened(X).learned(X, np.arange(X.shape[0]))
        return Z

    def scaled(self, X: Matrix) -> Matrix:
        """Return rows scaled by the moments so far."""
        return self._widened(X).scaled(X)


def _like(X: Matrix, values: Array) -> Matrix:
    """Return a matrix like X with other values."""
    return type(X)((values, X.indices, X.indptr), shape=X.shape) if is_sparse(X) else values


def _check_values(X: Matrix) -> None:
    """Refuse values whose squares would not be finite."""
    values = X.data if is_sparse(X) else X
    largest = float(np.abs(values).max(initial=0.0)) if values.itemsize > 4 else 0.0
    if largest > LARGEST_VALUE:
        raise ValueError(
            f"X has the value {largest:.4g}, which scale=True cannot square within float64: "
            "divide the column by a constant, or use scale=False."
        )
