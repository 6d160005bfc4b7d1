"""Kernel classifiers: the learners behind :mod:`rosenblatt.estimators.kernel`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rosenblatt.learning.kernel.classifier import KernelClassifier
from rosenblatt.learning.params import ClassWeight
from rosenblatt.theory.rule_kinds import AnyRule
from rosenblatt.utils.arrays import ArrayLike, Matrix

if TYPE_CHECKING:
    from rosenblatt.theory.textbook.traces.kernel import KernelTrace


@dataclass(kw_only=True, eq=False, repr=False)
class KernelPerceptron(KernelClassifier):
    """Kernel classifier that learns one example at a time: w ← w + τ Φ(x), for any kernel.

    Parameters and attributes are those of :class:`rosenblatt.KernelPerceptron`.
    """

    kernel: Any = field(default="rbf", kw_only=False)
    degree: int = 3
    gamma: float | str = "scale"
    coef0: float = 0.0
    rule: str | AnyRule = "perceptron"
    output: str = "last"
    multi_class: str = "ovr"
    tie: int = 0
    eta0: float = 1.0
    class_weight: ClassWeight = None
    cache_size: float = 200
    budget: int | None = None
    budget_scheme: str = "projectron"
    budget_eta: float = 0.1
    probabilities: bool = False

    def trace(self, X: Matrix, y: ArrayLike) -> KernelTrace:
        """Return the fit on the rows X, y as a recorded run: f(x) = Σ_i α_i k(x_i, x) + b.

        A step on row i moves α_i and b by τ, which for the rule "perceptron" is η y. The fit is
        repeated, in its own order and with its own tie, so that X and y must be the rows of the
        model's only ``fit``. The run can be stepped through and drawn: ``run.table()``,
        ``run.explain(t)``, ``run.show()`` in the plane.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : array of shape (n,)

        Returns
        -------
        rosenblatt.textbook.KernelTrace
            One step per update, with the rows as numbered in X; others are left out. A stored
            vector is (α_1, …, α_n, b), without b where the model has no intercept. ``alpha`` has
            the bits of ``dual_coef_`` at ``support_``, and 0 elsewhere: equal rows share the α of
            the first of them that moved w. The run has n² kernel values, and n numbers for each
            update. Scores are summed anew, from left to right: rounding may give them other last
            bits than in the fit, and other signs where they have grown beyond 2^53, as those of LMS
            may; then ``mistakes`` is not that of the fit.

        Raises
        ------
        ValueError
            The model has more than two classes, the output "average", class weights, a budget or
            the kernel "precomputed"; or X and y are other rows.

        Examples
        --------
        >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
        >>> model = KernelPerceptron("poly", degree=2, gamma=1, coef0=1).fit(X, y)
        >>> run = model.trace(X, y)
        >>> run.mistakes == model.mistakes_, run.predict(run.products(X))
        (True, array([-1,  1,  1, -1]))
        >>> run.alpha[model.support_].tolist() == model.dual_coef_[0].tolist()
        True
        """
        from rosenblatt.learning.kernel.replay import replay

        return replay(self, X, y)


@dataclass(kw_only=True, eq=False, repr=False)
class VotedPerceptron(KernelPerceptron):
    """Voted perceptron: :class:`KernelPerceptron` with the linear kernel and ``output="vote"``.

    Parameters and attributes are those of :class:`rosenblatt.VotedPerceptron`.
    """

    kernel: Any = field(default="linear", init=False)
    degree: int = field(default=3, init=False)
    gamma: float | str = field(default="auto", init=False)
    coef0: float = field(default=0.0, init=False)
    output: str = field(default="vote", init=False)
    budget: int | None = field(default=None, init=False)
    budget_scheme: str = field(default="random", init=False)
    budget_eta: float = field(default=0.1, init=False)
    probabilities: bool = field(default=False, init=False)
