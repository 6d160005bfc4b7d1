"""``rosenblatt unshipped``: what a store has, and its target has not."""

from __future__ import annotations

import sys

import click

from rosenblatt.cli.display import fmt
from rosenblatt.cli.display.errors import Failure, naming_the_extra
from rosenblatt.cli.options.declared import Options, argument, command, option


class UnshippedOptions(Options):
    """The store, and the target of its service."""

    store: str = argument("STORE", "Folder of the service that was primary.")
    ship: str = option("--ship URL", "What it sent its log to.", required=True)
    lines: bool = option(
        "--lines", "Write the examples as NDJSON on standard output, for the new primary to learn."
    )


@command(UnshippedOptions, "Service", 5)
def unshipped(options: UnshippedOptions) -> None:
    """Name what a store that no service has open learned, and its target has not.

    Examples
    --------
        rosenblatt unshipped mail --ship /mnt/shipped  # after a standby has taken over
        rosenblatt unshipped mail --ship s3://bucket/mail --lines > lost.ndjson

    One line for each model with such records: name, first and last version, examples among them.
    --lines writes the examples themselves, each with its model; what else happened to a model, such
    as a rollback, is counted on standard error. The target is read whole, into a temporary folder.
    """
    with naming_the_extra():
        from rosenblatt.serve.errors import StoreError
        from rosenblatt.serve.shipping.unshipped import find_unshipped
    try:
        for model in find_unshipped(options.store, options.ship):
            examples = fmt.count(len(model.lines), "example")
            text = f"{model.name}  {model.first} to {model.last}  {examples}, "
            text += fmt.count(model.others, "other change")
            click.echo(text, file=sys.stderr if options.lines else None)
            if options.lines:
                for line in model.lines:
                    click.echo(line)
    except (StoreError, OSError) as error:
        raise Failure(str(error)) from error
