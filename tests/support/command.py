"""The command ``rosenblatt`` as a process of its own, small files for it, and what it prints."""

import contextlib
import json
import os
import signal
import threading

from forked import Piped, command

FOUR = "+1 1:1 2:0.5\n-1 1:-1 3:1\n+1 1:2\n-1 1:-2\n"
TABLE = "a,b,kind\n1,2,yes\n-1,0,no\n3,1,yes\n-2,0,no\n"


_children: list[Piped] = []


def spawn(*args, **options):
    """Start the command; it ends with the test at the latest."""
    env = os.environ | options.pop("env", {})
    child = Piped(command(*args), env=env, **options)
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


def joined(text):
    """Join the lines of printed text."""
    return " ".join(text.split())


def without_clock(out):
    """Parse the object of --json, without times."""
    record = json.loads(out)
    del record["seconds"]
    for line in record["progress"]:
        del line["rate"]
    return record
