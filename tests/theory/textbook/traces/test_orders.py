"""The worst order of the rows, compared with a recorded run in every order."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from traces import seeds

from rosenblatt import certify, textbook, toys
from rosenblatt.theory.textbook.traces import orders

LEARN = [textbook.origin_perceptron, textbook.online_perceptron, textbook.perceptron]


def separable_rows(seed, n):
    """Small whole numbers that a line separates, most often through no origin."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, 2)).astype(float)
    scores = X @ rng.integers(-3, 4, 2) + rng.integers(-2, 3) + 0.5
    y = np.where(scores > 0, 1, -1)
    return X, y


@thorough(30)
@given(
    seed=seeds,
    n=st.integers(2, 4),
    learn=st.sampled_from(LEARN),
    eta=st.sampled_from([1.0, 0.3]),
    tie=st.sampled_from([-1, 0, 1]),
    elsewhere=st.booleans(),
)
def test_L3_6_no_order_makes_more_mistakes_than_the_worst(seed, n, learn, eta, tie, elsewhere):
    X, y = separable_rows(seed, n)
    if learn is textbook.perceptron and len(set(y)) < 2:
        return
    width = 3 if learn is textbook.perceptron else 2
    options = {"tie": tie, "start": np.arange(1.0, 1.0 + width) if elsewhere else None}
    run = learn(X, y, eta, **options)
    worst = run.worst_order()
    every = [learn(X[[*order]], y[[*order]], eta, **options) for order in permutations(range(n))]
    assert worst.run.mistakes == max(one.mistakes for one in every)
    assert (worst.tried, worst.exact) == (len(every), True)
    again = learn(X[worst.order], y[worst.order], eta, **options)
    assert again.to_json() == worst.run.to_json()


def test_L3_6_all_orders_of_seven_rows_and_a_draw_of_more():
    X, y = separable_rows(1, 9)
    few, many = (textbook.perceptron(X[:n], y[:n]) for n in (orders.FEW, 9))
    exact, drawn = few.worst_order(), textbook.worst_order(many)
    assert (exact.tried, exact.exact) == (5040, True)
    assert (drawn.tried, drawn.exact) == (301, False)
    assert sorted(drawn.order.tolist()) == list(range(9))
    assert drawn.run.mistakes > many.mistakes
    rows = ", ".join(map(str, exact.order))
    most = f"{exact.run.mistakes} mistakes, the most in all 5,040 orders>"
    assert repr(exact) == f"<WorstOrder {rows}: {most}"
    one = textbook.worst_order(textbook.origin_perceptron([[0.0]], [1]))
    assert repr(one) == "<WorstOrder 0: 1 mistake, in the only order>"
    assert repr(drawn).endswith(f": {drawn.run.mistakes} mistakes, the most in 301 of the orders>")


def test_a_run_that_is_the_worst_keeps_its_order():
    run = textbook.origin_perceptron([[1.0, 0.0], [0.0, 1.0]], [1, 1])
    assert run.worst_order().order.tolist() == [0, 1]


def test_runs_without_a_worst_order_are_refused(monkeypatch):
    square = toys.xor()
    with pytest.raises(ValueError, match="without a separator every order makes mistakes for ever"):
        textbook.perceptron(square.X, square.y, max_epochs=9).worst_order()
    with pytest.raises(ValueError, match=r"takes rows in order .* got one of augmented_perceptron"):
        textbook.augmented_perceptron([[1.0], [2.0]], [1, -1]).worst_order()
    assert textbook.origin_perceptron(square.X, square.y).worst_order().exact  # one pass ends
    X, y = separable_rows(15, 7)
    assert certify(X, y).status == "separable"
    run = textbook.perceptron(X, y)
    monkeypatch.setattr(orders, "MAX_EPOCHS", run.epochs)
    assert run.converged
    with pytest.raises(ValueError, match=f"still makes mistakes after {run.epochs} epochs"):
        run.worst_order()
