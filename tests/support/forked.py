"""Python code as a process of its own, forked from one that has made the imports of the library.

They would take more time than most of what a test asks of the process.
"""

import gc
import multiprocessing
import os
import sys
import tempfile
import threading
from pathlib import Path

PRELOADED = [
    *["apsw", "click", "httptools", "msgspec", "starlette.applications", "uvloop"],
    *["starlette.middleware", "starlette.responses", "starlette.routing", "uvicorn"],
    *["uvicorn.lifespan.on", "uvicorn.protocols.http.httptools_impl", "email.policy"],
    *["urllib.request", "rosenblatt.cli.main", "rosenblatt.learning.models.files"],
    *["rosenblatt.learning.online.classifier", "rosenblatt.estimators.kernel"],
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


class Forked:
    """A process that runs code, with methods of ``subprocess.Popen``.

    Standard output is bytes; standard error is text, which a file keeps until the end.
    """

    def __init__(self, code, *, env=os.environ, stdin=b""):
        reader, writer = _context.Pipe(duplex=False)
        self._folder = tempfile.TemporaryDirectory()
        for name, data in (("stdin", stdin), ("stderr", b"")):
            (Path(self._folder.name) / name).write_bytes(data)
        given = (code, dict(env), writer, self._folder.name)
        self._process = _context.Process(target=_run, args=given, daemon=True)
        self._process.start()
        writer.close()
        self.stdout = os.fdopen(os.dup(reader.fileno()), "rb")
        reader.close()
        self.pid = self._process.pid
        self._said = None

    @property
    def returncode(self):
        return self._process.exitcode

    def send_signal(self, number):
        if self.returncode is None:
            os.kill(self.pid, number)

    def wait(self, timeout):
        self._process.join(timeout)
        assert self.returncode is not None, f"it still runs after {timeout} s"
        return self.returncode

    def communicate(self, timeout=300):
        """Wait for the end; return standard output and standard error."""
        if self._said is None:
            output = []
            # a full pipe would keep the process from its end
            read = lambda: output.append(self.stdout.read())  # noqa: E731
            reading = threading.Thread(target=read, daemon=True)
            reading.start()
            self.wait(timeout)
            reading.join()
            with self.stdout, self._folder as folder:
                error = (Path(folder) / "stderr").read_text(errors="backslashreplace")
            self._said = output[0], error
        return self._said


def _run(code, env, out, folder):
    gc.freeze()  # a collection, as at the start of a service, would copy what the processes share
    os.environ.clear()
    os.environ.update(env)
    os.dup2(os.open(f"{folder}/stdin", os.O_RDONLY), 0)
    os.dup2(out.fileno(), 1)
    os.dup2(os.open(f"{folder}/stderr", os.O_WRONLY | os.O_APPEND), 2)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout, sys.stderr = (os.fdopen(n, "w", buffering=1, closefd=False) for n in (1, 2))
    exec(code, {"__name__": "__main__"})
