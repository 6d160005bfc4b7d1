"""The command ``rosenblatt``: one file a subcommand.

Data goes to standard output, everything else to standard error. Nothing heavy is imported before
a subcommand runs: ``rosenblatt --help`` answers at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import NoReturn

import rich_click as click

from rosenblatt import __version__
from rosenblatt.cli.commands.certify import certify
from rosenblatt.cli.commands.convert import convert
from rosenblatt.cli.commands.demo import demo
from rosenblatt.cli.commands.diff import diff
from rosenblatt.cli.commands.evaluate import evaluate
from rosenblatt.cli.commands.inspect import inspect
from rosenblatt.cli.commands.predict import predict
from rosenblatt.cli.commands.train import train
from rosenblatt.cli.commands.validate import validate
from rosenblatt.cli.commands.verify import verify
from rosenblatt.cli.display import terminal
from rosenblatt.cli.display.errors import Interrupted, translate_errors
from rosenblatt.cli.options.shared import HELP


class _CommandGroup(click.RichGroup):
    """A group whose errors are one line each, whatever raised them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which people need them."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> object:
        with translate_errors():
            return super().invoke(ctx)


@click.group(
    cls=_CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"], **HELP},
    epilog="Exit status: 0 fine, 1 failure, 2 usage, 3 bad data, 4 undecided, 130 interrupted, "
    "143 terminated.",
)
@click.version_option(__version__, prog_name="rosenblatt", message="%(prog)s %(version)s")
def command() -> None:
    """The perceptron, from the lecture to the stream.

    [bold]Examples[/]
        rosenblatt demo                                [dim]see it work[/]
        rosenblatt train mail.svm -m mail.rosenblatt   [dim]learn from a file, one pass[/]
        rosenblatt evaluate mail.rosenblatt test.svm   [dim]how often is it wrong?[/]
        rosenblatt predict mail.rosenblatt new.svm     [dim]one label a line[/]
        rosenblatt validate mail.svm                   [dim]predict, then learn: how is it doing?[/]
        rosenblatt inspect mail.rosenblatt             [dim]what has it learned?[/]
        rosenblatt diff a.rosenblatt b.rosenblatt      [dim]what has changed?[/]
        rosenblatt certify mail.svm --proof mail.json  [dim]separable? with a proof[/]
        rosenblatt verify mail.json mail.svm           [dim]does the proof hold?[/]
        rosenblatt convert mail.svm mail.arrow         [dim]text once, then at the disk's speed[/]

    Each command tells its options: rosenblatt train --help
    """


for _subcommand in (
    demo,
    train,
    predict,
    evaluate,
    validate,
    inspect,
    diff,
    certify,
    verify,
    convert,
):
    command.add_command(_subcommand)


def run(args: Sequence[str] | None = None) -> int:
    """Run one command line.

    Parameters
    ----------
    args : sequence of str, optional
        What follows ``rosenblatt``; ``sys.argv[1:]`` by default.

    Returns
    -------
    int
        The exit status: 0 fine, 1 failure, 2 usage, 3 bad data, 4 undecided, 130 interrupted,
        143 terminated.
    """
    try:
        result = command.main(args, prog_name="rosenblatt", standalone_mode=False)
    except click.Abort:
        return _fail(Interrupted("stopped."))
    except click.ClickException as error:
        return _fail(error)
    except SystemExit as stop:  # help where arguments are missing
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


def main() -> NoReturn:
    """Run the command line of this process."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a narrow encoding is no reason to stop
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run())
