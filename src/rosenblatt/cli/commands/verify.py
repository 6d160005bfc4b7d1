"""``rosenblatt verify``: whether a proof holds for the data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import rich_click as click

from rosenblatt.cli.display import console as display_console
from rosenblatt.cli.display import text
from rosenblatt.cli.display.errors import BadData, Failure
from rosenblatt.cli.inputs.proofs import Answer, check, read
from rosenblatt.cli.options import shared

if TYPE_CHECKING:
    from rosenblatt.proofs import Certificate, Certificates, Claim


@click.command(no_args_is_help=True)
@shared.in_order
@click.argument(
    "proof", metavar="PROOF", help="A file that rosenblatt certify --proof or proof.save wrote."
)
@shared.data_argument
@shared.json_option("One object: verified, status, failed, claims, seconds.")
@shared.reading_options
def verify(proof: str, data: str, **given: Any) -> None:
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
    how = inputs_data.reading(given)
    answer = check(loaded, read(data, how))
    if given["as_json"]:
        click.echo(json.dumps(_record(answer), ensure_ascii=False))
    else:
        _show(answer)
    if answer.failed is not None:
        raise Failure(f"{proof} does not hold for {data}: {answer.failed}{_hint(answer)}")


def _load(path: str) -> Certificate | Certificates:
    from rosenblatt.proofs import Certificate

    try:
        return Certificate.load(path)
    except OSError as error:
        raise BadData(f"{path}: cannot be read: {error.strerror}.") from error


def _claims(answer: Answer) -> list[tuple[str | None, Claim]]:
    """Every claim, in order, with the class that it is about where there are several."""
    from rosenblatt.cli.display.certificates import each

    several = len(each(answer.proof)) > 1 and _by_class(answer)
    checked = zip(each(answer.proof), answer.checks, strict=False)  # one that fails is the last
    return [
        (text.label(proof.positive) if several else None, claim)
        for proof, found in checked
        for claim in found.claims
    ]


def _by_class(answer: Answer) -> bool:
    """Whether classes were checked one by one: a first claim that fails may be about them all."""
    return len(answer.checks[0].claims) > 1


def _hint(answer: Answer) -> str:
    """What to look at where the proof is about other rows than these."""
    _, last = _claims(answer)[-1]
    if "proof" not in last.text:
        return "."
    return (
        ". These are other rows, or they were read otherwise: give --target, --format and "
        "--index-base as they were given to certify."
    )


def _record(answer: Answer) -> dict[str, Any]:
    """The object of ``--json``."""
    return {
        "verified": answer.failed is None,
        "status": answer.proof.status,
        "failed": answer.failed,
        "claims": [
            {"class": label, "claim": claim.text, "holds": claim.holds, "why": claim.why or None}
            for label, claim in _claims(answer)
        ],
        "seconds": answer.seconds,
    }


def _show(answer: Answer) -> None:
    from rich.text import Text

    from rosenblatt.cli.display import certificates

    console = display_console.output()
    for holds, line in _lines(answer):
        mark = ("✓ ", "green") if holds else ("✗ ", "bold red")
        console.print(Text.assemble(mark, line))
    if answer.failed is None:
        console.print()
        console.print("Every claim holds:", certificates.headline(answer.proof))
        console.print(
            f"checked in exact arithmetic, in {text.seconds(answer.seconds)}", style="dim"
        )


def _lines(answer: Answer) -> list[tuple[bool, str]]:
    """One line a claim or, of several classes, one a class, and the claim that fails."""
    from rosenblatt.cli.display.certificates import each

    proofs, lines = each(answer.proof), []
    if len(proofs) == 1 or not _by_class(answer):
        return [(claim.holds, claim.text) for claim in answer.checks[0].claims]
    for proof, found in zip(proofs, answer.checks, strict=False):
        name = text.label(proof.positive)
        if found:
            lines.append(
                (True, f"{name}: {proof.status}, {text.count(len(found.claims), 'claim')}")
            )
        else:
            lines.append((False, f"{name}: {found.claims[-1].text}"))
    return lines
