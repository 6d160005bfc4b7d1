"""Error on new rows, estimated from the mistakes made while learning."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosenblatt.estimators.linear import Perceptron
from rosenblatt.learning.evaluation.intervals import anytime_interval
from rosenblatt.studies.common import new_rows, random_orders, shown_as_table
from rosenblatt.studies.growth import least_slack_bound
from rosenblatt.theory.textbook import append_one
from rosenblatt.utils.arrays import ArrayLike
from rosenblatt.utils.checks import Floats, Ints, check_X_y
from rosenblatt.utils.shown import Text
from rosenblatt.utils.tables import median_and_range, text_table


@shown_as_table
class Estimates(NamedTuple):
    """Error estimates from one epoch and errors on held-out rows, for k orders.

    Attributes
    ----------
    n : int
        Rows of the epoch.
    confidence : float
        Confidence of `low` and `high`.
    progressive : array of shape (k,)
        Mistakes per row, M/n.
    low, high : array of shape (k,)
        Anytime interval of the mean error of the weights w_0, …, w_{n-1}.
    drawn : array of shape (k,)
        Held-out error of one of these weights drawn at random, in expectation.
    last : array of shape (k,)
        Held-out error of the weights after the last row.
    average, vote : array of shape (k,)
        Held-out error of the average and of the vote of w_0, …, w_{n-1}.
    promised : float
        2 E[M]/n, the bound on the vote's expected error, with E[M] the mean of M over the orders.
    slack : float
        The same with min ((R + D)/γ)² in place of M, for the mean direction of the runs; a bound
        of 1 or more is vacuous.

    Examples
    --------
    >>> from rosenblatt import studies, toys
    >>> toy = toys.separable(200, 2, margin=0.1)
    >>> found = studies.error_from_mistakes(toy.X[:100], toy.y[:100], toy.X[100:], toy.y[100:])
    >>> bool((found.low <= found.progressive).all())
    True
    """

    n: int
    confidence: float
    progressive: Floats
    low: Floats
    high: Floats
    drawn: Floats
    last: Floats
    average: Floats
    vote: Floats
    promised: float
    slack: float

    @property
    def covered(self) -> float:
        """Share of the orders whose interval contains `drawn`."""
        return float(((self.low <= self.drawn) & (self.drawn <= self.high)).mean())

    def table(self) -> Text:
        """Table of the estimates in percent: the median and, in brackets, the range."""
        percent = f"{100 * self.confidence:g} %"
        rows: list[list[str | float]] = [
            ["mistakes while learning, M/n", median_and_range(100 * self.progressive)],
            [f"  {percent} interval from", median_and_range(100 * self.low)],
            [f"  {percent} interval to", median_and_range(100 * self.high)],
            ["held out: w drawn from the epoch", median_and_range(100 * self.drawn)],
            ["held out: the last w", median_and_range(100 * self.last)],
            ["held out: the average", median_and_range(100 * self.average)],
            ["held out: the vote", median_and_range(100 * self.vote)],
            ["the vote's bound, 2 E[M]/n", 100 * self.promised],
            ["  by slack, 2 min ((R + D)/γ)²/n", 100 * self.slack],
        ]
        return text_table(["", "error, %"], rows)


def error_from_mistakes(
    X: ArrayLike,
    y: ArrayLike,
    X_new: ArrayLike,
    y_new: ArrayLike,
    *,
    orders: int = 20,
    seed: int = 0,
    confidence: float = 0.95,
) -> Estimates:
    """Estimate the error on new rows from the mistakes of one epoch, and measure it.

    Each row is predicted before it is learned, so for independent rows the probability of a mistake
    is err(w_t), the error of the current weights: E[M]/n is the mean error of w_0, …, w_{n-1}.
    Where the vote is wrong, at least half of these weights are wrong, so the vote's error is at
    most 2 E[M]/n, and at most (2/n) E[min ((R + D)/γ)²].

    Parameters
    ----------
    X, y : array of shape (n, d), array of shape (n,)
        Training rows and their labels, -1 or +1.
    X_new, y_new : array of shape (m, d), array of shape (m,)
        Test rows and their labels.
    orders : int, default 20
        Number of random orders, >= 1.
    seed : int, default 0
        Random seed, >= 0.
    confidence : float, default 0.95
        Confidence of the interval, in (0, 1).

    Returns
    -------
    Estimates

    Notes
    -----
    Lecture row L2.4. Freund and Schapire 1999, theorem 1 and its corollary, where m + 1 is our n;
    Littlestone 1989; Cesa-Bianchi, Conconi and Gentile 2004; for the interval see
    :func:`rosenblatt.progressive.anytime_interval`. D is the slack of the rows, with intercept, for
    the mean of the averaged weights. A score of zero is a mistake.

    Examples
    --------
    >>> from rosenblatt import toys
    >>> toy = toys.separable(2000, 5, margin=0.05)
    >>> study = error_from_mistakes(toy.X[:1000], toy.y[:1000], toy.X[1000:], toy.y[1000:])
    >>> bool((study.vote <= 2 * study.drawn).all())
    True
    >>> bool(np.median(study.average) < np.median(study.progressive))
    True
    """
    X, y = check_X_y(X, y)
    X_new, y_new = new_rows(X_new, y_new, X.shape[1])
    Z, Z_new = append_one(X), append_one(X_new)
    runs = [_learn_once(Z[draw], y[draw]) for draw in random_orders(len(y), orders, seed)]
    mistakes = [len(W) - 1 for W, _ in runs]
    errors = [_errors(*weights, Z_new, y_new) for weights in runs]
    drawn, last, average, vote = np.transpose(errors)
    low, high = np.transpose([anytime_interval(M, len(y), confidence) for M in mistakes])
    u = np.mean([survivals @ W for W, survivals in runs], axis=0)
    return Estimates(
        n=len(y),
        confidence=confidence,
        progressive=np.array(mistakes) / len(y),
        low=low,
        high=high,
        drawn=drawn,
        last=last,
        average=average,
        vote=vote,
        promised=2 * float(np.mean(mistakes)) / len(y),
        slack=2 * least_slack_bound(Z, y, u) / len(y),
    )


def _learn_once(Z: Floats, y: Ints) -> tuple[Floats, Ints]:
    """Learn one epoch; return all weights, from zero on, and the number of rows each predicted."""
    model = Perceptron(
        fit_intercept=False, shuffle=False, tol=None, max_iter=1, expansion=True
    ).fit(Z, y)
    moves = model.moves_
    steps = moves["tau"][:, np.newaxis] * Z[moves["row"]]
    W = np.cumsum(np.vstack([np.zeros(Z.shape[1]), steps]), axis=0)
    survivals = np.diff(np.concatenate([[0], moves["t"] + 1, [len(y)]]))
    return W, survivals


def _errors(W: Floats, survivals: Ints, Z: Floats, y: Ints) -> tuple[float, float, float, float]:
    """Errors on the rows of a random w, the last w, the average and the vote."""
    agreement = y[:, np.newaxis] * np.sign(Z @ W.T)
    drawn = (agreement <= 0.0).mean(axis=0) @ survivals / survivals.sum()
    signed = (agreement[:, -1], y * (Z @ (survivals @ W)), agreement @ survivals)
    last, average, vote = (float((margins <= 0.0).mean()) for margins in signed)
    return float(drawn), last, average, vote
