"""The order of the rows in which a perceptron makes the most mistakes."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from rosenblatt.theory.textbook.lecture0 import origin_perceptron
from rosenblatt.theory.textbook.lecture1 import online_perceptron
from rosenblatt.theory.textbook.lecture2 import perceptron
from rosenblatt.theory.textbook.step import dot, sgn
from rosenblatt.theory.textbook.trace import Trace, WorstOrder
from rosenblatt.utils.checks import Ints

FEW = 7
"""Rows up to which all orders are tried: 5,040, as on the lecture page."""
DRAWN = 300
"""Random orders of more rows."""
MAX_EPOCHS = 1000
"""Epochs after which a run is given up, as by the algorithms."""

ONE_PASS = {run.__name__: run for run in (origin_perceptron, online_perceptron)}


def worst_order(run: Trace) -> WorstOrder:
    """Return the order in which the algorithm of a run makes the most mistakes on its rows.

    The bound (R/γ)² holds in any order; this says how near to it an order comes. Of up to 7 rows
    all orders are tried, so that it is the maximum; of more, the run's own and 300 random ones,
    and another may make more mistakes. Of equal orders it is the first.

    Parameters
    ----------
    run : Trace
        A run of `origin_perceptron`, `online_perceptron` or `perceptron`, which take the rows in
        their order. Its rate, tie and start are kept. A run of `perceptron` must have converged:
        without a separator every order makes mistakes for ever.

    Returns
    -------
    WorstOrder

    Raises
    ------
    ValueError
        The run is of another algorithm, did not converge, or some order makes mistakes after 1,000
        epochs.

    Notes
    -----
    Lecture row L3.6.

    Examples
    --------
    >>> from rosenblatt.textbook import perceptron
    >>> X, y = [[0.0, 1.0], [1.0, 1.0], [2.0, 0.0]], [-1, -1, 1]
    >>> worst = worst_order(perceptron(X, y, tie=1))
    >>> worst.order, worst.run.mistakes, worst.tried, worst.exact
    (array([1, 0, 2]), 5, 6, True)
    """
    one_pass = run.algorithm in ONE_PASS
    if not (one_pass or run.algorithm == perceptron.__name__):
        names = ", ".join([*ONE_PASS, perceptron.__name__])
        raise ValueError(
            f"run must be of an algorithm that takes rows in order ({names}), got "
            f"one of {run.algorithm}"
        )
    if not (one_pass or run.converged):
        raise ValueError(
            "run must have converged: without a separator every order makes mistakes "
            "for ever, and rosenblatt.certify decides whether there is one"
        )
    n = len(run.X)
    if n <= FEW:
        orders = np.array([*permutations(range(n))])
    else:
        rng = np.random.default_rng(0)
        orders = np.array([np.arange(n), *(rng.permutation(n) for _ in range(DRAWN))])
    mistakes, ended = _mistakes(run, orders, 1 if one_pass else MAX_EPOCHS)
    if not (one_pass or ended):
        raise ValueError(f"an order of the rows still makes mistakes after {MAX_EPOCHS:,} epochs")
    order = orders[mistakes.argmax()]
    arguments = run.points[order], run.y[order], run.eta
    options = {"tie": run.tie, "start": run.weights[0]}
    if one_pass:
        worst = ONE_PASS[run.algorithm](*arguments, **options)
    else:
        worst = perceptron(*arguments, **options, max_epochs=MAX_EPOCHS)
    return WorstOrder(order, worst, len(orders), n <= FEW)


def _mistakes(run: Trace, orders: Ints, max_epochs: int) -> tuple[Ints, bool]:
    """Return the mistakes in each of the orders, run side by side, and whether all ended right."""
    X, y, steps = run.X, run.y, run.eta * run.y[:, np.newaxis] * run.X
    W = np.tile(run.weights[0], (len(orders), 1))
    mistakes, going = np.zeros(len(orders), np.int64), np.arange(len(orders))
    for _ in range(max_epochs):
        for rows in orders[going].T:
            wrong = sgn(dot(X[rows], W[going]), run.tie) != y[rows]
            W[going[wrong]] += steps[rows[wrong]]
            mistakes[going[wrong]] += 1
        signs = sgn(dot(X, W[going, np.newaxis]), run.tie)
        going = going[(signs != y).any(axis=1)]
        if not len(going):
            break
    return mistakes, not len(going)
