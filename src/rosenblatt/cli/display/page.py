"""Help pages: usage, text with examples, and entries in panels; rich would start too slowly."""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import click

from rosenblatt.cli.display import screen

_MAX_NAMES = 32  # columns; the text after longer names begins on the next line
_OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z0-9-]*")
_REMARK = re.compile(r"\[default: .*\]$|  # .*$", re.M)


class Entry(NamedTuple):
    """A line of a panel: an option, argument or command, its value, and what it is."""

    names: str
    value: str
    text: str


def draw(
    ctx: click.Context, text: str, panels: Mapping[str, Sequence[Entry]], end: str = ""
) -> str:
    """Return a help page for standard output.

    Parameters
    ----------
    ctx : click.Context
        That of the command.
    text, end : str
        Paragraphs of the text are filled, other than examples.
    panels : mapping of str to sequences of entries
        Panels without entries are left out.
    """
    ctx.color = screen.has_styles(sys.stdout)  # else click leaves the styles out
    width = screen.width()
    kind, _, words = ctx.get_usage().partition(" ")
    parts = [f"{screen.style(kind, 'yellow')} {screen.style(words, 'bold')}"]
    for paragraph in paragraphs(text):
        heading, _, lines = paragraph.partition("\n")
        if is_example(paragraph):
            parts.append(f"{screen.style(heading, 'bold')}\n{_coloured(lines)}")
        else:
            parts.append(_coloured("\n".join(_wrapped(paragraph, width))))
    for title, entries in panels.items():
        if entries:
            parts.append("\n".join([screen.style(title, "bold"), *_lines(entries, width)]))
    return "\n\n".join([*parts, "\n".join(_wrapped(end, width))]).rstrip()


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a docstring; the line under a heading is left out."""
    return re.sub("\n-+\n", "\n", inspect.cleandoc(text)).split("\n\n")


def is_example(paragraph: str) -> bool:
    """Return whether a paragraph is a heading over indented lines of examples."""
    return "\n    " in paragraph


def _lines(entries: Sequence[Entry], width: int) -> Iterator[str]:
    """Yield the lines of a panel: names on the left, texts beside them."""
    has_short = any(re.match("-[a-z],", entry.names) for entry in entries)
    before = ["    " * (has_short and entry.names.startswith("--")) for entry in entries]
    lengths = [
        len(f"{b}{e.names} {e.value}".rstrip()) for b, e in zip(before, entries, strict=True)
    ]
    indent = 4 + max((length for length in lengths if length <= _MAX_NAMES), default=_MAX_NAMES)
    for entry, space, length in zip(entries, before, lengths, strict=True):
        value = f" {screen.style(entry.value, 'yellow')}" if entry.value else ""
        left = f"  {space}{screen.style(entry.names, 'cyan')}{value}"
        first, *rest = _wrapped(entry.text, width - indent)
        if length > _MAX_NAMES:
            yield left
            rest = [first, *rest]
        else:
            yield f"{left}{' ' * (indent - 2 - length)}{_coloured(first)}"
        yield from (f"{' ' * indent}{_coloured(line)}" for line in rest)


def _wrapped(text: str, width: int) -> list[str]:
    """Fill lines; a no-break space becomes a plain one, as terminals copy it."""
    lines = textwrap.wrap(text, max(width, 20), break_on_hyphens=False) or [""]
    return [line.replace("\N{NO-BREAK SPACE}", " ").rstrip() for line in lines]


def _coloured(text: str) -> str:
    """Colour the options in a text, and dim its remarks: defaults, and comments of examples."""
    text = _OPTION.sub(lambda match: screen.style(match[0], "cyan"), text)
    return _REMARK.sub(lambda match: screen.style(match[0], "dim"), text)
