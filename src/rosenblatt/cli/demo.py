"""``rosenblatt demo``: the main job, on data that scikit-learn ships."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

import rich_click as click

from rosenblatt.cli import options, screen

if TYPE_CHECKING:
    from rosenblatt.cli.lesson import Theorem
    from rosenblatt.cli.tally import Tally

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
@options.json_option("One object instead of the screen.")
def demo(folder: str, seed: int, as_json: bool) -> None:
    """Learn handwritten digits and tumours, and watch the theorem at work.

    [bold]Examples[/]
        rosenblatt demo
        rosenblatt demo --folder /tmp --seed 1

    The data comes with scikit-learn: nothing is downloaded. It takes a few seconds; the first
    time some more, to compile.
    """
    begin = time.perf_counter()
    from rosenblatt import models
    from rosenblatt.cli import lesson, lesson_screen, opening
    from rosenblatt.cli.progress import ProgressTable
    from rosenblatt.linear import Perceptron
    from rosenblatt.progressive import learn
    from rosenblatt.proofs import certify

    path = os.path.join(folder, FILE)
    opening.check_model_path(path, "")
    console = screen.output(quiet=as_json)
    console.width = min(console.width, 80)

    digits = lesson.split("sklearn:digits", seed)
    lesson_screen.open_digits(console, digits, seed)
    with ProgressTable(console) as table:
        summary = learn(Perceptron(shuffle=False), [digits.batch], 1, table.add)
        table.add(summary.last)
    known = lesson.averaged(digits, seed)
    lesson_screen.show_digits(console, digits, known, summary)

    tumours = lesson.standardised(lesson.split("sklearn:breast_cancer", seed))
    found = lesson.averaged(tumours, seed)
    lesson_screen.show_tumours(console, tumours, found)

    theorems = [
        lesson.theorem("0 or not", digits.X, digits.y == 0, seed),
        lesson.theorem("malignant or not", tumours.X, tumours.y == "malignant", seed),
    ]
    lesson_screen.show_theorems(console, theorems)
    proofs = {
        "0 or not": certify(digits.X, digits.y == 0),
        "malignant or not": certify(tumours.X, tumours.y == "malignant"),
    }
    lesson_screen.show_certificates(console, proofs)

    known.model.feature_names_in_ = opening.as_names(digits.names)
    models.save(known.model, path, notes={"data": "sklearn:digits", "format": "sklearn"})
    seconds = time.perf_counter() - begin
    lesson_screen.close(console, path, seconds)
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
