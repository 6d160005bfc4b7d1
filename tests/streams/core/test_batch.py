"""Batches: concatenation of whole streams, and the cache for several epochs."""

import gzip
import io
import os

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from rosenblatt import Perceptron
from rosenblatt.progressive import learn
from rosenblatt.streams import Batch, DataError, open_stream
from rosenblatt.streams.core.batch import CachedBatches, slice_rows


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("size", [50, 1 << 22])
def test_all_rows_are_what_scikit_learn_reads(write, packed, size):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 30)) * 10.0 ** rng.integers(-300, 300, (200, 30))
    X *= rng.random((200, 30)) < 0.3
    file = io.BytesIO()
    dump_svmlight_file(X, rng.integers(0, 3, 200), file, zero_based=False)
    text = file.getvalue()
    path = write("a.svm.gz", gzip.compress(text)) if packed else write("a.svm", text)
    wanted, labels = load_svmlight_file(io.BytesIO(text))
    read, y = open_stream(path, batch_bytes=size).read()
    assert read.shape == wanted.shape
    np.testing.assert_array_equal(read.indptr, wanted.indptr)
    np.testing.assert_array_equal(read.indices, wanted.indices)
    assert read.data.tobytes() == wanted.data.tobytes()
    assert (read.indices.dtype, read.indptr.dtype) == (np.int32, np.int32)
    np.testing.assert_array_equal(y, labels)


def test_a_batch_shows_sparse_rows_of_scipy(write):
    (batch,) = open_stream(write("a.svm", "1 1:2 3:4\n-1 2:1\n"))
    X, y, *rest = batch
    assert isinstance(X, sp.csr_array)
    assert X is batch.X
    assert X.toarray().tolist() == [[2.0, 0.0, 4.0], [0.0, 1.0, 0.0]]
    assert (y.tolist(), rest[0]) == ([1, -1], 0)
    assert batch._replace(first_row=3).first_row == 3
    later = batch.replace(first_row=7)
    assert (later.first_row, later.X is X, repr(later)) == (
        7,
        True,
        "Batch(2 rows of 3 columns, first_row=7)",
    )


class Counted:
    """Count the passes over some batches."""

    def __init__(self, batches):
        self.batches, self.passes = batches, 0

    def __iter__(self):
        self.passes += 1
        yield from self.batches


def two_batches():
    X = np.arange(20.0).reshape(10, 2)
    return [Batch(X[:6], np.arange(6), 0), Batch(X[6:], np.arange(4), 6)]


def test_rows_that_fit_are_read_once():
    counted = Counted(two_batches())
    kept = CachedBatches(counted)
    for _ in range(3):
        assert [len(batch.y) for batch in kept] == [6, 4]
    assert counted.passes == 1


def test_rows_that_do_not_fit_are_read_in_every_epoch():
    counted = Counted(two_batches())
    kept = CachedBatches(counted, max_bytes=100)
    for _ in range(3):
        assert [len(batch.y) for batch in kept] == [6, 4]
    assert counted.passes == 3


def test_an_epoch_that_was_left_early_is_not_cached():
    kept = CachedBatches(Counted(two_batches()))
    next(iter(kept))
    assert [len(batch.y) for batch in kept] == [6, 4]


def test_epochs_over_cached_rows_match_epochs_over_read_rows(write):
    rng = np.random.default_rng(0)
    lines = [b"%d %d:%.3f\n" % (rng.choice([-1, 1]), k % 50 + 1, rng.normal()) for k in range(900)]
    path = write("a.svm", b"".join(lines))
    models = []
    for stream in (open_stream(path, batch_bytes=500), list(open_stream(path, batch_bytes=500))):
        model = Perceptron(shuffle=False, output="average")
        learn(model, stream, epochs=4)
        models.append(model)
    assert models[0].coef_.tobytes() == models[1].coef_.tobytes()
    os.remove(path)
    with pytest.raises(DataError):
        open_stream(path)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csr_matrix, sp.csc_array])
@pytest.mark.parametrize(
    ("start", "stop", "step"),
    [(0, None, 1), (2, 5, 1), (5, 2, 1), (9, 20, 1), (-3, None, 1), (0, 6, 2), (None, None, -1)],
)
def test_slices_equal_numpys(rng, kind, start, stop, step):
    X = rng.standard_normal((9, 4)) * (rng.random((9, 4)) < 0.4)
    part = slice_rows(kind(X), slice(start, stop, step))
    assert type(part) is type(kind(X))
    dense = part.toarray() if sp.issparse(part) else part
    np.testing.assert_array_equal(dense, X[start:stop:step])


def test_a_slice_of_sparse_rows_is_a_view(rng):
    X = sp.csr_array(rng.standard_normal((9, 4)))
    assert slice_rows(X, slice(None)) is X
    part = slice_rows(X, slice(1, 8))
    assert np.shares_memory(part.data, X.data)
    assert np.shares_memory(part.indices, X.indices)
