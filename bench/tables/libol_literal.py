"""LIBOL's algorithms for two classes, step for step: no intercept, and a full matrix Σ.

LIBOL 0.3.0, Hoi, Wang and Zhao 2012, the folder algorithms. A score of 0 predicts +1. An update is
an example with a positive loss, as LIBOL counts its "SVs". Of the file init_options.m: Σ starts as
the identity, a of the second-order perceptron is 1, η of OGD is 1, and neither is chosen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import njit

C = [2.0**power for power in range(-4, 5)]
PHI = [0.125661, 0.253347, 0.385320, 0.524401, 0.674490, 0.841621, 1.036433, 1.281552, 1.644854]
"""The normal quantiles of 55, 60, …, 95 %."""
ALPHA = [0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]

# A step changes w, Σ (S) and the counter k of updates or examples in place, and returns the
# predicted sign and whether the loss was positive. p are the settings, m = y·score.


@njit
def sign(score):
    return 1.0 if score >= 0.0 else -1.0


@njit
def perceptron(x, y, w, S, k, p):
    guess = sign(w @ x)
    if guess != y:
        w += y * x
    return guess, guess != y


@njit
def romma_step(x, y, score, w):
    sqnorm, product = w @ w, (x @ x) * (w @ w)
    area = product - score * score
    if sqnorm == 0.0:
        w += y * x
    elif area != 0.0:
        w *= (product - y * score) / area
        w += sqnorm * (y - score) / area * x


@njit
def romma(x, y, w, S, k, p):
    score = w @ x
    guess = sign(score)
    if guess != y:
        romma_step(x, y, score, w)
    return guess, guess != y


@njit
def aggressive_romma(x, y, w, S, k, p):
    score = w @ x
    if y * score < 1.0:
        romma_step(x, y, score, w)
    return sign(score), y * score < 1.0


@njit
def alma(x, y, w, S, k, p):
    first, alpha, root = p[0], p[1], math.sqrt(p[2] - 1.0)
    score = w @ x
    wrong = (1.0 - alpha) / alpha * root / math.sqrt(k[0]) - y * score > 0.0
    if wrong:
        w += first / (root * math.sqrt(k[0])) * y * x
        w /= max(1.0, math.sqrt(w @ w))
        k[0] += 1
    return sign(score), wrong


@njit
def ogd(x, y, w, S, k, p):
    score = w @ x
    if y * score < 1.0:
        w += y / math.sqrt(k[0]) * x
    k[0] += 1
    return sign(score), y * score < 1.0


@njit
def pa(x, y, w, S, k, p):
    score, sqnorm = w @ x, x @ x
    loss = 1.0 - y * score
    if loss > 0.0:
        w += (loss / sqnorm if sqnorm > 0.0 else 1.0) * y * x
    return sign(score), loss > 0.0


@njit
def pa1(x, y, w, S, k, p):
    score, sqnorm = w @ x, x @ x
    loss = 1.0 - y * score
    if loss > 0.0:
        w += (min(p[0], loss / sqnorm) if sqnorm > 0.0 else p[0]) * y * x
    return sign(score), loss > 0.0


@njit
def pa2(x, y, w, S, k, p):
    score = w @ x
    loss = 1.0 - y * score
    if loss > 0.0:
        w += loss / (x @ x + 0.5 / p[0]) * y * x
    return sign(score), loss > 0.0


@njit
def sop(x, y, w, S, k, p):
    Sx = S @ x
    S -= np.outer(Sx, Sx) / (x @ Sx + 1.0)
    guess = sign(w @ (S @ x))
    if guess != y:
        w += y * x
    return guess, guess != y


@njit
def move(w, S, Sx, y, alpha, beta):
    w += alpha * y * Sx
    S -= beta * np.outer(Sx, Sx)


@njit
def confident_step(alpha, v, phi):
    """Return β of CW and SCW for the step α."""
    u = 0.25 * (-alpha * v * phi + math.sqrt(alpha**2 * v**2 * phi**2 + 4.0 * v)) ** 2
    return alpha * phi / (math.sqrt(u) + alpha * phi * v)


@njit
def exact_alpha(m, v, phi):
    psi, xi = 1.0 + phi**2 / 2.0, 1.0 + phi**2
    root = math.sqrt(m**2 * phi**4 / 4.0 + v * phi**2 * xi)
    return max(0.0, (-m * psi + root) / (v * xi))


@njit
def cw(x, y, w, S, k, p):
    score, Sx, phi = w @ x, S @ x, p[0]
    m, v = y * score, x @ Sx
    wrong = phi * math.sqrt(v) - m > 0.0
    if wrong:
        alpha = exact_alpha(m, v, phi)
        move(w, S, Sx, y, alpha, confident_step(alpha, v, phi))
    return sign(score), wrong


@njit
def scw1(x, y, w, S, k, p):
    score, Sx, phi = w @ x, S @ x, p[1]
    m, v = y * score, x @ Sx
    wrong = phi * math.sqrt(v) - m > 0.0
    if wrong:
        alpha = min(exact_alpha(m, v, phi), p[0])
        move(w, S, Sx, y, alpha, confident_step(alpha, v, phi))
    return sign(score), wrong


@njit
def scw2(x, y, w, S, k, p):
    """As the file has it: the root differs from that of the paper's proposition 2."""
    score, Sx, phi = w @ x, S @ x, p[1]
    m, v = y * score, x @ Sx
    n = v + 0.5 / p[0]
    wrong = phi * math.sqrt(v) - m > 0.0
    if wrong:
        inside = phi**4 * m**2 * v * 2.0 + 4.0 * n * v * phi**2 * (n + v * phi * 2.0)
        first = 2.0 * m * n + phi**2 * m * v
        alpha = max(0.0, (-first + math.sqrt(inside)) / (2.0 * (n**2 + n * v * phi**2)))
        move(w, S, Sx, y, alpha, confident_step(alpha, v, phi))
    return sign(score), wrong


