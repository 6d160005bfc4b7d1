"""Build the page "All options of the command" from the help of the commands."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import click

from rosenblatt.cli import main
from rosenblatt.cli.display.page import is_example, paragraphs
from rosenblatt.cli.options.declared import entry

PAGE = Path(__file__).resolve().parent / "options.md"
INTRODUCTION = """# All options of the command

Made from `rosenblatt COMMAND --help`. [The command](command.md) is the overview, with examples.
"""
SPECIAL = re.compile(r"([\\*_<>\[\]`$|])")
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z0-9-]*")


def commands() -> dict[str, click.Context]:
    """Return a context of each subcommand, by name."""
    root = main.command.make_context("rosenblatt", [], resilient_parsing=True)
    return {
        name: click.Context(command, info_name=name, parent=root)
        for name in main.COMMANDS
        if (command := main.command.get_command(root, name)) is not None
    }


def plain(text: str) -> str:
    """Return help text as Markdown without markup."""
    return OPTION.sub(r"`\g<0>`", SPECIAL.sub(r"\\\1", text))


def paragraph(text: str) -> str:
    """Return a paragraph of a command's help, its examples as a block of code."""
    if not is_example(text):
        return plain(" ".join(text.split()))
    _, _, lines = text.partition("\n")
    return f"```shell\n{textwrap.dedent(lines)}\n```"


def parameter(item: click.Parameter) -> str:
    """Return the names, the value, the help and the default of an option or argument."""
    names, value, text = entry(item)
    return f"`{f'{names} {value}'.strip()}`\n: {plain(text)}\n"


def section(name: str, context: click.Context) -> str:
    """Return the section of one command: usage, help, and its parameters in their panels."""
    command = main.load_command(name)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    parts = [
        f"## {name}",
        f"```text\n{usage}\n```",
        *map(paragraph, paragraphs(command.help or "")),
    ]
    for title, items in command.panels(context).items():
        parts += [f"**{title}**", *map(parameter, items)]
    return "\n\n".join(parts)


def page() -> str:
    """Return the page: a section for each command."""
    return "\n\n".join([INTRODUCTION, *(section(*item) for item in commands().items())]) + "\n"


def write() -> None:
    """Write the page, unless it is unchanged."""
    text = page()
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        PAGE.write_text(text, encoding="utf-8")
