"""``rosenblatt certify``: linear separability, with a proof."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any

import click
from click.exceptions import Exit

from rosenblatt.cli.display import fmt, render, terminal
from rosenblatt.cli.display.errors import Failure
from rosenblatt.cli.inputs.existence import check_data
from rosenblatt.cli.options.declared import command, option
from rosenblatt.cli.options.shared import SourceOptions, data_argument, json_option, quiet_option

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.proofs import CheckedProof

UNDECIDED = 4
"""The exit status if the time limit was reached."""


class CertifyOptions(SourceOptions, panel="Question"):
    """All options and arguments of ``rosenblatt certify``."""

    data: str = data_argument()
    no_intercept: bool = option(
        "--no-intercept",
        "Consider only hyperplanes through the origin, w·x = 0, instead of w·x + b = 0.",
    )
    tol: float = option(
        "--tol X",
        "Relative width of the interval of the margin.",
        click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
        default=1e-6,
    )
    time_limit: float = option(
        "--time-limit SECONDS",
        "For each class. If it is reached, the result is undecided, exit status 4.",
        click.FloatRange(min=0.0),
        default=60.0,
    )
    proof: str | None = option(
        "--proof FILE",
        "Write the proof to this file, as JSON for rosenblatt verify.",
        panel="Output",
    )
    as_json: bool = json_option(
        "Print one JSON object: status, margin, rows, weights, diverging, verified, …"
    )
    quiet: bool = quiet_option()


@command(
    CertifyOptions,
    panel="Proofs",
    rank=1,
    example="rosenblatt certify mail.svm --proof mail.json",
    caption="linearly separable? prove it",
)
def certify(options: CertifyOptions) -> None:
    """Prove whether the classes of DATA are linearly separable.

    Examples
    --------
        rosenblatt certify mail.svm
        rosenblatt certify patients.csv --target ill --proof patients.json
        rosenblatt certify sklearn:iris --json

    Separable: a hyperplane has every row on its own side. Quasi-separable: no hyperplane does, but
    one has no row on the wrong side and some rows on it; the maximum-likelihood estimate of a
    logistic regression then does not exist. Inseparable: the classes overlap. All rows are read
    into memory. The numbers of text are the decimals that are written, exactly; those of arrays are
    the floats that they hold. For three or more classes, each is certified against the rest.
    Weights of rows are ignored. The proof is checked in exact arithmetic. --impute mean takes the
    mean of the whole column, so that the file is read twice.
    """
    check_data(options.data)
    from rosenblatt.cli.inputs.bad_rows import count_bad_rows
    from rosenblatt.cli.inputs.data import (
        build_read_options,
        note_case_variants,
        note_missing_cells,
        print_schema,
    )
    from rosenblatt.cli.inputs.paths import check_proof_path
    from rosenblatt.cli.inputs.proofs import certify_data, proof_record, read_data, show_waiting

    read_options = build_read_options(options)
    if options.proof is not None:
        check_proof_path(options.proof, options.data)
    rows = read_data(options.data, read_options)
    print_schema(rows.stream, options.quiet or options.as_json)
    if not options.quiet:
        note_missing_cells(rows.stream)
    if not options.quiet:
        note_case_variants(rows.stream.name, set(rows.y.tolist()))
    with show_waiting("certifying …", options.quiet):
        checked = certify_data(
            rows,
            fit_intercept=not options.no_intercept,
            tol=options.tol,
            time_limit=options.time_limit,
        )
    if options.proof is not None:
        checked.proof.save(options.proof)
    if options.as_json:
        record = proof_record(checked) | {"bad_rows": count_bad_rows(read_options)}
        terminal.print_json(record)
    else:
        again = shlex.join([options.data, *options.reading_arguments()])
        _show(checked, options.proof, again)
    if checked.failed is not None:
        raise Failure(checked.failure_message)
    if checked.proof.status == "undecided":
        raise Exit(UNDECIDED)


def _show(checked: CheckedProof, path: str | None, again: str) -> None:
    from rosenblatt.cli.display import certificates
    from rosenblatt.proofs import Certificate, report

    data, proof = checked.data, checked.proof
    console = terminal.stdout()
    console.print(certificates.headline(proof))
    console.print()
    if not isinstance(proof, Certificate):
        console.print(certificates.class_table(proof))
        console.print()
        legend = report.legend(proof)
        lines = [*_data_facts(checked), *legend, *_check_facts(checked, path, again)]
        console.print(render.facts(lines))
        return
    facts = report.facts(proof, data.X, data.y, data.stream.index_base or 0)
    lines = [*_data_facts(checked), *facts, *_check_facts(checked, path, again)]
    console.print(render.facts(lines))
    if proof.status != "undecided":
        rows = certificates.row_table(proof, data.y, data.first_line)
        render.section(console, *report.row_heading(proof), rows)
        if omitted := certificates.omitted_rows(proof, path is not None):
            console.print(omitted, style="dim")


def _data_facts(checked: CheckedProof) -> list[tuple[str, str]]:
    stream, X = checked.data.stream, checked.data.X
    labels = "" if stream.target is None else f", labels in column {stream.target!r}"
    size = f"{fmt.count(X.shape[0], 'row')}, {fmt.count(X.shape[1], 'feature')}"
    lines = [("data", stream.name), ("", size + labels), *_number_facts(checked)]
    if X.shape[1] + 1 >= X.shape[0]:
        lines.append(("", "with so many features, rows in general position are always separable"))
    return lines


def _number_facts(checked: CheckedProof) -> list[tuple[str, str]]:
    from rosenblatt.cli.display.certificates import list_certificates
    from rosenblatt.cli.inputs.proofs import describe_numbers

    text = describe_numbers(checked.data, list_certificates(checked.proof)[0].numbers)
    return [("numbers", text)] if text else []


def _check_facts(checked: CheckedProof, path: str | None, again: str) -> list[tuple[str, Any]]:
    search = f"found in {fmt.seconds(checked.search_seconds)}"
    check = f"in exact arithmetic, in {fmt.seconds(checked.seconds)}; {search}"
    lines = [("verified", check) if checked.failed is None else ("not verified", search)]
    if path is not None:
        lines.append(("proof", f"{path} ({fmt.size(os.path.getsize(path))})"))
        lines.append(("next", f"rosenblatt verify {shlex.quote(path)} {again}"))
    return lines
