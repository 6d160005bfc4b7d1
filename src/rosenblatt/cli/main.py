"""The command ``rosenblatt``.

Results go to standard output, everything else to standard error. The module of a subcommand is
imported when it runs, and NumPy not before its work begins: help pages are fast.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from types import FrameType
from typing import NoReturn

import click

from rosenblatt import __version__
from rosenblatt.cli import commands
from rosenblatt.cli.display import page, terminal
from rosenblatt.cli.display.errors import (
    Interrupted,
    Interruption,
    Termination,
    stop_error,
    translate_errors,
)
from rosenblatt.cli.options.declared import COMMAND_PANELS, HELP_NAMES, Command, entry, show_help

COMMANDS = tuple(
    sorted(
        file.removesuffix(".py")
        for file in os.listdir(os.path.dirname(commands.__file__))
        if file.endswith(".py") and not file.startswith("_")
    )
)
"""Subcommands: the files of ``rosenblatt.cli.commands``, each with a function of its name."""

_HELP = """Fast online linear and kernel classifiers for files of any size.

Examples
{examples}

Options of a command: rosenblatt train --help
"""
_EXIT_STATUS = (
    "Exit status: 0 success, 1 failure, 2 usage, 3 bad data, 4 undecided, 130 interrupted, 143 "
    "terminated."
)


class _CommandGroup(click.Group):
    """A group that imports its subcommands on demand, and translates all errors."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [str(command.name) for command in commands_in_order()]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name == "compile":  # of version 0.1
            raise click.UsageError("compile is gone: the loops come compiled with the package.")
        for wanted in [name] if name in COMMANDS else COMMANDS:  # all: the error suggests names
            self.commands.setdefault(wanted, load_command(wanted))
        return self.commands.get(name)

    def get_help(self, ctx: click.Context) -> str:
        shown = commands_in_order()
        examples = [re.split(" +# ", command.example) for command in shown if command.example]
        width = max((len(example) for example, _ in examples), default=0)
        lines = [f"    {example:<{width}}  # {why}" for example, why in examples]
        panels: dict[str, list[page.Entry]] = {panel: [] for panel in COMMAND_PANELS}
        for command in shown:
            first = (command.help or "").partition("\n")[0]
            panels[command.panel].append(page.Entry(str(command.name), "", first))
        panels["Options"] = [entry(param) for param in self.get_params(ctx)]
        text = _HELP.format(examples="\n".join(lines))
        return page.draw(ctx, text, panels, _EXIT_STATUS)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            show_help(ctx)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        with translate_errors():
            return super().invoke(ctx)


def load_command(name: str) -> Command:
    """Import a subcommand."""
    command: Command = getattr(import_module(f"{commands.__name__}.{name}"), name)
    return command


def commands_in_order() -> list[Command]:
    """Import the subcommands; return them in the order of the help page."""
    loaded = map(load_command, COMMANDS)
    return sorted(loaded, key=lambda command: (COMMAND_PANELS.index(command.panel), command.rank))


def _show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        with translate_errors():
            from rosenblatt.engine import instruction_set

        click.echo(f"rosenblatt {__version__} ({instruction_set})")
        context.exit()


@click.group(cls=_CommandGroup, context_settings={"help_option_names": HELP_NAMES})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_show_version,
    help="Show the version, and the instruction set that the compiled core uses.",
)  # fmt: skip
def command() -> None:
    """Hold the subcommands."""


def run(args: Sequence[str] | None = None) -> int:
    """Run one command line.

    Parameters
    ----------
    args : sequence of str, optional
        The arguments after ``rosenblatt``; ``sys.argv[1:]`` by default.

    Returns
    -------
    int
        The exit status: 0 success, 1 failure, 2 usage, 3 bad data, 4 undecided, 130 interrupted,
        143 terminated.
    """
    terminal.log_as_notes()
    try:
        result = command.main(args, prog_name="rosenblatt", standalone_mode=False)
    except click.Abort as abort:
        return _fail(stop_error("stopped.", abort.__context__))
    except click.ClickException as error:
        return _fail(error)
    return result if isinstance(result, int) else 0


def _fail(error: click.ClickException) -> int:
    message = error.format_message()
    if isinstance(error, Interrupted):
        terminal.print_line("interrupted", message, "bold yellow")
        return error.exit_code
    message += "" if message.endswith((".", "?")) else "."
    if isinstance(error, click.UsageError) and error.ctx is not None:
        message += f" Try: {error.ctx.command_path} --help"
    terminal.error(message)
    return error.exit_code


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise Interruption


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    raise Termination


def main() -> NoReturn:
    """Run the command line of this process, and exit with its status."""
    signal.signal(signal.SIGTERM, _terminate)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a shell may have it ignored
        signal.signal(signal.SIGINT, _interrupt)
    if sys.stdout is None:  # it was closed: what is written goes nowhere, as what print writes
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (as long as the process)
    if sys.stderr is None:  # likewise: print would write to standard output instead
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (as long as the process)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # never fail on a narrow encoding
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run())
