"""Processes of a cluster that tests start and kill: a scheduler, workers, and a client."""

import contextlib
import os
import signal
import sys
import threading
import time
from pathlib import Path

from distributed import Client
from distributed.cli import dask_scheduler, dask_worker
from distributed.utils import get_mp_context

from rosenblatt.dask import DaskPerceptron

AGE = 1.5
"""Seconds of work before a worker is killed: Dask does not restart one that dies as it starts."""


def guarded_batch(X, y, folder):
    """A batch that is made once no kill is due, and before leaves a mark of its process."""
    Path(folder, f"{os.getpid()}.mark").touch()
    while Path(folder, "due").exists():
        time.sleep(0.01)
    return X, y


def deadly_batch(X, y, folder, number, deadly):
    """A batch that leaves a mark each time it is made; its first worker dies of the deadly one."""
    with Path(folder, "made").open("ab") as file:
        file.write(bytes([number]))
    if number == deadly and not Path(folder, "died").exists():
        Path(folder, "died").touch()
        time.sleep(1.0)  # the client gets what this worker has learned so far
        os.kill(os.getpid(), signal.SIGKILL)
    return X, y


def fit_and_die(address, sources, checkpoint):
    """A client that is killed in the third epoch of its fit."""

    def kill(row, examples):
        if row[0] == 3:
            os.kill(os.getpid(), signal.SIGKILL)

    Client(address)
    DaskPerceptron(max_iter=6, tol=None).fit(sources, checkpoint=checkpoint, report=kill)


class Killer(threading.Thread):
    """A thread that kills a worker whenever a kill is due, in the middle of its task."""

    def __init__(self, folder):
        super().__init__()
        self.folder, self.killed, self.stopped = Path(folder), 0, threading.Event()

    def order(self):
        """Let one worker be killed; tasks wait until it was."""
        (self.folder / "due").touch()

    def run(self):
        first = {}
        while not self.stopped.wait(0.01):
            if not (self.folder / "due").exists():
                continue
            for mark in self.folder.glob("*.mark"):
                first.setdefault(mark, time.monotonic())
            oldest = min(first, key=first.get, default=None)
            if oldest is not None and time.monotonic() - first[oldest] > AGE:
                del first[oldest]
                oldest.unlink(missing_ok=True)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(oldest.stem), signal.SIGKILL)
                    self.killed += 1
                    (self.folder / "due").unlink()

    def stop(self):
        self.stopped.set()
        (self.folder / "due").unlink(missing_ok=True)
        self.join()


@contextlib.contextmanager
def process(target, *arguments):
    """Run a function in a process of its own, whose modules are there at once; kill it at the end.

    The process is a child of that which Dask's workers come from.
    """
    child = get_mp_context().Process(target=_in_silence, args=(target, *arguments), daemon=True)
    child.start()
    try:
        yield child
    finally:
        child.kill()
        child.join()
        child.close()


def _in_silence(target, *arguments):
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silence, stream)
    target(*arguments)


def scheduler(path):
    """Start a scheduler; its address will be in a file at ``path``."""
    options = ["--scheduler-file", str(path), "--port", "0", "--host", "127.0.0.1"]
    return process(_schedule, [*options, "--no-dashboard"])


def _schedule(options):
    dask_scheduler.main(options)


def worker(address, *folders):
    """Start a worker without a nanny, which looks for packages in these folders first."""
    options = ["--nthreads", "1", "--no-nanny", "--no-dashboard"]
    return process(_work, folders, [address, *options])


def _work(folders, arguments):
    sys.path[:0] = folders
    dask_worker.main(arguments)
