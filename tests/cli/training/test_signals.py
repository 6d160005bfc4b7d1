"""A stream that a signal ends between two batches."""

import signal

import numpy as np

from rosenblatt.cli.training.signals import Signals
from rosenblatt.streams import Batch


def test_a_signal_waits_for_the_batch_but_ends_reading_at_once():
    def waiting():
        yield batch
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("not reached")

    batch = Batch(np.ones((2, 1)), np.array([0, 1]), 0)
    before = signal.getsignal(signal.SIGINT)
    with Signals() as signals:
        rows = 0
        for part in signals.batches([batch, batch]):
            rows += len(part.y)
            signal.raise_signal(signal.SIGINT)  # while learning
        assert (rows, signals.number) == (2, signal.SIGINT)
        assert list(signals.batches([batch])) == []
    with Signals() as signals:
        assert len(list(signals.batches(waiting()))) == 1  # while reading
        assert signals.number == signal.SIGINT
    assert signal.getsignal(signal.SIGINT) is before
