"""Memory of a worker of Dask while it reads and learns a shard.

Dask starts workers with ``MALLOC_TRIM_THRESHOLD_=65536``, so that what a task has freed goes back
to the system. GNU's C library then also gives back each array of more than 128 KiB as it is freed,
and a shard, which is read in batches of some MiB, asks for the same memory again and again: an
epoch of text takes half as long again. Here the library's own limits hold while a shard is
learned, and Dask's again after it.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_TRIM, _MMAP = -1, -3
"""M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of GNU's ``malloc.h``."""

_KEPT = {_MMAP: 32 << 20, _TRIM: 64 << 20}
"""Bytes up to which the library moves its limits by itself, where nothing sets them."""

_VARIABLES = {
    _MMAP: ("MALLOC_MMAP_THRESHOLD_", 128 << 10),
    _TRIM: ("MALLOC_TRIM_THRESHOLD_", 128 << 10),
}
"""Environment variables that set the limits, and the library's values without them."""

_lock, _users = Lock(), 0


@contextmanager
def memory_kept() -> Iterator[None]:
    """Keep freed memory for the next arrays, in all threads; do so in workers of Dask only.

    Examples
    --------
    >>> with memory_kept():
    ...     sum(range(4))
    6
    """
    # Dask sets the variable on every system; Windows cannot even be asked for the library
    if sys.platform == "win32" or "MALLOC_TRIM_THRESHOLD_" not in os.environ:
        yield
        return
    _count_users(1)
    try:
        yield
    finally:
        _count_users(-1)


def _count_users(change: int) -> None:
    """Count the tasks that want memory kept; set the limits at the first, and after the last."""
    global _users
    set_limit = getattr(ctypes.CDLL(None), "mallopt", None)  # GNU's C library alone has it
    with _lock:
        _users += change
        if set_limit is None or _users != (change > 0):
            return
        for limit, (name, default) in _VARIABLES.items():
            set_limit(limit, _KEPT[limit] if _users else int(os.environ.get(name, default)))
