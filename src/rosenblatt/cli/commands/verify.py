"""``rosenblatt verify``: check a proof of separability on the data."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import rich_click as click
from rich.text import Text

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.errors import Failure, unreadable
from rosenblatt.cli.inputs.existence import check_data, check_file
from rosenblatt.cli.options import shared

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.proofs import CheckedProof
    from rosenblatt.proofs import Certificate, Certificates, Claim


@click.command(cls=shared.Command, no_args_is_help=True)
@shared.order_panels
@click.argument(
    "proof", metavar="PROOF", help="A file written by rosenblatt certify --proof or proof.save."
)
@shared.data_argument
@shared.json_option("Print one JSON object: verified, status, failed, claims, seconds.")
@shared.reading_options
def verify(proof: str, data: str, as_json: bool, **reading: Any) -> None:
    """Check a proof on the rows of DATA in exact arithmetic.

    [bold]Examples[/]
        rosenblatt verify patients.json patients.csv --target ill
        rosenblatt verify iris.json sklearn:iris --json

    The check trusts nothing in the proof, and needs no search. A proof does not store how its data
    was read: give the same reading options as to certify (--target, --schema, --impute, …), which
    prints the whole command. Exit status 0: every
    claim holds; 1: one does not.
    """
    check_file(proof)
    check_data(data)
    from rosenblatt.cli.inputs.data import build_read_options
    from rosenblatt.cli.inputs.proofs import check_proof, read_data

    loaded = _load(proof)
    read_options = build_read_options(shared.SourceOptions(**reading))
    checked = check_proof(loaded, read_data(data, read_options))
    if as_json:
        click.echo(json.dumps(_record(checked), ensure_ascii=False))
    else:
        _show(checked)
    if checked.failed is not None:
        raise Failure(f"{proof} does not hold for {data}: {checked.failed}{_hint(checked)}")


def _load(path: str) -> Certificate | Certificates:
    from rosenblatt.proofs import Certificate

    try:
        return Certificate.load(path)
    except OSError as error:
        raise unreadable(path, error) from error


def _proofs(checked: CheckedProof) -> list[Certificate]:
    from rosenblatt.cli.display.certificates import list_certificates

    return list_certificates(checked.proof)


def _claims(checked: CheckedProof) -> list[tuple[str | None, Claim]]:
    """Return every claim with its class; None if it is about all classes."""
    proofs = _proofs(checked)
    several = len(proofs) > 1 and _is_by_class(checked)
    return [
        (fmt.label(proof.positive) if several else None, claim)
        for proof, check in zip(proofs, checked.checks, strict=False)  # a failed check is last
        for claim in check.claims
    ]


def _is_by_class(checked: CheckedProof) -> bool:
    """Return whether classes were checked one by one: a single failed claim is about all."""
    return len(checked.checks[0].claims) > 1


def _hint(checked: CheckedProof) -> str:
    """Return what to check if the proof is about other rows."""
    _, last = _claims(checked)[-1]
    if not re.search("proof's|has its certificate", last.text):
        return "."
    return (
        ". The rows are others, or were read in another way: give the same reading options as to "
        "certify, such as --target, --schema, --impute, --format and --index-base. The line "
        "'next' of certify has them."
    )


def _record(checked: CheckedProof) -> dict[str, Any]:
    """Return the object of ``--json``."""
    return {
        "verified": checked.failed is None,
        "status": checked.proof.status,
        "failed": checked.failed,
        "claims": [
            {"class": label, "claim": claim.text, "holds": claim.holds, "why": claim.why or None}
            for label, claim in _claims(checked)
        ],
        "seconds": checked.seconds,
    }


def _show(checked: CheckedProof) -> None:
    from rosenblatt.cli.display.certificates import headline

    console = terminal.stdout()
    for holds, line in _lines(checked):
        mark = ("✓ ", "green") if holds else ("✗ ", "bold red")
        console.print(Text.assemble(mark, line))
    if checked.failed is None:
        console.print()
        console.print("Every claim holds:", headline(checked.proof))
        console.print(
            f"checked in exact arithmetic, in {fmt.seconds(checked.seconds)}", style="dim"
        )


def _lines(checked: CheckedProof) -> list[tuple[bool, str]]:
    """Return one line per claim or, for several classes, one per class with its failed claim."""
    proofs = _proofs(checked)
    if len(proofs) == 1 or not _is_by_class(checked):
        return [(claim.holds, claim.text) for claim in checked.checks[0].claims]
    lines = []
    for proof, check in zip(proofs, checked.checks, strict=False):
        name = fmt.label(proof.positive)
        if check:
            claims = fmt.count(len(check.claims), "claim")
            lines.append((True, f"{name}: {proof.status}, {claims}"))
        else:
            lines.append((False, f"{name}: {check.claims[-1].text}"))
    return lines
