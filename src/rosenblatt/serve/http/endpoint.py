"""One request over HTTP: who may send it, how long its body may be, how a fault is answered."""

from __future__ import annotations

import errno
import hmac
import logging
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from io import BytesIO
from typing import IO, Any, NamedTuple
from urllib.parse import parse_qs

import apsw
import msgspec
from starlette.types import ASGIApp, Receive, Scope, Send

from rosenblatt.serve.refused import RefusedError
from rosenblatt.serve.schema import MAX_BODY, NAME, Fault
from rosenblatt.serve.store.errors import BudgetError, StoreError, explain
from rosenblatt.serve.telemetry.logs import LimitedLog
from rosenblatt.serve.telemetry.metrics import Metrics

JSON, NDJSON = b"application/json", b"application/x-ndjson"
BROKEN_OFF = "rosenblatt.broken_off"
"""Key of the scope of a request under which the server says why no more of its body comes."""
PART = 2**16
"""Bytes of a part of a long answer."""
RETRY_SECONDS = b"5"

_log = logging.getLogger("rosenblatt.serve")
_log_refused_token = LimitedLog(_log, "no token, or a wrong one")
encode = msgspec.json.Encoder().encode
_OF_NAMES = (
    "a name of 1 to 64 letters, digits, points, dashes and underscores that begins with a letter "
    "or a digit"
)


class Answer(NamedTuple):
    """Status, body and type of an answer; a long body is a file, from its start."""

    body: bytes | IO[bytes]
    status: int = 200
    type: bytes = JSON
    headers: tuple[tuple[bytes, bytes], ...] = ()


class Call:
    """A request.

    Attributes
    ----------
    scope : dict
        As ASGI has it.
    """

    def __init__(self, scope: Scope, receive: Receive, limit: int) -> None:
        self.scope, self._receive, self._limit = scope, receive, limit
        self._ended = False

    def header(self, name: bytes) -> bytes | None:
        """Return a header, by its name in lower case."""
        return next((value for key, value in self.scope["headers"] if key == name), None)

    def part(self, name: str) -> str:
        """Return a part of the path."""
        return str(self.scope["path_params"][name])

    def query(self, name: str) -> str | None:
        """Return a parameter after the question mark."""
        if not self.scope["query_string"]:
            return None
        values = parse_qs(self.scope["query_string"].decode("latin-1"), keep_blank_values=True)
        return values[name][-1] if name in values else None

    def check_parameters(self, allowed: tuple[str, ...]) -> None:
        """Refuse a parameter of another name: a misspelt one would have no effect.

        Raises
        ------
        RefusedError
            With its name.
        """
        for name in parse_qs(self.scope["query_string"].decode("latin-1"), keep_blank_values=True):
            if name not in allowed:
                offered = f"there are {', '.join(allowed)}" if allowed else "there are none"
                raise RefusedError(422, f"no parameter is called {name!r:.40}: {offered}.")

    def number(self, name: str) -> int | None:
        """Return a parameter that is a version.

        Raises
        ------
        RefusedError
            It is no whole number ≥ 0.
        """
        return _whole_number(name, self.query(name))

    def path_number(self, name: str) -> int | None:
        """Return a part of the path that is a version; None where the path has no such part.

        Raises
        ------
        RefusedError
            It is no whole number ≥ 0.
        """
        return _whole_number("a version", self.scope["path_params"].get(name))

    def flag(self, name: str) -> bool:
        """Return a parameter that is true or false.

        Raises
        ------
        RefusedError
            It is neither.
        """
        text = self.query(name)
        if text not in (None, "true", "false", "1", "0"):
            raise RefusedError(422, f"{name} must be true or false; got {text!r:.40}.")
        return text in ("true", "1")

    async def body(self) -> bytes:
        """Return the whole body.

        Raises
        ------
        RefusedError
            It is too long, or breaks off.
        """
        message = await self._next()
        if not message.get("more_body", False) and len(message["body"]) <= self._limit:
            return bytes(message["body"])
        body = BytesIO()  # no list of parts: they may be a byte each
        size = body.write(message["body"])
        while message.get("more_body", False) and size <= self._limit:
            message = await self._next()
            size += body.write(message["body"])
        if size > self._limit:
            advice = (
                "send many rows as lines of NDJSON"
                if self._limit == MAX_BODY
                else "a model of fewer names or labels is shorter"
            )
            raise RefusedError(413, f"the body may have {self._limit:,} bytes: {advice}.")
        return body.getvalue()  # which copies nothing

    async def parts(self) -> AsyncIterator[bytes]:
        """Yield the parts of a body of any length.

        Raises
        ------
        RefusedError
            It breaks off.
        """
        more = True
        while more:
            message = await self._next()
            yield message["body"]
            more = message.get("more_body", False)

    async def _next(self) -> Any:
        if self._ended:
            raise self.scope[BROKEN_OFF]
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise ConnectionResetError
        self._ended = BROKEN_OFF in self.scope
        if self._ended and not message["body"]:
            raise self.scope[BROKEN_OFF]
        return message


