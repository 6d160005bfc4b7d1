"""Learners that hold w as a sum of examples: any kernel, and the older selves that vote."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from rosenblatt.engine import multiclass, state
from rosenblatt.engine import shuffle as engine_shuffle
from rosenblatt.engine.kernel import budgets
from rosenblatt.engine.kernel.expansion import UpdateSpec
from rosenblatt.engine.matrices import as_rows
from rosenblatt.learning.classifier import BaseClassifier, RuleParams, n_vectors
from rosenblatt.learning.dual import DualState
from rosenblatt.learning.explain import DualAttributes
from rosenblatt.learning.kernel import prediction
from rosenblatt.learning.kernel.gram import KernelFunction, kernel_function, resolve_gamma
from rosenblatt.learning.kernel.training import (
    BudgetedProblem,
    KernelProblem,
    ScoreCache,
    check_budget,
)
from rosenblatt.learning.params import check_parameters
from rosenblatt.learning.problem import FitRun
from rosenblatt.learning.support import KernelRows, Support

Array = NDArray[Any]


class KernelPerceptron(RuleParams, DualAttributes, BaseClassifier):
    """Kernel classifier that learns one example at a time: w ← w + τ Φ(x), for any kernel.

    Φ(x) is never built: w is a sum of the examples that moved it, and a score is
    f(x) = Σ_s c_s k(x_s, x) + b. Predictions, mistakes and steps are those of :class:`Perceptron`
    on the features Φ(x) in the same order. Training is exact and goes block by block: the scores of
    a thousand rows by one matrix product, the steps inside it one by one. Products have the type of
    X (float32 takes half the time of float64), sums are float64.

    Parameters
    ----------
    kernel : str, kernel or callable, default="rbf"
        "linear", "poly" (γ⟨x, x'⟩ + c)^d, "rbf" exp(−γ‖x − x'‖²), "laplace" exp(−γ‖x − x'‖₁),
        "sigmoid" tanh(γ⟨x, x'⟩ + c), "cosine", "intersection" Σ min(x_j, x'_j); one of
        :mod:`rosenblatt.kernels`, with numbers of its own; "precomputed" (X is the square matrix of
        kernel values); or a function of two matrices that gives the matrix of their rows' values.
    degree : int ≥ 1, default=3
        d of "poly".
    gamma : "scale", "auto" or float > 0, default="scale"
        γ; "scale" is 1/(d · X.var()), "auto" 1/d, of the first rows that are learned.
    coef0 : float, default=0.0
        c of "poly" and "sigmoid".
    rule : str or NamedTuple, default="perceptron"
        As in :class:`Perceptron`; its ‖x‖² is k(x, x).
    output : {"last", "average", "vote"}, default="last"
        The weights after the last example; their average over all examples; or the vote of all
        older selves, each with as many votes as it survived examples.
    multi_class : {"ovr", "joint"}, default="ovr"
    tie : {0, -1, 1}, default=0
    fit_intercept : bool, default=True
        Whether b moves: it is the kernel k + 1.
    max_iter : int ≥ 1, default=1000
    tol : float ≥ 0 or None, default=1e-3
    shuffle : bool, default=True
    verbose : int, default=0
    eta0 : float > 0, default=1.0
    random_state : int, RandomState or None, default=0
    n_iter_no_change : int ≥ 1, default=5
    class_weight : dict, "balanced" or None, default=None
    warm_start : bool, default=False
        All as in :class:`Perceptron`.
    cache_size : float ≥ 0, default=200
        Megabytes that ``fit`` may keep from one epoch to the next: the scores of all rows, 8 bytes
        a row and weight vector, so that a later epoch computes only what has moved since. Where
        they do not fit, every epoch costs as much as all support rows ask for.
    budget : int ≥ 1 or None, default=None
        Hold at most this many rows, whatever is learned; with output="last".
    budget_scheme : {"projectron", "projectron++", "forgetron", "random"}, default="projectron"
        What a full budget does with one more row: it projects it on those that are held (the best
        of them, for B² numbers and products), shrinks w and forgets the oldest row, or forgets a
        row at random; see ``rosenblatt.engine.kernel.budgets``.

    Attributes
    ----------
    support_ : ndarray of shape (S,), int64
        The examples that moved w: their rows in ``fit``, or counted over all calls of
        ``partial_fit``. Equal rows are one.
    support_vectors_ : ndarray or sparse matrix of shape (S, d)
    dual_coef_ : ndarray of shape (1, S) or (K, S)
        The coefficients to predict with; of "vote" those of the last weights.
    intercept_ : ndarray of shape (1,) or (K,)
    classes_, n_features_in_, feature_names_in_, n_iter_, t_, converged_, history_, mistakes_, \
updates_, errors_
        As in :class:`Perceptron`; the norm in ``history_`` is that of w in Φ's space.
    gamma_ : float
        γ as it was used.

    References
    ----------
    Aizerman, Braverman and Rozonoer 1964; Freund and Schapire 1999; lecture rows L2.6, L2.10, L3.7,
    L3.9.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["off", "on", "on", "off"]
    >>> model = KernelPerceptron("poly", degree=2, gamma=1, coef0=1).fit(X, y)
    >>> model.predict(X).tolist(), model.converged_
    (['off', 'on', 'on', 'off'], True)
    """

    OUTPUTS = ("last", "average", "vote")

    gamma_: float
    _dual: DualState
    _fitted_kernel: tuple[Any, int, float]  # what was asked for in training

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        rule: Any = "perceptron",
        output: str = "last",
        multi_class: str = "ovr",
        tie: int = 0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        eta0: float = 1.0,
        random_state: Any = 0,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        warm_start: bool = False,
        cache_size: float = 200,
        budget: int | None = None,
        budget_scheme: str = "projectron",
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.rule = rule
        self.output = output
        self.multi_class = multi_class
        self.tie = tie
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.random_state = random_state
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.cache_size = cache_size
        self.budget = budget
        self.budget_scheme = budget_scheme

    # --- what the parameters mean ----------------------------------------------------------------

    def _kernel_params(self) -> tuple[Any, int, float]:
        return self.kernel, self.degree, self.coef0

    def _kernel_function(self) -> KernelFunction:
        """Where kernel values come from, with the γ of the first rows."""
        if self._kernel_params() != self._fitted_kernel:
            raise ValueError(
                f"kernel, degree and coef0 were {self._fitted_kernel} in training and are now "
                f"{self._kernel_params()}: set them back, or start again with fit."
            )
        return kernel_function(self.kernel, self.degree, self.gamma_, self.coef0)

    def _check_same_books(self) -> None:
        """Refuse parameters that the learner has not kept the books for."""
        held, B = self._dual.held, self.budget or 0
        scheme = budgets.by_name(self.budget_scheme)
        expected = (
            budgets.empty_budget_state(scheme, B, len(self._state.b), 1) if self.budget else None
        )
        for name, ok in (
            ("output='vote'", self.output != "vote" or self._dual.keep_steps),
            ("output='average'", self.output != "average" or len(self._state.U) > 0),
            (
                f"budget={self.budget} ({self.budget_scheme})",
                [a.shape for a in held or ()] == [a.shape for a in expected or ()],
            ),
        ):
            if not ok:
                raise ValueError(
                    f"{name} was set after training without it: start again with fit and "
                    "warm_start=False."
                )

    # --- what was learned ------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    @property
    def intercept_(self) -> Array:
        """Intercepts, shape (1,) or (K,)."""
        self._check_fitted("intercept_")
        return state.intercepts(self._state, self._state_output())[: self._n_vectors()].copy()

    def _state_output(self) -> str:
        return "average" if self.output == "average" else "last"

    def _dual_coefficients(self) -> Array:
        W, _ = state.weights(self._state, self._state_output())
        return W[: self._dual.size, : self._n_vectors()]

    def _kernel_products(self, x: Any) -> Array:
        kernel, support = self._kernel_function(), self._dual.support
        if self.output == "vote":
            raise ValueError("A vote is no sum of rows: set output to 'last' or 'average'.")
        return np.asarray(
            kernel.values(KernelRows(x, kernel.norms(x)), support.kernel_rows())[0], np.float64
        )

    def _feature_weights(self, x: Any, k: int) -> Array | None:
        if self.kernel != "linear":
            return None
        rows = self._dual.support.matrix()
        return np.asarray(rows.T @ self._dual_coefficients()[:, k]).ravel()

    def _scores(self, X: Any) -> Array:
        check_is_fitted(self)
        X = self._validate_rows(X)
        kernel, dual, columns = self._kernel_function(), self._dual, self._n_vectors()
        left = KernelRows(X, kernel.norms(X))
        if self.output == "vote":
            self._check_same_books()
            joint, one = self.multi_class == "joint", float(self.fit_intercept)
            t = int(self._state.t[0])
            return prediction.vote_shares(kernel, dual, left, columns, joint, self._tie(), one, t)
        W, _ = state.weights(self._state, self._state_output())
        return prediction.decision_scores(kernel, dual, W, left)[:, :columns] + self.intercept_

    def _norm(self) -> float:
        return self._dual.norm

    def _widen(self, d: int) -> Self:
        """Room for features that appear late: the support rows have none of them."""
        if d > self.n_features_in_:
            self._dual.support.widen(d)
            self.n_features_in_: int = d
        return self

    def _validate_rows(self, X: Any) -> Any:
        X = validate_data(self, X, accept_sparse="csr", dtype=self._dtype, order="C", reset=False)
        if sp.issparse(X):
            as_rows(X)  # its structure is looked at
        return self._dual.support.as_stored(X)

    # --- training --------------------------------------------------------------------------------

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from (X, y), epoch after epoch.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            float32 stays float32; everything else becomes float64. With ``kernel="precomputed"``
            the square matrix of the rows' kernel values.
        y : array of shape (n,)
            At least two different labels.
        sample_weight : array of shape (n,), optional
            Each example's step is multiplied by its weight.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Bad parameters, labels or numbers, a kernel that is not symmetric, or one that runs out
            of the floating-point range.
        """
        with self._rollback_on_error(), self._rollback_on_interrupt():
            check_parameters(self)
            continuing = self.warm_start and "_state" in vars(self)
            rows, labels = self._validate_X_y(X, y, reset=not continuing)
            check_classification_targets(labels)
            weight = self._sample_weights(sample_weight, rows)
            classes, codes = self._encode_labels(labels)
            self._check_classes(len(classes))
            if not continuing:
                self.__dict__.pop("_state", None)
                self._class_weights(classes, codes)  # before anything is known, all must be there
                self._open_classes = True
                self._reset(rows, n_vectors(classes))
            self._kernel_function().check_rows(rows)
            with self._rollback_dual_on_error():
                rows = self._dual.support.as_stored(rows)
                example_ids = np.arange(len(codes))
                score_cache = self._score_cache(len(codes), n_vectors(classes))
                problem = self._kernel_problem(
                    rows, codes, weight, classes, example_ids, score_cache
                )
                start = state.copy_state(self._state)
                self._train(
                    problem, self._fit_options(problem), start, classes_=classes, _open_classes=True
                )
        return self

    def _reset(self, X: Any, columns: int) -> None:
        """Forget everything; from now on the kernel is that of the parameters."""
        self.gamma_ = resolve_gamma(self.kernel, self.gamma, X)
        self._dtype, self._fitted_kernel = X.dtype, self._kernel_params()
        kernel = self._kernel_function()
        support = Support(X[:0], kernel.numbered)
        self._state = self._empty_state(X, columns)
        columns = len(self._state.b)
        self._dual = DualState(support, columns, self.output == "vote")
        if self.budget is not None:
            seed = engine_shuffle.shard_seeds(check_random_state(self.random_state), 1)[0]
            scheme = budgets.by_name(self.budget_scheme)
            self._dual.held = budgets.empty_budget_state(scheme, self.budget, columns, seed)

    def _empty_state(self, X: Any, columns: int) -> state.State:
        return state.empty(1, columns, np.float64, average=self.output == "average")

    def _validate_X_y(self, X: Any, y: Any, *, reset: bool, **options: Any) -> tuple[Any, Array]:
        dtypes: Any = [np.float64, np.float32] if reset else self._dtype
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=dtypes, order="C", reset=reset, **options
        )
        return X, y

    def _kernel_problem(
        self,
        X: Any,
        codes: Array,
        weight: Array,
        classes: Array,
        example_ids: Array,
        score_cache: ScoreCache | None = None,
    ) -> KernelProblem:
        self._check_same_books()
        if sp.issparse(X):
            as_rows(X)  # its structure is looked at
        binary = len(classes) == 2
        terms = UpdateSpec(
            rule=self._rule(),
            scheme=multiclass.Binary() if binary else multiclass.by_name(self.multi_class),
            class_weight=self._class_weights(classes, codes).astype(np.float64),
            tie=self._tie(),
            bias=float(self.fit_intercept),
        )
        codes, weight = codes.astype(np.int64, copy=False), weight.astype(np.float64, copy=False)
        rows = X, codes, weight, example_ids, self._kernel_function(), terms, self._dual
        columns = n_vectors(classes)
        if self.budget is None:
            return KernelProblem(*rows, columns, score_cache)
        return BudgetedProblem(*rows, columns, budget=budgets.by_name(self.budget_scheme))

    def _check_classes(self, count: int) -> None:
        super()._check_classes(count)
        if self.budget is not None:
            check_budget(self.budget_scheme, self.output, self._rule(), self.multi_class, count)

    def _init_classes(self, X: Any, classes: Array) -> None:
        self.classes_ = classes
        self._reset(X, self._n_vectors())

    @contextmanager
    def _rollback_on_interrupt(self) -> Iterator[None]:
        """Put the attributes back where an interrupt comes before anything was learned."""
        before = self.__dict__.copy()
        try:
            yield
        except KeyboardInterrupt:
            if self.__dict__.get("classes_") is before.get("classes_"):
                self.__dict__.clear()
                self.__dict__.update(before)
            raise

    def _insert_column(self, position: int) -> None:
        self._dual.with_column(self._n_vectors(), position)
        super()._insert_column(position)

    def _learn_batch(self, X: Any, y: Array, weight: Array) -> None:
        if self.kernel == "precomputed":
            raise ValueError(
                "partial_fit cannot know which columns of a precomputed kernel its rows are: use "
                "fit, or give the kernel as a function."
            )
        with self._rollback_dual_on_error():
            try:
                super()._learn_batch(X, y, weight)
            finally:
                self._state = self._dual.trim_state(self._state)

    def _learn_encoded(self, X: Any, codes: Array, weight: Array, order: Array, first: int) -> None:
        X, example_ids = self._dual.support.as_stored(X), first + np.arange(len(codes))
        problem = self._kernel_problem(X, codes, weight, self.classes_, example_ids)
        run = FitRun(self._state)
        try:
            problem.run_epoch(order, run)
        finally:
            self._state = run.state
        if not np.isfinite(run.state.W).all():
            raise ValueError(
                "The weights ran out of the floating-point range, and this batch was not learned. "
                "Scale the rows, or choose a smaller eta0."
            )

    @contextmanager
    def _rollback_dual_on_error(self) -> Iterator[None]:
        """Put the expansion back as it was where the work on it fails; interrupted, it stays."""
        dual, before = self._dual, self._state
        self._dual, self._state = dual.copied(), state.copy_state(before)
        try:
            yield
        except Exception:
            self._dual, self._state = dual.rollback(), before
            raise

    def _score_cache(self, n: int, columns: int) -> ScoreCache | None:
        """Scores to keep from epoch to epoch, if there are epochs, and room."""
        fits = 8e-6 * n * columns <= self.cache_size
        return ScoreCache(n, columns) if self.max_iter > 1 and fits else None

    def _set_fitted(self, run: FitRun, fitted: dict[str, Any]) -> None:
        run.state = self._dual.trim_state(run.state)
        super()._set_fitted(run, fitted)


class VotedPerceptron(KernelPerceptron):
    """:class:`KernelPerceptron` with the linear kernel, whose older selves vote.

    f(x) = Σ_v c_v sign(⟨w_v, x⟩ + b_v): each weight vector votes as often as it survived examples
    (Freund and Schapire 1999; lecture row L3.7). No w is stored: all of them are read off the rows
    that moved w, in their order. Parameters and attributes are those of :class:`KernelPerceptron`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> model = VotedPerceptron(max_iter=5, tol=None).fit(X[:1000], y[:1000])
    >>> float(model.score(X[1000:], y[1000:])) > 0.9
    True
    """

    def __init__(
        self,
        *,
        rule: Any = "perceptron",
        multi_class: str = "ovr",
        tie: int = 0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        eta0: float = 1.0,
        random_state: Any = 0,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        warm_start: bool = False,
        cache_size: float = 200,
    ) -> None:
        self.rule = rule
        self.multi_class = multi_class
        self.tie = tie
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.random_state = random_state
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.cache_size = cache_size

    # What the kernel machine asks for besides.
    kernel = "linear"
    degree = 3
    gamma = "auto"
    coef0 = 0.0
    output = "vote"
    budget = None
    budget_scheme = "random"
