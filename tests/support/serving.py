"""A real server process of the service, and requests to it."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path


class Served:
    """A process of ``rosenblatt serve`` on a free port of this machine.

    ``code`` is run before it starts, to set its constants; it lies in a folder beside the store.
    """

    def __init__(self, store, *options, env=None, code=None):
        if code is not None:
            folder = Path(f"{store}-code")
            folder.mkdir(exist_ok=True)
            (folder / "sitecustomize.py").write_text(code)
            path = f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
            env = {**(env or {}), "PYTHONPATH": path}
        self.store = store
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "rosenblatt",
                "serve",
                "--store",
                str(store),
                *([] if "--port" in options else ["--port", "0"]),
                *options,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **(env or {})},
        )
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(self.process.communicate()[1])
        self.port = int(re.search(r":(\d+)$", line.strip())[1])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stop()

    def stop(self, number=signal.SIGTERM):
        """Stop the process; return its status and what it wrote to standard error."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.communicate(timeout=60)[1]

    def kill(self):
        """Kill the process as a power cut would."""
        self.stop(signal.SIGKILL)

    def raw(self, method, path, body=None, headers=None):
        """Send a request; return status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def ask(self, method, path, value=None, status=200, **headers):
        """Send a value as JSON, and return that of the answer, whose status is checked."""
        body = None if value is None else json.dumps(value).encode()
        headers = {name.replace("_", "-"): text for name, text in headers.items()}
        got, _, data = self.raw(method, path, body, headers)
        assert got == status, (got, data[:1000])
        return json.loads(data)

    def get(self, path, **options):
        """Send GET."""
        return self.ask("GET", path, **options)

    def post(self, path, value, **options):
        """Send POST with a value as JSON."""
        return self.ask("POST", path, value, **options)

    def events(self, path, headers=None):
        """Yield the values of server-sent events until the service ends them."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", path, headers=headers or {})
            answer = connection.getresponse()
            assert (answer.status, answer.headers["Content-Type"]) == (200, "text/event-stream")
            for line in answer:
                if line != b"\n":
                    yield json.loads(line.removeprefix(b"data: "))
        finally:
            connection.close()
