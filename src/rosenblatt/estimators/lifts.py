"""Feature transformers (lifts) that make non-linear problems linear.

Each is a scikit-learn transformer for use before a linear classifier. Dense input gives dense
output, CSR gives CSR (array or matrix, as the input), float32 gives float32. ``fit`` learns the
number of columns and nothing else.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from rosenblatt.learning.params import Seed
from rosenblatt.theory import monomials
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.checks import check_choice, check_number
from rosenblatt.utils.matrices import as_csr, is_sparse

__all__ = ["AssociationCells", "PolynomialLift", "RadialLift"]


class _Lift(TransformerMixin, BaseEstimator):
    """Base of the transformers: input checks and ``fit``."""

    n_features_in_: int

    def _check_params(self) -> None:
        """Refuse parameters out of range, and too wide an output."""

    def _draw(self) -> None:
        """Draw random parameters, if any."""

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Learn the number of columns.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            A parameter out of range, or X not finite.
        """
        self._validate_rows(X, reset=True)
        self._check_params()
        self._draw()
        return self

    def _validate_rows(self, X: ArrayLike, *, reset: bool) -> Matrix:
        kinds = [np.float64, np.float32]
        X = as_csr(X) if is_sparse(X) else X
        return validate_data(self, X, accept_sparse="csr", dtype=kinds, reset=reset)

    def _validate_fitted(self, X: ArrayLike) -> Matrix:
        check_is_fitted(self)
        self._check_params()
        return self._validate_rows(X, reset=False)

    def _input_names(self, input_features: ArrayLike | None) -> list[str]:
        check_is_fitted(self)
        return list(_check_feature_names_in(self, input_features))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


@dataclass(eq=False, repr=False)
class PolynomialLift(_Lift):
    """Monomials of one degree: ⟨Φ(x), Φ(x')⟩ = (γ ⟨x, x'⟩ + coef0)^degree.

    Each monomial of z = (√γ x, √coef0) is multiplied by the square root of its multinomial
    coefficient, its number of orderings: for degree 2 and two columns
    Φ(x) = (x0², √2 x0 x1, x1²). The C(d + degree - 1, degree) columns are in lexicographic order; d
    includes the constant if coef0 > 0. The cost of a sparse row depends on its nonzeros, not on d.

    Parameters
    ----------
    degree : int ≥ 1, default=2
    gamma : float > 0, default=1.0
    coef0 : float ≥ 0, default=0.0
        If positive, the monomials of all lower degrees are included.
    repeated : bool, default=False
        Whether each ordering of a monomial has its own column, d^degree in all, instead of the
        square root: Φ(x) = (x0 x0, x0 x1, x1 x0, x1 x1). All entries are then products of inputs,
        exact below 2^53 for integers (with γ and coef0 squares of integers). With square roots
        rounding may break ties: √2 √2 ≠ 2 in floating point, so a score of exactly 0 may be
        computed as 1e-16 and count as right.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,)
        Where X has column names.

    References
    ----------
    Lecture row L2.8; Aizerman, Braverman and Rozonoer 1964.

    Examples
    --------
    >>> from rosenblatt import Perceptron, toys
    >>> toy = toys.xor()
    >>> lift = PolynomialLift().fit(toy.X)
    >>> lift.get_feature_names_out().tolist()
    ['x0^2', 'x0 x1', 'x1^2']
    >>> lift.transform([[1.0, 3.0]]).round(6).tolist()
    [[1.0, 4.242641, 9.0]]
    >>> Perceptron().fit(lift.transform(toy.X), toy.y).converged_
    True
    """

    degree: int = 2
    _: KW_ONLY
    gamma: float = 1.0
    coef0: float = 0.0
    repeated: bool = False

    def _check_params(self) -> None:
        check_number(self.degree, "degree", 1, integer=True)
        check_number(self.gamma, "gamma", 0, open_low=True, open_high=True)
        check_number(self.coef0, "coef0", 0, open_high=True)
        check_choice(self.repeated, "repeated", (False, True))
        if int(self.degree) * self._n_monomials() > np.iinfo(np.int64).max:
            raise self._too_many("can be numbered")

    def _width(self) -> int:
        """Number of columns of z, including the constant."""
        return self.n_features_in_ + (self.coef0 > 0)

    def _n_monomials(self) -> int:
        return monomials.count(self._width(), self.degree, self.repeated)

    def _too_many(self, limit: str) -> ValueError:
        count = self._n_monomials()
        columns = f"{count:,}" if count < 10**18 else f"10^{math.log10(count):.1f}"
        return ValueError(
            f"degree={self.degree} makes {columns} columns of {self.n_features_in_:,}, "
            f"more than {limit}: reduce degree, or use "
            f'KernelPerceptron(kernel="poly", degree={self.degree}), which never builds them.'
        )

    def transform(self, X: ArrayLike) -> Matrix:
        """Compute Φ(x) of every row.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        Z : ndarray, or CSR where X is sparse, of shape (n, columns)

        Raises
        ------
        ValueError
            Z is too large for this machine's memory, or a product overflows.
        """
        rows = self._validate_fitted(X)
        try:
            Z = self._sparse(rows) if sp.issparse(rows) else self._dense(rows)
        except MemoryError:
            raise self._too_many("this machine's memory holds") from None
        if not np.isfinite(Z.data if sp.issparse(Z) else Z).all():
            raise ValueError(f"a product of degree {self.degree} overflows {Z.dtype}: scale X.")
        return Z

    def _dense(self, X: Array) -> Array:
        constant = np.full((len(X), self._width() - X.shape[1]), math.sqrt(self.coef0), X.dtype)
        factors = np.hstack((X * math.sqrt(self.gamma), constant))
        return monomials.transform_dense(factors, self.degree, self.repeated)

    def _sparse(self, X: Matrix) -> Matrix:
        factors = X.copy()
        factors.sum_duplicates()
        factors.data *= math.sqrt(self.gamma)
        if self.coef0 > 0:
            constant = np.full((X.shape[0], 1), math.sqrt(self.coef0), X.dtype)
            factors = sp.hstack((factors, sp.csr_array(constant)), format="csr")
        entries = factors.data, factors.indices, factors.indptr
        lifted = monomials.transform_csr(*entries, self._width(), self.degree, self.repeated)
        return _csr_type(X)(lifted, shape=(X.shape[0], self._n_monomials()))

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """Names of the monomials: "x0^2", "x0 x1", "1"; "x0 x0", "x0 x1", "x0 1" if repeated.

        Parameters
        ----------
        input_features : array of str of shape (d,), optional
            Names of the inputs; by default those of the X that was fitted, or x0, x1, …

        Returns
        -------
        names : ndarray of str objects
        """
        factors = self._input_names(input_features)
        constant = len(factors)
        if self.coef0 > 0:
            factors.append("1")
        names = monomials.names(factors, self.degree, repeated=self.repeated, constant=constant)
        return np.array(names, dtype=object)


