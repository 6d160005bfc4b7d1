"""Online linear regression: the adaptive filter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rosenblatt.learning.base import FitSetup, reading
from rosenblatt.learning.linear.base import LinearLearner
from rosenblatt.learning.params import check_parameters
from rosenblatt.learning.problem import FitRun
from rosenblatt.theory import rules
from rosenblatt.theory.rule_kinds import AnyRule
from rosenblatt.utils.arrays import Array, ArrayLike
from rosenblatt.utils.checks import check_choice


@dataclass(kw_only=True, eq=False, repr=False)
class LMSRegressor(LinearLearner):
    """Linear regression by (normalised) least mean squares: the adaptive filter.

    Parameters and attributes are those of :class:`rosenblatt.LMSRegressor`.
    """

    OUTPUTS = ("last", "average")

    rule: Any = "nlms"
    eta0: float = 0.1
    output: str = "last"
    scale: bool = False

    def _rule(self) -> AnyRule:
        if isinstance(self.rule, str):
            check_choice(self.rule, "rule", ("nlms", "lms"))
        elif isinstance(self.rule, rules.CLASSIFICATION_RULES):
            raise ValueError(
                f"{self.rule!r} is for classification: use rules.LMS or your own rule."
            )
        return super()._rule()

    @property
    @reading
    def coef_(self) -> Array:
        """Weights, shape (d,)."""
        return np.asarray(self._weights()[0])

    @property
    @reading
    def intercept_(self) -> np.float64:
        """The intercept, a float."""
        return np.float64(self._intercepts()[0])

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from (X, y), epoch after epoch.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : array of shape (n,), real
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self

        Raises
        ------
        ValueError
            A parameter or a number is not valid, or the weights leave the floating-point range.
        """
        return self._fit(X, y, sample_weight)

    def _set_up(self, X: Any, y: Array, weight: Array, *inits: Any) -> FitSetup:
        scaling, start = self._start_scaling(X), self._start_state(X, 1)
        if scaling is not None:
            scaling = scaling.fitted(X)
            X = scaling.scaled(X)
        return FitSetup(self._linear_problem(X, y, weight), start, {"_scaling": scaling}, {})

    def partial_fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn the rows of one more batch, each once; parameters as in :meth:`fit`."""
        with self._learning_copy() as learner:
            learner._partial_fit(X, y, sample_weight)
        return self

    def _partial_fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        check_parameters(self)
        first = not self._is_fitted()
        rows, targets = self._validate_X_y(X, y, reset=first)
        weight = self._batch_weights(sample_weight, rows)
        order = self._row_order(len(targets))
        if first:
            self._scaling = self._start_scaling(rows)
            self._state = self._empty_state(rows, 1)
        problem = self._linear_problem(self._scale_batch(rows, order), targets, weight)
        self._learn_once(problem, order)
        self.n_iter_ = 1

    @staticmethod
    def _is_valid_y(y: Any) -> bool:
        return type(y) is np.ndarray and y.dtype.kind == "f" and bool(np.isfinite(y).all())

    @staticmethod
    def _as_targets(y: Any) -> Any:
        return y

    def _validate_X_y(
        self, X: Any, y: Any, *, reset: bool, y_numeric: bool = True
    ) -> tuple[Any, Array]:
        X, y = super()._validate_X_y(X, y, reset=reset, y_numeric=y_numeric)
        if y.dtype.kind not in "fiub":
            raise ValueError(f"y must be real numbers; got {y.dtype}.")
        return X, y.astype(np.float64)

    def _set_fitted(self, run: FitRun, fitted: dict[str, Any]) -> None:
        super()._set_fitted(run, fitted)
        del self.converged_  # a regression predicts no sign that could be right

    @reading
    def predict(self, X: ArrayLike) -> Array:
        """Return ⟨w, x⟩ + b.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        y : ndarray of shape (n,)
        """
        return self._scores(X).ravel()
