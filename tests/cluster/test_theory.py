"""The theorem of McDonald, Hall and Mann 2010 beside runs, and their counterexample."""

import dask.array as da
import numpy as np
import pytest

from rosenblatt import Perceptron, theory, toys
from rosenblatt.dask import DaskPerceptron

PLAIN = {"fit_intercept": False, "tol": None}
# Theorem 2: four instances of two shards, as differences of the features of their two labels.
X = np.array([[1.0, 1, 0], [0, 0, 1], [0, 1, 1], [1, 0, 0]])
Y = np.array([-1, 1, -1, 1])
SHARDS = [slice(0, 2), slice(2, 4)]
COUNTEREXAMPLE = PLAIN | {"tie": 1, "shuffle": False}


@pytest.mark.parametrize(("shards", "seed"), [(1, 0), (3, 1), (8, 0)])
def test_mistakes_and_epochs_stay_within_the_bounds(client, shards, seed):
    toy = toys.separable(240, 6, margin=0.1, radius=1.0, seed=seed)
    rows, labels = da.from_array(toy.X), da.from_array(toy.y)
    uniform = DaskPerceptron(shards=shards, max_iter=500, **PLAIN).fit(rows, labels)
    assert uniform.converged_
    assert uniform.mistakes_ <= theory.shards_bound(toy.R, toy.gamma, shards)
    by_errors = DaskPerceptron(shards=shards, max_iter=500, mixing="errors", **PLAIN)
    by_errors.fit(rows, labels)
    assert by_errors.converged_
    assert by_errors.n_iter_ - 1 <= theory.epochs_bound(toy.R, toy.gamma)


def test_mixing_once_fails_where_mixing_every_round_separates():
    lone = [Perceptron(**COUNTEREXAMPLE).fit(X[part], Y[part]) for part in SHARDS]
    assert all(model.converged_ for model in lone)
    assert [model.coef_[0].tolist() for model in lone] == [[-1, -1, 0], [0, -1, -1]]
    for share in np.linspace(0.0, 1.0, 11):
        once = share * lone[0].coef_[0] + (1 - share) * lone[1].coef_[0]
        assert (np.where(X @ once >= 0, 1, -1) != Y).any()
    mixed = Perceptron(shards=2, **COUNTEREXAMPLE).fit(X, Y)
    assert mixed.converged_
    assert mixed.coef_[0].tolist() == [0.0, -1.0, 0.0]
    assert mixed.predict(X).tolist() == Y.tolist()


@pytest.mark.parametrize("mixing", ["uniform", "errors"])
def test_the_counterexample_is_separated_on_a_cluster(client, mixing):
    rows, labels = da.from_array(X, chunks=(2, 3)), da.from_array(Y, chunks=2)
    model = DaskPerceptron(mixing=mixing, max_iter=20, **COUNTEREXAMPLE).fit(rows, labels)
    assert model.converged_
    assert model.predict(X).tolist() == Y.tolist()
    separator = np.array([2.0, -4.0, 2.0])  # printed: [-1 2 -1 1 -2 1]
    gamma = theory.margin(X, Y, separator)
    bound = theory.shards_bound(theory.radius(X), gamma, 2)
    assert model.mistakes_ <= bound
