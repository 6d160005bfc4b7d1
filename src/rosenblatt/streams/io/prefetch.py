"""Work on what comes next while what came before is being learned."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

MAX_THREADS = 6  # more would only wait for the learner

A = TypeVar("A")
B = TypeVar("B")


def prefetch_map(
    function: Callable[[A], B], items: Iterable[A], depth: int = 3
) -> Iterator[tuple[A, B]]:
    """Each item and ``work(item)``, in the order of the items, worked on in threads.

    One thread a core, up to six, and at most ``depth`` items a thread ahead: memory stays bounded,
    and what comes out does not depend on timing. Items are drawn by the caller's thread, so waiting
    for a pipe can be interrupted. What precedes a failure, of an item or of the work on it, comes
    out before it.

    Parameters
    ----------
    function : callable
        Must release Python's lock to gain anything.
    items : iterable
    depth : int, default 3
        With one the learner is often asleep when the threads ask for more; but what comes from a
        pipe is wanted soon.

    Examples
    --------
    >>> list(prefetch_map(lambda x: x * x, [1, 2, 3]))
    [(1, 1), (2, 4), (3, 9)]
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
    threads = min(cores, MAX_THREADS)
    pending: deque[tuple[A, Future[B]]] = deque()
    failure: Exception | None = None
    iterator = iter(items)
    with ThreadPoolExecutor(threads) as pool:
        while True:
            try:
                item = next(iterator)
            except StopIteration:
                break
            except Exception as error:  # raised behind what came before it
                failure = error
                break
            pending.append((item, pool.submit(function, item)))
            if len(pending) > depth * threads:
                yield _pop_result(pending)
        while pending:
            yield _pop_result(pending)
    if failure is not None:
        raise failure


def _pop_result(pending: deque[tuple[A, Future[B]]]) -> tuple[A, B]:
    item, future = pending.popleft()
    return item, future.result()
