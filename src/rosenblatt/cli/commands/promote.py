"""``rosenblatt promote``: a standby takes over."""

from __future__ import annotations

import time
from contextlib import suppress

import click

from rosenblatt.cli.commands.serve import TOKEN, read_token
from rosenblatt.cli.display.errors import Failure, naming_the_extra
from rosenblatt.cli.options.declared import Options, argument, command, option

SECONDS = 120.0
"""Time that the new primary has to answer: it brings its models to the end of their logs."""


class PromoteOptions(Options):
    """The standby, and the token that it asks for."""

    address: str = argument("ADDRESS", "Address of the standby, such as http://standby:8000.")
    token_file: str | None = option(
        "--token-file FILE", f"File of the token that requests must bear; else {TOKEN}."
    )


@command(PromoteOptions, "Service", 4)
def promote(options: PromoteOptions) -> None:
    """Let a standby take over from a primary that is lost.

    Examples
    --------
        rosenblatt promote http://standby:8000  # the standby becomes the primary

    The primary before needs not be reached: it sees at its next segment that it is none any more,
    and learns nothing. What it learned after its last segment is in its store, and rosenblatt
    unshipped names it. The command may be given twice. Exit status 0: the new primary learns.
    """
    with naming_the_extra():
        from rosenblatt.serve.client import Client, ServiceError
    token, start = read_token(options.token_file), time.monotonic()
    try:
        client = Client(options.address, None if token is None else token.decode())
    except ValueError as error:
        raise click.UsageError(f"ADDRESS: {error}") from error
    try:
        epoch = client.promote()["epoch"]
    except (ServiceError, OSError, ValueError) as error:
        raise Failure(f"{options.address}: {error}") from error
    role = ""
    while role != "primary":  # which begins in the same process: connections are closed meanwhile
        if time.monotonic() - start > SECONDS:
            raise Failure(f"{options.address}: is the owner (epoch {epoch}), and does not answer.")
        with suppress(ServiceError, OSError):
            role = client.shipping()["role"]
        time.sleep(0.02)
    click.echo(f"promoted  epoch {epoch}, {time.monotonic() - start:.1f} s")
