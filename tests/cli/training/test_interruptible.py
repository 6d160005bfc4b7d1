"""A stream that a signal ends between two batches."""

import signal

import numpy as np

from rosenblatt.cli.training.interruptible import InterruptibleStream
from rosenblatt.streams import Batch


def test_a_signal_waits_for_the_batch_but_ends_reading_at_once():
    def waiting():
        yield batch
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("not reached")

    batch = Batch(np.ones((2, 1)), np.array([0, 1]), 0)
    before = signal.getsignal(signal.SIGINT)
    with InterruptibleStream([batch, batch], lambda *_: None) as rows:
        for _ in rows:
            signal.raise_signal(signal.SIGINT)  # while learning
        assert (rows.examples, rows.interrupted, list(rows)) == (2, True, [])
    with InterruptibleStream(waiting(), lambda *_: None) as rows:
        assert len(list(rows)) == 1  # while reading
        assert rows.interrupted
    assert signal.getsignal(signal.SIGINT) is before
