"""Ctrl-C that waits for the end of a block."""

import signal
import threading

import pytest

from rosenblatt.engine.interrupts import uninterrupted


def test_ctrl_c_waits_for_the_end_of_the_block():
    steps = []

    def work():
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            steps.append("end")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["end"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_is_not_lost_in_an_error():
    def work():
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            raise ValueError

    with pytest.raises(KeyboardInterrupt):
        work()


def test_another_thread_is_not_interrupted():
    results = []

    def work():
        with uninterrupted():
            results.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert results == [signal.default_int_handler]
