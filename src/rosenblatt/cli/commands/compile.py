"""``rosenblatt compile``: of versions that compiled loops when they ran; scripts may call it."""

from __future__ import annotations

from rosenblatt.cli.display import terminal
from rosenblatt.cli.options.declared import Options, argument, command, option
from rosenblatt.cli.options.shared import json_option


class CompileOptions(Options):
    """What older versions compiled."""

    kinds: tuple[str, ...] = argument("[KIND]…", "Without effect.", nargs=-1)
    rules: tuple[str, ...] = option("--rule NAME", "Without effect.", multiple=True)
    as_json: bool = json_option("Print one JSON object, without seconds.")


@command(CompileOptions)
def compile(options: CompileOptions) -> None:
    """Do nothing: the loops are compiled when the package is built.

    Examples
    --------
        rosenblatt compile
    """
    terminal.note("nothing needs compiling: the loops come compiled with the package.")
    if options.as_json:
        terminal.print_json({"seconds": {}, "folder": None})
