"""The screen: its width, and styles as escape sequences; without rich, which starts slowly."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TextIO

MAX_WIDTH = 100
"""Columns of the widest output, however wide the terminal is."""

_STYLES = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33, "cyan": 36}


def width() -> int:
    """Return the columns of the terminal, at most :data:`MAX_WIDTH`; 80 without one."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return min(int(columns), MAX_WIDTH)
    for descriptor in (1, 2, 0):
        with suppress(OSError):
            return min(os.get_terminal_size(descriptor).columns or 80, MAX_WIDTH)
    return 80


def has_styles(file: TextIO | None) -> bool:
    """Return whether a file shows styles, as rich decides it; with ``NO_COLOR``, none at all.

    It is None where the descriptor was closed before the start.
    """
    environ = os.environ
    if environ.get("NO_COLOR") or environ.get("TERM", "").lower() in ("dumb", "unknown"):
        return False
    if environ.get("TTY_COMPATIBLE") in ("0", "1"):
        return environ["TTY_COMPATIBLE"] == "1"
    if "FORCE_COLOR" in environ:
        return environ["FORCE_COLOR"] != ""
    return file is not None and file.isatty()


def style(text: str, words: str) -> str:
    r"""Return a text in a style of one word or more, such as "bold red".

    Examples
    --------
    >>> style("error:", "bold red")
    '\x1b[1;31merror:\x1b[0m'
    """
    return f"\x1b[{';'.join(str(_STYLES[word]) for word in words.split())}m{text}\x1b[0m"


def silence(file: TextIO | None) -> None:
    """Redirect ``file`` to the null device, so that flushing it at exit raises no error."""
    if file is None:
        return
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, file.fileno())
    os.close(null)
