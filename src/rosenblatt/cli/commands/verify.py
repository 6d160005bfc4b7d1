"""``rosenblatt verify``: whether a proof holds for the data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import rich_click as click

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.errors import BadData, Failure
from rosenblatt.cli.inputs.proofs import CheckedProof, check_proof, read_data
from rosenblatt.cli.options import shared

if TYPE_CHECKING:
    from rosenblatt.proofs import Certificate, Certificates, Claim


@click.command(no_args_is_help=True)
@shared.order_panels
@click.argument(
    "proof", metavar="PROOF", help="A file that rosenblatt certify --proof or proof.save wrote."
)
@shared.data_argument
@shared.json_option("One object: verified, status, failed, claims, seconds.")
@shared.reading_options
def verify(proof: str, data: str, **params: Any) -> None:
    """Check every claim of PROOF on the rows of DATA, in exact arithmetic.

    [bold]Examples[/]
        rosenblatt verify patients.json patients.csv --target ill
        rosenblatt verify iris.json sklearn:iris --json

    Nothing in the proof is taken on trust, and nothing is searched for. A proof does not note how
    its data was read: give --target, --format and --index-base as they were given to certify.
    Exit status 0: every claim holds; 1: one does not.
    """
    from rosenblatt.cli.inputs import data as inputs_data

    loaded = _load(proof)
    read_options = inputs_data.build_read_options(params)
    checked = check_proof(loaded, read_data(data, read_options))
    if params["as_json"]:
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
        raise BadData(f"{path}: cannot be read: {error.strerror}.") from error


def _claims(answer: CheckedProof) -> list[tuple[str | None, Claim]]:
    """Every claim, in order, with the class that it is about where there are several."""
    from rosenblatt.cli.display.certificates import list_certificates

    several = len(list_certificates(answer.proof)) > 1 and _is_by_class(answer)
    pairs = zip(
        list_certificates(answer.proof), answer.checks, strict=False
    )  # one that fails is the last
    return [
        (fmt.label(proof.positive) if several else None, claim)
        for proof, verification in pairs
        for claim in verification.claims
    ]


def _is_by_class(checked: CheckedProof) -> bool:
    """Whether classes were checked one by one: a first claim that fails may be about them all."""
    return len(checked.checks[0].claims) > 1


def _hint(checked: CheckedProof) -> str:
    """What to look at where the proof is about other rows than these."""
    _, last = _claims(checked)[-1]
    if "proof" not in last.text:
        return "."
    return (
        ". These are other rows, or they were read otherwise: give --target, --format and "
        "--index-base as they were given to certify."
    )


def _record(checked: CheckedProof) -> dict[str, Any]:
    """The object of ``--json``."""
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
    from rich.text import Text

    from rosenblatt.cli.display import certificates

    console = terminal.stdout()
    for holds, line in _lines(checked):
        mark = ("✓ ", "green") if holds else ("✗ ", "bold red")
        console.print(Text.assemble(mark, line))
    if checked.failed is None:
        console.print()
        console.print("Every claim holds:", certificates.headline(checked.proof))
        console.print(
            f"checked in exact arithmetic, in {fmt.seconds(checked.seconds)}", style="dim"
        )


def _lines(checked: CheckedProof) -> list[tuple[bool, str]]:
    """One line a claim or, of several classes, one a class, and the claim that fails."""
    from rosenblatt.cli.display.certificates import list_certificates

    proofs, lines = list_certificates(checked.proof), []
    if len(proofs) == 1 or not _is_by_class(checked):
        return [(claim.holds, claim.text) for claim in checked.checks[0].claims]
    for proof, verification in zip(proofs, checked.checks, strict=False):
        name = fmt.label(proof.positive)
        if verification:
            lines.append(
                (True, f"{name}: {proof.status}, {fmt.count(len(verification.claims), 'claim')}")
            )
        else:
            lines.append((False, f"{name}: {verification.claims[-1].text}"))
    return lines
