"""The parallel map that works ahead of its consumer."""

import threading
import time

import pytest

from rosenblatt.streams.io.prefetch import prefetch_map


def test_results_are_in_order_and_precede_an_error():
    def items():
        yield from range(20)
        raise OSError("gone")

    came = []
    with pytest.raises(OSError, match="gone"):
        list(ahead_of(lambda x: 2 * x, items(), came))
    assert came == [2 * x for x in range(20)]

    came.clear()
    with pytest.raises(ZeroDivisionError):
        list(ahead_of(lambda x: 6 // (3 - x), range(20), came))
    assert came == [2, 3, 6], "nothing behind the failure comes out"


def ahead_of(work, items, came):
    for result in prefetch_map(work, items):
        came.append(result)
        yield result


def test_the_map_can_be_left_early():
    endless = prefetch_map(str, iter(int, 1))
    assert next(endless) == "0"
    endless.close()


def test_a_map_that_is_left_waits_for_its_work_and_joins_no_thread(monkeypatch):
    done = []

    def work(x):
        time.sleep(0.05)
        done.append(x)

    def joined(*_):
        raise AssertionError("a thread was joined")

    left = prefetch_map(work, iter(int, 1))
    next(left)
    monkeypatch.setattr(threading.Thread, "join", joined)
    left.close()
    count = len(done)
    time.sleep(0.2)
    assert len(done) == count >= 1


def test_a_map_that_its_own_thread_collects_does_not_wait_for_itself():
    suspended, closed = threading.Event(), threading.Event()
    maps = []

    def work(x):
        if x == 1:
            suspended.wait(30)
            maps.pop().close()  # as the garbage collector does, in whatever thread it runs
            closed.set()

    left = prefetch_map(work, iter(range(99)))
    maps.append(left)
    next(left)
    suspended.set()
    assert closed.wait(30)
