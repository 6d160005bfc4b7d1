"""Margins reached by different rules, compared with the maximal margin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt.estimators.linear import Perceptron
from rosenblatt.proofs import Certificate, certify
from rosenblatt.studies.common import shown_as_table
from rosenblatt.theory import bounds, rules
from rosenblatt.utils.arrays import ArrayLike, NDArray
from rosenblatt.utils.checks import Floats, Ints, check_float, check_int, check_X_y
from rosenblatt.utils.shown import Text
from rosenblatt.utils.tables import text_table


@shown_as_table
class Margins(NamedTuple):
    """Geometric margins of k rules on the same separable rows.

    Attributes
    ----------
    names : tuple of str
        The rules; the last is the maximal-margin solution.
    margin : array of shape (k,)
        min y (w·x + b)/‖w‖; negative if a row is wrong.
    promised : array of shape (k,)
        Lower bound on the margin after convergence; NaN for rules without one.
    updates : array of shape (k,)
        Updates of w; for the maximal margin, those of the search's initial perceptron.
    converged : array of shape (k,)
        Whether an epoch made no update. Relaxation and passive-aggressive updates approach their
        target margin, and need not reach it.
    w, b : array of shape (k, d), array of shape (k,)
        Separating hyperplanes.
    low, high : float
        Proven bounds on the maximal margin.

    Examples
    --------
    >>> from rosenblatt import studies, toys
    >>> toy = toys.separable(20, 2, margin=0.2)
    >>> found = studies.margins(toy.X, toy.y, betas=(1.0,))
    >>> found.names[-1], bool(found.margin.max() <= found.high)
    ('maximal', True)
    """

    names: tuple[str, ...]
    margin: Floats
    promised: Floats
    updates: Ints
    converged: NDArray[np.bool_]
    w: Floats
    b: Floats
    low: float
    high: float

    @property
    def ratio(self) -> Floats:
        """Margins divided by the upper bound `high`: at most 1."""
        return self.margin / self.high

    def table(self) -> Text:
        """Table of the rules."""
        heads = ["rule", "margin", "promised", "of the maximal, %", "updates", "converged"]
        converged = ["yes" if stopped else "no" for stopped in self.converged]
        margins = (self.names, self.margin, self.promised, 100 * self.ratio)
        return text_table(heads, zip(*margins, self.updates, converged, strict=True))


def margins(
    X: ArrayLike,
    y: ArrayLike,
    *,
    betas: Sequence[float] = (0.1, 1.0, 10.0, 100.0),
    max_iter: int = 10_000,
) -> Margins:
    """Compare the margins of the perceptron and of large-margin rules with the maximal margin.

    The perceptron stops at the first separator. The margin perceptron updates while
    y (w·x + b) <= β (R² + 1); after convergence its margin is at least β/(1 + 2β) times the
    maximal margin over (w, b) of norm 1, so nearly half of it for large β.

    Parameters
    ----------
    X, y : array of shape (n, d), array of shape (n,)
        Separable rows and their labels, -1 or +1.
    betas : sequence of float, default (0.1, 1, 10, 100)
        β > 0 of the margin perceptrons, in units of R² + 1.
    max_iter : int, default 10,000
        Maximal number of epochs, >= 1.

    Returns
    -------
    Margins

    Raises
    ------
    ValueError
        The rows are not linearly separable.

    Notes
    -----
    Lecture row L3.8. Krauth and Mézard 1987; Duda and Hart 1973, §5.5. After t updates
    tγ <= ‖w‖ <= √(t (R² + 2B)) with B = β R² for the rows (x, 1) and their R and γ, so
    ‖w‖ <= (R² + 2B)/γ, and the margin B/‖w‖ >= γ β/(1 + 2β). If the maximal margin γ of the rows x
    is reached with intercept b, that of the rows (x, 1) is at least γ/√(1 + b²).

    Examples
    --------
    >>> from rosenblatt import toys
    >>> toy = toys.separable(100, 2, margin=0.1)
    >>> study = margins(toy.X, toy.y)
    >>> bool((study.ratio <= 1).all() and study.ratio[-1] > 0.999)
    True
    >>> bool(study.margin[study.names.index("margin, β = 10")] > study.margin[0])
    True
    """
    X, y = check_X_y(X, y)
    max_iter = check_int(max_iter, "max_iter", minimum=1)
    betas = [check_float(beta, "betas", above=0.0) for beta in betas]
    proof = certify(X, y)
    assert isinstance(proof, Certificate)  # two classes
    if proof.status != "separable" or proof.coef is None:
        raise ValueError(f"X and y must be separable by a hyperplane, got {proof.status} rows")
    square = bounds.radius(X) ** 2 + 1.0
    estimators = {
        "perceptron": Perceptron(),
        "averaged": Perceptron(output="average"),
        "relaxation, η = 1.5": Perceptron(rule=rules.Relaxation(eta=1.5)),
        "passive-aggressive": Perceptron(rule="pa"),
    }
    for beta in betas:
        rule = rules.MarginPerceptron(beta=beta * square)
        estimators[f"margin, β = {beta:g}"] = Perceptron(rule=rule)
    models = [
        model.set_params(tol=None, max_iter=max_iter).fit(X, y) for model in estimators.values()
    ]
    W = np.concatenate([*(model.coef_ for model in models), [proof.coef]])
    b = np.concatenate([*(model.intercept_ for model in models), [proof.intercept]])
    lower = proof.margin[0] / math.hypot(1.0, proof.intercept)
    margin = [bounds.margin(X, y, *plane) for plane in zip(W, b, strict=True)]
    margin[-1] = proof.margin[0]  # exact and rounded down: not below what is promised
    promised = [lower * beta / (1 + 2 * beta) for beta in betas]
    return Margins(
        names=(*estimators, "maximal"),
        margin=np.array(margin),
        promised=np.array([0.0, *3 * [np.nan], *promised, proof.margin[0]]),
        updates=np.array([*(model.updates_ for model in models), proof.mistakes]),
        converged=np.array([*(model.converged_ for model in models), True]),
        w=W,
        b=b,
        low=proof.margin[0],
        high=proof.margin[1],
    )
