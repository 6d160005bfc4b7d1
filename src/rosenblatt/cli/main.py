"""The command ``rosenblatt``.

Results go to standard output, everything else to standard error. The module of a subcommand is
imported when it runs, and NumPy not before its work begins: help pages are fast.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from types import FrameType
from typing import NoReturn

import rich_click as click

from rosenblatt import __version__
from rosenblatt.cli.display import terminal
from rosenblatt.cli.display.errors import Interrupted, Termination, stop_error, translate_errors
from rosenblatt.cli.options.shared import HELP

COMMANDS = (
    "demo",
    "sample",
    "train",
    "predict",
    "evaluate",
    "validate",
    "inspect",
    "diff",
    "certify",
    "verify",
    "convert",
    "teach",
    "serve",
    "backup",
    "check",
    "compile",
)
"""Subcommands: each is the function of that name in ``rosenblatt.cli.commands.<name>``."""

_MODULES = {"backup": "serve", "check": "serve"}
"""The module of a subcommand that shares one."""


class _CommandGroup(click.RichGroup):
    """A group that imports its subcommands on demand, and translates all errors."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        for wanted in [name] if name in COMMANDS else COMMANDS:  # all: the error suggests names
            if wanted not in self.commands:
                name_of = _MODULES.get(wanted, wanted)
                module = import_module(f"rosenblatt.cli.commands.{name_of}")
                self.add_command(getattr(module, wanted))
        return self.commands.get(name)

    def invoke(self, ctx: click.Context) -> object:
        with translate_errors():
            return super().invoke(ctx)


def _show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        with translate_errors():
            from rosenblatt.engine import instruction_set

        click.echo(f"rosenblatt {__version__} ({instruction_set})")
        context.exit()


@click.group(
    cls=_CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"], **HELP},
    epilog="Exit status: 0 success, 1 failure, 2 usage, 3 bad data, 4 undecided, 130 interrupted, "
    "143 terminated.",
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_show_version,
    help="Show the version, and the instruction set that the compiled core uses.",
)  # fmt: skip
def command() -> None:
    """Fast online linear and kernel classifiers for files of any size.

    [bold]Examples[/]
        rosenblatt demo                                [dim]a tour[/]
        rosenblatt sample                              [dim]files to try[/]
        rosenblatt train mail.svm -m mail.rosenblatt   [dim]learn from a file[/]
        rosenblatt evaluate mail.rosenblatt test.svm   [dim]measure the error rate[/]
        rosenblatt predict mail.rosenblatt new.svm     [dim]one label per line[/]
        rosenblatt validate mail.svm                   [dim]predict rows, then learn them[/]
        rosenblatt inspect mail.rosenblatt             [dim]show heaviest features[/]
        rosenblatt diff a.rosenblatt b.rosenblatt      [dim]compare two models[/]
        rosenblatt certify mail.svm --proof mail.json  [dim]linearly separable? prove it[/]
        rosenblatt verify mail.json mail.svm           [dim]check a proof[/]
        rosenblatt convert mail.svm mail.arrow         [dim]parse once, then load fast[/]
        rosenblatt teach                               [dim]the lecture page[/]
        rosenblatt serve --store mail                  [dim]learn and predict over HTTP[/]
        rosenblatt check mail                          [dim]verify a store[/]

    Options of a command: rosenblatt train --help
    """


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
    except SystemExit as stop:  # help if arguments are missing
        return int(stop.code or 0)
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


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    raise Termination


def main() -> NoReturn:
    """Run the command line of this process, and exit with its status."""
    signal.signal(signal.SIGTERM, _terminate)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # never fail on a narrow encoding
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run())
