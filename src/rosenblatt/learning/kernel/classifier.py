"""The base of kernel classifiers: ``fit``, scores, and the dual state behind them."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Self

import numpy as np

from rosenblatt.engine import multiclass, state
from rosenblatt.engine import shuffle as engine_shuffle
from rosenblatt.engine.kernel import budgets
from rosenblatt.engine.kernel.products import add_votes, add_votes_jointly
from rosenblatt.engine.matrices import canonical
from rosenblatt.engine.multiclass import UpdateSpec
from rosenblatt.learning.base import reading
from rosenblatt.learning.classifier import n_vectors
from rosenblatt.learning.dual import DualState
from rosenblatt.learning.explain import DualClassifier
from rosenblatt.learning.kernel.gram import (
    KernelFunction,
    check_finite,
    kernel_function,
    resolve_gamma,
)
from rosenblatt.learning.kernel.training import (
    BLOCK,
    BudgetedProblem,
    KernelProblem,
    ScoreCache,
    check_budget,
    sums_over_support,
)
from rosenblatt.learning.problem import FitRun, FitSetup
from rosenblatt.learning.support import KernelRows, Support
from rosenblatt.theory import budgets as schemes
from rosenblatt.theory.rule_kinds import AnyRule, is_plain
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.checks import as_random_state
from rosenblatt.utils.labels import as_labels
from rosenblatt.utils.matrices import FLOATS, is_sparse

VOTED_VALUES = 2**23
"""Kernel values in memory at a time while voting."""


class KernelClassifier(DualClassifier):
    """w as a sum of examples; the features of :class:`State` are the slots of support rows."""

    OUTPUTS = ("last", "average", "vote")

    kernel: Any
    degree: int
    gamma: float | str
    coef0: float
    cache_size: float
    budget: int | None
    budget_scheme: str
    budget_eta: float

    gamma_: float
    _dual: DualState
    _dtype: Any  # of the rows
    _fitted_kernel: tuple[Any, int, float]  # kernel, degree and coef0 of the last fit

    # --- parameters ------------------------------------------------------------------------------

    def _rule(self) -> AnyRule:
        rule = super()._rule()
        if not is_plain(rule):
            raise ValueError(
                f"rule={self.rule!r} does more than to move w along a row, and a kernel model can "
                "do nothing else: take a rule such as 'pa1', or the linear Perceptron."
            )
        return rule

    def _kernel_params(self) -> tuple[Any, int, float]:
        return self.kernel, self.degree, self.coef0

    def _set_kernel(self, gamma: float, dtype: np.dtype[Any]) -> None:
        """Set the kernel of the parameters, with its γ, and the dtype of its rows."""
        self.gamma_, self._dtype, self._fitted_kernel = gamma, dtype, self._kernel_params()

    def _kernel_function(self) -> KernelFunction:
        """Return the kernel function, with the γ of the fit."""
        if self._kernel_params() != self._fitted_kernel:
            raise ValueError(
                f"kernel, degree and coef0 were {self._fitted_kernel} in training and are now "
                f"{self._kernel_params()}: set them back, or start again with fit."
            )
        return kernel_function(self.kernel, self.degree, self.gamma_, self.coef0)

    def _scheme(self) -> schemes.BudgetScheme:
        return schemes.by_name(self.budget_scheme, self.budget_eta)

    def _check_output_and_budget(self) -> None:
        """Refuse an output or a budget that the state was not trained for."""
        shapes = [array.shape for array in self._dual.budget or ()]
        expected: list[tuple[int, ...]] = []
        if self.budget is not None:
            columns = len(self._state.b)
            empty = budgets.empty_budget_state(self._scheme(), self.budget, columns, 1)
            expected = [array.shape for array in empty]
        if self.probabilities and self.output != "last":
            raise ValueError(
                "probabilities=True calibrates the scores of a kernel learner's last weights: use "
                "output='last'."
            )
        for name, ok in (
            ("output='vote'", self.output != "vote" or self._dual.keep_steps),
            ("output='average'", self.output != "average" or len(self._state.U) > 0),
            (f"budget={self.budget} ({self.budget_scheme})", shapes == expected),
        ):
            if not ok:
                raise ValueError(
                    f"{name} was set after training without it: start again with fit and "
                    "warm_start=False."
                )

    def _check_classes(self, count: int) -> None:
        super()._check_classes(count)
        if self.budget is not None:
            check_budget(self.budget_scheme, self.output, self._rule(), self.multi_class, count)

    # --- weights and scores ----------------------------------------------------------------------

    def _reading(self) -> AbstractContextManager[object]:
        """Return nothing to hold: each batch is learned aside, and predictions take long."""
        return nullcontext()

    @property
    @reading
    def intercept_(self) -> Array:
        """Intercepts, shape (1,) or (K,)."""
        self._check_fitted("intercept_")
        return self._intercepts().copy()

    def _intercepts(self) -> Array:
        return state.intercepts(self._state, self._state_output())[: self._n_vectors()]

    def _state_output(self) -> str:
        """Return the weights of the state to predict with; a vote replays the steps instead."""
        return "average" if self.output == "average" else "last"

    def _dual_coefficients(self) -> Array:
        W, _ = state.weights(self._state, self._state_output())
        return W[: self._dual.size, : self._n_vectors()]

    def _kernel_products(self, x: Matrix) -> Array:
        if self.output == "vote":
            raise ValueError("A vote is no sum of rows: set output to 'last' or 'average'.")
        right = self._dual.support.kernel_rows()
        return np.asarray(self._kernel_function().values(self._left(x), right)[0], np.float64)

    def _feature_weights(self, x: Matrix, k: int) -> Array | None:
        if self.kernel != "linear":
            return None
        rows = self._dual.support.matrix()
        return np.asarray(rows.T @ self._dual_coefficients()[:, k]).ravel()

    def _scores(self, X: Matrix) -> Array:
        self._require_fitted()
        X = self._validate_rows(X)
        if self.output != "vote":
            return self._sums(X)[:, : self._n_vectors()] + self._intercepts()
        self._check_output_and_budget()
        rows = max(16, VOTED_VALUES // max(1, self._dual.size))
        return np.concatenate([self._votes(part) for part in self._left(X).chunks(rows)])

    def _left(self, X: Matrix) -> KernelRows:
        """Return validated rows as left argument of the kernel."""
        return KernelRows(X, self._kernel_function().norms(X))

    def _sums(self, X: Matrix) -> Array:
        """Return the scores of validated rows, without the intercept."""
        kernel, left, dual = self._kernel_function(), self._left(X), self._dual
        W, _ = state.weights(self._state, self._state_output())
        parts = (
            sums_over_support(kernel, part, dual.support, W, dual.size)
            for part in left.chunks(BLOCK)
        )
        scores = np.concatenate(list(parts))
        check_finite(scores, left.norms.dtype)
        return scores

    def _votes(self, left: KernelRows) -> Array:
        """Return the shares of votes of all earlier weights, shape (n, columns).

        Each is weighted by the steps that it survived. Of a joint model the votes of one step go to
        one class, the arg max; else each weight vector votes by its sign, and its share is that for
        the class minus that against it.
        """
        values = self._kernel_function().values(left, self._dual.support.kernel_rows())
        check_finite(values, values.dtype)
        steps, t = self._dual.steps, int(self._state.t[0])
        columns, bias = self._n_vectors(), float(self.fit_intercept)
        votes = np.zeros((len(values), columns))
        if self.multi_class == "joint" and columns > 1:
            survival = np.diff(steps.t, append=t).astype(np.float64)
            add_votes_jointly(values, steps.slot, steps.column, steps.tau, survival, bias, votes)
            return votes / t
        for k in range(columns):
            own = np.flatnonzero(steps.column == k)
            survival = np.diff(steps.t[own], prepend=0, append=t).astype(np.float64)
            of_vector = np.zeros(len(values))
            slots, taus = steps.slot[own], steps.tau[own]
            add_votes(values, slots, taus, survival, self._tie(), bias, of_vector)
            votes[:, k] = of_vector
        return votes / t

    def _weight_products(self, other: KernelClassifier) -> Array:
        """Return ⟨w, w'⟩ of every weight vector with every one of another model."""
        products = other._products_with_rows(self._dual.support.matrix())
        return np.asarray(self._dual_coefficients().T @ products, np.float64)

    def _products_with_rows(self, rows: Matrix) -> Array:
        """Return ⟨x, w⟩ of rows of another model with every weight vector."""
        rows = self._dual.support.as_stored(rows).astype(self._dtype)
        if rows.shape[0] == 0 or self._dual.size == 0:
            return np.zeros((rows.shape[0], self._n_vectors()))
        return self._sums(rows)[:, : self._n_vectors()]

    def _norm(self) -> float:
        return self._dual.norm

    def _widen(self, d: int) -> Self:
        """Extend the support rows to d features; new features are zero."""
        if d > self.n_features_in_:
            self._dual.support.widen(d)
            self.n_features_in_ = d
        return self

    # --- validation ------------------------------------------------------------------------------

    def _validate_rows(self, X: Matrix) -> Matrix:
        X = self._validate(X, dtype=self._dtype, reset=False)
        return self._dual.support.as_stored(canonical(X) if is_sparse(X) else X)

    def _validate_X_y(self, X: Matrix, y: ArrayLike, *, reset: bool) -> tuple[Matrix, Array]:
        reset = reset and not self._is_fitted()  # support rows keep their width and dtype
        dtype = FLOATS if reset else self._dtype
        X, labels = self._validate(X, as_labels(y), dtype=dtype, reset=reset)
        return canonical(X) if is_sparse(X) else X, labels

    # --- fit -------------------------------------------------------------------------------------

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from (X, y), epoch after epoch.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            float32 stays float32; every other type becomes float64. With ``kernel="precomputed"``
            the square matrix of the rows' kernel values.
        y : array, list or Series of shape (n,)
            At least two different labels: text, whole numbers or booleans.
        sample_weight : array of shape (n,), optional
            Each example's step is multiplied by its weight.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            A parameter, a label or a number is not valid, the kernel is not symmetric, or its
            values leave the floating-point range.
        """
        return self._fit(X, y, sample_weight)

    def _set_up(self, X: Matrix, y: Array, weight: Array, *inits: ArrayLike | None) -> FitSetup:
        classes, codes = self._encode_labels(y)
        self._check_classes(len(classes))
        if self._is_fitted():
            self._dual = self._dual.copied(with_support=True)
        else:
            self._class_weights(classes, codes)  # before the fit, a weight needs its class
            self._open_classes = True
            self._reset(X, n_vectors(classes))
        self._kernel_function().check_rows(X)
        problem = self._problem(X, codes, weight, classes, self._dual)
        problem.score_cache = self._new_score_cache(len(codes), n_vectors(classes))
        fitted = {"classes_": classes, "_open_classes": True}
        return FitSetup(problem, state.copy_state(self._state), fitted, {})

    def _reset(self, X: Matrix, columns: int) -> None:
        """Start untrained, with the kernel of the parameters."""
        self._set_kernel(resolve_gamma(self.kernel, self.gamma, X), X.dtype)
        support = Support(X[:0], self._kernel_function().precomputed)
        self._state = self._empty_state(X, columns)
        columns = len(self._state.b)
        self._dual = DualState(support, columns, self.output == "vote")
        if self.budget is not None:
            seed = engine_shuffle.shard_seeds(as_random_state(self.random_state), 1)[0]
            self._dual.budget = budgets.empty_budget_state(
                self._scheme(), self.budget, columns, seed
            )

    def _empty_state(self, X: Matrix, columns: int) -> state.State:
        return state.empty(
            1, columns, np.float64, self._own_fields(), average=self.output == "average"
        )

    def _problem(
        self, X: Matrix, codes: Array, weight: Array, classes: Array, dual: Any, first: int = 0
    ) -> KernelProblem:
        self._check_output_and_budget()
        self._state = state.for_rule(self._state, self._own_fields())
        X = dual.support.as_stored(X)
        binary = len(classes) == 2
        spec = UpdateSpec(
            rule=self._rule(),
            scheme=multiclass.Binary() if binary else multiclass.SCHEMES[self.multi_class],
            class_weight=self._class_weights(classes, codes).astype(np.float64),
            tie=self._tie(),
            intercept=bool(self.fit_intercept),
            bias_sqnorm=float(self.fit_intercept),
        )
        codes, weight = codes.astype(np.int64, copy=False), weight.astype(np.float64, copy=False)
        example_ids, columns = first + np.arange(len(codes)), n_vectors(classes)
        arguments = X, codes, weight, example_ids, self._kernel_function(), spec, dual, columns
        if self.budget is None:
            return KernelProblem(*arguments)
        return BudgetedProblem(*arguments, budget_scheme=self._scheme())

    def _new_score_cache(self, n: int, columns: int) -> ScoreCache | None:
        """Return a cache if there are several epochs, no budget, and enough memory."""
        # 8 bytes a score; the cache has megabytes.
        fits = self.budget is None and 8e-6 * n * columns <= self.cache_size
        return ScoreCache(n, columns) if self.max_iter > 1 and fits else None

    def _set_fitted(self, run: FitRun, fitted: dict[str, object]) -> None:
        run.state = self._dual.trim_state(run.state)
        super()._set_fitted(run, fitted)
        self._check_in_range()

    def _check_in_range(self) -> None:
        """Refuse coefficients, or averages, that are not finite."""
        values = state.weights(self._state, self._state_output())
        if not all(np.isfinite(array).all() for array in values):
            raise ValueError(
                "The weights left the floating-point range, and these rows were not learned. "
                f"Scale the rows{self._smaller_steps()}."
            )

    # --- partial_fit -----------------------------------------------------------------------------

    def _init_classes(self, X: Matrix, classes: Array) -> None:
        self.classes_ = classes
        self._reset(X, self._n_vectors())

    def _insert_column(self, position: int) -> None:
        self._dual.insert_column(self._n_vectors(), position)
        super()._insert_column(position)

    def _learn_batch(self, X: Matrix, y: Array, weight: Array) -> None:
        if self.kernel == "precomputed":
            raise ValueError(
                "partial_fit cannot know which columns of a precomputed kernel its rows are: use "
                "fit, or give the kernel as a function."
            )
        dual = self._dual
        self._dual, self._state = dual.copied(), state.copy_state(self._state)
        try:
            super()._learn_batch(X, y, weight)
        except Exception:
            dual.drop_later_rows()  # the copy stored rows in the same support
            raise
        finally:
            self._state = self._dual.trim_state(self._state)

    def _learn_once(self, problem: Any, order: Array) -> None:
        run = FitRun(self._state)
        try:
            problem.run_epoch(order, run)
        finally:
            self._state = run.state
        self._check_in_range()
