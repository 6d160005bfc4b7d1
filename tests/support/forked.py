"""Python code as a process of its own, forked from one that has made the imports of the library.

They would take more time than most of what a test asks of the process.
"""

import contextlib
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

PRELOADED = [
    *["apsw", "click", "httptools", "msgspec", "starlette.applications", "uvloop"],
    *["starlette.middleware", "starlette.responses", "starlette.routing", "uvicorn"],
    *["uvicorn.lifespan.on", "uvicorn.protocols.http.httptools_impl", "email.policy"],
    *["urllib.request", "rosenblatt.cli.main", "rosenblatt.learning.models.files"],
    *["rosenblatt.learning.online.classifier", "rosenblatt.estimators.kernel"],
    *["rosenblatt.cli.training.run", "rosenblatt.streams.opening"],
]
"""None of the service's own modules: code sets constants before others import them."""

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(PRELOADED)


def command(*arguments):
    """Return the code of ``rosenblatt`` with these arguments."""
    start = "import sys; from rosenblatt.cli.main import main; sys.argv[1:] ="
    return f"{start} {[*map(str, arguments)]}; main()\n"


def script(path, *arguments):
    """Return the code of a Python file with these arguments."""
    start = f"import runpy, sys; sys.path.insert(0, {str(Path(path).parent)!r})"
    run = f"runpy.run_path({str(path)!r}, run_name='__main__')"
    return f"{start}; sys.argv = {[*map(str, (path, *arguments))]}; {run}\n"


class _Process:
    """A process that runs code, with methods of ``subprocess.Popen``.

    ``streams`` are the files of its standard input, output and error; None leaves one as it is.
    """

    def __init__(self, code, env, streams):
        passed = [stream and Connection(os.dup(stream)) for stream in streams]
        given = (code, dict(env), os.getcwd(), passed)
        self._process = _context.Process(target=_run, args=given, daemon=True)
        self._process.start()
        for connection in filter(None, passed):
            connection.close()
        self.pid = self._process.pid

    @property
    def returncode(self):
        return self._process.exitcode

    def poll(self):
        return self.returncode

    def send_signal(self, number):
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout=300):
        """Wait for the end; one that does not come in time is a failure, and its reader ends."""
        self._process.join(timeout)
        if self.returncode is None:
            self.kill()
            raise AssertionError(f"it still ran after {timeout} s")
        return self.returncode


class Forked(_Process):
    """Standard output is bytes; standard error is text, which a file keeps until the end."""

    def __init__(self, code, *, env=os.environ, stdin=b""):
        with contextlib.ExitStack() as files:
            given, self._error = (files.enter_context(tempfile.TemporaryFile()) for _ in range(2))
            given.write(stdin)
            given.seek(0)
            reader, writer = os.pipe()
            files.callback(os.close, writer)
            self.stdout = os.fdopen(reader, "rb")
            super().__init__(code, env, [given.fileno(), writer, self._error.fileno()])
            self._error = os.fdopen(os.dup(self._error.fileno()), errors="backslashreplace")
        self._said = None

    def communicate(self, timeout=300):
        """Wait for the end; return standard output and standard error."""
        if self._said is None:
            with ThreadPoolExecutor(1) as pool, self.stdout, self._error:
                output = pool.submit(self.stdout.read)  # a full pipe would keep it from its end
                self.wait(timeout)
                self._error.seek(0)
                self._said = output.result(), self._error.read()
        return self._said


class Piped(_Process):
    """Standard streams are those of ``subprocess.Popen``: pipes, files, or as they are."""

    def __init__(self, code, *, env=os.environ, text=True, **streams):
        passed = []
        with contextlib.ExitStack() as theirs:
            for name in ("stdin", "stdout", "stderr"):
                stream, ours = streams.get(name), None
                if stream == subprocess.PIPE:
                    mode = "w" if name == "stdin" else "r"
                    end, stream = os.pipe() if mode == "r" else os.pipe()[::-1]
                    theirs.callback(os.close, stream)
                    ours = os.fdopen(end, mode if text else f"{mode}b")
                elif stream == subprocess.DEVNULL:
                    stream = theirs.enter_context(open(os.devnull, "r+")).fileno()
                setattr(self, name, ours)
                passed.append(stream)
            super().__init__(code, env, passed)

    def communicate(self, given=None, timeout=300):
        """Write to standard input; return standard output and standard error after the end."""
        with ThreadPoolExecutor(2) as pool, contextlib.ExitStack() as ours:
            reads = [
                pipe and pool.submit(ours.enter_context(pipe).read)
                for pipe in (self.stdout, self.stderr)
            ]
            if self.stdin is not None:
                with contextlib.suppress(BrokenPipeError), self.stdin:
                    if given is not None:
                        self.stdin.write(given)
            self.wait(timeout)
            return tuple(read and read.result() for read in reads)


def _run(code, env, folder, streams):
    gc.freeze()  # a collection, as at the start of a service, would copy what the processes share
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    for number, stream in enumerate(streams):
        if stream is not None:
            os.dup2(stream.fileno(), number)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
    exec(code, {"__name__": "__main__"})
