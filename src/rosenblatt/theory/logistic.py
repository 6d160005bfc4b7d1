"""The logistic loss of weightwise rules.

The rules of other kinds spell it out: numba compiles what a user derives from them, method by
method, and no function that a method calls.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


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


def softmax_gradients(scores: Sequence[float], label: int) -> tuple[list[float], float]:
    """Return the derivatives of −log p_label by the scores, and this loss.

    p_k = exp(s_k)/Σ exp(s_j), and the derivatives are p_k, for the label p_label − 1 = −Σ p_k over
    all others: Bishop 2006, section 4.3.4. For two classes, they are those of
    :func:`logistic_gradient` at the difference of the scores.

    Examples
    --------
    >>> softmax_gradients([0.0, 0.0], 0)
    ([-0.5, 0.5], 0.6931471805599453)
    >>> softmax_gradients([-2000.0, 0.0, -2000.0], 0)
    ([-1.0, 1.0, 0.0], 2000.0)
    """
    most = max(scores)
    gradients = [0.0 if k == label else math.exp(s - most) for k, s in enumerate(scores)]
    rest = sum(gradients)
    total = rest + math.exp(scores[label] - most)
    gradients[label] = -rest
    return [g / total for g in gradients], math.log(total) + (most - scores[label])
