"""Several passes with the rule "auto": what is held back, and probabilities that stay honest."""

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import Perceptron
from rosenblatt.engine import blend
from rosenblatt.engine.state import arrays_of
from rosenblatt.learning.evaluation.progressive import Run, learn
from rosenblatt.learning.evaluation.repeated import held_back
from rosenblatt.streams.core.batch import Batch
from rosenblatt.streams.rechunk import ShuffledBatches
from rosenblatt.theory.rules import Auto


@pytest.fixture
def rows(rng):
    """Sparse rows of many columns, as of texts, with noisy labels."""
    X = sp.random_array((1500, 400), density=0.03, rng=rng, format="csr")
    y = np.where(X @ rng.normal(size=400) + rng.logistic(size=1500) > 0, "yes", "no")
    return X, y


def batches(X, y, size):
    return [Batch(X[i : i + size], y[i : i + size], i) for i in range(0, len(y), size)]


def same_state(a, b):
    for model in (a, b):
        blend.refresh(
            model._state.W, model._state.b, model._state.own
        )  # the weights follow from the learners when someone asks
    for name, mine in arrays_of(a._state).items():
        np.testing.assert_array_equal(mine, arrays_of(b._state)[name], err_msg=name)


@pytest.mark.parametrize("epochs", [1, 2, 3])
def test_it_is_the_passes_of_its_rows(rows, epochs):
    X, y = rows[0][:150], rows[1][:150]
    model = Perceptron(rule="auto", shuffle=False)
    learn(model, batches(X, y, 32), epochs)
    twin = Perceptron(rule="auto", shuffle=False)
    held = held_back(Batch(X, y, 0))
    assert 7 < held.sum() < 23
    for epoch in range(1, epochs + 1):
        for i in range(150):
            is_new = epoch == epochs if held[i] else epoch == 1
            rule = Auto() if is_new or epochs == 1 else Auto(blend=0.0)
            if held[i] and epoch < epochs:
                rule = Auto(learners=0.0)
            twin.set_params(rule=rule).partial_fit(X[[i]], y[[i]])
    same_state(model, twin)
    assert model.rule == "auto"  # and no trace of the passes
    assert set(vars(model)) == set(vars(twin))


def test_bits_depend_neither_on_batches_nor_on_interruptions(rows):
    X, y = rows
    whole, cut = (Perceptron(rule="auto", shuffle=False) for _ in range(2))
    learn(whole, batches(X, y, 1500), 3)
    positions = []
    learn(cut, batches(X, y, 70), 3, after=positions.append)
    same_state(whole, cut)
    stopped = Perceptron(rule="auto", shuffle=False)
    run = Run(stopped, epochs=3)
    run.begin_epoch()
    for batch in batches(X, y, 70):
        run.learn(batch)
    run.end_epoch()
    run.begin_epoch()
    for batch in batches(X, y, 70)[:9]:
        run.learn(batch)
    learn(stopped, batches(X, y, 70), 3, start=run.position)
    same_state(whole, stopped)


def test_the_same_rows_are_held_back_in_every_order(rng, rows):
    X, y = rows
    held, order = held_back(Batch(X, y, 0)), rng.permutation(len(y))
    np.testing.assert_array_equal(held_back(Batch(X[order], y[order], 0)), held[order])
    np.testing.assert_array_equal(held_back(Batch(X, y[order], 0)), held)  # by the row alone
    wider = sp.csr_array((X.data, X.indices, X.indptr), shape=(1500, 999))
    np.testing.assert_array_equal(held_back(Batch(wider, y, 0)), held)


@pytest.mark.parametrize("numbers", ["whole", "real", "one-hot"])
def test_it_is_a_tenth(rng, numbers):
    X = {
        "whole": lambda: rng.integers(0, 50, (20_000, 3)).astype(float),
        "real": lambda: rng.normal(size=(20_000, 2)),
        "one-hot": lambda: sp.csr_array(
            (np.ones(60_000), rng.integers(0, 5000, 60_000), np.arange(0, 60_001, 3)),
            shape=(20_000, 5000),
        ),
    }[numbers]()
    held = held_back(Batch(X, np.zeros(20_000, int), 0))
    assert 0.09 < held.mean() < 0.11


def log_loss(model, X, y):
    p = model.predict_proba(X)[np.arange(len(y)), (y == "yes").astype(int)]
    return -np.log(np.maximum(p, 1e-12)).mean()


@pytest.mark.parametrize("shuffle", [False, True])
def test_probabilities_of_new_rows_stay_honest(rows, shuffle):
    X, y = rows
    once, often, naive = (Perceptron(rule="auto", shuffle=False) for _ in range(3))
    stream = batches(X[:1000], y[:1000], 100)
    learn(once, stream)
    learn(often, ShuffledBatches(stream, seed=0) if shuffle else stream, 10)
    for _ in range(10):
        naive.partial_fit(X[:1000], y[:1000])
    new = X[1000:], y[1000:]
    assert log_loss(often, *new) < min(1.1 * log_loss(once, *new), 0.7 * log_loss(naive, *new))


def test_other_rules_learn_all_rows_alike(rows):
    X, y = rows
    model, twin = (Perceptron(rule="logistic", shuffle=False) for _ in range(2))
    learn(model, batches(X, y, 100), 2)
    twin.partial_fit(X, y).partial_fit(X, y)
    same_state(model, twin)