Handler = Callable[[Call], Awaitable[Answer]]


class Endpoint:
    """A handler as an ASGI application.

    Parameters
    ----------
    handler : coroutine function
    what : str
        Name of the request in the metrics.
    metrics : Metrics
    token : bytes or None
        What requests must bear; None if everyone may send it.
    limit : int
        Bytes of a body.
    parameters : tuple of str, optional
        Names that may stand after the question mark; None for any.
    """

    def __init__(
        self,
        handler: Handler,
        what: str,
        metrics: Metrics,
        token: bytes | None,
        limit: int = MAX_BODY,
        parameters: tuple[str, ...] | None = None,
    ) -> None:
        self._handler, self._limit, self._metrics = handler, limit, metrics
        self._parameters = parameters
        self._bearer = bearer(token)
        self._seconds = metrics.requests.labels(what)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        start = time.perf_counter()
        call = Call(scope, receive, self._limit)
        try:
            check_token(call, self._bearer)
            if self._parameters is not None and scope["query_string"]:
                call.check_parameters(self._parameters)
            answer = await self._handler(call)
        except ConnectionResetError:
            return
        except Exception as error:
            answer = fault(error)
            self._metrics.refusals.labels(str(answer.status)).inc()
        await send_answer(send, answer)
        self._seconds.observe(time.perf_counter() - start)


class ByMethod:
    """The endpoints of a path, by method. HEAD is GET, whose body the server leaves out."""

    def __init__(self, endpoints: Mapping[str, ASGIApp]) -> None:
        self._endpoints = dict(endpoints)
        if "GET" in endpoints:
            self._endpoints["HEAD"] = endpoints["GET"]
        self._allowed = ", ".join(self._endpoints).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        endpoint = self._endpoints.get(scope["method"])
        if endpoint is None:
            answer = fault(
                RefusedError(
                    405, f"{scope['method']} is not for this path: use {self._allowed.decode()}."
                )
            )
            await send_answer(send, answer._replace(headers=((b"allow", self._allowed),)))
        else:
            await endpoint(scope, receive, send)


async def send_answer(send: Send, answer: Answer) -> None:
    """Send an answer."""
    body = answer.body
    size = len(body) if isinstance(body, bytes) else body.seek(0, os.SEEK_END)
    headers = [(b"content-type", answer.type), (b"content-length", b"%d" % size), *answer.headers]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    if isinstance(body, bytes):
        await send({"type": "http.response.body", "body": body})
        return
    with body:
        body.seek(0)
        while part := body.read(PART):
            await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def fault(error: Exception) -> Answer:
    """Return the answer to a request that failed."""
    headers: tuple[tuple[bytes, bytes], ...] = ()
    message = str(error)
    if isinstance(error, RefusedError):
        status = error.status
        if status == 401:
            headers = ((b"www-authenticate", b"Bearer"),)
        elif status == 503:
            headers = ((b"retry-after", RETRY_SECONDS),)
    elif isinstance(error, msgspec.ValidationError):
        status, message = 422, message.replace(f"`str` matching regex {NAME!r}", _OF_NAMES)
    elif isinstance(error, (msgspec.DecodeError, UnicodeDecodeError, RecursionError)):
        status = 400
        if "trailing characters" in message:
            message += " Several lines are sent with Content-Type: application/x-ndjson."
    elif isinstance(error, apsw.Error) and (what := explain(error)) is not None:
        return fault(StoreError(f"the store: {what}"))
    elif isinstance(error, BudgetError):
        status = 507
    elif isinstance(error, StoreError):
        status, headers = 503, ((b"retry-after", RETRY_SECONDS),)
        if "disk is full" in message:
            status = 507
    elif isinstance(error, OSError):  # of a file of answers, or of a model file on its way
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        status, message = 507 if full else 503, f"a temporary file: {error.strerror}."
        _log.error("the disk failed", extra={"fault": message})
    else:
        status, message = 500, "a fault of the service; its log has the details."
        _log.error("a request failed", exc_info=error)
    return Answer(encode(Fault(message)), status, headers=headers)


def _whole_number(name: str, text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise RefusedError(422, f"{name} must be a whole number; got {text!r:.40}.")
    return int(text)


def bearer(token: bytes | None) -> bytes | None:
    """Return the header Authorization that has a token."""
    return None if token is None else b"Bearer " + token


def check_token(call: Call, expected: bytes | None) -> None:
    """Refuse a request that has not the header Authorization that is expected, if one is.

    Raises
    ------
    RefusedError
        It has none, or another.
    """
    if expected is None:
        return
    scheme, _, rest = (call.header(b"authorization") or b"").partition(b" ")
    sent = scheme.capitalize() + b" " + rest  # in any case, RFC 9110
    if not hmac.compare_digest(sent, expected):
        address = (call.scope.get("client") or ["unknown"])[0]
        _log_refused_token({"address": address, "path": call.scope["path"][:200]})
        raise RefusedError(401, "send the header 'Authorization: Bearer TOKEN'.")
