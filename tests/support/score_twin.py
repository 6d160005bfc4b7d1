"""The stated order of the sums in scores, in NumPy scalars."""

import numpy as np
import scipy.sparse as sp


def dots(X, W):
    """Return ⟨W[:, k], x⟩ of the rows of a dense matrix or of CSR, W of shape (d, K)."""
    kind = np.promote_types(X.dtype, W.dtype).type
    out = np.zeros((X.shape[0], W.shape[1]))
    for i in range(X.shape[0]):
        if sp.issparse(X):
            row = X[[i]].tocsr()
            row.sum_duplicates()
            entries = list(zip(row.indices.tolist(), row.data, strict=True))
        else:
            entries = list(enumerate(X[i]))
        for k in range(W.shape[1]):
            terms = [np.float64(kind(W[j, k]) * kind(x)) for j, x in entries]
            four = sp.issparse(X) and W.shape[1] == 1
            out[i, k] = _four_sums(terms) if four else _sum(terms)
    return out


def scores(X, coef, intercept):
    """Return ⟨w, x⟩ + b for weights of shape (K, d); of one weight vector as a vector."""
    result = dots(X, np.atleast_2d(coef).T) + intercept
    return result[:, 0] if result.shape[1] == 1 else result


def _sum(terms):
    """Return the sum from left to right."""
    total = np.float64(0.0)
    for term in terms:
        total += term
    return total


def _four_sums(terms):
    """Return the sum of every fourth term from each of the first four; the first takes the rest."""
    whole = len(terms) - len(terms) % 4
    a, b, c, e = ([terms[p] for p in range(first, whole, 4)] for first in range(4))
    return (_sum(a + terms[whole:]) + _sum(b)) + (_sum(c) + _sum(e))
