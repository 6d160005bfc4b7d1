"""Error estimates from mistakes agree with held-out errors and bounds."""

import numpy as np
import pytest
from real_data import real_data

from rosenblatt import studies, toys
from rosenblatt.studies import common


def halves(toy):
    n = len(toy.y) // 2
    return toy.X[:n], toy.y[:n], toy.X[n:], toy.y[n:]


def test_L2_4_mistakes_estimate_the_error_of_the_weights_on_the_way():
    study = studies.error_from_mistakes(*halves(toys.separable(8000, 5, margin=0.01)), orders=20)
    assert study.n == 4000
    assert study.progressive.mean() == pytest.approx(study.drawn.mean(), rel=0.15)
    assert study.covered > 0.9
    assert (study.low <= study.progressive).all()
    assert (study.progressive <= study.high).all()
    assert study.promised == pytest.approx(2 * study.progressive.mean())
    assert study.vote.mean() <= study.promised <= study.slack < 1


def test_L2_4_the_vote_errs_at_most_twice_as_often_as_its_voters(rng):
    X = rng.standard_normal((400, 4))
    y = np.where(X[:, 0] + rng.standard_normal(400) > 0, 1, -1)
    study = studies.error_from_mistakes(X[:200], y[:200], X[200:], y[200:])
    assert (study.vote <= 2 * study.drawn).all()
    assert study.average.mean() < study.drawn.mean()


def test_L2_4_the_weights_on_the_way_are_those_of_a_loop(rng):
    X, y = rng.standard_normal((80, 3)), rng.choice([-1, 1], 80)
    X_new, y_new = rng.standard_normal((50, 3)), rng.choice([-1, 1], 50)
    study = studies.error_from_mistakes(X, y, X_new, y_new, orders=1)
    order = common.random_orders(80, 1, 0)[0]
    w, b, weights = np.zeros(3), 0.0, []
    for x, sign in zip(X[order], y[order], strict=True):
        weights.append((w, b))
        if sign * (x @ w + b) <= 0:
            w, b = w + sign * x, b + sign
    signed = np.array([y_new * (X_new @ w + b) for w, b in weights])
    assert study.drawn[0] == pytest.approx((signed <= 0).mean())
    assert study.average[0] == pytest.approx((signed.sum(axis=0) <= 0).mean())
    assert study.vote[0] == pytest.approx((np.sign(signed).sum(axis=0) <= 0).mean())
    assert study.last[0] == pytest.approx((y_new * (X_new @ w + b) <= 0).mean())


def test_L2_4_on_mail():
    rows = np.loadtxt(real_data("spambase", "spam.data.xz"))
    new = np.loadtxt(real_data("spambase", "spam.traintest")) == 1
    X, y = np.log1p(rows[:, :-1]), np.where(rows[:, -1] > 0, 1, -1)
    study = studies.error_from_mistakes(X[~new], y[~new], X[new], y[new])
    assert study.covered > 0.9
    assert study.progressive.mean() == pytest.approx(study.drawn.mean(), rel=0.1)
    assert study.vote.max() < study.progressive.min()
