"""Digests of rows: independent of batches and types, and different for different rows."""

import numpy as np
import scipy.sparse as sp

from rosenblatt.streams.core.batch import Batch
from rosenblatt.streams.core.digests import label_digests, row_digests


def test_a_change_of_a_label_a_column_or_a_value_is_seen():
    X = sp.csr_array(np.array([[0.0, 2.0, 3.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
    y = np.array([0, 1, 1])
    digests = row_digests(Batch(X, y, 0))
    assert digests[1].tolist() == [*label_digests(y[1:2]), 0, 0, 0]
    for changed, labels in ((X[:, [1, 0, 2]], y), (2 * X, y), (X, 1 - y)):
        others = row_digests(Batch(sp.csr_array(changed), labels, 0))
        assert (others[[0, 2]] != digests[[0, 2]]).any(axis=1).all()
    wider = sp.csr_array((X.data, X.indices, X.indptr), shape=(3, 9))
    np.testing.assert_array_equal(row_digests(Batch(wider, y.astype(float), 0)), digests)


def test_words_of_wider_batches_have_the_same_digests():
    words = np.array(["no", "yes", "on"])
    assert label_digests(words).tolist() == label_digests(words.astype("U40")).tolist()
    assert len(set(label_digests(words).tolist())) == 3


def test_no_labels_have_no_digests():
    for dtype in (str, object, int):
        assert label_digests(np.array([], dtype)).tolist() == []
