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

from rosenblatt.learning.base import BaseLearner, quiet
from rosenblatt.learning.locks import locks_of
from rosenblatt.learning.problem import FitRun
from rosenblatt.learning.scaling import ScaleWarning, different_sizes
from rosenblatt.theory.rule_kinds import is_scale_free
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.checks import rows_of_one_length, within_float64
from rosenblatt.utils.column_names import column_names
from rosenblatt.utils.labels import are_few_numbers
from rosenblatt.utils.matrices import as_csr, is_sparse
from rosenblatt.utils.table_faults import date_fault, table_fault
from rosenblatt.utils.words import count


class Estimator(BaseEstimator, BaseLearner):
    """A learner with scikit-learn's validation, tags and warnings."""

    def __sklearn_is_fitted__(self) -> bool:
        return self._is_fitted()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def set_params(self, **params: Any) -> Self:
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

    def _validate(self, X: Any, *y: Any, **options: Any) -> Any:
        """Return scikit-learn's ``validate_data``, whose test for NaN may overflow.

        A table's column that is no numbers is named, with the remedy. The names of a stream's
        matrix, which scikit-learn does not know, are compared here.
        """
        names, owner, reset = column_names(X), self, options["reset"]
        if names is not None and not reset:
            self._check_columns(names)
            owner = self._copy()
            owner._set_columns(None)  # compared: scikit-learn would warn that X has no names
        if fault := date_fault(X):
            raise ValueError(fault)
        rows = as_csr(X) if is_sparse(X) else rows_of_one_length(X)
        try:
            with quiet(), within_float64("X or y" if y else "X"):
                checked = validate_data(owner, rows, *y, accept_sparse="csr", **options)
        except ValueError as error:
            if fault := table_fault(X):
                raise ValueError(fault) from error
            raise
        if names is not None and reset:
            self._set_columns(names)
        return checked

    def _checked_sample_weights(self, sample_weight: Any, X: Any) -> Array:
        with within_float64("sample_weight"):
            return np.asarray(_check_sample_weight(sample_weight, X, dtype=X.dtype))

    def _threads(self, shards: int) -> int:
        if shards == 1:
            return 1
        return min(int(effective_n_jobs(getattr(self, "n_jobs", None))), shards)

    def _warn_if_not_converged(self, run: FitRun, parameter: str = "max_iter") -> None:
        if self.tol is not None and self.n_iter_ == self.max_iter and not run.converged:
            warnings.warn(
                f"The fit stopped after {count(self.max_iter, 'epoch')} ({parameter}) before the "
                f"criterion converged. Raise {parameter}, or set tol=None to ask for so many "
                "exactly.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _warn_of_sizes(self, X: Any) -> None:
        if is_scale_free(self._rule()):
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
        if not are_few_numbers(y):
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
