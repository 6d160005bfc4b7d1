"""Ten-line NumPy twins of the kernel loops and their budgets: float64, no tricks.

K is the full kernel matrix, n × n, and symmetric. Steps are counted from 1.
"""

from typing import NamedTuple

import numpy as np
from numpy_twins import is_mistake


class Dual(NamedTuple):
    """The result of a run. Several classes: a, b, mistakes, updates, τ, sqnorm, average by column.

    ``wrong`` has the steps of the mistakes (of the arg max, with several classes), ``moves`` the
    (step, row, τ) of the updates, ``average`` the mean of (a, b) after each example, ``sqnorm``
    the ‖w‖² = aᵀKa at the end, without b.
    """

    a: np.ndarray
    b: float
    mistakes: int
    updates: int
    wrong: list
    moves: list
    average: np.ndarray
    sqnorm: float


def kernel_binary(K, y, weight, order, rule, *, epochs=1, tie=0.0, intercept=True):
    a, b, mistakes = np.zeros(len(K)), 0.0, 0
    wrong, moves, history = [], [], []
    for t, i in enumerate([*order] * epochs, 1):
        score = a @ K[:, i] + b
        if is_mistake(score, y[i], tie):
            mistakes += 1
            wrong.append(t)
        tau = rule.weighted_step(score, y[i], K[i, i] + intercept, weight[i])
        if tau != 0.0:
            moves.append((t, i, tau))
            a[i] += tau
            b += tau * intercept
        history.append(np.append(a, b))
    return Dual(a, b, mistakes, len(moves), wrong, moves, np.mean(history, axis=0), a @ K @ a)


def kernel_multi(K, y, weight, order, rule, K_classes, *, joint, epochs=1, tie=0.0, intercept=True):
    classes = range(K_classes)
    a, b = np.zeros((len(K), K_classes)), np.zeros(K_classes)
    mistakes, updates = np.zeros(K_classes, int), np.zeros(K_classes, int)
    wrong, moves, history = [], [], []
    for t, i in enumerate([*order] * epochs, 1):
        scores, norm, tau = K[i] @ a + b, K[i, i] + intercept, np.zeros(K_classes)
        if np.argmax(scores) != y[i]:
            wrong.append(t)
        if joint:
            rival = max((k for k in classes if k != y[i]), key=lambda k: (scores[k], -k))
            difference = scores[y[i]] - scores[rival]
            mistakes[y[i]] += is_mistake(difference, 1.0, tie)
            step = rule.weighted_step(difference, 1.0, 2 * norm, weight[i])
            tau[y[i]], tau[rival] = step, -step
        else:
            for k in classes:
                sign = 1.0 if k == y[i] else -1.0
                mistakes[k] += is_mistake(scores[k], sign, tie)
                tau[k] = rule.weighted_step(scores[k], sign, norm, weight[i])
        if tau.any():
            moves.append((t, i, tau))
            updates += tau != 0.0
            a[i] += tau
            b += tau * intercept
        history.append(np.vstack([a, b]))
    sqnorm = np.diag(a.T @ K @ a)
    return Dual(a, b, mistakes, updates, wrong, moves, np.mean(history, axis=0), sqnorm)


def votes(K_test, moves, steps, tie, intercept):
    """Σ survival · sign(score) over the vectors of a binary run of so many steps.

    A vector survives the step that made it and those that leave it; the first is 0.
    """
    survived = np.diff([1, *(t for t, _, _ in moves), steps + 1])
    score = np.zeros(len(K_test))
    total = survived[0] * np.full(len(K_test), float(tie))
    for c, (_, row, tau) in zip(survived[1:], moves, strict=True):
        score = score + tau * (K_test[:, row] + intercept)
        total += c * np.where(score == 0.0, tie, np.sign(score))
    return total


class BudgetRun(NamedTuple):
    """Support rows in the order they came, their coefficients, and the mistakes of the run.

    There is no b, and a score of 0 is a mistake. A row that errs again while it is a support row
    is there twice.
    """

    rows: list
    a: np.ndarray
    mistakes: int


