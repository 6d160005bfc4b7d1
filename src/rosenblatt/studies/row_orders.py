"""Effect of the order of the rows on the perceptron."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.estimators.linear import Perceptron
from rosenblatt.studies.common import angles, new_rows, random_orders, shown_as_table
from rosenblatt.utils.arrays import ArrayLike, NDArray
from rosenblatt.utils.checks import Floats, Ints, check_int, check_X_y
from rosenblatt.utils.shown import Text, join
from rosenblatt.utils.tables import median_and_range, text_table


class Spread(NamedTuple):
    """Results of k runs over the same rows, each an array of shape (k,).

    Attributes
    ----------
    mistakes, epochs : array of int
        Total numbers of a run.
    converged : array of bool
        Whether the last epoch made no mistake.
    error : array
        Share of rows that the last w predicts wrong.
    angle : array
        Angle between w and the mean direction of the runs in random orders, in degrees.
    margin : array
        Geometric margin min y (w·x + b)/‖w‖ of the training rows; negative if one is wrong.

    Examples
    --------
    >>> from rosenblatt import studies, toys
    >>> toy = toys.separable(20, 2, margin=0.2)
    >>> studies.orders(toy.X, toy.y, orders=4).shuffled.error
    array([0., 0., 0., 0.])
    """

    mistakes: Ints
    epochs: Ints
    converged: NDArray[np.bool_]
    error: Floats
    angle: Floats
    margin: Floats


@shown_as_table
class Orders(NamedTuple):
    """Results of runs in different kinds of order.

    Attributes
    ----------
    once : Spread
        One epoch, in random orders.
    once_by_label : Spread
        One epoch, with one class before the other: −1 first, then +1 first.
    fixed : Spread
        Epochs until one has no mistake, all in the same random order.
    fixed_by_label : Spread
        Epochs until one has no mistake, sorted by label as above.
    shuffled : Spread
        Epochs until one has no mistake, each in a new random order.

    Examples
    --------
    >>> from rosenblatt import studies, toys
    >>> toy = toys.separable(20, 2, margin=0.2)
    >>> studies.orders(toy.X, toy.y, orders=4).fixed.converged
    array([ True,  True,  True,  True])
    """

    once: Spread
    once_by_label: Spread
    fixed: Spread
    fixed_by_label: Spread
    shuffled: Spread

    def table(self) -> Text:
        """Two tables of the kinds of order: the median and, in brackets, the range."""
        runs = [(_NAMES[name], spread) for name, spread in self._asdict().items()]
        heads = ["order", "mistakes", "epochs", "converged, %"]
        counts = text_table(heads, [[name, *_counts(spread)] for name, spread in runs])
        heads = ["order", "error, %", "angle, °", "margin"]
        results = text_table(heads, [[name, *_results(spread)] for name, spread in runs])
        return join([counts, results], "\n\n")


_NAMES = {
    "once": "one epoch, random",
    "once_by_label": "one epoch, by label",
    "fixed": "to convergence, one order",
    "fixed_by_label": "to convergence, by label",
    "shuffled": "to convergence, shuffled",
}


def orders(
    X: ArrayLike,
    y: ArrayLike,
    X_new: ArrayLike | None = None,
    y_new: ArrayLike | None = None,
    *,
    orders: int = 200,
    seed: int = 0,
    max_iter: int = 1000,
) -> Orders:
    """Run the perceptron over the same rows in many orders, for one epoch and until convergence.

    On separable rows every order converges within the bound (R/γ)²; the separator, its margin and
    the number of mistakes depend on the order.

    Parameters
    ----------
    X, y : array of shape (n, d), array of shape (n,)
        Training rows and their labels, -1 or +1, of both classes.
    X_new, y_new : array of shape (m, d), array of shape (m,), optional
        Test rows and their labels; by default the training rows.
    orders : int, default 200
        Number of random orders, >= 1.
    seed : int, default 0
        Random seed, >= 0.
    max_iter : int, default 1000
        Maximal number of epochs, >= 1.

    Returns
    -------
    Orders

    Notes
    -----
    Lecture row L3.6. An intercept is learned; a score of zero is a mistake.

    Examples
    --------
    >>> from rosenblatt import toys
    >>> toy = toys.separable(100, 2, margin=0.1)
    >>> study = orders(toy.X, toy.y, orders=50)
    >>> bool(study.fixed.converged.all() and study.fixed.margin.min() > 0)
    True
    >>> bool(study.once_by_label.error.min() > np.median(study.once.error))
    True
    """
    X, y = check_X_y(X, y)
    if (X_new is None) != (y_new is None):
        raise ValueError("X_new and y_new must be given together, got one of them")
    new = (X, y) if X_new is None or y_new is None else new_rows(X_new, y_new, X.shape[1])
    draws = random_orders(len(y), orders, seed)
    by_label = [np.argsort(sign * y, kind="stable") for sign in (1, -1)]
    max_epochs = check_int(max_iter, "max_iter", minimum=1)

    def runs(rows: Iterable[Ints], **params: Any) -> list[Perceptron]:
        return [Perceptron(tol=None, **params).fit(X[order], y[order]) for order in rows]

    def spread_of(models: list[Perceptron], reference: list[Perceptron]) -> Spread:
        return _spread(models, _mean_direction(reference), (X, y), new)

    once = runs(draws, shuffle=False, max_iter=1)
    fixed = runs(draws, shuffle=False, max_iter=max_epochs)
    shuffled = [
        Perceptron(tol=None, max_iter=max_epochs, random_state=start).fit(X[draw], y[draw])
        for start, draw in enumerate(draws)
    ]
    return Orders(
        once=spread_of(once, once),
        once_by_label=spread_of(runs(by_label, shuffle=False, max_iter=1), once),
        fixed=spread_of(fixed, fixed),
        fixed_by_label=spread_of(runs(by_label, shuffle=False, max_iter=max_epochs), fixed),
        shuffled=spread_of(shuffled, shuffled),
    )


def _spread(
    models: list[Perceptron], towards: Floats, rows: tuple[Floats, Ints], new: tuple[Floats, Ints]
) -> Spread:
    """Measure models on training and test rows."""
    W = np.concatenate([model.coef_ for model in models])
    b = np.concatenate([model.intercept_ for model in models])
    norms = np.linalg.norm(W, axis=1)
    norms[norms == 0.0] = np.nan  # a w of zero has no margin
    return Spread(
        mistakes=np.array([model.mistakes_ for model in models]),
        epochs=np.array([model.n_iter_ for model in models]),
        converged=np.array([model.converged_ for model in models]),
        error=(_signed_margins(W, b, *new) <= 0.0).mean(axis=0),
        angle=angles(W, towards),
        margin=_signed_margins(W, b, *rows).min(axis=0) / norms,
    )


def _signed_margins(W: Floats, b: Floats, X: Floats, y: Ints) -> Floats:
    """Return y (w·x + b), one row for each example and one column for each w."""
    signed: Floats = y[:, np.newaxis] * (X @ W.T + b)
    return signed


def _mean_direction(models: list[Perceptron]) -> Floats:
    """Sum of w/‖w‖ over models: the direction of their mean."""
    W = np.concatenate([model.coef_ for model in models])
    norms = np.linalg.norm(W, axis=1, keepdims=True)
    total: Floats = (W / np.where(norms > 0.0, norms, 1.0)).sum(axis=0)
    return total


def _counts(runs: Spread) -> list[str | float]:
    counts = [median_and_range(runs.mistakes), median_and_range(runs.epochs)]
    return [*counts, 100 * float(runs.converged.mean())]


def _results(runs: Spread) -> list[str]:
    return [median_and_range(values) for values in (100 * runs.error, runs.angle, runs.margin)]
