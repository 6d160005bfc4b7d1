"""Ten-line NumPy twins of the compiled loops: dense, float64, no tricks."""

import numpy as np

from rosenblatt.engine.state import arrays_of


def is_mistake(score, y, tie):
    return y * score < 0 or (score == 0 and tie != y)


def dot(w, x):
    """Return ⟨w, x⟩, summed from left to right, as for dense rows."""
    total = 0.0
    for a, b in zip(w, x, strict=True):
        total += a * b
    return total


def binary(X, y, weight, order, rule, *, epochs=1, tie=0.0, intercept=True):
    """Return weights, intercept, mistakes, updates, and the mean of (w, b) over the examples."""
    w, b, mistakes, updates = np.zeros(X.shape[1]), 0.0, 0, 0
    history = []
    for _ in range(epochs):
        for i in order:
            score = dot(w, X[i]) + b
            mistakes += is_mistake(score, y[i], tie)
            tau = rule.weighted_step(score, y[i], dot(X[i], X[i]) + intercept, weight[i])
            if tau != 0.0:
                updates += 1
                w = w + tau * X[i]
                b = b + tau if intercept else b
            history.append(np.append(w, b))
    return w, b, mistakes, updates, np.mean(history, axis=0)


def multi(X, y, weight, order, rule, K, *, joint, tie=0.0, intercept=True):
    """Return weights (d, K), intercepts, mistakes by class, and errors of the arg max."""
    W, b, mistakes, errors = np.zeros((X.shape[1], K)), np.zeros(K), np.zeros(K, int), 0
    for i in order:
        scores = np.array([dot(W[:, k], X[i]) for k in range(K)]) + b
        errors += int(np.argmax(scores)) != y[i]
        norm = dot(X[i], X[i]) + intercept
        tau = np.zeros(K)
        if joint:
            rival = max((k for k in range(K) if k != y[i]), key=lambda k: (scores[k], -k))
            difference = scores[y[i]] - scores[rival]
            mistakes[y[i]] += is_mistake(difference, 1.0, tie)
            step = rule.weighted_step(difference, 1.0, 2 * norm, weight[i])
            tau[y[i]], tau[rival] = step, -step
        else:
            for k in range(K):
                sign = 1.0 if k == y[i] else -1.0
                mistakes[k] += is_mistake(scores[k], sign, tie)
                tau[k] = rule.weighted_step(scores[k], sign, norm, weight[i])
        W = W + X[i][:, None] * tau
        b = b + tau if intercept else b
    return W, b, mistakes, errors


def minover(X, signs, weight, order, rule, *, epochs, intercept=True):
    """Return weights (K, d + 1), updates and mean weights: each w learns its least overlap.

    ``signs`` and ``weight`` have a column for each weight vector.
    """
    X = np.column_stack([X, np.full(len(X), float(intercept))])
    W, updates = np.zeros((signs.shape[1], X.shape[1])), np.zeros(signs.shape[1], int)
    history = []
    for _ in range(epochs):
        for k, w in enumerate(W):
            rows = [i for i in order if weight[i, k] != 0.0]
            i = min(rows, key=lambda i: signs[i, k] * dot(w, X[i]))
            tau = rule.weighted_step(dot(w, X[i]), signs[i, k], dot(X[i], X[i]), weight[i, k])
            updates[k] += tau != 0.0
            W[k] = w + tau * X[i]
        history.append(W.copy())
    return W, updates, np.mean(history, axis=0)


def bits(model, *but):
    """Return the bits of all arrays of a model's state."""
    return {k: v.tobytes() for k, v in arrays_of(model._state).items() if k not in but}
