"""The linear learners behind :mod:`rosenblatt.estimators.linear`.

The other classifiers are presets of :class:`Perceptron`; the regressor is the adaptive filter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypeGuard

import numpy as np

from rosenblatt.learning.base import reading
from rosenblatt.learning.linear.base import LinearLearner
from rosenblatt.learning.linear.classifier import LinearClassifier
from rosenblatt.learning.params import ClassWeight, LinearParameters, Seed, check_parameters
from rosenblatt.learning.problem import FitRun, FitSetup
from rosenblatt.theory import rules
from rosenblatt.theory.rule_kinds import AnyRule
from rosenblatt.theory.rules.auto import Auto
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.checks import check_choice

if TYPE_CHECKING:
    from rosenblatt.theory.textbook.trace import Trace


@dataclass(kw_only=True, eq=False, repr=False)
class Perceptron(LinearParameters, LinearClassifier):
    """Linear classifier that learns one example at a time: w ← w + τ x.

    Parameters and attributes are those of :class:`rosenblatt.Perceptron`.
    """

    n_jobs: int | None = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    shards: int = 1
    expansion: bool = False
    scale: bool = False

    def trace(self, X: Matrix, y: ArrayLike) -> Trace:
        """Return the fit on the rows X, y as a recorded run of :mod:`rosenblatt.textbook`.

        The fit is repeated, so that X and y must be the rows of the model's only ``fit``. The run
        can be stepped through and drawn, with any rule, one's own too; that of the rule
        "perceptron" can be audited (:func:`rosenblatt.audit`).

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : array of shape (n,)

        Returns
        -------
        rosenblatt.textbook.Trace
            One step per update or mistake, with the rows as numbered in X; others are left out.
            A stored vector is (w, b): ``offset`` is -1, or None without an intercept. For a rule
            whose step is τ x, and float64 weights, ``rates`` are y τ, and ``alpha`` is the sum of
            the τ of each row.
            Some rules, such as "kt", move w by the size of a row before they score it: prediction
            and mistake are then those of the fit, and the score is that of the stored vector.

        Raises
        ------
        ValueError
            The model has more than two classes, another output than "last", class weights, a
            penalty, shards or ``scale``, or the rule "auto" or "minover"; or X and y are other
            rows.

        Examples
        --------
        >>> from rosenblatt import audit, toys
        >>> toy = toys.separable(60, 2, margin=0.1)
        >>> model = Perceptron(tol=None).fit(toy.X, toy.y)
        >>> run = model.trace(toy.X, toy.y)
        >>> run.mistakes == model.mistakes_, audit(run).holds
        (True, True)
        >>> Perceptron(rule="pa", max_iter=2, tol=None).fit(toy.X, toy.y).trace(toy.X, toy.y)
        <Trace of PA: 60 rows, 33 steps, 9 mistakes, not converged>
        """
        from rosenblatt.learning.linear.replay import replay

        return replay(self, X, y)


@dataclass(kw_only=True, eq=False, repr=False)
class AveragedPerceptron(Perceptron):
    """:class:`Perceptron` with ``output="average"``: predict with the mean of all weights.

    Parameters and attributes are those of :class:`rosenblatt.AveragedPerceptron`.
    """

    output: str = field(default="average", init=False)


@dataclass(kw_only=True, eq=False, repr=False)
class Classifier(LinearClassifier):
    """Linear classifier with nothing to choose, and with probabilities.

    Parameters and attributes are those of :class:`rosenblatt.Classifier`.
    """

    rule: str = field(default="auto", init=False)
    output: str = field(default="last", init=False)
    multi_class: str = field(default="joint", init=False)
    tie: int = field(default=0, init=False)
    fit_intercept: bool = field(default=True, init=False)
    tol: float | None = field(default=None, init=False)
    n_iter_no_change: int = field(default=1, init=False)
    max_iter: int = 10
    class_weight: ClassWeight = None

    def _rule(self) -> AnyRule:
        return Auto()


@dataclass(kw_only=True, eq=False, repr=False)
class PassiveAggressiveClassifier(LinearClassifier):
    """Passive-Aggressive classifier: a drop-in for the one that scikit-learn 1.10 removes.

    Parameters and attributes are those of :class:`rosenblatt.PassiveAggressiveClassifier`.
    """

    C: float = 1.0
    early_stopping: bool = False
    validation_fraction: float = 0.1
    loss: str = "hinge"
    n_jobs: int | None = None
    random_state: Seed = None
    class_weight: ClassWeight = None
    average: bool = False
    probabilities: bool = False

    BIAS_SQNORM = 0.0
    RATE = "C"

    @property
    def output(self) -> str:  # type: ignore[override]
        """The weights to predict with, by the name that other learners have as a parameter."""
        return "average" if self.average else "last"

    def _rule(self) -> AnyRule:
        return rules.complete({"hinge": rules.PA1, "squared_hinge": rules.PA2}[self.loss](self.C))


@dataclass(kw_only=True, eq=False, repr=False)
class Adaline(LinearClassifier):
    """Adaptive linear neuron: online least mean squares on the labels −1 and +1.

    Parameters and attributes are those of :class:`rosenblatt.Adaline`.
    """

    rule: str = "nlms"
    eta0: float = 0.1
    output: str = "last"
    multi_class: str = "ovr"
    class_weight: ClassWeight = None
    scale: bool = False
    probabilities: bool = False

    def _rule(self) -> AnyRule:
        check_choice(self.rule, "rule", ("nlms", "lms"))
        return super()._rule()


@dataclass(kw_only=True, eq=False, repr=False)
class LMSRegressor(LinearLearner):
    """Linear regression by (normalised) least mean squares: the adaptive filter.

    Parameters and attributes are those of :class:`rosenblatt.LMSRegressor`.
    """

    OUTPUTS = ("last", "average")

    rule: str | AnyRule = "nlms"
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

    def _set_up(self, X: Matrix, y: Array, weight: Array, *inits: ArrayLike | None) -> FitSetup:
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

    def _partial_fit(self, X: Matrix, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
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
    def _is_valid_y(y: object) -> TypeGuard[Array]:
        return type(y) is np.ndarray and y.dtype.kind == "f" and bool(np.isfinite(y).all())

    @staticmethod
    def _as_targets(y: ArrayLike) -> Any:
        return y

    def _validate_X_y(
        self, X: Matrix, y: ArrayLike, *, reset: bool, y_numeric: bool = True
    ) -> tuple[Matrix, Array]:
        X, y = super()._validate_X_y(X, y, reset=reset, y_numeric=y_numeric)
        if y.dtype.kind not in "fiub":
            raise ValueError(f"y must be real numbers; got {y.dtype}.")
        return X, y.astype(np.float64)

    def _set_fitted(self, run: FitRun, fitted: dict[str, object]) -> None:
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
