"""Work on what comes next while what came before is being learned."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

MOST_THREADS = 6  # more would only wait for the learner

A = TypeVar("A")
B = TypeVar("B")


def mapped_ahead(
    work: Callable[[A], B], items: Iterable[A], each: int = 3
) -> Iterator[tuple[A, B]]:
    """Each item and ``work(item)``, in the order of the items, worked on in threads.

    One thread a core, up to six, and at most ``each`` items a thread ahead: memory stays bounded,
    and what comes out does not depend on timing. Items are drawn by the caller's thread, so waiting
    for a pipe can be interrupted. What precedes a failure, of an item or of the work on it, comes
    out before it.

    Parameters
    ----------
    work : callable
        Must release Python's lock to gain anything.
    items : iterable
    each : int, default 3
        With one the learner is often asleep when the threads ask for more; but what comes from a
        pipe is wanted soon.

    Examples
    --------
    >>> list(mapped_ahead(lambda x: x * x, [1, 2, 3]))
    [(1, 1), (2, 4), (3, 9)]
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
    threads = min(cores, MOST_THREADS)
    waiting: deque[tuple[A, Future[B]]] = deque()
    failure: Exception | None = None
    upcoming = iter(items)
    with ThreadPoolExecutor(threads) as pool:
        while True:
            try:
                item = next(upcoming)
            except StopIteration:
                break
            except Exception as error:  # raised behind what came before it
                failure = error
                break
            waiting.append((item, pool.submit(work, item)))
            if len(waiting) > each * threads:
                yield _next(waiting)
        while waiting:
            yield _next(waiting)
    if failure is not None:
        raise failure


def _next(waiting: deque[tuple[A, Future[B]]]) -> tuple[A, B]:
    item, done = waiting.popleft()
    return item, done.result()
