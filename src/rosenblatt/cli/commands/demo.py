"""``rosenblatt demo``: a tour on data that scikit-learn ships."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

import rich_click as click

from rosenblatt.cli.display import terminal
from rosenblatt.cli.options import shared

if TYPE_CHECKING:
    from rosenblatt.cli.display.confusion import ConfusionMatrix

FILE = "digits.rosenblatt"
"""The model file that the demo writes."""


@click.command(
    cls=shared.Command,
    panel="Start",
    rank=1,
    example="rosenblatt demo",
    caption="a tour",
)
@click.option(
    "--folder",
    metavar="DIR",
    default=".",
    show_default=True,
    help=f"Folder for the model file, {FILE}.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    default=0,
    show_default=True,
    help="Random seed of the train/test split and of the order of the rows.",
)
@shared.json_option("Print one JSON object instead of the tour.")
def demo(folder: str, seed: int, as_json: bool) -> None:
    """Tour the library on data sets of scikit-learn.

    [bold]Examples[/]
        rosenblatt demo
        rosenblatt demo --folder /tmp --seed 1

    The data comes with scikit-learn; nothing is downloaded.
    """
    started = time.perf_counter()
    import numpy as np

    from rosenblatt.cli.demo import tour
    from rosenblatt.cli.display.progress import ProgressTable
    from rosenblatt.cli.inputs.paths import check_model_path
    from rosenblatt.learning.evaluation.progressive import learn
    from rosenblatt.learning.linear.learners import AveragedPerceptron
    from rosenblatt.learning.models import files

    path = os.path.join(folder, FILE)
    check_model_path(path, "")
    console = terminal.stdout(quiet=as_json)
    console.width = min(console.width, 80)

    digits = tour.load_split("sklearn:digits", seed)
    tour.show_digits_intro(console, digits, seed)
    with ProgressTable(console) as table:
        summary = learn(AveragedPerceptron(shuffle=False), [digits.batch], 1, table.add)
        table.add(summary.last)
    digit_fit = tour.fit_averaged(digits, seed)
    tour.show_digits(console, digits, digit_fit, summary)

    tumours = tour.standardised(tour.load_split("sklearn:breast_cancer", seed))
    tumour_fit = tour.fit_averaged(tumours, seed)
    tour.show_tumours(console, tumours, tumour_fit)

    theorems = [
        tour.run_theorem("0 or not", digits.X, digits.y == 0, seed),
        tour.run_theorem("malignant or not", tumours.X, tumours.y == "malignant", seed),
    ]
    tour.show_certificates(console, theorems)
    tour.show_theorems(console, theorems)

    digit_fit.model.feature_names_in_ = np.array(digits.names, dtype=object)
    files.save(digit_fit.model, path, notes={"data": "sklearn:digits", "format": "sklearn"})
    seconds = time.perf_counter() - started
    tour.show_next_steps(console, path, seconds)
    if as_json:
        record = {
            "seed": seed,
            "digits": _record(summary.last, digit_fit.confusion),
            "breast_cancer": _record(None, tumour_fit.confusion),
            "theorem": [run.record() for run in theorems],
            "certificates": {
                run.question: {
                    "status": run.proof.status,
                    "margin": run.proof.margin,
                    "rows": len(run.proof.rows),
                }
                for run in theorems
            },
            "model": path,
            "seconds": seconds,
        }
        click.echo(json.dumps(record))


def _record(last: Any, confusion: ConfusionMatrix) -> dict[str, Any]:
    first_pass = {}
    if last is not None:
        first_pass = {
            "progressive_error": last.error,
            "progressive_interval": [last.low, last.high],
        }
    return {**first_pass, "held_out": confusion.record()}
