"""Linear classifiers: the learners behind :mod:`rosenblatt.estimators.linear`.

The other classifiers are presets of :class:`Perceptron`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rosenblatt.learning.classifier import RuleParams
from rosenblatt.learning.linear.classifier import LinearClassifier
from rosenblatt.theory import penalties, rules
from rosenblatt.theory.rule_kinds import AnyRule
from rosenblatt.utils.checks import check_choice

if TYPE_CHECKING:
    from rosenblatt.theory.textbook.trace import Trace


@dataclass(kw_only=True, eq=False, repr=False)
class PerceptronParams:
    """Parameters of :class:`Perceptron` wherever its shards are: on a cluster, too."""

    rule: Any = "perceptron"
    output: str = "last"
    multi_class: str = "ovr"
    tie: int = 0
    penalty: str | None = None
    alpha: float = 1e-4
    l1_ratio: float = 0.15
    fit_intercept: bool = True
    tol: float | None = 1e-3
    shuffle: bool = True
    verbose: int = 0
    eta0: float = 1.0
    random_state: Any = 0
    n_iter_no_change: int = 5
    class_weight: Any = None
    warm_start: bool = False


@dataclass(kw_only=True, eq=False, repr=False)
class Perceptron(PerceptronParams, RuleParams, LinearClassifier):
    """Linear classifier that learns one example at a time: w ← w + τ x.

    Parameters and attributes are those of :class:`rosenblatt.Perceptron`.
    """

    max_iter: int = 1000
    n_jobs: int | None = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    shards: int = 1
    expansion: bool = False
    scale: bool = False

    def _penalty(self) -> penalties.Penalty:
        if self.penalty is None:
            return penalties.NO_PENALTY
        return penalties.by_name(self.penalty, self.alpha, self.l1_ratio, self.eta0)

    def trace(self, X: Any, y: Any) -> Trace:
        """Return the fit on the rows X, y as a recorded run of :mod:`rosenblatt.textbook`.

        The fit is repeated, so that X and y must be the rows of the model's only ``fit``. The run
        can be audited (:func:`rosenblatt.audit`), stepped through, and drawn.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : array of shape (n,)

        Returns
        -------
        rosenblatt.textbook.Trace
            One step per update, with the rows as numbered in X; rows that were right are left out.
            A stored vector is (w, b): ``offset`` is -1, or None without an intercept.

        Raises
        ------
        ValueError
            The model has more than two classes, another rule than "perceptron", another output
            than "last", class weights, a penalty, shards or ``scale``; or X and y are other rows.

        Examples
        --------
        >>> from rosenblatt import audit, toys
        >>> toy = toys.separable(60, 2, margin=0.1)
        >>> model = Perceptron(tol=None).fit(toy.X, toy.y)
        >>> run = model.trace(toy.X, toy.y)
        >>> run.mistakes == model.mistakes_, audit(run).holds
        (True, True)
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
class PassiveAggressiveClassifier(LinearClassifier):
    """Passive-Aggressive classifier: a drop-in for the one that scikit-learn 1.10 removes.

    Parameters and attributes are those of :class:`rosenblatt.PassiveAggressiveClassifier`.
    """

    C: float = 1.0
    fit_intercept: bool = True
    max_iter: int = 1000
    tol: float | None = 1e-3
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5
    shuffle: bool = True
    verbose: int = 0
    loss: str = "hinge"
    n_jobs: int | None = None
    random_state: Any = None
    warm_start: bool = False
    class_weight: Any = None
    average: bool = False

    def _rule(self) -> AnyRule:
        return rules.complete({"hinge": rules.PA1, "squared_hinge": rules.PA2}[self.loss](self.C))

    BIAS_SQNORM = 0.0

    def _rate_parameter(self) -> str:
        return "C"

    def _output(self) -> str:
        return "average" if self.average else "last"


@dataclass(kw_only=True, eq=False, repr=False)
class Adaline(LinearClassifier):
    """Adaptive linear neuron: online least mean squares on the labels −1 and +1.

    Parameters and attributes are those of :class:`rosenblatt.Adaline`.
    """

    rule: str = "nlms"
    eta0: float = 0.1
    output: str = "last"
    multi_class: str = "ovr"
    fit_intercept: bool = True
    max_iter: int = 1000
    tol: float | None = 1e-3
    shuffle: bool = True
    verbose: int = 0
    random_state: Any = 0
    n_iter_no_change: int = 5
    class_weight: Any = None
    warm_start: bool = False
    scale: bool = False

    def _rule(self) -> AnyRule:
        check_choice(self.rule, "rule", ("nlms", "lms"))
        return rules.by_name(self.rule, float(self.eta0), 0.0)

    def _output(self) -> str:
        return self.output
