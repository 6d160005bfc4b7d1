"""``rosenblatt certify``: whether a hyperplane separates the classes, with a proof."""

from __future__ import annotations

import json
import os
from typing import Any

import rich_click as click
from click.exceptions import Exit

from rosenblatt.cli.display import console as display_console
from rosenblatt.cli.display import text
from rosenblatt.cli.display.errors import Failure
from rosenblatt.cli.inputs.proofs import Answer, ask, read, record_of, waiting
from rosenblatt.cli.options import shared

UNDECIDED = 4
"""The exit status where the time did not suffice."""


@click.command(no_args_is_help=True)
@shared.in_order
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
def certify(data: str, **given: Any) -> None:
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
    from rosenblatt.cli.inputs.bad_rows import left_out

    how = inputs_data.reading(given)
    if given["path"] is not None:
        paths.check_proof_path(given["path"], data)
    rows = read(data, how)
    asked = {name: given[name] for name in ("tol", "time_limit")}
    with waiting("certifying …", given["quiet"]):
        answer = ask(rows, fit_intercept=not given["no_intercept"], **asked)
    if given["path"] is not None:
        answer.proof.save(given["path"])
    if given["as_json"]:
        record = record_of(answer) | {"bad_rows": left_out(how)}
        click.echo(json.dumps(record, ensure_ascii=False))
    else:
        _show(answer, given["path"])
    if answer.failed is not None:
        raise Failure(answer.broken)
    if answer.proof.status == "undecided":
        raise Exit(UNDECIDED)


# --- the screen ----------------------------------------------------------------------------------


def _show(answer: Answer, path: str | None) -> None:
    from rosenblatt.cli.display import certificates, render
    from rosenblatt.proofs import Certificate

    (stream, X, y), proof = answer.rows, answer.proof
    console = display_console.output()
    console.print(certificates.headline(proof))
    console.print()
    if not isinstance(proof, Certificate):
        console.print(certificates.classes(proof))
        console.print()
        told = "features whose estimate a logistic regression sends to ±∞"
        console.print(
            render.facts([*_source(answer), ("diverging", told), *_checked(answer, path)])
        )
        return
    known = certificates.facts(proof, X, y, stream.index_base or 0)
    console.print(render.facts([*_source(answer), *known, *_checked(answer, path)]))
    if proof.status != "undecided":
        console.print()
        console.print(certificates.rows_heading(proof))
        console.print(certificates.rows(proof, y))
        if left := certificates.rows_left(proof, path is not None):
            console.print(left, style="dim")


def _source(answer: Answer) -> list[tuple[str, str]]:
    stream, X, _ = answer.rows
    labels = "" if stream.target is None else f", labels in column {stream.target!r}"
    size = f"{text.count(X.shape[0], 'row')}, {text.count(X.shape[1], 'feature')}"
    return [("data", stream.name), ("", size + labels)]


def _checked(answer: Answer, path: str | None) -> list[tuple[str, Any]]:
    found = f"found in {text.seconds(answer.found)}"
    exactly = f"in exact arithmetic, in {text.seconds(answer.seconds)}; {found}"
    lines = [("verified", exactly) if answer.failed is None else ("not verified", found)]
    if path is not None:
        lines.append(("proof", f"{path} ({text.size(os.path.getsize(path))})"))
        lines.append(("to check it", f"rosenblatt verify {path} DATA"))
    return lines
