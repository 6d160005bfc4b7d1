"""Errors as answers: problem details (RFC 9457), each with the section of the docs on it."""

from __future__ import annotations

import errno
import logging

import apsw
import msgspec

from rosenblatt.serve.errors import BudgetError, RefusedError, StoreError, explain
from rosenblatt.serve.http.call import Answer, encode
from rosenblatt.serve.schema import NAME, Fault

PROBLEM = b"application/problem+json"
PAGE = "docs/service-errors.md"
"""The page that has a section for each title."""
TITLES = {
    400: "Malformed request",
    401: "No token",
    403: "Missing scope",
    404: "Not found",
    405: "Method not allowed",
    408: "Slow body",
    409: "Conflict",
    413: "Too long",
    415: "Unsupported body",
    421: "Another host",
    422: "Unacceptable content",
    431: "Head too long",
    500: "Fault of the service",
    503: "Store failed",
    507: "Disk full",
}
"""Titles of problems by status, for errors that have none of their own."""
RETRY_SECONDS = 5
"""Time after which a request is to be sent again that the store, or a stop, has refused."""
_BEARER = ((b"www-authenticate", b"Bearer"),)
_RETRY = ((b"retry-after", b"%d" % RETRY_SECONDS),)
_OF_NAMES = (
    "a name of 1 to 64 letters, digits, points, dashes and underscores that begins with a letter "
    "or a digit"
)

_log = logging.getLogger("rosenblatt.serve")


def fault(error: Exception) -> Answer:
    """Return the answer to a request that failed.

    Examples
    --------
    >>> answer = fault(RefusedError(404, "no model 'mail'."))
    >>> msgspec.json.decode(answer.body)["type"]
    'docs/service-errors.md#not-found'
    """
    headers: tuple[tuple[bytes, bytes], ...] = ()
    message, title = str(error), None
    if isinstance(error, RefusedError):
        status, title = error.status, error.title
        headers = error.headers or {401: _BEARER, 503: _RETRY}.get(status, ())
    elif isinstance(error, msgspec.ValidationError):
        status, message = 422, message.replace(f"`str` matching regex {NAME!r}", _OF_NAMES)
    elif isinstance(error, (msgspec.DecodeError, UnicodeDecodeError, RecursionError)):
        status = 400
        if "trailing characters" in message:
            message += ". Several lines are sent with Content-Type: application/x-ndjson."
    elif isinstance(error, apsw.Error) and (what := explain(error)) is not None:
        return fault(StoreError(f"the store: {what}"))
    elif isinstance(error, BudgetError):
        status = 507
        title = "Log at its budget"
    elif isinstance(error, StoreError):
        status, headers = 503, _RETRY
        if "disk is full" in message:
            status = 507
    elif isinstance(error, OSError):  # of a file of answers, or of a model file on its way
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        status, message = 507 if full else 503, f"a temporary file: {error.strerror}."
        _log.error("the disk failed", extra={"fault": message})
    else:
        status, message = 500, "a fault of the service; its log has the details."
        _log.error("a request failed", exc_info=error)
    title = title or TITLES[status]
    kind = f"{PAGE}#{title.lower().replace(' ', '-')}"
    return Answer(encode(Fault(kind, title, status, message, message)), status, PROBLEM, headers)
