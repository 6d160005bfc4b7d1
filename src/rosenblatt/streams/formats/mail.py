"""The text of a mail, or of a file of text, whatever its bytes are."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from email.policy import Compat32
from html import unescape
from typing import Any

_TOLD = ("subject", "from", "to")
_KNOWN = (*_TOLD, "date", "received", "message-id", "return-path", "reply-to", "mime-version")
_LONGEST_HEADER = 1000  # letters: what parses headers takes time that grows with their square
_NO_CHARSETS = ("idna", "punycode", "unicode-escape", "raw-unicode-escape")  # slow, or no charsets


def text_of(raw: bytes) -> str:
    r"""The text of a file: of a mail what its reader sees, else all of it.

    A mail begins with headers, two of which are known as a mail's: ``Subject``, ``From``, ``To``,
    ``Date``, ``Received`` and the like. Its text is the subject, from, to, and the parts that are
    text, decoded, those of HTML without their tags. Bytes that are neither in the charset they
    claim nor UTF-8 are read as Latin-1, so that any bytes have a text.

    Parameters
    ----------
    raw : bytes

    Examples
    --------
    >>> text_of(b"Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\nFrom: Ann\n\nWin!\n").split()
    ['Grüße', 'Ann', 'Win!']
    >>> text_of(b"caf\xe9")
    'café'
    """
    try:
        mail: Message = message_from_bytes(raw, policy=_SHORT)
        if sum(name in mail for name in _KNOWN) >= 2:
            return "\n".join(_pieces(mail))
    except _HOSTILE:
        pass
    return _decoded(raw, None)


class _Short(Compat32):
    """Headers are cut where they are longer than any reader would read them."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:_LONGEST_HEADER]


_SHORT = _Short()
_HOSTILE = (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError)
"""What the standard library raises of a mail that was made to break it."""


def _pieces(mail: Message) -> Iterator[str]:
    for name in _TOLD:
        yield from (_header(value) for value in mail.get_all(name, []))
    for part in mail.walk():
        if part.get_content_maintype() == "text":
            raw: Any = part.get_payload(decode=True)
            text = _decoded(raw or b"", part.get_content_charset())
            yield without_tags(text) if part.get_content_subtype() == "html" else text


def _header(value: Any) -> str:
    """A header with its encoded words decoded."""
    try:
        return str(make_header(decode_header(str(value))))
    except (ValueError, LookupError):
        return str(value)


def _decoded(raw: bytes, charset: str | None) -> str:
    """Bytes as text, in the charset they claim if they are in it."""
    for name in filter(None, (charset, "utf-8")):
        try:
            if codecs.lookup(name).name not in _NO_CHARSETS:
                return raw.decode(name)
        except (ValueError, LookupError):
            continue
    return raw.decode("latin-1")


def without_tags(text: str) -> str:
    """The text that a page of HTML shows, in time that grows with its length only.

    Comments vanish, scripts and styles too; other tags become blanks.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> without_tags("<style>p {}</style><p>Vi<!-- x -->agra &amp; <b>more</b>").split()
    ['Viagra', '&', 'more']
    """
    first, *rest = text.split("<!--")
    text = first + "".join(part.partition("-->")[2] for part in rest)
    first, *rest = _HIDDEN.split(text)
    text = " ".join([first, *(_SHOWN_AGAIN.split(part, 1)[-1] for part in rest)])
    return unescape(_TAG.sub(" ", text))


_HIDDEN = re.compile(r"<(?:script|style)\b", re.IGNORECASE)
_SHOWN_AGAIN = re.compile(r"</(?:script|style)\s*>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
