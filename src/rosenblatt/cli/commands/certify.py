"""``rosenblatt certify``: linear separability, with a proof."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from click.exceptions import Exit

from rosenblatt.cli.display import fmt, render, terminal
from rosenblatt.cli.display.errors import Failure, Undecided
from rosenblatt.cli.inputs.existence import check_data
from rosenblatt.cli.options.declared import FiniteRange, command, option
from rosenblatt.cli.options.shared import SourceOptions, data_argument, json_option, quiet_option
from rosenblatt.utils.words import file_word, shell_words

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.proofs import CheckedProof


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
        FiniteRange(0.0, 1.0, min_open=True, max_open=True),
        default=1e-6,
    )
    time_limit: float = option(
        "--time-limit SECONDS",
        "For each class. If it is reached, the result is undecided, exit status 4.",
        FiniteRange(min=0.0),
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


@command(CertifyOptions, "Proofs", 1)
def certify(options: CertifyOptions) -> None:
    """Prove whether the classes of DATA are linearly separable.

    Examples
    --------
        rosenblatt certify mail.svm --proof mail.json  # linearly separable? prove it
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
    from rosenblatt.cli.inputs import bad_rows, data, proofs
    from rosenblatt.cli.inputs.paths import check_proof_path

    read_options = data.build_read_options(options)
    if options.proof is not None:
        check_proof_path(options.proof, options.data)
    rows = proofs.read_data(options.data, read_options)
    data.print_schema(rows.stream, options.quiet or options.as_json)
    if not options.quiet:
        data.note_missing_cells(rows.stream)
        data.note_case_variants(rows.stream.name, set(rows.y.tolist()))
    limits = {"tol": options.tol, "time_limit": options.time_limit}
    with proofs.show_certifying(options.quiet):
        checked = proofs.certify_data(rows, fit_intercept=not options.no_intercept, **limits)
    if options.proof is not None:
        checked.proof.save(options.proof)
    if options.as_json:
        skipped = {"bad_rows": bad_rows.count_bad_rows(read_options)}
        terminal.print_json(proofs.proof_record(checked) | skipped)
    else:
        _show(checked, options)
    if checked.failed is not None:
        raise Failure(checked.failure_message)
    if checked.proof.status == "undecided":
        raise Exit(Undecided.exit_code)


def _show(checked: CheckedProof, options: CertifyOptions) -> None:
    from rosenblatt.cli.display import certificates
    from rosenblatt.proofs import Certificate, report

    data, proof = checked.data, checked.proof
    console = terminal.stdout()
    console.print(certificates.headline(proof))
    console.print()
    if isinstance(proof, Certificate):
        facts = report.facts(proof, data.X, data.y, data.stream.index_base or 0)
    else:
        console.print(certificates.class_table(proof))
        console.print()
        facts = report.legend(proof)
    facts = [*_data_facts(checked), *facts, *_check_facts(checked, options)]
    render.show_facts(console, facts)
    if isinstance(proof, Certificate) and proof.status != "undecided":
        rows = certificates.row_table(proof, data.y, data.first_line)
        render.section(console, *report.row_heading(proof), rows)
        if omitted := certificates.omitted_rows(proof, options.proof is not None):
            console.print(omitted, style="dim")


def _data_facts(checked: CheckedProof) -> list[tuple[str, str]]:
    from rosenblatt.cli.display.certificates import list_certificates
    from rosenblatt.cli.inputs.proofs import describe_numbers

    stream, X = checked.data.stream, checked.data.X
    labels = "" if stream.target is None else f", labels in column {stream.target!r}"
    size = f"{fmt.count(X.shape[0], 'row')}, {fmt.count(X.shape[1], 'feature')}"
    lines = [("data", stream.name), ("", size + labels)]
    if numbers := describe_numbers(checked.data, list_certificates(checked.proof)[0].numbers):
        lines.append(("numbers", numbers))
    if X.shape[1] + 1 >= X.shape[0]:
        lines.append(("", "with so many features, rows in general position are always separable"))
    return lines


def _check_facts(checked: CheckedProof, options: CertifyOptions) -> list[tuple[str, str]]:
    search = f"found in {fmt.seconds(checked.search_seconds)}"
    check = f"in exact arithmetic, in {fmt.seconds(checked.seconds)}; {search}"
    lines = [("verified", check) if checked.failed is None else ("not verified", search)]
    if (path := options.proof) is not None:
        again = shell_words([*map(file_word, (path, options.data)), *options.reading_arguments()])
        lines.append(("proof", f"{path} ({fmt.size(os.path.getsize(path))})"))
        lines.append(("next", f"rosenblatt verify {again}"))
    return lines
