"""Processes of a cluster that tests start and kill: a scheduler, workers, and a client."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

SLOW = 0.1
"""Seconds that a slow shard takes, so that a test can kill what learns it."""


def slow_batch(X, y, marks):
    """A batch that takes a while, and leaves a mark with the process that makes it."""
    Path(marks, f"{os.getpid()}-{time.monotonic_ns()}").touch()
    time.sleep(SLOW)
    return X, y


def kill_one_in_each_round(marks, rounds, stop):
    """Kill, in every round, the first process that leaves a mark; return how many were killed.

    ``rounds()`` is the number of the present round; ``stop`` is an event.
    """
    killed, done = 0, -1
    while not stop.is_set():
        fresh = [] if done == rounds() else list(Path(marks).iterdir())
        if fresh:
            done = rounds()
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(fresh[-1].name.partition("-")[0]), signal.SIGKILL)
                killed += 1
        for mark in Path(marks).iterdir():
            mark.unlink(missing_ok=True)
        time.sleep(0.005)
    return killed


@contextlib.contextmanager
def process(*arguments, **env):
    """Run a module of Python, and kill it at the end."""
    child = subprocess.Popen(
        [sys.executable, *arguments],
        env=os.environ | env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield child
    finally:
        child.kill()
        child.wait()


def scheduler(path):
    """Start a scheduler; its address will be in a file at ``path``."""
    options = ["--scheduler-file", str(path), "--port", "0", "--host", "127.0.0.1"]
    return process("-m", "distributed.cli.dask_scheduler", *options, "--no-dashboard")


def worker(address, **env):
    """Start a worker without a nanny."""
    options = ["--nthreads", "1", "--no-nanny", "--no-dashboard"]
    return process("-m", "distributed.cli.dask_worker", address, *options, **env)
