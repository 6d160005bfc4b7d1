"""Tokens with names and scopes, from a file that is read again when it changes.

A line of the file is a token: its name, its scopes with commas between, and "sha256:" with the
SHA-256 of the token as 64 hexadecimal digits. So who reads the file has no token. A line that
begins with "#" is a comment.
"""

from __future__ import annotations

import hmac
import logging
import os
import re
from hashlib import sha256
from typing import NamedTuple

from rosenblatt.serve.errors import TokensError

SCOPES = {
    "predict": "predict, and read which models there are and how they do",
    "learn": "learn examples",
    "admin": "change models, and read what they have learned: examples, weights, files",
    "metrics": "read the metrics",
}
"""What a token may do, by the names of scopes."""
SINGLE = "token"
"""Name of the token that has all scopes: that of ``--token-file`` or of the environment."""
_LINE = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]{0,63}) +([a-z,]+) +sha256:([0-9a-f]{64})")

_log = logging.getLogger("rosenblatt.serve")


class Sender(NamedTuple):
    """Who sends a request: the name of the token, if there is one, and what it may do."""

    name: str | None
    scopes: frozenset[str]


ANYONE = Sender(None, frozenset(SCOPES))
"""Who sends a request to a service without tokens."""
NOBODY = Sender(None, frozenset())
"""Who asks for what is public."""


class Tokens:
    """The tokens of a service.

    Parameters
    ----------
    path : str, optional
        The file.
    single : bytes, optional
        A token with all scopes beside those of the file.

    Attributes
    ----------
    path : str or None
    are_stale : bool
        Whether the file could not be read when it changed: the tokens are those of before.

    Raises
    ------
    TokensError
        The file cannot be used.

    Examples
    --------
    >>> tokens = Tokens(single=b"correct-horse-battery")
    >>> sorted(tokens.find(b"correct-horse-battery").scopes)
    ['admin', 'learn', 'metrics', 'predict']
    >>> tokens.find(b"wrong") is None
    True
    """

    def __init__(self, path: str | None = None, single: bytes | None = None) -> None:
        self.path, self.are_stale = path, False
        self._single = [] if single is None else [(sha256(single).digest(), Sender(SINGLE, _ALL))]
        self._seen = self._stamp()
        self._senders = self._read()

    def find(self, token: bytes) -> Sender | None:
        """Return whose token it is; None if it is nobody's.

        It is compared with all, and each time as a whole: the time tells nothing.
        """
        digest, sender = sha256(token).digest(), None
        for own, other in self._senders:
            if hmac.compare_digest(own, digest):
                sender = other
        return sender

    def reload(self, *, if_changed: bool = False) -> None:
        """Read the file again; if it cannot be used, the tokens stay, and the log says why."""
        stamp = self._stamp()
        if self.path is None or (if_changed and stamp == self._seen):
            return
        self._seen = stamp
        try:
            self._senders = self._read()
        except TokensError as error:
            self.are_stale = True
            _log.error("the tokens stay as they were", extra={"fault": str(error)})
        else:
            self.are_stale = False
            names = [sender.name for _, sender in self._senders]
            _log.info("the tokens were read again", extra={"names": names})

    def _stamp(self) -> tuple[int, ...] | None:
        """Return what differs once the file was changed; None where there is none."""
        if self.path is None:
            return None
        try:
            facts = os.stat(self.path)
        except OSError:
            return None
        return facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns  # of rights, too

    def _read(self) -> list[tuple[bytes, Sender]]:
        """Return the digests of all tokens, with whose they are."""
        senders = list(self._single)
        if self.path is not None:
            try:
                with open(self.path, encoding="utf-8") as file:
                    lines = file.read().splitlines()
            except (OSError, UnicodeDecodeError) as error:
                raise TokensError(f"{self.path}: the tokens cannot be read: {error}.") from error
            for number, line in enumerate(lines, 1):
                if line.strip() and not line.startswith("#"):
                    senders.append(_parsed(line.strip(), f"{self.path}: line {number}: "))
                    _refuse_second(senders, f"{self.path}: line {number}: ")
            if len(senders) == len(self._single):
                raise TokensError(f"{self.path}: there is no token in it.")
        return senders


_ALL = frozenset(SCOPES)


def _parsed(line: str, where: str) -> tuple[bytes, Sender]:
    """Return the digest and the sender of a line, of which no message repeats a part."""
    match = _LINE.fullmatch(line)
    if match is None:
        raise TokensError(
            f"{where}expected a name, scopes with commas between, and sha256: with 64 hexadecimal "
            "digits."
        )
    scopes = frozenset(match[2].split(","))
    if not scopes <= _ALL:
        raise TokensError(f"{where}the scopes are {', '.join(SCOPES)}.")
    digest = bytes.fromhex(match[3])
    if digest == sha256().digest():  # such as of a variable of the shell that was not set
        raise TokensError(f"{where}the hash is that of an empty token.")
    return digest, Sender(match[1], scopes)


def _refuse_second(senders: list[tuple[bytes, Sender]], where: str) -> None:
    """Refuse the last token where one before has its name, or is the same."""
    *before, (digest, (name, _)) = senders
    if any(own == digest or sender.name == name for own, sender in before):
        raise TokensError(f"{where}the name {name!r} or the token stands twice.")
