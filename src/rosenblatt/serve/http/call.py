"""A request over HTTP and its answer: how long a body may be, how a fault is said."""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import AsyncIterator
from io import BytesIO
from typing import IO, Any, NamedTuple
from urllib.parse import parse_qs

import apsw
import msgspec
from starlette.types import Receive, Scope, Send

from rosenblatt.serve.refused import RefusedError
from rosenblatt.serve.schema import MAX_BODY, NAME, Fault
from rosenblatt.serve.store.errors import BudgetError, StoreError, explain

ENDLESS = AsyncIterator[bytes]
"""What an endpoint gives whose answer ends with its model."""
JSON, NDJSON = b"application/json", b"application/x-ndjson"
BROKEN_OFF = "rosenblatt.broken_off"
"""Key of the scope of a request under which the server says why no more of its body comes."""
PART = 2**16
"""Bytes of a part of a long answer."""
RETRY_SECONDS = b"5"

_log = logging.getLogger("rosenblatt.serve")
encode = msgspec.json.Encoder().encode
_OF_NAMES = (
    "a name of 1 to 64 letters, digits, points, dashes and underscores that begins with a letter "
    "or a digit"
)


class Answer(NamedTuple):
    """Status, body and type of an answer; a long body is a file, from its start.

    A body that has no end is an iterator of its parts.
    """

    body: bytes | IO[bytes] | AsyncIterator[bytes]
    status: int = 200
    type: bytes = JSON
    headers: tuple[tuple[bytes, bytes], ...] = ()


class Call:
    """A request.

    Attributes
    ----------
    scope : dict
        As ASGI has it.
    path : dict
        The parts of the path, by their names.
    """

    def __init__(self, scope: Scope, receive: Receive, limit: int) -> None:
        self.scope, self._receive, self._limit = scope, receive, limit
        self.path: dict[str, str] = scope["path_params"]
        self._ended = False

    def header(self, name: bytes) -> bytes | None:
        """Return a header, by its name in lower case."""
        return next((value for key, value in self.scope["headers"] if key == name), None)

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
        text = self.query(name)
        return None if text is None else _whole_number(name, text)

    def version(self) -> int:
        """Return the part of the path that is a version.

        Raises
        ------
        RefusedError
            It is no whole number ≥ 0.
        """
        return _whole_number("a version", self.path["number"])

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

    async def wait_for_end(self) -> None:
        """Wait until the client has closed the connection."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

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


async def send_answer(send: Send, answer: Answer) -> None:
    """Send an answer."""
    body, headers = answer.body, [(b"content-type", answer.type), *answer.headers]
    if not isinstance(body, AsyncIterator):
        size = len(body) if isinstance(body, bytes) else body.seek(0, os.SEEK_END)
        headers.append((b"content-length", b"%d" % size))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    if isinstance(body, bytes):
        await send({"type": "http.response.body", "body": body})
        return
    if isinstance(body, AsyncIterator):
        async for part in body:
            await send({"type": "http.response.body", "body": part, "more_body": True})
    else:
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


def _whole_number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise RefusedError(422, f"{name} must be a whole number; got {text!r:.40}.")
    return int(text)
