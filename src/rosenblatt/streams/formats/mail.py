"""Text of a mail, or of any other file."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.policy import Compat32
from html import unescape
from typing import Any

_READ_HEADERS = ("subject", "from", "to")
_OTHER_HEADERS = ("date", "received", "message-id", "return-path", "reply-to", "mime-version")
_MAIL_HEADERS = _READ_HEADERS + _OTHER_HEADERS
_MAX_HEADER_LETTERS = 1000  # parsing takes time quadratic in the length of a header
# codecs that are slow, or are not charsets
_REFUSED_CODECS = ("idna", "punycode", "unicode-escape", "raw-unicode-escape")


def extract_text(raw: bytes) -> str:
    r"""Decode a file: the readable parts of a mail, or a whole text.

    A file is a mail if it begins with headers of which at least two are typical of mail:
    ``Subject``, ``From``, ``To``, ``Date``, ``Received`` and others. Its text consists of the
    subject, the sender, the recipients, and the parts of type text, decoded, HTML without its tags.
    Bytes that are neither in their declared charset nor UTF-8 are read as Latin-1, so that every
    file has a text.

    Parameters
    ----------
    raw : bytes

    Examples
    --------
    >>> extract_text(b"Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\nFrom: Ann\n\nWin!\n").split()
    ['Grüße', 'Ann', 'Win!']
    >>> extract_text(b"caf\xe9")
    'café'
    """
    try:
        mail: Message = message_from_bytes(raw, policy=_POLICY)
        if sum(name in mail for name in _MAIL_HEADERS) >= 2:
            return "\n".join(_text_parts(mail))
    except _PARSER_ERRORS:
        pass
    return _decode(raw, None)


class _ShortHeaders(Compat32):
    """Policy that cuts very long headers."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:_MAX_HEADER_LETTERS]


_POLICY = _ShortHeaders()
_PARSER_ERRORS = (
    MessageError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    AssertionError,
    RecursionError,
)
"""Exceptions of the standard library's parser on malicious mail."""


def _text_parts(mail: Message) -> Iterator[str]:
    for name in _READ_HEADERS:
        yield from (_decode_header(value) for value in mail.get_all(name, []))
    for part in mail.walk():
        if part.get_content_maintype() == "text":
            raw: Any = part.get_payload(decode=True)
            text = _decode(raw or b"", part.get_content_charset())
            yield strip_tags(text) if part.get_content_subtype() == "html" else text


def _decode_header(value: object) -> str:
    """Decode the encoded words of a header."""
    try:
        return str(make_header(decode_header(str(value))))
    except (MessageError, ValueError, LookupError):
        return str(value)


def _decode(raw: bytes, charset: str | None) -> str:
    """Decode bytes from their declared charset, else UTF-8, else Latin-1."""
    for name in filter(None, (charset, "utf-8")):
        try:
            if codecs.lookup(name).name not in _REFUSED_CODECS:
                return raw.decode(name)
        except (ValueError, LookupError):
            continue
    return raw.decode("latin-1")


def strip_tags(text: str) -> str:
    """Return the visible text of an HTML page, in linear time.

    Comments, scripts and styles are removed; other tags become blanks.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> strip_tags("<style>p {}</style><p>Vi<!-- x -->agra &amp; <b>more</b>").split()
    ['Viagra', '&', 'more']
    """
    first, *rest = text.split("<!--")
    text = first + "".join(part.partition("-->")[2] for part in rest)
    first, *rest = _HIDDEN_START.split(text)
    text = " ".join([first, *(_HIDDEN_END.split(part, 1)[-1] for part in rest)])
    return unescape(_TAG.sub(" ", text))


_HIDDEN_START = re.compile(r"<(?:script|style)\b", re.IGNORECASE)
_HIDDEN_END = re.compile(r"</(?:script|style)\s*>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
