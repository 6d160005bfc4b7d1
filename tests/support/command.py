"""The command ``rosenblatt`` as a process of its own, and small files for it."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import rosenblatt

FOUR = "+1 1:1 2:0.5\n-1 1:-1 3:1\n+1 1:2\n-1 1:-2\n"
TABLE = "a,b,kind\n1,2,yes\n-1,0,no\n3,1,yes\n-2,0,no\n"


_children: list[subprocess.Popen] = []


def spawn(*args, **options):
    """Start the command; it handles SIGINT even if the test runner ignores it.

    It ends with the test at the latest.
    """
    home = str(Path(rosenblatt.__file__).parents[1])
    env = os.environ | {"PYTHONPATH": home} | options.pop("env", {})
    command = [sys.executable, "-m", "rosenblatt", *map(str, args)]
    options = {"text": True, "preexec_fn": default_signals} | options
    child = subprocess.Popen(command, env=env, **options)
    _children.append(child)
    return child


def interrupt_at(process, text, examples):
    """Feed text to a process until its table shows this number of examples; send SIGINT.

    Returns the rest of standard error.
    """

    def feed():
        with contextlib.suppress(OSError):
            while process.poll() is None:
                process.stdin.write(text)

    feeder = threading.Thread(target=feed)
    feeder.start()
    for line in process.stderr:
        if line.split()[:1] == [examples]:
            break
    process.send_signal(signal.SIGINT)
    err = process.stderr.read()
    feeder.join()
    with contextlib.suppress(OSError):
        process.stdin.close()
    process.stderr.close()
    return err


def end_children():
    """Kill the processes that a test left running, and close their pipes."""
    for child in _children:
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout, child.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
    _children.clear()


def default_signals():
    """Restore the default handler of SIGINT, which background jobs of a shell ignore."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
