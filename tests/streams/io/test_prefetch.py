"""The parallel map that works ahead of its consumer."""

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
    for item, result in prefetch_map(work, items):
        came.append(result)
        yield item, result


def test_the_map_can_be_left_early():
    endless = prefetch_map(str, iter(int, 1))
    assert next(endless) == (0, "0")
    endless.close()
