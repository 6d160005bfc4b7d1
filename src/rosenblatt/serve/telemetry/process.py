"""The process as the system sees it, under the names that Prometheus has for every program."""

from __future__ import annotations

import os
import resource
import time
from contextlib import suppress

START = time.time()
"""When this module was imported: the start of the process, but for a second."""


def memory() -> float | None:
    """Return the bytes in memory; None where the system has no /proc."""
    with suppress(OSError), open("/proc/self/statm", "rb") as file:
        return float(file.read().split()[1]) * resource.getpagesize()
    return None


def processor_seconds() -> float:
    """Return the time of all processors so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def open_files() -> float | None:
    """Return the number of open files and connections; None where the system has no /proc."""
    with suppress(OSError):
        return float(len(os.listdir("/proc/self/fd")))
    return None
