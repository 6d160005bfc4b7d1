"""Linear classifiers: the learners behind :mod:`rosenblatt.estimators.linear`.

The other classifiers are presets of :class:`Perceptron`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rosenblatt.learning.linear.classifier import LinearClassifier
from rosenblatt.theory import rules
from rosenblatt.theory.rule_kinds import AnyRule
from rosenblatt.utils.checks import check_choice

if TYPE_CHECKING:
    from rosenblatt.theory.textbook.trace import Trace


@dataclass(kw_only=True, eq=False, repr=False)
class Perceptron(LinearClassifier):
    """Linear classifier that learns one example at a time: w ← w + τ x.

    Parameters and attributes are those of :class:`rosenblatt.Perceptron`.
    """

    rule: Any = "perceptron"
    output: str = "last"
    multi_class: str = "ovr"
    tie: int = 0
    penalty: str | None = None
    alpha: float = 1e-4
    l1_ratio: float = 0.15
    eta0: float = 1.0
    n_jobs: int | None = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    class_weight: Any = None
    shards: int = 1
    expansion: bool = False
    scale: bool = False

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
    early_stopping: bool = False
    validation_fraction: float = 0.1
    loss: str = "hinge"
    n_jobs: int | None = None
    random_state: Any = None
    class_weight: Any = None
    average: bool = False

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
    class_weight: Any = None
    scale: bool = False

    def _rule(self) -> AnyRule:
        check_choice(self.rule, "rule", ("nlms", "lms"))
        return super()._rule()
