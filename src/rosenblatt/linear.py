"""The perceptron and its kin as scikit-learn estimators.

:class:`Perceptron` is all the classifiers: the others are the same machine with other defaults.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from rosenblatt import penalties, rules
from rosenblatt.checks import check_choice, check_parameters
from rosenblatt.classifier import LinearClassifier
from rosenblatt.learner import LinearLearner
from rosenblatt.training import Problem, Run

Array = NDArray[Any]


class Perceptron(LinearClassifier):
    """Linear classifier that learns one example at a time: w ← w + τ x.

    A drop-in for ``sklearn.linear_model.Perceptron``: every parameter of it with the same meaning
    and default, the same fitted attributes, and on dense data of two classes, or of more without
    shuffling, the same ``coef_`` to the last bit. Differences: several classes are learned in one
    pass over the rows, so they share one shuffled order; the intercept is not damped on sparse
    data; an epoch in which nothing moves ends the fit; ``n_iter_`` with a penalty and ``tol`` may
    differ, since the criterion takes the true norms of the weights.

    Parameters
    ----------
    rule : str or NamedTuple, default="perceptron"
        "perceptron", "margin", "relaxation", "pa", "pa1", "pa2", "lms", "nlms", "logistic",
        "hinge", or a rule of your own, see :mod:`rosenblatt.rules`. A rule object has its own
        learning rate.
    output : {"last", "average", "pocket"}, default="last"
        The weights after the last example, their average over all examples (generalises better),
        or those with the fewest training errors.
    multi_class : {"ovr", "joint"}, default="ovr"
        Each class against the rest, or one arg max: the right class up, the wrong one down.
        Two classes are one weight vector either way.
    tie : {0, -1, 1}, default=0
        What a score of exactly zero is: a mistake whatever the label, or the prediction −1
        (``classes_[0]``) or +1 (``classes_[1]``). A rule object's own ``tie`` goes before it; for
        joint classes it must be 0.
    penalty : {None, "l2", "l1", "elasticnet"}, default=None
    alpha : float ≥ 0, default=1e-4
        Strength of the penalty.
    l1_ratio : float in [0, 1], default=0.15
        Share of L1 in "elasticnet".
    fit_intercept : bool, default=True
    max_iter : int ≥ 1, default=1000
        Epochs at most, in ``fit``.
    tol : float ≥ 0 or None, default=1e-3
        ``fit`` ends when the criterion has not fallen by ``tol`` for ``n_iter_no_change`` epochs.
    shuffle : bool, default=True
        Whether each epoch visits the rows in a new order.
    verbose : int, default=0
        1 prints a line an epoch.
    eta0 : float > 0, default=1.0
        Learning rate of a rule given by name (C for "pa1" and "pa2", μ for "nlms").
    n_jobs : int or None, default=None
        Threads for ``shards``; it never changes the result.
    random_state : int, RandomState or None, default=0
    early_stopping : bool, default=False
        Hold out ``validation_fraction`` of the rows and stop when their score stalls.
    validation_fraction : float in (0, 1), default=0.1
    n_iter_no_change : int ≥ 1, default=5
    class_weight : dict, "balanced" or None, default=None
    warm_start : bool, default=False
        Whether ``fit`` goes on from the last fit: weights, averages and counters.
    shards : int ≥ 1, default=1
        Iterative parameter mixing: the rows are cut into this many parts, each is walked by a
        learner of its own, and the learners are averaged after every epoch (McDonald, Hall and
        Mann 2010). The result depends on the data, the seed and ``shards`` alone.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d) or (K, d)
    intercept_ : ndarray of shape (1,) or (K,)
    classes_ : ndarray of shape (K,)
    n_iter_ : int
        Epochs of the last fit.
    t_ : float
        Examples seen, plus one.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,)
        Where X has column names.
    converged_ : bool
        Whether the last epoch made no mistake and moved nothing: the last weights (not their
        average) separate the training rows. A penalty never stands still, nor does least squares.
    mistakes_, updates_, errors_ : int
        See the properties of the same names.
    history_ : structured ndarray
        One row an epoch: epoch, mistakes, updates, errors, criterion, norm, seconds.

    References
    ----------
    Rosenblatt 1958; Novikoff 1962; Freund and Schapire 1999; lecture rows L0.1, L2.7, L3.5.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Perceptron().fit(X, y == 0)
    >>> model.converged_, model.mistakes_
    (True, 7)
    """

    def __init__(
        self,
        *,
        rule: Any = "perceptron",
        output: str = "last",
        multi_class: str = "ovr",
        tie: int = 0,
        penalty: str | None = None,
        alpha: float = 1e-4,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        eta0: float = 1.0,
        n_jobs: int | None = None,
        random_state: Any = 0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        warm_start: bool = False,
        shards: int = 1,
    ) -> None:
        self.rule = rule
        self.output = output
        self.multi_class = multi_class
        self.tie = tie
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.shards = shards

    def _rule(self) -> rules.Rule:
        if isinstance(self.rule, str):
            return rules.complete(rules.by_name(self.rule, self.eta0, self.tie))
        return rules.complete(self.rule)

    def _penalty(self) -> penalties.Penalty:
        return penalties.by_name(self.penalty, self.alpha, self.l1_ratio, self.eta0)

    def _output(self) -> str:
        return self.output

    def _tie(self) -> float:
        return float(self.tie)

    def _shards(self) -> int:
        return self.shards


class AveragedPerceptron(Perceptron):
    """:class:`Perceptron` with ``output="average"``: predicts with the mean of all its weights.

    The average generalises better than the last weights and costs one more vector (Freund and
    Schapire 1999; Collins 2002; lecture row L3.7). Parameters and attributes are those of
    :class:`Perceptron`; ``coef_`` is the average.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> model = AveragedPerceptron(max_iter=5, tol=None).fit(X[:1000], y[:1000])
    >>> float(model.score(X[1000:], y[1000:])) > 0.9
    True
    """

    def __init__(
        self,
        *,
        rule: Any = "perceptron",
        multi_class: str = "ovr",
        tie: int = 0,
        penalty: str | None = None,
        alpha: float = 1e-4,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        eta0: float = 1.0,
        n_jobs: int | None = None,
        random_state: Any = 0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        warm_start: bool = False,
        shards: int = 1,
    ) -> None:
        self.rule = rule
        self.multi_class = multi_class
        self.tie = tie
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.shards = shards

    def _output(self) -> str:
        return "average"


class PassiveAggressiveClassifier(LinearClassifier):
    """Passive-Aggressive classifier: a drop-in for the one that scikit-learn 1.10 removes.

    Every parameter of ``sklearn.linear_model.PassiveAggressiveClassifier`` with the same meaning
    and default, and on dense data of two classes, or of more without shuffling, the same ``coef_``
    to the last bit. As there, the intercept moves with the row but its 1 is not counted in ‖x‖²
    (``Perceptron(rule="pa1")`` counts it, which is what the paper's step asks for).

    Parameters
    ----------
    C : float > 0, default=1.0
        The longest step (PA-I), or how aggressive it is (PA-II).
    fit_intercept, max_iter, tol, early_stopping, validation_fraction, n_iter_no_change, shuffle, \
verbose
        As in :class:`Perceptron`.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        PA-I or PA-II.
    n_jobs, random_state, warm_start, class_weight
        As in :class:`Perceptron`; ``random_state`` is None by default.
    average : bool, default=False
        Whether ``coef_`` is the average of all weights.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, figure 1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = X / X.max(axis=0)
    >>> model = PassiveAggressiveClassifier(random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        verbose: int = 0,
        loss: str = "hinge",
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        class_weight: Any = None,
        average: bool = False,
    ) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.verbose = verbose
        self.loss = loss
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.average = average

    def _rule(self) -> rules.Rule:
        return rules.complete({"hinge": rules.PA1, "squared_hinge": rules.PA2}[self.loss](self.C))

    def _output(self) -> str:
        return "average" if self.average else "last"

    def _norm_of_one(self) -> float:
        return 0.0


class Adaline(LinearClassifier):
    """Adaptive linear neuron: least mean squares on the labels −1 and +1, one example at a time.

    w ← w + μ (y − ⟨w, x⟩ − b) x/(‖x‖² + 1) on every example, right or wrong: Widrow and Hoff's own
    rule, stable for 0 < μ < 2 whatever the scale of x. Or without the division ("lms"), stable for
    0 < η < 2/(‖x‖² + 1); lecture rows L2.11, L4.7.

    Parameters
    ----------
    rule : {"nlms", "lms"}, default="nlms"
        With or without the division.
    eta0 : float > 0, default=0.1
        μ of "nlms", η of "lms".
    output, multi_class, fit_intercept, max_iter, tol, shuffle, verbose, random_state, \
n_iter_no_change, class_weight, warm_start
        As in :class:`Perceptron`.

    References
    ----------
    Widrow and Hoff 1960.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = scale(X)
    >>> model = Adaline().fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        *,
        rule: str = "nlms",
        eta0: float = 0.1,
        output: str = "last",
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        random_state: Any = 0,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        warm_start: bool = False,
    ) -> None:
        self.rule = rule
        self.eta0 = eta0
        self.output = output
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.random_state = random_state
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start

    def _rule(self) -> rules.Rule:
        check_choice("rule", self.rule, ("nlms", "lms"))
        return rules.by_name(self.rule, float(self.eta0), 0.0)

    def _output(self) -> str:
        return self.output


class LMSRegressor(RegressorMixin, LinearLearner):
    """Linear regression by (normalised) least mean squares: the adaptive filter.

    Plain: w ← w + η (y − ŷ) x. Normalised: the step is divided by ε + ‖x‖², which keeps it stable
    for 0 < μ < 2 whatever the scale of x; lecture rows L2.11, L4.7.

    Parameters
    ----------
    rule : {"nlms", "lms"} or rule object, default="nlms"
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
        if isinstance(self.rule, rules.CLASSIFYING):
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
        with self._all_or_nothing():
            check_parameters(self)
            rows, targets = self._validated(X, y, reset=True, y_numeric=True)
            problem = self._regression(rows, targets, self._weighted(sample_weight, rows))
            self._train(problem, self._plan(problem), self._start(rows, 1))
        return self

    def partial_fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from one more batch, walked once; parameters as in :meth:`fit`."""
        with self._all_or_nothing():
            check_parameters(self)
            first = "_state" not in vars(self)
            rows, targets = self._validated(X, y, reset=first, y_numeric=True)
            weight = self._weighted_batch(sample_weight, rows)
            problem = self._regression(rows, targets, weight)
            if first:
                self._state = self._empty(rows, 1)
            self._walk_once(problem, self._order(len(targets)))
            self.n_iter_ = 1
        return self

    @staticmethod
    def _is_clean_label(y: Any) -> bool:
        return type(y) is np.ndarray and y.dtype.kind == "f" and bool(np.isfinite(y).all())

    def _publish(self, run: Run, fitted: dict[str, Any]) -> None:
        super()._publish(run, fitted)
        del self.converged_  # of a sign that nobody predicts

    def _regression(self, X: Any, y: Array, weight: Array) -> Problem:
        if y.dtype.kind not in "fiub":
            raise ValueError(f"y must be real numbers; got {y.dtype}.")
        return self._problem(X, y.astype(np.float64), weight)

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
