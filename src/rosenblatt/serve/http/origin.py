"""Other websites: a service without a token answers no request that they let a browser send.

A browser on this machine reaches a service that listens on this machine alone. A website can lead
its own name to this address (DNS rebinding), and then read what it likes; or it can send a form
here without reading the answer. The first is seen by the header Host, the second by Origin.
"""

from __future__ import annotations

import re

from starlette.types import ASGIApp, Receive, Scope, Send

from rosenblatt.serve.http.endpoint import fault, send_answer
from rosenblatt.serve.refused import RefusedError

OWN = ("localhost", "127.0.0.1", "[::1]")
_HOST = re.compile(r"(\[[^\]]*\]|[^:\[\]]*)(:\d*)?")
_READING = ("GET", "HEAD")


class OwnSite:
    """An application that passes on what programs send, and what its own page sends.

    Parameters
    ----------
    app : ASGI application
    host : str
        Where the service listens.

    Examples
    --------
    >>> site = OwnSite(None, "::1")
    >>> site.refusal("POST", ["localhost:8000"], "http://localhost:8000")
    >>> site.refusal("GET", ["evil.example:8000"], None).status
    421
    >>> site.refusal("POST", ["localhost:8000"], "https://evil.example").status
    403
    """

    def __init__(self, app: ASGIApp, host: str) -> None:
        self._app = app
        self._names = {*OWN, f"[{host}]" if ":" in host else host.lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http":
            hosts, origin = [], None
            for name, value in scope["headers"]:
                if name == b"host":
                    hosts.append(value.decode("latin-1").lower())
                elif name == b"origin" and origin is None:
                    origin = value.decode("latin-1").lower()
            error = self.refusal(scope["method"], hosts, origin)
            if error is not None:
                await send_answer(send, fault(error))
                return
        await self._app(scope, receive, send)

    def refusal(self, method: str, hosts: list[str], origin: str | None) -> RefusedError | None:
        """Return why a request is refused, by its headers Host and Origin; None if it is not."""
        match = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        if match is None or match[1] not in self._names:
            return RefusedError(
                421, "the header Host names another server: ask for the service by its address."
            )
        if method in _READING or origin is None or origin.partition("://")[2] == hosts[0]:
            return None
        return RefusedError(403, "another website sent this: a service without a token refuses it.")
