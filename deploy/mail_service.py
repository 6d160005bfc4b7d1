"""What mail-filter and mail-learn share: the marks in a message, and the client of the service.

Settings come from the environment: ROSENBLATT_URL is the model's address, ROSENBLATT_TOKEN_FILE
the file of the service's token, which need not exist.
"""

from __future__ import annotations

import os
import re
from urllib.parse import unquote

from rosenblatt.serve import Client

ADDRESS = os.environ.get("ROSENBLATT_URL", "http://127.0.0.1:8000/v1/models/mail")
TOKEN_FILE = os.environ.get("ROSENBLATT_TOKEN_FILE", "/etc/rosenblatt/token")
SECONDS = 5.0
"""Longest wait for an answer."""
URL, _, _NAME = ADDRESS.partition("/v1/models/")
MODEL = unquote(_NAME)

_END_OF_HEAD = re.compile(rb"^\r?\n", re.M)
_MARK = re.compile(rb"^X-Spam(?:-Id|-Score)?[ \t]*:[^\n]*(?:\n[ \t][^\n]*)*(?:\n|\Z)", re.M | re.I)
_ID = re.compile(rb"^X-Spam-Id:[ \t]*(p\d+)\s*$", re.M | re.I)


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


def has_words(text: str) -> bool:
    """Return whether a model finds a word in a text: where there is none, it can tell nothing."""
    from rosenblatt.learning.online.features import words

    return bool(words(text))


def connect() -> Client:
    """Return a client of the service, with its token if there is one."""
    token = None
    if os.path.exists(TOKEN_FILE):
        with open(TOKEN_FILE, encoding="ascii") as file:
            token = file.read().strip()
    return Client(URL, token, timeout=SECONDS)


def _parts(message: bytes) -> tuple[bytes, bytes]:
    """Return the head of a message and the rest."""
    end = _END_OF_HEAD.search(message)
    at = len(message) if end is None else end.start()
    return message[:at], message[at:]
