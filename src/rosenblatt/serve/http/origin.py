"""Who may send a request: who bears a token; without tokens, everyone but other websites.

A browser on this machine reaches a service that listens on this machine alone. A website can lead
its own name to this address (DNS rebinding), and then read what it likes; or it can send a form
here without reading the answer. The first is seen by the header Host, the second by Origin.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable

from starlette.types import Scope

from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.http.tokens import ANYONE, NOBODY, Sender, Tokens
from rosenblatt.serve.telemetry.logs import LimitedLog

OWN = ("localhost", "127.0.0.1", "[::1]")
_HOST = re.compile(r"(\[[^\]]*\]|[^:\[\]]*)(:\d*)?")
_READING = ("GET", "HEAD")

_log = logging.getLogger("rosenblatt.serve")
_log_refused_token = LimitedLog(_log, "no token, or a wrong one")
_log_refused_scope = LimitedLog(_log, "a token lacks the scope")

Admit = Callable[[Scope, str | None], Sender]
"""Refuses a request, or returns who sends it. The second argument is the scope of tokens that its
endpoint needs; None of one that is public."""


class Bearer:
    """Refuses requests without a token that has the scope, but for what is public.

    Parameters
    ----------
    tokens : Tokens
    """

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def __call__(self, scope: Scope, needs: str | None) -> Sender:
        """Return whose token the header Authorization has.

        Raises
        ------
        RefusedError
            It has none, or a wrong one, or one that lacks the scope.
        """
        if needs is None:
            return NOBODY
        headers = scope["headers"]
        header = next((value for name, value in headers if name == b"authorization"), b"")
        scheme, _, token = header.partition(b" ")
        is_bearer = scheme.lower() == b"bearer"  # in any case, RFC 9110
        sender = self._tokens.find(token) if is_bearer else None
        facts = {"address": (scope.get("client") or ["unknown"])[0], "path": scope["path"][:200]}
        if sender is None:
            _log_refused_token(facts)
            raise RefusedError(401, "send the header 'Authorization: Bearer TOKEN'.")
        if needs not in sender.scopes:
            _log_refused_scope({**facts, "by": sender.name, "scope": needs})
            has = ", ".join(sorted(sender.scopes))
            challenge = f'Bearer error="insufficient_scope", scope="{needs}"'.encode()
            raise RefusedError(
                403,
                f"this needs the scope {needs!r}: the token {sender.name!r} has {has}.",
                headers=((b"www-authenticate", challenge),),
            )
        return sender


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
    >>> site({"method": "POST", "headers": [(b"host", b"localhost:8000")]}, "learn") == ANYONE
    True
    >>> site({"method": "POST", "headers": [(b"host", b"localhost:8000"), origin]}, "learn")
    Traceback (most recent call last):
        ...
    rosenblatt.serve.errors.RefusedError: another website sent this: a service without a token \
refuses it.
    """

    def __init__(self, host: str) -> None:
        self._names = {*OWN, f"[{host}]" if ":" in host else host.lower()}

    def __call__(self, scope: Scope, needs: str | None) -> Sender:
        """Refuse a request by its headers Host and Origin; who sends another may do everything.

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
                403,
                "another website sent this: a service without a token refuses it.",
                title="Another website",
            )
        return ANYONE
