"""Build the manual page rosenblatt(1) from the help of the commands.

Run: python docs/manual.py, which writes docs/rosenblatt.1. An installation puts it where man looks.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import click
import options

from rosenblatt import __version__
from rosenblatt.cli import main
from rosenblatt.cli.display.page import is_example, paragraphs
from rosenblatt.cli.options.declared import entry

PAGE = Path(__file__).resolve().parent / "rosenblatt.1"
_FIRST = "fast online linear and kernel classifiers for files of any size"
_OTHERS = re.compile(r"[^\x00-\x7f]")
_STATUS = re.compile(r"(\d+) (\w+)")
_SEE = "The documentation of rosenblatt has guides for each task, and all formats of files."


def text(words: str) -> str:
    r"""Return text for roff: what it takes for a command is escaped, and so is what is not ASCII.

    Examples
    --------
    >>> print(text("--a: …"), text("'x'"), text(".svm"))
    \-\-a: \[u2026] \&'x' \&.svm
    """
    escaped = words.replace("\\", "\\e").replace("-", "\\-")
    escaped = _OTHERS.sub(lambda found: f"\\[u{ord(found[0]):04X}]", escaped)
    return "\\&" + escaped if escaped.startswith((".", "'")) else escaped


def paragraph(words: str) -> str:
    """Return a paragraph of a command's help; examples keep their lines."""
    if not is_example(words):
        return f".PP\n{text(' '.join(words.split()))}"
    _, _, lines = words.partition("\n")
    block = "\n".join(map(text, textwrap.dedent(lines).splitlines()))
    return f".PP\nExamples:\n.PP\n.RS 4\n.nf\n{block}\n.fi\n.RE"


def parameter(item: click.Parameter) -> str:
    """Return the names, the value, the help and the default of an option or argument."""
    names, value, words = entry(item)
    return f".TP\n.B {text(f'{names} {value}'.strip())}\n{text(words)}"


def section(name: str, context: click.Context) -> Iterator[str]:
    """Yield the section of one command: usage, help, and its parameters in their panels."""
    command = main.load_command(name)
    yield f".SH {name.upper()}"
    yield f".B {text(' '.join([context.command_path, *command.collect_usage_pieces(context)]))}"
    yield from map(paragraph, paragraphs(command.help or ""))
    for title, items in command.panels(context).items():
        yield f".SS {text(title)}"
        yield from map(parameter, items)


def page() -> str:
    """Return the page: an overview, and a section for each command."""
    shown = options.commands()
    parts = [
        f'.TH ROSENBLATT 1 "" "rosenblatt {__version__}" "User commands"',
        f".SH NAME\nrosenblatt \\- {_FIRST}",
        ".SH SYNOPSIS\n.B rosenblatt\n.I COMMAND\n[OPTIONS] [ARGUMENTS]",
        ".SH COMMANDS",
    ]
    for name, context in shown.items():
        first = (context.command.help or "").partition("\n\n")[0]
        parts.append(f".TP\n.B {name}\n{text(' '.join(first.split()))}")
    for item in shown.items():
        parts += section(*item)
    statuses = _STATUS.findall(main._EXIT_STATUS)
    parts += [".SH EXIT STATUS", *(f".TP\n.B {number}\n{word}" for number, word in statuses)]
    return "\n".join([*parts, f".SH SEE ALSO\n{_SEE}"]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
