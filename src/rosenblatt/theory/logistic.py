"""The logistic loss of weightwise rules.

The rules of other kinds spell it out: numba compiles what a user derives from them, method by
method, and no function that a method calls.
"""

from __future__ import annotations

import math


def logistic_loss(score: float, y: float) -> float:
    """Return log(1 + exp(−y·score)), without overflow.

    Examples
    --------
    >>> logistic_loss(-1000.0, 1.0), logistic_loss(1000.0, 1.0)
    (1000.0, 0.0)
    """
    z = y * score
    return math.log1p(math.exp(-z)) if z > 0.0 else math.log1p(math.exp(z)) - z


def logistic_gradient(score: float, y: float) -> float:
    """Return the derivative of the loss by the score, −y/(1 + exp(y·score)), without overflow.

    Examples
    --------
    >>> logistic_gradient(0.0, 1.0), logistic_gradient(-1000.0, 1.0)
    (-0.5, -1.0)
    """
    return -y * chance_of_other(score, y)


def chance_of_other(score: float, y: float) -> float:
    """Return the probability 1/(1 + exp(y·score)) of the label −y, without overflow.

    Examples
    --------
    >>> chance_of_other(0.0, 1.0), chance_of_other(-1000.0, 1.0)
    (0.5, 1.0)
    """
    z = y * score
    if z > 0.0:
        small = math.exp(-z)
        return small / (1.0 + small)
    return 1.0 / (1.0 + math.exp(z))