def random_removal(K, y, order, B, draw):
    """Cavallanti, Cesa-Bianchi and Gentile 2007: from a full budget, row draw(B) is removed."""
    rows, a, mistakes = [], np.zeros(0), 0
    for i in order:
        if is_mistake(a @ K[rows, i], y[i], 0.0):
            mistakes += 1
            if len(rows) == B:
                removed = draw(B)
                rows, a = rows[:removed] + rows[removed + 1 :], np.delete(a, removed)
            rows, a = [*rows, i], np.append(a, y[i])
    return BudgetRun(rows, a, mistakes)


def damage(phi, sigma, mu):
    """Ψ: the damage of shrinking by φ and removing a row of coefficient σ and y f'(x) = μ."""
    return (phi * sigma) ** 2 + 2 * phi * sigma * (1 - phi * mu)


def shrinking(sigma, mu, left):
    """The largest φ in (0, 1] with Ψ(φ) = a φ² + b φ <= left, for σ > 0 and left > 0.

    Where Ψ(1) is too much, Ψ rises from 0 through `left` exactly once before 1; that root, in the
    form that needs no division by a, which may have any sign or be 0.
    """
    a, b = sigma**2 - 2 * sigma * mu, 2 * sigma
    if a + b <= left:
        return 1.0
    return 2 * left / (b + np.sqrt(max(0.0, b**2 + 4 * a * left)))


def forgetron(K, y, order, B):
    """Dekel, Shalev-Shwartz and Singer 2008, self-tuned: all shrink, then the oldest goes."""
    rows, a, mistakes, Q = [], np.zeros(0), 0, 0.0
    for i in order:
        if is_mistake(a @ K[rows, i], y[i], 0.0):
            mistakes += 1
            rows, a = [*rows, i], np.append(a, y[i])
            if len(rows) > B:
                sigma, mu = abs(a[0]), y[rows[0]] * (a @ K[rows, rows[0]])
                phi = shrinking(sigma, mu, 15 / 32 * mistakes - Q)
                Q += damage(phi, sigma, mu)
                rows, a = rows[1:], phi * a[1:]
    return BudgetRun(rows, a, mistakes)


def projectron(K, y, order, B, dependent=1e-3):
    """Orabona, Keshet and Caputo 2009, algorithm 2: without room, or in the span, project.

    The paper's η squared is ``dependent`` · k(x, x) while there is room, and infinite afterwards.
    """
    rows, a, mistakes = [], np.zeros(0), 0
    for i in order:
        k = K[rows, i]
        if is_mistake(a @ k, y[i], 0.0):
            mistakes += 1
            d = np.linalg.solve(K[np.ix_(rows, rows)], k)
            if len(rows) < B and K[i, i] - k @ d > dependent * K[i, i]:
                rows, a = [*rows, i], np.append(a, y[i])
            else:
                a = a + y[i] * d
    return BudgetRun(rows, a, mistakes)


def projectron_plus(K, y, order, B, eta):
    """Orabona, Keshet and Caputo 2009, algorithm 3, with τ as in their experiments.

    η is infinite once there is no room.
    """
    rows, a, mistakes = [], np.zeros(0), 0
    for i in order:
        k = K[rows, i]
        d = np.linalg.solve(K[np.ix_(rows, rows)], k)  # P k = Σ d_s k(x_s, ·)
        P, delta = k @ d, np.sqrt(max(0.0, K[i, i] - k @ d))  # ‖P k‖² and ‖δ‖
        now = eta if len(rows) < B else np.inf
        loss = 1 - y[i] * (a @ k)
        if is_mistake(a @ k, y[i], 0.0):
            mistakes += 1
            if delta <= now:
                a = a + y[i] * d
            else:
                rows, a = [*rows, i], np.append(a, y[i])
        elif loss > 0 and loss > delta / now:
            a = a + y[i] * d * min(loss / P, 2 * (loss - delta / now) / P, 1.0)
    return BudgetRun(rows, a, mistakes)
