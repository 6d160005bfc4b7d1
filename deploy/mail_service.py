"""What mail-filter and mail-learn share: the marks in a message, and requests to the service.

Settings come from the environment: ROSENBLATT_URL is the model's address, ROSENBLATT_TOKEN_FILE
the file of the service's token, which need not exist.
"""

from __future__ import annotations

import json
import os
import re
import time
import uuid
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

URL = os.environ.get("ROSENBLATT_URL", "http://127.0.0.1:8000/v1/models/mail")
TOKEN_FILE = os.environ.get("ROSENBLATT_TOKEN_FILE", "/etc/rosenblatt/token")
SECONDS = 5
"""Longest time of a request."""

_END_OF_HEAD = re.compile(rb"^\r?\n", re.M)
_MARK = re.compile(rb"^X-Spam(?:-Id)?[ \t]*:[^\n]*(?:\n[ \t][^\n]*)*(?:\n|\Z)", re.M | re.I)
_ID = re.compile(rb"^X-Spam-Id:[ \t]*(p\d+)\s*$", re.M | re.I)


class Refused(Exception):  # noqa: N818
    """An answer of the service that is an error."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def unmarked(message: bytes) -> bytes:
    """Return a message without marks: those that came with it are not ours."""
    head, body = _parts(message)
    return _MARK.sub(b"", head) + body


def marked(message: bytes, marks: dict[str, str]) -> bytes:
    """Return a message with marks as its first headers, and no other byte changed."""
    first = message.partition(b"\n")[0]
    end = "\r\n" if first.endswith(b"\r") else "\n"
    start = len(first) + 1 if first.startswith(b"From ") else 0  # the first line of a mailbox
    lines = "".join(f"{name}: {value}{end}" for name, value in marks.items())
    return message[:start] + lines.encode() + message[start:]


def prediction_of(message: bytes) -> str | None:
    """Return the id of the prediction that a message is marked with."""
    match = _ID.search(_parts(message)[0])
    return match[1].decode() if match else None


def text_of(message: bytes) -> str:
    """Return subject, sender, recipients and text of a message, as much as a row may have."""
    from rosenblatt.serve.schema import MAX_TEXT
    from rosenblatt.streams.formats.mail import extract_text

    return extract_text(unmarked(message))[:MAX_TEXT]


def ask(what: str, value: dict[str, Any], waits: tuple[float, ...] = (0.0,)) -> Any:
    """Send a value to the model, and return the answer.

    Parameters
    ----------
    what : str
        ``"predict"`` or ``"learn"``.
    value : dict
    waits : tuple of float
        Seconds before each try. All have one Idempotency-Key, so nothing is learned twice.

    Raises
    ------
    Refused
        The service answered with an error.
    OSError, HTTPException
        It did not answer.
    """
    headers = {"Content-Type": "application/json", "Idempotency-Key": uuid.uuid4().hex}
    if os.path.exists(TOKEN_FILE):
        with open(TOKEN_FILE, encoding="ascii") as file:
            headers["Authorization"] = f"Bearer {file.read().strip()}"
    request = Request(f"{URL}/{what}", json.dumps(value).encode(), headers)
    opener = build_opener(ProxyHandler({}))  # the service is here, whatever proxies there are
    failure: Exception
    for wait in waits:
        time.sleep(wait)
        try:
            with opener.open(request, timeout=SECONDS) as answer:
                return json.load(answer)
        except HTTPError as error:
            failure = Refused(error.code, error.read(1000).decode("utf-8", "replace"))
            if error.code < 500:
                break
        except (OSError, HTTPException) as error:
            failure = error
    raise failure


def _parts(message: bytes) -> tuple[bytes, bytes]:
    """Return the head of a message and the rest."""
    end = _END_OF_HEAD.search(message)
    at = len(message) if end is None else end.start()
    return message[:at], message[at:]
