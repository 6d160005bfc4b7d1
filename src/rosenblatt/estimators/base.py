"""The part of an estimator that scikit-learn knows: validation, tags, warnings, random splits.

Each class here comes before a learner in the bases of an estimator, and fills in its hooks.
"""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model._base import SparseCoefMixin
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from rosenblatt.learning.base import BaseLearner, locks_of, quiet
from rosenblatt.learning.problem import FitRun
from rosenblatt.learning.scaling import ScaleWarning
from rosenblatt.theory.rule_kinds import traits_of
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.checks import rows_of_one_length, within_float64
from rosenblatt.utils.column_names import column_names
from rosenblatt.utils.matrices import as_csr, is_sparse
from rosenblatt.utils.table_faults import date_fault, table_fault
from rosenblatt.utils.words import count

LARGE_RATIO = 1e3
"""Ratio of columns' sizes from which a fit warns: on three columns of 2,800s, 360s and 0 or 1, AROW
has 30 to 50 % errors for 21 % of the same columns scaled."""

_FEWEST_ROWS = 10  # of fewer, the largest values say little about their columns


def different_sizes(X: Matrix) -> tuple[int, int, float] | None:
    """Return the largest and the smallest column of a dense table and the ratio of their sizes.

    The size of a column is its largest |x|: 1 where values are 0 and 1, however rare. None where
    the ratio is below :data:`LARGE_RATIO`, for a few rows, and for sparse rows: a word of a text
    may be rare, and its count or weight small, without harm. Columns of zeros do not count.

    Examples
    --------
    >>> X = np.tile([[2800.0, 360.0, 1.0]], (10, 1))
    >>> different_sizes(X), different_sizes(X / X[0])
    ((0, 2, 2800.0), None)
    """
    if not isinstance(X, np.ndarray) or X.shape[0] < _FEWEST_ROWS:
        return None
    sizes = np.maximum(X.max(axis=0), -X.min(axis=0)).astype(np.float64)
    (used,) = np.nonzero(sizes)
    if not len(used):
        return None
    largest, smallest = used[sizes[used].argmax()], used[sizes[used].argmin()]
    with np.errstate(over="ignore"):
        ratio = float(sizes[largest] / sizes[smallest])
    return (int(largest), int(smallest), ratio) if ratio >= LARGE_RATIO else None


class Estimator(BaseEstimator, BaseLearner):
    """A learner with scikit-learn's validation, tags and warnings."""

    def __sklearn_is_fitted__(self) -> bool:
        return self._is_fitted()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def set_params(self, **params: object) -> Self:
        """Set parameters, between two calls that learn; they are checked when the model learns."""
        with locks_of(self).learning:
            return super().set_params(**params)

    def __dask_tokenize__(self) -> Any:
        """Identify the estimator for dask by its fitted state, too: dataclasses count by fields."""
        from dask.base import normalize_token

        return type(self).__qualname__, normalize_token(self.__getstate__())

    def _require_fitted(self) -> None:
        if not self._is_fitted():
            check_is_fitted(self)

    def _validate(self, X: Matrix, *y: ArrayLike, **options: object) -> Any:
        """Return scikit-learn's ``validate_data``, whose test for NaN may overflow.

        A table's column that is no numbers is named, with the remedy. The names of a stream's
        matrix, which scikit-learn does not know, are compared here.
        """
        rows = as_csr(X) if is_sparse(X) else rows_of_one_length(X)
        names, owner, reset = column_names(X), self, options["reset"]
        if names is not None and not reset:
            self._check_columns(names)
            owner = self._copy()
            owner._set_columns(None)  # compared: scikit-learn would warn that X has no names
        if fault := date_fault(X):
            raise ValueError(fault)
        try:
            with quiet(), within_float64("X or y" if y else "X"):
                checked = validate_data(owner, rows, *y, accept_sparse="csr", order="C", **options)
        except ValueError as error:
            if fault := table_fault(X):
                raise ValueError(fault) from error
            raise
        if names is not None and reset:
            self._set_columns(names)
        return checked

    def _checked_sample_weights(self, sample_weight: ArrayLike | None, X: Matrix) -> Array:
        with within_float64("sample_weight"):
            weights = np.asarray(_check_sample_weight(sample_weight, X, dtype=X.dtype))
        if not weights.any():  # scikit-learn's words: it refuses them itself from 1.9 on
            raise ValueError("Sample weights must contain at least one non-zero number.")
        return weights

    def _threads(self, shards: int) -> int:
        if shards == 1:
            return 1
        return min(int(effective_n_jobs(self.n_jobs)), shards)

    def _warn(self, run: FitRun, X: Matrix) -> None:
        if self.tol is not None and self.n_iter_ == self.max_iter and not run.converged:
            warnings.warn(
                f"The fit stopped after {count(self.max_iter, 'epoch')} (max_iter) before the "
                "criterion converged. Raise max_iter, or set tol=None to ask for so many "
                "exactly.",
                ConvergenceWarning,
                stacklevel=4,
            )
        if traits_of(type(self._rule())).scale_free:
            return
        different = None if getattr(self, "scale", True) else different_sizes(X)
        if different is None:
            return
        largest, smallest, ratio = different
        names = getattr(self, "feature_names_in_", range(X.shape[1]))
        warnings.warn(
            f"The columns of X differ in size: column {names[largest]} is {ratio:,.0f} times as "
            f"large as column {names[smallest]}, and decides what is learned, whatever the rule. "
            "Give scale=True, or columns of like size.",
            ScaleWarning,
            stacklevel=4,
        )


class Classifier(ClassifierMixin, Estimator):
    """A classifier of scikit-learn."""

    def _check_labels(self, y: Array) -> None:
        # Whole numbers of which at most half can differ are classes for sure, which takes
        # scikit-learn longer to find out than an epoch of iris.
        are_integers = y.ndim == 1 and y.dtype.kind in "iu" and len(y) > 0
        if not (are_integers and int(y.max()) - int(y.min()) < len(y) // 2):
            check_classification_targets(y)


class LinearClassifier(SparseCoefMixin, Classifier):
    """A classifier of scikit-learn with ``coef_``, which ``sparsify`` makes sparse."""

    def _draw_validation_rows(self, codes: Array) -> Array:
        splitter = StratifiedShuffleSplit(
            test_size=self.validation_fraction, random_state=self.random_state
        )
        _, chosen = next(splitter.split(np.zeros((len(codes), 1)), codes))
        return np.asarray(chosen)


class Regressor(RegressorMixin, Estimator):
    """A regressor of scikit-learn."""
