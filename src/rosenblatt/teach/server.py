"""A small server of the lecture page, for this machine only."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HOST = "127.0.0.1"
HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class _Handler(BaseHTTPRequestHandler):
    """Answers with the page, and with nothing else."""

    def __init__(self, *args: Any, page: bytes, **options: Any) -> None:
        self.page = page
        super().__init__(*args, **options)

    def do_GET(self) -> None:
        if self.headers.get("Host") not in self._names():
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
            return
        if self.path.partition("?")[0] != "/":
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        self.send_response(HTTPStatus.OK)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(self.page)))
        self.end_headers()
        self.wfile.write(self.page)

    def _names(self) -> list[str]:
        """Return the names of this server; a page elsewhere may lead its own name here."""
        assert isinstance(self.server, ThreadingHTTPServer)
        port = self.server.server_port
        return [f"{HOST}:{port}", f"localhost:{port}"]

    def log_message(self, *args: object) -> None:
        pass


def make_server(page: str, port: int = 0) -> ThreadingHTTPServer:
    """Return a server of the page on a port of this machine; port 0 is any free one.

    Its ``serve_forever`` answers requests. An OSError says that the port is taken.

    Examples
    --------
    >>> with make_server("<!doctype html>") as server:
    ...     address(server).startswith("http://127.0.0.1:")
    True
    """
    return ThreadingHTTPServer((HOST, port), partial(_Handler, page=page.encode()))


def address(server: ThreadingHTTPServer) -> str:
    """Return the address of the page."""
    return f"http://{HOST}:{server.server_port}/"
