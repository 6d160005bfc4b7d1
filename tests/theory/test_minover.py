"""MinOver against its theorem: the bound of its updates, and the margin that it approaches."""

import numpy as np
import pytest

from rosenblatt import Perceptron, certify, rules, toys


@pytest.fixture(scope="module")
def separable():
    """Rows with their last column 1, labels, and the maximal margin over all (w, b)."""
    toy = toys.separable(60, 3, margin=0.2)
    rows = np.column_stack([toy.X, np.ones(60)])
    low, high = certify(rows, toy.y, fit_intercept=False).margin
    assert high - low < 1e-5
    return rows, toy.y, low


def margin_of(model, rows, y):
    w = np.append(model.coef_, model.intercept_) if model.fit_intercept else model.coef_[0]
    return (y * (rows @ w)).min() / np.linalg.norm(w)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_margin_approaches_the_maximal_one_within_the_bound(separable, fit_intercept):
    rows, y, largest = separable
    X = rows[:, :-1] if fit_intercept else rows
    square, reached = (rows * rows).sum(axis=1).max(), []
    for c in (0.1 * square, square, 10 * square):
        rule = rules.MinOver(0.5, c)
        model = Perceptron(rule=rule, fit_intercept=fit_intercept, max_iter=10**5).fit(X, y)
        assert model.converged_
        assert (y * model.decision_function(X)).min() >= c
        assert model.updates_ == model.n_iter_ - 1 <= (square + 2 * c / rule.eta) / largest**2
        reached.append(margin_of(model, rows, y) / largest)
        assert c / (rule.eta * square + 2 * c) <= reached[-1] <= 1 + 1e-6
    assert reached[0] < reached[1] < reached[2]
    assert reached[2] > 0.97


def test_a_row_of_exactly_c_is_not_learned():
    rule = rules.MinOver(0.5, 2.0)
    assert [rule.step(s, -1.0, 1.0) for s in (-2.0, -1.9, 5.0)] == [0.0, -0.5, -0.5]
    assert [rule.loss(s, -1.0) for s in (-2.0, -1.5, 1.0)] == [0.0, 0.5, 3.0]
    assert rule.overlap(-3.0, -1.0) == 3.0


@pytest.mark.parametrize("field", ["eta", "c"])
def test_fields_are_positive(field):
    with pytest.raises(ValueError, match=f"MinOver cannot have {field}=0"):
        rules.complete(rules.MinOver(**{field: 0.0}))
