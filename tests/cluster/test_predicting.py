"""Probabilities of rows on a cluster: those of the model in this process."""

import dask.array as da
import numpy as np
import pytest

from rosenblatt.dask import DaskPerceptron


@pytest.mark.parametrize("params", [{"rule": "auto"}, {"probabilities": True}], ids=str)
def test_probabilities_are_those_of_the_model_here(client, digits, folder, params):
    X, y = digits
    rows, labels = da.from_array(X, chunks=(600, 64)), da.from_array(y, chunks=600)
    model = DaskPerceptron(max_iter=1, tol=None, **params).fit(rows, labels)
    expected = model.to_local().predict_proba(X)
    assert expected.shape == (len(y), 10)
    lazy = model.predict_proba(rows)
    assert lazy.shape == expected.shape
    np.testing.assert_array_equal(lazy.compute(), expected)
    np.testing.assert_array_equal(model.predict_proba(X[:7]), expected[:7])
    first = model.predict_proba(str(folder / "part-0.svm"))[0].compute()
    np.testing.assert_array_equal(first, expected[: len(first)])


def test_scores_without_probabilities_say_how_to_have_them(client, digits):
    X, y = digits
    model = DaskPerceptron(max_iter=1, tol=None).fit(da.from_array(X), da.from_array(y))
    with pytest.raises(AttributeError, match="probabilities=True"):
        model.predict_proba(X)