class RadialLift(_Lift):
    """Map (x, y) ↦ (x, y, x² + y²) in any dimension: the squared norm as an additional column.

    The plane w·x + c ‖x‖² + b = 0 in the output space is, in the input space, the sphere with
    centre −w / 2c and squared radius ‖w‖² / 4c² − b / c: rings become linearly separable.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,)
        Where X has column names.

    References
    ----------
    Lecture row L0.6.

    Examples
    --------
    >>> from rosenblatt import Perceptron, toys
    >>> toy = toys.rings()
    >>> lift = RadialLift().fit(toy.X)
    >>> lift.get_feature_names_out().tolist()
    ['x0', 'x1', 'x0^2 + x1^2']
    >>> lift.transform([[1.0, 3.0]]).tolist()
    [[1.0, 3.0, 10.0]]
    >>> Perceptron().fit(lift.transform(toy.X), toy.y).converged_
    True
    """

    def transform(self, X: ArrayLike) -> Matrix:
        """Append ‖x‖² to every row; the sum is computed in double precision.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        Z : ndarray, or CSR where X is sparse, of shape (n, d + 1)

        Raises
        ------
        ValueError
            A square overflows.
        """
        rows = self._validate_fitted(X)
        if not sp.issparse(rows):
            n, d = rows.shape
            return np.hstack((rows, _squared_norms(np.full(n, d), rows.ravel())))
        rows = rows.copy()
        rows.sum_duplicates()
        squares = _squared_norms(np.diff(rows.indptr), rows.data)
        return sp.hstack((rows, _csr_type(rows)(squares)), format="csr")

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """Names of the inputs and ``"x0^2 + x1^2"``, or ``"|x|^2"`` for more than three inputs.

        Parameters
        ----------
        input_features : array of str of shape (d,), optional
            Names of the inputs; by default those of the X that was fitted, or x0, x1, …

        Returns
        -------
        names : ndarray of str objects, of shape (d + 1,)
        """
        names = self._input_names(input_features)
        length = " + ".join(f"{name}^2" for name in names) if len(names) <= 3 else "|x|^2"
        return np.array([*names, length], dtype=object)


