"""Helpers of the tests of model files: data, and the equality of models."""

import textwrap

import numpy as np
from forked import Forked

from rosenblatt import Perceptron
from rosenblatt.engine.state import arrays_of
from rosenblatt.learning.base import attributes_without_locks


def batch(seed, *, classes=3, dtype=np.float64, rows=40):
    random = np.random.RandomState(seed)
    X = random.randn(rows, 5).astype(dtype)
    y = (X @ random.randn(5, 3))[:, :classes].argmax(axis=1) if classes > 2 else X[:, 0] > 0.3
    y = np.asarray(y, dtype=np.int64)
    y[:classes] = np.arange(classes)
    return X, y


def numbers(random):
    kind, key, *rest = random.get_state()
    return [kind, key.tolist(), *rest]


def same_value(one, other):
    if isinstance(one, np.random.RandomState):
        return numbers(one) == numbers(other)
    if isinstance(one, dict):
        return repr(list(one.items())) == repr(list(other.items()))
    return type(one) is type(other) and repr(one) == repr(other)


def assert_same_bits(one, other):
    """Assert that two models have learned the same bits."""
    assert arrays_of(one._state).keys() == arrays_of(other._state).keys()
    for name, array in arrays_of(one._state).items():
        twin = arrays_of(other._state)[name]
        assert (name, array.dtype, array.shape) == (name, twin.dtype, twin.shape)
        assert array.tobytes() == twin.tobytes(), name
    for name in ("coef_", "intercept_"):
        assert (
            np.asarray(getattr(one, name)).tobytes() == np.asarray(getattr(other, name)).tobytes()
        )


def assert_same(one, other):
    """Assert equal classes, parameters, fitted attributes and bits of the state."""
    assert type(one) is type(other)
    ours, theirs = one.get_params(deep=False), other.get_params(deep=False)
    assert ours.keys() == theirs.keys()
    for name, value in ours.items():
        assert same_value(value, theirs[name]), (name, value, theirs[name])
    assert_same_bits(one, other)
    mine, yours = map(attributes_without_locks, (one, other))
    assert mine.keys() == yours.keys()
    for name in mine.keys() - ours.keys() - {"_state", "_coef"}:
        if isinstance(mine[name], np.ndarray):
            assert mine[name].dtype == yours[name].dtype, name
            assert mine[name].tolist() == yours[name].tolist(), name
        else:
            assert same_value(mine[name], yours[name]), name


def fitted(**params):
    return Perceptron().fit(*batch(0)).set_params(**params)


def run(code):
    """Run Python code in a process of its own; return what it prints."""
    process = Forked(textwrap.dedent(code))
    output, error = process.communicate(300)
    assert process.returncode == 0, error
    return output.decode()
