"""Rows of named features: their matrix, and the comparison of online with batch learning."""

import numpy as np
import scipy.sparse as sp

from rosenblatt import Perceptron
from rosenblatt.engine.state import arrays_of, resize_features


def encoded(rows):
    """The rows as a matrix: one column for each name, in order of first appearance."""
    columns, cells = {}, []
    for i, row in enumerate(rows):
        for name, value in row.items():
            if isinstance(value, str):
                name, value = f"{name}={value}", 1
            if value is not None:
                cells.append((i, columns.setdefault(name, len(columns)), float(value)))
    X = sp.lil_array((len(rows), max(1, len(columns))))
    i, j, x = zip(*sorted(cells), strict=True) if cells else ((), (), ())
    ends = np.searchsorted(i, np.arange(len(rows) + 1))
    parts = np.array(x, float), np.array(j, np.int32), ends.astype(np.int32)
    return sp.csr_array(parts, shape=X.shape), list(columns)


def one_by_one(model, rows, labels):
    for row, label in zip(rows, labels, strict=True):
        model.learn_one(row, label)
    return model


def same_bits(model, X, y, weight=None, **params):
    """Compare a model with Perceptron on the encoded rows, to the bit."""
    twin = Perceptron(shuffle=False, **params).partial_fit(X, y, sample_weight=weight)
    ours = model._model
    d = X.shape[1]
    np.testing.assert_array_equal(ours.coef_[:, :d], twin.coef_)
    assert not ours.coef_[:, d:].any()
    np.testing.assert_array_equal(ours.intercept_, twin.intercept_)
    told = model.classes_, model.mistakes_, model.updates_, model.errors_, model.t_
    assert told == (twin.classes_.tolist(), twin.mistakes_, twin.updates_, twin.errors_, twin.t_)
    for name, mine in arrays_of(resize_features(ours._state, d)).items():
        theirs = arrays_of(twin._state)[name]
        np.testing.assert_array_equal(mine, theirs)
