"""Memory of workers of Dask: kept while a shard is learned, and given back after it."""

import os
import subprocess
import sys

import pytest

from rosenblatt.cluster.memory import memory_kept

SCRIPT = """
import resource, threading
from rosenblatt.cluster.memory import memory_kept

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        b"x" * (1 << 22)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

def inside():
    with memory_kept():
        faults()
        print(faults())

inside()
with memory_kept():
    inside()
    print(faults())
print(faults())
thread = threading.Thread(target=inside)
thread.start()
thread.join()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts the pages of Linux")
def test_memory_is_kept_within_and_given_back_after():
    env = os.environ | {"MALLOC_TRIM_THRESHOLD_": "65536"}  # as Dask starts a worker
    run = subprocess.run([sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    first, inner, outer, after, of_thread = map(int, run.stdout.split())
    assert max(first, inner, outer, of_thread) < 1024  # pages of one array
    assert after > 10 * 1024


def test_windows_is_not_asked_for_the_library(monkeypatch):
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")  # Dask sets it there, too
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr("ctypes.CDLL", lambda name: pytest.fail("a TypeError on Windows"))
    with memory_kept():
        pass
