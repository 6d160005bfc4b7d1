"""``rosenblatt compile``: of versions that compiled loops when they ran; scripts may call it."""

from __future__ import annotations

import json

import rich_click as click

from rosenblatt.cli.display import terminal
from rosenblatt.cli.options import shared


@click.command(cls=shared.Command)
@shared.order_panels
@click.argument("kinds", nargs=-1, metavar="[KIND]…")
@click.option("--rule", "rules", multiple=True, metavar="NAME", help="Without effect.")
@shared.json_option("Print one JSON object, without seconds.")
def compile(kinds: tuple[str, ...], rules: tuple[str, ...], as_json: bool) -> None:
    """Do nothing: the loops are compiled when the package is built.

    [bold]Examples[/]
        rosenblatt compile
    """
    terminal.note("nothing needs compiling: the loops come compiled with the package.")
    if as_json:
        click.echo(json.dumps({"seconds": {}, "folder": None}))
