"""The order of an epoch is scikit-learn's."""

import numpy as np
import pytest
from sklearn.linear_model import Perceptron as Theirs

from rosenblatt import Perceptron
from rosenblatt.engine.shuffle import shuffle


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1])
def test_an_order_stays_a_permutation_and_depends_on_the_seed(seed):
    order, other = np.arange(50), np.arange(50)
    shuffle(order, seed)
    shuffle(other, seed + 1 if seed < 9 else 7)
    assert sorted(order.tolist()) == list(range(50))
    if seed > 0:  # 0 stands for 1
        assert order.tolist() != other.tolist()


def test_a_shuffled_fit_has_scikit_learns_weights(rng):
    X = rng.integers(-5, 6, (80, 4)).astype(float)
    y = rng.integers(0, 2, 80)
    setting = {"max_iter": 3, "tol": None, "shuffle": True, "random_state": 7}
    ours, theirs = Perceptron(**setting).fit(X, y), Theirs(**setting).fit(X, y)
    np.testing.assert_array_equal(ours.coef_, theirs.coef_)
