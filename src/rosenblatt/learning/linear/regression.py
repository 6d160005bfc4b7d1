"""Linear regression one example at a time: the adaptive filter."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from rosenblatt.learning.linear.base import LinearLearner
from rosenblatt.learning.params import check_parameters
from rosenblatt.learning.problem import FitRun, LinearProblem
from rosenblatt.theory import rules
from rosenblatt.utils.checks import check_choice

Array = NDArray[Any]


class LMSRegressor(RegressorMixin, LinearLearner):
    """Linear regression by (normalised) least mean squares: the adaptive filter.

    Plain: w ← w + η (y − ŷ) x. Normalised: the step is divided by ε + ‖x‖², which keeps it stable
    for 0 < μ < 2 whatever the scale of x; lecture rows L2.11, L4.7.

    Parameters
    ----------
    rule : {"nlms", "lms"} or rule object, default="nlms"
        "nlms" has ε = 0; for a signal with pauses take ``rules.NormalizedLMS(mu, epsilon)``.
    eta0 : float > 0, default=0.1
        μ of "nlms", η of "lms".
    output : {"last", "average"}, default="last"
    fit_intercept, max_iter, tol, shuffle, verbose, random_state, n_iter_no_change, warm_start
        As in :class:`Perceptron`.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
    intercept_ : float
    n_iter_, t_, updates_, history_, n_features_in_
        As in :class:`Perceptron`; ``mistakes`` and ``errors`` in the history mean nothing here.

    References
    ----------
    Widrow and Hoff 1960; Nagumo and Noda 1967.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.RandomState(0).randn(500, 3)
    >>> model = LMSRegressor(max_iter=50).fit(X, X @ [1.0, 2.0, 3.0])
    >>> model.coef_.round(3)
    array([1., 2., 3.])
    """

    def __init__(
        self,
        *,
        rule: Any = "nlms",
        eta0: float = 0.1,
        output: str = "last",
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        random_state: Any = 0,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
    ) -> None:
        self.rule = rule
        self.eta0 = eta0
        self.output = output
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.random_state = random_state
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start

    def _rule(self) -> rules.Rule:
        if isinstance(self.rule, str):
            check_choice("rule", self.rule, ("nlms", "lms"))
            return rules.by_name(self.rule, float(self.eta0), 0.0)
        if isinstance(self.rule, rules.CLASSIFICATION_RULES):
            raise ValueError(f"{self.rule!r} learns signs, not numbers: use rules.LMS or yours.")
        return rules.complete(self.rule)

    def _output(self) -> str:
        check_choice("output", self.output, ("last", "average"))
        return self.output

    @property
    def coef_(self) -> Any:
        """Weights, shape (d,)."""
        return self._weights()[0]

    @property
    def intercept_(self) -> Any:
        """The intercept, a number."""
        return self._intercepts()[0]

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
            Bad parameters or numbers, or weights that run out of range.
        """
        with self._rollback_on_error():
            check_parameters(self)
            rows, targets = self._validate_X_y(X, y, reset=True, y_numeric=True)
            problem = self._regression_problem(
                rows, targets, self._sample_weights(sample_weight, rows)
            )
            self._train(problem, self._fit_options(problem), self._start_state(rows, 1))
        return self

    def partial_fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from one more batch, walked once; parameters as in :meth:`fit`."""
        with self._rollback_on_error():
            check_parameters(self)
            first = "_state" not in vars(self)
            rows, targets = self._validate_X_y(X, y, reset=first, y_numeric=True)
            weight = self._batch_weights(sample_weight, rows)
            problem = self._regression_problem(rows, targets, weight)
            if first:
                self._state = self._empty_state(rows, 1)
            self._learn_once(problem, self._row_order(len(targets)))
            self.n_iter_ = 1
        return self

    @staticmethod
    def _is_valid_y(y: Any) -> bool:
        return type(y) is np.ndarray and y.dtype.kind == "f" and bool(np.isfinite(y).all())

    def _set_fitted(self, run: FitRun, fitted: dict[str, Any]) -> None:
        super()._set_fitted(run, fitted)
        del self.converged_  # of a sign that nobody predicts

    def _regression_problem(self, X: Any, y: Array, weight: Array) -> LinearProblem:
        if y.dtype.kind not in "fiub":
            raise ValueError(f"y must be real numbers; got {y.dtype}.")
        return self._linear_problem(X, y.astype(np.float64), weight)

    def predict(self, X: ArrayLike) -> Array:
        """⟨w, x⟩ + b.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        y : ndarray of shape (n,)
        """
        return self._scores(X).ravel()
