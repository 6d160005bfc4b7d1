"""``rosenblatt verify``: check a proof of separability on the data, or an audit by itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.display import fmt, render, terminal
from rosenblatt.cli.display.errors import Failure, unreadable
from rosenblatt.cli.inputs.existence import check_data, check_file
from rosenblatt.cli.options.declared import argument, command
from rosenblatt.cli.options.shared import DATA_HELP, SourceOptions, json_option

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.proofs import CheckedProof, LoadedData
    from rosenblatt.proofs import Certificate, Certificates, Claim


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
    from rosenblatt.cli.inputs.proofs import check_proof, read_data

    read_options = build_read_options(options)
    if _is_audit(options.proof):
        rows = None if options.data is None else read_data(options.data, read_options, rounded=True)
        _verify_audit(options.proof, rows, options.as_json)
        return
    loaded = _load(options.proof)
    if options.data is None:
        raise click.UsageError(
            "Missing argument 'DATA': a proof of separability is about rows, which its file does "
            "not have. Name the data that was certified."
        )
    rounded = all(proof.numbers == "binary64" for proof in list_certificates(loaded))
    checked = check_proof(loaded, read_data(options.data, read_options, rounded=rounded))
    if options.as_json:
        terminal.print_json(_record(checked))
    else:
        _show(checked)
    if checked.failed is not None:
        raise Failure(
            f"{options.proof} does not hold for {options.data}: {checked.failed}{_hint(checked)}"
        )


def _is_audit(path: str) -> bool:
    from rosenblatt.proofs.audit_files import is_audit

    try:
        return is_audit(path)
    except OSError as error:
        raise unreadable(path, error) from error


def _verify_audit(path: str, rows: LoadedData | None, as_json: bool) -> None:
    """Check the audit of a run, and that it is about the rows, if they are given."""
    from rosenblatt.proofs.audit_files import load_audit
    from rosenblatt.proofs.check.theorem import verify_theorem

    audit = load_audit(path)
    check = verify_theorem(audit) if rows is None else verify_theorem(audit, rows.X, rows.y)
    claims = [(claim.holds, claim.text) for claim in check.claims]
    if as_json:
        listed = [_claim_record(None, claim) for claim in check.claims]
        failed, holds = check.failed, bool(check)
        record: dict[str, Any] = {"verified": holds, "status": "audit"}
        record |= _numbers_record("binary64", rows)
        record |= {"failed": failed, "claims": listed, "seconds": check.seconds}
        terminal.print_json(record)
    else:
        _show_lines(claims)
        if check:
            what = "the convergence theorem, on this run."
            _show_end(check.seconds, what, "" if rows is None else _numbers_text(rows, "binary64"))
    if not check:
        raise Failure(f"{path} does not hold: {check.failed}.")


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
        **_numbers_record(_proofs(checked)[0].numbers, checked.data),
        "failed": checked.failed,
        "claims": [_claim_record(label, claim) for label, claim in _claims(checked)],
        "seconds": checked.seconds,
    }


def _numbers_record(numbers: str, data: LoadedData | None) -> dict[str, str | None]:
    """Return which numbers a proof is about, and why they are not those of the text."""
    return {"numbers": numbers, "computed": (data.computed or None) if data else None}


def _numbers_text(data: LoadedData, numbers: str) -> str:
    from rosenblatt.cli.inputs.proofs import describe_numbers

    return describe_numbers(data, numbers)


def _claim_record(label: str | None, claim: Claim) -> dict[str, Any]:
    return {"class": label, "claim": claim.text, "holds": claim.holds, "why": claim.why or None}


def _show(checked: CheckedProof) -> None:
    from rosenblatt.cli.display.certificates import headline

    _show_lines(_lines(checked))
    if checked.failed is None:
        numbers = _numbers_text(checked.data, _proofs(checked)[0].numbers)
        _show_end(checked.seconds, headline(checked.proof), numbers)


def _show_lines(lines: list[tuple[bool, str]]) -> None:
    console = terminal.stdout()
    for holds, line in lines:
        mark = ("✓ ", "green") if holds else ("✗ ", "bold red")
        console.print(render.text(mark, line))


def _show_end(seconds: float, what: Any, numbers: str) -> None:
    console = terminal.stdout()
    console.print()
    console.print("Every claim holds:", what)
    if numbers:
        console.print(render.facts([("numbers", numbers)]))
    console.print(f"checked in exact arithmetic, in {fmt.seconds(seconds)}", style="dim")


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
