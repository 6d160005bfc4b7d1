"""Epochs of the perceptron as one writes them with numba: what compiling has to cost."""

from __future__ import annotations

import numba
import numpy as np
import scipy.sparse as sp


@numba.njit(cache=True)
def dense_epoch(X, y, order, w, b):
    """Learn two classes, −1 and 1, from dense rows; return intercept, loss and mistakes."""
    loss, mistakes = 0.0, 0
    for i in order:
        score = b
        for j in range(X.shape[1]):
            score += w[j] * X[i, j]
        if y[i] * score <= 0.0:
            loss -= y[i] * score
            mistakes += 1
            for j in range(X.shape[1]):
                w[j] += y[i] * X[i, j]
            b += y[i]
    return b, loss, mistakes


@numba.njit(cache=True)
def dense_classes_epoch(X, y, order, W, b):
    """Learn each class against the rest; return loss and mistakes."""
    loss, mistakes = 0.0, 0
    for i in order:
        for k in range(W.shape[0]):
            sign = 1.0 if y[i] == k else -1.0
            score = b[k]
            for j in range(X.shape[1]):
                score += W[k, j] * X[i, j]
            if sign * score <= 0.0:
                loss -= sign * score
                mistakes += 1
                for j in range(X.shape[1]):
                    W[k, j] += sign * X[i, j]
                b[k] += sign
    return loss, mistakes


@numba.njit(cache=True)
def sparse_epoch(data, indices, indptr, y, order, w, b):
    """Learn two classes, −1 and 1, from sparse rows; return intercept, loss and mistakes."""
    loss, mistakes = 0.0, 0
    for i in order:
        score = b
        for k in range(indptr[i], indptr[i + 1]):
            score += w[indices[k]] * data[k]
        if y[i] * score <= 0.0:
            loss -= y[i] * score
            mistakes += 1
            for k in range(indptr[i], indptr[i + 1]):
                w[indices[k]] += y[i] * data[k]
            b += y[i]
    return b, loss, mistakes


def fit(X, y) -> None:
    """Learn ten epochs."""
    order, columns = np.arange(len(y)), X.shape[1]
    rng = np.random.default_rng(0)
    classes = int(y.max()) + 1
    W, B, b = np.zeros((classes, columns)), np.zeros(classes), 0.0
    signs = np.where(y > 0, 1.0, -1.0)
    for _ in range(10):
        rng.shuffle(order)
        if sp.issparse(X):
            b, *_ = sparse_epoch(X.data, X.indices, X.indptr, signs, order, W[0], b)
        elif classes == 2:
            b, *_ = dense_epoch(X, signs, order, W[0], b)
        else:
            dense_classes_epoch(X, y, order, W, B)
