"""The perceptron and its kin as scikit-learn estimators.

:class:`Perceptron` is all the classifiers: the others are the same machine with other defaults.
"""

from __future__ import annotations

from typing import Any

from rosenblatt.learning.classifier import RuleParams
from rosenblatt.learning.linear.base import LinearClassifier
from rosenblatt.theory import penalties, rules
from rosenblatt.utils.checks import check_choice


class Perceptron(RuleParams, LinearClassifier):
    """Linear classifier that learns one example at a time: w ← w + τ x.

    A drop-in for ``sklearn.linear_model.Perceptron``: every parameter of it with the same meaning
    and default, the same fitted attributes, and on dense data of two classes, or of more without
    shuffling, the same ``coef_`` to the last bit. Differences: several classes are learned in one
    pass over the rows, so they share one shuffled order; the intercept is not damped on sparse
    data; an epoch in which nothing moves ends the fit; ``n_iter_`` with a penalty and ``tol`` may
    differ, since the criterion takes the true norms of the weights; float32 with an L2 penalty
    agrees to rounding; ``coef_`` is set as a whole, not edited in place.

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
    expansion : bool, default=False
        Whether to write down which row moved w, when, and how far, and to keep those rows: then w
        is Σ coefficient · row (lecture row L2.6), and :meth:`explain` ranks the rows behind a
        prediction. Not with a penalty, shards or the pocket.

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
    support_, support_vectors_, dual_coef_, moves_
        With ``expansion=True``: the examples that moved w, their rows, their coefficients
        (``coef_`` is ``dual_coef_ @ support_vectors_``), and every step in turn.
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
        expansion: bool = False,
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
        self.expansion = expansion

    def _penalty(self) -> penalties.Penalty:
        return penalties.by_name(self.penalty, self.alpha, self.l1_ratio, self.eta0)

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
        expansion: bool = False,
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
        self.expansion = expansion

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

    def _bias_sqnorm(self) -> float:
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
