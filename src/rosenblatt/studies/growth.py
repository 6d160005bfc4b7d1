"""Number of mistakes by margin, by dimension and by label noise, with its bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt.estimators.linear import Perceptron
from rosenblatt.studies.common import shown_as_table
from rosenblatt.theory import bounds as theory_bounds
from rosenblatt.theory.datasets import toys
from rosenblatt.utils.checks import Floats, Ints, check_array, check_float, check_int
from rosenblatt.utils.shown import Text
from rosenblatt.utils.tables import median_and_range, text_table


@shown_as_table
class Growth(NamedTuple):
    """Mistakes and their bound in `repeats` draws at each of k values of a quantity.

    Attributes
    ----------
    name : str
        The quantity that varies.
    counted : str
        The quantity that is counted.
    x : array of shape (k,)
        Values of the quantity.
    mistakes : array of shape (k, repeats)
        Mistakes of each draw.
    bound : array of shape (k, repeats)
        Upper bound for each draw.

    Examples
    --------
    >>> from rosenblatt import studies
    >>> found = studies.mistakes_by_margin([0.1, 0.2], repeats=3)
    >>> found.mistakes.shape, bool((found.mistakes <= found.bound).all())
    ((2, 3), True)
    """

    name: str
    counted: str
    x: Floats
    mistakes: Floats
    bound: Floats

    def table(self) -> Text:
        """Table by value: the median and, in brackets, the quartiles; the median bound."""
        heads = [self.name, self.counted, "maximum", "bound"]
        quartiles = [median_and_range(counts, 0.25, 0.75) for counts in self.mistakes]
        most, bound = self.mistakes.max(axis=1), np.median(self.bound, axis=1)
        return text_table(heads, zip(self.x, quartiles, most, bound, strict=True))


def mistakes_by_margin(
    margins: Sequence[float] = (0.4, 0.2, 0.1, 0.05, 0.02, 0.01),
    *,
    n: int = 500,
    d: int = 10,
    repeats: int = 20,
    seed: int = 0,
    max_iter: int = 10_000,
) -> Growth:
    """Count the mistakes until convergence on rows of known margin, with the bound (R/γ)².

    Parameters
    ----------
    margins : sequence of float, default (0.4, 0.2, 0.1, 0.05, 0.02, 0.01)
        γ > 0 of the rows of :func:`rosenblatt.toys.separable`, R = 1.
    n, d : int, default 500 and 10
        Rows, n >= 2, and columns, d >= 1.
    repeats : int, default 20
        Draws at each value, >= 1.
    seed : int, default 0
        Seed of the first draw, >= 0; the next draws use the next integers.
    max_iter : int, default 10,000
        Maximal number of epochs, >= 1.

    Returns
    -------
    Growth
        `x` is 1/γ².

    Raises
    ------
    ValueError
        A margin is not between 0 and 1, the radius.

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
    drawn = [_draws(n, d, gamma, seed, repeats) for gamma in margins]
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
    """Count the mistakes until convergence at one margin in increasing dimensions.

    The bound (R/γ)² does not depend on the dimension.

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
    x = check_array(dimensions, "dimensions", "(k,)", 1)
    drawn = [_draws(n, d, margin, seed, repeats) for d in dimensions]
    return _until_separated("dimension", x, drawn, max_iter)


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
    """Count the mistakes per epoch when a share of the labels is wrong.

    Such rows are not separable, so mistakes never end; ((R + D)/γ)² still bounds them, with D the
    slack of the rows for the direction of the right labels, and γ chosen to minimise the bound.

    Parameters
    ----------
    noise : sequence of float, default (0, 0.01, 0.02, 0.05, 0.1, 0.2)
        Shares of flipped labels, each in [0, 1].
    n, d, margin : int, int, float, default 1000, 10 and 0.1
        Arguments of :func:`rosenblatt.toys.separable`, R = 1, before labels are flipped.
    epochs : int, default 10
        Number of epochs, >= 1.
    repeats, seed
        As in :func:`mistakes_by_margin`.

    Returns
    -------
    Growth
        `x` in percent; mistakes and bound divided by `epochs`. A bound of `n` or more is vacuous.

    Raises
    ------
    ValueError
        A share is not between 0 and 1.

    Notes
    -----
    Lecture rows L2.4, L2.5; Freund and Schapire 1999, theorem 2. `epochs` epochs over the rows are
    one epoch over the repeated rows, whose slack is √epochs D.

    Examples
    --------
    >>> growth = mistakes_by_noise((0.0, 0.1), repeats=5)
    >>> bool((growth.mistakes <= growth.bound).all())
    True
    >>> bool(growth.mistakes[1].min() > growth.mistakes[0].max())
    True
    """
    epochs = check_int(epochs, "epochs", minimum=1)
    shares = check_array(noise, "noise", "(k,)", 1)
    for share in shares:
        check_float(share, "noise", minimum=0.0)
    if (shares > 1.0).any():
        raise ValueError(f"noise must be at most 1, got {shares.max():g}")
    results = [
        [_mistakes_and_bound(share, (n, d), margin, epochs, s) for s in _seeds(seed, repeats)]
        for share in shares
    ]
    counts, bounds = np.array(results).transpose(2, 0, 1) / epochs
    return Growth("wrong labels, %", "mistakes an epoch", 100 * shares, counts, bounds)


def least_slack_bound(X: Floats, y: Ints, u: Floats, epochs: int = 1) -> float:
    """Bound the mistakes of several epochs by the minimum of ((R + √epochs D)/γ)² over γ.

    The bound holds for any γ; the minimum is taken over a hundred values up to R.

    Parameters
    ----------
    X, y : array of shape (n, d), array of shape (n,)
        Rows, R > 0, and their labels, -1 or +1.
    u : array of shape (d,)
        Direction for which D is measured.
    epochs : int, default 1
        Number of epochs, >= 1.

    Raises
    ------
    ValueError
        As in :func:`rosenblatt.theory.slack`.

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
    """Mistakes on one draw with flipped labels, and their bound."""
    toy = toys.separable(*shape, margin=margin, seed=seed)
    flipped = np.random.default_rng(seed).permutation(len(toy.y))[: round(share * len(toy.y))]
    y = toy.y.copy()
    y[flipped] *= -1
    model = Perceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=epochs)
    return model.fit(toy.X, y).mistakes_, least_slack_bound(toy.X, y, toy.u, epochs)


def _until_separated(
    name: str, x: Floats, drawn: list[list[toys.Separable]], max_iter: int
) -> Growth:
    """Mistakes until convergence, and (R/γ)², for every data set."""
    model = Perceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=max_iter)
    counts = [[model.fit(toy.X, toy.y).mistakes_ for toy in row] for row in drawn]
    bounds = [[theory_bounds.mistake_bound(toy.R, toy.gamma) for toy in row] for row in drawn]
    return Growth(name, "mistakes", x, np.array(counts, float), np.array(bounds))


def _draws(n: int, d: int, margin: float, seed: int, repeats: int) -> list[toys.Separable]:
    return [toys.separable(n, d, margin=margin, seed=start) for start in _seeds(seed, repeats)]


def _seeds(seed: int, repeats: int) -> range:
    seed = check_int(seed, "seed", minimum=0)
    return range(seed, seed + check_int(repeats, "repeats", minimum=1))
