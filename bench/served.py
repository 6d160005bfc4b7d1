"""Servers of the service's benchmarks: started, asked, and stopped."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection

_ECHO = """
import asyncio, msgspec, uvicorn, sys
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
class Query(msgspec.Struct):
    features: dict[str, float]
decode, encode = msgspec.json.Decoder(Query).decode, msgspec.json.Encoder().encode
async def echo(request):
    return Response(encode(decode(await request.body())), media_type="application/json")
app = Starlette(routes=[Route("/v1/models/{model}/echo", echo, methods=["POST"])])
uvicorn.run(app, port=int(sys.argv[1]), log_level="error", access_log=False)
"""
ECHO = [sys.executable, "-c", _ECHO]
"""The command of a bare handler of Starlette and msgspec, but for the port."""


@contextmanager
def server(command: list[str]) -> Iterator[int]:
    """Start a server, and yield its port."""
    port = free_port()
    process = subprocess.Popen(
        [*command, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_for(port)
        yield port
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def wait_for(port: int) -> None:
    """Wait until a server answers."""
    for _ in range(12_000):
        with suppress(OSError):
            connection = HTTPConnection("127.0.0.1", port, timeout=600)
            connection.request("GET", "/")
            connection.getresponse()
            return
        time.sleep(0.005)
    raise TimeoutError(f"no server on port {port}")


def ask(
    port: int, method: str, path: str, body: bytes = b"", kind: str = "application/json"
) -> bytes:
    """Send one request, and return the body of the answer."""
    connection = HTTPConnection("127.0.0.1", port, timeout=600)
    try:
        connection.request(method, path, body, {"Content-Type": kind})
        answer = connection.getresponse()
        data = answer.read()
    finally:
        connection.close()
    if answer.status >= 300:
        raise RuntimeError(data.decode())
    return data


def post(port: int, path: str, body: bytes, kind: str = "application/json") -> bytes:
    """Send POST, and return the body of the answer."""
    return ask(port, "POST", path, body, kind)


def service(store: str, *options: str) -> list[str]:
    """Return the command that serves a store, but for the port."""
    return [sys.executable, "-m", "rosenblatt", "serve", "--store", store, *options, "--port"]
