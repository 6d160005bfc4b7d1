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
from rosenblatt.engine.kernel.expansion import Terms
from rosenblatt.engine.matrices import as_rows
from rosenblatt.learning.classifier import ByRule, Classifier, columns_of
from rosenblatt.learning.dual import Memory
from rosenblatt.learning.explain import Expanded
from rosenblatt.learning.kernel import prediction
from rosenblatt.learning.kernel.gram import Gram, gamma_of, gram_of
from rosenblatt.learning.kernel.training import Budgeted, Standings, Unfolding, check_budget
from rosenblatt.learning.params import check_parameters
from rosenblatt.learning.problem import Run
from rosenblatt.learning.support import Side, Support

Array = NDArray[Any]


class KernelPerceptron(ByRule, Expanded, Classifier):
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
    _memory: Memory
    _kernel: tuple[Any, int, float]  # what was asked for in training

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

    def _asked(self) -> tuple[Any, int, float]:
        return self.kernel, self.degree, self.coef0

    def _gram(self) -> Gram:
        """Where kernel values come from, with the γ of the first rows."""
        if self._asked() != self._kernel:
            raise ValueError(
                f"kernel, degree and coef0 were {self._kernel} in training and are now "
                f"{self._asked()}: set them back, or start again with fit."
            )
        return gram_of(self.kernel, self.degree, self.gamma_, self.coef0)

    def _check_kept(self) -> None:
        """Refuse parameters that the learner has not kept the books for."""
        held, B = self._memory.held, self.budget or 0
        scheme = budgets.by_name(self.budget_scheme)
        like = budgets.nothing_held(scheme, B, len(self._state.b), 1) if self.budget else None
        for name, fine in (
            ("output='vote'", self.output != "vote" or self._memory.votes),
            ("output='average'", self.output != "average" or len(self._state.U) > 0),
            (
                f"budget={self.budget} ({self.budget_scheme})",
                [a.shape for a in held or ()] == [a.shape for a in like or ()],
            ),
        ):
            if not fine:
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
        self._fitted("intercept_")
        return state.intercepts(self._state, self._summed())[: self._columns()].copy()

    def _summed(self) -> str:
        return "average" if self.output == "average" else "last"

    def _coefficients(self) -> Array:
        W, _ = state.weights(self._state, self._summed())
        return W[: self._memory.size, : self._columns()]

    def _products(self, x: Any) -> Array:
        gram, support = self._gram(), self._memory.support
        if self.output == "vote":
            raise ValueError("A vote is no sum of rows: set output to 'last' or 'average'.")
        return np.asarray(gram.values(Side(x, gram.sizes(x)), support.side())[0], np.float64)

    def _features(self, x: Any, k: int) -> Array | None:
        if self.kernel != "linear":
            return None
        rows = self._memory.support.matrix()
        return np.asarray(rows.T @ self._coefficients()[:, k]).ravel()

    def _scores(self, X: Any) -> Array:
        check_is_fitted(self)
        X = self._rows(X)
        gram, memory, columns = self._gram(), self._memory, self._columns()
        left = Side(X, gram.sizes(X))
        if self.output == "vote":
            self._check_kept()
            joint, one = self.multi_class == "joint", float(self.fit_intercept)
            t = int(self._state.t[0])
            return prediction.votes(gram, memory, left, columns, joint, self._tie(), one, t)
        W, _ = state.weights(self._state, self._summed())
        return prediction.sums(gram, memory, W, left)[:, :columns] + self.intercept_

    def _norm(self) -> float:
        return self._memory.norm

    def _widen(self, d: int) -> Self:
        """Room for features that appear late: the support rows have none of them."""
        if d > self.n_features_in_:
            self._memory.support.widen(d)
            self.n_features_in_: int = d
        return self

    def _rows(self, X: Any) -> Any:
        X = validate_data(self, X, accept_sparse="csr", dtype=self._dtype, order="C", reset=False)
        if sp.issparse(X):
            as_rows(X)  # its structure is looked at
        return self._memory.support.like(X)

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
        with self._all_or_nothing(), self._published_or_nothing():
            check_parameters(self)
            going_on = self.warm_start and "_state" in vars(self)
            rows, labels = self._validated(X, y, reset=not going_on)
            check_classification_targets(labels)
            weight = self._weighted(sample_weight, rows)
            classes, codes = self._classes_of(labels)
            self._check_classes(len(classes))
            if not going_on:
                self.__dict__.pop("_state", None)
                self._class_weights(classes, codes)  # before anything is known, all must be there
                self._open = True
                self._begin(rows, columns_of(classes))
            self._gram().check(rows)
            with self._undone_where_it_fails():
                rows = self._memory.support.like(rows)
                numbers = np.arange(len(codes))
                standings = self._standings(len(codes), columns_of(classes))
                task = self._task(rows, codes, weight, classes, numbers, standings)
                start = state.copied(self._state)
                self._train(task, self._plan(task), start, classes_=classes, _open=True)
        return self

    def _begin(self, X: Any, columns: int) -> None:
        """Forget everything; from now on the kernel is that of the parameters."""
        self.gamma_ = gamma_of(self.kernel, self.gamma, X)
        self._dtype, self._kernel = X.dtype, self._asked()
        gram = self._gram()
        support = Support(X[:0], gram.numbered)
        self._state = self._empty(X, columns)
        columns = len(self._state.b)
        self._memory = Memory(support, columns, self.output == "vote")
        if self.budget is not None:
            seed = engine_shuffle.seeds(check_random_state(self.random_state), 1)[0]
            scheme = budgets.by_name(self.budget_scheme)
            self._memory.held = budgets.nothing_held(scheme, self.budget, columns, seed)

    def _empty(self, X: Any, columns: int) -> state.State:
        return state.empty(1, columns, np.float64, average=self.output == "average")

    def _validated(self, X: Any, y: Any, *, reset: bool, **options: Any) -> tuple[Any, Array]:
        dtypes: Any = [np.float64, np.float32] if reset else self._dtype
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=dtypes, order="C", reset=reset, **options
        )
        return X, y

    def _task(
        self,
        X: Any,
        codes: Array,
        weight: Array,
        classes: Array,
        numbers: Array,
        standings: Standings | None = None,
    ) -> Unfolding:
        self._check_kept()
        if sp.issparse(X):
            as_rows(X)  # its structure is looked at
        two = len(classes) == 2
        terms = Terms(
            rule=self._rule(),
            scheme=multiclass.TwoClasses() if two else multiclass.by_name(self.multi_class),
            class_weight=self._class_weights(classes, codes).astype(np.float64),
            tie=self._tie(),
            one=float(self.fit_intercept),
        )
        codes, weight = codes.astype(np.int64, copy=False), weight.astype(np.float64, copy=False)
        rows = X, codes, weight, numbers, self._gram(), terms, self._memory
        columns = columns_of(classes)
        if self.budget is None:
            return Unfolding(*rows, columns, standings)
        return Budgeted(*rows, columns, budget=budgets.by_name(self.budget_scheme))

    def _check_classes(self, count: int) -> None:
        super()._check_classes(count)
        if self.budget is not None:
            check_budget(self.budget_scheme, self.output, self._rule(), self.multi_class, count)

    def _expand_to(self, X: Any, classes: Array) -> None:
        self.classes_ = classes
        self._begin(X, self._columns())

    @contextmanager
    def _published_or_nothing(self) -> Iterator[None]:
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
        self._memory.with_column(self._columns(), position)
        super()._insert_column(position)

    def _learn(self, X: Any, y: Array, weight: Array) -> None:
        if self.kernel == "precomputed":
            raise ValueError(
                "partial_fit cannot know which columns of a precomputed kernel its rows are: use "
                "fit, or give the kernel as a function."
            )
        with self._undone_where_it_fails():
            try:
                super()._learn(X, y, weight)
            finally:
                self._state = self._memory.trimmed(self._state)

    def _walk(self, X: Any, codes: Array, weight: Array, order: Array, first: int) -> None:
        X, numbers = self._memory.support.like(X), first + np.arange(len(codes))
        task = self._task(X, codes, weight, self.classes_, numbers)
        run = Run(self._state)
        try:
            task.learn(order, run)
        finally:
            self._state = run.state
        if not np.isfinite(run.state.W).all():
            raise ValueError(
                "The weights ran out of the floating-point range, and this batch was not learned. "
                "Scale the rows, or choose a smaller eta0."
            )

    @contextmanager
    def _undone_where_it_fails(self) -> Iterator[None]:
        """Put the expansion back as it was where the work on it fails; interrupted, it stays."""
        memory, before = self._memory, self._state
        self._memory, self._state = memory.copied(), state.copied(before)
        try:
            yield
        except Exception:
            self._memory, self._state = memory.restored(), before
            raise

    def _standings(self, n: int, columns: int) -> Standings | None:
        """Scores to keep from epoch to epoch, if there are epochs, and room."""
        fits = 8e-6 * n * columns <= self.cache_size
        return Standings(n, columns) if self.max_iter > 1 and fits else None

    def _publish(self, run: Run, fitted: dict[str, Any]) -> None:
        run.state = self._memory.trimmed(run.state)
        super()._publish(run, fitted)


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
