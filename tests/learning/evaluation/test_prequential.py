"""Predict, then learn: the same predictions and bits as with predict and partial_fit by hand."""

from collections import Counter, deque

import numpy as np
import pytest
import scipy.sparse as sp
from profiles import share
from sklearn.datasets import load_digits

from rosenblatt import KernelPerceptron, Perceptron
from rosenblatt.streams import Batch
from rosenblatt.validation import validate

X, Y = load_digits(return_X_y=True)
X, Y = X[:500], Y[:500]


def batches(X, y, size, weight=None):
    for i in range(0, len(y), size):
        rows = slice(i, i + size)
        yield Batch(X[rows], y[rows], i, weight=None if weight is None else weight[rows])


def by_hand(model, X, y, delay, weight=None):
    """Reference in river's order, with ``predict`` and ``partial_fit``."""
    waiting, pairs = deque(), []

    def learn():
        i, answer = waiting.popleft()
        model.partial_fit(
            X[i : i + 1], y[i : i + 1], sample_weight=None if weight is None else weight[i : i + 1]
        )
        pairs.append((y[i].item(), answer))

    for i in range(len(y)):
        while waiting and waiting[0][0] + delay <= i:
            learn()
        is_fitted = model.__sklearn_is_fitted__()
        waiting.append((i, model.predict(X[i : i + 1])[0].item() if is_fitted else None))
    while waiting:
        learn()
    return pairs


MODELS = {
    "last": {},
    "average": {"output": "average"},
    "joint": {"multi_class": "joint", "rule": "pa1"},
    "shrunk": {"penalty": "l2", "alpha": 0.01},
    "weighed": {"class_weight": {3: 2.0}},
    "expansion": {"expansion": True},
    "pocket": {"output": "pocket"},
    "scaled": {"scale": True},
    "scaled sparse": {"scale": True, "output": "average", "penalty": "l1", "alpha": 0.01},
}


@pytest.mark.parametrize(
    ("kind", "delay"),
    [(kind, delay) for turn, kind in enumerate(MODELS) for delay in share([0, 1, 2, 90], 4, turn)],
)
def test_each_prediction_uses_the_weights_of_its_moment(kind, delay):
    rows = X if kind in ("last", "joint", "scaled") else sp.csr_array(X)
    rows, y = rows[:130], Y[:130] if kind != "average" else Y[:130] > 4
    model, twin = (Perceptron(shuffle=False, **MODELS[kind]) for _ in range(2))
    result = validate(model, batches(rows, y, 30), delay=delay)
    pairs = by_hand(twin, rows, y, delay)
    assert result.confusion == Counter(pairs)
    assert result.errors == sum(label != answer for label, answer in pairs)
    assert model.errors_ == twin.errors_
    assert model.coef_.tobytes() == twin.coef_.tobytes()
    assert model.intercept_.tobytes() == twin.intercept_.tobytes()


@pytest.mark.parametrize("delay", [0, 5])
def test_sample_weights_change_learning_and_not_the_counts(rng, delay):
    rows, y = X[:500], Y[:500]
    weight = rng.integers(0, 3, len(y)).astype(float)
    model, twin = Perceptron(shuffle=False), Perceptron(shuffle=False)
    result = validate(model, batches(rows, y, 64, weight), delay=delay)
    assert result.confusion == Counter(by_hand(twin, rows, y, delay, weight))
    assert result.examples == result.confusion.total() == len(y)
    assert model.coef_.tobytes() == twin.coef_.tobytes()


def test_sparse_batches_may_widen_while_rows_wait():
    wide = sp.csr_array(X[:80])
    narrow = sp.csr_array((X[:40] * (np.arange(64) < 40))[:, :40])
    rows = sp.vstack([sp.csr_array((narrow.data, narrow.indices, narrow.indptr), (40, 64)), wide])
    y = np.concatenate([Y[:40], Y[:80]])
    stream = [Batch(narrow, y[:40], 0), Batch(wide, y[40:], 40)]
    for delay in (0, 12, 100):
        model, twin = Perceptron(shuffle=False), Perceptron(shuffle=False)
        result = validate(model, stream, delay=delay)
        assert result.confusion == Counter(by_hand(twin, rows.tocsr(), y, delay))


def test_a_kernel_model_predicts_row_by_row():
    models = [KernelPerceptron("poly", degree=2, gamma=0.01, shuffle=False) for _ in range(2)]
    result = validate(models[0], batches(X[:70], Y[:70], 30), delay=3)
    assert result.confusion == Counter(by_hand(models[1], X[:70], Y[:70], 3))


def test_a_trained_model_continues():
    model, twin = (Perceptron(shuffle=False, max_iter=3, tol=None).fit(X, Y) for _ in range(2))
    rows = X[::-1].copy()
    assert validate(model, batches(rows, Y[::-1], 100)).confusion == Counter(
        by_hand(twin, rows, Y[::-1], 0)
    )
