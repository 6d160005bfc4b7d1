"""Comparison of a fit on a cluster with one in this process, to the last bit."""

import numpy as np

from rosenblatt.engine.state import arrays_of

COLUMNS = ["epoch", "mistakes", "updates", "errors", "criterion", "norm"]


def assert_same_weights(model, other):
    """The same state and weights, after as many epochs."""
    model = model.to_local() if hasattr(model, "to_local") else model
    other = other.to_local() if hasattr(other, "to_local") else other
    for name, one in arrays_of(model._state).items():
        two = arrays_of(other._state)[name]
        assert one.dtype == two.dtype, name
        np.testing.assert_array_equal(one, two, err_msg=name)
    assert model.coef_.tobytes() == other.coef_.tobytes()
    assert (model.n_iter_, model.converged_) == (other.n_iter_, other.converged_)


def assert_same_bits(model, other):
    """The same state, weights and history, but for the seconds."""
    assert_same_weights(model, other)
    for name in COLUMNS:
        assert model.history_[name].tobytes() == other.history_[name].tobytes(), name