@njit
def arow(x, y, w, S, k, p):
    score, Sx = w @ x, S @ x
    loss, v = 1.0 - y * score, x @ Sx
    if loss > 0.0:
        move(w, S, Sx, y, loss / (v + p[0]), 1.0 / (v + p[0]))
    return sign(score), loss > 0.0


@njit
def narow(x, y, w, S, k, p):
    score, Sx = w @ x, S @ x
    loss, v = 1.0 - y * score, x @ Sx
    if loss > 0.0 and v > 1.0 / p[0]:
        beta = 1.0 / (v + v / (p[0] * v - 1.0))
        move(w, S, Sx, y, loss * beta, beta)
    return sign(score), loss > 0.0


@njit
def nherd(x, y, w, S, k, p):
    score, Sx, gamma = w @ x, S @ x, 1.0 / p[0]
    loss, v = 1.0 - y * score, x @ Sx
    if loss > 0.0:
        beta = 1.0 / (v + gamma)
        move(w, S, Sx, y, loss * beta, beta**2 * (v + 2.0 * gamma))
    return sign(score), loss > 0.0


class Algorithm(NamedTuple):
    """A step, the defaults of its settings, and the values that each is chosen from, in turn."""

    step: Callable[..., Any]
    defaults: tuple[float, ...] = ()
    choices: tuple[tuple[int, list[float]], ...] = ()
    names: tuple[str, ...] = ()

    def setting(self, chosen: tuple[float, ...]) -> str:
        """Return the settings in words."""
        named = zip(self.names, chosen, strict=True)
        return ", ".join(f"{name} = {value:.4g}" for name, value in named) or "–"


OF_C = ((0, C),)
LITERAL: dict[str, Algorithm] = {
    "perceptron": Algorithm(perceptron),
    "ROMMA": Algorithm(romma),
    "aggressive ROMMA": Algorithm(aggressive_romma),
    "ALMA": Algorithm(
        alma,
        (math.sqrt(2.0), 0.9, 2.0),
        (*OF_C, (1, ALPHA), (2, [2.0, 4.0, 6.0, 8.0, 10.0])),
        ("C", "α", "p"),
    ),
    "OGD": Algorithm(ogd),
    "PA": Algorithm(pa),
    "PA-I": Algorithm(pa1, (1.0,), OF_C, ("C",)),
    "PA-II": Algorithm(pa2, (1.0,), OF_C, ("C",)),
    "SOP": Algorithm(sop),
    "CW": Algorithm(cw, (PHI[3],), ((0, PHI),), ("φ",)),
    "NHERD": Algorithm(nherd, (1.0,), OF_C, ("C",)),
    "AROW": Algorithm(arow, (1.0,), OF_C, ("r",)),
    "NAROW": Algorithm(narow, (1.0,), OF_C, ("b",)),
    "SCW-I": Algorithm(scw1, (1.0, PHI[4]), (*OF_C, (1, PHI)), ("C", "φ")),
    "SCW-II": Algorithm(scw2, (1.0, PHI[7]), (*OF_C, (1, PHI)), ("C", "φ")),
}
"""The algorithms, with the settings of init_options.m and the choices of CV_algorithm.m."""


@njit
def learn(step, X, y, order, p):
    """Return the mistakes and the updates of one pass; each row is predicted, then learned."""
    w, S, k = np.zeros(X.shape[1]), np.eye(X.shape[1]), np.ones(1)
    mistakes, updates = 0, 0
    for i in order:
        guess, moved = step(X[i], y[i], w, S, k, p)
        mistakes += guess != y[i]
        updates += moved
    return mistakes, updates


def one_pass(algorithm: Algorithm, setting: Any, X: Any, y: Any, order: Any) -> tuple[int, int]:
    """Return the mistakes and the updates of one pass in this order."""
    mistakes, updates = learn(algorithm.step, X, y, order, np.array([*setting, 0.0]))
    return int(mistakes), int(updates)


def choose(algorithm: Algorithm, X: Any, y: Any, order: Any) -> tuple[float, ...]:
    """Return the settings that LIBOL takes after its passes in this order.

    One setting after another, the others at their defaults or as chosen before; of several values
    with the fewest mistakes the last.
    """
    setting = list(algorithm.defaults)
    for place, values in algorithm.choices:
        found = []
        for value in values:
            setting[place] = value
            found.append(one_pass(algorithm, setting, X, y, order)[0])
        setting[place] = values[len(found) - 1 - int(np.argmin(found[::-1]))]
    return tuple(setting)


def passes(
    algorithm: Algorithm, setting: tuple[float, ...], X: Any, y: Any, orders: list[Any]
) -> Iterator[tuple[int, int]]:
    """Yield the mistakes and the updates of each order."""
    for order in orders:
        yield one_pass(algorithm, setting, X, y, order)
