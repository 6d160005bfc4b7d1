"""Locks around numba's compiler: test processes that run side by side compile each loop once.

numba writes its cache after it has compiled: workers that meet at a loop would all compile it, and
the last to write the index would drop the entries of the others. Here a process locks the index of
a function before it compiles; the others wait, then read the machine code from the cache.
"""

import fcntl
import threading
from contextlib import contextmanager

from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

_locked = threading.local()
_compile = Dispatcher.compile


@contextmanager
def _index_locked(path):
    """Hold the lock of a cache index; a function that calls itself takes it once."""
    names = vars(_locked).setdefault("names", set())
    if path in names:
        yield
        return
    with open(path + ".lock", "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        names.add(path)
        try:
            yield
        finally:
            names.remove(path)


def _compile_once(self, signature):
    path = getattr(getattr(self._cache, "_cache_file", None), "_index_path", None)
    if path is None or signature in self.overloads:  # not cached, or in this process already
        return _compile(self, signature)
    self._cache._impl.locator.ensure_cache_path()
    # Threads take numba's own lock first, so that none waits for it with an index locked.
    with global_compiler_lock, _index_locked(path):
        return _compile(self, signature)


def install():
    """Put the locks around the compiler of this process."""
    Dispatcher.compile = _compile_once
