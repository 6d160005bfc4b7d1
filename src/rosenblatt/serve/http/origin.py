"""Who may send a request: who bears the token; without one, everyone but other websites.

A browser on this machine reaches a service that listens on this machine alone. A website can lead
its own name to this address (DNS rebinding), and then read what it likes; or it can send a form
here without reading the answer. The first is seen by the header Host, the second by Origin.
"""

from __future__ import annotations

import hmac
import logging
import re
from collections.abc import Callable

from starlette.types import Scope

from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.telemetry.logs import LimitedLog

OWN = ("localhost", "127.0.0.1", "[::1]")
_HOST = re.compile(r"(\[[^\]]*\]|[^:\[\]]*)(:\d*)?")
_READING = ("GET", "HEAD")

_log_refused_token = LimitedLog(logging.getLogger("rosenblatt.serve"), "no token, or a wrong one")

Admit = Callable[[Scope, bool], None]
"""Refuses a request, or does not; the second argument says whether its endpoint is public."""


class Bearer:
    """Refuses requests without the token, but for what is public.

    Parameters
    ----------
    token : bytes
    """

    def __init__(self, token: bytes) -> None:
        self._expected = b"Bearer " + token

    def __call__(self, scope: Scope, is_public: bool) -> None:
        """Refuse a request that has not the header Authorization.

        Raises
        ------
        RefusedError
            It has none, or another.
        """
        if is_public:
            return
        headers = scope["headers"]
        header = next((value for name, value in headers if name == b"authorization"), b"")
        scheme, _, rest = header.partition(b" ")
        sent = scheme.capitalize() + b" " + rest  # in any case, RFC 9110
        if not hmac.compare_digest(sent, self._expected):
            address = (scope.get("client") or ["unknown"])[0]
            _log_refused_token({"address": address, "path": scope["path"][:200]})
            raise RefusedError(401, "send the header 'Authorization: Bearer TOKEN'.")


class OwnSite:
    """Passes on what programs send, and what the service's own page sends.

    Parameters
    ----------
    host : str
        Where the service listens.

    Examples
    --------
    >>> site = OwnSite("::1")
    >>> origin = (b"origin", b"https://evil.example")
    >>> site({"method": "POST", "headers": [(b"host", b"localhost:8000")]}, False)
    >>> site({"method": "POST", "headers": [(b"host", b"localhost:8000"), origin]}, False)
    Traceback (most recent call last):
        ...
    rosenblatt.serve.errors.RefusedError: another website sent this: a service without a token \
refuses it.
    """

    def __init__(self, host: str) -> None:
        self._names = {*OWN, f"[{host}]" if ":" in host else host.lower()}

    def __call__(self, scope: Scope, is_public: bool) -> None:
        """Refuse a request by its headers Host and Origin.

        Raises
        ------
        RefusedError
            Another website sent it.
        """
        hosts, origin = [], None
        for name, value in scope["headers"]:
            if name == b"host":
                hosts.append(value.decode("latin-1").lower())
            elif name == b"origin" and origin is None:
                origin = value.decode("latin-1").lower()
        match = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        if match is None or match[1] not in self._names:
            raise RefusedError(
                421, "the header Host names another server: ask for the service by its address."
            )
        is_own = origin is None or origin.partition("://")[2] == hosts[0]
        if not is_own and scope["method"] not in _READING:
            raise RefusedError(
                403, "another website sent this: a service without a token refuses it."
            )
