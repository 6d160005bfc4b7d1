"""Build the page "All options of the command" from the help of the commands."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import click

from rosenblatt.cli import main

PAGE = Path(__file__).resolve().parent / "options.md"
INTRODUCTION = """# All options of the command

Made from `rosenblatt COMMAND --help`. [The command](command.md) is the overview, with examples.
"""
MARKUP = re.compile(r"\[/?[a-z]*\]")  # rich's: [bold], [dim], [/]
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
    return OPTION.sub(r"`\g<0>`", SPECIAL.sub(r"\\\1", MARKUP.sub("", text)))


def paragraphs(help_text: str) -> Iterator[str]:
    """Yield the paragraphs of a command's help, its examples as a block of code."""
    for paragraph in textwrap.dedent("    " + help_text).strip().split("\n\n"):
        heading, _, lines = paragraph.partition("\n")
        if heading.startswith("[bold]"):
            yield f"```shell\n{MARKUP.sub('', textwrap.dedent(lines))}\n```"
        else:
            yield plain(" ".join(paragraph.split()))


def parameter(context: click.Context, item: click.Parameter) -> str:
    """Return the names, the value, the help and the default of an option or argument."""
    names = [*item.opts, *item.secondary_opts] if isinstance(item, click.Option) else []
    has_value = not (isinstance(item, click.Option) and (item.is_flag or item.count))
    value = item.make_metavar(context) if has_value else ""
    term = " ".join(filter(None, [", ".join(names), value]))
    text = plain(getattr(item, "help", None) or "")
    if isinstance(item, click.Option) and "default" in (extra := item.get_help_extra(context)):
        text += f" Default: `{extra['default']}`."
    return f"`{term}`\n: {text}\n"


def section(name: str, context: click.Context) -> str:
    """Return the section of one command: usage, help, and its parameters in their groups."""
    command = context.command
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    parts = [f"## {name}", f"```text\n{usage}\n```", *paragraphs(command.help or "")]
    items = [item for item in command.get_params(context) if not getattr(item, "hidden", False)]

    def group(item: click.Parameter) -> str:
        kind = "Options" if isinstance(item, click.Option) else "Arguments"
        return getattr(item, "panel", None) or kind

    order = list(dict.fromkeys(map(group, items)))
    for title, members in groupby(sorted(items, key=lambda i: order.index(group(i))), group):
        parts += [f"**{title}**", *(parameter(context, item) for item in members)]
    return "\n\n".join(parts)


def page() -> str:
    """Return the page: a section for each command."""
    return "\n\n".join([INTRODUCTION, *(section(*item) for item in commands().items())]) + "\n"


def write() -> None:
    """Write the page, unless it is unchanged."""
    text = page()
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        PAGE.write_text(text, encoding="utf-8")
