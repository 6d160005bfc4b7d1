"""``rosenblatt verify``: check a proof of separability on the data, or an audit by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from rosenblatt.cli.display import fmt, render, terminal
from rosenblatt.cli.display.errors import Failure, unreadable
from rosenblatt.cli.inputs.existence import check_data, check_file
from rosenblatt.cli.options.declared import argument, command
from rosenblatt.cli.options.shared import DATA_HELP, SourceOptions, json_option

if TYPE_CHECKING:
    from rich.text import Text

    from rosenblatt.cli.inputs.proofs import LoadedData
    from rosenblatt.proofs import Certificate, Certificates, Claim, Verification
    from rosenblatt.proofs.check.theorem import AuditRecord


class VerifyOptions(SourceOptions):
    """All options and arguments of ``rosenblatt verify``."""

    proof: str = argument(
        "PROOF", "A file written by rosenblatt certify --proof, proof.save or audit(run).save."
    )
    data: str | None = argument("[DATA]", DATA_HELP)
    as_json: bool = json_option(
        "Print one JSON object: verified, status, numbers, failed, claims, seconds, …"
    )


@command(VerifyOptions, "Proofs", 2)
def verify(options: VerifyOptions) -> None:
    """Check a proof on the rows of DATA in exact arithmetic.

    Examples
    --------
        rosenblatt verify mail.json mail.svm  # check a proof
        rosenblatt verify patients.json patients.csv --target ill
        rosenblatt verify iris.json sklearn:iris --json
        rosenblatt verify audit.json

    The check trusts nothing in the proof, and needs no search. The numbers of text are read as what
    the proof is about: the decimals that are written, or binary64, their nearest floats. A proof
    does not store how its data was read: give the same reading options as to certify (--target,
    --schema, --impute, …), which prints the whole command. The file of an audit has its rows: DATA
    may be left out, and is compared with them if given. Exit status 0: every claim holds; 1: one
    does not.
    """
    check_file(options.proof)
    if options.data is not None:
        check_data(options.data)
    from rosenblatt.cli.display.certificates import list_certificates
    from rosenblatt.cli.inputs.data import build_read_options
    from rosenblatt.cli.inputs.proofs import describe_numbers, read_data
    from rosenblatt.proofs import Certificate
    from rosenblatt.proofs.audit_files import is_audit, load_audit
    from rosenblatt.proofs.check.theorem import AuditRecord

    try:
        loaded = (load_audit if is_audit(options.proof) else Certificate.load)(options.proof)
    except OSError as error:
        raise unreadable(options.proof, error) from error
    data, read_options = None, build_read_options(options)
    if options.data is not None:
        floats = isinstance(loaded, AuditRecord) or all(
            one.numbers == "binary64" for one in list_certificates(loaded)
        )
        data = read_data(options.data, read_options, rounded=floats)
    if isinstance(loaded, AuditRecord):
        verdict = _check_audit(loaded, data)
    elif data is not None:
        verdict = _check_certificates(loaded, data)
    else:
        raise click.UsageError(
            "Missing argument 'DATA': a proof of separability is about rows, which its file does "
            "not have. Name the data that was certified."
        )
    if options.as_json:
        record = {
            "verified": verdict.failed is None,
            "status": verdict.status,
            "numbers": verdict.numbers,
            "computed": (data.computed or None) if data else None,
            "failed": verdict.failed,
            "claims": [_claim_record(label, claim) for label, claim in verdict.claims],
            "seconds": verdict.seconds,
        }
        terminal.print_json(record)
    else:
        _show(verdict, "" if data is None else describe_numbers(data, verdict.numbers))
    if verdict.failed is not None:
        of_rows = "" if isinstance(loaded, AuditRecord) else f" for {options.data}"
        hint = "" if isinstance(loaded, AuditRecord) else _hint(verdict.claims[-1][1])
        raise Failure(f"{options.proof} does not hold{of_rows}: {verdict.failed}.{hint}")


class _Verdict(NamedTuple):
    """A check of a proof: its claims, each with its class, and how it ended."""

    status: str
    numbers: str
    claims: Sequence[tuple[str | None, Claim]]
    lines: Sequence[tuple[bool, str]]
    what: Text | str
    failed: str | None
    seconds: float


def _check_audit(audit: AuditRecord, rows: LoadedData | None) -> _Verdict:
    """Check the audit of a run, and that it is about the rows, if they are given."""
    from rosenblatt.proofs.check.theorem import verify_theorem

    check = verify_theorem(audit) if rows is None else verify_theorem(audit, rows.X, rows.y)
    return _Verdict(
        status="audit",
        numbers="binary64",
        claims=[(None, claim) for claim in check.claims],
        lines=[(claim.holds, claim.text) for claim in check.claims],
        what="the convergence theorem, on this run.",
        failed=check.failed,
        seconds=check.seconds,
    )


def _check_certificates(loaded: Certificate | Certificates, rows: LoadedData) -> _Verdict:
    """Check a proof of separability on the rows."""
    from rosenblatt.cli.display.certificates import headline, list_certificates
    from rosenblatt.cli.inputs.proofs import check_proof

    proofs, checked = list_certificates(loaded), check_proof(loaded, rows)
    pairs = list(zip(proofs, checked.checks, strict=False))  # a failed check is last
    by_class = len(proofs) > 1 and len(checked.checks[0].claims) > 1  # a single one is about all
    lines = [(claim.holds, claim.text) for claim in checked.checks[0].claims]
    if by_class:  # with the claim that failed
        lines = [
            (bool(check), f"{fmt.label(proof.positive)}: {_summary(proof, check)}")
            for proof, check in pairs
        ]
    return _Verdict(
        status=checked.proof.status,
        numbers=proofs[0].numbers,
        claims=[
            (fmt.label(proof.positive) if by_class else None, claim)
            for proof, check in pairs
            for claim in check.claims
        ],
        lines=lines,
        what=headline(checked.proof),
        failed=checked.failed,
        seconds=checked.seconds,
    )


def _summary(proof: Certificate, check: Verification) -> str:
    if not check:
        return check.claims[-1].text
    return f"{proof.status}, {fmt.count(len(check.claims), 'claim')}"


def _hint(last: Claim) -> str:
    """Return what to check if the proof is about other rows."""
    if not re.search("proof's|has its certificate", last.text):
        return ""
    return (
        " The rows are others, or were read in another way: give the same reading options as to "
        "certify, such as --target, --schema, --impute, --format and --index-base. The line "
        "'next' of certify has them."
    )


def _claim_record(label: str | None, claim: Claim) -> dict[str, object]:
    return {"class": label, "claim": claim.text, "holds": claim.holds, "why": claim.why or None}


def _show(verdict: _Verdict, numbers: str) -> None:
    console = terminal.stdout()
    for holds, line in verdict.lines:
        mark = ("✓ ", "green") if holds else ("✗ ", "bold red")
        console.print(render.text(mark, line))
    if verdict.failed is None:
        console.print()
        console.print("Every claim holds:", verdict.what)
        if numbers:
            console.print(render.facts([("numbers", numbers)]))
        seconds = fmt.seconds(verdict.seconds)
        console.print(f"checked in exact arithmetic, in {seconds}", style="dim")