@dataclass(eq=False, repr=False)
class AssociationCells(_Lift):
    """Association cells of Rosenblatt's 1958 machine: random threshold units on a few inputs each.

    The output of cell j is 1 if Σ x over its excitatory points − Σ x over its inhibitory points ≥
    threshold, and otherwise 0. The points are drawn once, with replacement: a point drawn twice
    counts twice. The cells do not learn; the response unit does, a :class:`Perceptron` on them.

    Parameters
    ----------
    n_cells : int ≥ 1, default=1000
        Default: the number in the press reports of 1958.
    excitatory : int ≥ 1, default=4
        Number of connections of weight +1 per cell: Rosenblatt's x.
    inhibitory : int ≥ 0, default=4
        Number of connections of weight −1 per cell: his y. With equal numbers, uniform light has no
        effect.
    threshold : float, default=1.0
        His θ.
    random_state : int, RandomState or None, default=0
        Seed of the wiring; with the same seed, more cells begin with the same cells.

    Attributes
    ----------
    wiring_ : sparse array of shape (d, n_cells), int32
        Sum of each cell's connections to each point.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,)
        Where X has column names.

    Notes
    -----
    The defaults were chosen on :mod:`rosenblatt.retina`, where 3 to 5 connections of each kind with
    θ = 1 or 2 do about as well. Accuracy on new pictures of a :class:`Perceptron` trained on 500 to
    2,000 pictures, on the cells and on the pixels (means of three seeds): left and right 99.8 % and
    99.2 %, three shapes at random positions 75 % and 37 %, six noisy letters at random positions
    93 % and 78 %, E and X 97 % and 96 %.

    References
    ----------
    Rosenblatt 1958; lecture row L0.7.

    Examples
    --------
    >>> from rosenblatt import Perceptron, retina
    >>> seen, new = retina.shapes(1000, seed=1), retina.shapes(500, seed=2)
    >>> cells = AssociationCells().fit(seen.X)
    >>> plain = Perceptron(output="average").fit(seen.X, seen.y).score(new.X, new.y)
    >>> model = Perceptron(output="average").fit(cells.transform(seen.X), seen.y)
    >>> model.score(cells.transform(new.X), new.y) > plain + 0.2
    True
    """

    n_cells: int = 1000
    _: KW_ONLY
    excitatory: int = 4
    inhibitory: int = 4
    threshold: float = 1.0
    random_state: Seed = 0

    def _check_params(self) -> None:
        check_number(self.n_cells, "n_cells", 1, integer=True)
        check_number(self.excitatory, "excitatory", 1, integer=True)
        check_number(self.inhibitory, "inhibitory", 0, integer=True)
        check_number(self.threshold, "threshold", -np.inf, open_low=True, open_high=True)

    def _draw(self) -> None:
        weights = np.repeat(np.array([1, -1], np.int32), [self.excitatory, self.inhibitory])
        rng = check_random_state(self.random_state)
        points = rng.randint(self.n_features_in_, size=(self.n_cells, len(weights)))
        cells = np.repeat(np.arange(self.n_cells), len(weights))
        entries = np.tile(weights, self.n_cells), (points.ravel(), cells)
        self.wiring_ = sp.csc_array(entries, shape=(self.n_features_in_, self.n_cells))
        self.wiring_.eliminate_zeros()

    def transform(self, X: ArrayLike) -> Matrix:
        """Compute the output of the cells, 1 or 0.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        Z : ndarray, or CSR where X is sparse, of shape (n, n_cells)
        """
        rows = self._validate_fitted(X)
        sums = rows @ self.wiring_
        if not sp.issparse(rows):
            return (sums >= self.threshold).astype(rows.dtype)
        return _csr_type(rows)((sums.toarray() >= self.threshold).astype(rows.dtype))

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """Names of the cells: cell0, cell1 and so on.

        Parameters
        ----------
        input_features : array of str of shape (d,), optional
            Names of the inputs; checked, and not used.

        Returns
        -------
        names : ndarray of str objects, of shape (n_cells,)
        """
        self._input_names(input_features)
        return np.array([f"cell{j}" for j in range(self.wiring_.shape[1])], dtype=object)


def _csr_type(X: Matrix) -> Any:
    """Type of sparse output: array or matrix, as the input."""
    return sp.csr_array if isinstance(X, sp.sparray) else sp.csr_matrix


def _squared_norms(lengths: Array, values: Array) -> Array:
    """Column of ‖x‖², summed from left to right."""
    rows = np.repeat(np.arange(len(lengths)), lengths)
    with np.errstate(over="ignore"):
        squares = np.square(values, dtype=np.float64)
        sums = np.bincount(rows, weights=squares, minlength=len(lengths)).astype(values.dtype)
    if not np.isfinite(sums).all():
        raise ValueError(f"the squared norm of a row overflows {values.dtype}: scale X.")
    return sums[:, np.newaxis]
