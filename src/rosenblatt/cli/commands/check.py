"""``rosenblatt check``: the verification of a store that no service has open."""

from __future__ import annotations

import sys

import click

from rosenblatt.cli.display import fmt
from rosenblatt.cli.display.errors import Failure, Undecided, naming_the_extra
from rosenblatt.cli.options.declared import Options, argument, command, option


class CheckOptions(Options):
    """The store, and what to look for in it."""

    store: str = argument("STORE", "Folder of the service.")
    find: str | None = option(
        "--find -",
        "Say where in the store the value on standard input is, such as one that was erased.",
        ("-",),
    )


@command(CheckOptions, "Service", 3)
def check(options: CheckOptions) -> None:
    """Verify a store that no service has open, and change nothing.

    Examples
    --------
        rosenblatt check mail  # verify a store
        printf %s ann@example.org | rosenblatt check mail --find -

    It reads the journal, every page, every record and its place in the chain, every snapshot, key
    and prediction, and names what is damaged by file, table and version. --find reads them for a
    text in any case, a number, or a row as JSON, and looks at all bytes of the folder, free pages
    among them. It cannot tell of hashes, and says where there may be some. One line for each model
    has its versions and the head of its log, to compare with a receipt, a replica or a backup. Exit
    status 0: the store is whole, or the value is nowhere; 1: it is not; 4: the value was not found
    where it can be told.
    """
    with naming_the_extra():
        from rosenblatt.serve.errors import StoreError
        from rosenblatt.serve.store.check import check_store
    try:
        if options.find is not None:
            _find(options.store)
            return
        report = check_store(options.store)
    except StoreError as error:
        raise Failure(str(error)) from error
    for model in report.models:
        click.echo(f"{model.name}  {model.first} to {model.last}  head {model.head}")
    for fault in report.faults:
        click.echo(f"damaged  {fault}")
    if report.faults:
        raise Failure(
            f"{options.store}: {fmt.count(len(report.faults), 'fault')}. Restore the folder from a "
            "backup (rosenblatt backup makes one)."
        )


def _find(store: str) -> None:
    from rosenblatt.serve.erasure.find import find_value

    value = sys.stdin.buffer.read().rstrip(b"\r\n")
    if not value:
        raise click.UsageError("--find - reads the value on standard input, which is empty.")
    findings = find_value(store, value)
    for where in findings.places:
        click.echo(f"found  {where}")
    for where in findings.blind:
        click.echo(f"cannot tell  {where}")
    if findings.places:
        raise Failure(f"{store} has the value in {fmt.count(len(findings.places), 'place')}.")
    if findings.blind:
        raise Undecided(f"{store}: not found, but not everything could be searched.")
