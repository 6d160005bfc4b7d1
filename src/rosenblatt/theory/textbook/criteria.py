"""Criterion functions J(w): objectives for gradient descent.

A criterion is a sum over the rows of a function of the score s = w·x and the sign y, -1 or +1. It
has two methods: ``value(s, y)``, the sum, and ``slope(s, y)``, the derivative of each term by s;
then ∇J(w) = Σ slope x. Scores and signs are arrays of one shape, or two numbers. The notebook's
classes 0 and 1 are signs here. Least squares gives the same line for both codes: the fit to 0 and 1
with the boundary at the score 1/2 equals the fit to -1 and +1 with the boundary at 0. For another f
the equivalent on signs is f(r/2). Lecture rows L4.5, L4.7 and L2.7.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from rosenblatt.theory.textbook.step import dot
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.checks import Floats, Ints

__all__ = [
    "Criterion",
    "LeastSquares",
    "Misclassified",
    "PerceptronCriterion",
    "Residual",
    "values",
]


class Criterion(Protocol):
    """The interface for `rosenblatt.textbook.batch_descent` and `sample_descent`.

    Examples
    --------
    >>> J = LeastSquares()
    >>> J.value(np.array([2.0]), np.array([1])), J.slope(np.array([2.0]), np.array([1]))
    (1.0, array([2.]))
    """

    def value(self, s: Floats, y: Ints) -> float:
        """J, for all scores."""

    def slope(self, s: Floats, y: Ints) -> Floats:
        """The derivative of each row's term by its score."""


class Misclassified(NamedTuple):
    """J(w) = the number of rows with y s <= 0. Its slope is 0.

    A step function: its slope gives gradient descent no direction, so the notebook uses others.

    Examples
    --------
    >>> Misclassified().value(np.array([2.0, -1.0, 0.0]), np.array([1, 1, 1]))
    2.0
    """

    def value(self, s: Floats, y: Ints) -> float:
        """The number of misclassified rows."""
        return float(np.sum(y * s <= 0.0))

    def slope(self, s: Floats, y: Ints) -> Floats:
        """0 everywhere."""
        return np.zeros(np.shape(s))


class PerceptronCriterion(NamedTuple):
    """J_p(w) = Σ -y s over the misclassified rows, the perceptron criterion.

    Its slope is -y where a row is misclassified, else 0. A score of 0 adds nothing to J_p, but
    counts as misclassified, so that descent can start from w = 0. With ``strict`` it does not
    count, as in the notebook's E_w.

    Parameters
    ----------
    strict : bool, default False
        Whether a score of 0 is right.

    Examples
    --------
    >>> J, s, y = PerceptronCriterion(), np.array([2.0, -1.0, 0.0]), np.array([1, 1, 1])
    >>> J.value(s, y), J.slope(s, y)
    (1.0, array([ 0., -1., -1.]))
    """

    strict: bool = False

    def value(self, s: Floats, y: Ints) -> float:
        """Σ max(0, -y s)."""
        return float(np.sum(np.maximum(0.0, -y * s)))

    def slope(self, s: Floats, y: Ints) -> Floats:
        """-y where misclassified, else 0."""
        wrong = y * s < 0.0 if self.strict else y * s <= 0.0
        return np.where(wrong, -1.0 * y, 0.0)


class LeastSquares(NamedTuple):
    """J(w) = Σ (s - y)², the slope 2 (s - y).

    Examples
    --------
    >>> J, s, y = LeastSquares(), np.array([2.0, -1.0]), np.array([1, 1])
    >>> J.value(s, y), J.slope(s, y)
    (5.0, array([ 2., -4.]))
    """

    def value(self, s: Floats, y: Ints) -> float:
        """The sum of squares."""
        return float(np.sum((s - y) ** 2))

    def slope(self, s: Floats, y: Ints) -> Floats:
        """2 (s - y)."""
        slope: Floats = 2.0 * (s - y)
        return slope


class Residual(NamedTuple):
    """J(w) = Σ f(s - y) for any function f of an array, with its derivative df.

    Parameters
    ----------
    f, df : function of an array
        The loss of the residuals s − y, element by element, and its derivative.

    Examples
    --------
    >>> J = Residual(np.abs, np.sign)  # least absolute deviations
    >>> J.value(np.array([2.0, -1.0]), np.array([1, 1]))
    3.0
    """

    f: Callable[[Floats], Floats]
    df: Callable[[Floats], Floats]

    def value(self, s: Floats, y: Ints) -> float:
        """Σ f(s - y)."""
        return float(np.sum(self.f(s - y)))

    def slope(self, s: Floats, y: Ints) -> Floats:
        """f'(s - y)."""
        return np.asarray(self.df(s - y), np.float64)


def check_criterion(criterion: object) -> None:
    """Refuse a criterion without methods ``value`` and ``slope``, or a class instead of one."""
    has_both = all(hasattr(criterion, name) for name in ("value", "slope"))
    if isinstance(criterion, type) or not has_both:
        raise ValueError(
            "criterion must have value and slope, as PerceptronCriterion() or Residual(f, df) has; "
            f"got {criterion!r}"
        )


def values(criterion: Criterion, run: Trace) -> Floats:
    """Return J of each of a run's weights on all its rows, shape (k + 1,).

    Parameters
    ----------
    criterion : Criterion
    run : Trace

    Examples
    --------
    >>> from rosenblatt.textbook import batch_descent
    >>> values(Misclassified(), batch_descent([[0.0], [1.0], [3.0]], [0, 0, 1]))
    array([3., 1., 0.])
    """
    return np.array([criterion.value(dot(run.X, w), run.y) for w in run.weights])
