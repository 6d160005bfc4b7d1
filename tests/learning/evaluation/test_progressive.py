"""The progressive table: its numbers, its interval, its independence of the batches."""

from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris

from rosenblatt import Perceptron, progressive


class Batch(NamedTuple):
    X: object
    y: object


def batches(X, y, size):
    return [Batch(X[i : i + size], y[i : i + size]) for i in range(0, len(y), size)]


def test_learning_in_any_batches_gives_the_same_table():
    X, y = (part[:600] for part in load_digits(return_X_y=True))
    tables = []
    for size in (1, 7, 256, 5000):
        lines = []
        model = Perceptron(shuffle=False)
        summary = progressive.learn(model, batches(X, y, size), report=lines.append)
        tables.append([line._replace(rate=0.0) for line in [*lines, summary.last]])
    assert tables[0] == tables[1] == tables[2] == tables[3]
    assert [line.examples for line in tables[0]] == [*(2**k for k in range(10)), 600]


def test_a_run_without_a_reader_has_the_same_positions():
    X, y = load_digits(return_X_y=True)
    runs = []
    for report in (None, lambda line: None):
        positions = []
        model = Perceptron(shuffle=False)
        progressive.learn(model, batches(X, y, 500), report=report, after=positions.append)
        runs.append(positions)
    assert runs[0] == runs[1]


def test_L1_2_and_L2_4_the_error_is_that_of_predicting_before_learning():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    X, y = X[order], y[order]
    model, wrong = Perceptron(shuffle=False), 0
    for i in range(150):
        has_label = i > 0 and y[i] in model.classes_
        wrong += not has_label or model.predict(X[i : i + 1])[0] != y[i]
        model.partial_fit(X[i : i + 1], y[i : i + 1])
    summary = progressive.learn(Perceptron(shuffle=False), batches(X, y, 40))
    assert abs(summary.last.errors - wrong) <= 1  # a score of exactly zero is an error of its own
    assert summary.constant_error == pytest.approx(100 / 150)
    assert summary.radius == pytest.approx(np.linalg.norm(X, axis=1).max())


def test_epochs_end_without_an_update():
    X, y = load_iris(return_X_y=True)
    summary = progressive.learn(Perceptron(shuffle=False), batches(X, y == 0, 50), epochs=100)
    assert summary.converged
    assert summary.epochs < 100
    assert summary.last.examples == 150


def test_batches_may_grow_wider():
    X = sp.csr_array(np.eye(6))
    stream = [Batch(X[:3, :3], np.array([0, 1, 0])), Batch(X[3:], np.array([1, 0, 1]))]
    model = Perceptron(shuffle=False)
    progressive.learn(model, stream)
    assert model.coef_.shape == (1, 6)
    at_once = Perceptron(shuffle=False).partial_fit(X, np.array([0, 1, 0, 1, 0, 1]))
    np.testing.assert_array_equal(model.coef_, at_once.coef_)


def test_an_empty_stream_gives_an_empty_summary():
    summary = progressive.learn(Perceptron(), [])
    assert summary.last.examples == 0
    assert summary.last.error == 0.0
    assert not summary.converged


def test_on_epoch_reports_the_mistakes_and_updates_of_each_epoch():
    X, y = load_iris(return_X_y=True)
    calls = []
    model = Perceptron(shuffle=False)
    summary = progressive.learn(
        model, batches(X, y == 0, 50), epochs=100, on_epoch=lambda *args: calls.append(args)
    )
    positions, mistakes, updates = zip(*calls, strict=True)
    assert [position.epoch - 1 for position in positions] == [*range(1, summary.epochs + 1)]
    assert {position.last for position in positions} == {summary.last}
    assert {position.rows for position in positions} == {0}
    assert (sum(mistakes), sum(updates)) == (model.mistakes_, model.updates_)
    assert (mistakes[-1], updates[-1]) == (0, 0)
