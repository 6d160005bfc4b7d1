"""``rosenblatt demo``: the main job, on data that scikit-learn ships."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

import rich_click as click

from rosenblatt.cli.display import console as display_console
from rosenblatt.cli.options import shared

if TYPE_CHECKING:
    from rosenblatt.cli.demo.runs import Theorem
    from rosenblatt.cli.display.confusion import Tally


FILE = "digits.rosenblatt"
"""The model that the demo leaves behind."""


@click.command()
@click.option(
    "--folder",
    metavar="DIR",
    default=".",
    show_default=True,
    help=f"Where to write the model, {FILE}.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    default=0,
    show_default=True,
    help="Seed of the split and of the order of the rows.",
)
@shared.json_option("One object instead of the screen.")
def demo(folder: str, seed: int, as_json: bool) -> None:
    """Learn handwritten digits and tumours, and watch the theorem at work.

    [bold]Examples[/]
        rosenblatt demo
        rosenblatt demo --folder /tmp --seed 1

    The data comes with scikit-learn: nothing is downloaded. It takes a few seconds; the first
    time some more, to compile.
    """
    begin = time.perf_counter()
    from rosenblatt.cli.demo import runs, screen
    from rosenblatt.cli.display.progress import ProgressTable
    from rosenblatt.cli.inputs import models, paths
    from rosenblatt.learning.evaluation.progressive import learn
    from rosenblatt.learning.linear.estimators import Perceptron
    from rosenblatt.learning.models import files
    from rosenblatt.proofs import certify

    path = os.path.join(folder, FILE)
    paths.check_model_path(path, "")
    console = display_console.output(quiet=as_json)
    console.width = min(console.width, 80)

    digits = runs.split("sklearn:digits", seed)
    screen.open_digits(console, digits, seed)
    with ProgressTable(console) as table:
        summary = learn(Perceptron(shuffle=False), [digits.batch], 1, table.add)
        table.add(summary.last)
    known = runs.averaged(digits, seed)
    screen.show_digits(console, digits, known, summary)

    tumours = runs.standardised(runs.split("sklearn:breast_cancer", seed))
    found = runs.averaged(tumours, seed)
    screen.show_tumours(console, tumours, found)

    theorems = [
        runs.theorem("0 or not", digits.X, digits.y == 0, seed),
        runs.theorem("malignant or not", tumours.X, tumours.y == "malignant", seed),
    ]
    screen.show_theorems(console, theorems)
    proofs = {
        "0 or not": certify(digits.X, digits.y == 0),
        "malignant or not": certify(tumours.X, tumours.y == "malignant"),
    }
    screen.show_certificates(console, proofs)

    known.model.feature_names_in_ = models.as_names(digits.names)
    files.save(known.model, path, notes={"data": "sklearn:digits", "format": "sklearn"})
    seconds = time.perf_counter() - begin
    screen.close(console, path, seconds)
    if as_json:
        record = {
            "seed": seed,
            "digits": _record(summary.last, known.tally),
            "breast_cancer": _record(None, found.tally),
            "theorem": [_theorem(run) for run in theorems],
            "certificates": {name: _certificate(proof) for name, proof in proofs.items()},
            "model": path,
            "seconds": seconds,
        }
        click.echo(json.dumps(record))


def _record(last: Any, tally: Tally) -> dict[str, Any]:
    first_pass = {}
    if last is not None:
        first_pass = {
            "progressive_error": last.error,
            "progressive_interval": [last.low, last.high],
        }
    return {**first_pass, "held_out": tally.record()}


def _theorem(run: Theorem) -> dict[str, Any]:
    return vars(run)


def _certificate(proof: Any) -> dict[str, Any]:
    return {"status": proof.status, "margin": proof.margin, "rows": len(proof.rows)}
