"""``rosenblatt certify``: whether a hyperplane separates the classes, with a proof."""

from __future__ import annotations

import json
import os
from typing import Any

import rich_click as click
from click.exceptions import Exit

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.errors import Failure
from rosenblatt.cli.inputs.proofs import (
    CheckedProof,
    certify_data,
    proof_record,
    read_data,
    show_waiting,
)
from rosenblatt.cli.options import shared

UNDECIDED = 4
"""The exit status where the time did not suffice."""


@click.command(no_args_is_help=True)
@shared.order_panels
@shared.data_argument
@click.option(
    "--no-intercept",
    is_flag=True,
    help="Ask for a hyperplane through the origin, w·x = 0, instead of w·x + b = 0.",
    panel="Question",
)
@click.option(
    "--tol",
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    metavar="X",
    default=1e-6,
    show_default=True,
    help="How narrow the interval of the margin must be, relatively.",
    panel="Question",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0.0),
    metavar="SECONDS",
    default=60.0,
    show_default=True,
    help="For each class. What is open then is undecided, exit status 4.",
    panel="Question",
)
@click.option(
    "--proof",
    "path",
    metavar="FILE",
    help="Write the proof here, as JSON text that rosenblatt verify checks.",
    panel="Output",
)
@shared.json_option("One object: status, margin, rows, weights, diverging, verified, …")
@shared.quiet_option
@shared.reading_options
def certify(data: str, **params: Any) -> None:
    """Tell whether a hyperplane separates the classes of DATA, and prove it.

    [bold]Examples[/]
        rosenblatt certify mail.svm
        rosenblatt certify patients.csv --target ill --proof patients.json
        rosenblatt certify sklearn:iris --json

    Separable: some hyperplane has every row on its own side. Quasi-separable: none has, but some
    has rows on itself and none on the wrong side; a logistic regression then has no finite
    estimate, whatever it reports. Inseparable: the classes overlap. All rows are held in memory; of
    three classes or more, each is asked against the rest. Weights of rows do not count. The proof
    is checked in exact arithmetic.
    """
    from rosenblatt.cli.inputs import data as inputs_data
    from rosenblatt.cli.inputs import paths
    from rosenblatt.cli.inputs.bad_rows import count_bad_rows

    read_options = inputs_data.build_read_options(params)
    if params["path"] is not None:
        paths.check_proof_path(params["path"], data)
    rows = read_data(data, read_options)
    limits = {name: params[name] for name in ("tol", "time_limit")}
    with show_waiting("certifying …", params["quiet"]):
        checked = certify_data(rows, fit_intercept=not params["no_intercept"], **limits)
    if params["path"] is not None:
        checked.proof.save(params["path"])
    if params["as_json"]:
        record = proof_record(checked) | {"bad_rows": count_bad_rows(read_options)}
        click.echo(json.dumps(record, ensure_ascii=False))
    else:
        _show(checked, params["path"])
    if checked.failed is not None:
        raise Failure(checked.failure_message)
    if checked.proof.status == "undecided":
        raise Exit(UNDECIDED)


# --- the screen ----------------------------------------------------------------------------------


def _show(checked: CheckedProof, path: str | None) -> None:
    from rosenblatt.cli.display import certificates, render
    from rosenblatt.proofs import Certificate

    (stream, X, y), proof = checked.rows, checked.proof
    console = terminal.stdout()
    console.print(certificates.headline(proof))
    console.print()
    if not isinstance(proof, Certificate):
        console.print(certificates.class_table(proof))
        console.print()
        meaning = "features whose estimate a logistic regression sends to ±∞"
        console.print(
            render.facts(
                [*_data_facts(checked), ("diverging", meaning), *_check_facts(checked, path)]
            )
        )
        return
    facts = certificates.facts(proof, X, y, stream.index_base or 0)
    console.print(render.facts([*_data_facts(checked), *facts, *_check_facts(checked, path)]))
    if proof.status != "undecided":
        console.print()
        console.print(certificates.row_heading(proof))
        console.print(certificates.row_table(proof, y))
        if omitted := certificates.omitted_rows(proof, path is not None):
            console.print(omitted, style="dim")


def _data_facts(checked: CheckedProof) -> list[tuple[str, str]]:
    stream, X, _ = checked.rows
    labels = "" if stream.target is None else f", labels in column {stream.target!r}"
    size = f"{fmt.count(X.shape[0], 'row')}, {fmt.count(X.shape[1], 'feature')}"
    return [("data", stream.name), ("", size + labels)]


def _check_facts(checked: CheckedProof, path: str | None) -> list[tuple[str, Any]]:
    search = f"found in {fmt.seconds(checked.search_seconds)}"
    check = f"in exact arithmetic, in {fmt.seconds(checked.seconds)}; {search}"
    lines = [("verified", check) if checked.failed is None else ("not verified", search)]
    if path is not None:
        lines.append(("proof", f"{path} ({fmt.size(os.path.getsize(path))})"))
        lines.append(("to check it", f"rosenblatt verify {path} DATA"))
    return lines
