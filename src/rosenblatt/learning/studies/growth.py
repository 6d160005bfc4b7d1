"""How the number of mistakes grows: with the margin, with the dimension, with wrong labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt.learning.linear.estimators import Perceptron
from rosenblatt.theory import bounds as theory_bounds
from rosenblatt.theory.datasets import toys
from rosenblatt.utils.checks import Floats, Ints, check_array, check_float, check_int
from rosenblatt.utils.tables import median_and_range, text_table


class Growth(NamedTuple):
    """Mistakes beside the bound on them, in `repeats` draws at each of k places.

    Attributes
    ----------
    name : str
        What grows.
    counted : str
        What is counted.
    x : array of shape (k,)
        The places.
    mistakes : array of shape (k, repeats)
        Counted in each draw.
    bound : array of shape (k, repeats)
        What theory allows for that draw.
    """

    name: str
    counted: str
    x: Floats
    mistakes: Floats
    bound: Floats

    def table(self) -> str:
        """One line a place: the median and, in brackets, the quartiles; the median bound."""
        heads = [self.name, self.counted, "the most", "bound"]
        rows: list[list[str | float]] = [
            [
                float(x),
                median_and_range(counts, 0.25, 0.75),
                float(counts.max()),
                float(np.median(bound)),
            ]
            for x, counts, bound in zip(self.x, self.mistakes, self.bound, strict=True)
        ]
        return text_table(heads, rows)

    def __str__(self) -> str:
        return self.table()


def mistakes_by_margin(
    margins: Sequence[float] = (0.4, 0.2, 0.1, 0.05, 0.02, 0.01),
    *,
    n: int = 500,
    d: int = 10,
    repeats: int = 20,
    seed: int = 0,
    max_iter: int = 10_000,
) -> Growth:
    """Count the mistakes until a pass is clean, for rows with a known margin, against (R/γ)².

    Parameters
    ----------
    margins : sequence of float, default (0.4, 0.2, 0.1, 0.05, 0.02, 0.01)
        γ > 0 of the rows of :func:`rosenblatt.toys.separable`, R = 1.
    n, d : int, default 500 and 10
        Rows, n >= 2, and columns, d >= 1.
    repeats : int, default 20
        Draws at each margin, >= 1.
    seed : int, default 0
        Of the first draw, >= 0; the others count on from it.
    max_iter : int, default 10,000
        Epochs at most, >= 1.

    Returns
    -------
    Growth
        `x` is 1/γ².

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Lecture rows L2.4, L0.5. Through the origin, in the order drawn.

    Examples
    --------
    >>> growth = mistakes_by_margin((0.4, 0.1), repeats=5)
    >>> bool((growth.mistakes <= growth.bound).all())
    True
    """
    for gamma in check_array(margins, "margins", "(k,)", 1):
        if not 0.0 < gamma < 1.0:
            raise ValueError(f"margins must lie between 0 and the radius 1, got {gamma:g}")
    drawn = [
        [toys.separable(n, d, margin=gamma, seed=start) for start in _seeds(seed, repeats)]
        for gamma in margins
    ]
    return _until_separated("1/γ²", 1.0 / np.square(margins), drawn, max_iter)


def mistakes_by_dimension(
    dimensions: Sequence[int] = (2, 5, 10, 20, 50, 100, 200, 500),
    *,
    n: int = 500,
    margin: float = 0.1,
    repeats: int = 20,
    seed: int = 0,
    max_iter: int = 10_000,
) -> Growth:
    """Count the mistakes until a pass is clean, at one margin in ever more dimensions.

    The bound (R/γ)² knows no dimension: it is the same for two columns and for 500.

    Parameters
    ----------
    dimensions : sequence of int, default (2, 5, 10, 20, 50, 100, 200, 500)
        Columns, each >= 1.
    n, margin : int, float, default 500 and 0.1
        Rows, n >= 2, and γ > 0 of :func:`rosenblatt.toys.separable`, R = 1.
    repeats, seed, max_iter
        As in :func:`mistakes_by_margin`.

    Returns
    -------
    Growth

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Lecture row L2.4. Through the origin, in the order drawn.

    Examples
    --------
    >>> growth = mistakes_by_dimension((2, 200), repeats=5)
    >>> [round(bound) for bound in growth.bound.max(axis=1).tolist()]
    [100, 100]
    >>> bool((growth.mistakes <= growth.bound).all())
    True
    """
    drawn = [
        [toys.separable(n, d, margin=margin, seed=start) for start in _seeds(seed, repeats)]
        for d in dimensions
    ]
    return _until_separated("dimension", np.array(dimensions, float), drawn, max_iter)


def mistakes_by_noise(
    noise: Sequence[float] = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2),
    *,
    n: int = 1000,
    d: int = 10,
    margin: float = 0.1,
    epochs: int = 10,
    repeats: int = 20,
    seed: int = 0,
) -> Growth:
    """Count the mistakes an epoch where a share of the labels is wrong.

    Nothing separates such rows, so mistakes never end; ((R + D)/γ)² still bounds them, with D the
    slack of the rows for the direction that made the right labels, and the γ for which it is least.

    Parameters
    ----------
    noise : sequence of float, default (0, 0.01, 0.02, 0.05, 0.1, 0.2)
        Share of the labels that are turned round, each in [0, 1].
    n, d, margin : int, int, float, default 1000, 10 and 0.1
        Of :func:`rosenblatt.toys.separable`, R = 1, before labels are turned.
    epochs : int, default 10
        Passes, >= 1.
    repeats, seed
        As in :func:`mistakes_by_margin`.

    Returns
    -------
    Growth
        `x` in percent; mistakes and bound divided by `epochs`. A bound of `n` or more says nothing.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Lecture rows L2.4, L2.5; Freund and Schapire 1999, theorem 2. `epochs` passes over the rows are
    one pass over the rows repeated, whose slack is √epochs D.

    Examples
    --------
    >>> growth = mistakes_by_noise((0.0, 0.1), repeats=5)
    >>> bool((growth.mistakes <= growth.bound).all())
    True
    >>> bool(growth.mistakes[1].min() > growth.mistakes[0].max())
    True
    """
    epochs = check_int(epochs, "epochs", minimum=1)
    shares = np.array([check_float(share, "noise", minimum=0.0) for share in noise])
    if (shares > 1.0).any():
        raise ValueError(f"noise must be at most 1, got {shares.max():g}")
    results = np.array(
        [
            _mistakes_and_bound(share, (n, d), margin, epochs, s)
            for share in shares
            for s in _seeds(seed, repeats)
        ]
    )
    counts, bounds = results.reshape(len(shares), -1, 2).transpose(2, 0, 1) / epochs
    return Growth("wrong labels, %", "mistakes an epoch", 100 * shares, counts, bounds)


def least_slack_bound(X: Floats, y: Ints, u: Floats, epochs: int = 1) -> float:
    """Bound the mistakes of so many passes by the least ((R + √epochs D)/γ)² over γ.

    Any γ makes the bound true: some hundred of them, up to R, are tried.

    Parameters
    ----------
    X, y : array of shape (n, d), array of shape (n,)
        The rows, R > 0, and their labels, -1 or +1.
    u : array of shape (d,)
        The direction that D is measured for.
    epochs : int, default 1
        Passes, >= 1.

    Raises
    ------
    ValueError
        As :func:`rosenblatt.theory.slack` does.

    Examples
    --------
    >>> X, y = np.array([[1.0], [-1.0]]), np.array([1, -1])
    >>> least_slack_bound(X, y, np.array([1.0]))
    1.0
    """
    R = theory_bounds.radius(X)
    return min(
        theory_bounds.slack_bound(R, np.sqrt(epochs) * theory_bounds.slack(X, y, u, gamma), gamma)
        for gamma in R * np.geomspace(1e-3, 1.0, 100)
    )


def _mistakes_and_bound(
    share: float, shape: tuple[int, int], margin: float, epochs: int, seed: int
) -> tuple[float, float]:
    """Mistakes on one draw with wrong labels, and the bound on them."""
    toy = toys.separable(*shape, margin=margin, seed=seed)
    flipped = np.random.default_rng(seed).permutation(len(toy.y))[: round(share * len(toy.y))]
    y = toy.y.copy()
    y[flipped] *= -1
    model = Perceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=epochs)
    return model.fit(toy.X, y).mistakes_, least_slack_bound(toy.X, y, toy.u, epochs)


def _until_separated(
    name: str, x: Floats, drawn: list[list[toys.Separable]], max_iter: int
) -> Growth:
    """Mistakes until a pass is clean, and (R/γ)², for every toy."""
    model = Perceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=max_iter)
    counts = [[model.fit(toy.X, toy.y).mistakes_ for toy in row] for row in drawn]
    bounds = [[theory_bounds.mistake_bound(toy.R, toy.gamma) for toy in row] for row in drawn]
    return Growth(name, "mistakes", x, np.array(counts, float), np.array(bounds))


def _seeds(seed: int, repeats: int) -> range:
    seed = check_int(seed, "seed", minimum=0)
    return range(seed, seed + check_int(repeats, "repeats", minimum=1))
