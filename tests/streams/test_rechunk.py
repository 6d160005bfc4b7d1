"""Streams whose batches are shuffled or split."""

from time import process_time

import numpy as np
from command import FOUR
from sklearn.datasets import load_iris

from rosenblatt import streams
from rosenblatt.streams import Batch
from rosenblatt.streams.rechunk import RechunkedBatches, ShuffledBatches, SplitBatches


def test_each_epoch_has_all_rows_in_another_order():
    X, y = load_iris(return_X_y=True)
    batches = [Batch(X[:99], y[:99], 0), Batch(X[99:], y[99:], 99)]
    for shuffled in (ShuffledBatches(batches, 0), ShuffledBatches(batches, 0)):
        first, second = (np.vstack([b.X for b in shuffled]) for _ in range(2))
        assert not np.array_equal(first, second)
        assert np.array_equal(np.sort(first, axis=0), np.sort(X, axis=0))


def test_shuffled_sparse_rows_have_the_largest_width(tmp_path):
    path = tmp_path / "wide.svm"
    path.write_text(FOUR + "+1 9:1\n")
    (batch,) = ShuffledBatches(streams.open_stream(path, batch_bytes=20), 0)
    assert batch.X.shape == (5, 9)
    assert sorted(batch.y) == [-1, -1, 1, 1, 1]


def test_split_batches_have_all_rows():
    (batch,) = streams.open_stream("sklearn:digits")
    parts = list(SplitBatches(streams.open_stream("sklearn:digits"), 500))
    assert [len(part.y) for part in parts] == [500, 500, 500, 297]
    assert [part.first_row for part in parts] == [0, 500, 1000, 1500]
    assert np.array_equal(np.vstack([part.X for part in parts]), batch.X)
    assert [len(part.y) for part in ShuffledBatches([batch], 0, 1000)] == [1000, 797]


def test_rechunked_batches_of_single_rows_take_linear_time():
    batches = [Batch(np.ones((1, 1)), np.array([k]), k) for k in range(20_001)]
    begin = process_time()
    parts = list(RechunkedBatches(batches, 10_000))
    assert process_time() - begin < 5  # seconds; with a sum for each batch, half a minute
    assert [(len(part.y), part.first_row) for part in parts] == [
        (10_000, 0),
        (10_000, 10_000),
        (1, 20_000),
    ]
    assert np.concatenate([part.y for part in parts]).tolist() == list(range(20_001))
