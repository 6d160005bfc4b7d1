"""Errors of data."""

import pickle

from rosenblatt.streams import DataError


def test_errors_can_be_pickled():
    error = pickle.loads(pickle.dumps(DataError("a.svm", "no.", 3)))
    assert (str(error), error.source, error.line, error.column) == (
        "a.svm:3: no.",
        "a.svm",
        3,
        None,
    )
